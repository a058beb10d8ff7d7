"""Confidence sequences: intervals that stay valid however often one looks and whenever one stops."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from sim.stats.estimate import (
    NO_BLOCK,
    ONE_BLOCK,
    RARE,
    ZERO_VARIANCE,
    Estimate,
    check_effects,
    check_level,
    join,
)
from sim.stats.means import mean
from sim.stats.moments import Moments

FEW = 20  # blocks unlike the usual one below which no sequential statement is made
TUNED = 1000


def anytime_multiplier(blocks: int, level: float = 0.95, tuned: int = TUNED) -> float | None:
    """Multiple m of the standard error such that mean -+ m se covers at all numbers of blocks at once.

    From the t statistic's likelihood ratio of a N(0, g sigma^2) mixture of means against the null, with the
    right Haar prior on sigma. With T = (mean - mu) / se, nu = B - 1, q = 1 / (1 + B g),
        E = sqrt(q) ((1 + T^2 / nu) / (1 + q T^2 / nu))^(B / 2)
    is a non-negative martingale at the true mu; the set is {mu: E < 1 / alpha} by Ville's inequality (Lai,
    Annals of Statistics 4, 1976; Wang and Ramdas, Sequential Analysis 44, 2025). g makes the interval nearly
    shortest at `tuned` blocks (Waudby-Smith et al., Annals of Statistics 52, 2024, appendix). None while the
    set is unbounded.
    """
    check_level(level)
    if tuned < 1:
        raise ValueError(f"tuned must be positive, got {tuned}")
    if blocks < 2:
        return None
    alpha = 1 - level
    spread = -2 * math.log(alpha)
    g = (spread + math.log(spread) + 1) / tuned if spread > 1 else spread / tuned
    log_q = -math.log1p(blocks * g)
    log_k = 2 / blocks * (-math.log(alpha) - log_q / 2)
    if log_k + log_q >= 0:
        return None
    return math.sqrt((blocks - 1) * math.expm1(log_k) / -math.expm1(log_k + log_q))


def anytime(
    estimate: Estimate,
    level: float = 0.95,
    *,
    tuned: int = TUNED,
    first: int = RARE,
    informative: int | None = None,
) -> Estimate:
    """Confidence sequence from a fixed-time estimate of the cumulative blocks (its `se` and `df`).

    Exact at every number of blocks when the block values are independent and normal with one variance;
    otherwise asymptotic, hence nothing before `first` blocks. `informative`: how many blocks differ from the
    usual one (say: have the rare event); below FEW there is no interval, nor while all blocks agree.
    """
    if estimate.estimate is None:
        return replace(estimate, level=level)
    bare = replace(estimate, low=None, high=None, method="none", level=level)
    if estimate.se is None or estimate.df is None:
        return bare
    if estimate.se == 0:
        return replace(bare, note=f"{ZERO_VARIANCE}: no sequential interval")
    count = estimate.df + 1
    multiplier = anytime_multiplier(count, level, tuned)
    if count < first or multiplier is None:
        return replace(bare, note=join("too few blocks: no sequential interval", estimate.note))
    if informative is not None and informative < FEW:
        return replace(bare, note=f"only {informative} blocks differ: no sequential interval")
    half = multiplier * estimate.se
    return replace(bare, low=estimate.estimate - half, high=estimate.estimate + half, method="cs")


def confidence_sequence(moments: Moments, level: float = 0.95, *, tuned: int = TUNED, first: int = RARE) -> Estimate:
    """`anytime` interval of the mean, from the sums over all blocks so far; call it as often as wanted.

    Fewer than FEW blocks with x != 0, or with x != n (an event seen almost always): no interval yet.
    """
    return anytime(mean(moments, level), level, tuned=tuned, first=first, informative=min(moments.seen, moments.missed))


@dataclass(slots=True)
class BoundedSequence:
    """Confidence sequence for a mean of block values known to lie in [low, high]: valid for every number of
    blocks and every distribution, wider than `confidence_sequence`.

    Predictable plug-in empirical Bernstein (Waudby-Smith and Ramdas, JRSS B 86, 2024, Theorem 2): with values
    in [0, 1], weights lambda and predictions m fixed before a batch, exp(+-lambda (u - mu) - psi(lambda) (u -
    m)^2), psi(l) = -log(1 - l) - l, multiply to supermartingales, so batches need only their sums. Needs the
    same number of observations in every block, and batch sizes chosen without looking at the batch.
    """

    low: float
    high: float
    level: float = 0.95
    total: Moments = field(default_factory=Moments)
    _weight: float = 0.0  # sum of lambda
    _weighted: float = 0.0  # sum of lambda u
    _penalty: float = 0.0  # sum of psi(lambda) (u - m)^2
    _size: int | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        check_effects(self.low, self.high)

    def update(self, batch: Moments) -> Estimate:
        """Add a batch of new blocks; the interval after it. ValueError if counts vary or a mean is out of
        bounds.
        """
        if batch.blocks:
            self._add(batch)
        return self.estimate()

    def _add(self, batch: Moments) -> None:
        size = batch.n // batch.blocks
        if batch.n != size * batch.blocks or batch.nn != size * size * batch.blocks or size < 1:
            raise ValueError("bounded sequence needs the same number of observations in every block")
        if self._size not in (None, size):
            raise ValueError(f"blocks of {size} observations after blocks of {self._size}")
        before, count = self.total.blocks, batch.blocks
        total, square = self._unit(self.total, size)
        guess = (0.5 + total) / (before + 1)
        spread = (0.25 + max(0.0, square - 2 * guess * total + before * guess * guess)) / (before + 1)
        time = before + count
        rate = min(0.5, math.sqrt(2 * math.log(2 / (1 - self.level)) / (spread * time * math.log1p(time))))
        new, new_square = self._unit(batch, size)
        if not -1e-9 * count <= new_square <= new + 1e-9 * count:  # sum u^2 <= sum u for u in [0, 1]
            raise ValueError(f"block values outside [{self.low}, {self.high}]")
        self._weight += rate * count
        self._weighted += rate * new
        self._penalty += (-math.log1p(-rate) - rate) * max(0.0, new_square - 2 * guess * new + count * guess * guess)
        self.total = self.total + batch
        self._size = size

    def _unit(self, moments: Moments, size: int) -> tuple[float, float]:
        """Sums of u and u^2, u = block mean mapped to [0, 1]."""
        width, unit = self.high - self.low, size * moments.scale
        total, square = moments.x / unit, moments.xx / unit**2
        shifted = square - 2 * self.low * total + moments.blocks * self.low**2
        return (total - moments.blocks * self.low) / width, shifted / width**2

    def estimate(self) -> Estimate:
        """Mean over all blocks with the current interval, centred on the weighted mean."""
        total = self.total
        value = total.ratio
        if value is None:
            return Estimate(None, note=NO_BLOCK, level=self.level)
        if total.blocks == 1:
            return Estimate(value, n=total.n, blocks=1, note=ONE_BLOCK, level=self.level)
        centre = self._weighted / self._weight
        half = (math.log(2 / (1 - self.level)) + self._penalty) / self._weight
        width = self.high - self.low
        low = self.low + width * min(1.0, max(0.0, centre - half))
        high = self.low + width * max(0.0, min(1.0, centre + half))
        return Estimate(value, low, high, None, total.n, total.blocks, "cs-bounded", "", None, self.level)
