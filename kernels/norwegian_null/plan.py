"""Null from Norway: the expected hand of a player with t turns left, for all hands and one null rank at once.

With h + x for the hand that has x for its worst card, if x is lower, a turn offers the face-up card d first:

    left[t](h) = E_d min{ left[t-1](h + d), E_x left[t-1](h + x) },

left[0] being the sum of the hand. Probabilities are those of the whole pack, for d as for x; strategies put those of
the unseen cards in for the next card.

Hands of up to 5 cards have exact values. Games that begin with more put the values 0, 1-2, 3-4, ..., 13 into eight
classes, each standing for the mean of its cards.
"""

from __future__ import annotations

import numpy as np

from kernels.compile import device, outlined
from kernels.draw import (
    multiset_number,
    multisets,
    next_multiset,
    put_in,
    rank_worth,
    record_at,
)

EXACT, COARSE = 14, 8

#: hands of at most 5 of 14 values, or of at most 8 of 8 classes
HANDS = 12_870
#: turns of three players who hold one card each
TURNS = 15

PLAN = np.dtype(
    [
        ("key", np.int64),  # what the table was made for
        ("symbols", np.int64),
        ("size", np.int64),  # number of hands
        ("turns", np.int64),  # highest t
        ("more", np.int16, (14 * HANDS,)),  # [symbols * h + symbol - 1]: h with a card more
        ("rest", np.int16, (HANDS,)),  # h without its worst card
        ("worst", np.int8, (HANDS,)),  # the symbol of that card, 0 if there is none
        ("left", np.float32, ((TURNS + 1) * HANDS,)),  # [t * size + h]
        # working memory: of the tables, then of a decision
        ("chance", np.float64, (EXACT + 1,)),
        ("means", np.float64, (EXACT + 1,)),
        ("elements", np.int64, (8,)),
        ("others", np.int64, (8,)),
        ("cards", np.uint8, (64,)),
    ],
    align=True,
)

#: one for each null rank, from the 7
PLANS = np.dtype([(f"null{k}", PLAN) for k in range(7)], align=True)

plan_at = record_at(PLAN)


@device
def symbol_of(symbols, value):
    """The symbol, from 1, that stands for a value."""
    return value + 1 if symbols == EXACT else ((value + 1) >> 1) + 1


@device
def with_card(plan, hand, value):
    """The number of the hand `hand` with a card of this value more."""
    return np.int64(plan.more[hand * plan.symbols + symbol_of(plan.symbols, value) - 1])


@outlined
def prepare(place, worth, cards, players):
    """Fills the table at an address, unless it is that of these values and rules already."""
    plan = plan_at(place)
    key = (np.int64(worth) * 16 + cards) * 8 + players
    if plan.key == key:
        return
    symbols = EXACT if cards <= 5 else COARSE
    size = multisets(symbols, cards)
    plan.symbols, plan.size = symbols, size
    plan.turns = (52 - 2 * players) // players

    chance, mean = plan.chance, plan.means
    for symbol in range(EXACT + 1):
        chance[symbol] = 0.0
        mean[symbol] = 0.0
    for rank in range(13):
        value = rank_worth(worth, rank)
        symbol = symbol_of(symbols, value)
        chance[symbol] += 1 / 13
        mean[symbol] += value / 13
    for symbol in range(1, symbols + 1):
        if chance[symbol] > 0:
            mean[symbol] /= chance[symbol]

    elements, other = plan.elements, plan.others
    for i in range(cards):
        elements[i] = 0
    for number in range(size):
        plan.worst[number] = elements[cards - 1]
        total = 0.0
        for i in range(cards):
            total += mean[elements[i]]
        plan.left[number] = total
        if elements[0] == 0:
            for symbol in range(1, symbols + 1):
                put_in(elements, cards, symbol, other)
                plan.more[number * symbols + symbol - 1] = multiset_number(other, cards)
        other[0] = 0
        for i in range(1, cards):
            other[i] = elements[i - 1]
        plan.rest[number] = multiset_number(other, cards)
        if number < size - 1:
            next_multiset(elements, cards)

    for turn in range(1, plan.turns + 1):
        before = (turn - 1) * size
        for number in range(size):
            base = np.int64(plan.rest[number]) * symbols - 1
            worst = np.int64(plan.worst[number])
            keep = np.float64(plan.left[before + number])
            lower = 0.0
            draw = 0.0
            for symbol in range(1, worst):
                lower += chance[symbol]
                draw += chance[symbol] * plan.left[before + plan.more[base + symbol]]
            draw += (1 - lower) * keep
            value = (1 - lower) * draw
            for symbol in range(1, worst):
                taken = np.float64(plan.left[before + plan.more[base + symbol]])
                value += chance[symbol] * min(taken, draw)
            plan.left[turn * size + number] = value
    plan.key = key
