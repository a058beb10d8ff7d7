"""Exploitability: what the best response found within the ladder and its parameters gains against a field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sim.analysis.balance.budget import Budget
from sim.analysis.balance.kept import Arrays, kept
from sim.analysis.balance.match_ups import unit_of
from sim.analysis.lineups import by_block
from sim.analysis.measures import Measure, missing, of_series
from sim.analysis.objectives import Objective, objective
from sim.analysis.samples import Sample, Series, sample
from sim.analysis.search import Axis, least_budget
from sim.analysis.symmetric import Floats
from sim.analysis.tune import SEARCH_FIRST, axes_of, searched, spec_of
from sim.games import Game
from sim.scenario import Scenario
from sim.strategies import Player, parse

#: blocks on which the response is chosen among the candidates, and those on which it is then measured
CHOICE_FIRST, FRESH_FIRST = SEARCH_FIRST + 2**36, 2**37


@dataclass(frozen=True)
class Candidate:
    """An answer that was tried: its mean on the blocks of the choice, and its gain there over the field's own strategy,
    paired by block and signed so that more is better.
    """

    spec: str
    mean: float
    gain: Measure


@dataclass(frozen=True)
class Response:
    """The best response found.

    spec         of all strategies but the field's own the one that answers best on the blocks of the choice
    candidates   what was tried, the field's own first, tuned members of families included
    gain         its mean less that of the field's own strategy in the same seat, on fresh blocks, signed so that more
                 is better; without an estimate where there is nothing else to try
    """

    spec: str
    candidates: tuple[Candidate, ...]
    gain: Measure


def best_response(
    base: Scenario,
    names: Sequence[str],
    field: str,
    goal: Objective,
    budget: Budget,
    *,
    metric: str,
    level: float,
    threads: int | None,
    cache: Path | None,
    told: Callable[[int], None] | None,
) -> Response:
    """Tunes every family among `names` against `field` in the other seats; the best of all on fresh blocks."""
    row = base.row
    tuned = _tuned(base, names, field, goal, budget, threads, cache, told)
    candidates = list(dict.fromkeys([field, *names, *tuned]))
    others = (field,) * (base.seats - 1)

    def table(name: str, blocks: int, first: int, kept: Path | None) -> Sample:
        one = base.model_copy(update={"strategies": (name, *others), "seatings": "orbit"})
        return sample(one, blocks, first=first, threads=threads, cache=kept, progress=told)

    def gain_of(spec: str, after: Sample, before: Sample, first: int, blocks: int) -> Measure:
        gaps = goal.sign * (_by_block(after, goal) - _by_block(before, goal))
        series = Series(gaps, np.ones(len(gaps), np.int64))
        one = of_series(metric, spec, unit_of(goal), series, level=level, origin=(base.seed, first, blocks))
        return replace(one, value=replace(one.value, n=int(after.series(goal.metric.name, 0).n.sum())))

    few = budget.response_blocks // 2
    played = {name: table(name, few, CHOICE_FIRST, cache) for name in candidates}
    values = tuple(
        Candidate(name, float(_by_block(one, goal).mean()), gain_of(name, one, played[field], CHOICE_FIRST, few))
        for name, one in played.items()
    )
    own = parse(row, field)
    tried = [one for one in values if not same(parse(row, one.spec), own)]
    if not tried:
        return Response(field, values, missing(metric, field, unit_of(goal), "nothing else was tried", level))
    best = max(tried, key=lambda one: goal.sign * one.mean).spec
    after, before = (table(name, budget.response_blocks, FRESH_FIRST, cache) for name in (best, field))
    gain = gain_of(best, after, before, FRESH_FIRST, budget.response_blocks)
    return Response(best, values, replace(gain, subject=field))


def most_blocks(game: Game, names: Sequence[str], budget: Budget) -> int:
    """The most blocks that `best_response` plays for one objective."""
    budgets = [spent for *_, spent in _searches(game, names, budget)]
    choice = (len(names) + len(budgets)) * (budget.response_blocks // 2)
    return sum(budgets) + choice + 2 * budget.response_blocks


def same(one: Player, other: Player) -> bool:
    """Whether two texts name the same strategy with the same parameters."""
    key = [(player.codes, player.params, player.digest) for player in (one, other)]
    return one.label == other.label or (one.function is None and key[0] == key[1])


def families(game: Game, names: Sequence[str]) -> list[str]:
    """Those of the strategies that have parameters to tune; of composite ones only those that are one family."""
    return [name for name in names if parse(game, name).tunable]


def _searches(game: Game, names: Sequence[str], budget: Budget) -> list[tuple[str, list[Axis], int]]:
    """The families to be tuned: name, parameters, candidates times blocks."""
    found = []
    for name in families(game, names):
        axes = axes_of(game, name, None)
        found.append((name, axes, max(budget.search_blocks, least_budget(axes))))
    return found


def _tuned(
    base: Scenario,
    names: Sequence[str],
    field: str,
    goal: Objective,
    budget: Budget,
    threads: int | None,
    cache: Path | None,
    told: Callable[[int], None] | None,
) -> list[str]:
    """The best of each family, kept."""
    orbit, others = base.model_copy(update={"seatings": "orbit"}), (field,) * (base.seats - 1)

    def make() -> Arrays:
        specs = []
        for name, axes, spent in _searches(base.row, names, budget):
            found = searched(orbit, name, others, axes, goal, spent, threads=threads, progress=told)
            specs.append(spec_of(base.row, name, axes, found.best))
        return {"tuned": np.array(specs, np.str_)}

    how = {"field": field, "objective": goal.name, "blocks": budget.search_blocks}
    specs: list[str] = kept(cache, "tuned", orbit, tuple(names), how, make)["tuned"].tolist()
    return specs


def _by_block(played: Sample, goal: Objective) -> Floats:
    series = played.series(goal.metric.name, 0)
    return by_block(series.x[:, None] / series.scale, series.n[:, None].astype(np.float64))[:, 0]


def objectives_of(game: Game) -> dict[str, Objective]:
    """What a response is sought for: games won and points."""
    return {name: objective(game, name) for name in ("games", "points")}
