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


#: blocks that are summed at a time, so that loops over them run on vectors and their sums stay in the cache
BATCH = 32


@entry
def accumulate(games, blocks, seatings, slots, tops, bottoms, scales, cells, moments, products):
    """Adds the blocks of one kernel call to `moments` and `products`; returns the largest |x| or n met.

    games int32[columns, rows] as the kernel filled it; seatings int8[S, seats]; tops, bottoms, scales int64[M];
    cells int64[3, groups, M, BATCH] working memory; moments int64[groups, M, KEPT]; products
    int64[M, 2*slots, 2*slots]: sums over blocks of the products of x and n of the slots (x_0, n_0, x_1, n_1, ...).
    """
    seats = seatings.shape[1]
    rows = seatings.size
    metrics = tops.size
    by_slot = slots * seats
    by_seat = by_slot + slots
    peak = 0
    for start in range(0, blocks, BATCH):
        size = min(BATCH, blocks - start)
        cells[:] = 0
        for m in range(metrics):
            for place in range(rows):
                seat = place % seats
                group = seatings[place // seats, seat] * seats + seat
                row = start * rows + place
                for b in range(size):
                    value = games[tops[m], row + b * rows]
                    cells[0, group, m, b] += value
                    cells[2, group, m, b] += value * value
                for b in range(size):
                    cells[1, group, m, b] += games[bottoms[m], row + b * rows] if bottoms[m] >= 0 else 1
        for k in range(3):
            for group in range(by_slot):
                for m in range(metrics):
                    for b in range(size):
                        cells[k, by_slot + group // seats, m, b] += cells[k, group, m, b]
                    for b in range(size):
                        cells[k, by_seat + group % seats, m, b] += cells[k, group, m, b]
        for group in range(cells.shape[1]):
            for m in range(metrics):
                used = all_n = all_x = xx = xn = nn = seen = missed = squares = 0
                for b in range(size):
                    x = cells[0, group, m, b]
                    n = cells[1, group, m, b]
                    peak = max(peak, abs(x), n)
                    used += n > 0
                    all_n += n
                    all_x += x
                    xx += x * x
                    xn += x * n
                    nn += n * n
                    seen += x != 0
                    missed += x != scales[m] * n
                    squares += cells[2, group, m, b]
                for k, total in enumerate((used, all_n, all_x, xx, xn, nn, seen, missed, squares)):
                    moments[group, m, k] += total
        for m in range(metrics):
            for a in range(2 * slots):
                for other in range(2 * slots):
                    total = 0
                    for b in range(size):
                        total += cells[a & 1, by_slot + a // 2, m, b] * cells[other & 1, by_slot + other // 2, m, b]
                    products[m, a, other] += total
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
    cells = np.zeros((3, group_count(slots, seatings.shape[1]), tops.size, BATCH), object)
    accumulate.py_func(games.astype(object), blocks, seatings, slots, tops, bottoms, scales, cells, moments, products)
