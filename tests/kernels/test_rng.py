"""Random streams: the published generator, streams that cannot meet, and draws that are exact."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import rng

U = np.uint64
WORD = 2**64


@numba.njit
def words(stream: Any, out: Any) -> None:
    for i in range(out.size):
        out[i] = rng.word(stream)


@numba.njit
def started(stream: Any, seed: Any, block: int, round_: int, purpose: int, seat: int) -> None:
    rng.start(stream, seed, block, round_, purpose, seat)


@numba.njit
def seats_started(streams: Any, seed: Any, block: int, round_: int, purpose: int, seats: int) -> None:
    rng.start_seats(streams, seed, block, round_, purpose, seats)


@numba.njit
def below(stream: Any, bound: int) -> int:
    return rng.below(stream, bound)


@numba.njit
def many_below(stream: Any, bound: int, out: Any) -> None:
    for i in range(out.size):
        out[i] = rng.below(stream, bound)


@numba.njit
def units(stream: Any, out: Any) -> None:
    for i in range(out.size):
        out[i] = rng.unit(stream)


@numba.njit
def shuffled(deck: Any, size: int, wanted: int, stream: Any) -> None:
    rng.shuffle(deck, size, wanted, stream)


@numba.njit
def many_shuffled(size: int, wanted: int, stream: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for k in range(size):
            out[i, k] = k
        rng.shuffle(out[i], size, wanted, stream)


@numba.njit
def sampled(cards: Any, size: int, wanted: int, stream: Any) -> Any:
    return rng.sample(cards, size, wanted, stream)


@numba.njit
def many_sampled(cards: Any, size: int, wanted: int, stream: Any, out: Any) -> None:
    for i in range(out.size):
        out[i] = rng.sample(cards, size, wanted, stream)


def stream_of(a: int, b: int, c: int, count: int) -> NDArray[np.uint64]:
    return np.array([a % WORD, b, c, count], np.uint64)


def saying(word: int) -> NDArray[np.uint64]:
    """A stream whose next word is this one."""
    return stream_of(word - 1, 0, 0x123456789ABCDEF, 1)


def after(stream: NDArray[np.uint64], n: int = 1) -> NDArray[np.uint64]:
    """The stream n words later."""
    later = stream.copy()
    words(later, np.zeros(n, np.uint64))
    return later


def key_stream(*key: int) -> NDArray[np.uint64]:
    stream = np.zeros(4, np.uint64)
    started(stream, U(key[0]), *key[1:])
    return stream


def chi_square_fits(counts: NDArray[Any], cells: int) -> None:
    """Assert that the counts are those of equally likely cells (five standard deviations)."""
    expected = counts.sum() / cells
    chi = ((counts - expected) ** 2).sum() / expected + (cells - len(counts)) * expected
    assert chi < cells - 1 + 5 * math.sqrt(2 * (cells - 1))


# --- the generator


def test_numpy_agrees() -> None:
    chosen = random.Random(1)
    for _ in range(50):
        state = [chosen.getrandbits(64) for _ in range(4)]
        reference = np.random.SFC64()
        reference.state = {
            "bit_generator": "SFC64",
            "state": {"state": np.array(state, np.uint64)},
            "has_uint32": 0,
            "uinteger": 0,
        }
        out = np.zeros(40, np.uint64)
        words(stream_of(*state), out)
        assert (out == reference.random_raw(40)).all()


def test_published_words() -> None:
    """The first words of numpy's test set number 1, whose seed leads to this state."""
    stream = stream_of(7618102586688768147, 4232545199321660824, 3011258627065977975, 13)
    out = np.zeros(4, np.uint64)
    words(stream, out)
    assert out.tolist() == [0xA475F55FBB6BC638, 0xB2D594B6C29D971C, 0x275BC4ECE4484FB1, 0x569BE72D9B3492FB]


# --- streams


def test_fixed_streams() -> None:
    """Results that were published with a seed must come out again: the streams may not change unnoticed."""
    found = [[int(after(key_stream(*key))[k]) for k in range(4)] for key in ((1, 0, 0, 0, 0), (7, 12, 3, 2, 4))]
    assert found == [
        [1643344057850893296, 13523613033441698154, 8552616954807693322, 14],
        [14557858896627235398, 9165007869581226, 7795209533605692534, 14],
    ]


