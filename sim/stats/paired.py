"""Comparisons on common blocks: differences, what pairing gains, control variates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.stats.estimate import Estimate, Method, join, t_interval
from sim.stats.joint import Joint, Metric


def difference(joint: Joint, a: Metric, b: Metric, level: float = 0.95) -> Estimate:
    """Ratio a minus ratio b over common blocks, t interval with U - 1 degrees of freedom.

    U is the smaller number of blocks in use, n the smaller number of observations. With equal, constant
    counts this is the paired t interval of the block differences; otherwise the variance is that of the
    linearised residuals' difference (Cochran, Sampling Techniques, ch. 6), good for many blocks.
    """
    theta, variance, blocks = joint.contrast([a, b], [1, -1])
    counts = min(joint.count(a), joint.count(b))
    method: Method = "t" if joint.constant_count(a) and joint.constant_count(b) else "t-ratio"
    return t_interval(theta, variance, n=counts, blocks=blocks, level=level, method=method)


def pairing_factor(joint: Joint, a: Metric, b: Metric) -> float | None:
    """(var a + var b) / var(a - b): what sharing blocks gains over two independent sets of as many blocks.

    None when a variance is missing or zero.
    """
    _, variance, _ = joint.contrast([a, b], [1, -1])
    singles = [joint.contrast([metric], [1])[1] for metric in (a, b)]
    return variance_reduction(variance, *singles)


def variance_reduction(achieved: float | None, *naive: float | None) -> float | None:
    """Sum of the naive squared standard errors over the achieved one: how many times more independent
    observations the same precision would take. For a difference give the `naive_variance` of both sides. None
    if undefined.
    """
    values = [value for value in naive if value is not None]
    if achieved is None or achieved <= 0 or len(values) < len(naive) or not values:
        return None
    factor = sum(values) / achieved
    return factor if np.isfinite(factor) else None


@dataclass(frozen=True, slots=True)
class Controlled:
    """Mean adjusted by controls; factor: plain / adjusted variance, None if undefined; coefficients (K,)."""

    estimate: Estimate
    factor: float | None
    coefficients: tuple[float, ...]


def control_variates(
    joint: Joint, metric: Metric, controls: Sequence[Metric], means: Sequence[float], level: float = 0.95
) -> Controlled:
    """Regression-adjusted mean of `metric`, given K controls whose expectations `means` are known exactly.

    theta = ratio - beta (controls - means), t interval with U - K - 1 degrees of freedom, variance
    s^2 (U / n^2 + d' S^-1 d) with d = controls - means, S the controls' residual products and s^2 the
    residual variance (Lavenberg, Moeller and Welch, Operations Research 30, 1982): exact for jointly normal
    block sums with constant counts. Controls without variance or linearly dependent on others are ignored.
    With too few blocks the plain mean is returned, and the note says so. ValueError if `means` and `controls`
    differ in number.
    """
    if len(controls) != len(means):
        raise ValueError("one known mean per control")
    n = joint.count(metric)
    theta, variance, blocks = joint.contrast([metric], [1])
    blocks = min([blocks, *(joint.blocks_of(control) for control in controls)])
    plain = t_interval(theta, variance, n=n, blocks=blocks, level=level)
    none = Controlled(plain, None, (0.0,) * len(controls))
    if theta is None or variance is None or variance <= 0 or blocks < 3 or not controls:
        return none
    products = np.array(
        [[float(joint.residual_product(a, b)) for b in (*controls, metric)] for a in (*controls, metric)]
    )  # in units of squared standard errors
    k = len(controls)
    offset = np.array([float(joint.ratio(c) or 0) - m for c, m in zip(controls, means, strict=True)])
    root = np.sqrt(np.maximum(np.diag(products)[:k], 0.0))
    root[root <= 1e-150] = 1.0  # a constant control: its row is zero, and so is its coefficient
    values, vectors = np.linalg.eigh(products[:k, :k] / np.outer(root, root))
    keep = values > 1e-10
    rank = int(keep.sum())
    df = blocks - rank - 1
    if df < 1:
        short = t_interval(theta, variance, n=n, blocks=blocks, level=level, note="too few blocks for controls")
        return Controlled(short, None, none.coefficients)
    basis = vectors[:, keep] / root[:, None]
    inverse = (basis / values[keep]) @ basis.T
    beta = inverse @ products[:k, k]
    residual = float(products[k, k] - beta @ products[:k, k])
    if residual <= 1e-14 * products[k, k]:
        residual = 0.0
    adjusted = residual * blocks / df * (1 + float(offset @ inverse @ offset) / blocks)
    note = "" if rank == k else join(f"{k - rank} of {k} controls without information")
    estimate = t_interval(
        theta - float(beta @ offset),
        adjusted,
        n=n,
        blocks=blocks,
        level=level,
        method="control-variate",
        df=df,
        note=note,
    )
    return Controlled(estimate, variance_reduction(adjusted, variance), tuple(float(value) for value in beta))
