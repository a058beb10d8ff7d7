"""Luck and skill: how much of what separates results is due to strategy, seat, cards and all the rest.

The population: every seat's strategy is drawn independently and uniformly from K strategies; the seat is one of n at
random, the block (its cards, and the lots that go with them) is random. Y is what a seat gets in a game: its win share,
or its score. The variance of Y is split into

    strategy   variance over the own strategy of E[Y | own strategy]
    seat       variance over the seats of E[Y | seat]
    cards      variance over blocks and seats of E[Y | block, seat], less the seat's part
    residual   the rest: who the opponents are, how strategies, seats and cards go together, lots that depend on them

The first three are uncorrelated, since the own strategy is drawn without regard to block and seat, so the residual
cannot be negative, though its estimate can. A seat draws its lots from one stream per block, whatever is played there:
as far as luck in them shows whatever the line-up, it counts as cards.

Every block is played under S line-ups, all on the same cards: all K**n of them where these are at most FULL, else DRAWN
independent random ones.

Estimators, from block means. With A the mean of Y by strategy (or by seat), the variance of A over the strategies is
too large by their sampling error; its estimate, from the variation between blocks (for strategies, whose counts vary
with random line-ups, linearised), is subtracted. Random line-ups l and m of a block are independent given the block, so
that for l != m the mean of Y_l Y_m is E[Y | block, seat]**2 without bias (Hoeffding, Annals of Mathematical Statistics
19, 1948); with all line-ups E[Y | block, seat] is known. Nothing is clipped: a component that is small comes out
negative as often as its noise wants. Intervals: percentiles of a bootstrap over (batches of neighbouring) blocks, in
which the sampling error is subtracted twice, for resampling adds it once more; a little wide where a component is
near 0.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sim import interrupt, play
from sim.analysis.blocks import Progress
from sim.analysis.lineups import names_of
from sim.analysis.measures import Floats, Measure, batch_edges, batch_sums, missing, of_draws, resample
from sim.analysis.samples import metric_index
from sim.engine import Engine
from sim.errors import UsageError
from sim.scenario import Scenario

#: up to so many possible line-ups all of them are played, of more so many random ones
FULL, DRAWN = 64, 32
#: blocks whose random line-ups are drawn together
RANGE = 16
#: a smaller variance, relative to the mean square, is rounding
ROUNDING = 1e-13
#: marks the stream of random line-ups among those of a seed
STREAM = 0x1E0

#: metric: title, definition, unit ("squared": the square of the unit of what is split). Subject: what is split
METRICS: dict[str, tuple[str, str, str]] = {
    "total_variance": ("Variance", "variance of what a seat gets in a game, strategies drawn by lot", "squared"),
    **{
        f"{part}_{kind}": (f"{title}{more}", f"{lead} {meaning}", unit)
        for kind, more, lead, unit in (
            ("part", "", "share of the variance that is due to", "share"),
            ("variance", ", absolute", "variance that is due to", "squared"),
        )
        for part, title, meaning in (
            ("strategy", "Strategy", "the seat's own strategy"),
            ("seat", "Seat", "the seat"),
            ("cards", "Cards", "the cards of the seat (and lots that work whatever the line-up)"),
            ("residual", "Residual", "opponents, lots, and how strategies, seats and cards go together"),
        )
    },
}


@dataclass(frozen=True)
class Components:
    """What was played, for one thing that seats get: the metric "win_share" or "score".

    labels    the K strategies
    line_ups  S, the line-ups of a block; full: whether these are all that there are
    sums      float64[B, 3 + 2 K + n] by block, see `block_sums`
    """

    scenario: Scenario
    labels: tuple[str, ...]
    metric: str
    unit: str
    line_ups: int
    full: bool
    first: int
    blocks: int
    sums: Floats

    def measures(self, level: float = 0.95, draws: int = 1000) -> list[Measure]:
        """The total, each component and its share of the total, with intervals; the subject is the metric."""
        units = [f"{self.unit}²" if unit == "squared" else unit for _, _, unit in METRICS.values()]
        if self.blocks < 2:
            reason = "one block: effects cannot be told from noise" if self.blocks else "no block: no estimate"
            return [missing(name, self.metric, unit, reason, level) for name, unit in zip(METRICS, units, strict=True)]
        strategies, seats = len(self.labels), self.scenario.seats
        rows = moments(self.sums)
        point = split(rows.sum(axis=0, keepdims=True), strategies, seats)[0]
        found = resample(rows, lambda sums: split(sums, strategies, seats, 2.0), self.scenario.seed, draws)
        made = [
            of_draws(
                name, self.metric, unit, float(point[j]), None if found is None else found[:, j],
                n=self.blocks * self.line_ups * seats, blocks=self.blocks, level=level,
                origin=(self.scenario.seed, self.first, self.blocks),
            )
            for j, (name, unit) in enumerate(zip(METRICS, units, strict=True))
        ]  # fmt: skip
        return [_alone(one) if strategies == 1 and one.metric.startswith("strategy") else one for one in made]


def _alone(one: Measure) -> Measure:
    note = "; ".join(["one strategy only: none to tell apart", *filter(None, [one.value.note])])
    return replace(one, value=replace(one.value, note=note))


def block_sums(y: Floats, slots: NDArray[np.integer], strategies: int, full: bool) -> Floats:
    """float64[B, 3 + 2 K + n]: what the estimators need of each block.

    y      float64[B, S, n]: what the seats got under S line-ups
    slots  int[B, S, n] (or broadcast to it): their strategies, 0..K-1
    full   whether the line-ups are all K**n, each once; if not, independent random ones
    Columns: 1; mean of y**2; mean over seats of the (estimated) squared E[Y | block, seat]; sums of y by strategy (K),
    their numbers (K); means of y by seat (n).
    """
    line_ups = y.shape[1]
    total, squares = y.sum(axis=1), (y * y).sum(axis=1)
    if full:
        expected = (total / line_ups) ** 2
    else:
        expected = (total**2 - squares) / (line_ups * (line_ups - 1))
    member = [np.broadcast_to(slots == k, y.shape) for k in range(strategies)]
    return np.column_stack(
        [
            np.ones(len(y)),
            squares.mean(axis=1) / line_ups,
            expected.mean(axis=1),
            *(np.where(mine, y, 0.0).sum(axis=(1, 2)) for mine in member),
            *(mine.sum(axis=(1, 2)) for mine in member),
            *(total / line_ups).T,
        ]
    )


def moments(sums: Floats) -> Floats:
    """float64[R, columns + columns**2]: block sums, and sums of their products, by batches of neighbouring blocks."""
    edges = batch_edges(len(sums))
    products = [part.T @ part for part in np.split(sums, edges[1:])]
    return np.concatenate([batch_sums(sums), np.array(products).reshape(len(edges), -1)], axis=1)


def split(rows: Floats, strategies: int, seats: int, errors: float = 1.0) -> Floats:
    """(D, 9): the metrics of METRICS, in order, from sums (D, ...) of `moments`.

    `errors`: how many times the sampling error is subtracted, 2 for resampled sums. NaN where a strategy never played,
    and for the shares of a total of 0.
    """
    k, width = strategies, 3 + 2 * strategies + seats
    sums, products = rows[:, :width], rows[:, width:].reshape(-1, width, width)
    with np.errstate(all="ignore"):
        blocks = sums[:, 0]
        small = blocks / (blocks - 1)
        own, number = sums[:, 3 : 3 + k], sums[:, 3 + k : 3 + 2 * k]
        by_strategy = own / number
        # residuals x - A n of the blocks: their products, over the numbers, are the covariances of the means
        into = np.concatenate(
            [np.broadcast_to(np.eye(k), (len(rows), k, k)), -by_strategy[:, None] * np.eye(k)], axis=1
        )
        into = into / number[:, None]
        inner = products[:, 3 : 3 + 2 * k, 3 : 3 + 2 * k]
        strategy_error = small[:, None, None] * (into.transpose(0, 2, 1) @ inner @ into)
        by_seat = sums[:, 3 + 2 * k :] / blocks[:, None]
        crossed = products[:, 3 + 2 * k :, 3 + 2 * k :] / blocks[:, None, None]
        seat_error = (crossed - by_seat[:, :, None] * by_seat[:, None]) / (blocks - 1)[:, None, None]

        strategy = by_strategy.var(axis=1) - errors * _spread(strategy_error)
        seat = by_seat.var(axis=1) - errors * _spread(seat_error)
        seat_squares = (by_seat**2).mean(axis=1) - errors * np.trace(seat_error, axis1=1, axis2=2) / seats
        cards = sums[:, 2] / blocks - seat_squares
        square = by_seat.mean(axis=1) ** 2 - errors * seat_error.mean(axis=(1, 2))
        total = sums[:, 1] / blocks - square
        parts = np.stack([strategy, seat, cards, total - strategy - seat - cards], axis=1)
        constant = np.abs(total) <= ROUNDING * sums[:, 1] / blocks
        total, parts = np.where(constant, 0.0, total), np.where(constant[:, None], 0.0, parts)
        return np.concatenate([total[:, None], parts / total[:, None], parts], axis=1)


def _spread(covariance: Floats) -> Floats:
    """(D,): what sampling errors with covariances (D, M, M) add, on average, to the variance over M means."""
    return np.asarray(np.trace(covariance, axis1=1, axis2=2) / covariance.shape[1] - covariance.mean(axis=(1, 2)))


def all_line_ups(strategies: int, seats: int) -> NDArray[np.int8] | None:
    """int8[K**n, n]: every way to give n seats one of K strategies; None if these are more than FULL."""
    if strategies**seats > FULL:
        return None
    return np.array(list(product(range(strategies), repeat=seats)), np.int8)


def random_line_ups(strategies: int, seats: int, seed: int, number: int) -> NDArray[np.int8]:
    """int8[RANGE, DRAWN, n]: the random line-ups of the blocks RANGE * number and following."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(STREAM, number)))
    return rng.integers(0, strategies, (RANGE, DRAWN, seats), np.int8)


