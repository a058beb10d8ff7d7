"""Noisy optimisation of a few numbers: CMA-ES whose candidates race each other on common blocks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special  # type: ignore[import-untyped,unused-ignore]

from sim.analysis.symmetric import Floats

Point = tuple[float, ...]
#: (points, first block, number of blocks) -> values (points, blocks); the larger the better
Play = Callable[[Sequence[Point], int, int], Floats]

#: part of the budget that is kept for the choice among the finalists, and how many of them there are at most
FINAL_SHARE, FINALISTS = 0.3, 8
#: a race's laps as parts of its blocks; a candidate drops out when this sure to be behind the last that counts
LAPS, SURE = (0.25, 0.25, 0.5), 0.99
LEAST_BLOCKS = 16
#: from this ratio of the limits on (both above 0) a parameter is searched on a logarithmic scale
LOG_RATIO = 100.0


@dataclass(frozen=True)
class Axis:
    """A parameter: where its search begins and its limits (infinite: none)."""

    name: str
    start: float
    low: float
    high: float

    @property
    def logarithmic(self) -> bool:
        return self.low > 0 and math.isfinite(self.high) and self.high / self.low >= LOG_RATIO

    @property
    def unit(self) -> float:
        """What one unit of the search's own coordinate is: about the range worth looking at."""
        if self.logarithmic:
            return min(math.log(self.high / self.low), math.log(LOG_RATIO))
        near = max(4 * abs(self.start), 1.0)
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            return near
        width = self.high - self.low
        return min(width, max(near, width / 4)) if width > 0 else 1.0

    def inside(self, value: float) -> float:
        """The value as it is played: four significant digits, within the limits."""
        return min(max(float(f"{value:.4g}"), self.low), self.high)

    def value(self, x: float) -> float:
        """The parameter at a coordinate."""
        if self.logarithmic:
            return self.inside(self.start * math.exp(min(max(x * self.unit, -700.0), 700.0)))
        return self.inside(self.start + x * self.unit)

    def limits(self) -> tuple[float | None, float | None]:
        """The limits as coordinates; None where there is none."""
        found: list[float | None] = []
        for limit in (self.low, self.high):
            if not math.isfinite(limit):
                found.append(None)
            elif self.logarithmic:
                found.append(math.log(limit / self.start) / self.unit)
            else:
                found.append((limit - self.start) / self.unit)
        return found[0], found[1]


@dataclass(frozen=True)
class Generation:
    """A step of the search: blocks played by then, per candidate in this step; best point, centre, step size."""

    number: int
    spent: int
    blocks: int
    best: Point
    centre: Point
    sigma: float


@dataclass(frozen=True)
class Found:
    """The best point, the steps that led to it, blocks played in all (candidates times blocks), finalists."""

    best: Point
    steps: tuple[Generation, ...]
    spent: int
    finalists: tuple[Point, ...]


def population_size(axes: Sequence[Axis]) -> int:
    """Candidates of a generation (Hansen, The CMA evolution strategy: a tutorial, 2016), at least 8: noise."""
    return max(8, 4 + int(3 * math.log(max(1, len(axes)))))


def least_budget(axes: Sequence[Axis]) -> int:
    """The smallest budget that makes any sense: four generations of small races."""
    return int(4 * population_size(axes) * LEAST_BLOCKS / (1 - FINAL_SHARE)) + 1


