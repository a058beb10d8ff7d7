"""Self-play: one strategy in all seats, so that what differs between seats and games is the game's own doing.

Every game is a block. Its rows are reduced to a few integers at once, so that memory does not grow with rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim import play, runner
from sim.analysis.blocks import Progress
from sim.analysis.measures import Floats, Measure, batch_sums, missing, of_draws, of_series, resample
from sim.analysis.samples import Series, metric_index
from sim.engine import Chunk, Engine
from sim.errors import UsageError
from sim.games import Game
from sim.scenario import Scenario
from sim.summary import Summary

Integers = NDArray[np.int64]

#: games reduced together: a fixed number, which no thread or chunk changes
PART = 1024

#: metric: title, definition, unit ("score": the unit of the game's score). Sides are the teams, without them the seats
METRICS: dict[str, tuple[str, str, str]] = {
    "seat_advantage": (
        "Seat advantage",
        "mean win share of the seat less 1 / number of sides (a team's share counts for each of its seats), without "
        "deals passed in, which nobody wins",
        "share",
    ),
    "first_lead_cost": (
        "First-lead cost",
        "what the seat that leads first loses by it: mean over rounds of how much better the others do in points than "
        "the seat that led. Above 0 leading costs, below 0 it pays, whether many or few points are good. Núlla, "
        "Norwegian Null: the seat that started the first round; Skat: forehand",
        "points",
    ),
    "tie_rate": ("Tie rate", "share of games in which two or more sides share the first place", "share"),
    "closeness": (
        "Closeness",
        "root of the mean squared gap between the best and the second-best final score of a side, 0 for a tie; Skat: "
        "between declarer and defenders, without deals passed in. The smaller, the closer",
        "score",
    ),
    "lead_changes": (
        "Lead changes",
        "mean number of rounds, from the second on, after which the set of sides that lead by running total is another "
        "than a round before",
        "changes",
    ),
    "snowball": (
        "Snowball",
        "mean win share of the side that won round 1 (several: each with weight 1 / number of them) less 1 / number of "
        "sides; a round is won by its best score, in Norwegian Null by who may drop a card. A game that ends after one "
        "round counts too",
        "share",
    ),
    "rounds": ("Rounds", "mean rounds of a game", "rounds"),
    "tricks": ("Tricks", "mean tricks of a game, all rounds together", "tricks"),
    "turns": ("Turns", "mean turns of a game, all players and rounds together", "turns"),
    "truncated_share": ("Truncated", "share of games cut off by a limit", "share"),
    "passed_in_share": ("Passed in", "share of deals that nobody declares", "share"),
}

ONE_ROUND = "every game has one round"


def side_count(scenario: Scenario) -> int:
    """Sides that can win: teams, or seats where nobody plays together. Seat s belongs to side s mod sides."""
    teams = str(scenario.rules.get("teams", "none"))
    return scenario.seats if teams == "none" else int(teams.split("x")[0])


@dataclass(frozen=True)
class Rows:
    """Results of B games, in order.

    games    {kernel column: int64[B, seats]}
    rounds   {kernel column: int64[R, seats]}: the rounds of all games, one game after another
    lengths  int64[B]: rounds of each game, 1 at least
    sides    number of sides; seat s belongs to side s mod sides
    low      whether the lowest final score is the best
    """

    games: Mapping[str, Integers]
    rounds: Mapping[str, Integers]
    lengths: Integers
    sides: int
    low: bool = False

    @property
    def starts(self) -> Integers:
        """int64[B]: the row of each game's first round."""
        return np.asarray(self.lengths.cumsum() - self.lengths)