def of_sums(
    scenario: Scenario, names: Sequence[str], sums: Mapping[str, Floats], *, first: int = 0
) -> dict[str, Components]:
    """What the block sums of each metric, from block `first` on, say of the strategies."""
    every = all_line_ups(len(names), scenario.seats)
    units = {metric.name: metric.unit for metric in scenario.row.metrics}
    return {
        name: Components(
            scenario, tuple(names), name, units[name], DRAWN if every is None else len(every), every is not None,
            first, len(values), values,
        )
        for name, values in sums.items()
    }  # fmt: skip


def components(
    scenario: Scenario,
    strategies: str | Sequence[str],
    blocks: int,
    *,
    first: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Components]:
    """Plays line-ups of the strategies on the blocks first .. first+blocks-1: {"win_share": ..., "score": ...}.

    The scenario gives game, rules and seed; its line-up, seatings and numbers do not matter. The same blocks have the
    same line-ups for any number of threads, and under any rules for as many players. `progress(blocks)` is told of
    blocks as they come. Raises `UsageError` for strategies that do not exist and `RunError` for one that fails.
    """
    if threads is not None and threads < 1:
        raise UsageError(f"threads: {threads} is not allowed; allowed: an integer from 1")
    names = names_of(scenario.row, strategies)
    count, seats = len(names), scenario.seats
    alone = scenario.model_copy(update={"strategies": (names[0],) * seats, "seatings": "fixed", "record": "games"})
    engine = Engine(alone, names)
    game, columns = engine.game, [column.name for column in engine.game.game_columns]
    every = all_line_ups(count, seats)
    metrics = [game.metrics[metric_index(game, name)] for name in ("win_share", "score")]
    tops = [columns.index(metric.top) for metric in metrics]

    def task(start: int) -> list[Floats]:
        """The block sums of each metric, for the blocks from `start` on within its range."""
        number, last = start // RANGE, min((start // RANGE + 1) * RANGE, first + blocks)
        if every is not None:
            slots, played = every[None], engine.seated(every).play(start, last).games[tops]
        else:
            slots = random_line_ups(count, seats, scenario.seed, number)[start - number * RANGE :][: last - start]
            played = np.concatenate(
                [engine.seated(rows).play(b, b + 1).games[tops] for b, rows in enumerate(slots, start)], axis=1
            )
        shape = (last - start, slots.shape[1], seats)
        return [
            block_sums(values.reshape(shape) / metric.scale, slots, count, every is not None)
            for values, metric in zip(played, metrics, strict=True)
        ]

    play.prepare(engine, progress is not None)
    starts = [first, *range((first // RANGE + 1) * RANGE, first + blocks, RANGE)] if blocks else []
    pieces: list[list[Floats]] = []
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="nullsim")
    try:
        for sums in pool.map(task, starts):
            interrupt.check()
            pieces.append(sums)
            if progress is not None:
                progress(len(sums[0]))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    empty = np.zeros((0, 3 + 2 * count + seats))
    whole = {metric.name: np.concatenate([empty, *(sums[m] for sums in pieces)]) for m, metric in enumerate(metrics)}
    return of_sums(alone, names, whole, first=first)
