"""nullsim games"""

from __future__ import annotations

import click


@click.command("games")
def command() -> None:
    """List the games.

    \b
    nullsim games
    """
    from sim.games import GAMES

    for game in GAMES.values():
        seats = ", ".join(map(str, game.seats))
        click.echo(f"{game.id:<16}{game.title}; {seats} players")
