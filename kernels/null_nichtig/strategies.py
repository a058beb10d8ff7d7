"""Null & Nichtig: the built-in strategies and their table."""

from __future__ import annotations

import numpy as np

from kernels.bits import count, highest, kth, lowest
from kernels.compile import device
from kernels.null_nichtig.cards import COLOUR_SET, card_at
from kernels.null_nichtig.state import LAY
from kernels.null_nichtig.solid import solid
from kernels.strategy import Parameter, Strategy, below

U = np.uint64


@device
def random(view):
    """A uniformly random card of the hand, for starters as for tricks."""
    different = count(view.hand)
    pick = below(view, different + count(view.twins))
    if pick < different:
        return kth(view.hand, pick)
    twins = view.twins
    for _ in range(pick - different):
        twins &= twins - U(1)
    return lowest(twins)


@device
def fresh_colours(view):
    """The held cards of colours in which the seat has laid no starter; all of them where none is left."""
    fresh = view.hand
    for k in range(3):
        fresh &= ~COLOUR_SET[card_at(view.laid, k)]
    return fresh if fresh else view.hand


@device
def high_starter(view):
    """The highest card in a colour not laid yet; of equals the last colour in B G P R Y."""
    return highest(fresh_colours(view))


@device
def dodge(view):
    """Highest starters in distinct colours, then always the lowest card (first colour of equals)."""
    if view.phase == LAY:
        return high_starter(view)
    return lowest(view.hand)


STRATEGIES = (
    Strategy("solid", solid, "x", (
        Parameter("greed", 1.0, 0, 9, ""), Parameter("spite", 0.33, 0, 9, ""), Parameter("risk", 1.0, 0, 9, ""),
        Parameter("later", 3.5, 0, 9, ""), Parameter("kl", 0.1, 0, 9, ""), Parameter("kw", 0.0, 0, 9, ""),
        Parameter("take", 0.0, 0, 9, ""), Parameter("st", 0.0, 0, 9, ""))),
    Strategy("random", random, "uniformly random starters and cards", draws=True),
    Strategy("dodge", dodge, "highest starters in distinct colours, then always the lowest card: take no trick"),
)
