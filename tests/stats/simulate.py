"""Simulated block sums of known truth, and how often intervals hold it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sim.stats import Estimate

REPLICATIONS = 2000
NOMINAL = (0.935, 0.965)


def covered(estimates: Iterable[Estimate], truth: float) -> float:
    """Share of the estimates whose interval holds the truth; a missing interval is a miss."""
    return float(np.mean([e.low is not None and e.high is not None and e.low <= truth <= e.high for e in estimates]))


def inside(value: float, bounds: tuple[float, float] = NOMINAL) -> bool:
    return bounds[0] <= value <= bounds[1]


def clustered(rng: np.random.Generator, blocks: int, size: int, share: float, spread: float) -> np.ndarray:
    """(REPLICATIONS, blocks) counts of an event of chance `share` in blocks of `size` games, whose chances
    vary between blocks (beta, intra-block correlation 1 / (1 + spread)).
    """
    chance = rng.beta(share * spread, (1 - share) * spread, size=(REPLICATIONS, blocks))
    return rng.binomial(size, chance)


def sums_at_looks(x: np.ndarray, looks: int = 100) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cumulative block numbers (looks,), means and standard errors (R, looks) of block values x (R, B)."""
    r, blocks = x.shape
    parts = x.reshape(r, looks, blocks // looks)
    count = np.arange(1, looks + 1) * (blocks // looks)
    total = parts.sum(axis=2).cumsum(axis=1)
    square = (parts.astype(np.int64) ** 2).sum(axis=2).cumsum(axis=1)
    variance = (square - total**2 / count) / (count - 1) / count
    return count, total / count, np.sqrt(np.maximum(variance, 0.0))
