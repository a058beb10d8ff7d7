"""nullsim compare GAME --a ... --b ..."""

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
    pairs,
    scenario_options,
    scenario_values,
    target_options,
    threads_option,
)

CHECKS = ("different", "better", "worse", "equivalent", "undecided", "accept", "reject")


@click.command("compare")
@scenario_options
@click.option("--a", metavar="STRATEGY", help="The strategy in question.")
@click.option("--b", metavar="STRATEGY", help="What it is measured against, in the same seat [default: A].")
@click.option("--field", metavar="C,...", help="The other seats: one for all, or one for each [default: B].")
@click.option(
    "--versus",
    metavar="seat|table",
    default="seat",
    show_default=True,
    help="A and B one after the other in the same seat of the field, or both at one table with it.",
)
@click.option("--a-rule", "a_rules", multiple=True, metavar="KEY=VALUE", help="A rule on A's side; repeatable.")
@click.option("--b-rule", "b_rules", multiple=True, metavar="KEY=VALUE", help="A rule on B's side; repeatable.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="What is compared; repeatable, and the first decides [default: win_share, score].",
)
@click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    metavar="[METRIC=]X",
    help="A difference that does not matter [default: 0.01 of shares, else 0.1].",
)
@level_option("intervals")
@amount_options
@target_options
@click.option("--sprt", metavar="LOW:HIGH", help="Play until the difference is shown to be <= LOW or >= HIGH.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="With --sprt: chance to accept wrongly.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="With --sprt: chance to reject wrongly.")
@click.option(
    "--fail-on",
    "fails",
    multiple=True,
    type=click.Choice(CHECKS),
    help="Exit with code 1 if this is what came out; repeatable.",
)
@threads_option
@cache_options
@click.option("--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    a_rules: tuple[str, ...],
    b_rules: tuple[str, ...],
    metrics: tuple[str, ...],
    epsilons: tuple[str, ...],
    sprt: str | None,
    fails: tuple[str, ...],
    quiet: bool,
    kind: str,
    output: Path | None,
    cache: Path | None,
    **given: Any,
) -> None:
    """How much better is A than B, and is it sure? Two strategies in one field, or two rule sets, on common cards.

    \b
    nullsim compare null-nichtig --a duck --b solid --rule no_trick_penalty=-10
    nullsim compare null-nichtig --strategies solid --a-rule no_trick_penalty=-10 --metric score
    nullsim compare nil --a switch --b duck --sprt 0:0.01 --fail-on reject
    """
    from sim.analysis.compare import compare
    from sim.report.comparison import of_comparison

    own = {key: given.pop(key) for key in ("a", "b", "field", "versus", "level", "alpha", "beta", "threads")}
    values = scenario_values(**given)
    values.pop("record", None)
    with interruptible(cache):
        found = compare(
            **values,
            **own,
            a_rules=pairs(a_rules, "--a-rule"),
            b_rules=pairs(b_rules, "--b-rule"),
            metrics=metrics,
            epsilon=_epsilons(epsilons, metrics[0] if metrics else "win_share"),
            sprt=_bounds(sprt),
            cache=cache,
            progress=not quiet,
        )
    emit([of_comparison(found)], kind, output)
    failed = sorted(found.states() & set(fails))
    if failed:
        click.echo(f"nullsim: {found.main}: {', '.join(failed)}", err=True)
        raise click.exceptions.Exit(1)


def _epsilons(items: tuple[str, ...], main: str) -> dict[str, float]:
    found = {}
    for item in items:
        name, _, value = item.rpartition("=")
        try:
            found[name or main] = float(value)
        except ValueError:
            raise click.UsageError(f"--epsilon {item}: a number is expected, or METRIC=NUMBER") from None
    return found


def _bounds(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise click.UsageError(f"--sprt {text}: two numbers LOW:HIGH are expected") from None
