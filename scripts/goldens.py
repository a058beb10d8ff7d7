"""Writes the golden transcripts and the golden report of tests/goldens anew, after a change of behaviour that is meant.

python scripts/goldens.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim.analysis.balance import Balance, Budget, balance
from sim.engine import Engine
from sim.games import GAMES
from sim.report.balance import of_balance
from sim.report.formats import render
from sim.scenario import scenario
from sim.strategies import covers, table
from sim.transcript import record

FOLDER = Path(__file__).parent.parent / "tests" / "goldens"


#: rule sets played: the default and one far from it
RULES: dict[str, list[dict[str, Any]]] = {
    "null-nichtig": [
        {},
        {"players": 6, "teams": "2x3", "target": 60, "no_trick_penalty": -10, "stack_order": "play-order"},
        {"players": 3, "starter_selection": "sequential", "lead_tie": "random", "first_dealer": "random"},
    ],
    "nil": [{"deals": 3}, {"scoring": "pool"}, {"scoring": "transfer", "deals": 2, "first_dealer": "last-seat"}],
    "skat-null": [
        {},
        {"declarer": "rotate", "must_declare": True, "scoring": "seeger-fabian", "stop_on_loss": False},
        {"declarer": "forehand", "hand_filter": "C=789 !SA", "bid": 24, "loss": "pre-1999"},
    ],
    "nulla": [{}, {"players": 4, "row": 5, "zero_rank": None, "take_must_swap": False, "initial_discard": False}],
    "norwegian-null": [{}, {"players": 3, "cards": 2, "null_pick": "descending", "round_tie": "low-secret"}],
}


def line_ups(game_id: str, seats: int) -> list[list[str]]:
    """Every complete strategy of the game at least once."""
    game = GAMES[game_id]
    names = [row.name for row in table(game) if all(covers(row, part) for part in range(len(game.parts)))]
    return [[names[(first + k) % len(names)] for k in range(seats)] for first in range(0, len(names), seats)]


def golden(game_id: str) -> list[str]:
    """The transcripts of a game's golden file, one JSON line each."""
    lines = []
    for rules in RULES[game_id]:
        seats = GAMES[game_id].module("rules").complete(rules)["players"]
        for seed, strategies in enumerate(line_ups(game_id, seats), 1):
            engine = Engine(scenario(game=game_id, rules=rules, strategies=strategies, seed=seed, seatings="fixed"))
            data, stopped = record(engine, 0, 0)
            if stopped is not None:
                raise stopped
            lines.append(json.dumps(data))
    return lines


#: so little that the golden report takes seconds; its intervals mean nothing
TINY = Budget(
    line_up_games=1,
    self_games=300,
    courses=12,
    rollouts=16,
    moments=6,
    decisions=6,
    tries=8,
    luck_blocks=60,
    response_blocks=200,
    search_blocks=2000,
    study_blocks=100,
    break_even_blocks=400,
    slope_games=200,
    draws=100,
)


def golden_balance() -> Balance:
    """A small balance report with a second variant."""
    return balance(
        "null-nichtig",
        players=3,
        strategies=["random", "duck", "solid"],
        against={"no_trick_penalty": -10},
        study="no_trick_penalty=-10:0:5",
        budget=TINY,
        seed=5,
    )


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game_id in GAMES:
        (FOLDER / f"{game_id}.jsonl").write_text("\n".join(golden(game_id)) + "\n", encoding="utf-8")
    report = render([of_balance(golden_balance())], "json")
    (FOLDER / "balance.json").write_text(report, encoding="utf-8")
