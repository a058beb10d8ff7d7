"""Sums over common blocks of several metrics, with their cross products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.stats.moments import ROUNDING, Number, column_of, dot, total_of

Metric = tuple[int, int]  # (column of the numerator, column of the count)


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
        arrays = [column_of(column) for column in columns]
        scales = tuple(scales) if scales is not None else (1,) * len(arrays)
        if not arrays or len(scales) != len(arrays) or len({a.size for a in arrays}) > 1 or min(scales) < 1:
            raise ValueError("columns must be equally long, with one positive scale each")
        upper = {(k, m): dot(arrays[k], arrays[m]) for k in range(len(arrays)) for m in range(k, len(arrays))}
        products = tuple(tuple(upper[min(k, m), max(k, m)] for m in range(len(arrays))) for k in range(len(arrays)))
        return cls(
            arrays[0].size,
            tuple(total_of(a) for a in arrays),
            products,
            tuple(int(np.count_nonzero(a)) for a in arrays),
            scales,
        )

    def __add__(self, other: Joint) -> Joint:
        """Sums over both sets of blocks, which must not overlap. ValueError if the columns differ."""
        if self.scales != other.scales:
            raise ValueError("cannot merge different columns")
        products = tuple(
            tuple(map(sum, zip(a, b, strict=True))) for a, b in zip(self.products, other.products, strict=True)
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

    def constant_count(self, metric: Metric) -> bool:
        """Whether every used block has the same number of observations of a metric."""
        n = metric[1]
        return self.used[n] * self.products[n][n] == self.sums[n] ** 2

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
        if self._rounded(xa, xb) and abs(value) <= ROUNDING * max(map(abs, terms)):
            value = Fraction(0)
        return value * unit / (total_a * total_b)

    def contrast(self, metrics: Sequence[Metric], weights: Sequence[int]) -> tuple[float | None, float | None, int]:
        """sum_k weights[k] ratio_k, its squared standard error and the number of blocks it rests on (the
        least of the metrics' used blocks). Exact up to the last step, so that equal columns give exactly 0.
        """
        blocks = min(self.blocks_of(metric) for metric in metrics)
        ratios = [self.ratio(metric) for metric in metrics]
        if blocks < 1 or any(ratio is None for ratio in ratios):
            return None, None, 0
        theta = float(sum((w * r for w, r in zip(weights, ratios, strict=True) if r is not None), Fraction(0)))
        if blocks < 2:
            return theta, None, blocks
        terms = [
            wa * wb * self.residual_product(a, b)
            for a, wa in zip(metrics, weights, strict=True)
            for b, wb in zip(metrics, weights, strict=True)
        ]
        total = sum(terms, Fraction(0))
        if self._rounded(*(x for x, _ in metrics)) and total <= ROUNDING * max(map(abs, terms)):
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
