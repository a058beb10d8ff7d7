"""One variant of a game, measured: all stages of a balance report for one set of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.analysis.balance.budget import Budget
from sim.analysis.balance.kept import Arrays, kept, kept_selfplay
from sim.analysis.balance.match_ups import MatchUps, match_ups
from sim.analysis.balance.response import Response, best_response, objectives_of
from sim.analysis.balance.response import most_blocks as most_to_respond
from sim.analysis.balance.slopes import Slope, slopes
from sim.analysis.balance.slopes import most_blocks as most_of_slopes
from sim.analysis.balance.study import Study, study
from sim.analysis.components import Components, components, of_sums
from sim.analysis.decisions import Importance, importance
from sim.analysis.measures import Measure, of_series
from sim.analysis.progress import progress as shown_progress
from sim.analysis.samples import Series
from sim.analysis.selfplay import SelfPlay
from sim.analysis.trajectories import Course, Courses, courses
from sim.scenario import Scenario
from sim.stats import Estimate

#: is told of every stage that begins
Announce = Callable[[str], None]
Told = Callable[[int], None] | None
#: names of the stages of one variant, in order
STAGES = ("match-ups", "self-play", "winning chances", "decisions", "luck and skill", "best responses", "elasticities")


#: parts of a game, counted in its decisions
QUARTERS = ("first quarter", "second quarter", "third quarter", "last quarter")


@dataclass(frozen=True)
class Variant:
    """What was found under one set of rules. `measures` holds every number that has a definition, once."""

    name: str
    base: Scenario
    reference: str
    match_ups: MatchUps
    selfplay: dict[str, SelfPlay]
    courses: Courses
    importance: Importance
    components: dict[str, Components]
    responses: dict[str, Response]
    slopes: tuple[Slope, ...]
    study: Study | None
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class Player:
    """Plays the stages of a variant: how much, how, and where things are kept."""

    name: str
    base: Scenario
    names: tuple[str, ...]
    budget: Budget
    level: float
    threads: int | None
    cache: Path | None
    progress: bool
    announce: Announce

    def begins(self, stage: str) -> None:
        """Announces a stage."""
        self.announce(f"{self.name}: {stage}")

    @contextmanager
    def bar(self, amount: int) -> Iterator[Told]:
        with shown_progress(amount, self.progress) as told:
            yield told

    def alone(self, name: str) -> Scenario:
        """One strategy in all seats, under the line-up's own seating."""
        return self.base.model_copy(update={"strategies": (name,) * self.base.seats, "seatings": "fixed"})

    def match_ups(self) -> MatchUps:
        self.begins(STAGES[0])
        return match_ups(
            self.base, self.names, self.budget, level=self.level, threads=self.threads, cache=self.cache,
            progress=self.progress,
        )  # fmt: skip

    def selfplay(self) -> dict[str, SelfPlay]:
        self.begins(STAGES[1])
        games = self.budget.self_games
        with self.bar(games * len(self.names)) as told:
            return {
                name: kept_selfplay(self.cache, self.alone(name), games, threads=self.threads, progress=told)
                for name in self.names
            }

    def courses(self, reference: str) -> Courses:
        self.begins(STAGES[2])
        budget, scenario = self.budget, self.alone(reference)
        how = {"games": budget.courses, "rollouts": budget.rollouts, "moments": budget.moments}

        def make() -> Arrays:
            with self.bar(budget.courses) as told:
                return courses(
                    scenario, budget.courses, rollouts=budget.rollouts, moments=budget.moments, threads=self.threads,
                    progress=told,
                ).arrays()  # fmt: skip

        found = kept(self.cache, "courses", scenario, scenario.labels, how, make)
        return Courses.of_arrays(scenario, budget.rollouts, found)

    def importance(self, reference: str) -> Importance:
        self.begins(STAGES[3])
        budget, scenario = self.budget, self.alone(reference)
        how = {"games": budget.decisions, "rollouts": budget.tries, "when": True}

        def make() -> Arrays:
            with self.bar(budget.decisions) as told:
                return importance(
                    scenario, budget.decisions, rollouts=budget.tries, threads=self.threads, progress=told
                ).arrays()

        found = kept(self.cache, "decisions", scenario, scenario.labels, how, make)
        kinds = scenario.row.decisions
        return Importance(scenario, kinds, **found, rollouts=budget.tries)

    def components(self) -> dict[str, Components]:
        self.begins(STAGES[4])
        blocks, scenario = self.budget.luck_blocks, self.alone(self.names[0])

        def make() -> Arrays:
            with self.bar(blocks) as told:
                found = components(scenario, self.names, blocks, threads=self.threads, progress=told)
            return {metric: one.sums for metric, one in found.items()}

        return of_sums(scenario, self.names, kept(self.cache, "luck", scenario, self.names, {"blocks": blocks}, make))

    def responses(self, reference: str) -> dict[str, Response]:
        self.begins(STAGES[5])
        goals = objectives_of(self.base.row)
        most = most_to_respond(self.base.row, self.names, self.budget)
        with self.bar(len(goals) * most) as told:
            return {
                name: best_response(
                    self.base, self.names, reference, goal, self.budget, metric=metric, level=self.level,
                    threads=self.threads, cache=self.cache, told=told,
                )
                for (name, goal), metric in zip(goals.items(), ("exploit_wins", "exploit_points"), strict=True)
            }  # fmt: skip

    def slopes(self, reference: str) -> tuple[Slope, ...]:
        self.begins(STAGES[6])
        alone = self.alone(reference)
        with self.bar(most_of_slopes(alone, self.names, self.budget.slope_games)) as told:
            return tuple(
                slopes(
                    alone, self.names, reference, self.budget.slope_games, level=self.level,
                    draws=self.budget.draws, threads=self.threads, cache=self.cache, told=told,
                )
            )  # fmt: skip

    def study(self, rule: str, values: list[int], a: str, b: str) -> Study | None:
        self.begins(f"{rule} from {values[0]} to {values[-1]}")
        return study(
            self.base, rule, values, a, b, self.budget, level=self.level, threads=self.threads, cache=self.cache,
            progress=self.progress,
        )  # fmt: skip


