"""`sim.run`: from a scenario to a result folder, with progress, interruption and resumption."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernels import compile as compiler
from kernels.rollout import BRANCH
from sim import interrupt, loading, runner, store
from sim.engine import Engine
from sim.errors import UsageError
from sim.result import Result, load, worst_error
from sim.scenario import Scenario, scenario
from sim.summary import Summary

#: more threads than this only cost memory
MOST_THREADS = 256


def run(
    game: str,
    *,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    strategies: str | Sequence[str] | None = None,
    blocks: int | None = None,
    games: int | None = None,
    target_error: float | None = None,
    max_blocks: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    record: str = "games",
    out: str | Path | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: bool = False,
) -> Result:
    """Plays `blocks` blocks (or at least `games` games) of a game and returns the results.

    Or, with `target_error`, until every strategy's win share has an anytime-valid interval of at most that half-width
    (looked at after whole parts), `max_blocks` at the most; all intervals of the result are then anytime-valid.
    `rules` are options of the game (`nullsim rules GAME`), `strategies` one name per seat or one for all. With `out`
    the results stay in that folder; otherwise they live as long as the result. Raises `UsageError` for what cannot
    be played and `RunError` for what fails while playing.
    """
    wanted = scenario(
        game=game,
        players=players,
        rules=dict(rules) if rules else None,
        strategies=strategies,
        blocks=blocks,
        games=games,
        target_error=target_error,
        max_blocks=max_blocks,
        seed=seed,
        seatings=seatings,
        record=record,
    )
    return play(
        wanted,
        Path(out) if out is not None else None,
        threads=threads,
        overwrite=overwrite,
        resume=resume,
        progress=progress,
    )


def play(
    wanted: Scenario,
    out: Path | None = None,
    *,
    threads: int | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: bool = False,
    chunk_blocks: int | None = None,
) -> Result:
    """Plays a checked scenario; see `run`. On Ctrl-C raises `runner.Interrupted` after whole parts are kept."""
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"threads: {threads} is not allowed; allowed: an integer from 1 to {MOST_THREADS}")
    engine = Engine(wanted)
    if out is None:
        home = Path(tempfile.mkdtemp(prefix="nullsim-"))
        try:
            result = play(wanted, home / "run", threads=threads, progress=progress, chunk_blocks=chunk_blocks)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        weakref.finalize(result, shutil.rmtree, home, ignore_errors=True)
        return result
    summary = Summary.empty(engine.game, len(engine.players), wanted.seats)
    if resume and os.path.exists(out):  # False for a name that no file can have, which is refused when it is made
        folder, summary = _resume(out, engine)
    else:
        folder = store.Folder.create(out, engine, overwrite)
    start, begun = time.monotonic(), summary.blocks
    status = "failed"
    goal = wanted.target_error

    def enough(sums: Summary) -> bool:
        error = worst_error(wanted, sums)
        return goal is not None and error is not None and error <= goal

    try:
        folder.finish("running", summary, 0.0)
        prepare(engine, progress)
        start = time.monotonic()
        with Bar(wanted.blocks, engine.games_per_block, progress, begun) as advance:
            if goal is None or not enough(summary):
                runner.play(
                    engine,
                    summary,
                    part_blocks=store.blocks_per_part(engine),
                    first=begun,
                    threads=threads,
                    chunk_blocks=chunk_blocks,
                    write=folder.write_part if wanted.record != "none" else None,
                    progress=advance,
                    enough=enough if goal is not None else None,
                )
        status = "done"
    except (runner.Interrupted, KeyboardInterrupt):
        status = "interrupted"
        raise runner.Interrupted(summary.blocks) from None
    finally:
        if status != "done" and summary.blocks == 0 and folder.made:
            folder.discard()
        else:
            reached = None if goal is None else enough(summary)
            folder.finish(status, summary, time.monotonic() - start, reached)
    return load(out)


def prepare(engine: Engine, announce: bool = True, rollouts: bool = False) -> None:
    """Loads or compiles the kernel, and its form for rollouts if these are to come; says so when it has to compile."""
    what = engine.game.id

    def say(name: str) -> None:
        if name == "play" and sys.stderr is not None:
            print(f"nullsim: compiling {what} for this machine, once (5 to 15 s) ...", file=sys.stderr)

    compiler.on_compile = say if announce else None
    try:
        engine.play(0, 0)
        if rollouts:
            what = f"rollouts of {engine.game.id}"
            engine.branch(np.zeros(1, BRANCH), 0, 0)
    finally:
        compiler.on_compile = None
    interrupt.check()


def _resume(out: Path, engine: Engine) -> tuple[store.Folder, Summary]:
    """The folder and the sums of the whole parts it holds; blocks after the first gap are played again."""
    info, played = loading.read_info(out)
    before, now = (
        store.identity({key: one[key] for key in store.PROVENANCE}) for one in (info, store.provenance(engine))
    )
    for key, value in now.items():
        if before[key] != value and key == "scenario":
            changed = [name for name in value if before[key].get(name) != value[name]]
            raise UsageError(f"resume: {out} was played with another {', '.join(changed)}")
        if before[key] != value:
            raise UsageError(f"resume: {out} was played with another {key}; its numbers would not fit")
    summary = Summary.empty(engine.game, len(engine.players), engine.scenario.seats)
    size, blocks, last = info["parts"], engine.scenario.blocks, 0
    if played.record == "none":
        summary = loading.read(out)[2]
        last = summary.blocks
    else:
        for number, file in loading.part_files(out):
            last, sums = loading.read_part(number, file, info, played)
            if summary.blocks == number * size and last == min((number + 1) * size, blocks):
                summary.merge(sums)
    if last > blocks:
        raise UsageError(f"resume: {out} holds {last:,} blocks, which is more than blocks={blocks}")
    folder = store.Folder(out, engine)
    folder.clear()
    return folder, summary


class Bar:
    """A progress bar on stderr with rate and remaining time; counts games. Silent unless `shown`."""

    def __init__(self, blocks: int, games_per_block: int, shown: bool, begun: int = 0) -> None:
        from tqdm import tqdm

        self._games = games_per_block
        tty = sys.stderr is not None and sys.stderr.isatty()
        self._bar = tqdm(
            total=blocks * games_per_block,
            initial=begun * games_per_block,
            unit=" games",
            unit_scale=True,
            file=sys.stderr,
            disable=not shown or sys.stderr is None,
            mininterval=0.2 if tty else 5.0,
            maxinterval=10.0,
            dynamic_ncols=True,
        )

    def __enter__(self) -> Bar:
        return self

    def __call__(self, blocks: int) -> None:
        self._bar.update(blocks * self._games)

    def __exit__(self, *exc: object) -> None:
        self._bar.close()
