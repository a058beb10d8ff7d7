"""Null & Nichtig: the built-in strategies and their table."""

from __future__ import annotations

import numpy as np

from kernels.bits import count, highest, kth, lowest
from kernels.compile import device, unlikely
from kernels.null_nichtig.greedy import greedy
from kernels.null_nichtig.solid import fresh_colours, solid
from kernels.null_nichtig.state import LAY
from kernels.strategy import Parameter, Strategy, below

U = np.uint64


@device
def random(view):
    """A uniformly random card of the hand, for starters as for tricks."""
    hand, twins = view.hand, view.twins
    different = count(hand)
    pick = below(view, different + count(twins))
    if unlikely(pick >= different):
        return kth(twins, pick - different)
    return kth(hand, pick)


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


@device
def duck(view):
    """Highest starters as `dodge`; then the highest card that does not win the trick so far, else the lowest."""
    if view.phase == LAY:
        return high_starter(view)
    if view.position == 0:
        return lowest(view.hand)
    losing = view.hand & ((U(1) << U(5 * ((view.strongest >> 3) + 1))) - U(1))
    return highest(losing) if losing else lowest(view.hand)


GREED = Parameter("greed", 1.0, 0.0, 10.0, "weight of points on one's own piles")
SPITE = Parameter("spite", 0.1, 0.0, 10.0, "weight of points on the piles of an opponent who takes the trick")
RISK = Parameter("risk", 14.0, 0.0, 100.0, "how readily later players are thought to overtake")

#: of STRATEGIES so many, from the first, take no account of what lies open
BLIND = 3

STRATEGIES = (
    Strategy("random", random, "uniformly random starters and cards", draws=True),
    Strategy("dodge", dodge, "highest starters in distinct colours, then always the lowest card: take no trick"),
    Strategy("duck", duck, "highest starters; then the highest card that does not win, else the lowest"),
    Strategy(
        "solid",
        solid,
        "weighs what a card does to its own and the winner's piles; sheds high cards, takes tricks late",
        (GREED, SPITE, RISK),
    ),
    Strategy(
        "greedy",
        greedy,
        "tries every card on 30 random completions of the trick",
        (GREED, SPITE),
        draws=True,
    ),
)