def undone(state: list[int], steps: int) -> tuple[int, ...]:
    """The state so many steps earlier."""
    a, b, c, count = state
    for _ in range(steps):
        count = (count - 1) % WORD
        old_c = (b * pow(9, -1, WORD)) % WORD
        rotated = (old_c << 24 | old_c >> 40) % WORD
        result = (c - rotated) % WORD
        old_b = a
        for _ in range(6):  # x = b ^ (b >> 11)
            old_b = a ^ old_b >> 11
        a, b, c = (result - old_b - count) % WORD, old_b, old_c
    return a, b, c, count


@pytest.mark.parametrize("seats", range(1, 7))
def test_seats_started_together_have_the_same_streams(seats: int) -> None:
    together, one_by_one = np.zeros((6, 4), U), np.zeros((6, 4), U)
    for seed, block, round_ in [(0, 0, 0), (WORD - 1, 2**40 + 3, 2**48 - 1), (7, 1, 12)]:
        seats_started(together, U(seed), block, round_, rng.SEAT, seats)
        for seat in range(seats):
            started(one_by_one[seat], U(seed), block, round_, rng.SEAT, seat)
        assert (together == one_by_one).all()


def test_a_stream_can_be_traced_back_to_its_key() -> None:
    """So no two keys share a stream, nor is one ahead of another on the same sequence."""
    chosen = random.Random(2)
    for _ in range(200):
        key = (chosen.getrandbits(64), chosen.getrandbits(60), chosen.getrandbits(30), chosen.randrange(4))
        seat = chosen.randrange(6)
        seed, block, place, count = undone(key_stream(*key, seat).tolist(), rng.WARM_UP)
        assert count == 1
        assert seed == key[0]
        assert block * pow(int(rng.SPREAD_BLOCK), -1, WORD) % WORD == key[1]
        assert place * pow(int(rng.SPREAD_PLACE), -1, WORD) % WORD == key[2] << 16 | key[3] << 8 | seat


def test_streams_of_neighbouring_keys_are_unrelated() -> None:
    """Their first words differ in half of the bits, whichever part of the key has changed by one."""
    base = (5, 1000, 20, 1, 2)
    for part in range(5):
        flips = []
        for start in range(300):
            key = [value + (start if k < 2 else start % 40) for k, value in enumerate(base)]
            other = [value + (k == part) for k, value in enumerate(key)]
            first = [int(after(key_stream(*each))[0]) for each in (key, other)]
            flips.append((first[0] ^ first[1]).bit_count())
        assert abs(np.mean(flips) - 32) < 5 * 4 / math.sqrt(len(flips))


def test_all_streams_differ() -> None:
    keys = itertools.product((1, 2), range(20), range(10), range(4), range(6))
    seen = {tuple(key_stream(*key).tolist()) for key in keys}
    assert len(seen) == 2 * 20 * 10 * 4 * 6


