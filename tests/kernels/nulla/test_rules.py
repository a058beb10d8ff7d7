"""The rule options of Núlla: defaults, limits and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.nulla.rules import OPTIONS, complete, encode
from tests.kernels.refereeing import refused


def test_defaults() -> None:
    assert complete({}) == {
        "players": 2,
        "row": 6,
        "zero_rank": "9",
        "initial_discard": True,
        "take_must_swap": True,
        "first_player": "left-of-dealer",
        "max_turns": 1000,
        "first_dealer": "last-seat",
    }


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("players", [2, 3, 4], [1, 5, None]),
        ("row", [5, 6, 12, "12"], [7, 4, 13, None]),
        ("zero_rank", [None, "none", "A", "a", 2, "9", 9, "T", 10, "10"], ["J", "Q", "K", 1, 11, True]),
        ("initial_discard", [True, "false"], [0, "x"]),
        ("take_must_swap", [True, "false"], [1]),
        ("first_player", ["left-of-dealer", "random"], ["x"]),
        ("max_turns", [1, 10**9], [0, 10**9 + 1]),
        ("first_dealer", ["last-seat", "random"], ["x"]),
    ],
)
def test_values(key: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        encode(complete({key: value}))
    for value in bad:
        assert refused(complete, key, **{key: value}).allowed


def test_rows_must_fit() -> None:
    for players, row in [(2, 12), (3, 12), (4, 5), (4, 6)]:
        assert complete({"players": players, "row": row})["row"] == row
    assert refused(complete, "row", players=4, row=12).allowed == "5, 6"


def test_encoding() -> None:
    rules = encode(complete({"players": 3, "row": 12, "first_player": "random"}))
    assert rules._fields == tuple(option.name for option in OPTIONS)
    assert rules == (3, 12, 8, 1, 1, 1, 1000, 0)
    codes = {"none": -1, "A": 0, "2": 1, "10": 9}
    assert {text: encode(complete({"zero_rank": text})).zero_rank for text in codes} == codes
    assert complete({"zero_rank": 10})["zero_rank"] == "T"
