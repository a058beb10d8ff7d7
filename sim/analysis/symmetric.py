"""Symmetric games of n players: payoffs by strategy counts, expected payoffs of mixes, dominated strategies.

A table holds what each of K strategies earns against every multiset of n-1 opponents: an array U (..., K, M), the
multisets in the order of `Shape.opponents`. Leading axes are independent tables (bootstrap draws), so that all
draws are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import factorial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog  # type: ignore[import-untyped,unused-ignore]

Floats = NDArray[np.float64]
Counts = tuple[int, ...]


@lru_cache(maxsize=64)
def multisets(strategies: int, size: int) -> tuple[Counts, ...]:
    """All multisets of `size` of the strategies 0..K-1 as counts (K,), in lexical order of their members."""
    return tuple(
        tuple(members.count(k) for k in range(strategies))
        for members in combinations_with_replacement(range(strategies), size)
    )


def arrangements(counts: Counts) -> int:
    """Distinct orders of a multiset: size! / product of counts!."""
    ways = factorial(sum(counts))
    for count in counts:
        ways //= factorial(count)
    return ways


@dataclass(frozen=True)
class Shape:
    """The index tables of a symmetric game of K `strategies` and n >= 2 `players`."""

    strategies: int
    players: int

    @cached_property
    def line_ups(self) -> tuple[Counts, ...]:
        """All multisets of n strategies."""
        return multisets(self.strategies, self.players)

    @cached_property
    def opponents(self) -> tuple[Counts, ...]:
        """All multisets of n-1 strategies: the M columns of a table."""
        return multisets(self.strategies, self.players - 1)

    @cached_property
    def joined(self) -> NDArray[np.int64]:
        """(K, M): the index in `line_ups` of strategy k with opponents m."""
        return self._plus(self.opponents, self.line_ups)

    @cached_property
    def _powers(self) -> tuple[Floats, Floats]:
        return self._weights(self.opponents)

    @cached_property
    def _fewer(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        rest = multisets(self.strategies, self.players - 2)
        return (self._plus(rest, self.opponents), *self._weights(rest))

    def _plus(self, smaller: tuple[Counts, ...], larger: tuple[Counts, ...]) -> NDArray[np.int64]:
        place = {counts: i for i, counts in enumerate(larger)}
        return np.array(
            [
                [place[(*counts[:k], counts[k] + 1, *counts[k + 1 :])] for counts in smaller]
                for k in range(self.strategies)
            ]
        )

    def _weights(self, sets: tuple[Counts, ...]) -> tuple[Floats, Floats]:
        return np.array(sets, np.float64), np.array([arrangements(counts) for counts in sets], np.float64)

    def payoffs(self, table: Floats, mix: Floats) -> Floats:
        """(..., K): what each strategy earns against n-1 opponents who all play `mix` (..., K)."""
        powers, ways = self._powers
        chance = ways * np.prod(mix[..., None, :] ** powers, axis=-1)
        return np.asarray(np.einsum("...km,...m->...k", table, chance))

    def slopes(self, table: Floats, mix: Floats) -> Floats:
        """(..., K, K): derivative of the payoff of k with respect to the share of j in `mix`."""
        joined, powers, ways = self._fewer
        chance = ways * np.prod(mix[..., None, :] ** powers, axis=-1)
        return np.asarray((self.players - 1) * np.einsum("...kjr,...r->...kj", table[..., joined], chance))

    def regret(self, table: Floats, mix: Floats) -> Floats:
        """(...): what the best strategy gains over `mix` against n-1 opponents playing `mix`; 0 at an equilibrium."""
        value = self.payoffs(table, mix)
        return np.asarray(value.max(axis=-1) - (value * mix).sum(axis=-1))

    def duel(self, table: Floats, mutant: int, resident: int) -> tuple[Floats, Floats]:
        """(..., n) each: payoffs of mutant and of resident against j = 0..n-1 mutants, the others residents."""
        place = {counts: i for i, counts in enumerate(self.opponents)}
        columns = []
        for j in range(self.players):
            counts = [0] * self.strategies
            counts[mutant] += j
            counts[resident] += self.players - 1 - j
            columns.append(place[tuple(counts)])
        return table[..., mutant, columns], table[..., resident, columns]


def dominated(shape: Shape, table: Floats, *, slack: float = 1e-12) -> tuple[int, ...]:
    """Strategies that iterated strict dominance removes: worse than some mix of the others whatever they meet.

    `table` (K, M) finite. Each step is a linear program per strategy: the mix of the other survivors with the
    largest least advantage over all multisets of surviving opponents; removed if that exceeds `slack` times the
    range of payoffs. The order of removal does not matter (Gilboa, Kalai and Zemel, Operations Research Letters 9,
    1990).
    """
    alive = list(range(shape.strategies))
    members = np.array(shape.opponents)
    limit = slack * max(float(np.ptp(table)), 1e-300)
    while len(alive) > 1:
        gone = [k for k in range(shape.strategies) if k not in alive]
        columns = np.flatnonzero(members[:, gone].sum(axis=1) == 0)
        removed = [k for k in alive if _advantage(table[:, columns], k, [j for j in alive if j != k]) > limit]
        if not removed:
            break
        alive = [k for k in alive if k not in removed]
    return tuple(k for k in range(shape.strategies) if k not in alive)


def _advantage(table: Floats, k: int, others: list[int]) -> float:
    """The largest least advantage of a mix of `others` over k in the columns of `table`."""
    gaps = table[others] - table[k]
    best = float(gaps.min(axis=1).max())
    if best > 0 or len(others) == 1 or (gaps.max(axis=0) <= 0).any():
        return best  # a single one dominates, or k is a best reply somewhere
    count, columns = gaps.shape
    answer = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.hstack([-gaps.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * count + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    return float(-answer.fun) if answer.status == 0 else best
