"""Núlla: the expected row of a player who plays on for t turns, alone against the stock, for all rows at once.

What matters of a row are the values K of its known cards and the number u of unknown ones: a chain puts a card in
and takes one out. With the card v drawn,

    left[t](K, u)    = E_v min{ left[t-1](K, u), left[t-1](K - worst + v, u), explore[t-1](K + v, u) }
    explore[t](K, u) = E_x min{ left[t](K, u-1), explore[t](K + x, u-1) if u > 1 },

where `explore` pushes the chain through all known cards into the unknown ones, and left[0] is the sum of the row with
the mean for unknown cards. Only the worst known card is worth replacing. Probabilities are those of the whole pack;
strategies put those of the unseen cards in for the next card.

A row of 5 or 6 has exact values. A row of 12 has too many: there the values 0, 1-2, 3-4, 5-6, 7-8, 9-10 make six
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

EXACT, COARSE = 11, 6

#: room for 21 turns of rows of 6, or 14 of rows of 12
ROOM = 259_896

PLAN = np.dtype(
    [
        ("key", np.int64),  # what the tables were made for
        ("symbols", np.int64),
        ("size", np.int64),  # number of sets of known cards
        ("turns", np.int64),  # highest t
        ("mean", np.float64),  # of a card of the pack
        ("left", np.float32, (ROOM,)),  # [t * size + K]
        ("explore", np.float32, (ROOM,)),  # the same, K with the card put in
        ("more", np.int16, (11 * 12_376,)),  # [symbols * K + symbol - 1]: K with a card more
        ("rest", np.int16, (18_564,)),  # K without its worst card
        ("worst", np.int8, (18_564,)),  # the symbol of that card, 0 if there is none
        ("known", np.int8, (18_564,)),  # cards in K
        # working memory: of the tables, then of a decision
        ("chance", np.float64, (EXACT + 1,)),
        ("means", np.float64, (EXACT + 1,)),
        ("elements", np.int64, (12,)),
        ("others", np.int64, (12,)),
        ("cards", np.uint8, (64,)),
        ("moves", np.int64, (3,)),
        ("knowns", np.uint64, (3,)),
        ("changes", np.int64, (3,)),
        ("explored", np.int64, (3,)),
        ("draws", np.int64, (3,)),
        ("won", np.float64, (3,)),
    ],
    align=True,
)

plan_at = record_at(PLAN)


@device
def symbol_of(symbols, value):
    """The symbol, from 1, that stands for a value."""
    return value + 1 if symbols == EXACT else ((value + 1) >> 1) + 1


@device
def with_card(plan, known, value):
    """The number of the set `known` with a card of this value more."""
    return np.int64(plan.more[known * plan.symbols + symbol_of(plan.symbols, value) - 1])


@outlined
def prepare(plan, worth, row):
    """Fills the tables, unless they are those of these rules already."""
    key = np.int64(worth) * 16 + row
    if plan.key == key:
        return
    symbols = EXACT if row < 12 else COARSE
    size = multisets(symbols, row)
    plan.symbols, plan.size = symbols, size
    plan.turns = ROOM // size - 1

    chance, mean = plan.chance, plan.means
    for symbol in range(EXACT + 1):
        chance[symbol] = 0.0
        mean[symbol] = 0.0
    plan.mean = 0.0
    for rank in range(13):
        value = rank_worth(worth, rank)
        symbol = symbol_of(symbols, value)
        chance[symbol] += 1 / 13
        mean[symbol] += value / 13
        plan.mean += value / 13
    for symbol in range(1, symbols + 1):
        if chance[symbol] > 0:
            mean[symbol] /= chance[symbol]

    elements, other = plan.elements, plan.others
    for i in range(row):
        elements[i] = 0
    for number in range(size):
        plan.worst[number] = elements[row - 1]
        known = 0
        total = 0.0
        for i in range(row):
            known += elements[i] > 0
            total += mean[elements[i]]
        plan.known[number] = known
        plan.left[number] = total + (row - known) * plan.mean
        if known < row:
            for symbol in range(1, symbols + 1):
                put_in(elements, row, symbol, other)
                plan.more[number * symbols + symbol - 1] = multiset_number(other, row)
        other[0] = 0
        for i in range(1, row):
            other[i] = elements[i - 1]
        plan.rest[number] = multiset_number(other, row)
        if number < size - 1:
            next_multiset(elements, row)

    for turn in range(plan.turns + 1):
        base = turn * size
        before = base - size
        if turn > 0:
            for number in range(size):
                known = plan.known[number]
                value = 0.0
                for symbol in range(1, symbols + 1):
                    if chance[symbol] > 0:
                        best = np.float64(plan.left[before + number])
                        if symbol < plan.worst[number]:
                            rest = np.int64(plan.rest[number])
                            best = min(best, np.float64(plan.left[before + plan.more[rest * symbols + symbol - 1]]))
                        if known < row:
                            further = plan.explore[before + plan.more[number * symbols + symbol - 1]]
                            best = min(best, np.float64(further))
                        value += chance[symbol] * best
                plan.left[base + number] = value
        for number in range(size - 1, -1, -1):
            stop = np.float64(plan.left[base + number])
            value = stop
            if plan.known[number] < row:
                value = 0.0
                for symbol in range(1, symbols + 1):
                    if chance[symbol] > 0:
                        further = plan.explore[base + plan.more[number * symbols + symbol - 1]]
                        value += chance[symbol] * min(stop, np.float64(further))
            plan.explore[base + number] = value
    plan.key = key
