"""Null from Norway: the rule options, and the row of integers a kernel sees."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from kernels.options import FIRST_DEALER, Choice, Flag, Integer, Number, OptionError, Rank, parse_all

SUITS = "CSHD"
RANKS = "A23456789TJQK"

#: ranks that may be null, from the highest
NULL_RANKS = ("K", "Q", "J", "T", "9", "8", "7")

OPTIONS = (
    Number("players", 4, "number of players", values=(3, 4, 5, 6)),
    Integer("cards", 5, "hand size at the start; one stock card must be left", low=1, high=8),
    Choice(
        "null_pick",
        "random-no-repeat",
        "the null rank of a round: by lot but not last round's; by lot; null_rank, then K, Q, ... 7, K, ... "
        "downwards; always null_rank",
        values=("random-no-repeat", "random", "descending", "fixed"),
    ),
    Rank(
        "null_rank",
        "K",
        "the null rank if null_pick is fixed, the first one if descending",
        values=NULL_RANKS,
    ),
    Choice("face_values", "11-12-13", "what J, Q and K are worth", values=("11-12-13", "10-10-10")),
    Flag(
        "take_must_swap",
        True,
        "whether a taken face-up card must be exchanged (false: it may be put straight back)",
    ),
    Choice(
        "first_player",
        "rotate",
        "who starts the next round: the next seat, who won the round (under low-secret: who drops a card), or by lot",
        values=("rotate", "winner", "random"),
    ),
    Choice(
        "round_tie",
        "all-drop",
        "several with the lowest sum: all drop a card, nobody does, or who has the lowest secret card",
        values=("all-drop", "none-drop", "low-secret"),
    ),
    Integer(
        "max_turns",
        1000,
        "limit of turns per player and round; the game ends with a round it cuts, truncated",
        low=1,
        high=10**9,
    ),
    Integer("max_rounds", 200, "limit of rounds; a game it cuts is truncated", low=1, high=10**9),
    FIRST_DEALER,
)

#: what a kernel sees: one int64 per option, in the order of OPTIONS
Rules = namedtuple("Rules", [option.name for option in OPTIONS])  # type: ignore[misc]


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values.

    Raises `OptionError` naming the option for unknown keys, values out of range and hands that do not fit.
    """
    values = parse_all(OPTIONS, given)
    players = values["players"]
    largest = (len(SUITS) * len(RANKS) - 1) // players - 1  # a secret card each, and a stock card left
    if values["cards"] > largest:
        raise OptionError("cards", f"{values['cards']} do not fit {players} players", f"an integer from 1 to {largest}")
    return values


def encode(values: Mapping[str, Any]) -> Rules:
    """The completed options as the integers a kernel sees."""
    return Rules(*(option.encode(values[option.name]) for option in OPTIONS))
