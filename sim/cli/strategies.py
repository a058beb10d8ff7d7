"""nullsim strategies GAME"""

from __future__ import annotations

import click


@click.command("strategies")
@click.argument("game")
@click.option("--view", is_flag=True, help="Show what a strategy of your own sees and returns.")
def command(game: str, view: bool) -> None:
    """List the built-in strategies of a game with their parameters.

    \b
    nullsim strategies null-nichtig
    nullsim strategies null-nichtig --view
    """
    from sim.games import find_game
    from sim.strategies import covers, table

    row = find_game(game)
    if view:
        import inspect

        state = row.module("state")
        click.echo(inspect.cleandoc(state.__doc__ or "") + "\n\nFields of the view:\n")
        for name, (kind, _offset) in state.VIEW.fields.items():
            click.echo(f"    {name:<20}{kind.base}{list(kind.shape) if kind.shape else ''}")
        return
    for strategy in table(row):
        parts = [part for k, part in enumerate(row.parts) if covers(strategy, k)]
        only = f" (only as {', '.join(f'{part}={strategy.name}' for part in parts)})"
        click.echo(f"{strategy.name:<16}{strategy.meaning}{only if len(parts) < len(row.parts) else ''}")
        for parameter in strategy.parameters:
            click.echo(
                f"    {parameter.name}={parameter.default:g}  {parameter.meaning} "
                f"(from {parameter.low:g} to {parameter.high:g})"
            )
    if len(row.parts) > 1:
        click.echo(f"\nParts, each replaceable: {', '.join(row.parts)}; such as NAME:{row.parts[0]}=OTHER")
    click.echo("\nA strategy of your own: FILE.py:FUNCTION; what it sees: nullsim strategies " + row.id + " --view")
