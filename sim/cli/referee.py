"""nullsim referee FILE..."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("referee")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--quiet", is_flag=True, help="Only failures.")
def command(files: tuple[Path, ...], quiet: bool) -> None:
    """Check and score transcripts (JSON or JSON Lines), from this program or from a real table.

    Every game is judged; exit code 1 if one of them breaks the rules.

    \b
    nullsim referee games.jsonl
    """
    from kernels.transcript import Foul
    from sim.transcript import check, read

    fouls = 0
    for file in files:
        for number, data in read(file):
            try:
                game, judgement = check(data)
            except Foul as foul:
                fouls += 1
                name = data.get("game", "no game") if isinstance(data, dict) else "no game"
                click.echo(f"nullsim: {file}, game {number} ({name}): {foul}", err=True)
                continue
            if not quiet:
                lost = f", lost by {judgement.losers}" if judgement.losers else ""
                cut = ", truncated" if judgement.truncated else ""
                click.echo(
                    f"{file}, game {number}: {game.id}, totals {judgement.totals}, "
                    f"won by {judgement.winners or 'nobody'}{lost}{cut}"
                )
    if fouls:
        raise click.exceptions.Exit(1)
