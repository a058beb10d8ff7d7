"""Null & Nichtig: cards as integers, sets of cards as two words, tricks and piles packed into one.

A card is rank * 5 + colour: 0..59, colours in the order B G P R Y, the five zeros first. The two zeros of a colour
are the same card. A set of cards is a pair (cards, twins): bit c of `cards` says that card c is in it, bit c of
`twins` that zero c is in it a second time.

A sequence of up to eight cards, such as a trick, is a word whose byte i is the i-th card, NONE beyond its end. The
tops of a seat's piles are
a word whose byte c is the rank on top of its pile of colour c; 0 also stands for no pile.
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

#: while cards are dealt the second zero of colour c is card SECOND_ZERO + c
SECOND_ZERO = 60

#: stands for no card, and the sequence of no cards
NONE = 63
EMPTY = U(0x3F3F3F3F3F3F3F3F)


def by_card(value, none=0):  # type: ignore[no-untyped-def]
    """A table of a function of (rank, colour) by card, with a value for what is no card."""
    return np.array([value(*divmod(card, COLOURS)) if card < CARDS else none for card in range(64)], np.uint64)


#: by card: what wins a trick; all cards of its colour; the other piles' bytes of a seat's tops, and its own byte
STRENGTH = by_card(lambda rank, colour: rank * 8 + 7).astype(np.int64)
COLOUR_SET = by_card(lambda rank, colour: sum(1 << card for card in range(colour, CARDS, COLOURS)))
OTHER_TOPS = by_card(lambda rank, colour: 2**64 - 1 - (255 << 8 * colour), none=2**64 - 1)
AS_TOP = by_card(lambda rank, colour: rank << 8 * colour)


@device
def strength(card, place):
    """Which card wins a trick: the one with the highest number, of equals the first played (`place` from 0)."""
    return STRENGTH[U(card)] - place


@device
def card_at(cards, i):
    """The i-th card of a sequence."""
    return (cards >> U(8 * i)) & U(63)


@device
def with_card(cards, i, card):
    """A sequence of i cards with one more."""
    return cards ^ (U(NONE) ^ U(card)) << U(8 * i)


@device
def stacked(tops, card):
    """A seat's pile tops after `card` is put on the pile of its colour."""
    return (tops & OTHER_TOPS[card]) | AS_TOP[card]


@device
def points(tops):
    """The sum of a seat's pile tops."""
    return np.int64((tops * U(0x0101010101)) >> U(32)) & 255