def search(axes: Sequence[Axis], play: Play, budget: int, rng: np.random.Generator, first: int = 0) -> Found:
    """Looks for the point with the largest mean value, playing at most `budget` candidates times blocks.

    Generations of CMA-ES (the `cma` package) race on common blocks, each generation on blocks of its own, from
    `first` on; when the candidates differ by less than their noise, later ones get more blocks. The centres of the
    last generations, their best and the start then meet on further blocks, halving their number each time.
    """
    if budget < least_budget(axes):
        raise ValueError(f"the budget must be at least {least_budget(axes)}")
    table = _Table(play, first)
    size = population_size(axes)
    strategy = _cma(axes, size, rng)
    until = int(budget * (1 - FINAL_SHARE))
    blocks = max(LEAST_BLOCKS, until // (40 * size))
    steps: list[Generation] = []
    start = tuple(axis.inside(axis.start) for axis in axes)
    while not strategy.stop() and until - table.spent >= size * LEAST_BLOCKS:
        blocks = min(blocks, (until - table.spent) // size)
        asked = strategy.ask()
        points = [_point(axes, x) for x in asked]
        order, noisy = race(table, list(dict.fromkeys(points)), keep=size // 2, blocks=blocks)
        strategy.tell(asked, [float(order.index(point)) for point in points])
        centre = _point(axes, strategy.result.xfavorite)
        steps.append(Generation(len(steps) + 1, table.spent, blocks, order[0], centre, float(strategy.sigma)))
        if noisy:
            blocks = int(blocks * 1.5) + 1
    late = steps[len(steps) // 2 :]
    named = [start, *(step.centre for step in reversed(late)), *(step.best for step in reversed(late))]
    finalists = list(dict.fromkeys(named))
    if len(finalists) > FINALISTS:  # the start, the last centres and the last best ones, spread over the later half
        centres = list(dict.fromkeys(step.centre for step in reversed(late)))[: FINALISTS - 3]
        finalists = list(dict.fromkeys([start, *centres, *(step.best for step in reversed(late))]))[:FINALISTS]
    best = _final(table, finalists, budget - table.spent)
    return Found(best, tuple(steps), table.spent, tuple(finalists))


class _Table:
    """Where candidates are played: hands out fresh blocks and counts them."""

    def __init__(self, play: Play, first: int) -> None:
        self.play, self.position, self.spent = play, first, 0

    def __call__(self, points: Sequence[Point], blocks: int) -> Floats:
        values = self.play(points, self.position, blocks)
        self.position += blocks
        self.spent += blocks * len(points)
        return values


def race(table: Callable[[Sequence[Point], int], Floats], points: list[Point], keep: int, blocks: int) -> tuple[
    list[Point], bool
]:  # fmt: skip
    """Points from best to worst after at most `blocks` common blocks, and whether noise hides their differences.

    After each lap the candidates that are surely (one-sided paired test) behind the `keep`-th best drop out, so
    that the blocks go to those whose order matters.
    """
    alive, values, out = list(points), np.empty((len(points), 0)), list[Point]()
    ends = [round(blocks * sum(LAPS[: i + 1])) for i in range(len(LAPS))]
    done = 0
    for end in ends:
        if end > done:
            values = np.hstack([values, table(alive, end - done)])
            done = end
        means = values.mean(axis=1)
        order = np.argsort(-means, kind="stable")
        if end == ends[-1] or len(alive) <= keep:
            continue
        line = values[order[keep - 1]]
        behind = [i for i in order[keep:] if _surely_behind(values[i], line)]
        out = [alive[i] for i in behind] + out
        alive, values = [p for i, p in enumerate(alive) if i not in behind], np.delete(values, behind, axis=0)
    means = values.mean(axis=1)
    order = np.argsort(-means, kind="stable")
    middle = values[order[len(order) // 2]]
    gap = values[order[0]] - middle
    error = float(gap.std(ddof=1)) / math.sqrt(done) if done > 1 else math.inf
    noisy = not out and float(gap.mean()) < 2 * error
    return [alive[i] for i in order] + out, noisy


def _surely_behind(values: Floats, line: Floats) -> bool:
    gap = line - values
    if gap.size < 8:
        return False
    error = float(gap.std(ddof=1)) / math.sqrt(gap.size)
    return float(gap.mean()) > error * float(special.stdtrit(gap.size - 1, SURE))


def _final(table: _Table, points: list[Point], budget: int) -> Point:
    """The best of the finalists: each round plays further blocks and keeps the better half, by all blocks so far."""
    rounds = max(1, math.ceil(math.log2(max(2, len(points)))))
    values = np.empty((len(points), 0))
    for left in range(rounds, 0, -1):
        blocks = max(1, budget // left // len(points))
        budget -= blocks * len(points)
        values = np.hstack([values, table(points, blocks)])
        order = np.argsort(-values.mean(axis=1), kind="stable")
        kept = sorted(order[: max(1, (len(points) + 1) // 2)]) if left > 1 else [order[0]]
        points, values = [points[i] for i in kept], values[kept]
    return points[0]


def _point(axes: Sequence[Axis], x: Sequence[float]) -> Point:
    return tuple(axis.value(float(value)) for axis, value in zip(axes, x, strict=False))


def _cma(axes: Sequence[Axis], size: int, rng: np.random.Generator) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses matplotlib, which nothing here needs
        import cma
    limits = [axis.limits() for axis in axes]
    if len(axes) == 1:
        limits.append((-1.0, 1.0))  # a coordinate of no effect: the package is not made for one dimension
    start = [0.0] * len(limits)
    for i, (low, high) in enumerate(limits):
        width = 1.0 if low is None or high is None else high - low
        start[i] = max(start[i], -math.inf if low is None else low + 0.02 * width)
        start[i] = min(start[i], math.inf if high is None else high - 0.02 * width)
    options = {
        "bounds": [[low for low, _ in limits], [high for _, high in limits]],
        "popsize": size,
        "verbose": -9,
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": math.nan,  # the generator above is seeded; the package must not touch numpy's global one
        "tolx": 1e-4,
        "tolfun": 0,
        "tolfunhist": 0,
        "tolstagnation": math.inf,
        "tolflatfitness": math.inf,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cma.CMAEvolutionStrategy(start, 0.25, options)
