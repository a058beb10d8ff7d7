"""Null & Nichtig: cards as integers, sets of cards as two words.

A card is rank * 5 + colour: 0..59, colours in the order B G P R Y, the five zeros first. The two zeros of a colour
are the same card. A set of cards is a pair (cards, twins): bit c of `cards` says that card c is in it, bit c of
`twins` that zero c is in it a second time.
"""

from __future__ import annotations

import numpy as np

from kernels.compile import device
from kernels.null_nichtig.rules import COLOURS

U = np.uint64

CARDS = 60
DECK = 65
ZEROS = U(31)
ALL = U((1 << CARDS) - 1)

#: the deck's 65 cards as the bits they set: ids 60..64 are the second zeros
FIRST = np.array([1 << card if card < CARDS else 0 for card in range(DECK)], np.uint64)
SECOND = np.array([1 << (card - CARDS) if card >= CARDS else 0 for card in range(DECK)], np.uint64)


@device
def rank_of_card(card):
    """card // 5 for a card of 0..63, by multiplication."""
    return (np.int64(card) * 205) >> 10


def name(card: int) -> str:
    """The name of a card of 0..59: colour letter and rank, such as Y9."""
    return f"{COLOURS[card % 5]}{card // 5}"
