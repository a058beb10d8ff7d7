"""nullsim breakeven GAME --rule KEY=from:to --a ... --b ..."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sim.cli.options import (
    cache_options,
    emit,
    interruptible,
    level_option,
    output_options,
    scenario_options,
    scenario_values,
    threads_option,
)


@click.command("breakeven")
@scenario_options
@click.option("--a", metavar="STRATEGY", help="The strategy in question.")
@click.option("--b", metavar="STRATEGY", help="What it is measured against [default: the field].")
@click.option("--field", metavar="C,...", help="The other seats: one for all, or one for each [default: B].")
@click.option(
    "--versus",
    metavar="table|seat",
    default="table",
    show_default=True,
    help="A and B at one table, or one after the other in the same seat of the field.",
)
@click.option(
    "--objective", multiple=True, metavar="points|rounds|games", help="Only this objective; repeatable [default: all]."
)
@level_option("sets")
@click.option("--blocks", type=int, metavar="N", help="Blocks at the values that matter [default: 100000].")
@click.option("--games", type=int, metavar="N", help="At least so many games there: whole blocks.")
@threads_option
@cache_options
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    quiet: bool,
    kind: str,
    output: Path | None,
    cache: Path | None,
    **given: Any,
) -> None:
    """The value of a rule at which A and B do equally well: points, rounds won, games won.

    Exactly one --rule is a range, KEY=from:to. Every objective has its own answer, which may be "none".

    \b
    nullsim breakeven null-nichtig --rule no_trick_penalty=-20:0 --a duck --b solid
    nullsim breakeven null-nichtig --rule no_trick_penalty=-20:0 --a duck --field solid,random,random
    """
    from sim.analysis.breakeven import breakeven
    from sim.report.breaking import of_breakeven

    own = {key: given.pop(key) for key in ("a", "b", "field", "versus", "objective", "level", "threads")}
    values = scenario_values(**given)
    for key in ("record", "strategies"):
        if values.pop(key, None) is not None and key == "strategies":
            raise click.UsageError("--strategies: the tables are made of --a, --b and --field; leave it out")
    with interruptible(cache):
        found = breakeven(**values, **own, cache=cache, progress=not quiet)
    emit([of_breakeven(found)], kind, output)
