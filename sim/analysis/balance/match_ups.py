"""The ladder against itself: every multiset of strategies on common blocks, ranked, and solved as a game of choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.analysis import metagame as choices
from sim.analysis import tournament as ranking
from sim.analysis.balance.budget import Budget
from sim.analysis.lineups import Played, members, play_all
from sim.analysis.measures import Measure, of_series
from sim.analysis.metagame import Metagame
from sim.analysis.objectives import Objective, objective
from sim.analysis.samples import Series
from sim.analysis.symmetric import Floats, multisets
from sim.analysis.tournament import Tournament
from sim.scenario import Scenario, slots_of
from sim.seatings import seatings
from sim.stats import Estimate


@dataclass(frozen=True)
class MatchUps:
    """By games won and by points: who is stronger; and what players would choose if they chose among the ladder, to
    the end that the game's row names. None for a ladder of one.
    """

    games: Tournament | None
    points: Tournament | None
    metagame: Metagame | None
    blocks: int
    measures: tuple[Measure, ...]

    def order(self) -> list[str]:
        """The strategies from strong to weak, by what the game's players play for."""
        found = self.games if self.metagame is None or self.metagame.objective.name == "games" else self.points
        return list(dict.fromkeys(found.ranking["strategy"])) if found is not None else []


def match_ups(
    base: Scenario,
    names: Sequence[str],
    budget: Budget,
    *,
    level: float,
    threads: int | None,
    cache: Path | None,
    progress: bool,
) -> MatchUps:
    """Plays every multiset of the strategies in all its arrangements, and what follows from it."""
    if len(names) < 2:
        return MatchUps(None, None, None, 0, ())
    wins, points = objective(base.row, "games"), objective(base.row, "points")
    sets = multisets(len(names), base.seats)
    every = (base.model_copy(update={"strategies": members(names, counts)}) for counts in sets)
    blocks = budget.line_ups(sum(len(seatings(slots_of(one.strategies), one.seatings)[0]) for one in every))
    played = play_all(
        base, names, sets, [points.metric, wins.metric], blocks, threads=threads,
        cache=cache, progress=progress,
    )  # fmt: skip
    mixed = [k for k, counts in enumerate(played.line_ups) if sum(count > 0 for count in counts) > 1]
    by_games = _ranked(_part(played, mixed, (1,)), wins, "plackett-luce", level, budget.draws)
    by_points = _ranked(_part(played, mixed, (0, 1)), points, "edge", level, budget.draws)
    everyone = list(range(len(played.line_ups)))
    goal = objective(base.row, base.row.objective)
    own = _part(played, everyone, (1,) if goal.name == "games" else (0,))
    chosen = choices.evaluate(own, goal, level=level, draws=budget.draws)
    origin = (base.seed, 0, blocks)
    measures = [
        *_leads(by_games, "", level, origin),
        *_leads(by_points, "_points", level, origin),
        *_strengths(by_games, origin),
        *_choices(chosen, origin),
    ]
    return MatchUps(by_games, by_points, chosen, blocks, tuple(measures))


def unit_of(goal: Objective) -> str:
    """The unit of what is played for, told from that of a whole game."""
    return f"{goal.metric.unit} a round" if goal.metric.bottom == "rounds" else goal.metric.unit


def _ranked(played: Played, goal: Objective, by: str, level: float, draws: int) -> Tournament:
    return ranking.evaluate(played, len(played.labels), goal, by, epsilon=goal.epsilon, level=level, draws=draws)


def _part(played: Played, line_ups: Sequence[int], metrics: Sequence[int]) -> Played:
    """Some of the line-ups and of the metrics."""
    keep = list(metrics)
    return replace(
        played,
        metrics=tuple(played.metrics[m] for m in keep),
        line_ups=tuple(played.line_ups[k] for k in line_ups),
        values=tuple({name: values[:, keep] for name, values in played.values[k].items()} for k in line_ups),
        batches=played.batches[:, list(line_ups)][:, :, :, keep],
    )


def _leads(found: Tournament, ending: str, level: float, origin: tuple[int, int, int]) -> list[Measure]:
    unit = unit_of(found.objective)

    def made(metric: str, subject: str, values: Floats, n: int) -> Measure:
        series = Series(values, np.ones(len(values), np.int64))
        one = of_series(metric + ending, subject, unit, series, level=level, origin=origin)
        return replace(one, value=replace(one.value, n=n))

    counted = {row["strategy"]: row["n"] for row in found.ranking.to_dict("records") if row["metric"] == "lead"}
    met = {(row["a"], row["b"]): row["n"] for row in found.pairs.to_dict("records")}

    order = list(dict.fromkeys(found.ranking["strategy"]))
    edges = []
    for (i, j), values in found.gaps.items():  # the later in the ladder first, whoever is stronger in this variant
        a, b = found.labels[i], found.labels[j]
        edges.append(made("edge", f"{b} v {a}", -values, met[a, b]))
    return [*(made("lead", label, found.leads[label], counted[label]) for label in order), *reversed(edges)]


def _strengths(found: Tournament, origin: tuple[int, int, int]) -> list[Measure]:
    labels, draws = found.labels, found.resamples
    measures = []
    for row in found.ranking.to_dict("records"):
        if row["metric"] == "strength":
            k = labels.index(row["strategy"])
            value = _estimate(row, found.level)
            taken = draws[:, len(labels) + k] if draws is not None else None
            measures.append(Measure("strength", row["strategy"], "share", value, draws=taken, origin=origin))
    taken = draws[:, -1] if draws is not None else None
    measures.append(Measure("rungs", "", "rungs", found.rungs, draws=taken, origin=origin))
    return measures


def _choices(found: Metagame, origin: tuple[int, int, int]) -> list[Measure]:
    labels, draws = found.labels, found.resamples
    measures = []
    for place, kind in ((0, "equilibrium"), (2, "alpharank")):
        for k, label in enumerate(labels):
            row = found.frame[(found.frame["strategy"] == label) & (found.frame["metric"] == kind)].iloc[0]
            taken = draws[:, place * len(labels) + k] if draws is not None else None
            value = _estimate(row.to_dict(), found.level)
            measures.append(Measure(kind, label, "share", value, draws=taken, origin=origin))
    for column, kind in ((-3, "equilibrium"), (-2, "alpharank")):
        taken = draws[:, column] if draws is not None else None
        measures.append(Measure("viable", kind, "strategies", found.effective[kind], draws=taken, origin=origin))
    return measures


def _estimate(row: Mapping[Any, Any], level: float) -> Estimate:
    """The estimate in a row of a table."""
    return Estimate(**{key: row[key] for key in ranking.ESTIMATE}, level=level)
