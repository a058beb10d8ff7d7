"""Null & Nichtig: the kernel's log of moves as the rounds of a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernels.null_nichtig.rules import COLOURS, HIGHEST, TABLE


def card_name(card: int) -> str:
    """The name of card rank * 5 + colour: colour letter and rank, such as Y9."""
    return f"{COLOURS[card % 5]}{card // 5}"


def names(cards: int, twins: int) -> list[str]:
    """The names of a set of cards, lowest first."""
    return [
        card_name(card)
        for card in range(5 * (HIGHEST + 1))
        for _ in range((cards >> card & 1) + (twins >> card & 1 if card < 5 else 0))
    ]


def decode(log: Sequence[int], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rounds of one game from the kernel's log.

    Per round the log holds the leader, each seat's hand (cards, twins), the starters in the order they were chosen,
    the cards in the order they were played, and each seat's points.
    """
    players = rules["players"]
    each, starters, _ = TABLE[players]
    values = iter(log)
    return [_round(values, leader, players, each, starters) for leader in values]


def _round(values: Iterator[int], leader: int, players: int, each: int, starters: int) -> dict[str, Any]:
    hands = [names(next(values), next(values)) for _ in range(players)]
    undealt = names(2**60 - 1, 31)
    for hand in hands:
        for card in hand:
            undealt.remove(card)
    order = [(leader + i) % players for i in range(players)]
    moves: list[dict[str, Any]] = [
        {"seat": seat, "starters": [card_name(next(values)) for _ in range(starters)]} for seat in order
    ]
    seat = leader
    for _ in range(each - starters):
        trick = [next(values) for _ in range(players)]
        moves += [{"seat": (seat + i) % players, "play": card_name(card)} for i, card in enumerate(trick)]
        best = max(range(players), key=lambda i: (trick[i] // 5, -i))
        seat = (seat + best) % players
    return {
        "dealer": (leader - 1) % players,
        "deal": {"hands": hands, "undealt": undealt},
        "moves": moves,
        "scores": [next(values) for _ in range(players)],
    }
