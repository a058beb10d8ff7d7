"""`sim.breakeven`: the value of a numeric rule at which A and B do equally well, for each thing one may play for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis.crossing import Crossing, Point, is_linear, mixture, open_cells, solve
from sim.analysis.grids import number_range, option_of
from sim.analysis.progress import progress as shown_progress
from sim.analysis.samples import CACHE, Series, sample
from sim.analysis.sides import Field, check_versus, in_field
from sim.errors import UsageError
from sim.games import Game, Metric, find_game
from sim.scenario import Scenario, check_level, scenario
from sim.stats import RARE

BLOCKS = 100_000
#: blocks of the first look at the whole range, and how many times more each next one is
PILOT, GROWTH = 2000, 4
#: a range of at most so many values is looked at in full, a wider one at COARSE of them and then where it matters
FULL, COARSE, MOST_POINTS = 41, 17, 64
OBJECTIVES = ("points", "rounds", "games")
ROUND_METRICS = ("round_win_share", "round_win_rate")


@dataclass
class BreakEven:
    """What `breakeven` finds.

    tables    the scenarios of both sides, at the default of the rule; one if they sit at the same table
    frame     one row per objective: objective, metric, unit, answer, estimate, low, high, pieces, blocks, method
              ("fieller": play does not look at the rule; "inversion": all values of the rule that matter were played),
              sides (at both ends of the range: 1 where A does better, -1 where worse), note; None, never NaN, for what
              there is not
    edges     one row per objective and value played: objective, metric, unit, value, estimate (A - B), low, high, n,
              blocks, method, note
    missing   objectives the game has no metric for
    """

    tables: list[Scenario]
    names: tuple[str, str]
    rule: str
    bounds: tuple[int, int]
    frame: pd.DataFrame
    edges: pd.DataFrame
    missing: list[str]
    level: float


def objectives(game: Game) -> dict[str, Metric]:
    """What can be played for, and the metric that measures it: points (of a round, if there is such a metric), rounds
    won, games won.
    """
    metrics = {metric.name: metric for metric in game.metrics}
    per_round = [metric for metric in game.metrics if (metric.unit, metric.bottom) == ("points", "rounds")]
    found = {"points": [*per_round, metrics["score"]][0]}
    for name in ROUND_METRICS:
        if name in metrics:
            found["rounds"] = metrics[name]
    found["games"] = metrics["win_share"]
    return found


def breakeven(
    game: str,
    rules: Mapping[str, Any],
    a: str | None = None,
    b: str | None = None,
    *,
    field: Field | None = None,
    versus: str = "table",
    players: int | None = None,
    blocks: int | None = None,
    games: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    objective: Sequence[str] | None = None,
    level: float = 0.95,
    threads: int | None = None,
    cache: str | Path | None = CACHE,
    progress: bool = False,
) -> BreakEven:
    """The value of a rule at which A and B do equally well, with its confidence set, per objective.

    `rules`: exactly one of them a range, "from:to" (or a pair); the others with one value. A and B sit at one table
    whose other seats hold `field` [B] (`versus="table"`), or one after the other in the same seat of it
    (`versus="seat"`). With `field` and no `b`, A is measured against the field at its table. Without `a`, `b` and
    `field`: the game's usual pair, if it has one. Raises `UsageError` naming the key.
    """
    row = find_game(game)
    key, values, fixed = _range(row, rules)
    if a is None and b is None and field is None and row.duel:
        a, b = row.duel
    if a is None or (b is None and field is None):
        raise UsageError("a, b: name two strategies, or a and the field it plays against")
    check_versus(versus)
    check_level(level)
    available = objectives(row)
    for name in objective or ():
        if name not in OBJECTIVES or (name not in available and len(objective or ()) == 1):
            raise UsageError(f"objective: {name} is not measured in {game}; allowed: {', '.join(available)}")
    chosen = {name: metric for name, metric in available.items() if not objective or name in objective}
    base: dict[str, Any] = {"players": players, "seed": seed, "seatings": seatings}
    others: Field = field if field is not None else (b or "")
    heads = [(a,)] if b is None else [(a, b)] if versus == "table" else [(a,), (b,)]

    def tables(own: Mapping[str, Any]) -> list[Scenario]:
        return [in_field(game, who, others, rules={**fixed, **own}, **base) for who in heads]

    study = _Study(lambda value: tables({key: value}), b, chosen, threads, Path(cache) if cache is not None else None)
    first = tables({key: values[0]})[0]
    amount = {"blocks": BLOCKS} if blocks is None and games is None else {"blocks": blocks, "games": games}
    whole = {"game": game, "rules": first.rules, "strategies": first.strategies, "seatings": seatings}
    most = scenario(**whole, **amount).blocks
    if b is None and len(first.labels) < 2:
        raise UsageError(f"field: it is {a} itself; name another strategy")
    with shown_progress(0, progress) as told:
        study.told = told
        rows = study.run(values, most, level)
    return BreakEven(
        tables({}),
        (a, "the field" if b is None else b),
        key,
        (values[0], values[-1]),
        pd.DataFrame(rows, dtype=object),
        study.edges(level),
        [name for name in (objective or OBJECTIVES) if name not in available],
        level,
    )


def _range(game: Game, rules: Mapping[str, Any]) -> tuple[str, Sequence[int], dict[str, Any]]:
    """The rule that is a range, its values, and the other rules."""
    ranges: dict[str, str] = {}
    for key, value in rules.items():
        option_of(game, key)
        if isinstance(value, (tuple, list, range)) and all(isinstance(item, int) for item in value):
            ranges[key] = ":".join(str(item) for item in (value[0], value[-1])) if len(value) > 1 else str(value)
        elif isinstance(value, str) and ":" in value:
            ranges[key] = value
    if len(ranges) != 1:
        raise UsageError(f"rule: {len(ranges) or 'no'} rules are ranges; exactly one must be: KEY=FROM:TO")
    key, text = next(iter(ranges.items()))
    if key == "players":
        raise UsageError("rule players: another number of players is another table; give a rule of one table")
    return key, number_range(game, key, text), {name: value for name, value in rules.items() if name != key}


class _Study:
    """The values played so far, with the sums of both sides by objective and block."""

    def __init__(
        self,
        tables: Callable[[int], list[Scenario]],
        b: str | None,
        metrics: dict[str, Metric],
        threads: int | None,
        cache: Path | None,
    ) -> None:
        self.tables, self.b, self.metrics, self.threads, self.cache = tables, b, metrics, threads, cache
        self.told: Callable[[int], None] | None = None
        self.played: dict[int, dict[str, Point]] = {}

    def play(self, value: int, blocks: int) -> None:
        """Sees to it that a value has been played for so many blocks."""
        known = self.played.get(value)
        begun = len(next(iter(known.values())).a) if known else 0
        if begun >= blocks:
            return
        samples = [
            sample(one, blocks - begun, first=begun, threads=self.threads, cache=self.cache, progress=self.told)
            for one in self.tables(value)
        ]
        mine, theirs = samples[0], samples[-1]
        # A is the first strategy of its table; B is named, or all the others
        slots = range(1, len(mine.labels)) if self.b is None else [theirs.slot(self.b)]
        points = {}
        for name, metric in self.metrics.items():
            points[name] = Point(value, mine.series(metric.name, 0), theirs.series(metric.name, *slots))
            if known:
                points[name] = _longer(known[name], points[name])
        self.played[value] = points

    def points(self, name: str) -> list[Point]:
        """All values played, in order."""
        return [self.played[value][name] for value in sorted(self.played)]

    def cells(self, name: str) -> list[tuple[int, int]]:
        """The pairs of neighbouring values between which the edge may be 0."""
        return [(int(u.value), int(v.value)) for u, v in open_cells(self.points(name))]

    def run(self, values: Sequence[int], most: int, level: float) -> list[dict[str, Any]]:
        """Looks at the whole range, then ever closer where an edge may be 0; a row per objective."""
        pilot = min(most, PILOT)
        place = {value: k for k, value in enumerate(values)} if len(values) <= FULL else None
        start = values if place is not None else [values[k] for k in _spread(len(values))]
        for value in start:
            self.play(value, pilot)
        ends = (values[0], values[-1])
        linear = {name for name in self.metrics if pilot >= RARE and is_linear(self.points(name))}
        for value in ends if linear else ():
            self.play(value, most)
        for name in sorted(linear):  # what the pilot says is tried once more, in all blocks, where it matters
            between = self._nearest(values, self.points(name))
            self.play(between, most)
            if not is_linear([self.played[value][name] for value in (ends[0], between, ends[1])]):
                linear.discard(name)
        self._refine(values, linear, pilot)
        blocks = pilot
        while blocks < most:
            blocks = min(most, blocks * GROWTH)
            closer = [cell for name in self.metrics if name not in linear for cell in self.cells(name)]
            for value in sorted({value for cell in closer for value in cell}):
                self.play(value, blocks)
        rows = []
        for name, metric in self.metrics.items():
            straight = name in linear
            points = [self.played[value][name] for value in ends] if straight else self.points(name)
            cells = [(points[0], points[1])] if straight else open_cells(points)
            found = solve(points, cells, level)
            rows.append(_row(name, metric, found, points, straight, len(start), pilot, level))
        return rows

    def _nearest(self, values: Sequence[int], points: list[Point]) -> int:
        """The value inside the range that is nearest to the crossing of the line through both ends."""
        weight = mixture(points[0], points[-1]).estimate
        at = 0.5 if weight is None else min(max(weight, 0.0), 1.0)
        return min(values[1:-1], key=lambda value: abs(value - values[0] - at * (values[-1] - values[0])))

    def _refine(self, values: Sequence[int], linear: set[str], pilot: int) -> None:
        """Halves the cells of a wide range in which an edge may be 0 until they are as narrow as can be."""
        while len(self.played) < MOST_POINTS:
            wide = {
                cell
                for name in self.metrics
                if name not in linear
                for cell in self.cells(name)
                if values.index(cell[1]) - values.index(cell[0]) > 1
            }
            if not wide:
                return
            for low, high in sorted(wide):
                self.play(values[(values.index(low) + values.index(high)) // 2], pilot)

    def edges(self, level: float) -> pd.DataFrame:
        """A's edge at every value played."""
        rows = []
        for name, metric in self.metrics.items():
            for point in self.points(name):
                edge = point.edge(level)
                rows.append(
                    {
                        "objective": name,
                        "metric": metric.name,
                        "unit": metric.unit,
                        "value": int(point.value),
                        **{k: getattr(edge, k) for k in ("estimate", "low", "high", "n", "blocks", "method", "note")},
                    }
                )
        return pd.DataFrame(rows, dtype=object)


