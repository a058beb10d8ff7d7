"""Sums over blocks: all that the estimators need to know of a run, whatever its length.

A block b holds the numerator x[b] (sum of a metric over the block's observations) and the count n[b] of
observations, which may vary or be 0. Integers stay Python integers, so sums are exact, never overflow and
merge in any order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Number = int | float
Metric = tuple[int, int]  # (column of the numerator, column of the count) of a `Joint`
_ROUNDING = Fraction(1, 10**14)  # float sums: a smaller relative variance is rounding


def _column(values: ArrayLike) -> NDArray[Any]:
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


def _dot(a: NDArray[Any], b: NDArray[Any]) -> Number:
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


def _total(a: NDArray[Any]) -> Number:
    return _dot(a, np.ones(a.size, dtype=np.int64))


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
        xs = _column(x)
        ns = _column(np.full(xs.size, n) if np.ndim(n) == 0 else n)
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
            column = _column(squares)
            if column.shape != xs.shape:
                raise ValueError("squares must have one value per block")
            square_sum = _total(column)
        return cls(
            xs.size,
            int(np.count_nonzero(used)),
            int(_total(ns)),
            _total(xs),
            _dot(xs, xs),
            _dot(xs, ns),
            int(_dot(ns, ns)),
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
        return float(self.used * square / below) if square > _ROUNDING * fxx * n * n else 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """Sums over common blocks of K columns (numerators and counts of several metrics).

    sums (K,), products (K, K): sums over blocks of z_k[b] and z_k[b] z_l[b]; used (K,): blocks with z_k[b] !=
    0; scales (K,): column k is in units of 1/scales[k]. A metric is the pair (numerator column, count
    column).
    """

    blocks: int
    sums: tuple[Number, ...]
    products: tuple[tuple[Number, ...], ...]
    used: tuple[int, ...]
    scales: tuple[int, ...]

    @classmethod
    def from_blocks(cls, columns: Sequence[ArrayLike], scales: Sequence[int] | None = None) -> Joint:
        """Sums of K arrays of shape (B,). ValueError if malformed."""
        arrays = [_column(column) for column in columns]
        scales = tuple(scales) if scales is not None else (1,) * len(arrays)
        if not arrays or len(scales) != len(arrays) or len({a.size for a in arrays}) > 1 or min(scales) < 1:
            raise ValueError("columns must be equally long, with one positive scale each")
        upper = {
            (k, m): _dot(arrays[k], arrays[m]) for k in range(len(arrays)) for m in range(k, len(arrays))
        }
        products = tuple(
            tuple(upper[min(k, m), max(k, m)] for m in range(len(arrays))) for k in range(len(arrays))
        )
        return cls(
            arrays[0].size,
            tuple(_total(a) for a in arrays),
            products,
            tuple(int(np.count_nonzero(a)) for a in arrays),
            scales,
        )

    def __add__(self, other: Joint) -> Joint:
        """Sums over both sets of blocks, which must not overlap. ValueError if the columns differ."""
        if self.scales != other.scales:
            raise ValueError("cannot merge different columns")
        products = tuple(
            tuple(map(sum, zip(a, b, strict=True)))
            for a, b in zip(self.products, other.products, strict=True)
        )
        return Joint(
            self.blocks + other.blocks,
            tuple(map(sum, zip(self.sums, other.sums, strict=True))),
            products,
            tuple(map(sum, zip(self.used, other.used, strict=True))),
            self.scales,
        )

    def count(self, metric: Metric) -> int:
        """Observations of a metric."""
        return int(self.sums[metric[1]])

    def blocks_of(self, metric: Metric) -> int:
        """Blocks with observations of a metric."""
        return self.used[metric[1]]

    def ratio(self, metric: Metric) -> Fraction | None:
        """Exact sum x / sum n in units of the metric; None without observations."""
        x, n = metric
        if not self.sums[n]:
            return None
        return Fraction(self.sums[x]) * self.scales[n] / (Fraction(self.sums[n]) * self.scales[x])

    def residual_product(self, a: Metric, b: Metric) -> Fraction:
        """Sum over blocks of e_a e_b / (n_a n_b), e_k = x_k - ratio_k n_k: the linearised covariance before
        its small-sample factor. Both metrics must have observations.
        """
        (xa, na), (xb, nb) = a, b
        total_a, total_b = Fraction(self.sums[na]), Fraction(self.sums[nb])
        ra, rb = Fraction(self.sums[xa]) / total_a, Fraction(self.sums[xb]) / total_b
        p = self.products
        terms = (
            Fraction(p[xa][xb]),
            -ra * Fraction(p[na][xb]),
            -rb * Fraction(p[xa][nb]),
            ra * rb * Fraction(p[na][nb]),
        )
        unit = Fraction(self.scales[na] * self.scales[nb], self.scales[xa] * self.scales[xb])
        value = sum(terms, Fraction(0))
        if self._rounded(xa, xb) and abs(value) <= _ROUNDING * max(map(abs, terms)):
            value = Fraction(0)
        return value * unit / (total_a * total_b)

    def contrast(
        self, metrics: Sequence[Metric], weights: Sequence[int]
    ) -> tuple[float | None, float | None, int]:
        """sum_k weights[k] ratio_k, its squared standard error and the number of blocks it rests on (the
        least of the metrics' used blocks). Exact up to the last step, so that equal columns give exactly 0.
        """
        blocks = min(self.blocks_of(metric) for metric in metrics)
        ratios = [self.ratio(metric) for metric in metrics]
        if blocks < 1 or any(ratio is None for ratio in ratios):
            return None, None, 0
        theta = float(
            sum((w * r for w, r in zip(weights, ratios, strict=True) if r is not None), Fraction(0))
        )
        if blocks < 2:
            return theta, None, blocks
        terms = [
            wa * wb * self.residual_product(a, b)
            for a, wa in zip(metrics, weights, strict=True)
            for b, wb in zip(metrics, weights, strict=True)
        ]
        total = sum(terms, Fraction(0))
        if self._rounded(*(x for x, _ in metrics)) and total <= _ROUNDING * max(map(abs, terms)):
            total = Fraction(0)
        return theta, float(total * Fraction(blocks, blocks - 1)), blocks

    def covariance(self, metrics: Sequence[Metric]) -> NDArray[np.float64]:
        """(M, M) covariance matrix of the ratios; zero where a metric has fewer than two used blocks."""
        out = np.zeros((len(metrics), len(metrics)))
        factor = [u / (u - 1) if (u := self.blocks_of(metric)) > 1 else 0.0 for metric in metrics]
        for k, a in enumerate(metrics):
            for m in range(k, len(metrics)):
                if factor[k] and factor[m]:
                    root = math.sqrt(factor[k] * factor[m])
                    out[k, m] = out[m, k] = float(self.residual_product(a, metrics[m])) * root
        return out

    def _rounded(self, *columns: int) -> bool:
        return any(isinstance(self.sums[column], float) for column in columns)
