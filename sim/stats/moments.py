"""Sums over blocks: all that the estimators need to know of a run, whatever its length.

A block b holds the numerator x[b] (sum of a metric over the block's observations) and the count n[b] of
observations, which may vary or be 0. Integers stay Python integers, so sums are exact, never overflow and
merge in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Number = int | float
ROUNDING = Fraction(1, 10**14)  # float sums: a smaller relative variance is rounding


def column_of(values: ArrayLike) -> NDArray[Any]:
    """One-dimensional int64, object (large integers) or float64 array; ValueError for anything else or not
    finite.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"block sums must be one-dimensional, got shape {array.shape}")
    if array.size == 0 or array.dtype.kind == "b":
        return array.astype(np.int64)
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        return array.astype(object)
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise ValueError("block sums must be finite")
        return array.astype(np.float64)
    if array.dtype.kind == "O" and all(isinstance(value, int) for value in array):
        return array
    raise ValueError(f"block sums must be integers or floats, got {array.dtype}")


def dot(a: NDArray[Any], b: NDArray[Any]) -> Number:
    """Sum of products: exact for integers, correctly rounded sum for floats."""
    if a.dtype.kind == "f" or b.dtype.kind == "f":
        return math.fsum(a.astype(np.float64) * b.astype(np.float64))
    if a.size == 0:
        return 0
    if a.dtype.kind == "i" and b.dtype.kind == "i":
        peak_a = max(int(a.max()), -int(a.min()))
        peak_b = max(int(b.max()), -int(b.min()))
        if peak_a * peak_b * a.size < 2**62:
            return int(np.dot(a, b))
    return int(np.dot(a.astype(object), b.astype(object)))


def total_of(a: NDArray[Any]) -> Number:
    return dot(a, np.ones(a.size, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over blocks of one metric.

    blocks   all blocks, the empty ones too
    used     blocks with n[b] > 0
    n, x     observations; sum of the metric over them
    xx xn nn sums over blocks of x[b]^2, x[b] n[b], n[b]^2
    seen     blocks with x[b] != 0: those where an event, counted by x, happens at all
    missed   blocks with observations where it does not always happen: x[b] != n[b]
    squares  sum over observations of the squared metric, None if not recorded (needed for `naive_variance`
             only)
    scale    x is in units of 1/scale (win shares in sixtieths: 60), so that fractions stay exact
    """

    blocks: int = 0
    used: int = 0
    n: int = 0
    x: Number = 0
    xx: Number = 0
    xn: Number = 0
    nn: int = 0
    seen: int = 0
    missed: int = 0
    squares: Number | None = None
    scale: int = 1

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, np.generic):  # its arithmetic would wrap around
                object.__setattr__(self, name, value.item())

    @classmethod
    def from_blocks(
        cls, x: ArrayLike, n: ArrayLike | int = 1, *, squares: ArrayLike | None = None, scale: int = 1
    ) -> Moments:
        """Sums of arrays x, n, squares of shape (B,); a scalar n holds for every block. ValueError if bad."""
        if scale < 1:
            raise ValueError(f"scale must be positive, got {scale}")
        xs = column_of(x)
        ns = column_of(np.full(xs.size, n) if np.ndim(n) == 0 else n)
        if ns.shape != xs.shape or ns.dtype.kind == "f" or (ns < 0).any():
            raise ValueError("counts must be non-negative integers, one per block")
        used = ns > 0
        if (xs[~used] != 0).any():
            raise ValueError("a block without observations must have x = 0")
        # object arithmetic only where int64 could overflow
        small = ns.size == 0 or int(ns.max()) * scale < 2**62
        full = ns * scale if small else ns.astype(object) * scale
        square_sum = None
        if squares is not None:
            column = column_of(squares)
            if column.shape != xs.shape:
                raise ValueError("squares must have one value per block")
            square_sum = total_of(column)
        return cls(
            xs.size,
            int(np.count_nonzero(used)),
            int(total_of(ns)),
            total_of(xs),
            dot(xs, xs),
            dot(xs, ns),
            int(dot(ns, ns)),
            int(np.count_nonzero(xs)),
            int(np.count_nonzero(xs != full)),
            square_sum,
            scale,
        )

    def __add__(self, other: Moments) -> Moments:
        """Sums over both sets of blocks, which must not overlap. ValueError if the scales differ."""
        if not self.blocks or not other.blocks:
            return self if self.blocks else other
        if self.scale != other.scale:
            raise ValueError(f"cannot merge scales {self.scale} and {other.scale}")
        squares = None if self.squares is None or other.squares is None else self.squares + other.squares
        return Moments(
            self.blocks + other.blocks,
            self.used + other.used,
            self.n + other.n,
            self.x + other.x,
            self.xx + other.xx,
            self.xn + other.xn,
            self.nn + other.nn,
            self.seen + other.seen,
            self.missed + other.missed,
            squares,
            self.scale,
        )

    @property
    def constant_count(self) -> bool:
        """Whether every used block has the same number of observations (equality case of Cauchy-Schwarz)."""
        return self.used * self.nn == self.n * self.n

    @property
    def ratio(self) -> float | None:
        """sum x / sum n."""
        return self.x / (self.n * self.scale) if self.n else None

    @property
    def variance(self) -> float | None:
        """Squared standard error of `ratio`: U / (U - 1) * sum e[b]^2 / n^2 with e = x - ratio n, U used
        blocks.

        With a constant count this is the variance of a mean of block means; otherwise the linearised variance
        of a ratio (Cochran, Sampling Techniques, ch. 6). None with fewer than two used blocks.
        """
        if self.used < 2:
            return None
        n, x = self.n, self.x
        below = (self.used - 1) * n**4 * self.scale**2
        if isinstance(x, int) and isinstance(self.xx, int) and isinstance(self.xn, int):
            return self.used * (self.xx * n * n - 2 * x * n * self.xn + x * x * self.nn) / below
        fx, fxx = Fraction(x), Fraction(self.xx)
        square = fxx * n * n - 2 * fx * n * Fraction(self.xn) + fx * fx * self.nn
        return float(self.used * square / below) if square > ROUNDING * fxx * n * n else 0.0
