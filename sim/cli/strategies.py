"""nullsim strategies GAME"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernels.options import Choice, Number, show
from sim.cli.options import emit_rows, output_options, write_text

if TYPE_CHECKING:
    from sim.games import Game


def describe_view(row: Game) -> str:
    """What a strategy of the game sees and returns, from the game's own sources: docstrings, fields, rule codes."""
    import inspect
    import re

    state = row.module("state")
    source = inspect.getsource(state)
    fields = source.split("\nVIEW = ")[1].split("\nSTATE = ")[0]
    meanings = dict(re.findall(r'\("(\w+)", .*\),  # (.*)', fields))
    meanings |= {
        "seat": "the seat that is to move",
        "params": "the strategy's parameters: read them with sim.param(view, k)",
        "lots": "the seat's random stream: draw with sim.below(view, n) and sim.unit(view)",
    }
    options = {option.name: option for option in row.module("rules").OPTIONS}
    lines = [inspect.cleandoc(state.__doc__ or "")]
    if "from kernels." + row.id.replace("-", "_") + ".cards import" in source:
        lines += ["", inspect.cleandoc(row.module("cards").__doc__ or "")]
    constants = {
        name: value
        for name, value in vars(state).items()
        if name.isupper() and type(value) is int and re.search(rf"^[A-Z_, ]*\b{name}\b[A-Z_, ]* = ", source, re.M)
    }
    lines += ["", f"Constants (from kernels.{row.id.replace('-', '_')}.state import ...):", ""]
    lines += [f"    {name} = {value}" for name, value in constants.items()]
    lines += ["", "Fields of the view:", ""]
    for name, (kind, _offset) in state.VIEW.fields.items():
        shape = f"{kind.base}{list(kind.shape) if kind.shape else ''}"
        option = options.get(name)
        meaning = meanings.get(name, "")
        if option is not None and not meaning:
            meaning = f"rule: {option.meaning}"
            if isinstance(option, Choice) and not isinstance(option, Number):
                meaning += "; " + ", ".join(f"{option.encode(value)} {show(value)}" for value in option.values)
        lines.append(f"    {name:<20}{shape:<16}{meaning}")
    return "\n".join(lines)


@click.command("strategies")
@click.argument("game")
@click.option("--view", is_flag=True, help="Show what a strategy of your own sees and returns.")
@output_options
def command(game: str, view: bool, kind: str, output: Path | None) -> None:
    """List the built-in strategies of a game with their parameters.

    \b
    nullsim strategies null-nichtig
    nullsim strategies null-nichtig --view
    """
    from sim.games import find_game
    from sim.strategies import covers, table

    row = find_game(game)
    if view:
        write_text(describe_view(row) + "\n", output)
        return
    rows: list[dict[str, str]] = []
    lines = []
    for strategy in table(row):
        parts = [part for k, part in enumerate(row.parts) if covers(strategy, k)]
        only = ", ".join(f"{part}={strategy.name}" for part in parts) if len(parts) < len(row.parts) else ""
        lines.append(f"{strategy.name:<16}{strategy.meaning}" + (f" (only as {only})" if only else ""))
        settings = [
            f"{item.name}={item.default:g}  {item.meaning} (from {item.low:g} to {item.high:g})"
            for item in strategy.parameters
        ]
        lines += [f"    {setting}" for setting in settings]
        rows.append(
            {"strategy": strategy.name, "meaning": strategy.meaning, "parameters": "; ".join(settings), "only as": only}
        )
    if kind != "text":
        emit_rows(f"Strategies of {row.title}", rows, kind, output)
        return
    if len(row.parts) > 1:
        lines += ["", f"Parts, each replaceable: {', '.join(row.parts)}; such as NAME:{row.parts[0]}=OTHER"]
    lines += ["", f"A strategy of your own: FILE.py:FUNCTION; what it sees: nullsim strategies {row.id} --view"]
    write_text("\n".join(lines) + "\n", output)
