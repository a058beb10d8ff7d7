"""Tricks in which suit must be followed, on sets of cards: shared by the games whose tricks are of this kind.

Cards are bits of a uint64 such that within a suit a higher card has a higher bit. Where a trick's suit is asked for,
the set of all its cards is given; before the first card of a trick this is the whole deck.
"""

from __future__ import annotations

import numpy as np

from kernels.bits import highest, lowest
from kernels.compile import device

U = np.uint64

#: kinds of decisions in a trick
LEAD, FOLLOW, DISCARD = 0, 1, 2


@device
def legal(hand, suit):
    """The cards of `hand` that may be played to a trick of `suit` (a set of cards)."""
    following = hand & suit
    return following if following else hand


@device
def under(cards, card):
    """Those of `cards` with a bit below that of `card`: within a suit, the lower ones."""
    return cards & ((U(1) << U(card)) - U(1))


@device
def stay_under(following, best):
    """The highest of the cards that stays under `best`, the lowest where none does."""
    low = under(following, best)
    return highest(low) if low else lowest(following)


@device
def kind_of(view):
    """Which kind of decision the seat to move is to make."""
    if view.position == 0:
        return LEAD
    return FOLLOW if view.legal & view.suit else DISCARD
