"""The rule options of Null & Nichtig: defaults, limits and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.null_nichtig.rules import OPTIONS, complete, encode
from tests.kernels.refereeing import refused


def test_defaults() -> None:
    assert complete({}) == {
        "players": 4,
        "rounds": 4,
        "target": None,
        "max_rounds": 1000,
        "no_trick_penalty": 0,
        "stack_order": "clockwise-from-winner",
        "starter_selection": "simultaneous",
        "teams": "none",
        "lead_tie": "clockwise",
        "lead_score": "with-penalty",
        "first_dealer": "last-seat",
    }


@pytest.mark.parametrize(("players", "rounds"), [(3, 3), (4, 4), (5, 5), (6, 8)])
def test_rounds_by_default(players: int, rounds: int) -> None:
    assert complete({"players": players})["rounds"] == rounds
    assert complete({"players": str(players), "rounds": "7"})["rounds"] == 7


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("players", [3, 4, 5, 6, "5"], [2, 7, "x", True, 4.5, None, [4]]),
        ("rounds", [1, 1000], [0, 1001, 1.5, "none"]),
        ("target", [None, "none", 1, 10000], [0, 10001, "x"]),
        ("max_rounds", [1, 10**9], [0, 10**9 + 1]),
        ("no_trick_penalty", [-1000, "-10", 1000], [-1001, 1001]),
        ("stack_order", ["clockwise-from-winner", "winner-then-play-order", "play-order"], ["x", 1]),
        ("starter_selection", ["simultaneous", "sequential"], [True]),
        ("teams", [None, "none", "2x2"], ["4x1"]),
        ("lead_tie", ["clockwise", "random"], ["x"]),
        ("lead_score", ["with-penalty", "without-penalty"], ["x"]),
        ("first_dealer", ["last-seat", "random"], ["x"]),
    ],
)
def test_values(key: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        encode(complete({key: value}))
    for value in bad:
        assert refused(complete, key, **{key: value}).allowed


def test_teams_must_fit() -> None:
    for players, teams in [(4, "2x2"), (6, "3x2"), (6, "2x3"), (5, "none")]:
        assert complete({"players": players, "teams": teams})["teams"] == teams
    for players, teams in [(4, "3x2"), (6, "2x2"), (3, "2x2"), (5, "2x3")]:
        refused(complete, "teams", players=players, teams=teams)


def test_unknown_key() -> None:
    assert "players" in refused(complete, "player", player=4).allowed


def test_encoding() -> None:
    rules = encode(complete({"target": 100, "teams": "2x2", "no_trick_penalty": -10}))
    assert rules._fields == tuple(option.name for option in OPTIONS)
    assert (rules.players, rules.rounds, rules.target, rules.teams) == (4, 4, 100, 1)
    assert rules.no_trick_penalty == -10
    assert encode(complete({})).target == 0
    assert all(type(value) is int for value in rules)
