"""nullsim rules GAME"""

from __future__ import annotations

from textwrap import fill

import click


@click.command("rules")
@click.argument("game")
def command(game: str) -> None:
    """List the rule options of a game: values, default and meaning.

    \b
    nullsim rules null-nichtig
    """
    from sim.games import find_game

    row = find_game(game)
    click.echo(f"{row.title}: options for --rule KEY=VALUE\n")
    for option in row.module("rules").OPTIONS:
        click.echo(option.name)
        for line in (option.meaning, f"values: {option.allowed()}", f"default: {option.default_text()}"):
            click.echo(fill(line, 100, initial_indent="    ", subsequent_indent="        "))
