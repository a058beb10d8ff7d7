"""nullsim balance GAME"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sim.cli.options import (
    folder_of,
    level_option,
    page_options,
    scenario_options,
    scenario_values,
    threads_option,
    write_text,
)

KEYS = ("game", "players", "rules", "strategies", "seed")


@click.command("balance")
@scenario_options
@click.option(
    "--against",
    multiple=True,
    metavar="KEY=VALUE",
    help="A rule of a second variant, measured beside the first on the same blocks; repeatable.",
)
@click.option("--reference", metavar="NAME", help="The strategy of all seats where all play alike [default: the best].")
@click.option(
    "--study", metavar="KEY=FROM:TO:STEP", help="The rule to look at in depth [default: the game's usual one]."
)
@click.option("--quick", is_flag=True, help="About a tenth of the games: wider intervals, and labelled so.")
@level_option("intervals")
@click.option(
    "--out",
    callback=folder_of,
    metavar="DIR",
    help="Folder of the report [default: results/balance-GAME-TIME].",
)
@click.option(
    "--figures",
    callback=folder_of,
    metavar="DIR",
    help="Where the figures' files go [default: figures in the report's folder].",
)
@click.option("--resume", is_flag=True, help="Go on in an existing folder with what it holds.")
@click.option("--overwrite", is_flag=True, help="Replace an existing report; it stays until the new one is whole.")
@threads_option
@click.option("--quiet", is_flag=True, help="No progress.")
@page_options
def command(
    against: tuple[str, ...],
    out: Path | None,
    figures: Path | None,
    resume: bool,
    overwrite: bool,
    quiet: bool,
    kind: str,
    output: Path | None,
    **given: Any,
) -> None:
    """The whole balance report of a game: page, Markdown, JSON, figures and data.

    Prints the verdict in words; another --format prints the whole report.

    \b
    nullsim balance null-nichtig --against no_trick_penalty=-10
    nullsim balance nil --quick --out results/nil
    """
    from sim.analysis.balance import answer, ask
    from sim.cli.options import keep_out, known_values, pairs
    from sim.report.balance_folder import Folder
    from sim.report.balance_report import told
    from sim.report.formats import render

    threads = given.pop("threads")
    own = {key: given.pop(key) for key in ("reference", "study", "quick", "level")}
    values = known_values({k: v for k, v in scenario_values(**given).items() if k != "seatings" or v}, *KEYS)
    if output is not None and out is not None:
        keep_out(output, out)
    question = ask(**values, **own, against=pairs(against, "--against"))
    folder = Folder.make(question, out, figures, resume=resume, overwrite=overwrite)
    try:
        found = answer(question, threads=threads, cache=folder.data, progress=not quiet)
        document = folder.write(found)
        text = f"{told(document)}\nThe report: {folder.page}\n" if kind == "text" else render([document], kind)
    except KeyboardInterrupt:
        again = "overwrite" if overwrite else "resume"
        click.echo(f"nullsim: interrupted: what was played is kept in {folder.path}; --{again} goes on", err=True)
        raise click.exceptions.Exit(130) from None
    except BaseException:
        folder.undo()
        raise
    write_text(text, output)
