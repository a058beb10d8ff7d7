"""Block sums of scenarios, played once and kept: what every analysis is made of.

A `Sample` holds, block by block, the sums of every metric of the game's row for each strategy of the line-up. The
cache is a folder per scenario (its number of blocks left out), named by a hash of everything that decides its numbers;
its files hold ranges of blocks and appear by rename only, so that a second question plays only what is new.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim import play, store
from sim.analysis.stats import Joint, Moments
from sim.engine import Engine
from sim.errors import UsageError
from sim.games import Game, Metric
from sim.runner import CHUNK_SECONDS
from sim.scenario import Scenario

#: where sampled blocks are kept unless said otherwise
CACHE = Path("results") / "cache"
#: a file is written after so many seconds of playing, or so many rows: little is lost when a run is cut
FLUSH_SECONDS, FLUSH_ROWS = 10.0, 2**21
_FILE = re.compile(r"blocks-(\d+)-(\d+)\.parquet")

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Series:
    """One metric of one or several strategies by block: sums x, n int64[B]; x in units of 1/scale."""

    x: NDArray[np.int64]
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
        if float(np.abs(table).max()) ** 2 * table.shape[1] < 2**53:  # then floating sums of integers are exact
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
    folder = _Folder(cache, engine)
    told = progress or (lambda blocks: None)
    for start, end, file in folder.plan(first, first + blocks):
        if file is not None:
            pieces.append(folder.read(file, start, end))
            told(end - start)
        else:
            play.prepare(engine, progress is not None)
            pieces += _play(engine, folder, start, end, threads, told)
        position = end
    assert position == first + blocks
    labels = scenario.labels
    order = [engine.scenario.labels.index(label) for label in labels]
    sums = np.concatenate(pieces)[:, order] if pieces else np.zeros((0, len(labels), len(folder.columns) * 2))
    rows = np.bincount(engine.seatings.ravel(), minlength=len(labels)).astype(np.int64)[order]
    return _made(scenario, first, blocks, sums, rows, folder.columns)


def columns_of(game: Game) -> list[str]:
    """The kernel columns that the game's metrics are made of."""
    names = {name for metric in game.metrics for name in (metric.top, metric.bottom)} - {"games"}
    return [column.name for column in game.game_columns if column.name in names]


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


