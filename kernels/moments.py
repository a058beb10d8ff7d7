"""Sums over blocks of a kernel's results: all that the reports' intervals need of a run of any length.

A group is a slot of the line-up in a seat (slot * seats + seat), then each slot over all seats, then each seat over
all slots. For a metric (top column, bottom column; -1 counts rows) and a group, x and n are a block's sums of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.compile import entry

#: what is kept per group and metric: blocks with n > 0; sums of n, x, x*x, x*n, n*n; blocks with x != 0, with
#: x != scale * n; sum over rows of top * top
USED, N, X, XX, XN, NN, SEEN, MISSED, SQUARES = range(9)
KEPT = 9


def group_count(slots: int, seats: int) -> int:
    """The number of groups."""
    return slots * seats + slots + seats


@entry
def accumulate(games, blocks, seatings, slots, tops, bottoms, scales, cells, moments, products):
    """Adds the blocks of one kernel call to `moments` and `products`; returns the largest |x| or n met.

    games int32[columns, rows] as the kernel filled it; seatings int8[S, seats]; tops, bottoms, scales int64[M];
    cells int64[groups, M, 3] working memory; moments int64[groups, M, 9]; products int64[M, 2*slots, 2*slots]:
    sums over blocks of the products of x and n of the slots (x_0, n_0, x_1, n_1, ...).
    """
    seats = seatings.shape[1]
    metrics = tops.size
    groups = cells.shape[0]
    by_slot = slots * seats
    by_seat = by_slot + slots
    row = 0
    peak = 0
    for _ in range(blocks):
        for g in range(by_slot):
            for m in range(metrics):
                for k in range(3):
                    cells[g, m, k] = 0
        for s in range(seatings.shape[0]):
            for seat in range(seats):
                g = seatings[s, seat] * seats + seat
                for m in range(metrics):
                    value = games[tops[m], row]
                    cells[g, m, 0] += value
                    cells[g, m, 1] += games[bottoms[m], row] if bottoms[m] >= 0 else 1
                    cells[g, m, 2] += value * value
                row += 1
        for m in range(metrics):
            for k in range(3):
                for slot in range(slots):
                    total = cells[slot * seats, m, k]
                    for seat in range(1, seats):
                        total += cells[slot * seats + seat, m, k]
                    cells[by_slot + slot, m, k] = total
                for seat in range(seats):
                    total = cells[seat, m, k]
                    for slot in range(1, slots):
                        total += cells[slot * seats + seat, m, k]
                    cells[by_seat + seat, m, k] = total
        for g in range(groups):
            for m in range(metrics):
                x = cells[g, m, 0]
                n = cells[g, m, 1]
                peak = max(peak, abs(x), n)
                if n > 0:
                    moments[g, m, 0] += 1
                moments[g, m, 1] += n
                moments[g, m, 2] += x
                moments[g, m, 3] += x * x
                moments[g, m, 4] += x * n
                moments[g, m, 5] += n * n
                if x != 0:
                    moments[g, m, 6] += 1
                if x != scales[m] * n:
                    moments[g, m, 7] += 1
                moments[g, m, 8] += cells[g, m, 2]
        for m in range(metrics):
            for a in range(slots):
                for b in range(slots):
                    for i in range(2):
                        for j in range(2):
                            products[m, 2 * a + i, 2 * b + j] += cells[by_slot + a, m, i] * cells[by_slot + b, m, j]
    return peak


def fits(peak: int, blocks: int) -> bool:
    """Whether sums of products up to `peak`**2 over `blocks` blocks fit an int64; if not, see `exact`."""
    return peak * peak * max(blocks, 1) < 2**62


def exact(
    games: Any,
    blocks: int,
    seatings: Any,
    slots: int,
    tops: Any,
    bottoms: Any,
    scales: Any,
    moments: Any,
    products: Any,
) -> None:
    """As `accumulate`, in Python integers: for scores so large that int64 sums would overflow."""
    cells = np.zeros((group_count(slots, seatings.shape[1]), tops.size, 3), object)
    accumulate.py_func(games.astype(object), blocks, seatings, slots, tops, bottoms, scales, cells, moments, products)
