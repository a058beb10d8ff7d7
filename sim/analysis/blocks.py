"""Playing blocks to their sums, and the folders in which these are kept.

A folder per scenario (its number of blocks left out), named by a hash of everything that decides its numbers; its
files hold ranges of blocks and appear by rename only, so that a second question plays only what is new, and what was
damaged (see `sealed`).
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim import store
from sim.analysis import sealed
from sim.engine import Engine
from sim.games import Game
from sim.runner import CHUNK_SECONDS

#: a file is written after so many seconds of playing, or so many rows: little is lost when a run is cut
FLUSH_SECONDS, FLUSH_ROWS = 10.0, 2**21
_FILE = re.compile(r"blocks-(\d+)-(\d+)-[0-9a-f]+\.parquet")

Progress = Callable[[int], None]


def columns_of(game: Game) -> list[str]:
    """The kernel columns that the game's metrics are made of."""
    names = {name for metric in game.metrics for name in (metric.top, metric.bottom)} - {"games"}
    return [column.name for column in game.game_columns if column.name in names]


class Kept:
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
            if end <= first or start >= last or end - start < 1 or not self._holds(file):
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

    def _holds(self, file: Path) -> bool:
        """Whether a file is as it was written, by these very kernels and strategies; if not, it is played anew."""
        return sealed.read_metadata(file, self.identity) is not None

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
        sealed.write(pa.table(columns), self.path, f"blocks-{first:09d}-{last:09d}", {"identity": self.identity})


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


def play_blocks(
    engine: Engine, folder: Kept, first: int, last: int, threads: int, progress: Progress
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
