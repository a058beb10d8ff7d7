"""Sums over blocks: against the same sums written down plainly, for any number of blocks and in Python integers too."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import moments

SLOTS, SEATS = 2, 3
SEATINGS = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]], np.int8)
TOPS, BOTTOMS, SCALES = np.array([0, 1, 2]), np.array([-1, 3, -1]), np.array([60, 1, 2])


def rows_of(blocks: int) -> NDArray[np.int32]:
    numbers = np.random.default_rng(blocks)
    rows = numbers.integers(-5, 6, (4, blocks * SEATINGS.size), np.int32)
    rows[3] = numbers.integers(0, 2, rows.shape[1])
    rows[2, ::3] = 0
    return rows


def summed(rows: Any, blocks: int, by: Any) -> tuple[Any, Any, int]:
    groups = moments.group_count(SLOTS, SEATS)
    kept = np.zeros((groups, len(TOPS), moments.KEPT), np.int64)
    products = np.zeros((len(TOPS), 2 * SLOTS, 2 * SLOTS), np.int64)
    arguments = rows, blocks, SEATINGS, SLOTS, TOPS, BOTTOMS, SCALES
    if by == "exact":
        kept, products = kept.astype(object), products.astype(object)
        moments.exact(*arguments, kept, products)
        return kept, products, 0
    cells = np.zeros((3, groups, len(TOPS), moments.BATCH), np.int64)
    return kept, products, int(moments.accumulate(*arguments, cells, kept, products))


def plainly(rows: Any, blocks: int) -> tuple[Any, Any, int]:
    """The sums group by group, from the rows laid out by block, seating and seat."""
    columns = rows.astype(np.int64).reshape(len(rows), blocks, len(SEATINGS), SEATS)
    slot, seat = SEATINGS, np.broadcast_to(np.arange(SEATS), SEATINGS.shape)
    groups = [(slot == a) & (seat == b) for a, b in product(range(SLOTS), range(SEATS))]
    groups += [slot == a for a in range(SLOTS)] + [seat == b for b in range(SEATS)]
    kept = np.zeros((len(groups), len(TOPS), moments.KEPT), np.int64)
    products = np.zeros((len(TOPS), 2 * SLOTS, 2 * SLOTS), np.int64)
    peak = 0
    for m, (top, bottom, scale) in enumerate(zip(TOPS, BOTTOMS, SCALES, strict=True)):
        below = np.ones_like(columns[0]) if bottom < 0 else columns[bottom]
        sums = [(columns[top][:, group].sum(1), below[:, group].sum(1)) for group in groups]
        for g, (x, n) in enumerate(sums):
            squares = (columns[top][:, groups[g]] ** 2).sum()
            kept[g, m] = [
                *((n > 0).sum(), n.sum(), x.sum(), (x * x).sum(), (x * n).sum(), (n * n).sum()),
                *((x != 0).sum(), (x != scale * n).sum(), squares),
            ]
            peak = max(peak, abs(x).max(), n.max())
        both = [values for slot_sums in sums[SLOTS * SEATS : SLOTS * SEATS + SLOTS] for values in slot_sums]
        products[m] = [[(a * b).sum() for b in both] for a in both]
    return kept, products, peak


@pytest.mark.parametrize("blocks", [1, moments.BATCH - 1, moments.BATCH, 3 * moments.BATCH + 5])
@pytest.mark.parametrize("by", ["kernel", "exact"])
def test_sums(blocks: int, by: str) -> None:
    rows = rows_of(blocks)
    found, wanted = summed(rows, blocks, by), plainly(rows, blocks)
    assert (found[0] == wanted[0]).all()
    assert (found[1] == wanted[1]).all()
    assert by == "exact" or found[2] == wanted[2]


def test_nothing_is_left_of_the_blocks_before() -> None:
    """A call whose last batch is not full adds nothing of the batch before."""
    rows, blocks = rows_of(moments.BATCH + 1), moments.BATCH + 1
    cut = rows[:, : moments.BATCH * SEATINGS.size], rows[:, moments.BATCH * SEATINGS.size :]
    whole, first, last = summed(rows, blocks, ""), summed(cut[0], moments.BATCH, ""), summed(cut[1], 1, "")
    assert (whole[0] == first[0] + last[0]).all()
    assert (whole[1] == first[1] + last[1]).all()
