"""Null & Nichtig: cards as integers, sets of cards as two words.

A card is rank * 5 + colour: 0..59, colours in the order B G P R Y, the five zeros first. The two zeros of a colour
are the same card. A set of cards is a pair (cards, twins): bit c of `cards` says that card c is in it, bit c of
`twins` that zero c is in it a second time.
"""

from __future__ import annotations

import numpy as np

from kernels.compile import device

U = np.uint64

CARDS = 60
DECK = 65
ZEROS = U(31)
ALL = U((1 << CARDS) - 1)

#: in a deck the second zero of colour c is SECOND_ZERO + c
SECOND_ZERO = 64


@device
def rank_of_card(card):
    """card // 5 for a card of 0..63, by multiplication."""
    return (np.int64(card) * 205) >> 10
