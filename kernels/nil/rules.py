"""Nil: the rule options, and the row of integers a kernel sees."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kernels.options import FIRST_DEALER, Choice, Integer, Number, parse_all

PLAYERS = 4
SUITS = "CSHD"
#: from the lowest to the highest
RANKS = "23456789TJQKA"
HAND = 13

OPTIONS = (
    Number("players", PLAYERS, "number of players (fixed)", values=(PLAYERS,)),
    Choice(
        "scoring",
        "award",
        "award: points to everybody, or to those without a trick; transfer: paid by the others; "
        "pool: tricks are paid into a pool until somebody takes it",
        values=("award", "transfer", "pool"),
    ),
    Integer("deals", 10, "hands in a game (award and transfer)", low=1, high=1000),
    Integer("max_deals", 1000, "limit of a pool game; a game it cuts is truncated", low=1, high=10**9),
    replace(FIRST_DEALER, default="random"),
)

#: what a kernel sees: one int64 per option, in the order of OPTIONS
Rules = namedtuple("Rules", [option.name for option in OPTIONS])  # type: ignore[misc]


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values. Raises `OptionError` for unknown keys and values out of range."""
    return parse_all(OPTIONS, given)


def encode(values: Mapping[str, Any]) -> Rules:
    """The completed options as the integers a kernel sees."""
    return Rules(*(option.encode(values[option.name]) for option in OPTIONS))