def selfplay_measures(found: SelfPlay, label: str, level: float, draws: int) -> list[Measure]:
    """The measures of self-play, the strategy named in their subjects."""
    return [
        replace(one, subject=f"{label}, {one.subject}" if one.subject else label)
        for one in found.measures(level, draws)
    ]


def course_measures(found: Courses, label: str, level: float) -> list[Measure]:
    """Decisiveness, drama, uncertainty and calibration.

    Estimated chances make drama too large or too small, see `Course`; its interval reaches from the lower limit of the
    one to the upper limit of the other.
    """
    origin = (found.scenario.seed, 0, len(found.games))
    told = f"approximate: {found.rollouts} rollouts a moment"

    def made(metric: str, unit: str, number: Callable[[Course], float]) -> Measure:
        one = of_series(metric, label, unit, Series(*found.values(number)), level=level, origin=origin)
        return replace(one, value=_noted(one.value, told))

    least, most = (made("drama", "chance", number) for number in (Course.least_drama, Course.most_drama))
    drama = made("drama", "chance", Course.drama)
    if least.value.estimate is not None and most.value.estimate is not None:
        ends = f"{told}, between {least.value.estimate:.4f} and {most.value.estimate:.4f} on average"
        spread = replace(drama.value, low=least.value.low, high=most.value.high, note="")
        drama = replace(drama, value=_noted(spread, ends))
    return [
        _within(made("decisiveness", "share of the game", Course.decided)),
        _within(drama),
        _within(made("uncertainty", "share of the most", Course.uncertainty)),
        made("calibration", "share", Course.surprise),
    ]


def _noted(value: Estimate, note: str) -> Estimate:
    return replace(value, note="; ".join(part for part in (value.note, note) if part))


def _within(one: Measure) -> Measure:
    """An interval of something that lies in [0, 1], cut there."""
    low, high = one.value.low, one.value.high
    if low is None or high is None:
        return one
    return replace(one, value=replace(one.value, low=max(0.0, low), high=min(1.0, high)))


def decision_measures(found: Importance, label: str, level: float) -> list[Measure]:
    """By kind: the worth of an open decision, weighted by how many a game has, and how many there are; by quarter of
    the game the worth of those of all kinds.
    """
    origin = (found.scenario.seed, 0, len(found.open))
    unit = next(metric.unit for metric in found.scenario.row.metrics if metric.name == "score")

    def made(metric: str, kind: int, of: str, x: NDArray[Any], n: NDArray[np.int64]) -> Measure:
        return of_series(metric, found.kinds[kind], of, Series(x, n), level=level, origin=origin)

    measures = []
    for kind in range(len(found.kinds)):
        often = found.open[:, kind]
        measures += [
            made("decision_wins", kind, "share", found.wins[:, kind] * often, often),
            made("decision_points", kind, unit, found.points[:, kind] * often, often),
            made("open_decisions", kind, "decisions", often, np.ones_like(often)),
        ]
    for metric, values, of in (("part_wins", found.wins, "share"), ("part_points", found.points, unit)):
        for number, name in enumerate(QUARTERS):
            weights = found.part(number, len(QUARTERS))
            series = Series((values * weights).sum(axis=1), weights.sum(axis=1))
            measures.append(of_series(metric, name, of, series, level=level, origin=origin))
    return measures


def measured(
    player: Player, reference: str | None, fast: Sequence[str], studied: tuple[str, list[int]] | None
) -> Variant:
    """All stages of one variant. `reference` None: the strongest of `fast`; `studied`: the rule looked at in depth."""
    matched = player.match_ups()
    order = matched.order() or list(player.names)
    if reference is None:
        reference = next((label for label in order if label in fast), order[0])
    level, draws = player.level, player.budget.draws
    alone = player.selfplay()
    followed = player.courses(reference)
    decided = player.importance(reference)
    parts = player.components()
    responses = player.responses(reference)
    tilted = player.slopes(reference)
    found = None
    if studied is not None:
        row = player.base.row
        second = next((label for label in order if label != reference), reference)
        a, b = row.duel if row.duel and set(row.duel) <= set(player.names) else (second, reference)
        found = player.study(*studied, a, b)  # None if the rule has no effect
    measures = [
        *matched.measures,
        *(one for label, played in alone.items() for one in selfplay_measures(played, label, level, draws)),
        *course_measures(followed, reference, level),
        *(one for part in parts.values() for one in part.measures(level, draws)),
        *decision_measures(decided, reference, level),
        *(response.gain for response in responses.values()),
    ]
    return Variant(
        player.name, player.base, reference, matched, alone, followed, decided, parts, responses, tilted, found,
        tuple(measures),
    )  # fmt: skip
