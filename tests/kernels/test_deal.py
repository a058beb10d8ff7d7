"""Dealing by coins and corrections: every subset equally likely, whatever the first coins."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import deal, rng

U = np.uint64
CARDS = U(0b1011_0110_0101)


@numba.njit
def draw(cards: Any, chosen: Any, wanted: int, way: int, out: Any) -> None:
    stream = np.zeros(4, np.uint64)
    for i in range(out.size):
        rng.start(stream, U(3), i, 0, 0, 0)
        if way == 0:
            out[i] = deal.half(cards, wanted, stream)
        elif way == 1:
            out[i] = deal.few(cards, wanted, stream)
        elif way == 2:
            out[i] = deal.some(cards, wanted, stream)
        else:  # coins of three quarters
            coins = rng.word(stream) | rng.word(stream)
            out[i] = deal.resize(cards, cards & coins, wanted, stream)


def drawn(way: int, cards: np.uint64, wanted: int, n: int) -> NDArray[np.uint64]:
    out = np.zeros(n, np.uint64)
    draw(cards, U(0), wanted, way, out)
    return out


@pytest.mark.parametrize("way", [0, 1, 2, 3])
@pytest.mark.parametrize("wanted", [0, 1, 2, 3, 5, 7])
def test_all_subsets_are_equally_likely(way: int, wanted: int) -> None:
    bits = [bit for bit in range(12) if int(CARDS) >> bit & 1]
    subsets = [sum(1 << bit for bit in chosen) for chosen in combinations(bits, wanted)]
    n = 20_000
    found, counts = np.unique(drawn(way, CARDS, wanted, n), return_counts=True)
    assert set(found.tolist()) == set(subsets)
    expected = n / len(subsets)
    chi = ((counts - expected) ** 2).sum() / expected
    degrees = comb(len(bits), wanted) - 1
    assert chi <= degrees + 5 * np.sqrt(2 * degrees)


def test_pairs_of_a_whole_deck() -> None:
    """Each two of 52 cards are together in a half of 26 as often as any other two."""
    n = 40_000
    sets = drawn(0, U(2**52 - 1), 26, n)
    member = (sets[:, None] >> np.arange(52, dtype=np.uint64) & U(1)).astype(float)
    assert (member.sum(axis=1) == 26).all()
    both = (member.T @ member / n)[np.triu_indices(52, 1)]
    p = 26 * 25 / (52 * 51)
    error = np.sqrt(p * (1 - p) / n)
    assert abs(both.mean() - p) < 1e-12
    assert abs(both - p).max() < 5 * error
    assert 0.8 * error < both.std() < 1.2 * error
