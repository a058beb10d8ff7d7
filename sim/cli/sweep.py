"""nullsim sweep GAME --rule KEY=a,b,c"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sim.cli.options import (
    amount_options,
    cache_options,
    emit,
    interruptible,
    level_option,
    output_options,
    scenario_options,
    scenario_values,
    threads_option,
)


@click.command("sweep")
@scenario_options
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; repeatable.")
@level_option("bands")
@amount_options
@threads_option
@cache_options
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    metrics: tuple[str, ...],
    level: float,
    threads: int | None,
    quiet: bool,
    kind: str,
    output: Path | None,
    cache: Path | None,
    **given: Any,
) -> None:
    """What a rule does: metrics over the values of one or two rules, on common cards.

    A --rule with several values, KEY=a,b,c or KEY=from:to:step, makes the grid (at most two do); sets of names are
    separated by semicolons. Changes are against the default value.

    \b
    nullsim sweep null-nichtig --rule no_trick_penalty=-20:0:5 --strategies duck,solid,solid,solid
    nullsim sweep nil --rule scoring=award,transfer --strategies duck --metric score
    """
    from sim.analysis.sweep import sweep
    from sim.report.sweeping import of_sweep

    values = scenario_values(**given)
    values.pop("record", None)
    with interruptible(cache):
        found = sweep(**values, metrics=metrics, level=level, threads=threads, cache=cache, progress=not quiet)
    emit([of_sweep(found)], kind, output)
