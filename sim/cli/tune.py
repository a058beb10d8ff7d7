"""nullsim tune GAME --strategy NAME ..."""

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

KEYS = ("game", "players", "rules", "blocks", "games", "seed", "seatings")


@click.command("tune")
@scenario_options
@click.option("--strategy", metavar="NAME", help="The strategy to tune; parameters in its text are where it starts.")
@click.option("--field", metavar="C,...", help="The other seats: one for all, or one for each [default: NAME itself].")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="KEY[=LOW:HIGH]",
    help="A parameter to tune and where to look; repeatable [default: all].",
)
@amount_options
@click.option(
    "--search-blocks",
    type=int,
    metavar="N",
    help="Budget of the search: candidates times blocks [default: 40 times the blocks of the report].",
)
@click.option(
    "--objective",
    metavar="games|points|rounds",
    default="games",
    show_default=True,
    help="What is maximised: games won, points, or rounds won where the game counts them.",
)
@click.option(
    "--epsilon", type=float, metavar="X", help="A gain that does not matter [default: 0.01 of shares, else 0.1]."
)
@level_option("interval")
@click.option("--steps", is_flag=True, help="Show the course of the search too.")
@threads_option
@cache_options
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    strategy: str | None,
    parameters: tuple[str, ...],
    steps: bool,
    quiet: bool,
    kind: str,
    output: Path | None,
    cache: Path | None,
    **given: Any,
) -> None:
    """The best response to a field within a strategy's parameters, and its gain on fresh blocks.

    \b
    nullsim tune null-nichtig --strategy solid --field dodge --parameter greed --parameter risk=0:10
    """
    from sim.analysis.tune import tune
    from sim.errors import UsageError
    from sim.report.tuning import of_tuned

    own = {key: given.pop(key) for key in ("field", "search_blocks", "objective", "epsilon", "level", "threads")}
    if given.pop("strategies") is not None:
        raise UsageError("strategies: tune takes one with --strategy, and the other seats with --field")
    if strategy is None:
        raise UsageError("strategy: which one is to be tuned? --strategy NAME")
    values = known_values({k: v for k, v in scenario_values(**given).items() if k != "strategies"}, *KEYS)
    with interruptible(cache):
        found = tune(
            **values, **own, strategy=strategy, parameters=_bounds(parameters), cache=cache, progress=not quiet
        )
    emit([of_tuned(found, steps)], kind, output)


def _bounds(items: tuple[str, ...]) -> dict[str, tuple[float, float] | None]:
    found: dict[str, tuple[float, float] | None] = {}
    for item in items:
        key, equals, limits = item.partition("=")
        low, colon, high = limits.partition(":")
        if not key or (equals and not colon):
            raise click.UsageError(f"--parameter {item}: KEY or KEY=LOW:HIGH is expected")
        if key in found:
            raise click.UsageError(f"--parameter {key} is given twice")
        try:
            found[key] = (float(low), float(high)) if equals else None
        except ValueError:
            raise click.UsageError(f"--parameter {item}: LOW and HIGH must be numbers") from None
    return found
