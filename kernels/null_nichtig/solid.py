"""Null & Nichtig: the heuristic player `solid`, and what other players take from it.

What a card does to somebody's piles is a *layer*: a pair (keeps, tops) of words like the tops of piles. Laid over
piles it leaves the colours in `keeps` as they are and puts `tops` on the others.
"""

from __future__ import annotations

import numpy as np

from kernels.bits import count, highest, lowest
from kernels.compile import device, outlined
from kernels.null_nichtig.cards import (
    ALL,
    COLOUR_SET,
    COLOURS,
    NONE,
    OTHER_TOPS,
    STRENGTH,
    ZEROS,
    card_at,
    points,
    stacked,
)
from kernels.null_nichtig.state import CLOCKWISE_FROM_WINNER, LAY, WINNER_THEN_PLAY_ORDER
from kernels.strategy import param
from kernels.table import on_from

U = np.uint64
NOTHING = (~U(0), U(0))
ALL_TOPS = ~U(0)

#: the unit of values is 1 / POINT of a point; LOWEST is below all of them
POINT = 1000
LOWEST = -(1 << 60)
#: what laying down a card is worth per rank, as low cards make better discards and safer leads later on
SHED = 600
#: what taking a trick costs per trick that is left: the more there are, the more will be laid on one's piles
EARLY = 1500
#: starters are at most this high where possible: an 11 can take a trick whenever that pays
HIGHEST_STARTER = 10

#: by layout of teams: bit d is set if seats whose numbers differ by d are partners
PARTNERS = np.array([0, 1 << 2, 1 << 3, 1 << 2 | 1 << 4], np.int64)


@device
def layered(layer, card):
    """The layer with one more card on it."""
    keeps, tops = layer
    return keeps & OTHER_TOPS[card], stacked(tops, card)


@device
def both(lower, upper):
    """Two layers as one."""
    return lower[0] & upper[0], lower[1] & upper[0] | upper[1]


@device
def over(tops, layer):
    """The tops of piles with a layer over them."""
    return tops & layer[0] | layer[1]


@device
def around(view, best):
    """What the cards of an unfinished trick, won so far by its `best`-th, do to their winner's piles, and where one
    played now would still be seen: a layer and a mask of colours, and both for the case that the card wins.
    """
    first = rest = NOTHING  # those before and after the winning card
    line = view.cards  # a loop over `position` would be unrolled by parts of it, which the loop over tricks would carry
    i = 0
    while line & U(63) != U(NONE):
        more = layered(rest, line & U(63))
        if i == best:
            first = rest
        rest = NOTHING if i == best else more
        line = line >> U(8)
        i += 1
    winning = layered(NOTHING, card_at(view.cards, best))
    played = both(both(first, winning), rest)
    if view.stack_order == CLOCKWISE_FROM_WINNER:
        return both(both(winning, rest), first), first[0], played, played[0]
    if view.stack_order == WINNER_THEN_PLAY_ORDER:
        return both(both(winning, first), rest), ALL_TOPS, played, played[0]
    return played, ALL_TOPS, played, ALL_TOPS


@device
def unseen(view):
    """The cards that the seat has not seen, as a set (cards, twins)."""
    seen = view.open | view.hand
    twins = view.open_twins | view.twins | view.open & view.hand
    line = view.laid if view.phase == LAY else view.cards
    while line & U(63) != U(NONE):
        bit = U(1) << (line & U(63))
        twins |= seen & bit
        seen |= bit
        line = line >> U(8)
    return ALL & ~seen, ZEROS & ~twins


@device
def rank_of(card):
    """The rank of a card; 0 for NONE."""
    return STRENGTH[U(card)] >> 3


@device
def up_to(rank):
    """All cards up to a rank."""
    return (U(1) << U(5 * rank + 5)) - U(1)


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
    bonus = (-POINT * view.no_trick_penalty) >> (tricks_left(view) - 1)
    return bonus if view.taken[U(view.seat)] == 0 else 0


@device
def fresh_colours(view):
    """The held cards of colours in which the seat has laid no starter; all of them where none is left."""
    fresh = view.hand
    for k in range(3):
        fresh &= ~COLOUR_SET[card_at(view.laid, k)]
    return fresh if fresh else view.hand


