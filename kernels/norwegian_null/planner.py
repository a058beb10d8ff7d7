"""Null from Norway: the strategies that plan over their remaining turns with the tables of `plan.py`."""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import count, highest, lowest
from kernels.compile import device, outlined
from kernels.draw import card_worth, rank_count, rank_worth, total_worth, turns_to_come
from kernels.norwegian_null.plan import plan_at, with_card
from kernels.norwegian_null.state import DRAW, LAY, worst_card
from kernels.strategy import param

U = np.uint64

#: own turns after the present one in which `dp-win` still looks at the chance of winning
LATE = 2

#: what a point of the hand breaks ties by
TIE = 1e-4


@device
def expected(plan, turns, hand, total):
    """The expected hand after `turns` turns more, from its number and its sum."""
    if turns == 0:
        return np.float64(total)
    return np.float64(plan.left[turns * plan.size + hand]) + TIE * total


@device
def lay_worst(view):
    """The card to lay down: the worst of the hand if the drawn one is lower, else the drawn one."""
    worst = worst_card(view)
    return worst if card_worth(view.worth, view.held) < card_worth(view.worth, worst) else view.held


@outlined
def planned(view):
    """The move of `dp`."""
    if view.phase == LAY:
        return lay_worst(view)
    worst = worst_card(view)
    removed = card_worth(view.worth, worst)
    top = card_worth(view.worth, view.top)
    if top >= removed:
        return DRAW
    plan = plan_at(view.plan)
    rest = 0
    cards = view.hand ^ (U(1) << U(worst))
    total = total_worth(view.worth, cards)
    while cards:
        rest = with_card(plan, rest, card_worth(view.worth, lowest(cards)))
        cards &= cards - U(1)
    later = min((view.stock - 1) // view.players, plan.turns)
    take = expected(plan, later, with_card(plan, rest, top), total + top)
    keep = expected(plan, later, with_card(plan, rest, removed), total + removed)
    draw = 0.0
    for rank in range(13):
        unseen = rank_count(view.unseen, rank)
        drawn = rank_worth(view.worth, rank)
        if drawn < removed:
            draw += unseen * expected(plan, later, with_card(plan, rest, drawn), total + drawn)
        else:
            draw += unseen * keep
    return worst if take * count(view.unseen) < draw else DRAW


@outlined
def dp(view):
    """Least expected hand at the end, as the tables of `plan.py` have it, with the unseen cards for the next one.

    The turns left are those of a stock that each seat draws one card a turn from, the same after a take as after a
    draw: to count the card that a take leaves in the stock as a turn of one's own won less often. A face-up card is
    taken only for a higher one, so that two of its kind cannot hand cards to and fro for ever.
    """
    return planned(view)


# --- the chance of the lowest sum


@device
def pack_value(values, value):
    """A packed multiset of values, four bits for each, with one more."""
    return values + (U(1) << U(4 * value))


@device
def one_draw(values, drawn):
    """A turn as `greedy` plays it: the values after it."""
    worst = max(highest(values), 0) >> 2
    if drawn < worst:
        return pack_value(values - (U(1) << U(4 * worst)), drawn)
    return values


@outlined
def packed_total(values):
    """The sum of a packed multiset."""
    total = 0
    for value in range(1, 14):
        total += value * np.int64((values >> U(4 * value)) & U(15))
    return total


@outlined
def packed_cards(worth, cards):
    """The values of a set of cards, packed."""
    values = U(0)
    while cards:
        values = pack_value(values, card_worth(worth, lowest(cards)))
        cards &= cards - U(1)
    return values


@outlined
def lowest_of_others(view, plan, place, stock):
    """The lowest sum of the other seats in a sampled world, and how many have it.

    The plan's `cards` from `place` are dealt to what is hidden: secret cards, hands, and the cards these seats will
    draw from `stock`; they play on as `greedy` does.
    """
    cards = plan.cards
    least = 1000
    ties = 0
    for offset in range(1, view.players):
        seat = view.seat + offset
        if seat >= view.players:
            seat -= view.players
        secret = card_worth(view.worth, cards[place])
        place += 1
        values = packed_cards(view.worth, view.shown[seat])
        for _ in range(view.cards_of[seat] - count(view.shown[seat])):
            values = pack_value(values, card_worth(view.worth, cards[place]))
            place += 1
        for _ in range(turns_to_come(stock, offset, view.players)):
            values = one_draw(values, card_worth(view.worth, cards[place]))
            place += 1
        total = secret + packed_total(values)
        if total < least:
            least = total
            ties = 0
        ties += total == least
    return least, ties


@outlined
def likelier_win(view, worst, planned_move):
    """Whether to take the top card for the card `worst` or to draw: what wins the larger share of sampled worlds."""
    plan = plan_at(view.plan)
    cards = plan.cards
    left = view.unseen
    size = count(left)
    for i in range(size):
        cards[i] = lowest(left)
        left &= left - U(1)
    own = packed_cards(view.worth, view.hand)
    taking = packed_cards(view.worth, (view.hand ^ (U(1) << U(worst))) | (U(1) << U(view.top)))
    # what the other seats draw does not depend on this seat's source; a card more or less is neglected
    stock = view.stock - 1
    draws = turns_to_come(stock, view.players, view.players) + 1
    takes = turns_to_come(view.stock, view.players, view.players)
    won_drawing = 0.0
    won_taking = 0.0
    stream = view.lots[view.seat]
    for _ in range(np.int64(param(view, 0))):
        rng.shuffle(cards, size, size, stream)
        secret = card_worth(view.worth, cards[0])
        least, ties = lowest_of_others(view, plan, 1 + draws, stock)
        drawing = own
        for i in range(draws):
            drawing = one_draw(drawing, card_worth(view.worth, cards[1 + i]))
        taken = taking
        for i in range(takes):
            taken = one_draw(taken, card_worth(view.worth, cards[1 + i]))
        total = secret + packed_total(drawing)
        won_drawing += 1.0 if total < least else (1.0 / (1 + ties) if total == least else 0.0)
        total = secret + packed_total(taken)
        won_taking += 1.0 if total < least else (1.0 / (1 + ties) if total == least else 0.0)
    if won_drawing == won_taking:
        return planned_move
    return worst if won_taking > won_drawing else DRAW


@outlined
def dp_win(view):
    """As `dp`; in the last three turns the larger chance of the lowest sum over sampled hands and secret cards.

    Sampled worlds deal the unseen cards at random to all hidden places and are played to the end as `greedy` plays.
    """
    move = planned(view)
    if view.phase == LAY or (view.stock - 1) // view.players > LATE:
        return move
    worst = worst_card(view)
    if card_worth(view.worth, view.top) >= card_worth(view.worth, worst):
        return move
    return likelier_win(view, worst, move)