def by_side(values: Integers, sides: int) -> Integers:
    """(..., sides): sums over the seats (..., seats) of each side."""
    return np.asarray(values.reshape(*values.shape[:-1], values.shape[-1] // sides, sides).sum(axis=-2))


def gaps(scores: Integers) -> Integers:
    """int64[B]: best less second-best of int64[B, sides], more being better."""
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def best(scores: Integers) -> NDArray[np.bool_]:
    """(..., sides): which sides have the highest score."""
    return np.asarray(scores == scores.max(axis=-1, keepdims=True))


def running_totals(rows: Rows) -> Integers:
    """int64[R, sides]: each side's total after each round, signed so that more is better.

    Norwegian Null counts cards left: what is dealt for the next round, after the last one the final score.
    """
    starts = rows.starts
    if "cards" in rows.rounds:
        after = np.roll(rows.rounds["cards"], -1, axis=0)
        after[starts + rows.lengths - 1] = rows.games["score"]
    else:
        total = rows.rounds["score"].cumsum(axis=0)
        before = total[starts] - rows.rounds["score"][starts]
        after = total - np.repeat(before, rows.lengths, axis=0)
    return by_side(-after if rows.low else after, rows.sides)


def lead_changes(totals: Integers, starts: Integers) -> Integers:
    """int64[B]: rounds after which the set of leaders is another than a round before; totals as `running_totals`."""
    leaders = best(totals)
    changed = np.zeros(len(leaders), np.int64)
    changed[1:] = (leaders[1:] != leaders[:-1]).any(axis=1)
    changed[starts] = 0
    return np.asarray(np.add.reduceat(changed, starts))


def share_of(won: NDArray[np.bool_], win60: Integers) -> Integers:
    """int64[B], in 1/3600: the win share of the sides that `won` bool[B, sides], each with weight 1 / number of them.

    win60 int64[B, sides]: the sides' shares of the win, in sixtieths. Up to six sides, so that all is exact.
    """
    return np.asarray((60 // won.sum(axis=1)) * (win60 * won).sum(axis=1))


def lead_gaps(scores: Integers, led: Integers) -> Integers:
    """int64[R], in 1/(seats - 1): the leader's score less the mean of the others, from scores and led (0 or 1).

    Both int64[R, seats]. S - (T - S) / (n - 1) = (n S - T) / (n - 1), S the leader's score, T the sum of all n.
    """
    return np.asarray(scores.shape[1] * (scores * led).sum(axis=1) - scores.sum(axis=1))


def reduce(rows: Rows, opened_by_first: bool) -> dict[str, Integers]:
    """What the metrics need of each game: int64[B], "win60" and "score" int64[B, seats].

    `opened_by_first`: whether seat 0 surely leads or starts the first round. "lead_gap" is missing where nobody knows
    who led, "tied" in Skat, where declarer and defenders cannot tie.
    """
    games, rounds, starts = rows.games, rows.rounds, rows.starts
    win60 = games["win60"]
    length = "turns" if "turns" in games else "tricks"
    sums = {
        "win60": win60,
        "score": games["score"],
        "rounds": rows.lengths,
        length: games[length].sum(axis=1),
        "truncated": games["truncated"][:, 0],
    }
    if "led" in rounds:
        sums["lead_gap"] = np.add.reduceat(lead_gaps(rounds["score"], rounds["led"]), starts)
        sums["leads"] = rows.lengths
    elif opened_by_first:
        first = np.zeros(win60.shape, np.int64)
        first[:, 0] = 1
        sums["lead_gap"] = lead_gaps(rounds["score"][starts], first)
        sums["leads"] = np.ones_like(rows.lengths)
    if "declared" in games:  # Skat: one against two, who have the same score
        declared = games["declared"]
        sums["passed_in"] = games["passed_in"][:, 0]
        sums["placed"] = 1 - sums["passed_in"]
        own = (games["score"] * declared).sum(axis=1)
        other = (games["score"] * (1 - declared)).sum(axis=1) // (win60.shape[1] - 1)
        sums["gap"] = np.abs(own - other) * sums["placed"]
        return sums
    scores = by_side(games["score"], rows.sides)
    shares = win60[:, : rows.sides]
    sums["tied"] = ((shares > 0).sum(axis=1) > 1).astype(np.int64)
    sums["gap"] = gaps(-scores if rows.low else scores)
    sums["placed"] = np.ones_like(rows.lengths)
    opening = by_side(rounds["score"][starts], rows.sides)
    won = rounds["won"][starts] > 0 if "won" in rounds else best(-opening if rows.low else opening)
    sums["round_1"] = share_of(won, shares)
    sums["lead_changes"] = lead_changes(running_totals(rows), starts)
    return sums


@dataclass(frozen=True)
class SelfPlay:
    """What self-play gave on the blocks first .. first+blocks-1, one game each.

    sums    {name: int64[B]} ("win60" and "score" int64[B, seats]), see `reduce`
    """

    scenario: Scenario
    first: int
    blocks: int
    sums: Mapping[str, Integers]

    @property
    def scores(self) -> tuple[Integers, Integers]:
        """Final scores of all seats: the values int64[V] in order, and how often each came, int64[V]."""
        return np.unique(self.sums["score"], return_counts=True)

    def measures(self, level: float = 0.95, draws: int = 1000) -> list[Measure]:
        """The metrics of METRICS that the game has, in order; those that cannot be estimated say why."""
        return list(self._measures(level, draws))

    def _measures(self, level: float, draws: int) -> Iterator[Measure]:
        game, sums, seats = self.scenario.row, self.sums, self.scenario.seats
        origin = (self.scenario.seed, self.first, self.blocks)
        one, fair = np.ones(self.blocks, np.int64), 1 / side_count(self.scenario)
        several = not self.blocks or bool((sums["rounds"] > 1).any())

        def made(
            metric: str, x: Integers, n: Integers, scale: int = 1, offset: float = 0.0, subject: str = ""
        ) -> Measure:
            unit = METRICS[metric][2]
            return of_series(
                metric, subject, unit, Series(x, n, scale), offset=offset, proportion=unit == "share", level=level,
                origin=origin,
            )  # fmt: skip

        def none(metric: str, reason: str) -> Measure:
            return missing(metric, "", METRICS[metric][2], reason, level)

        for seat in range(seats):
            yield made("seat_advantage", sums["win60"][:, seat], sums["placed"], 60, fair, f"seat {seat}")
        if "lead_gap" in sums:
            low = game.metrics[metric_index(game, "score")].low
            yield made("first_lead_cost", sums["lead_gap"] * (1 if low else -1), sums["leads"], seats - 1)
        else:
            yield none("first_lead_cost", "who starts is decided by lot and not recorded")
        if "tied" in sums:
            yield made("tie_rate", sums["tied"], one)
        else:
            yield none("tie_rate", "declarer and defenders cannot tie")
        unit = game.metrics[metric_index(game, "score")].unit
        rows = batch_sums(np.column_stack([sums["gap"].astype(np.float64) ** 2, sums["placed"]]))
        found = resample(rows, root_mean, self.scenario.seed, draws)
        yield of_draws(
            "closeness", "", unit, float(root_mean(rows.sum(axis=0, keepdims=True))[0, 0]),
            None if found is None else found[:, 0], n=int(sums["placed"].sum()), blocks=self.blocks, level=level,
            origin=origin,
        )  # fmt: skip
        if several and "lead_changes" in sums:
            yield made("lead_changes", sums["lead_changes"], one)
            yield made("snowball", sums["round_1"], one, 3600, fair)
        else:
            yield none("lead_changes", ONE_ROUND)
            yield none("snowball", ONE_ROUND)
        for name in ("rounds", "tricks", "turns"):
            if name in sums:
                yield made(name, sums[name], one)
        yield made("truncated_share", sums["truncated"], one)
        if "passed_in" in sums:
            yield made("passed_in_share", sums["passed_in"], one)


def root_mean(sums: Floats) -> Floats:
    """(D, 1): square roots of sums (D, 2) of squares over numbers; NaN where there are none."""
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(sums[:, :1] / sums[:, 1:]))


def rows_of(game: Game, scenario: Scenario, chunk: Chunk) -> Rows:
    """The rows of a chunk that was played under one seating and with rounds recorded."""
    seats = scenario.seats
    games = {
        column.name: chunk.games[k].reshape(-1, seats).astype(np.int64) for k, column in enumerate(game.game_columns)
    }
    rounds = {
        column.name: chunk.rounds[k].reshape(-1, seats).astype(np.int64)
        for k, column in enumerate(game.all_round_columns)
    }
    low = game.metrics[metric_index(game, "score")].low
    return Rows(games, rounds, games["rounds"][:, 0], side_count(scenario), low)


def selfplay(
    scenario: Scenario, blocks: int, *, first: int = 0, threads: int | None = None, progress: Progress | None = None
) -> SelfPlay:
    """Plays the blocks first .. first+blocks-1 of a scenario that has one strategy in all seats, one game each.

    The scenario's own `blocks`, `seatings` and `record` do not matter. `progress(blocks)` is told of blocks as they
    come. Raises `UsageError` for a line-up of several strategies or a strategy that does not exist, `RunError` for one
    that fails.
    """
    if len(scenario.labels) > 1:
        raise UsageError(f"strategies: self-play takes the same one in all seats; given: {', '.join(scenario.labels)}")
    if threads is not None and threads < 1:
        raise UsageError(f"threads: {threads} is not allowed; allowed: an integer from 1")
    engine = Engine(scenario.model_copy(update={"seatings": "fixed", "record": "rounds"}))
    game = engine.game
    opened = all(scenario.rules[key] == value for key, value in game.opening)
    parts: dict[int, dict[str, Integers]] = {}

    def keep(number: int, chunk: Chunk, played: Summary) -> None:
        parts[chunk.first] = reduce(rows_of(game, scenario, chunk), opened)

    play.prepare(engine, progress is not None)
    try:
        runner.play(
            engine, Summary.empty(game, 1, scenario.seats), part_blocks=PART, first=first, last=first + blocks,
            threads=threads, write=keep, progress=progress,
        )  # fmt: skip
    except runner.Interrupted:
        raise KeyboardInterrupt from None
    if not parts:
        keep(0, engine.play(first, first), Summary.empty(game, 1, scenario.seats))
    ordered = [parts[key] for key in sorted(parts)]
    return SelfPlay(scenario, first, blocks, {name: np.concatenate([p[name] for p in ordered]) for name in ordered[0]})
