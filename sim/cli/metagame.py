"""nullsim metagame GAME --strategies ..."""

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


@click.command("metagame")
@scenario_options
@amount_options
@click.option(
    "--objective",
    metavar="games|points|rounds",
    default="games",
    show_default=True,
    help="What players are after: games won, points, or rounds won where the game counts them.",
)
@click.option("--alpha", type=float, metavar="X", help="Selection strength of alpha-rank [default: the large limit].")
@click.option("--population", type=int, default=50, show_default=True, metavar="N", help="Population of alpha-rank.")
@level_option("intervals")
@click.option("--draws", type=int, default=1000, show_default=True, metavar="N", help="Draws of the bootstrap.")
@click.option("--payoffs", is_flag=True, help="Show the payoffs of every line-up too.")
@threads_option
@cache_options
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    payoffs: bool,
    quiet: bool,
    kind: str,
    output: Path | None,
    cache: Path | None,
    **given: Any,
) -> None:
    """Which strategies survive when everyone adapts: equilibrium, alpha-rank, dominated strategies.

    \b
    nullsim metagame null-nichtig --strategies random,duck,solid --blocks 5000
    """
    from sim.analysis.metagame import metagame
    from sim.errors import UsageError
    from sim.report.metagame import of_metagame

    own = {key: given.pop(key) for key in ("objective", "alpha", "population", "level", "draws", "threads")}
    values = known_values(scenario_values(**given), *KEYS)
    if "strategies" not in values:
        raise UsageError("strategies: name those that players choose among, --strategies A,B,...")
    with interruptible(cache):
        found = metagame(**values, **own, cache=cache, progress=not quiet)
    emit([of_metagame(found, payoffs)], kind, output)
