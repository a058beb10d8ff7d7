"""Sets of cards as bits: the machine's instructions, the fallbacks and plain Python agree."""

from __future__ import annotations

import random
from typing import Any

import numba
import numpy as np
import pytest

from kernels import bits

U = np.uint64


def some_words() -> list[int]:
    chosen = random.Random(1)
    words = [0, 1, 1 << 63, 2**64 - 1, 0b101100, 0xAAAAAAAAAAAAAAAA]
    words += [1 << k for k in range(64)]
    for density in (1, 2, 3):
        for _ in range(150):
            word = chosen.getrandbits(64)
            for _ in range(density - 1):
                word &= chosen.getrandbits(64)
            words.append(word)
    return words


def ones(word: int) -> list[int]:
    return [k for k in range(64) if word >> k & 1]


@numba.njit
def summary(x: Any) -> Any:
    return bits.count(x), bits.lowest(x), bits.highest(x)


@numba.njit
def by_halves(x: Any, k: int) -> Any:
    return bits.kth_by_halves(x, k), bits.bit_by_halves(x, k)


@numba.njit
def by_deposit(x: Any, k: int) -> Any:
    return bits.kth_by_deposit(x, k), bits.bit_by_deposit(x, k)


@numba.njit
def chosen_way(x: Any, k: int) -> Any:
    return bits.kth(x, k), bits.kth_bit(x, k)


@numba.njit
def scattered_by_bits(x: Any, mask: Any) -> Any:
    return bits.scatter_by_bits(x, mask)


@numba.njit
def scattered_by_deposit(x: Any, mask: Any) -> Any:
    return bits.scatter_by_deposit(x, mask)


def scattered(x: int, mask: int) -> int:
    return sum(1 << place for k, place in enumerate(ones(mask)) if x >> k & 1)


def test_count_lowest_highest() -> None:
    for word in some_words():
        set_bits = ones(word)
        expected = (len(set_bits), set_bits[0] if set_bits else 64, set_bits[-1] if set_bits else -1)
        assert summary(U(word)) == expected


WAYS = [by_halves, chosen_way] + ([by_deposit] if bits.HAS_DEPOSIT else [])


@pytest.mark.parametrize("way", WAYS)
def test_kth(way: Any) -> None:
    for word in some_words():
        for k, place in enumerate(ones(word)):
            assert way(U(word), k) == (place, 1 << place)


@pytest.mark.parametrize("way", [scattered_by_bits] + ([scattered_by_deposit] if bits.HAS_DEPOSIT else []))
def test_scatter(way: Any) -> None:
    words = some_words()
    for x, mask in zip(words, reversed(words), strict=True):
        assert way(U(x), U(mask)) == scattered(x, mask)