# --- draws


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 13, 52, 65, 1000, 2**40 + 7, 2**62 + 1])
def test_below_takes_the_right_words(bound: int) -> None:
    """At every edge between two results, and in what must be drawn again so that all are equally likely."""
    refused = WORD % bound
    for k in {0, min(1, bound - 1), bound // 3, bound // 2, bound - 1}:
        edge = -(-k * WORD // bound)  # the first word with result k
        for word in (edge - 1, edge, edge + 1, edge + WORD // bound // 2):
            stream = saying(word % WORD)
            high, low = divmod(word % WORD * bound, WORD)
            later = after(stream)
            if low >= refused:
                assert below(stream, bound) == high
                assert (stream == later).all()
            else:
                assert below(stream, bound) == below(later, bound)
                assert (stream == later).all()


def test_every_result_below_has_as_many_words() -> None:
    """Counted exactly: word x is taken for k if x * n = k * 2**64 + low with low >= 2**64 mod n."""
    for bound in (3, 5, 6, 7, 10, 65):
        refused = WORD % bound
        sizes = set()
        for k in range(bound):
            first = -(-(k * WORD + refused) // bound)
            last = ((k + 1) * WORD - 1) // bound
            assert below(saying(first), bound) == below(saying(last), bound) == k
            if first * bound - k * WORD - bound >= 0:  # the word before has the same result, but is refused
                stream = saying(first - 1)
                below(stream, bound)
                assert not (stream == after(saying(first - 1))).all()
            sizes.add(last - first + 1)
        assert len(sizes) == 1


def test_below_by_counting() -> None:
    out = np.zeros(60_000, np.int64)
    for bound in (1, 2, 7, 65):
        many_below(key_stream(9, bound, 0, 0, 0), bound, out)
        assert out.min() == 0
        assert out.max() == bound - 1
        if bound > 1:
            chi_square_fits(np.bincount(out), bound)


def test_unit() -> None:
    out = np.zeros(40_000)
    units(key_stream(1, 2, 3, 0, 0), out)
    assert ((out >= 0) & (out < 1)).all()
    chi_square_fits(np.bincount((out * 100).astype(int)), 100)
    units(saying(WORD - 1), out[:1])
    assert out[0] == 1 - 2**-53
    units(saying(0), out[:1])
    assert out[0] == 0


def picks(stream: NDArray[np.uint64], size: int, wanted: int) -> list[int]:
    """What the picks of a deal must be: the digits of word * product / 2**64, eight bounds at a time."""
    digits: list[int] = []
    while len(digits) < wanted:
        bounds = [size - i for i in range(len(digits), min(len(digits) + 8, wanted))]
        product = math.prod(bounds)
        out = np.zeros(1, np.uint64)
        words(stream, out)
        value, rest = divmod(int(out[0]) * product, WORD)
        if rest < WORD % product:
            continue
        part = []
        for bound in reversed(bounds):
            value, digit = divmod(value, bound)
            part.append(digit)
        digits += reversed(part)
    return digits


def deals() -> Any:
    """Sizes, how many are wanted, and streams; some begin with words that must be refused."""
    chosen = random.Random(4)
    for size, wanted in [(1, 1), (5, 5), (10, 3), (52, 52), (64, 13), (64, 0), (64, 64), (33, 9), (52, 26)]:
        product = math.prod(size - i for i in range(min(8, wanted)))
        for k in range(20):
            yield size, wanted, stream_of(*(chosen.getrandbits(64) for _ in range(4)))
            yield size, wanted, saying(k)
            if WORD % product > 1:  # a remainder just below and just at what is refused
                inverse = pow(product, -1, WORD) if product % 2 else None
                for rest in (WORD % product - 1, WORD % product):
                    if inverse:
                        yield size, wanted, saying(rest * inverse % WORD)


def test_shuffle_deals_by_its_picks() -> None:
    for size, wanted, stream in deals():
        copy, deck = stream.copy(), list(range(size))
        given = np.arange(size, dtype=np.uint8)
        shuffled(given, size, wanted, stream)
        if wanted <= 8:  # a refused batch leaves its swaps behind in longer deals
            first = copy.copy()
            for i, pick in enumerate(picks(copy, size, wanted)):
                deck[i], deck[i + pick] = deck[i + pick], deck[i]
            if (after(first) == copy).all():
                assert given[:wanted].tolist() == deck[:wanted]
            assert (stream == copy).all()
        assert sorted(given.tolist()) == list(range(size))


def test_sample_deals_by_its_picks() -> None:
    chosen = random.Random(5)
    for size, wanted, stream in deals():
        places = sorted(chosen.sample(range(64), size))
        left, taken = list(places), []
        copy = stream.copy()
        for pick in picks(copy, size, wanted):
            taken.append(left.pop(pick))
        cards = U(sum(1 << place for place in places))
        assert sampled(cards, size, wanted, stream) == sum(1 << place for place in taken)
        assert (stream == copy).all()


@pytest.mark.parametrize(("size", "wanted"), [(4, 4), (5, 2), (6, 3)])
def test_every_order_is_equally_likely(size: int, wanted: int) -> None:
    out = np.zeros((60_000, size), np.uint8)
    many_shuffled(size, wanted, key_stream(1, size, 0, 0, 0), out)
    codes = (out[:, :wanted].astype(int) * 8 ** np.arange(wanted)).sum(axis=1)
    chi_square_fits(np.unique(codes, return_counts=True)[1], math.perm(size, wanted))


@pytest.mark.parametrize(("size", "wanted"), [(6, 3), (9, 2), (7, 5), (12, 11)])
def test_every_subset_is_equally_likely(size: int, wanted: int) -> None:
    out = np.zeros(60_000, np.uint64)
    cards = U(0x8421084210842107 & (1 << 63) - 1 | 1 << 63)
    places = [k for k in range(64) if int(cards) >> k & 1][:size]
    many_sampled(U(sum(1 << k for k in places)), size, wanted, key_stream(1, size, 0, 0, 0), out)
    chi_square_fits(np.unique(out, return_counts=True)[1], math.comb(size, wanted))


def test_places_of_a_long_shuffle() -> None:
    """Every card is at every place of a 52-card deck as often, also where batches of picks meet."""
    out = np.zeros((50_000, 52), np.uint8)
    many_shuffled(52, 52, key_stream(3, 0, 0, 0, 0), out)
    for place in (0, 7, 8, 9, 25, 47, 48, 51):
        chi_square_fits(np.bincount(out[:, place], minlength=52), 52)
