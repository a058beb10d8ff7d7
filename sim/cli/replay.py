"""nullsim replay GAME ... --block B --seating K"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sim.cli.options import make_scenario, output_option, scenario_options, write_text


@click.command("replay")
@scenario_options
@click.option("--block", type=int, metavar="B", help="The block of the game.")
@click.option("--blocks", "span", metavar="A:B", help="All games of blocks A to B-1, as JSON Lines.")
@click.option("--seating", type=int, metavar="K", help="The seating within the block [default: 0].")
@click.option("--json", "as_json", is_flag=True, help="A transcript instead of an account to read.")
@output_option
def command(
    game: str | None,
    block: int | None,
    span: str | None,
    seating: int | None,
    as_json: bool,
    output: Path | None,
    **given: Any,
) -> None:
    """Show one game of a run move by move. GAME may be a result folder: its scenario is used.

    \b
    nullsim replay null-nichtig --strategies dodge,random,random,random --block 7
    nullsim replay results/my-run --block 7 --seating 2 --json
    nullsim replay nil --blocks 0:100 --output games.jsonl
    """
    from sim.engine import Engine
    from sim.errors import RunError, UsageError
    from sim.games import GAMES
    from sim.loading import read_info
    from sim.play import prepare
    from sim.transcript import check, check_place, record

    if (block is None) == (span is None):
        raise UsageError("replay: give --block B, or --blocks A:B")
    if game is not None and game not in GAMES and Path(game).is_dir():
        if any(value not in (None, ()) for value in given.values()):
            raise UsageError("replay: a result folder has its own scenario; give no options of a game with it")
        scenario = read_info(Path(game))[1]
    else:
        scenario = make_scenario(game, **given)
    first, last = _span(span) if span is not None else (0, 0)
    engine = Engine(scenario)
    check_place(engine, first if span is not None else block or 0, seating or 0)
    check_place(engine, max(first, last - 1), 0)
    prepare(engine)
    if span is not None:
        seatings = range(engine.games_per_block) if seating is None else (seating,)
        lines = []
        for number in range(first, last):
            for k in seatings:
                data, stopped = record(engine, number, k)
                if stopped is not None:
                    raise stopped
                lines.append(json.dumps(data))
        write_text("\n".join(lines) + "\n", output)
        return
    assert block is not None
    data, stopped = record(engine, block, seating or 0)
    if as_json:
        write_text(json.dumps(data, indent=1) + "\n", output)
    else:
        write_text("\n".join(_account(data, stopped is not None, check)) + "\n", output)
    if stopped is not None:
        raise RunError(str(stopped).split("; to see it")[0])


def _span(text: str) -> tuple[int, int]:
    from sim.errors import UsageError

    first, colon, last = text.partition(":")
    try:
        bounds = int(first), int(last)
    except ValueError:
        bounds = 0, 0
    if not colon or not 0 <= bounds[0] < bounds[1]:
        raise UsageError(f"blocks: {text} is not allowed; allowed: A:B with 0 <= A < B")
    return bounds


def _account(data: dict[str, Any], stopped: bool, check: Any) -> list[str]:
    """The game in words, told by the referee; of a stopped game as far as it went."""
    from kernels.transcript import Foul

    lines = [f"{data['game']}, seed {data['seed']}, block {data['block']}, seating {data['seating']}"]
    lines += [f"seat {seat}: {label}" for seat, label in enumerate(data["seats"])]
    try:
        check(data, lines.append)
    except Foul:
        if not stopped:
            raise
    return lines
