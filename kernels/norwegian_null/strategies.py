"""Null from Norway: the built-in strategies and their table.

`stand`, `threshold` and `greedy` draw from the stock whatever lies face up. The hand is before its owner's eyes, so
there is nothing to forget and no parameter for memory.
"""

from __future__ import annotations

import numpy as np

from kernels.bits import count, kth
from kernels.compile import device
from kernels.draw import card_worth, rank_count, rank_worth
from kernels.norwegian_null.planner import dp, dp_win
from kernels.norwegian_null.state import DRAW, LAY, TURN, worst_card
from kernels.strategy import Parameter, Strategy, below, param

LIMIT = Parameter("limit", 6.0, 0.0, 13.0, "highest worth of a drawn card that is kept")
SAMPLES = Parameter("samples", 500.0, 1.0, 100_000.0, "sampled hands, secret cards and stocks per decision")


@device
def stand(view):
    """Lays down what it draws."""
    return view.held if view.phase == LAY else DRAW


@device
def random(view):
    """Source and action uniform among those allowed."""
    ways = count(view.choices)
    pick = below(view, ways << (LAY - view.phase))
    return kth(view.choices, pick) if pick < ways else DRAW


@device
def threshold(view):
    """Replaces its worst card by a drawn one that is worth at most `limit`."""
    if view.phase == TURN:
        return DRAW
    return worst_card(view) if card_worth(view.worth, view.held) <= param(view, 0) else view.held


@device
def replace_worst(view):
    """The card to lay down: the worst of the hand if the drawn one is lower, else the drawn one."""
    worst = worst_card(view)
    return worst if card_worth(view.worth, view.held) < card_worth(view.worth, worst) else view.held


@device
def greedy(view):
    """Replaces its worst card by anything lower."""
    if view.phase == TURN:
        return DRAW
    return replace_worst(view)


@device
def greedy_discard(view):
    """As `greedy`, but takes the face-up card if that gains at least what a draw gains on average, and something.

    So every card handed on is higher than the one before, and none goes to and fro for ever.
    """
    if view.phase == LAY:
        return replace_worst(view)
    worst = worst_card(view)
    value = card_worth(view.worth, worst)
    gain = value - card_worth(view.worth, view.top)
    if gain <= 0:
        return np.int64(DRAW)
    drawn = 0
    for rank in range(13):
        drawn += max(0, value - rank_worth(view.worth, rank)) * rank_count(view.unseen, rank)
    return worst if gain * count(view.unseen) >= drawn else DRAW


STRATEGIES = (
    Strategy("stand", stand, "never changes a card"),
    Strategy("random", random, "uniformly random source and card to lay down", draws=True),
    Strategy("threshold", threshold, "replaces its worst card by a drawn one of at most `limit`", (LIMIT,)),
    Strategy("greedy", greedy, "replaces its worst card by anything lower that it draws"),
    Strategy("greedy-discard", greedy_discard, "as greedy, and takes what gains no less than a draw"),
    Strategy(
        "dp",
        dp,
        "least expected hand after the turns left, by dynamic programming (more than 5 cards: values in eight classes)",
    ),
    Strategy(
        "dp-win",
        dp_win,
        "as dp; in its last three turns the best chance of the lowest sum",
        (SAMPLES,),
        draws=True,
    ),
)

#: strategies that need the tables of plan.py
PLANNERS = ("dp", "dp-win")
