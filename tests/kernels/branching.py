"""What the tests of rollouts share: records of a branching, and whether hidden cards come to lie uniformly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np
from scipy.stats import chi2, chisquare

from kernels import rollout

#: a decision that no game comes to
NEVER = 10**6

#: a correct program fails one test of chance in ten thousand seeds
UNLIKELY = 1e-4


def branching(at: int, observer: int, number: int = 0, *, move: int = rollout.FREE, seed: int = 1) -> Any:
    """A record of kernels.rollout.BRANCH, about to begin the rollout of this number."""
    branches = np.zeros(1, rollout.BRANCH)
    for name, value in (("at", at), ("observer", observer), ("number", number), ("move", move), ("seed", seed)):
        branches[name] = value
    return branches


def check_orders(orders: Sequence[tuple[int, ...]]) -> None:
    """Assert that every order of the same few cards comes up equally often."""
    counts = Counter(orders)
    every = factorial(len(orders[0]))
    assert len({tuple(sorted(order)) for order in counts}) == 1
    assert len(orders) >= 50 * every
    assert len(counts) == every
    assert chisquare(list(counts.values())).pvalue > UNLIKELY


def check_places(orders: Sequence[tuple[int, ...]]) -> None:
    """Assert that every card is in every place equally often.

    For independent uniform permutations of n cards, (n - 1) / n times the usual sum over the n * n counts has the
    chi-square distribution with (n - 1)**2 degrees of freedom: centred permutation matrices vary alike in all
    directions of a space of that dimension.
    """
    found = np.array(orders)
    cards = sorted(found[0])
    size, expected = len(cards), len(orders) / len(cards)
    counts = np.array([(found == card).sum(axis=0) for card in cards])
    assert (counts.sum(axis=0) == len(orders)).all()
    assert (counts.sum(axis=1) == len(orders)).all()
    assert expected > 20
    statistic = ((counts - expected) ** 2).sum() / expected * (size - 1) / size
    assert UNLIKELY < chi2.sf(statistic, (size - 1) ** 2) < 1 - UNLIKELY
