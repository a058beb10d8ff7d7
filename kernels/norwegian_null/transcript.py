"""Null from Norway: the kernel's log of moves as the rounds of a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernels.norwegian_null.rules import RANKS, SUITS


def card_name(card: int) -> str:
    """The name of card 4 * rank + suit: suit letter and rank, such as CT."""
    return SUITS[card & 3] + RANKS[card >> 2]


def names(cards: int) -> list[str]:
    """The names of a set of cards, lowest first."""
    return [card_name(card) for card in range(52) if cards >> card & 1]


def decode(log: Sequence[int], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rounds of one game from the kernel's log.

    Per round the log holds the starter, the null rank, each seat's hand and secret card, the stock (its size, then its
    cards as they are drawn), per turn the card laid down plus 64 if a face-up card was taken for it, then -1 and the
    sums.
    """
    values = iter(log)
    return [_round(values, starter, rules["players"]) for starter in values]


def _round(values: Iterator[int], starter: int, players: int) -> dict[str, Any]:
    null = RANKS[next(values)]
    dealt = [(names(next(values)), card_name(next(values))) for _ in range(players)]
    stock = [card_name(next(values)) for _ in range(next(values))]
    drawn = iter(stock)
    moves: list[dict[str, Any]] = []
    seat, top = starter, ""
    for code in values:
        if code < 0:
            break
        laid = card_name(code & 63)
        taken = code >= 64
        card = top if taken else next(drawn)
        moves.append(
            {
                "seat": seat,
                "from": "discard" if taken else "stock",
                "card": card,
                "replaces": None if laid == card else laid,
            }
        )
        seat, top = (seat + 1) % players, laid
    return {
        "dealer": (starter - 1) % players,
        "deal": {
            "null_rank": null,
            "hands": [hand for hand, _ in dealt],
            "secrets": [secret for _, secret in dealt],
            "stock": stock,
        },
        "moves": moves,
        "scores": [next(values) for _ in range(players)],
    }
