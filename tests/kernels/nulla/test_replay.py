"""The kernel of Núlla against the referee: every game it plays is legal and scored alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.nulla.referee import value
from kernels.nulla.rules import ROWS
from tests.kernels.playing import any_rules, play, refereed, split_agrees, strategy_names

GAME = "nulla"

VALUES: dict[str, list[Any]] = {
    "players": [2, 3, 4],
    "row": [5, 6, 12],
    "zero_rank": ["9", None, "A", "2", "5", "8", "T"],
    "initial_discard": [True, False],
    "take_must_swap": [True, False],
    "first_player": ["left-of-dealer", "random"],
    "max_turns": [1, 3, 12, 13, 1000, 1000],
    "first_dealer": ["last-seat", "random"],
}

FORGETFUL = [f"{name}:memory={memory}" for name in ("first", "chain", "shift", "dp") for memory in (0, 0.6)]
NAMES = [*strategy_names(GAME), *FORGETFUL, "dp-win:memory=0.9;samples=20"]


def fits(rules: dict[str, Any]) -> bool:
    return rules["row"] in ROWS[rules["players"]]


def check(rules: dict[str, Any], block: int, strategies: list[str], seating: list[int]) -> dict[str, Any]:
    """One refereed game whose columns must say what its moves do. Returns its columns."""
    judgement, rounds, played = refereed(GAME, block, strategies, rules, seed=3, seating=seating)
    seats = rules["players"]
    columns = {name: column[0, 0] for name, column in played.games.items()}
    rows = {name: column.reshape(-1, seats) for name, column in played.rounds.items()}
    moves = [[move for move in rounds[0]["moves"] if move["seat"] == seat] for seat in range(seats)]
    assert columns["turns"].tolist() == [len(own) for own in moves]
    assert columns["swaps"].tolist() == [sum(move["swaps"] for move in own) for own in moves]
    assert columns["taken"].tolist() == [sum(move["from"] == "discard" for move in own) for own in moves]
    zero = rules["zero_rank"]
    assert columns["secret"].tolist() == [value(card, zero) for card in rounds[0]["deal"]["secrets"]]
    assert (columns["tied"] == (len(judgement.winners) > 1)).all()
    totals = judgement.totals
    assert columns["rank"].tolist() == [1 + sum(other < own for other in totals) for own in totals]
    assert columns["lost"].tolist() == [min(totals) < own == max(totals) for own in totals]
    for name in ("score", "turns", "swaps", "taken", "secret"):
        assert (rows[name][0] == columns[name]).all()
    return columns


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_under_any_rules(players: int) -> None:
    truncated = put_back = 0
    for seed in range(70):
        rules = any_rules(seed, VALUES | {"players": [players]}, fits)
        chosen = np.random.default_rng([players, seed])
        strategies = [NAMES[k] for k in chosen.integers(len(NAMES), size=players)]
        columns = check(rules, int(chosen.integers(10**6)), strategies, chosen.permutation(players).tolist())
        truncated += columns["truncated"][0]
        put_back += "random" in strategies and not rules["take_must_swap"]
    assert 0 < truncated < 70
    assert put_back


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", [5, 12])
def test_every_strategy(name: str, row: int) -> None:
    rules = any_rules(1, VALUES | {"players": [2], "row": [row], "max_turns": [1000]}, fits)
    for block in range(3):
        check(rules, block, [name, "dp"], [0, 1])


@pytest.mark.parametrize("names", [["random", "shift:memory=0.5"], ["dp", "dp-win:samples=30", "random"]])
def test_any_split_of_the_blocks_gives_the_same_rows(names: list[str]) -> None:
    split_agrees(GAME, names, {"players": len(names), "first_player": "random"})


def test_seeds_and_blocks_differ() -> None:
    one, two = (play(GAME, 50, ["shift", "random"], seed=seed).games["score"] for seed in (1, 2))
    assert (one != two).any()
    assert len(np.unique(one[:, 0, 0])) > 5


def test_the_cards_do_not_depend_on_the_strategies() -> None:
    """A seat's secret card is the same whoever plays."""
    secrets = [
        play(GAME, 40, names, {"first_player": start}).games["secret"]
        for names in (["stand", "stand"], ["random", "dp"])
        for start in ("left-of-dealer", "random")
    ]
    for other in secrets[1:]:
        assert (secrets[0] == other).all()


def test_starters_by_lot() -> None:
    for rules in ({"first_player": "random"}, {"first_dealer": "random"}):
        starters = [refereed(GAME, block, ["stand"] * 3, {"players": 3, **rules})[1] for block in range(60)]
        counts = np.bincount([(rounds[0]["dealer"] + 1) % 3 for rounds in starters], minlength=3)
        assert counts.min() > 8
    rounds = refereed(GAME, 5, ["stand"] * 3, {"players": 3})[1]
    assert rounds[0]["dealer"] == 2


def test_hardly_any_game_of_two_built_in_strategies_is_truncated() -> None:
    names = strategy_names(GAME)
    played = 0
    for a in names:
        for b in names[names.index(a) :]:
            blocks = 200 if "dp-win" in (a, b) else 1000
            games = play(GAME, blocks, [a, b], seed=11).games
            assert not games["truncated"].any(), (a, b)
            played += blocks
    assert played > 20_000
    for a in ("dp", "dp-win:samples=10"):
        for rules in ({"players": 3, "row": 12}, {"players": 4}, {"take_must_swap": False}):
            seats = int(rules.get("players", 2))
            assert not play(GAME, 100, [a] * seats, rules, seed=11).games["truncated"].any()
