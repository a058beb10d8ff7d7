"""`sim.tune`: the best response to a field within a family of strategies, and what it gains on fresh blocks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis.blocks import Progress
from sim.analysis.lineups import base_scenario, by_block, names_of
from sim.analysis.objectives import Objective
from sim.analysis.objectives import objective as objective_of
from sim.analysis.progress import progress as shown_progress
from sim.analysis.samples import CACHE, Sample, sample
from sim.analysis.search import Axis, Found, Generation, Point, least_budget, search
from sim.analysis.sides import Contrast, line_up, seats_of
from sim.analysis.symmetric import Floats
from sim.analysis.tournament import check_numbers
from sim.errors import UsageError
from sim.games import Game, find_game
from sim.scenario import MOST_BLOCKS, Scenario
from sim.stats import Estimate, Verdict, verdict
from sim.strategies import parse, with_values

#: the blocks of the search: far from those of reports and of everything else that is ever looked at
SEARCH_FIRST = 2**38
#: default budget of the search, in blocks of the report
SEARCH_TIMES = 40

Bounds = Mapping[str, tuple[float, float] | None]


@dataclass
class Tuned:
    """What `tune` finds.

    spec        the tuned strategy, to be pasted; start: what it was tuned from, spelt in full
    parameters  one row per tuned parameter: parameter, start, tuned, low, high, meaning
    gain        mean of the objective with `spec` minus that with `start` in the same seat of the same field, paired
                on fresh blocks, signed so that more is better; `verdict` on it
    before, after   the two means
    steps       one row per generation: generation, spent (candidates times blocks), blocks, sigma, best, centre
    searched    candidates times blocks of the search
    """

    scenario: Scenario
    objective: Objective
    field: tuple[str, ...]
    spec: str
    start: str
    parameters: pd.DataFrame
    gain: Estimate
    verdict: Verdict
    before: float | None
    after: float | None
    steps: pd.DataFrame
    searched: int
    blocks: int
    epsilon: float
    level: float


def tune(
    game: str,
    strategy: str,
    *,
    field: str | Sequence[str] | None = None,
    parameters: Sequence[str] | Bounds | None = None,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    blocks: int | None = None,
    games: int | None = None,
    search_blocks: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    objective: str = "games",
    epsilon: float | None = None,
    level: float = 0.95,
    threads: int | None = None,
    cache: str | Path | None = CACHE,
    progress: bool = False,
) -> Tuned:
    """Tunes the parameters of a strategy in one seat against `field` in the others, from the values in its text.

    field          one name for all other seats, or one for each; default: the strategy as it is given, so that the
                   gain says how much it can be exploited within its own family
    parameters     which ones, or a mapping to (low, high), None for their own limits; default: all
    search_blocks  budget of the search: candidates times blocks (default: 40 times `blocks`)
    blocks         fresh blocks of the report, on which nothing was chosen
    Raises `UsageError` naming the key.
    """
    row = find_game(game)
    name = names_of(row, [strategy] if isinstance(strategy, str) else strategy, "strategy")[0]
    goal = objective_of(row, objective)
    bound = goal.epsilon if epsilon is None else epsilon
    check_numbers(level=level, epsilon=bound)
    axes = axes_of(row, name, parameters)
    start = spec_of(row, name, axes, tuple(axis.inside(axis.start) for axis in axes))
    seats = seats_of(game, players, dict(rules or {}))
    others = tuple(names_of(row, line_up([name], name if field is None else field, seats)[1:], "field"))
    base = base_scenario(
        row, start, blocks=blocks, games=games, players=players, rules=dict(rules or {}), seed=seed, seatings=seatings
    )
    budget = SEARCH_TIMES * base.blocks if search_blocks is None else search_blocks
    least = least_budget(axes)
    if search_blocks is None:
        budget = max(budget, 4 * least)
    elif isinstance(budget, bool) or not isinstance(budget, int) or not least <= budget <= MOST_BLOCKS:
        raise UsageError(f"search_blocks: {budget} is not allowed; allowed: an integer from {least} to {MOST_BLOCKS}")
    home = Path(cache) if cache is not None else None

    def table(spec: str) -> Scenario:
        return base.model_copy(update={"strategies": (spec, *others)})

    with shown_progress(budget + 2 * base.blocks, progress) as told:
        found = searched(base, name, others, axes, goal, budget, threads=threads, progress=told)
        spec = spec_of(row, name, axes, found.best)
        after, before = (
            sample(table(one), base.blocks, threads=threads, cache=home, progress=told) for one in (spec, start)
        )
    contrast = Contrast.between(after, before, goal.metric.name, (0, 0))
    if goal.sign < 0:
        contrast = Contrast.between(before, after, goal.metric.name, (0, 0))
    gain = contrast.difference(level)
    means = contrast.means()[:: goal.sign]
    return Tuned(
        table(spec),
        goal,
        others,
        spec,
        start,
        _parameters(row, name, axes, found.best),
        gain,
        verdict(gain, bound, 1 - level),
        means[1],
        means[0],
        _steps(axes, found.steps),
        found.spent,
        base.blocks,
        bound,
        level,
    )


def searched(
    base: Scenario,
    name: str,
    others: Sequence[str],
    axes: Sequence[Axis],
    goal: Objective,
    budget: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Found:
    """Searches for the parameters of the strategy `name` that answer `others` in the other seats best.

    `budget`: candidates times blocks, at least `least_budget(axes)`. `progress(blocks)` is told of blocks as they come.
    """

    def play(points: Sequence[Point], first: int, count: int) -> Floats:
        found = []
        for point in points:
            here = base.model_copy(update={"strategies": (spec_of(base.row, name, axes, point), *others)})
            played = sample(here, count, first=first, threads=threads, cache=None, progress=progress)
            found.append(goal.sign * _values(played, goal))
        return np.array(found)

    return search(axes, play, budget, np.random.default_rng(base.seed), SEARCH_FIRST)


def axes_of(game: Game, name: str, wanted: Sequence[str] | Bounds | None) -> list[Axis]:
    """The parameters to tune with their limits. Raises `UsageError` for one that there is not, or bad limits."""
    tunable = {parameter.name: (parameter, value) for parameter, value in parse(game, name).tunable}
    if not tunable:
        raise UsageError(f"strategy {name} has no parameters, so there is nothing to tune")
    if isinstance(wanted, str):
        wanted = [part.strip() for part in wanted.split(",")]
    bounds = dict(wanted) if isinstance(wanted, Mapping) else dict.fromkeys(wanted or tunable)
    axes = []
    for key, limits in (bounds or dict.fromkeys(tunable)).items():
        if key not in tunable:
            raise UsageError(f"parameters: {name} has no {key}; parameters: {', '.join(tunable)}")
        parameter, value = tunable[key]
        low, high = limits if limits is not None else (parameter.low, parameter.high)
        if not (parameter.low <= low < high <= parameter.high):
            raise UsageError(
                f"parameters: {key}={low:g}:{high:g} is not allowed; "
                f"allowed: LOW:HIGH with LOW < HIGH within {parameter.low:g} to {parameter.high:g}"
            )
        if not math.isfinite(value):
            raise UsageError(f"strategy {name}: {key}={value:g} is not allowed where it is to be tuned")
        axes.append(Axis(key, min(max(value, low), high), low, high))
    return axes


def spec_of(game: Game, name: str, axes: Sequence[Axis], point: Point) -> str:
    """The strategy's text with every tuned parameter spelt out, so that it is never taken for one of the field."""
    values = {axis.name: value for axis, value in zip(axes, point, strict=True)}
    return parse(game, with_values(name, values)).label


