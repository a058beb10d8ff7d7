"""Writes the golden transcripts of tests/goldens anew: run it after a change of behaviour that is meant.

    python scripts/goldens.py
"""

from __future__ import annotations

import json
from pathlib import Path

from sim.engine import Engine
from sim.games import GAMES
from sim.scenario import scenario
from sim.strategies import covers, table
from sim.transcript import record

FOLDER = Path(__file__).parent.parent / "tests" / "goldens"


def line_ups(game_id: str) -> list[list[str]]:
    """Every complete strategy of the game at least once, in line-ups of its smallest and its default table."""
    game = GAMES[game_id]
    names = [row.name for row in table(game) if all(covers(row, part) for part in range(len(game.parts)))]
    seats = game.module("rules").complete({})["players"]
    return [[names[(first + k) % len(names)] for k in range(seats)] for first in range(0, len(names), seats)]


def golden(game_id: str) -> list[str]:
    """The transcripts of a game's golden file, one JSON line each."""
    lines = []
    for seed, strategies in enumerate(line_ups(game_id), 1):
        engine = Engine(scenario(game=game_id, strategies=strategies, seed=seed, seatings="fixed"))
        for block in (0, 1):
            data, stopped = record(engine, block, 0)
            assert stopped is None
            lines.append(json.dumps(data))
    return lines


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game_id in GAMES:
        (FOLDER / f"{game_id}.jsonl").write_text("\n".join(golden(game_id)) + "\n", encoding="utf-8")
