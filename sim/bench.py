"""Speed of line-ups: units per CPU second of the kernel alone on one thread, and per second of all threads."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sim.engine import Engine
from sim.play import prepare
from sim.scenario import scenario


def measure(
    game: str, players: int | None, rules: dict[str, Any], strategies: str, seconds: float, runs: int
) -> dict[str, Any]:
    """Measures one line-up, fixed seating: the best of `runs` measurements of about `seconds` CPU seconds each.

    `units` and `cpu_seconds` are those of the best measurement, `rate` their ratio; `rate_all_threads` counts wall
    time of as many threads as there are cores, each playing blocks of its own.
    """
    engine = Engine(
        scenario(game=game, players=players, rules=rules, strategies=strategies, seatings="fixed", record="none")
    )
    prepare(engine)
    blocks = 1
    while _timed(engine, 0, blocks)[1] < 0.05:
        blocks *= 2
    blocks = max(1, int(blocks * seconds / max(_timed(engine, 0, blocks)[1], 1e-3)))
    best: tuple[int, float] | None = None
    for k in range(runs):
        found = _timed(engine, k * blocks, (k + 1) * blocks)
        if best is None or found[0] / found[1] > best[0] / best[1]:
            best = found
    assert best is not None
    threads = os.cpu_count() or 1
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        spans = [(k * blocks, (k + 1) * blocks) for k in range(threads)]
        together = sum(units for units, _ in pool.map(lambda span: _timed(engine, *span), spans))
    wall = time.perf_counter() - start
    return {
        "game": game,
        "players": engine.scenario.seats,
        "strategies": ",".join(engine.scenario.labels),
        "unit": engine.game.unit,
        "units": best[0],
        "cpu_seconds": round(best[1], 4),
        "rate": round(best[0] / best[1]),
        "threads": threads,
        "rate_all_threads": round(together / wall),
    }


#: rows of one call: few enough to stay in a core's cache, so that the kernel is timed and not the memory
ROWS = 2**13


def _timed(engine: Engine, first: int, last: int) -> tuple[int, float]:
    """Units played and CPU seconds of this thread."""
    step, units, spent = max(1, ROWS // engine.rows_per_block), 0, 0.0
    for block in range(first, last, step):
        start = time.thread_time()
        chunk = engine.play(block, min(block + step, last))
        spent += time.thread_time() - start
        units += engine.units(chunk)
    return units, spent
