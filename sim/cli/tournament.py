"""nullsim tournament GAME --strategies ..."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sim.cli.options import (
    amount_options,
    cache_options,
    emit,
    interruptible,
    known_values,
    level_option,
    output_options,
    scenario_options,
    scenario_values,
    threads_option,
)

KEYS = ("game", "players", "rules", "strategies", "blocks", "games", "seed", "seatings")


@click.command("tournament")
@scenario_options
@amount_options
@click.option(
    "--line-ups",
    type=click.Choice(["pairs", "all"]),
    default="pairs",
    show_default=True,
    help="Every two strategies half and half (or in --field), or every multiset of them.",
)
@click.option("--field", metavar="C,...", help="With pairs: the other seats; one strategy for all, or one for each.")
@click.option("--different", type=int, metavar="N", help="With all: at most N different strategies at a table.")
@click.option(
    "--objective",
    metavar="games|points|rounds",
    default="games",
    show_default=True,
    help="What leads and ranks are about: share of games won, points, or rounds won where the game counts them.",
)
@click.option(
    "--ranking",
    type=click.Choice(["plackett-luce", "edge"]),
    help="Rank by strength, or by the mean lead over the table [default: plackett-luce for games, else edge].",
)
@click.option(
    "--epsilon", type=float, metavar="X", help="A lead that does not matter [default: 0.01 of shares, else 0.1]."
)
@level_option("intervals")
@click.option("--draws", type=int, default=1000, show_default=True, metavar="N", help="Draws of the bootstrap.")
@click.option("--tables", is_flag=True, help="Show every line-up's means too.")
@threads_option
@cache_options
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    tables: bool,
    quiet: bool,
    kind: str,
    output: Path | None,
    cache: Path | None,
    **given: Any,
) -> None:
    """Every match-up of some strategies on common cards: leads, ranking, rungs of 60 %.

    \b
    nullsim tournament null-nichtig --strategies random,duck,solid --blocks 5000
    nullsim tournament nil --strategies random,duck,switch --line-ups all --objective points
    """
    from sim.analysis.tournament import tournament
    from sim.errors import UsageError
    from sim.report.tournament import of_tournament

    names = ("line_ups", "field", "different", "objective", "ranking", "epsilon", "level", "draws", "threads")
    own = {key: given.pop(key) for key in names}
    values = known_values(scenario_values(**given), *KEYS)
    if "strategies" not in values:
        raise UsageError("strategies: name those that compete, --strategies A,B,...")
    with interruptible(cache):
        found = tournament(**values, **own, cache=cache, progress=not quiet)
    emit([of_tournament(found, tables)], kind, output)
