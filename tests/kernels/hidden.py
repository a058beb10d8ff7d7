"""Deals in which only what a seat cannot know differs, for games of tricks with following suit.

The game's own `play.py` is interpreted up to one decision, with the deal and the choices put in from outside, so that
what is compared is what the kernel itself would have shown to the strategy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any


class Stop(Exception):
    """Ends an interpreted game at the decision that was waited for."""


def shuffled_hidden(
    sizes: Sequence[int], hidden: Sequence[int], forbidden: Sequence[int], chosen: random.Random
) -> list[int] | None:
    """The hidden cards dealt anew into sets of these sizes, none with a card of its forbidden set; None if stuck."""
    cards = list(hidden)
    for _ in range(200):
        chosen.shuffle(cards)
        sets, place = [], 0
        for size in sizes:
            sets.append(sum(1 << card for card in cards[place : place + size]))
            place += size
        if not any(own & bad for own, bad in zip(sets, forbidden, strict=True)):
            return sets
    return None


def bits(cards: int) -> list[int]:
    """The cards of a set."""
    return [card for card in range(64) if cards >> card & 1]


def scripted(moves: Sequence[int], at: int, seen: Callable[[Any], None]) -> Callable[..., int]:
    """A `decide` that plays the moves, then shows decision number `at` to `seen` and stops."""
    turn = 0

    def decide(view: Any, own: Any, code: Any, users: Any) -> int:
        nonlocal turn
        if turn == at:
            seen(view)
            raise Stop
        turn += 1
        return moves[turn - 1]

    return decide
