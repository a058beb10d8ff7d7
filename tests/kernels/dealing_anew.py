"""What the tests of rollouts share: deals that are open, counted one by one, against those that are dealt anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from scipy.stats import chisquare

from tests.kernels.hidden import bits


def deals(hidden: Sequence[int], sizes: Sequence[int], barred: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to deal the hidden cards into sets of these sizes, none of which gets a card of its barred set."""
    if not sizes:
        yield ()
        return
    for cards in combinations(hidden, sizes[0]):
        own = sum(1 << card for card in cards)
        if not own & barred[0]:
            rest = [card for card in hidden if card not in cards]
            for others in deals(rest, sizes[1:], barred[1:]):
                yield own, *others


def agrees(found: Mapping[Any, int], weights: Mapping[Any, float]) -> None:
    """Assert that what was found is what these weights make likely: nothing else, and by the chi-square test."""
    assert set(found) <= set(weights)
    total, drawn = sum(weights.values()), sum(found.values())
    assert min(weights.values()) / total * drawn >= 5
    if len(weights) > 1:
        outcomes = list(weights)
        test = chisquare(
            [found.get(outcome, 0) for outcome in outcomes], [weights[outcome] / total * drawn for outcome in outcomes]
        )
        assert test.pvalue > 1e-4, test


def kept(before: int, after: Sequence[int]) -> Counter[int]:
    """How often how many cards of a set are still in it."""
    return Counter(len(bits(before & cards)) for cards in after)