@device
def moderate_starters(view):
    """The held cards in fresh colours, without those above HIGHEST_STARTER unless there are no others."""
    fresh = fresh_colours(view)
    moderate = fresh & up_to(HIGHEST_STARTER)
    return moderate if moderate else fresh


@device
def weights(view):
    """The parameters greed and spite, in units of values."""
    return np.int64(param(view, 0) * POINT), np.int64(param(view, 1) * POINT)


@device
def rated(value, card):
    """A card's value and the card in one integer, so that the best of several is their maximum."""
    return value * 64 + np.int64(card)


@device
def best_loser(losing, weight, before, tops, reach):
    """The rated card that does best without winning: by its harm to the winner's piles, and by being shed.

    The winner's piles show `before` now and would show `tops` without the card. Of a colour only the highest is looked
    at, or the lowest where it does more harm than it is worth being shed.
    """
    harm = weight * (points(before) - points(tops))
    best = LOWEST
    for colour in range(COLOURS):
        reached = np.int64(reach >> U(8 * colour)) & 1
        top = np.int64(tops >> U(8 * colour)) & 255
        gradient = SHED - weight * reached
        same = losing & COLOUR_SET[colour]
        card = highest(same) if gradient >= 0 else lowest(same)
        rating = rated(harm + weight * reached * top + gradient * rank_of(card & 63), card)
        best = max(best, rating if same else LOWEST)
    return best


@device
def best_winner(view, winning, greed, risk, tops, reach):
    """The rated card that does best by winning, or by being overtaken.

    The seat's piles would show `tops` without the card. Later cards are thought to overtake one above which `higher`
    of the `unknown` cards lie with a chance of x / (1 + x), x = risk * seats to come * higher / unknown, and each to
    cover a fifth of the tops within its reach.
    """
    to_come = view.players - 1 - view.position
    hidden, twins = unseen(view)
    overtaking = risk * to_come / max(1, count(hidden) + count(twins))
    covered = greed * to_come // 5
    reach_of_later = reach if view.stack_order == CLOCKWISE_FROM_WINNER else ALL_TOPS
    gain = greed * (points(tops) - points(view.tops[U(view.seat)])) - covered * points(tops & reach_of_later)
    gain += first_trick_bonus(view) - EARLY * tricks_left(view)
    best = LOWEST
    while winning:
        card = lowest(winning)
        winning &= winning - U(1)
        rank = rank_of(card)
        shift = U(8 * (card - COLOURS * rank))
        change = (rank - (np.int64(tops >> shift) & 255)) * (np.int64(reach >> shift) & 1)
        stays = 1.0 / (1.0 + overtaking * count(hidden & ~up_to(rank)))
        worth = np.int64((gain + (greed - covered) * change) * stays)
        best = max(best, rated(worth + SHED * rank, card))
    return best


@device
def solid_card(view, greed, spite, risk):
    """The card to play, by what it does to the piles of who will probably take the trick.

    `greed` and `spite` in units of 1 / POINT. Of equals the highest card, the last colour in B G P R Y.
    """
    own = view.tops[U(view.seat)]
    if view.position == 0:
        return best_winner(view, view.hand, greed, risk, own, ALL_TOPS) & 63
    place = 7 - (view.strongest & 7)
    winner = on_from(view.leader, place, view.players)
    tops = view.tops[U(winner)]
    weight = -greed if partners(view, winner) else spite
    layer, reach, own_layer, own_reach = around(view, place)
    losing = view.hand & up_to(view.strongest >> 3)
    loser = best_loser(losing, weight, tops, over(tops, layer), reach)
    return max(loser, best_winner(view, view.hand & ~losing, greed, risk, over(own, own_layer), own_reach)) & 63


@outlined
def solid(view):
    """The heuristic player; parameters greed, spite, risk."""
    if view.phase == LAY:
        return highest(moderate_starters(view))
    if view.hand & (view.hand - U(1)) == U(0):
        return lowest(view.hand)
    greed, spite = weights(view)
    return solid_card(view, greed, spite, param(view, 2))
