"""Random streams: each a pure function of (seed, block, round, purpose, seat).

The generator is SFC64 of Chris Doty-Humphrey (PractRand), 256 bits of state, one word of which is a counter. A
stream's other three words are an injective image of its key, and every stream starts with the counter at 1. A step
is a bijection that advances the counter, so two streams with different keys can never be in the same state after
the same number of steps, nor after different numbers below 2**64: streams cannot collide by construction.

A stream is a uint64[4] row that its owner keeps; state[3] == 0 means "not started yet".
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from kernels.bits import kth_bit, scatter
from kernels.compile import device, unlikely

U = np.uint64

#: purposes of a stream
SHUFFLE, LOTS, SEAT, ROLLOUT = 0, 1, 2, 3

#: steps thrown away at the start, so that keys that differ in one bit give unrelated words
WARM_UP = 12

# Odd multipliers spread the small numbers of a key over the word (a bijection of it).
SPREAD_BLOCK = U(0x9E3779B97F4A7C15)
SPREAD_PLACE = U(0xD1B54A32D192ED03)


@intrinsic
def multiply(typing_context, a, b):  # type: ignore[no-untyped-def]
    """The 128-bit product of two uint64: its upper and lower 64 bits."""
    pair = types.UniTuple(types.uint64, 2)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        word, wide = ir.IntType(64), ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        halves = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word), builder.trunc(product, word)
        return context.make_tuple(builder, pair, halves)

    return pair(types.uint64, types.uint64), generate


@device
def high_word(a, b):
    """The upper 64 bits of the 128-bit product of two uint64."""
    return multiply(U(a), U(b))[0]


@device
def word(stream):
    """The next uint64 of a started stream."""
    a, b, c, count = stream[0], stream[1], stream[2], stream[3]
    result = a + b + count
    stream[0] = b ^ (b >> U(11))
    stream[1] = c + (c << U(3))
    stream[2] = ((c << U(24)) | (c >> U(40))) + result
    stream[3] = count + U(1)
    return result


@device
def start(stream, seed, block, round_, purpose, seat):
    """Puts `stream` at the start of its sequence. `round_` < 2**48, `purpose` and `seat` < 256."""
    place = (U(round_) << U(16)) | (U(purpose) << U(8)) | U(seat)
    a, b, c = U(seed), U(block) * SPREAD_BLOCK, place * SPREAD_PLACE
    count = U(1)
    for _ in range(WARM_UP):
        result = a + b + count
        count += U(1)
        a = b ^ (b >> U(11))
        b = c + (c << U(3))
        c = ((c << U(24)) | (c >> U(40))) + result
    stream[0] = a
    stream[1] = b
    stream[2] = c
    stream[3] = count


#: streams that are started at a time
LANES = 4


@intrinsic
def _four_warm(typing_context, a, b, places):  # type: ignore[no-untyped-def]
    """What the steps of `start` make of four streams that differ in their places: their a, b and c, stream by stream.

    The four are the lanes of vectors, so that they cost hardly more than one.
    """
    words = types.UniTuple(types.uint64, 3 * LANES)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        lane, vector = ir.IntType(64), ir.VectorType(ir.IntType(64), LANES)

        def every(value):  # type: ignore[no-untyped-def]
            return ir.Constant(vector, [ir.Constant(lane, value)] * LANES)

        def packed(values):  # type: ignore[no-untyped-def]
            result = ir.Constant(vector, ir.Undefined)
            for i, value in enumerate(values):
                result = builder.insert_element(result, value, ir.Constant(ir.IntType(32), i))
            return result

        a, b = packed([arguments[0]] * LANES), packed([arguments[1]] * LANES)
        c = packed(cgutils.unpack_tuple(builder, arguments[2]))
        for count in range(1, WARM_UP + 1):
            result = builder.add(builder.add(a, b), every(count))
            a = builder.xor(b, builder.lshr(b, every(11)))
            b = builder.add(c, builder.shl(c, every(3)))
            c = builder.add(builder.or_(builder.shl(c, every(24)), builder.lshr(c, every(40))), result)
        found = [
            builder.extract_element(word, ir.Constant(ir.IntType(32), i)) for i in range(LANES) for word in (a, b, c)
        ]
        return context.make_tuple(builder, words, found)

    return words(types.uint64, types.uint64, types.UniTuple(types.uint64, LANES)), generate


@device
def start_seats(streams, seed, block, round_, purpose, seats):
    """As `start` for the streams of the seats 0..seats-1, rows of `streams`."""
    place = (U(round_) << U(16)) | (U(purpose) << U(8))
    for first in range(0, seats, LANES):
        seat = place + U(first)
        places = (
            seat * SPREAD_PLACE,
            (seat + U(1)) * SPREAD_PLACE,
            (seat + U(2)) * SPREAD_PLACE,
            (seat + U(3)) * SPREAD_PLACE,
        )
        words = _four_warm(U(seed), U(block) * SPREAD_BLOCK, places)
        for i in range(LANES):
            if first + i < seats:
                stream = streams[U(first + i)]
                stream[0] = words[3 * i]
                stream[1] = words[3 * i + 1]
                stream[2] = words[3 * i + 2]
                stream[3] = U(1 + WARM_UP)


@device
def below(stream, bound):
    """A uniformly random integer of 0..bound-1, exact: multiplication with rejection (Lemire 2019)."""
    n = U(bound)
    chosen, low = multiply(word(stream), n)
    if unlikely(low < n):
        threshold = (U(0) - n) % n
        while low < threshold:
            chosen, low = multiply(word(stream), n)
    return np.int64(chosen)


@device
def unit(stream):
    """A uniformly random float64 of [0, 1) with 53 random bits."""
    return np.float64(word(stream) >> U(11)) * (1.0 / 9007199254740992.0)


@device
def inexact(rest, bound, picks):
    """Whether picks below bound, bound - 1, ... that left `rest` of one word must be drawn again to be exact.

    `bound` ** `picks` must be below 2**56, so that the product is needed in one of 256 cases at most.
    """
    if rest >= U(1 << 56):
        return False
    product = U(1)
    for i in range(picks):
        product *= U(bound - i)
    return rest < product and rest < (U(0) - product) % product


@device
def sample(cards, size, wanted, stream):
    """A uniformly random subset of `wanted` of the `size` set bits of a uint64, as a uint64.

    Where only the sets that are dealt matter this takes half the time of `shuffle`, which it follows in serving eight
    picks from one word.
    """
    left = every = ~U(0) >> U((64 - size) & 63)
    place = 0
    while place < wanted:
        end = min(place + 8, wanted)
        before = left
        rest = word(stream)
        for i in range(place, end):
            pick, rest = multiply(rest, U(size - i))
            left ^= kth_bit(left, pick)
        if unlikely(inexact(rest, size - place, end - place)):
            left = before
        else:
            place = end
    return scatter(every ^ left, cards)


@device
def shuffle(deck, size, wanted, stream):
    """Makes deck[:wanted] a uniformly random ordered sample of deck[:size] (partial Fisher-Yates), in place.

    Eight picks share one word: what multiplication leaves below the word's point serves the next pick, and the
    eight are drawn again in the rare case that their remainder is not exact (Brackett-Rozinsky and Lemire 2024).
    Redrawing on the half-mixed deck is as good as on the old one, since the new picks do not depend on it.
    `size` <= 128, so that the product of eight bounds fits a word.
    """
    place = 0
    while place < wanted:
        end = min(place + 8, wanted)
        rest = word(stream)
        for i in range(place, end):
            pick, rest = multiply(rest, U(size - i))
            other = U(i) + pick
            card = deck[other]
            deck[other] = deck[i]
            deck[i] = card
        if not inexact(rest, size - place, end - place):
            place = end
