"""Null & Nichtig: the heuristic player `solid`."""

from __future__ import annotations

import numpy as np

from kernels.bits import count, lowest
from kernels.compile import device
from kernels.null_nichtig.cards import (
    ALL,
    AS_TOP,
    COLOUR_SET,
    EMPTY,
    OTHER_TOPS,
    STRENGTH,
    ZEROS,
    card_at,
    points,
    stacked,
)
from kernels.null_nichtig.state import LAY, PLAY_ORDER, CLOCKWISE_FROM_WINNER
from kernels.table import on_from
from kernels.strategy import param

U = np.uint64
NOTHING = (~U(0), U(0))


@device
def put(layer, card):
    """A layer (which piles it leaves as they are, tops of the others) with one more card on it."""
    keeps, tops = layer
    return keeps & OTHER_TOPS[card], tops & OTHER_TOPS[card] | AS_TOP[card]


@device
def put_all(layer, cards, first, last):
    for i in range(first, last):
        layer = put(layer, card_at(cards, i))
    return layer


@device
def covered(tops, layer):
    return tops & layer[0] | layer[1]


@device
def unseen(view):
    """The cards the seat has not seen (cards, twins)."""
    seen = view.open
    twins = view.open_twins | view.open & view.hand & ZEROS | view.twins
    seen |= view.hand
    for i in range(view.position):
        bit = U(1) << card_at(view.cards, i)
        twins |= seen & bit & ZEROS
        seen |= bit
    return ALL & ~seen, ZEROS & ~twins


@device
def high_starter(view):
    fresh = view.hand
    for k in range(3):
        fresh &= ~COLOUR_SET[card_at(view.laid, k)]
    best = -1e9
    chosen = 0
    hand = view.hand if fresh == 0 else fresh
    while hand:
        card = lowest(hand)
        hand &= hand - U(1)
        rank = STRENGTH[card] >> 3
        v = rank - (param(view, 7) if rank >= 11 else 0.0)
        if v >= best:
            best = v
            chosen = card
    return chosen


@device
def value_card(view):
    greed = param(view, 0)
    spite = param(view, 1)
    risk = param(view, 2)
    later_rank = param(view, 3)
    keep_lose = param(view, 4)
    keep_win = param(view, 5)
    take = param(view, 6)
    players = view.players
    place = view.position
    r = players - 1 - place
    seat = view.seat
    cards = view.cards
    order = view.stack_order
    mine = view.tops[U(seat)]
    new, new_twins = unseen(view)
    u = count(new) + count(new_twins)
    known = put_all(NOTHING, cards, 0, place)
    if order == PLAY_ORDER:
        under = covered(mine, known)
        over = NOTHING
    else:
        under = mine
        over = known
    best = -1e30
    chosen = np.int64(-1)
    # colours whose top later cards would change
    losing = U(0)
    s = view.strongest
    others = U(0)
    for k in range(players):
        others += view.tops[U(k)]
    others -= mine
    inv = 1.0 / (players - 1)
    if place > 0:
        best_place = 7 - (s & 7)
        w = on_from(view.leader, best_place, players)
        wt = view.tops[U(w)]
        if order == PLAY_ORDER:
            w_under = covered(wt, known)
            w_over = NOTHING
        elif order == CLOCKWISE_FROM_WINNER:
            w_under = covered(wt, put_all(NOTHING, cards, best_place, place))
            w_over = put_all(NOTHING, cards, 0, best_place)
        else:
            l = put(NOTHING, card_at(cards, best_place))
            l = put_all(l, cards, 0, best_place)
            l = put_all(l, cards, best_place + 1, place)
            w_under = covered(wt, l)
            w_over = NOTHING
        t = U(5 * ((s >> 3) + 1))
        losing = view.hand & ((U(1) << t) - U(1))
        higher = count(new >> t)
        stay = 1.0 / (1.0 + risk * (r * higher) / u) if r > 0 else 1.0
        hand = losing
        was = points(wt)
        while hand:
            card = lowest(hand)
            hand &= hand - U(1)
            rank = STRENGTH[card] >> 3
            harm = was - points(covered(stacked(w_under, card), w_over))
            v = stay * spite * harm + keep_lose * rank
            if r > 0:
                av = np.int64(others >> U(8 * (card - 5 * rank))) & 255
                v += (1.0 - stay) * spite * (av * inv - rank)
            if v >= best:
                best = v
                chosen = card
    hand = view.hand & ~losing
    was = points(mine)
    left = 10 - view.trick
    while hand:
        card = lowest(hand)
        hand &= hand - U(1)
        rank = STRENGTH[card] >> 3
        after = covered(stacked(under, card), over)
        own = points(after) - was
        v = 0.0
        if r > 0:
            higher = count(new >> U(5 * (rank + 1)))
            q = 1.0 / (1.0 + risk * (r * higher) / u)
            free = over[0]
            if order != CLOCKWISE_FROM_WINNER:
                free = ~U(0)
            nfree = points(free & U(0x0101010101))
            loss = r * 0.2 * (later_rank * nfree - points(after & free))
            av = np.int64(others >> U(8 * (card - 5 * rank))) & 255
            v = q * (greed * (own + loss) + take * left) + (1.0 - q) * spite * (av * inv - rank) + keep_win * rank
        else:
            v = greed * own + keep_win * rank + take * left
        if v > best:
            best = v
            chosen = card
    return chosen


@device
def solid(view):
    if view.phase == LAY:
        return high_starter(view)
    return value_card(view)
