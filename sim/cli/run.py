"""nullsim run GAME"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sim.cli.options import (
    amount_options,
    emit,
    folder_of,
    make_scenario,
    output_options,
    scenario_options,
    target_options,
    threads_option,
)


@click.command("run")
@scenario_options
@amount_options
@target_options
@threads_option
@click.option(
    "--record",
    metavar="games|rounds|none",
    help="Rows to keep: one per game and seat, also one per round, or sums only [default: games].",
)
@click.option(
    "--out",
    callback=folder_of,
    metavar="DIR",
    help="Result folder [default: results/GAME-TIMESTAMP]; it must not exist.",
)
@click.option("--resume", is_flag=True, help="Go on where an interrupted run of the same scenario stopped.")
@click.option("--overwrite", is_flag=True, help="Replace an existing result folder.")
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    out: Path | None,
    resume: bool,
    overwrite: bool,
    quiet: bool,
    threads: int | None,
    kind: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Play a game many times, keep the results, print the report.

    \b
    nullsim run null-nichtig --strategies duck,solid,solid,solid \\
        --rule no_trick_penalty=-10 --blocks 200000
    """
    from datetime import datetime

    from sim.errors import UsageError
    from sim.play import play
    from sim.report.document import of_result
    from sim.runner import Interrupted

    if resume and overwrite:
        raise UsageError("resume and overwrite: give one of them")
    if resume and out is None:
        raise UsageError("resume: name the folder with --out DIR")
    scenario = make_scenario(**given)
    if out is None:
        out = Path("results") / f"{scenario.game}-{datetime.now():%Y%m%d-%H%M%S-%f}"
    try:
        result = play(scenario, out, threads=threads, overwrite=overwrite, resume=resume, progress=not quiet)
    except Interrupted as interrupted:
        done = interrupted.args[0] if interrupted.args else 0
        if not done:
            raise click.exceptions.Exit(_interrupted("nothing whole was played yet; nothing is kept")) from None
        text = f"{done:,} of {scenario.blocks:,} blocks are kept in {out}; the same command with --out {out} --resume"
        raise click.exceptions.Exit(_interrupted(f"{text} goes on")) from None
    if not quiet:
        rate = result.summary.games / max(result.info["wall_seconds"], 1e-9)
        click.echo(f"nullsim: {result.summary.games:,} games, {rate:,.0f} a second, in {out}", err=True)
    emit([of_result(result, [["strategy"], ["seat"]])], kind, output)


def _interrupted(text: str) -> int:
    click.echo(f"nullsim: interrupted: {text}", err=True)
    return 130
