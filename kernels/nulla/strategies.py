"""Núlla: the built-in strategies and their table.

`stand`, `first`, `chain` and `shift` draw from the stock whatever the top discard is.
"""

from __future__ import annotations

import numpy as np

from kernels.bits import count, lowest
from kernels.compile import device
from kernels.draw import card_worth, coin_and_below, total_worth
from kernels.nulla.planner import dp, dp_win
from kernels.nulla.state import BLIND, DRAW, NO_VALUE, PUT_BACK, TURN, slot_value
from kernels.strategy import Parameter, Strategy, below

U = np.uint64

MEMORY = Parameter("memory", 1.0, 0.0, 1.0, "1 - chance to forget, before each turn, one of the known slots")
SAMPLES = Parameter("samples", 500.0, 1.0, 100_000.0, "sampled rows, secret cards and stocks per decision")


@device
def stand(view):
    """Discards what it draws."""
    return BLIND if view.phase == TURN else 0


@device
def random(view):
    """Source and number of swaps uniform among those allowed."""
    if view.phase == TURN:
        ways = view.row if view.take_must_swap else view.row + 1
        draws, swaps = coin_and_below(view.lots[view.seat], ways, view.row + 1)
        if draws:
            return BLIND + swaps
        return PUT_BACK if swaps == view.row else swaps + 1
    return below(view, view.row + 1)


@device
def below_mean(view, value):
    """Whether a value is below the mean of the unseen cards."""
    return value * count(view.unseen) < total_worth(view.worth, view.unseen)


@device
def first(view):
    """Swaps slot 1 if the drawn card is below it (unknown: below the mean of the unseen cards)."""
    if view.phase == TURN:
        return DRAW
    drawn = card_worth(view.worth, view.held)
    slot = slot_value(view, 0)
    if slot == NO_VALUE:
        return np.int64(below_mean(view, drawn))
    return np.int64(drawn < slot)


@device
def chain(view):
    """Goes on while the card held is below the slot's (unknown: below the mean of the unseen cards)."""
    if view.phase == TURN:
        return DRAW
    held = card_worth(view.worth, view.held)
    for slot in range(view.swaps, view.row):
        value = slot_value(view, slot)
        if value == NO_VALUE:
            if below_mean(view, held):
                return view.swaps - slot - 1
            return slot - view.swaps
        if held >= value:
            return slot - view.swaps
        held = value
    return view.row - view.swaps


@device
def shift(view):
    """Explores the first unknown slot if all it knows is below the mean, else removes the worst known card.

    That is, if the worst of the known cards and the drawn one is below the mean of the unseen cards, the drawn card
    goes in and the card of the first unknown slot out; else the worst known card (the first of equals) goes out if the
    drawn one is lower.
    """
    if view.phase == TURN:
        return DRAW
    drawn = card_worth(view.worth, view.held)
    rest = view.cards[0]
    worst = 0  # of the known cards: 16 * value + 15 - slot
    unknown = U(0)
    for slot in range(view.row):
        if slot == 8:
            rest = view.cards[1]
        value = card_worth(view.worth, np.int64(rest & U(255)))
        rest >>= U(8)
        known = np.int64(value != NO_VALUE)
        worst = max(worst, known * (16 * value + 15 - slot))
        unknown |= U(1 - known) << U(slot)
    if unknown != U(0) and below_mean(view, max(worst >> 4, drawn)):
        return lowest(unknown) + 1
    if drawn < worst >> 4:
        return 16 - (worst & 15)
    return 0


STRATEGIES = (
    Strategy("stand", stand, "never changes a card"),
    Strategy("random", random, "uniformly random source and number of swaps", draws=True),
    Strategy("first", first, "swaps slot 1 if the drawn card is below it, then discards", (MEMORY,)),
    Strategy("chain", chain, "goes on while the card held is below the slot's", (MEMORY,)),
    Strategy("shift", shift, "removes the worst known card, explores when all are below the mean", (MEMORY,)),
    Strategy(
        "dp",
        dp,
        "least expected row after the turns left, by dynamic programming (a row of 12: with values in six classes)",
        (MEMORY,),
    ),
    Strategy(
        "dp-win",
        dp_win,
        "as dp; in its last three turns the best chance of the lowest total",
        (MEMORY, SAMPLES),
        draws=True,
    ),
)

#: strategies that need the tables of plan.py
PLANNERS = ("dp", "dp-win")
