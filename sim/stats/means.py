"""Means, ratios and proportions from block sums."""

from __future__ import annotations

import math

from sim.stats.estimate import (
    RARE,
    ZERO_VARIANCE,
    Estimate,
    Method,
    gamma_quantile,
    join,
    t_interval,
    t_quantile,
    z_quantile,
)
from sim.stats.joint import Joint, Metric
from sim.stats.moments import Moments

_EXACT = 8.0  # effective events up to which Wilson's nearer limit is replaced by an exact one


def mean(moments: Moments, level: float = 0.95) -> Estimate:
    """Mean per observation, sum x / sum n, with a t interval on U - 1 degrees of freedom (U blocks in use).

    With varying n[b] it is a ratio of block sums with its linearised variance ("t-ratio"), good for many
    blocks. Fixed number of blocks only: not valid if looked at repeatedly (see `confidence_sequence`).
    """
    method: Method = "t" if moments.constant_count else "t-ratio"
    return t_interval(moments.ratio, moments.variance, n=moments.n, blocks=moments.used, level=level, method=method)


def metric_mean(joint: Joint, metric: Metric, level: float = 0.95) -> Estimate:
    """`mean` of one metric of a `Joint`."""
    theta, variance, blocks = joint.contrast([metric], [1])
    method: Method = "t" if joint.constant_count(metric) else "t-ratio"
    return t_interval(theta, variance, n=joint.count(metric), blocks=blocks, level=level, method=method)


def proportion(moments: Moments, level: float = 0.95) -> Estimate:
    """Share of observations with an event, or mean of shares in [0, 1] (win share). ValueError outside [0,
    1].

    - t interval when at least RARE blocks have the event and at least RARE lack it somewhere;
    - otherwise `wilson`: deff is the squared standard error over p (1 - p) / n;
    - never (always) seen: one-sided Clopper-Pearson bound with a block as one trial. The chance that a block
      has the event is at least its mean share, so this holds whatever the dependence within blocks. The bound
      takes (1 - level) / 2, the share of one side, so that the rule as a whole keeps its level.
    """
    base = mean(moments, level)
    p = base.estimate
    if p is None:
        return base
    if not (0 <= moments.x <= moments.n * moments.scale):
        raise ValueError(f"not a proportion: {moments.x} of {moments.n * moments.scale}")
    if moments.used < 2:
        return base
    if moments.seen == 0 or moments.missed == 0:
        far = -math.expm1(math.log((1 - level) / 2) / moments.used)
        low, high, what = (0.0, far, "never") if moments.seen == 0 else (1 - far, 1.0, "always")
        note = join(ZERO_VARIANCE, f"{what} seen: one-sided bound at {(1 + level) / 2:.4g}")
        return Estimate(p, low, high, None, moments.n, moments.used, "exact-bound", note, None, level)
    if min(moments.seen, moments.missed) >= RARE:
        if base.low is None or base.high is None:
            return base
        return Estimate(
            p,
            max(0.0, base.low),
            min(1.0, base.high),
            base.se,
            base.n,
            base.blocks,
            base.method,
            base.note,
            base.df,
            level,
        )
    variance = (base.se or 0.0) ** 2
    effective = p * (1 - p) / variance if variance > 0 else float(moments.n)
    note = "" if variance > 0 else ZERO_VARIANCE
    low, high = wilson(p, effective, moments.used - 1, level)
    return Estimate(p, low, high, base.se, moments.n, moments.used, "wilson-deff", note, base.df, level)


def wilson(p: float, effective: float, df: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson score limits for a proportion 0 < p < 1 with effective sample size `effective`.

    The size is shrunk by (z / t)^2 for a variance estimated with `df` degrees of freedom (Korn and Graubard,
    Survey Methodology 24, 1998). Near 0 and 1 Wilson's nearer limit is too tight (coverage dips to 84 %);
    with up to 8 effective events it gives way to the exact Poisson limit (after Brown, Cai and DasGupta,
    Statistical Science 16, 2001, who do so for 3). Binomial coverage is then at least 93.5 %, in the middle
    about 95 %.
    """
    z = z_quantile(level)
    size = effective * min(1.0, (z / t_quantile(level, df)) ** 2)
    centre = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    tail = (1 - level) / 2
    if size * p <= _EXACT:
        low = min(low, gamma_quantile(size * p, tail) / size)
    if size * (1 - p) <= _EXACT:
        high = max(high, 1 - gamma_quantile(size * (1 - p), tail) / size)
    return low, high


def naive_variance(moments: Moments) -> float | None:
    """Squared standard error the mean would have if all its observations were independent.

    Needs `squares`; None without it or with fewer than two observations.
    """
    n = moments.n
    if moments.squares is None or n < 2:
        return None
    return max(0.0, float((moments.squares * n - moments.x * moments.x) / (n * n * (n - 1) * moments.scale**2)))