class _Folder:
    """The kept blocks of one scenario; `path` is None where nothing is to be kept."""

    def __init__(self, cache: Path | None, engine: Engine) -> None:
        self.engine, self.columns = engine, columns_of(engine.game)
        self.slots = len(engine.players)
        identity = store.provenance(engine)
        for key in ("blocks", "target_error", "record"):
            del identity["scenario"][key]
        del identity["parts"]
        self.identity = {**identity, "columns": self.columns}
        text = json.dumps(self.identity, sort_keys=True)
        name = f"{engine.game.id}-{hashlib.sha256(text.encode()).hexdigest()[:20]}"
        self.path = cache / name if cache is not None else None

    def plan(self, first: int, last: int) -> list[tuple[int, int, Path | None]]:
        """The ranges (start, end, file) that make up first .. last-1; those without a file must be played."""
        steps: list[tuple[int, int, Path | None]] = []
        for start, end, file in self._files():
            if end <= first or start >= last or end - start < 1 or not self._holds(file, start, end):
                continue
            if start > first:
                steps.append((first, start, None))
                first = start
            steps.append((first, min(end, last), file))
            first = min(end, last)
        if first < last:
            steps.append((first, last, None))
        return steps

    def _files(self) -> list[tuple[int, int, Path]]:
        if self.path is None or not self.path.is_dir():
            return []
        found = [(_FILE.fullmatch(file.name), file) for file in self.path.iterdir()]
        ranges = [(int(match[1]), int(match[2]), file) for match, file in found if match]
        return sorted(ranges, key=lambda item: (item[0], -item[1]))

    def _holds(self, file: Path, start: int, end: int) -> bool:
        """Whether a file is whole and was played by these very kernels and strategies; if not, it is played anew."""
        try:
            data = store.read_metadata(file)
            rows = pq.read_metadata(file).num_rows
        except (UsageError, OSError, pa.ArrowException):
            return False
        return data.get("identity") == self.identity and rows == (end - start) * self.slots

    def read(self, file: Path, first: int, last: int) -> NDArray[np.float64]:
        """The sums of the blocks first .. last-1 of a file."""
        match = _FILE.fullmatch(file.name)
        assert match is not None
        start = int(match[1])
        table = pq.read_table(file).slice((first - start) * self.slots, (last - first) * self.slots)
        names = [*self.columns, *(f"{name}_squared" for name in self.columns)]
        out = np.empty((last - first, self.slots, len(names)))
        for k, name in enumerate(names):
            out[:, :, k] = table[name].to_numpy().reshape(-1, self.slots)
        return out

    def write(self, first: int, sums: NDArray[np.float64]) -> None:
        """Keeps the sums of the blocks from `first` on."""
        if self.path is None:
            return
        last = first + len(sums)
        columns: dict[str, Any] = {
            "block": np.repeat(np.arange(first, last, dtype=np.int64), self.slots),
            "strategy": pa.DictionaryArray.from_arrays(
                pa.array(np.tile(np.arange(self.slots, dtype=np.int8), len(sums))),
                pa.array(self.engine.scenario.labels),
            ),
        }
        for k, name in enumerate(self.columns):
            columns[name] = sums[:, :, k].ravel().astype(np.int64)
        for k, name in enumerate(self.columns, len(self.columns)):
            columns[f"{name}_squared"] = sums[:, :, k].ravel()
        path = self.path / f"blocks-{first:09d}-{last:09d}.parquet"
        store.write_parquet(pa.table(columns), path, {"identity": self.identity})


def _sums(engine: Engine, columns: list[int], first: int, last: int) -> tuple[NDArray[np.float64], float]:
    """The sums float64[B, slots, 2 * columns] of some blocks, and how long they took.

    Exact: a sum over a block's rows of int32 values stays far below 2**53. (Squares of scores beyond 10**7 are
    rounded; they only serve to say what pairing gains.)
    """
    start = time.perf_counter()
    games = engine.play(first, last).games
    member = (engine.seatings.ravel()[:, None] == np.arange(len(engine.players))).astype(np.float64)
    values = games[columns].reshape(len(columns), last - first, -1).astype(np.float64)
    sums = np.concatenate([values @ member, (values * values) @ member])
    return np.ascontiguousarray(sums.transpose(1, 2, 0)), time.perf_counter() - start


def _play(
    engine: Engine, folder: _Folder, first: int, last: int, threads: int, progress: Progress
) -> list[NDArray[np.float64]]:
    """Plays blocks in chunks over threads and keeps them, in order, a file at a time."""
    names = [column.name for column in engine.game.game_columns]
    columns = [names.index(name) for name in folder.columns]
    done: list[NDArray[np.float64]] = []
    waiting: list[NDArray[np.float64]] = []
    flushed = time.monotonic()
    kept, begun, size = first, first, 1
    pending: deque[Future[tuple[NDArray[np.float64], float]]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="nullsim")

    def flush() -> None:
        nonlocal kept, flushed, waiting
        if waiting:
            whole, waiting = np.concatenate(waiting), []
            folder.write(kept, whole)
            done.append(whole)
            kept += len(whole)
        flushed = time.monotonic()

    try:
        while True:
            while len(pending) < 2 * threads and begun < last:
                end = min(begun + size, last)
                pending.append(pool.submit(_sums, engine, columns, begun, end))
                begun = end
            if not pending:
                break
            sums, seconds = pending.popleft().result()
            size = min(max(1, int(len(sums) / max(seconds, 1e-6) * CHUNK_SECONDS)), 4 * size)
            waiting.append(sums)
            progress(len(sums))
            if time.monotonic() - flushed > FLUSH_SECONDS or sum(map(len, waiting)) * folder.slots > FLUSH_ROWS:
                flush()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        flush()
    return done
