"""Plays a scenario: blocks in chunks over threads, chunks into parts, parts into a sink, sums into a summary.

Chunk sizes adapt to how long chunks take; they, and the number of threads, leave no trace in the results.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import numpy as np

from sim import interrupt
from sim.engine import Chunk, Engine
from sim.errors import RunError
from sim.summary import Summary

#: how long a chunk should take, in seconds: short enough to interrupt, long enough to be cheap
CHUNK_SECONDS = 0.25
#: most rows of a chunk, so that the sums are taken of rows still in a cache and not in memory fresh from the system
CHUNK_ROWS = 2**16

Write = Callable[[int, Chunk, Summary], None]
Progress = Callable[[int], None]
Enough = Callable[[Summary], bool]


class Interrupted(Exception):
    """Ctrl-C during a run; what was whole by then is in the summary. Its argument, if any: blocks kept."""


def play(
    engine: Engine,
    summary: Summary,
    *,
    part_blocks: int,
    first: int = 0,
    last: int | None = None,
    threads: int | None = None,
    chunk_blocks: int | None = None,
    write: Write | None = None,
    progress: Progress | None = None,
    enough: Enough | None = None,
) -> None:
    """Plays the blocks first..last-1 (all of the scenario's by default) and adds whole parts to `summary`.

    `write(number, chunk, sums)` gets every whole part, from a worker thread; `progress(blocks)` is told of blocks
    played. `enough(sums)` is asked after every whole part, in order, whether to stop there; the answer must depend on
    the sums alone. `chunk_blocks` fixes the chunk size (for tests). Raises `RunError` of the first block that failed,
    in the order of blocks, and `Interrupted` on Ctrl-C; parts that are whole by then are kept.
    """
    last = engine.scenario.blocks if last is None else last
    run = _Run(engine, summary, part_blocks, write, progress or (lambda blocks: None), chunk_blocks, enough)
    run.go(first, last, threads or os.cpu_count() or 1)


class _Run:
    def __init__(
        self,
        engine: Engine,
        summary: Summary,
        part_blocks: int,
        write: Write | None,
        progress: Progress,
        chunk_blocks: int | None,
        enough: Enough | None,
    ) -> None:
        self.engine, self.summary, self.part_blocks = engine, summary, part_blocks
        self.write, self.progress, self.fixed = write, progress, chunk_blocks
        self.size = chunk_blocks or 1
        self.pending: deque[tuple[int, Future[tuple[Chunk | None, Summary]]]] = deque()
        self.writing: deque[Future[Summary]] = deque()
        self.pieces: list[Chunk] = []
        self.part_sums = self._no_sums()
        self.enough, self.closed = enough, self._no_sums()
        self.closed.merge(summary)

    def _no_sums(self) -> Summary:
        return Summary.empty(self.engine.game, self.summary.slots, self.summary.seats)

    def _chunks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The chunks in order, none of them across a part's border; their size is decided as they are taken."""
        while first < last:
            part_end = (first // self.part_blocks + 1) * self.part_blocks
            end = min(first + self.size, part_end, last)
            yield first, end
            first = end

    def _task(self, first: int, last: int) -> tuple[Chunk | None, Summary]:
        start = time.perf_counter()
        chunk = self.engine.play(first, last)
        sums = self._no_sums()
        sums.add(chunk.games, self.engine.seatings, last - first)
        if not self.fixed:
            rate = (last - first) / max(time.perf_counter() - start, 1e-6)
            wanted = max(1, min(int(rate * CHUNK_SECONDS), CHUNK_ROWS // self.engine.rows_per_block))
            self.size = min(wanted, 4 * self.size)  # grows step by step: the first chunks also compile
        return (chunk if self.write else None), sums

    def go(self, first: int, last: int, threads: int) -> None:
        chunks = self._chunks(first, last)
        pool = ThreadPoolExecutor(threads, thread_name_prefix="nullsim")
        try:
            while True:
                interrupt.check()
                while len(self.pending) < 2 * threads and (bounds := next(chunks, None)):
                    self.pending.append((bounds[1], pool.submit(self._task, *bounds)))
                if not self.pending:
                    break
                end, future = self.pending.popleft()
                chunk, sums = future.result()
                self.progress(sums.blocks)
                self.part_sums.merge(sums)
                if chunk is not None:
                    self.pieces.append(chunk)
                if end % self.part_blocks == 0 or end == last:
                    self._close_part(pool, end)
                    if self.enough is not None and self.enough(self.closed):
                        for _, later in self.pending:
                            later.cancel()
                        break
            self._settle(0)
        except KeyboardInterrupt:
            self._abandon()
            raise Interrupted from None
        except RunError:
            self._abandon()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _close_part(self, pool: ThreadPoolExecutor, end: int) -> None:
        sums, self.part_sums = self.part_sums, self._no_sums()
        if self.enough is not None:
            self.closed.merge(sums)  # `summary` lags behind: it has what is written
        if self.write is None:
            self.summary.merge(sums)
            return
        pieces, self.pieces = self.pieces, []
        number = (end - 1) // self.part_blocks
        self.writing.append(pool.submit(self._write, number, pieces, sums))
        self._settle(2)  # parts are large: no more than two wait in memory

    def _write(self, number: int, pieces: list[Chunk], sums: Summary) -> Summary:
        assert self.write is not None
        games = np.concatenate([piece.games for piece in pieces], axis=1)
        rounds = np.concatenate([piece.rounds for piece in pieces], axis=1)
        self.write(number, Chunk(pieces[0].first, pieces[-1].last, games, rounds), sums)
        return sums

    def _settle(self, allowed: int) -> None:
        """Waits until at most `allowed` parts are still being written."""
        while len(self.writing) > allowed:
            self.summary.merge(self.writing.popleft().result())

    def _abandon(self) -> None:
        """Lets parts that are being written come to an end and counts them; drops the rest."""
        for _, future in self.pending:
            future.cancel()
        while self.writing:
            written = self.writing.popleft()
            with suppress(RunError):  # the error that ended the run is the one to tell
                self.summary.merge(written.result())
