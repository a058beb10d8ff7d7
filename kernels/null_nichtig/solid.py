"""Null & Nichtig: the heuristic player `solid`, and what other players take from it.

What a card does to somebody's piles is a *layer*: a pair (keeps, tops) of words like the tops of piles. Laid over
piles it leaves the colours in `keeps` as they are and puts `tops` on the others.
"""

from __future__ import annotations

import numpy as np

from kernels.bits import count, highest, lowest
from kernels.compile import device
from kernels.null_nichtig.cards import (
    ALL,
    AS_TOP,
    COLOUR_SET,
    OTHER_TOPS,
    STRENGTH,
    ZEROS,
    card_at,
    points,
    stacked,
)
from kernels.null_nichtig.state import CLOCKWISE_FROM_WINNER, LAY, PLAY_ORDER
from kernels.strategy import param
from kernels.table import on_from

U = np.uint64
NOTHING = (~U(0), U(0))

#: what laying down a card is worth per rank, as low cards make better discards and safer leads later on
SHED = 0.6
#: what taking a trick costs per trick that is left: the more there are, the more will be laid on one's piles
EARLY = 1.5
#: starters are at most this high where possible: an 11 can take a trick whenever that pays
HIGHEST_STARTER = 10

#: by layout of teams: bit d is set if seats whose numbers differ by d are partners
PARTNERS = np.array([0, 1 << 2, 1 << 3, 1 << 2 | 1 << 4], np.int64)


@device
def layered(layer, card):
    """The layer with one more card on it."""
    keeps, tops = layer
    return keeps & OTHER_TOPS[card], tops & OTHER_TOPS[card] | AS_TOP[card]


@device
def layer_of(layer, cards, first, last):
    """The layer with the cards first..last-1 of a sequence on it."""
    for i in range(first, last):
        layer = layered(layer, card_at(cards, i))
    return layer


@device
def over(tops, layer):
    """The tops of piles with a layer over them."""
    keeps, new = layer
    return tops & keeps | new


@device
def around(cards, best, place, order):
    """How a trick of `place` cards, won by its `best`-th, would lie under and over a card played now (two layers)."""
    if order == CLOCKWISE_FROM_WINNER:
        return layer_of(NOTHING, cards, best, place), layer_of(NOTHING, cards, 0, best)
    if order == PLAY_ORDER:
        return layer_of(NOTHING, cards, 0, place), NOTHING
    first = layered(NOTHING, card_at(cards, best))
    return layer_of(layer_of(first, cards, 0, best), cards, best + 1, place), NOTHING


@device
def around_own(cards, place, order):
    """The same if the card played now wins."""
    if order == PLAY_ORDER:
        return layer_of(NOTHING, cards, 0, place), NOTHING
    return NOTHING, layer_of(NOTHING, cards, 0, place)


@device
def unseen(view):
    """The cards that the seat has not seen, as a set (cards, twins)."""
    seen = view.open | view.hand
    twins = view.open_twins | view.twins | view.open & view.hand
    for i in range(view.position):
        bit = U(1) << card_at(view.cards, i)
        twins |= seen & bit
        seen |= bit
    return ALL & ~seen, ZEROS & ~twins


@device
def partners(view, seat):
    """Whether `seat` is in the team of the seat to move."""
    return PARTNERS[view.teams] >> abs(seat - view.seat) & 1 != 0


@device
def tricks_left(view):
    """How many tricks of the round are not over."""
    return (8 if view.players == 6 else 10) - view.trick


@device
def first_trick_bonus(view):
    """What a trick saves a seat that has none: the penalty, halved for every chance that is still to come."""
    if view.taken[U(view.seat)] > 0:
        return 0.0
    return -view.no_trick_penalty / (1 << (tricks_left(view) - 1))


@device
def fresh_colours(view):
    """The held cards of colours in which the seat has laid no starter; all of them where none is left."""
    fresh = view.hand
    for k in range(3):
        fresh &= ~COLOUR_SET[card_at(view.laid, k)]
    return fresh if fresh else view.hand


@device
def solid_starter(view):
    """The highest card up to HIGHEST_STARTER in a fresh colour; of equals the last colour in B G P R Y."""
    fresh = fresh_colours(view)
    moderate = fresh & ((U(1) << U(5 * (HIGHEST_STARTER + 1))) - U(1))
    return highest(moderate if moderate else fresh)


@device
def solid_card(view, greed, spite, risk):
    """The card to play, by what it does to the piles of who will probably take the trick.

    Later cards are thought to overtake one above which `higher` of the `unknown` cards lie with a chance of
    x / (1 + x), x = risk * seats to come * higher / unknown, and each to cover a fifth of the tops within its reach.
    Of equals the highest card, the last colour in B G P R Y.
    """
    place = view.position
    to_come = view.players - 1 - place
    order = view.stack_order
    cards = view.cards
    own = view.tops[U(view.seat)]
    hidden, twins = unseen(view)
    overtaking = risk * to_come / max(1, count(hidden) + count(twins))

    chosen = np.int64(0)
    best = -np.inf
    losing = U(0)
    if place > 0:
        winning_place = 7 - (view.strongest & 7)
        winner = on_from(view.leader, winning_place, view.players)
        weight = -greed if partners(view, winner) else spite
        under, above = around(cards, winning_place, place, order)
        tops = view.tops[U(winner)]
        before = points(tops)
        tops = over(tops, under)
        losing = view.hand & ((U(1) << U(5 * ((view.strongest >> 3) + 1))) - U(1))
        left = losing
        while left:
            card = lowest(left)
            left &= left - U(1)
            harm = before - points(over(stacked(tops, card), above))
            value = weight * harm + SHED * (STRENGTH[card] >> 3)
            if value >= best:
                best = value
                chosen = card

    under, above = around_own(cards, place, order)
    reach = above[0] if order == CLOCKWISE_FROM_WINNER else ~U(0)
    tops = over(own, under)
    cost = greed * points(own) + EARLY * tricks_left(view) - first_trick_bonus(view)
    left = view.hand & ~losing
    while left:
        card = lowest(left)
        left &= left - U(1)
        rank = STRENGTH[card] >> 3
        after = over(stacked(tops, card), above)
        worth = greed * (points(after) - 0.2 * to_come * points(after & reach)) - cost
        value = worth / (1.0 + overtaking * count(hidden >> U(5 * (rank + 1)))) + SHED * rank
        if value >= best:
            best = value
            chosen = card
    return chosen


@device
def solid(view):
    """The heuristic player; parameters greed, spite, risk."""
    if view.phase == LAY:
        return solid_starter(view)
    return solid_card(view, param(view, 0), param(view, 1), param(view, 2))