def _longer(point: Point, more: Point) -> Point:
    """A point with the blocks that come after its own."""

    def both(one: Series, two: Series) -> Series:
        return Series(np.concatenate([one.x, two.x]), np.concatenate([one.n, two.n]), one.scale)

    return Point(point.value, both(point.a, more.a), both(point.b, more.b))


def _spread(count: int) -> list[int]:
    """COARSE places from 0 to count-1, evenly."""
    return sorted({round(k * (count - 1) / (COARSE - 1)) for k in range(COARSE)})


def _row(
    name: str,
    metric: Metric,
    found: Crossing,
    points: list[Point],
    straight: bool,
    looked: int,
    pilot: int,
    level: float,
) -> dict[str, Any]:
    notes = [found.note] if found.note else []
    if straight:
        notes.append(
            f"play does not look at the rule: at all {looked} values tried, {pilot:,} blocks each, "
            "every block's sums lie on a line"
        )
        whole = mixture(points[0], points[1], level)
        if found.answer == "none" and whole.shape == "bounded" and whole.estimate is not None:
            low, width = points[0].value, points[1].value - points[0].value
            at, left, right = (low + width * float(w or 0) for w in (whole.estimate, whole.low, whole.high))
            notes.append(f"the line is 0 outside the range, at {at:.4g} [{left:.4g}, {right:.4g}]")
    widest = max((v.value - u.value for u, v in open_cells(points)), default=0.0)
    if not straight and widest > min(v.value - u.value for u, v in pairwise(points)):
        notes.append(f"between values up to {widest:g} apart the edge is taken to be linear")
    return {
        "objective": name,
        "metric": metric.name,
        "unit": metric.unit,
        "answer": found.answer,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "pieces": [list(piece) for piece in found.pieces],
        "blocks": found.blocks,
        "method": "fieller" if straight else "inversion",
        "sides": [-side if metric.low else side for side in found.sides],
        "note": "; ".join(notes),
    }
