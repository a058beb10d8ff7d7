"""Where the edge of A over B, as a function of a number, is zero: crossings and their confidence set.

Between two played values u < v the edge is taken for the mixture of both: (1 - w) edge(u) + w edge(v), w from 0 to 1;
that is the game whose rule is drawn by lot, and exact where a block's sums are linear in the rule. The confidence set
holds every mixture whose paired block test does not reject an edge of 0: on each cell [u, v] it is Fieller's set for
w = -edge(u) / (edge(v) - edge(u)), so that every value is tested once, at the stated level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.analysis.samples import Series, joint
from sim.stats import RARE, Estimate, FiellerSet, difference, fieller_set

#: |edge| in standard errors above which a value is settled before all blocks are played (one in 150 000 by chance)
SETTLED = 4.5

Piece = tuple[float, float]


@dataclass(frozen=True)
class Point:
    """A metric of both sides by block, at one value of the rule."""

    value: float
    a: Series
    b: Series

    def cut(self, blocks: int) -> Point:
        """Its first blocks."""
        a, b = (replace(one, x=one.x[:blocks], n=one.n[:blocks]) for one in (self.a, self.b))
        return Point(self.value, a, b)

    def edge(self, level: float = 0.95) -> Estimate:
        """A minus B, paired by block."""
        sums, pairs = joint([self.a, self.b])
        return difference(sums, pairs[0], pairs[1], level)

    def settled(self) -> int:
        """1 or -1 if the edge is beyond doubt above or below 0, else 0."""
        edge = self.edge()
        if edge.estimate is None or edge.se is None or edge.blocks < RARE:
            return 0
        return int(np.sign(edge.estimate)) if abs(edge.estimate) > SETTLED * edge.se else 0


def mixture(u: Point, v: Point, level: float = 0.95) -> FiellerSet:
    """Fieller's set of the weight w at which the mixture of two points has no edge."""
    blocks = min(len(u.a), len(v.a))
    sums, pairs = joint([one for point in (u.cut(blocks), v.cut(blocks)) for one in (point.a, point.b)])
    top, var_top, used = sums.contrast(pairs, [-1, 1, 0, 0])
    bottom, var_bottom, _ = sums.contrast(pairs, [-1, 1, 1, -1])
    var_both = sums.contrast(pairs, [-2, 2, 1, -1])[1]
    n = min(sums.count(pair) for pair in pairs)
    if top is None or bottom is None:
        return FiellerSet(None, note="no block: no estimate", n=n, blocks=used, level=level)
    if var_top is None or var_bottom is None or var_both is None:
        note = "one block: no interval"
        return FiellerSet(None, -1.0 if bottom == 0 else top / bottom, n=n, blocks=used, note=note, level=level)
    if used < RARE and min(var_top, var_bottom) <= 0:
        note = f"blocks that are all alike: no interval from fewer than {RARE}"
        return FiellerSet(None, None if bottom == 0 else top / bottom, n=n, blocks=used, note=note, level=level)
    covariance = (var_both - var_top - var_bottom) / 2
    return fieller_set(top, bottom, var_top, var_bottom, covariance, used - 1, level, n=n, blocks=used)


def open_cells(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """The cells of neighbours (in the order of their values) that may hold a zero."""
    signs = [point.settled() for point in points]
    return [(points[k], points[k + 1]) for k in range(len(points) - 1) if not (signs[k] and signs[k] == signs[k + 1])]


def is_linear(points: Sequence[Point]) -> bool:
    """Whether all sums of every block lie exactly on a line over the values: play does not look at the rule.

    Needs at least three points.
    """
    if len(points) < 3:
        return False
    low, high = points[0], points[-1]
    width = int(high.value - low.value)
    for point in points[1:-1]:
        right, left = int(point.value - low.value), int(high.value - point.value)
        for first, mine, last in ((low.a, point.a, high.a), (low.b, point.b, high.b)):
            if not ((mine.n == first.n).all() and (mine.n == last.n).all()):
                return False
            if not (mine.x * width == first.x * left + last.x * right).all():
                return False
    return True


@dataclass(frozen=True)
class Crossing:
    """Where A and B do equally well.

    answer     "at" a value; "none" in the range; "unbounded": the set reaches an end of the range (low or high is
               None there); "everywhere": A and B are the same; "undecided": too few blocks for a set
    estimate   the estimated crossing, of several the middle one, None without one
    pieces     the confidence set, in the range
    sides      the sign of the edge at both ends of the range
    """

    answer: str
    estimate: float | None
    low: float | None
    high: float | None
    pieces: tuple[Piece, ...]
    crossings: tuple[float, ...]
    sides: tuple[int, int]
    blocks: int
    note: str = ""


def solve(points: Sequence[Point], cells: Sequence[tuple[Point, Point]], level: float = 0.95) -> Crossing:
    """The crossing from all points, in the order of their values, and the cells among them that are still open."""
    edges = [point.edge(level).estimate for point in points]
    sides = tuple(int(np.sign(edge)) if edge is not None else 0 for edge in (edges[0], edges[-1]))
    crossings = _zeros(cells)
    estimate = crossings[len(crossings) // 2] if crossings else None
    blocks = min((len(one.a) for cell in cells for one in cell), default=max(len(point.a) for point in points))
    pieces: list[Piece] = []
    for u, v in cells:
        found = mixture(u, v, level)
        if found.shape is None:
            return Crossing("undecided", estimate, None, None, (), crossings, _pair(sides), blocks, found.note)
        width = v.value - u.value
        pieces += [(u.value + width * low, u.value + width * high) for low, high in found.within(0.0, 1.0)]
    pieces = _merged(pieces)
    notes = []
    if len(crossings) > 1:
        notes.append(f"the estimated edge is 0 at {len(crossings)} values: {', '.join(f'{x:.4g}' for x in crossings)}")
    if len(pieces) > 1:
        notes.append(f"the set has {len(pieces)} pieces")
    first, last = points[0].value, points[-1].value
    if not pieces:
        answer, low, high = "none", None, None
    elif pieces == [(first, last)] and all(edge == 0 for edge in edges):
        answer, low, high = "everywhere", first, last
    else:
        low = None if pieces[0][0] <= first else pieces[0][0]
        high = None if pieces[-1][1] >= last else pieces[-1][1]
        answer = "at" if low is not None and high is not None else "unbounded"
    return Crossing(answer, estimate, low, high, tuple(pieces), crossings, _pair(sides), blocks, "; ".join(notes))


def _pair(sides: tuple[int, ...]) -> tuple[int, int]:
    return sides[0], sides[1]


def _zeros(cells: Sequence[tuple[Point, Point]]) -> tuple[float, ...]:
    """The zeros of the estimated edge, linear on each cell; a cell without any edge counts as none."""
    found: list[float] = []
    for u, v in cells:
        blocks = min(len(u.a), len(v.a))
        left, right = u.cut(blocks).edge().estimate, v.cut(blocks).edge().estimate
        if left is None or right is None or left == right or left * right > 0:
            continue
        zero = u.value + (v.value - u.value) * left / (left - right)
        if not found or zero > found[-1]:
            found.append(zero)
    return tuple(found)


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Pieces in order, those that touch made one."""
    merged: list[Piece] = []
    for low, high in sorted(pieces):
        if merged and low <= merged[-1][1] + 1e-9 * max(1.0, abs(low)):
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged
