"""What the two draw-and-swap games share: French cards, their worth, and tables over sets of values.

A card is the integer 4 * rank + suit, with the ranks and suits in the order of "A23456789TJQK" and "CSHD"; a set of
cards is a uint64 with bit c for card c. What ranks are worth under the rules in force is one word: its nibble r is
the worth of rank r.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from kernels import rng
from kernels.bits import count, lowest
from kernels.compile import device, outlined

U = np.uint64

CARDS = 52
ALL = U(2**CARDS - 1)


@device
def rank_worth(worth, rank):
    """What the cards of a rank are worth."""
    return np.int64((worth >> U(4 * rank)) & U(15))


@device
def card_worth(worth, card):
    """What a card is worth."""
    return np.int64((worth >> U(card & 60)) & U(15))


@outlined
def total_worth(worth, cards):
    """What a set of cards is worth."""
    total = 0
    for rank in range(13):
        total += rank_worth(worth, rank) * rank_count(cards, rank)
    return total


@device
def few_worth(worth, cards):
    """As `total_worth`, faster for a handful of cards."""
    total = 0
    while cards:
        total += card_worth(worth, lowest(cards))
        cards &= cards - U(1)
    return total


@device
def rank_count(cards, rank):
    """How many cards of a rank are in a set."""
    return count((U(cards) >> U(4 * rank)) & U(15))


@device
def coin_and_below(stream, tails, heads):
    """A coin (0 tails, 1 heads) and a uniformly random integer below `tails` or `heads`, from one word of a stream.

    Exact: the word without the coin's bit is multiplied, and drawn again where the remainder calls for it.
    """
    while True:
        x = rng.word(stream)
        coin = x >> U(63)
        bound = U(heads) if coin else U(tails)
        rest = x << U(1)
        low = rest * bound
        if low >= U(2) * bound or low >= U(2) * ((U(1) << U(63)) % bound):
            return np.int64(coin), np.int64(rng.high_word(rest, bound))


@device
def mix(branch, cards):
    """Fills `branch.deck` with a set of cards, shuffled from the stream of a rollout (see `kernels.rollout`)."""
    size = 0
    while cards:
        branch.deck[size] = lowest(cards)
        size += 1
        cards &= cards - U(1)
    branch.size = size
    rng.shuffle(branch.deck, size, size, branch.stream)


@device
def hand_out(branch):
    """The next card of those that `mix` shuffled."""
    branch.size -= 1
    return np.int64(branch.deck[U(branch.size)])


@device
def turns_to_come(stock, offset, players):
    """How many cards the seat `offset` places ahead of the one to draw will draw from a stock."""
    return (stock - offset) // players + 1 if stock >= offset else 0


def apart(dispatcher: Any) -> Any:
    """Makes call(view) of a compiled function, never inlined: so large code neither swells nor slows its caller."""

    @intrinsic
    def call(typing_context, view):  # type: ignore[no-untyped-def]
        dispatcher.compile((view,))

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            compiled = dispatcher.overloads[signature.args]
            callee = context.declare_function(builder.module, compiled.fndesc)
            context.active_code_library.add_linking_library(compiled.library)
            status, result = context.call_conv.call_function(
                builder, callee, signature.return_type, signature.args, arguments, attrs=("noinline",)
            )
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return dispatcher.overloads[(view,)].signature.return_type(view), generate

    return call


# --- a place in memory as a record, so that a view can point to tables too large to be copied with it


@intrinsic
def address(typing_context, record):  # type: ignore[no-untyped-def]
    """Where a record lies, as int64."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(record), generate


def record_at(dtype: np.dtype[Any]) -> Any:
    """Makes at(address) -> the record of this dtype that lies there."""
    record = numba.from_dtype(dtype)

    @intrinsic
    def at(typing_context, place):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.inttoptr(arguments[0], context.get_value_type(record))

        return record(types.int64), generate

    return at


# --- sets with repetition ("multisets") of up to `size` symbols 1..symbols, numbered 0, 1, 2, ...

#: number of multisets of exactly k elements out of n kinds, at [n, k]
WAYS = np.array([[comb(n + k - 1, k) if n or k else 1 for k in range(14)] for n in range(16)], np.int64)


@device
def multisets(symbols, size):
    """How many multisets of at most `size` of the symbols there are."""
    return WAYS[symbols + 1, size]


@outlined
def multiset_number(elements, size):
    """The number of a multiset: `elements` ascending, 0 for places not taken.

    The usual ranking of combinations: the i-th smallest element adds the number of multisets of i + 1 elements below
    it. Adding an element or raising one raises the number.
    """
    number = 0
    for i in range(size):
        number += WAYS[elements[i], i + 1]
    return number


@outlined
def next_multiset(elements, size):
    """Replaces `elements` by those of the next number."""
    i = 0
    while i < size - 1 and elements[i] == elements[i + 1]:
        i += 1
    elements[i] += 1
    for j in range(i):
        elements[j] = 0


@outlined
def put_in(elements, size, symbol, target):
    """Fills `target` with the ascending `elements` (the first a 0) and `symbol` instead of that 0."""
    i = 1
    while i < size and elements[i] < symbol:
        target[i - 1] = elements[i]
        i += 1
    target[i - 1] = symbol
    for j in range(i, size):
        target[j] = elements[j]
