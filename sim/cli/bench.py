"""nullsim bench [GAME]"""

from __future__ import annotations

from typing import Any

import click


@click.command("bench")
@click.argument("game", required=False)
@click.option("--players", type=int, metavar="N", help="Number of players.")
@click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; repeatable.")
@click.option("--strategies", metavar="A,B,...", help="A line-up [default: each built-in strategy in all seats].")
@click.option("--seconds", type=float, default=1.0, show_default=True, help="CPU time of one measurement.")
@click.option("--runs", type=int, default=3, show_default=True, help="Measurements of each line-up; the best counts.")
@click.option("--json", "as_json", is_flag=True, help="A list of objects instead of a table.")
def command(
    game: str | None,
    players: int | None,
    rules: tuple[str, ...],
    strategies: str | None,
    seconds: float,
    runs: int,
    as_json: bool,
) -> None:
    """Speed of line-ups on this machine: the kernel on one thread, and `run` on all.

    \b
    nullsim bench null-nichtig --strategies random
    """
    import json

    from sim.bench import measure
    from sim.cli.options import pairs
    from sim.errors import UsageError
    from sim.games import GAMES, find_game
    from sim.strategies import covers, table

    if not 0 < seconds <= 3600 or not 1 <= runs <= 1000:
        raise UsageError("seconds must be above 0 and at most 3600, runs from 1 to 1000")
    rows: list[dict[str, Any]] = []
    for row in [find_game(game)] if game else GAMES.values():
        whole = [item.name for item in table(row) if all(covers(item, part) for part in range(len(row.parts)))]
        for line_up in whole if strategies is None else [strategies]:
            found = measure(row.id, players, pairs(rules), line_up, seconds, runs)
            rows.append(found)
            if not as_json:
                if len(rows) == 1:
                    click.echo(f"{'game':<16}{'players':>8}  {'strategies':<32}{'one thread':>22}{'all threads':>16}")
                click.echo(
                    f"{found['game']:<16}{found['players']:>8}  {found['strategies']:<32}"
                    f"{found['rate']:>14,.0f} {found['unit']}/s{found['rate_all_threads']:>14,.0f}/s"
                )
    if as_json:
        click.echo(json.dumps(rows, indent=1))
