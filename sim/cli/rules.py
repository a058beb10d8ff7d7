"""nullsim rules GAME"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

import click

from sim.cli.options import emit_rows, output_options, write_text


@click.command("rules")
@click.argument("game")
@output_options
def command(game: str, kind: str, output: Path | None) -> None:
    """List the rule options of a game: values, default and meaning.

    \b
    nullsim rules null-nichtig
    """
    from sim.games import find_game

    row = find_game(game)
    options = row.module("rules").OPTIONS
    if kind != "text":
        rows = [
            {"rule": item.name, "values": item.allowed(), "default": item.default_text(), "meaning": item.meaning}
            for item in options
        ]
        emit_rows(f"Rules of {row.title}", rows, kind, output)
        return
    lines = [f"{row.title}: options for --rule KEY=VALUE", ""]
    for option in options:
        lines.append(option.name)
        for line in (option.meaning, f"values: {option.allowed()}", f"default: {option.default_text()}"):
            lines.append(fill(line, 100, initial_indent="    ", subsequent_indent="        "))
    write_text("\n".join(lines) + "\n", output)
