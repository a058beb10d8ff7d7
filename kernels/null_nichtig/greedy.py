"""Null & Nichtig: the player `greedy`, who tries every card on random completions of the trick."""

from __future__ import annotations

import numpy as np

from kernels.bits import count, kth, lowest
from kernels.compile import device, outlined
from kernels.null_nichtig.cards import card_at, points, stacked, strength, with_card
from kernels.null_nichtig.solid import (
    LOWEST,
    SHED,
    first_trick_bonus,
    moderate_starters,
    partners,
    rank_of,
    rated,
    tricks_left,
    unseen,
    weights,
)
from kernels.null_nichtig.state import LAY, after_trick
from kernels.strategy import below
from kernels.table import on_from

U = np.uint64

#: random completions of the trick on which a card is tried
COMPLETIONS = 30
#: as EARLY of `solid`: more, since strangers' cards that fall at random seem kinder than those that are chosen
EARLY = 2500


@device
def completed(view, cards, first, place):
    """A trick of `first` cards with random ones of the unseen cards after them, and none at `place`."""
    hidden, twins = unseen(view)
    for i in range(first, view.players):
        if i != place:
            different = count(hidden)
            pick = below(view, different + count(twins))
            card = kth(hidden, pick) if pick < different else kth(twins, pick - different)
            bit = U(1) << U(card)
            hidden ^= bit & ~twins  # of two equal zeros one is left
            twins &= ~bit
            cards = with_card(cards, i, card)
    return cards


@device
def worth(view, cards, place, greed, spite, bonus):
    """What a complete trick is worth to the seat, whose card is the `place`-th; `bonus` if it wins."""
    strongest = np.int64(-1)
    for i in range(view.players):
        strongest = max(strongest, strength(card_at(cards, i), i))
    best = 7 - (strongest & 7)
    winner = on_from(view.leader, best, view.players)
    tops = view.tops[U(winner)]
    change = points(after_trick(tops, cards, best, view.players, view.stack_order)) - points(tops)
    if best == place:
        return greed * change + bonus
    return (greed if partners(view, winner) else -spite) * change


@device
def greedy_card(view, greed, spite):
    """The card to lay or to play; of equals the highest, the last colour in B G P R Y.

    Starters are chosen among those of `solid`, for their points less a tenth of what they would be worth in the first
    trick, one of ten that they will be missing in.
    """
    laying = view.phase == LAY
    place = view.seat - view.leader + (view.players if view.seat < view.leader else 0)
    tries = 1 if not laying and place == view.players - 1 else COMPLETIONS
    tricks = np.empty(COMPLETIONS, np.uint64)
    for k in range(tries):
        tricks[k] = completed(view, view.cards, 0 if laying else place, place)
    bonus = first_trick_bonus(view) - EARLY * tricks_left(view)
    piles = U(0)
    for k in range(3):
        piles = stacked(piles, card_at(view.laid, k))
    candidates = moderate_starters(view) if laying else view.hand
    best = LOWEST
    while candidates:
        card = lowest(candidates)
        candidates &= candidates - U(1)
        value = 0
        for k in range(tries):
            value += worth(view, with_card(tricks[k], place, card), place, greed, spite, bonus)
        value //= tries
        if laying:
            value = greed * points(stacked(piles, U(card))) - value // 10
        else:
            value += SHED * rank_of(card)
        best = max(best, rated(value, card))
    return best & 63


@outlined
def greedy(view):
    """Greedy on samples; parameters greed, spite."""
    greed, spite = weights(view)
    if view.phase != LAY and view.hand & (view.hand - U(1)) == U(0):
        return lowest(view.hand)
    return greedy_card(view, greed, spite)
