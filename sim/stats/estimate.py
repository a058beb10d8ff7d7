"""The one result type of every estimator, and the t interval they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scipy import special  # type: ignore[import-untyped,unused-ignore]

RARE = 50  # blocks with (or without) an event below which the normal approximation is not trusted

Method = Literal[
    "none",
    "t",
    "t-ratio",
    "wilson-deff",
    "exact-bound",
    "fieller",
    "bootstrap",
    "sup-t",
    "sidak",
    "control-variate",
    "cs",
    "cs-bounded",
]

NO_BLOCK = "no block: no estimate"
ONE_BLOCK = "one block: no interval"
ZERO_VARIANCE = "zero variance"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval, in the units of the metric; None (never NaN) where there is no value.

    `n` counts observations, `blocks` the independent blocks that hold any of them. `se` is the standard error
    with `df` degrees of freedom, None for methods that have none. `note` says why something is missing or
    doubtful.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    n: int = 0
    blocks: int = 0
    method: Method = "none"
    note: str = ""
    df: int | None = None
    level: float = 0.95

    @property
    def half_width(self) -> float | None:
        """Half the length of the interval; None without a bounded one."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def check_level(level: float) -> None:
    """Raise ValueError unless 0 < level < 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie in (0, 1), got {level}")


def t_quantile(level: float, df: float) -> float:
    """Two-sided critical value of Student's t: P(|T| <= q) = level. `df` > 0."""
    return float(special.stdtrit(df, (1 + level) / 2))


def z_quantile(level: float) -> float:
    """Two-sided critical value of the standard normal distribution."""
    return float(special.ndtri((1 + level) / 2))


def t_lower_tail(df: float, t: float) -> float:
    """P(T <= t) for Student's t."""
    return float(special.stdtr(df, t))


def gamma_quantile(shape: float, probability: float) -> float:
    """Quantile of the gamma distribution with unit scale: Poisson limits come from it."""
    return float(special.gammaincinv(shape, probability))


def join(*notes: str) -> str:
    """Non-empty notes, separated by "; "."""
    return "; ".join(note for note in notes if note)


def finite(values: Sequence[float]) -> bool:
    """Whether every value is an ordinary number."""
    return all(math.isfinite(value) for value in values)


def check_effects(low: Any, high: Any) -> None:
    """Raise ValueError unless `low` < `high` are finite numbers."""
    if not (finite([low, high]) and low < high):
        raise ValueError(f"bounds must be finite and increasing, got {low} and {high}")


def t_interval(
    theta: float | None,
    variance: float | None,
    *,
    n: int,
    blocks: int,
    level: float = 0.95,
    method: Method = "t",
    df: int | None = None,
    critical: float | None = None,
    note: str = "",
) -> Estimate:
    """theta -+ t * sqrt(variance) with `df` (default blocks - 1) degrees of freedom.

    variance: squared standard error of theta. `critical` replaces the t quantile (simultaneous bands).
    Blocks that are all alike carry no information on how rare the others are: with fewer than RARE of them
    there is no interval, from there on a flagged one of width zero.
    """
    check_level(level)
    if theta is None or blocks < 1:
        return Estimate(None, n=n, blocks=blocks, method="none", note=join(NO_BLOCK, note), level=level)
    df = blocks - 1 if df is None else df
    if variance is None or df < 1:
        reason = ONE_BLOCK if blocks == 1 else "too few blocks: no interval"
        return Estimate(theta, n=n, blocks=blocks, method="none", note=join(reason, note), level=level)
    se = math.sqrt(max(variance, 0.0))
    if se == 0.0:
        if blocks < RARE:
            reason = f"{ZERO_VARIANCE}: no interval from fewer than {RARE} blocks"
            return Estimate(theta, None, None, 0.0, n, blocks, "none", join(reason, note), df, level)
        return Estimate(theta, theta, theta, 0.0, n, blocks, method, join(ZERO_VARIANCE, note), df, level)
    half = (t_quantile(level, df) if critical is None else critical) * se
    return Estimate(theta, theta - half, theta + half, se, n, blocks, method, note, df, level)
