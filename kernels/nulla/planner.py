"""Núlla: the strategies that plan over their remaining turns with the tables of `plan.py`."""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import count, highest, lowest
from kernels.compile import device, outlined
from kernels.draw import card_worth, rank_count, rank_worth, total_worth, turns_to_come
from kernels.nulla.plan import plan_at, with_card
from kernels.nulla.state import CHAIN, DRAW, NO_CARD, NO_VALUE, slot_card, slot_value
from kernels.strategy import param

U = np.uint64

#: own turns after the present one in which `dp-win` still looks at the chance of winning
LATE = 2

#: what a point of the row breaks ties by
TIE = 1e-4

NEVER = 1e9


@outlined
def known_cards(view, plan, skip):
    """The known cards of the own row but slot `skip`: their number in the tables and their sum."""
    number = 0
    total = 0
    for slot in range(view.row):
        value = slot_value(view, slot)
        if value != NO_VALUE and slot != skip:
            number = with_card(plan, number, value)
            total += value
    return number, total


@outlined
def survey(view, start):
    """The slots of the row from `start`: the first unknown one and the worst known one (-1: none); all unknown."""
    unknown = -1
    slots = 0
    worst = -1
    for slot in range(view.row - 1, -1, -1):
        value = slot_value(view, slot)
        if value == NO_VALUE:
            slots += 1
            if slot >= start:
                unknown = slot
        elif slot >= start:
            worst = max(worst, 16 * value + 15 - slot)
    return unknown, (15 - (worst & 15) if worst >= 0 else -1), slots


@device
def expected(plan, turns, number, total, unknown, mean):
    """The expected row after `turns` turns more: without any, `mean` (of the unseen cards) for unknown cards."""
    if turns == 0:
        return total + unknown * mean
    return np.float64(plan.left[turns * plan.size + number]) + TIE * total


@outlined
def best_chain(view, plan, held, start, turns, may_stop):
    """The best way on with a card of value `held` at slot `start`: expected row, move.

    `held` is discarded, replaces the worst known card ahead, or goes in for the first unknown one ahead, where the next
    decision depends on what turns up.
    """
    unseen = count(view.unseen)
    mean = total_worth(view.worth, view.unseen) / max(unseen, 1)
    unknown, worst, unknowns = survey(view, start)
    number, total = known_cards(view, plan, -1)
    best = NEVER
    move = 0
    if may_stop:
        best = expected(plan, turns, number, total, unknowns, mean)
    if worst >= 0:
        removed = slot_value(view, worst)
        if held < removed:
            rest, rest_total = known_cards(view, plan, worst)
            rest = with_card(plan, rest, held)
            value = expected(plan, turns, rest, rest_total + held, unknowns, mean)
            if value < best:
                best = value
                move = worst - start + 1
    if unknown >= 0:
        number = with_card(plan, number, held)
        stop = expected(plan, turns, number, total + held, unknowns - 1, mean)
        value = stop
        if unknowns > 1:
            # the tables take the mean of the pack for cards that stay unknown to the end
            further = (unknowns - 2) * (mean - plan.mean) if turns == 0 else 0.0
            value = 0.0
            for rank in range(13):
                cards = rank_count(view.unseen, rank)
                if cards > 0:
                    seen = with_card(plan, number, rank_worth(view.worth, rank))
                    go_on = plan.explore[turns * plan.size + seen] + further
                    value += cards * min(stop, go_on)
            value /= unseen
        if value < best:
            best = value
            move = start - unknown - 1
    return best, move


@outlined
def draw_value(view, plan, turns):
    """The expected row if a card is drawn, `turns` turns being left after this one."""
    unseen = count(view.unseen)
    mean = total_worth(view.worth, view.unseen) / max(unseen, 1)
    unknown, worst, unknowns = survey(view, 0)
    number, total = known_cards(view, plan, -1)
    stop = expected(plan, turns, number, total, unknowns, mean)
    rest, rest_total = known_cards(view, plan, worst)
    removed = slot_value(view, worst) if worst >= 0 else 0
    further = (unknowns - 1) * (mean - plan.mean) if turns == 0 else 0.0
    value = 0.0
    for rank in range(13):
        cards = rank_count(view.unseen, rank)
        if cards > 0:
            drawn = rank_worth(view.worth, rank)
            best = stop
            if drawn < removed:
                other = with_card(plan, rest, drawn)
                best = min(best, expected(plan, turns, other, rest_total + drawn, unknowns, mean))
            if unknown >= 0:
                other = with_card(plan, number, drawn)
                best = min(best, np.float64(plan.explore[turns * plan.size + other]) + further)
            value += cards * best
    return value / max(unseen, 1)


@device
def top_discard(view):
    """The card that could be taken."""
    return np.int64(view.discards[view.pile - 1])


