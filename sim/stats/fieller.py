"""Fieller's confidence set for a ratio of two means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from sim.stats.estimate import (
    NO_BLOCK,
    ONE_BLOCK,
    RARE,
    ZERO_VARIANCE,
    Estimate,
    Method,
    check_level,
    t_quantile,
)
from sim.stats.joint import Joint, Metric

Shape = Literal["bounded", "ray", "complement", "line", "empty"]


@dataclass(frozen=True, slots=True)
class FiellerSet:
    """Confidence set of a ratio.

    bounded     [low, high]
    ray         [low, oo) or (-oo, high]: the other one is None
    complement  (-oo, low] and [high, oo), low < high: the denominator may be 0, the numerator is not
    line        every value: nothing can be said
    empty       no value: the denominator is known to be 0, the numerator is known not to be
    estimate is None when the denominator is estimated as 0; shape is None when there is no set (see note).
    """

    shape: Shape | None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    blocks: int = 0
    note: str = ""
    level: float = 0.95

    def within(self, low: float, high: float) -> tuple[tuple[float, float], ...]:
        """Intervals, in order, of the part of the set that lies in [low, high]; () for none of it."""
        if self.shape in (None, "empty"):
            return ()
        if self.shape == "complement" and self.low is not None and self.high is not None:
            pieces = [(low, min(high, self.low)), (max(low, self.high), high)]
        else:
            pieces = [
                (
                    low if self.low is None else max(low, self.low),
                    high if self.high is None else min(high, self.high),
                )
            ]
        return tuple(piece for piece in pieces if piece[0] <= piece[1])

    def contains(self, value: float) -> bool:
        """Whether the set holds `value`."""
        return bool(self.within(value, value))

    def as_estimate(self) -> Estimate:
        """The same as an `Estimate`: limits only when bounded, the shape in the note otherwise."""
        if self.shape == "bounded":
            return Estimate(
                self.estimate,
                self.low,
                self.high,
                None,
                self.n,
                self.blocks,
                "fieller",
                self.note,
                None,
                self.level,
            )
        note = self.note if self.shape is None else f"unbounded: {self.shape}" if self.shape != "empty" else "empty"
        method: Method = "none" if self.shape is None else "fieller"
        return Estimate(self.estimate, None, None, None, self.n, self.blocks, method, note, None, self.level)


def fieller(joint: Joint, a: Metric, b: Metric, level: float = 0.95) -> FiellerSet:
    """Confidence set of ratio a / ratio b over common blocks, t with U - 1 degrees of freedom."""
    n = min(joint.count(a), joint.count(b))
    top, var_top, _ = joint.contrast([a], [1])
    bottom, var_bottom, _ = joint.contrast([b], [1])
    blocks = min(joint.blocks_of(a), joint.blocks_of(b))
    if top is None or bottom is None:
        return FiellerSet(None, note=NO_BLOCK, n=n, blocks=blocks, level=level)
    if var_top is None or var_bottom is None:
        ratio = _divide(top, bottom)
        return FiellerSet(None, ratio, note=ONE_BLOCK, n=n, blocks=blocks, level=level)
    if blocks < RARE and (var_top <= 0 or var_bottom <= 0):
        note = f"{ZERO_VARIANCE}: no interval from fewer than {RARE} blocks"
        return FiellerSet(None, _divide(top, bottom), note=note, n=n, blocks=blocks, level=level)
    covariance = float(joint.covariance([a, b])[0, 1])
    return fieller_set(top, bottom, var_top, var_bottom, covariance, blocks - 1, level, n=n, blocks=blocks)


def fieller_set(
    top: float,
    bottom: float,
    var_top: float,
    var_bottom: float,
    covariance: float,
    df: int,
    level: float = 0.95,
    *,
    n: int = 0,
    blocks: int = 0,
) -> FiellerSet:
    """All r with (top - r bottom)^2 <= t^2 var(top - r bottom), variances being squared standard errors.

    Fieller (JRSS B 16, 1954); exact for jointly normal estimates. Bounded exactly when `bottom` differs
    significantly from 0 at this level.
    """
    check_level(level)
    square = t_quantile(level, df) ** 2
    a = bottom * bottom - square * var_bottom
    b = top * bottom - square * covariance
    c = top * top - square * var_top
    estimate = _divide(top, bottom)
    note = ZERO_VARIANCE if var_top <= 0 and var_bottom <= 0 else ""

    def made(shape: Shape, low: float | None = None, high: float | None = None) -> FiellerSet:
        return FiellerSet(shape, estimate, low, high, n, blocks, note, level)

    if a == 0:
        if b == 0:
            return made("line") if c <= 0 else made("empty")
        edge = _divide(c, 2 * b)
        if edge is None:
            return made("line")
        return made("ray", low=edge) if b > 0 else made("ray", high=edge)
    disc = b * b - a * c
    if a < 0 and disc <= 0:
        return made("line")
    q = b + math.copysign(math.sqrt(max(disc, 0.0)), b)  # the larger in size, so that nothing cancels
    first, second = _divide(q, a), (_divide(c, q) if q else 0.0)
    if first is None or second is None:
        return made("ray", low=second) if q > 0 else made("ray", high=second)
    low, high = min(first, second), max(first, second)
    if a > 0:
        if estimate is not None and disc <= 0:
            low = high = estimate
        return made("bounded", low, high)
    return made("complement", low, high)


def _divide(a: float, b: float) -> float | None:
    """a / b, None when it is not a finite number."""
    try:
        value = a / b
    except (ZeroDivisionError, OverflowError):
        return None
    return value if math.isfinite(value) else None
