"""The rule options of Null from Norway: defaults, limits and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.norwegian_null.rules import OPTIONS, complete, encode
from tests.kernels.refereeing import refused


def test_defaults() -> None:
    assert complete({}) == {
        "players": 4,
        "cards": 5,
        "null_pick": "random-no-repeat",
        "null_rank": "K",
        "face_values": "11-12-13",
        "take_must_swap": True,
        "first_player": "rotate",
        "round_tie": "all-drop",
        "max_turns": 1000,
        "max_rounds": 200,
        "first_dealer": "last-seat",
    }


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("players", [3, 4, 5, 6], [2, 7, None]),
        ("cards", [1, 8, "5"], [0, 9, "x"]),
        ("null_pick", ["random-no-repeat", "random", "descending", "fixed"], ["x"]),
        ("null_rank", ["K", "k", 7, "8", 9, "T", 10, "10", "J", "Q"], ["A", 6, None, "none"]),
        ("face_values", ["11-12-13", "10-10-10"], ["x", 10]),
        ("take_must_swap", [True, "false"], [1]),
        ("first_player", ["rotate", "winner", "random"], ["x"]),
        ("round_tie", ["all-drop", "none-drop", "low-secret"], ["x"]),
        ("max_turns", [1, 10**9], [0, 10**9 + 1]),
        ("max_rounds", [1, 10**9], [0, 10**9 + 1]),
        ("first_dealer", ["last-seat", "random"], ["x"]),
    ],
)
def test_values(key: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        encode(complete({key: value}))
    for value in bad:
        assert refused(complete, key, **{key: value}).allowed


def test_hands_must_fit_the_deck() -> None:
    for players, cards in [(3, 8), (4, 8), (5, 8), (6, 7)]:
        complete({"players": players, "cards": cards})
    assert refused(complete, "cards", players=6, cards=8).allowed == "an integer from 1 to 7"


def test_encoding() -> None:
    rules = encode(complete({"null_pick": "fixed", "null_rank": 10, "round_tie": "low-secret"}))
    assert rules._fields == tuple(option.name for option in OPTIONS)
    assert rules == (4, 5, 3, 9, 0, 1, 0, 2, 1000, 200, 0)
    assert [encode(complete({"null_rank": rank})).null_rank for rank in "7K"] == [6, 12]