@outlined
def planned(view):
    """The move of `dp`."""
    plan = plan_at(view.plan)
    if view.phase == CHAIN:
        held = card_worth(view.worth, view.held)
        after = min(view.stock // view.players, plan.turns)
        return best_chain(view, plan, held, view.swaps, after, True)[1]
    later = min((view.stock - 1) // view.players, plan.turns)
    take, move = best_chain(view, plan, card_worth(view.worth, top_discard(view)), 0, later, False)
    if take < draw_value(view, plan, later):
        return move
    return DRAW


@outlined
def dp(view):
    """Least expected row at the end, as the tables of `plan.py` have it, with the unseen cards for the next one.

    The turns left are those of a stock that each seat draws one card a turn from, the same after a take as after a
    draw: to count the card that a take leaves in the stock as a turn of one's own won less often. It takes the top
    discard if that leaves less than a draw does; but only to put it in for a higher or an unknown card, so that two
    of its kind cannot hand discards to and fro for ever.
    """
    return planned(view)


# --- the chance of the lowest total


@device
def pack_value(values, value):
    """A packed multiset of values, five bits for each, with one more."""
    return values + (U(1) << U(5 * value))


@device
def worst_packed(values):
    """The highest value of a packed multiset, 0 for an empty one."""
    return max(highest(values), 0) // 5


@outlined
def one_draw(values, total, drawn, next_unknown, mean):
    """A turn as `shift` plays it: the known values and the total after it, and whether an unknown slot was explored.

    `next_unknown` is what the first unknown slot holds, -1 if all are known.
    """
    worst = worst_packed(values)
    if next_unknown >= 0 and max(worst, drawn) < mean:
        return pack_value(values, drawn), total + drawn - next_unknown, 1
    if drawn < worst:
        return pack_value(values - (U(1) << U(5 * worst)), drawn), total + drawn - worst, 0
    return values, total, 0


@outlined
def lowest_of_others(view, cards, place, stock, mean):
    """The lowest total of the other seats in a sampled world, and how many have it.

    `cards[place:]` are dealt to what is hidden: slots and secret cards, and the cards these seats will draw from
    `stock`; they play on as `shift` does, knowing as many slots as their longest chain reached.
    """
    least = 1000
    ties = 0
    for offset in range(1, view.players):
        seat = view.seat + offset
        if seat >= view.players:
            seat -= view.players
        values = U(0)
        total = card_worth(view.worth, cards[place])
        place += 1
        reach = view.reach[seat]
        first = place
        for slot in range(view.row):
            card = slot_card(view.shown[seat], slot)
            if card == NO_CARD:
                card = np.int64(cards[place])
                place += 1
            if slot < reach:
                first = place
                values = pack_value(values, card_worth(view.worth, card))
            total += card_worth(view.worth, card)
        unknown = place
        for _ in range(turns_to_come(stock, offset, view.players)):
            hidden = card_worth(view.worth, cards[first]) if first < unknown else -1
            drawn = card_worth(view.worth, cards[place])
            place += 1
            values, total, explored = one_draw(values, total, drawn, hidden, mean)
            first += explored
        if total < least:
            least = total
            ties = 0
        ties += total == least
    return least, ties


@outlined
def likeliest_win(view, planned_move):
    """Of the moves that make sense the one that wins the largest share of sampled worlds; ties: the planned one."""
    players = view.players
    chaining = view.phase == CHAIN
    start = view.swaps if chaining else 0
    held = card_worth(view.worth, view.held if chaining else top_discard(view))
    unknown, worst, unknowns = survey(view, start)

    plan = plan_at(view.plan)
    cards = plan.cards
    left = view.unseen
    size = count(left)
    for i in range(size):
        cards[i] = lowest(left)
        left &= left - U(1)
    mean = total_worth(view.worth, view.unseen) / max(size, 1)

    known = U(0)
    total = card_worth(view.worth, view.secret)
    for slot in range(view.row):
        value = slot_value(view, slot)
        if value != NO_VALUE:
            known = pack_value(known, value)
            total += value

    # of each move that makes sense: known values, change of the total, unknown slots explored, cards still drawn
    moves, knowns, changes = plan.moves, plan.knowns, plan.changes
    explored, draws, won = plan.explored, plan.draws, plan.won
    for k in range(3):
        moves[k] = 0
        changes[k] = 0
        explored[k] = 0
        won[k] = 0.0
    later = turns_to_come(view.stock, players, players)
    knowns[0] = known
    draws[0] = later if chaining else turns_to_come(view.stock - 1, players, players) + 1
    candidates = 1
    if worst >= 0 and held < slot_value(view, worst):
        removed = slot_value(view, worst)
        moves[candidates] = worst - start + 1
        knowns[candidates] = pack_value(known - (U(1) << U(5 * removed)), held)
        changes[candidates] = held - removed
        draws[candidates] = later
        candidates += 1
    if unknown >= 0:
        moves[candidates] = start - unknown - 1
        knowns[candidates] = pack_value(known, held)
        changes[candidates] = held
        explored[candidates] = 1
        draws[candidates] = later
        candidates += 1
    if candidates == 1:
        return planned_move

    stream = view.lots[view.seat]
    most = 0
    for k in range(candidates):
        most = max(most, draws[k])
    for _ in range(np.int64(param(view, 1))):
        rng.shuffle(cards, size, size, stream)
        stock = view.stock if chaining else view.stock - 1
        least, ties = lowest_of_others(view, cards, unknowns + most, stock, mean)
        hidden = 0
        for i in range(unknowns):
            hidden += card_worth(view.worth, cards[i])
        for k in range(candidates):
            values = knowns[k]
            own = total + hidden + changes[k]
            place = explored[k]
            if place > 0:
                own -= card_worth(view.worth, cards[0])
            for i in range(draws[k]):
                ahead = card_worth(view.worth, cards[place]) if place < unknowns else -1
                drawn = card_worth(view.worth, cards[unknowns + i])
                values, own, more = one_draw(values, own, drawn, ahead, mean)
                place += more
            if own < least:
                won[k] += 1.0
            elif own == least:
                won[k] += 1.0 / (1 + ties)
    best = 0
    for k in range(candidates):
        if won[k] > won[best] or (won[k] == won[best] and moves[k] == planned_move):
            best = k
    return moves[best]


@outlined
def dp_win(view):
    """As `dp`; in the last three turns the largest chance of the lowest total over sampled rows and secret cards.

    Sampled worlds deal the unseen cards at random to all hidden places and are played to the end as `shift` plays.
    """
    move = planned(view)
    after = view.stock // view.players if view.phase == CHAIN else (view.stock - 1) // view.players
    if after > LATE:
        return move
    return likeliest_win(view, move)
