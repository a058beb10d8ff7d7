"""Measured quantities that can be set side by side: an estimate, and what pairs it with another variant's by block.

A `Measure` keeps the block sums or the bootstrap draws it was made from, so that the change from one rule variant to
another is estimated on common blocks instead of from two separate intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.analysis.lineups import BATCHES
from sim.analysis.samples import Series
from sim.analysis.sides import Contrast
from sim.stats import Estimate, bootstrap_draws, mean, percentile
from sim.stats import proportion as proportion_of

Floats = NDArray[np.float64]

#: the columns of `frame`
COLUMNS = ("metric", "subject", "unit", "estimate", "low", "high", "n", "blocks", "method", "note")
NO_BLOCK = "no block: no estimate"


@dataclass(frozen=True, eq=False)
class Measure:
    """One quantity of one variant.

    metric   what is measured; subject: of what ("" for the game, else a strategy, "seat 2", "A v B"); unit: of `value`
    value    the estimate with its interval; without an estimate its note says why
    series   block sums: value = sum x / sum n - offset; None if the measure is none of that kind
    draws    float64[D], the values in D resamplings of the blocks; None if it rests on `series` or on nothing
    origin   (seed, first block, blocks) that it was played on, where known: only measures of one origin are paired
    """

    metric: str
    subject: str
    unit: str
    value: Estimate
    series: Series | None = None
    offset: float = 0.0
    draws: Floats | None = None
    origin: tuple[int, int, int] | None = None


def of_series(
    metric: str,
    subject: str,
    unit: str,
    series: Series,
    *,
    offset: float = 0.0,
    proportion: bool = False,
    level: float = 0.95,
    origin: tuple[int, int, int] | None = None,
) -> Measure:
    """A mean per observation less a known number, from block sums, with the interval of `sim.stats.mean`.

    `proportion`: the mean is a share of events (or of shares in [0, 1]), so that rare ones get the intervals of
    `sim.stats.proportion`.
    """
    estimator = proportion_of if proportion else mean
    value = shifted(estimator(series.moments(), level), offset)
    return Measure(metric, subject, unit, value, series, offset, None, origin)


def of_draws(
    metric: str,
    subject: str,
    unit: str,
    point: float,
    draws: Floats | None,
    *,
    n: int,
    blocks: int,
    level: float = 0.95,
    origin: tuple[int, int, int] | None = None,
) -> Measure:
    """A function of block sums: its value, and float64[D] its values in resamplings of the blocks (see `resample`).

    Percentile interval; not finite means undefined. `draws` None: no interval. `n`: observations, `blocks`: blocks.
    ValueError for draws of another shape.
    """
    if draws is not None and draws.ndim != 1:
        raise ValueError(f"{metric}: draws must be one-dimensional, got shape {draws.shape}")
    if not blocks:
        return missing(metric, subject, unit, NO_BLOCK, level)
    value = percentile(point, draws, n=n, blocks=blocks, level=level)
    return Measure(metric, subject, unit, value, draws=draws, origin=origin)


def missing(metric: str, subject: str, unit: str, reason: str, level: float = 0.95) -> Measure:
    """A measure without an estimate, and why."""
    return Measure(metric, subject, unit, Estimate(None, note=reason, level=level))


def shifted(value: Estimate, offset: float) -> Estimate:
    """An estimate less a known number."""
    if not offset or value.estimate is None:
        return value
    return replace(
        value,
        estimate=value.estimate - offset,
        low=None if value.low is None else value.low - offset,
        high=None if value.high is None else value.high - offset,
    )


def change(new: Measure, old: Measure, level: float = 0.95) -> Estimate:
    """`new` less `old`, paired by block: what a rule variant does to a measure.

    From block sums the t interval of `sim.stats.difference`, from draws (of the same resamplings) the percentiles of
    their differences. No estimate, and the reason, if one of the two has none or nothing pairs them. ValueError if
    the two are not the same quantity, or were not measured on the same blocks and in the same way.
    """
    if (new.metric, new.subject, new.unit) != (old.metric, old.subject, old.unit):
        raise ValueError(f"{new.metric} {new.subject} and {old.metric} {old.subject} are different measures")
    if new.origin is not None and old.origin is not None and new.origin != old.origin:
        raise ValueError(f"{new.metric}: measured on other blocks (seed, first, number): {new.origin}, {old.origin}")
    for one in (new, old):
        if one.value.estimate is None:
            return Estimate(None, note=one.value.note, level=level)
    if new.series is not None and old.series is not None:
        if len(new.series) != len(old.series):
            raise ValueError(f"{new.metric}: {len(new.series)} and {len(old.series)} blocks cannot be paired")
        return shifted(Contrast.of(new.series, old.series).difference(level), new.offset - old.offset)
    if (new.series is None) != (old.series is None):
        raise ValueError(f"{new.metric}: block sums and draws cannot be paired")
    n, blocks = min(new.value.n, old.value.n), min(new.value.blocks, old.value.blocks)
    assert new.value.estimate is not None
    assert old.value.estimate is not None
    gap = new.value.estimate - old.value.estimate
    if new.draws is None or old.draws is None:
        if blocks == 1:
            return percentile(gap, None, n=n, blocks=blocks, level=level)
        return Estimate(None, note="nothing pairs them: no change is estimated", level=level)
    if new.draws.shape != old.draws.shape or new.value.blocks != old.value.blocks:
        raise ValueError(f"{new.metric}: draws of other blocks or of another number cannot be paired")
    return percentile(gap, new.draws - old.draws, n=n, blocks=blocks, level=level)


def frame(measures: Sequence[Measure], level: float = 0.95) -> pd.DataFrame:
    """Long form, one row per measure, in the columns COLUMNS; None, never NaN, for what there is not.

    ValueError if an interval has another level.
    """
    for one in measures:
        if one.value.level != level:
            raise ValueError(f"{one.metric} {one.subject}: its level is {one.value.level}, not {level}")
    rows = [
        (one.metric, one.subject, one.unit, *(getattr(one.value, name) for name in COLUMNS[3:])) for one in measures
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def batch_edges(blocks: int) -> NDArray[np.int64]:
    """Where the batches of neighbouring blocks begin that a bootstrap resamples: at most BATCHES, equally large."""
    rows = min(blocks, BATCHES)
    return np.linspace(0, blocks, rows + 1).round().astype(np.int64)[:-1]


def batch_sums(columns: Floats) -> Floats:
    """float64[R, ...]: block sums (B, ...) summed over batches of neighbours (see `batch_edges`)."""
    if not len(columns):
        return columns
    return np.asarray(np.add.reduceat(columns, batch_edges(len(columns)), axis=0))


def resample(rows: Floats, statistic: Callable[[Floats], Floats], seed: int, draws: int) -> Floats | None:
    """float64[draws, M]: a function of sums (D, ...) -> (D, M) in resamplings of `rows`; None below two rows.

    The same rows are drawn for every variant of equally many blocks.
    """
    if len(rows) < 2:
        return None
    return bootstrap_draws(rows, statistic, np.random.default_rng(seed), draws=draws, batched=True)
