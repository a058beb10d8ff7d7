"""Núlla: the kernel's log of moves as the rounds of a transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernels.nulla.rules import RANKS, SUITS


def card_name(card: int) -> str:
    """The name of card 4 * rank + suit: suit letter and rank, such as CT."""
    return SUITS[card & 3] + RANKS[card >> 2]


def decode(log: Sequence[int], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The one round of a game from the kernel's log.

    The log holds the starter, the deck (rows, secret cards, discard, stock), per turn 16 if the discard was taken plus
    the number of swaps, then -1 and each seat's total.
    """
    players, row = rules["players"], rules["row"]
    starter = log[0]
    deck = [card_name(card) for card in log[1:53]]
    rows = [deck[seat * row : (seat + 1) * row] for seat in range(players)]
    place = players * row
    secrets = deck[place : place + players]
    place += players
    deal: dict[str, Any] = {"rows": [list(cards) for cards in rows], "secrets": secrets}
    pile = []
    if rules["initial_discard"]:
        deal["discard"] = deck[place]
        pile = [deck[place]]
        place += 1
    deal["stock"] = deck[place:]
    moves: list[dict[str, Any]] = []
    drawn, seat, end = 0, starter, log.index(-1, 53)
    for code in log[53:end]:
        taken, swaps = code >= 16, code % 16
        if taken:
            held = pile.pop()
        else:
            held = deal["stock"][drawn]
            drawn += 1
        move = {"seat": seat, "from": "discard" if taken else "stock", "card": held, "swaps": swaps}
        for slot in range(swaps):
            held, rows[seat][slot] = rows[seat][slot], held
        pile.append(held)
        moves.append(move | {"discards": held})
        seat = (seat + 1) % players
    scores = list(log[end + 1 : end + 1 + players])
    return [{"dealer": (starter - 1) % players, "deal": deal, "moves": moves, "scores": scores}]
