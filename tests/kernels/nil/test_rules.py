"""The rule options of Nil: defaults and limits."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.nil.rules import OPTIONS, complete, encode
from tests.kernels.refereeing import refused


def test_defaults() -> None:
    assert complete({}) == {
        "players": 4,
        "scoring": "award",
        "deals": 10,
        "max_deals": 1000,
        "first_dealer": "random",
    }


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("players", [4, "4"], [3, 5, "x", True, None]),
        ("scoring", ["award", "transfer", "pool"], ["x", 0]),
        ("deals", [1, 1000, "12"], [0, 1001, 1.5, None]),
        ("max_deals", [1, 10**9], [0, 10**9 + 1]),
        ("first_dealer", ["last-seat", "random"], ["x"]),
    ],
)
def test_values(key: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        encode(complete({key: value}))
    for value in bad:
        assert refused(complete, key, **{key: value}).allowed


def test_unknown_key() -> None:
    refused(complete, "target", target=4)


def test_encoding() -> None:
    rules = encode(complete({"scoring": "pool", "deals": 7}))
    assert rules._fields == tuple(option.name for option in OPTIONS)
    assert rules == (4, 2, 7, 1000, 1)  # first_dealer: 1 is by lot, as in the other games
    assert encode(complete({"first_dealer": "last-seat"})).first_dealer == 0
