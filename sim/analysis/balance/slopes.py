"""Elasticity: what one unit of a numeric rule changes, as a central difference on common blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.analysis.balance.kept import kept_selfplay
from sim.analysis.grids import is_numeric
from sim.analysis.lineups import by_block
from sim.analysis.measures import Measure, missing, of_draws, of_series
from sim.analysis.samples import Series, sample
from sim.analysis.symmetric import Floats
from sim.errors import UsageError
from sim.scenario import Scenario, scenario


@dataclass(frozen=True)
class Slope:
    """How measures change per unit of a rule between two of its values.

    rule, low, high: the rule and the values that were compared; one of them is the value in force where it has no
    neighbour on one side (`one_sided`)
    """

    rule: str
    low: int
    high: int
    one_sided: bool
    measures: tuple[Measure, ...]


def slopes(
    base: Scenario,
    names: Sequence[str],
    reference: str,
    games: int,
    *,
    level: float,
    draws: int,
    threads: int | None,
    cache: Path | None,
    told: Callable[[int], None] | None,
) -> list[Slope]:
    """For every numeric rule but the number of players and mere limits: the measures of self-play of `reference`, and
    the edges of the other strategies over it at shared tables. Rules without any effect are left out.
    """
    found = []
    for rule, low, high in neighbours(base):
        sides = []
        for value in (low, high):
            one = with_rule(base, rule, value)
            sides.append(
                [
                    *kept_selfplay(cache, one, games, threads=threads, progress=told).measures(level, draws),
                    *_edges(one, names, reference, games, level, threads, cache, told),
                ]
            )
        here = base.rules[rule]
        measures = [_slope(b, a, high - low, level, (base.seed, 0, games)) for a, b in zip(*sides, strict=True)]
        if any(one.value.estimate for one in measures):
            found.append(Slope(rule, low, high, here in (low, high), tuple(measures)))
    return found


def most_blocks(base: Scenario, names: Sequence[str], games: int) -> int:
    """The blocks that `slopes` plays if nothing is kept."""
    return 2 * len(neighbours(base)) * (games + (len(names) - 1) * _edge_blocks(base, games))


def neighbours(base: Scenario) -> list[tuple[str, int, int]]:
    """(rule, value below, value above) of every numeric rule that has neighbours which can be played."""
    found = []
    for option in base.row.module("rules").OPTIONS:
        here = base.rules[option.name]
        if option.name == "players" or option.name.startswith("max_") or not is_numeric(option):
            continue
        if isinstance(here, bool) or not isinstance(here, int):
            continue
        values = getattr(option, "values", None)
        near = (here - 1, here + 1)
        if values is not None:
            below, above = [v for v in sorted(values) if v < here], [v for v in sorted(values) if v > here]
            near = (below[-1] if below else here, above[0] if above else here)
        low, high = (value if allowed(base, option.name, value) else here for value in near)
        if low < high:
            found.append((option.name, low, high))
    return found


def with_rule(base: Scenario, rule: str, value: int) -> Scenario:
    """The scenario under another value of a rule. Raises `UsageError` if that cannot be played."""
    return scenario(
        game=base.game,
        rules={**base.rules, rule: value},
        strategies=base.strategies,
        blocks=base.blocks,
        seed=base.seed,
        seatings=base.seatings,
    )


def allowed(base: Scenario, rule: str, value: int) -> bool:
    """Whether a value of a rule can be played under the other rules."""
    try:
        with_rule(base, rule, value)
    except UsageError:
        return False
    return True


def _edge_blocks(base: Scenario, games: int) -> int:
    return max(200, games // base.seats)


def _edges(
    base: Scenario,
    names: Sequence[str],
    reference: str,
    games: int,
    level: float,
    threads: int | None,
    cache: Path | None,
    told: Callable[[int], None] | None,
) -> list[Measure]:
    """The edge in win share of the other strategies over the reference, each alone at a table of it."""
    measures = []
    blocks = _edge_blocks(base, games)
    for name in names:
        if name == reference:
            continue
        table = base.model_copy(update={"strategies": (name, *(reference,) * (base.seats - 1)), "seatings": "orbit"})
        played = sample(table, blocks, threads=threads, cache=cache, progress=told)
        a, b = (_linear(played.series("win_share", slot)) for slot in (played.slot(name), played.slot(reference)))
        series = Series(a - b, np.ones(blocks, np.int64))
        measures.append(of_series("edge", f"{name} v {reference}", "share", series, level=level))
    return measures


def _slope(high: Measure, low: Measure, distance: int, level: float, origin: tuple[int, int, int]) -> Measure:
    """(high - low) / distance, paired by block."""
    name, subject, unit = high.metric, high.subject, high.unit
    for one in (high, low):
        if one.value.estimate is None:
            return missing(name, subject, unit, one.value.note, level)
    if high.series is not None and low.series is not None:
        gap = (_linear(high.series) - _linear(low.series)) / distance
        return of_series(name, subject, unit, Series(gap, np.ones(len(gap), np.int64)), level=level)
    if high.draws is None or low.draws is None:
        return missing(name, subject, unit, "nothing pairs the two sides", level)
    assert high.value.estimate is not None
    assert low.value.estimate is not None
    point = (high.value.estimate - low.value.estimate) / distance
    draws = (high.draws - low.draws) / distance
    return of_draws(name, subject, unit, point, draws, n=high.value.n, blocks=high.value.blocks, level=level)


def _linear(series: Series) -> Floats:
    """Values by block whose mean is the ratio of the sums, and whose variance is that of the ratio."""
    return by_block(series.x[:, None] / series.scale, series.n[:, None].astype(np.float64))[:, 0]
