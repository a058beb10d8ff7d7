"""Block sums of scenarios, played once and kept: what every analysis is made of.

A `Sample` holds, block by block, the sums of every metric of the game's row for each strategy of the line-up.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim import play
from sim.analysis.blocks import Kept, Progress, play_blocks
from sim.engine import Engine
from sim.errors import UsageError
from sim.games import Game, Metric
from sim.scenario import Scenario
from sim.stats import Joint, Moments

#: where sampled blocks are kept unless said otherwise
CACHE = Path("results") / "cache"


@dataclass(frozen=True)
class Series:
    """One metric of one or several strategies by block: sums x, n int64[B]; x in units of 1/scale.

    x may be float64[B], of values by block (then with n = 1).
    """

    x: NDArray[np.int64] | NDArray[np.float64]
    n: NDArray[np.int64]
    scale: int = 1

    def __len__(self) -> int:
        return int(self.x.size)

    def moments(self) -> Moments:
        """Its sums over the blocks."""
        return Moments.from_blocks(self.x, self.n, scale=self.scale)


@dataclass(frozen=True)
class Sample:
    """Block sums of the blocks first .. first+blocks-1 of a scenario.

    labels   the strategies by slot, in the order of the scenario's line-up
    x, n     int64[B, slots, metrics]: sums over the slot's seats and the block's seatings of the metric's top and
             bottom (metrics in the order of the game's row; the top in units of 1/scale)
    squares  float64[B, slots, metrics]: sums over games and seats of the squared top
    rows     int64[slots]: games times seats of a slot in one block
    """

    scenario: Scenario
    labels: tuple[str, ...]
    first: int
    blocks: int
    x: NDArray[np.int64]
    n: NDArray[np.int64]
    squares: NDArray[np.float64]
    rows: NDArray[np.int64]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The game's metrics: the last axis of the arrays."""
        return self.scenario.row.metrics

    def slot(self, label: str) -> int:
        """A strategy's place in `labels`. ValueError if it does not play."""
        return self.labels.index(label)

    def series(self, metric: str, *slots: int) -> Series:
        """A metric by block, pooled over some slots (none named: over all)."""
        m = metric_index(self.scenario.row, metric)
        chosen = list(slots) if slots else list(range(len(self.labels)))
        scale = self.metrics[m].scale
        return Series(self.x[:, chosen, m].sum(axis=1), self.n[:, chosen, m].sum(axis=1), scale)

    def cut(self, first: int, last: int) -> Sample:
        """The blocks first .. last-1 of it. ValueError if it does not hold them."""
        if not self.first <= first <= last <= self.first + self.blocks:
            raise ValueError(f"blocks {first} to {last} are not in the sample")
        part = slice(first - self.first, last - self.first)
        return replace(
            self, first=first, blocks=last - first, x=self.x[part], n=self.n[part], squares=self.squares[part]
        )

    def naive(self, metric: str, slot: int) -> Naive | None:
        """The sums that say what independent games would give; None if a game's bottom varies (see `Naive`)."""
        m = metric_index(self.scenario.row, metric)
        n, each = self.n[:, slot, m], int(self.rows[slot])
        if self.blocks == 0:
            return Naive()
        if (n != n[0]).any() or n[0] == 0 or int(n[0]) % each:
            return None
        per = int(n[0]) // each * self.metrics[m].scale
        total, squares = float(self.x[:, slot, m].sum()), float(self.squares[:, slot, m].sum())
        return Naive(each * self.blocks, total / per, squares / per**2)


@dataclass(frozen=True)
class Naive:
    """Number, sum and sum of squares of the values of single games: what they would tell if they were independent.

    For metrics whose bottom is the same in every game: games themselves, or rounds where their number is fixed.
    """

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def __add__(self, other: Naive) -> Naive:
        return Naive(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def variance(self) -> float | None:
        """The squared standard error of their mean; None with fewer than two."""
        if self.count < 2:
            return None
        return max(0.0, self.squares - self.total**2 / self.count) / (self.count - 1) / self.count


def metric_index(game: Game, name: str) -> int:
    """The place of a metric in the game's row. Raises `UsageError` naming the metrics."""
    names = [metric.name for metric in game.metrics]
    if name not in names:
        raise UsageError(f"metric: no metric {name}; metrics: {', '.join(names)}")
    return names.index(name)


def common(*samples: Sample) -> tuple[Sample, ...]:
    """The samples cut to the blocks that all of them hold (perhaps none)."""
    first = max(sample.first for sample in samples)
    last = max(first, min(sample.first + sample.blocks for sample in samples))
    return tuple(
        sample.cut(first, last) if first < last else sample.cut(sample.first, sample.first) for sample in samples
    )


def joint(series: Sequence[Series]) -> tuple[Joint, list[tuple[int, int]]]:
    """The sums of several series over the same blocks, and for each the pair of columns that is its metric.

    ValueError if their lengths differ. All contrasts of `stats` start from it: `difference(j, pairs[0], pairs[1])`.
    """
    columns = [column for one in series for column in (one.x, one.n)]
    scales = [scale for one in series for scale in (one.scale, 1)]
    pairs = [(2 * k, 2 * k + 1) for k in range(len(series))]
    if len({len(one) for one in series}) == 1 and len(series[0]):
        table = np.array(columns, np.float64)
        whole = all(np.issubdtype(column.dtype, np.integer) for column in columns)
        if (
            whole and float(np.abs(table).max()) ** 2 * table.shape[1] < 2**53
        ):  # then floating sums of integers are exact
            products = (table @ table.T).astype(np.int64).tolist()
            return (
                Joint(
                    table.shape[1],
                    tuple(int(total) for total in table.sum(axis=1)),
                    tuple(tuple(row) for row in products),
                    tuple(int(used) for used in np.count_nonzero(table, axis=1)),
                    tuple(scales),
                ),
                pairs,
            )
    return Joint.from_blocks(columns, scales), pairs


def sample(
    scenario: Scenario,
    blocks: int,
    *,
    first: int = 0,
    threads: int | None = None,
    cache: Path | None = CACHE,
    progress: Progress | None = None,
) -> Sample:
    """The block sums of the blocks first .. first+blocks-1, played or taken from `cache` (None: nothing is kept).

    The scenario's own `blocks` and `record` do not matter. `progress(blocks)` is told of blocks as they come. Raises
    `UsageError` for a strategy that does not exist and `RunError` for one that fails; on those and on Ctrl-C the
    blocks played so far stay in the cache.
    """
    if threads is not None and threads < 1:
        raise UsageError(f"threads: {threads} is not allowed; allowed: an integer from 1")
    threads = threads or os.cpu_count() or 1
    engine = Engine(scenario)
    if engine.design == "orbit" and list(scenario.strategies) != sorted(scenario.strategies):
        # every arrangement is played: the order of the line-up does not matter, so that all orders share one cache
        engine = Engine(scenario.model_copy(update={"strategies": tuple(sorted(scenario.strategies))}))
    pieces, position = [], first
    folder = Kept(cache, engine)
    told = progress or (lambda blocks: None)
    for start, end, file in folder.plan(first, first + blocks):
        if file is not None:
            pieces.append(folder.read(file, start, end))
            told(end - start)
        else:
            play.prepare(engine, progress is not None)
            pieces += play_blocks(engine, folder, start, end, threads, told)
        position = end
    assert position == first + blocks
    labels = scenario.labels
    order = [engine.scenario.labels.index(label) for label in labels]
    sums = np.concatenate(pieces)[:, order] if pieces else np.zeros((0, len(labels), len(folder.columns) * 2))
    rows = np.bincount(engine.seatings.ravel(), minlength=len(labels)).astype(np.int64)[order]
    return _made(scenario, first, blocks, sums, rows, folder.columns)


def _made(
    scenario: Scenario,
    first: int,
    blocks: int,
    sums: NDArray[np.float64],
    rows: NDArray[np.int64],
    columns: list[str],
) -> Sample:
    """A sample from the sums float64[B, slots, 2 * columns]: those of the columns, then those of their squares."""
    whole = np.empty((len(sums), len(rows), len(columns) + 1), np.int64)
    whole[:, :, : len(columns)] = sums[:, :, : len(columns)]
    whole[:, :, -1] = rows
    place = {name: k for k, name in enumerate([*columns, "games"])}
    metrics = scenario.row.metrics
    tops = [place[metric.top] for metric in metrics]
    return Sample(
        scenario,
        scenario.labels,
        first,
        blocks,
        whole[:, :, tops],
        whole[:, :, [place[metric.bottom] for metric in metrics]],
        sums[:, :, [len(columns) + top for top in tops]],
        rows,
    )
