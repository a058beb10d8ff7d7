"""Dealing sets of cards: uniformly random subsets of a bit set, where the order of cards does not matter.

A coin for each card gives a subset whose size is binomial; cards drawn by lot are then added or taken away until the
size is right. Both steps treat all cards alike, so of all subsets of the wanted size each is equally likely. This
takes a few lots in place of one for each card dealt.
"""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import count, kth
from kernels.compile import device

U = np.uint64


@device
def resize(cards, chosen, wanted, stream):
    """`chosen`, a subset of `cards`, with as many random cards added or removed as make it `wanted` large.

    Uniform over all subsets of `cards` of that size if the distribution of `chosen` treats all cards alike.
    """
    size = count(chosen)
    if size > wanted:
        pool, left = chosen, size - wanted
    else:
        pool, left = cards & ~chosen, wanted - size
        size = count(pool)
    while left > 0:
        bit = U(1) << U(kth(pool, rng.below(stream, size)))
        pool ^= bit
        chosen ^= bit
        size -= 1
        left -= 1
    return chosen


@device
def half(cards, wanted, stream):
    """A uniformly random subset of `cards` of size `wanted`: quickest for about half of them."""
    return resize(cards, cards & rng.word(stream), wanted, stream)


@device
def few(cards, wanted, stream):
    """A uniformly random subset of `cards` of size `wanted`: quickest for a few of them."""
    return resize(cards, U(0), wanted, stream)


@device
def some(cards, wanted, stream):
    """A uniformly random subset of `cards` of size `wanted`, by coins unless few or nearly all are wanted."""
    size = count(cards)
    chosen = cards & rng.word(stream)
    if 4 * wanted < size:
        chosen = U(0)
    elif 4 * wanted > 3 * size:
        chosen = cards
    return resize(cards, chosen, wanted, stream)
