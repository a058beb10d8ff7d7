"""nullsim games"""

from __future__ import annotations

from pathlib import Path

import click

from sim.cli.options import emit_rows, output_options, write_text


@click.command("games")
@output_options
def command(kind: str, output: Path | None) -> None:
    """List the games.

    \b
    nullsim games
    """
    from sim.games import GAMES

    rows = [
        {"game": game.id, "title": game.title, "players": ", ".join(map(str, game.seats))} for game in GAMES.values()
    ]
    if kind == "text":
        lines = [f"{row['game']:<16}{row['title']}; {row['players']} players" for row in rows]
        write_text("\n".join(lines) + "\n", output)
    else:
        emit_rows("Games", rows, kind, output)