def _values(played: Sample, goal: Objective) -> Floats:
    """The objective of the tuned seat by block."""
    series = played.series(goal.metric.name, 0)
    tops = series.x[:, None] / series.scale
    return by_block(tops, series.n[:, None].astype(np.float64))[:, 0]


def _parameters(game: Game, name: str, axes: Sequence[Axis], best: Point) -> pd.DataFrame:
    meanings = {parameter.name: parameter.meaning for parameter, _ in parse(game, name).tunable}
    rows = [
        {
            "parameter": axis.name,
            "start": axis.inside(axis.start),
            "tuned": value,
            "low": axis.low if math.isfinite(axis.low) else None,
            "high": axis.high if math.isfinite(axis.high) else None,
            "meaning": meanings[axis.name],
        }
        for axis, value in zip(axes, best, strict=True)
    ]
    return pd.DataFrame(rows, dtype=object)


def _steps(axes: Sequence[Axis], steps: Sequence[Generation]) -> pd.DataFrame:
    def text(point: Point) -> str:
        return ";".join(f"{axis.name}={value:g}" for axis, value in zip(axes, point, strict=True))

    rows = [
        {
            "generation": step.number,
            "spent": step.spent,
            "blocks": step.blocks,
            "sigma": step.sigma,
            "best": text(step.best),
            "centre": text(step.centre),
        }
        for step in steps
    ]
    return pd.DataFrame(rows, columns=["generation", "spent", "blocks", "sigma", "best", "centre"], dtype=object)
