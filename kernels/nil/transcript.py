"""Nil: the kernel's log of moves as the rounds of a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernels.nil.rules import PLAYERS, RANKS, SUITS


def card_name(card: int) -> str:
    """The name of card rank * 4 + suit: suit letter and rank, such as ST."""
    return SUITS[card % 4] + RANKS[card // 4]


def names(cards: int) -> list[str]:
    """The names of a set of cards, lowest first."""
    return [card_name(card) for card in range(52) if cards >> card & 1]


def decode(log: Sequence[int], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rounds of one game from the kernel's log.

    Per hand the log holds the leader, each seat's cards, the cards in the order they were played, -1, and each
    seat's points.
    """
    values = iter(log)
    return [_round(values, leader) for leader in values]


def _round(values: Iterator[int], leader: int) -> dict[str, Any]:
    hands = [names(next(values)) for _ in range(PLAYERS)]
    moves: list[dict[str, Any]] = []
    seat = leader
    while (first := next(values)) >= 0:
        trick = [first] + [next(values) for _ in range(PLAYERS - 1)]
        moves += [{"seat": (seat + i) % PLAYERS, "play": card_name(card)} for i, card in enumerate(trick)]
        following = [i for i in range(PLAYERS) if trick[i] % 4 == first % 4]
        seat = (seat + max(following, key=lambda i: trick[i])) % PLAYERS
    return {
        "dealer": (leader - 1) % PLAYERS,
        "deal": {"hands": hands},
        "moves": moves,
        "scores": [next(values) for _ in range(PLAYERS)],
    }
