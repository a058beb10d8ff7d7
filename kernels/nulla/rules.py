"""Núlla: the rule options, and the row of integers a kernel sees."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from kernels.options import FIRST_DEALER, Choice, Flag, Integer, Number, OptionError, Rank, parse_all

SUITS = "CSHD"
RANKS = "A23456789TJQK"

#: players -> row sizes that fit the deck
ROWS = {2: (5, 6, 12), 3: (5, 6, 12), 4: (5, 6)}

OPTIONS = (
    Number("players", 2, "number of players", values=(2, 3, 4)),
    Number("row", 6, "face-down cards in a row; 12 not with 4 players", values=(5, 6, 12)),
    Rank(
        "zero_rank",
        "9",
        "a rank that scores zero beside J, Q and K",
        values=("9", None, "A", "2", "3", "4", "5", "6", "7", "8", "T"),
    ),
    Flag("initial_discard", True, "whether one stock card is turned up before play"),
    Flag(
        "take_must_swap",
        True,
        "whether a taken discard must go into slot 1 (false: it may be put straight back)",
    ),
    Choice(
        "first_player",
        "left-of-dealer",
        "who starts; random: any seat, whatever first_dealer says",
        values=("left-of-dealer", "random"),
    ),
    Integer("max_turns", 1000, "limit of turns per player; a game it cuts is truncated", low=1, high=10**9),
    FIRST_DEALER,
)

#: what a kernel sees: one int64 per option, in the order of OPTIONS
Rules = namedtuple("Rules", [option.name for option in OPTIONS])  # type: ignore[misc]


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values.

    Raises `OptionError` naming the option for unknown keys, values out of range and rows that do not fit.
    """
    values = parse_all(OPTIONS, given)
    rows = ROWS[values["players"]]
    if values["row"] not in rows:
        raise OptionError("row", f"{values['row']} does not fit {values['players']} players", ", ".join(map(str, rows)))
    return values


def encode(values: Mapping[str, Any]) -> Rules:
    """The completed options as the integers a kernel sees."""
    return Rules(*(option.encode(values[option.name]) for option in OPTIONS))
