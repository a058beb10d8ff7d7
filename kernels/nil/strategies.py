"""Nil: the built-in strategies and their table."""

from __future__ import annotations

import numpy as np

from kernels.bits import count, highest, kth, lowest
from kernels.compile import device
from kernels.nil.state import CLUBS, EVERYBODY, seat_of
from kernels.strategy import Strategy, below
from kernels.tricks import stay_under

U = np.uint64


@device
def random(view):
    """A uniformly random legal card."""
    return kth(view.legal, below(view, count(view.legal)))


@device
def duck(view):
    """Leads the lowest card, follows with the highest that loses to the best so far, discards the highest.

    Where every card would win, the lowest. Equal ranks: when low the first suit in C S H D, when high the last.
    """
    if view.position == 0:
        return lowest(view.hand)
    if view.legal & view.suit == U(0):
        return highest(view.hand)
    return stay_under(view.legal, view.best)


@device
def switch(view):
    """`duck` until it has a trick itself and exactly one player has none; then it gives that player one.

    It leads the lowest card of a suit that the player is not known to lack, and in a trick that the player has still
    to play to or is winning it stays low: before the player its lowest card, after it as `duck`. A trick that the
    player has already lost costs it the highest card.
    """
    last = EVERYBODY & ~view.have
    if count(last) != 1 or (view.have >> view.seat) & 1 == 0:
        return duck(view)
    hunted = seat_of(last)
    if view.position == 0:
        lacking = U((view.voids >> (4 * hunted)) & 15)
        reaching = view.hand & ~(CLUBS * lacking)  # copies of CLUBS shifted by each of the lacking suits
        return lowest(reaching if reaching else view.hand)
    if view.legal & view.suit == U(0) or view.winner == hunted:
        return duck(view)
    before = ((hunted - view.seat) & 3) < 4 - view.position
    return lowest(view.legal) if before else highest(view.legal)


STRATEGIES = (
    Strategy("random", random, "uniformly random legal cards", draws=True),
    Strategy("duck", duck, "leads low, stays under the best card, discards high: takes no trick"),
    Strategy("switch", switch, "duck until it has a trick; then forces one on the only player without"),
)
