"""Null & Nichtig: cards as integers, sets of cards as two words, tricks and piles packed into one.

A card is rank * 5 + colour: 0..59, colours in the order B G P R Y, the five zeros first. The two zeros of a colour
are the same card. A set of cards is a pair (cards, twins): bit c of `cards` says that card c is in it, bit c of
`twins` that zero c is in it a second time.

A sequence of up to eight cards, such as a trick, is a word whose byte i is the i-th card. The tops of a seat's piles
are a word whose byte c is the rank on top of its pile of colour c; 0 also stands for no pile.
"""

from __future__ import annotations

import numpy as np

from kernels.compile import device

U = np.uint64

COLOURS = 5
CARDS = 60
DECK = 65
ZEROS = U(31)
ALL = U((1 << CARDS) - 1)

RANK = np.array([card // 5 for card in range(64)], np.int64)
COLOUR = np.array([card % 5 for card in range(64)], np.int64)
#: by card: all cards of its colour; the byte of its colour without and with its rank
COLOUR_SET = np.array([sum(1 << c for c in range(card % 5, CARDS, 5)) for card in range(64)], np.uint64)
OTHER_TOPS = np.array([~(255 << 8 * (card % 5)) & (2**64 - 1) for card in range(64)], np.uint64)
AS_TOP = np.array([card // 5 << 8 * (card % 5) for card in range(64)], np.uint64)


@device
def card_at(cards, i):
    """The i-th card of a sequence."""
    return (cards >> U(8 * i)) & U(63)


@device
def stacked(tops, card):
    """A seat's pile tops after `card` is put on the pile of its colour."""
    return (tops & OTHER_TOPS[card]) | AS_TOP[card]


@device
def points(tops):
    """The sum of a seat's pile tops."""
    return np.int64((tops * U(0x0101010101)) >> U(32)) & 255
