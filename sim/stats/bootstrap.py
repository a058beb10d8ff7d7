"""Bootstrap over blocks for statistics that are not smooth: ranks, maxima, equilibrium masses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.stats.estimate import NO_BLOCK, ONE_BLOCK, RARE, ZERO_VARIANCE, Estimate, check_level, join

Statistic = Callable[[NDArray[np.float64]], ArrayLike]
_CHUNK = 4_000_000  # weights held at a time


def bootstrap(
    data: ArrayLike,
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    level: float = 0.95,
    n: int | None = None,
    batched: bool = False,
) -> tuple[Estimate, ...]:
    """Percentile intervals of M statistics of the sums over blocks, all from the same resampled blocks.

    data       shape (B, ...): block sums, numerators and counts side by side; rows may be sums over equally
               large batches of blocks, so that memory does not grow with the run
    statistic  maps sums of shape (...) to M numbers (not finite: undefined); means are its own business,
               since only it knows which entry is a count
    batched    the statistic maps many sums (D, ...) to (D, M) at once
    Returns M estimates, one without a value if B = 0. Efron (Annals of Statistics 7, 1979); Davison and
    Hinkley, Bootstrap Methods, 5.3.1. First-order accurate: slightly short below a few hundred rows. A
    statistic undefined in more than 5 % of the draws gets no interval. Not for the mean of a rare event (use
    `proportion`).
    """
    check_level(level)
    flat, shape = _rows(data, draws)
    blocks = flat.shape[0]
    n = blocks if n is None else n
    if blocks == 0:
        return (Estimate(None, n=n, note=NO_BLOCK, level=level),)
    point = _evaluate(statistic, flat.sum(axis=0).reshape(1, *shape), batched)[0]
    values = None if blocks == 1 else bootstrap_draws(data, statistic, rng, draws=draws, batched=batched)
    return tuple(
        percentile(value, None if values is None else values[:, j], n=n, blocks=blocks, level=level)
        for j, value in enumerate(point)
    )


def bootstrap_draws(
    data: ArrayLike,
    statistic: Statistic,
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    batched: bool = False,
) -> NDArray[np.float64]:
    """The draws behind `bootstrap`: float64[draws, M], row d from the d-th resampling of the blocks.

    Which blocks a draw holds depends on the state of `rng`, the number of rows and `draws` alone: data of equally many
    blocks and generators with one seed are resampled alike, so that their draws may be subtracted. ValueError with
    fewer than two blocks.
    """
    flat, shape = _rows(data, draws)
    blocks = flat.shape[0]
    if blocks < 2:
        raise ValueError("resampling needs two blocks at least")
    size = max(1, _CHUNK // blocks)
    chances = np.full(blocks, 1 / blocks)
    pieces = []
    for start in range(0, draws, size):
        weights = rng.multinomial(blocks, chances, size=min(draws - start, size)).astype(np.float64)
        pieces.append(_evaluate(statistic, (weights @ flat).reshape(len(weights), *shape), batched))
    return np.concatenate(pieces)


def _rows(data: ArrayLike, draws: int) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    """Block sums as float64[B, entries], and the shape of one block's entries."""
    array = np.asarray(data, dtype=np.float64)
    if array.ndim < 1 or draws < 1:
        raise ValueError("data must have blocks as its first axis, and draws must be positive")
    shape = array.shape[1:]
    return np.ascontiguousarray(array.reshape(len(array), int(np.prod(shape)))), shape


def _evaluate(statistic: Statistic, many: NDArray[np.float64], batched: bool) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        rows = statistic(many) if batched else [np.ravel(statistic(sums)) for sums in many]
    return np.asarray(rows, dtype=np.float64).reshape(len(many), -1)


def percentile(
    point: float, values: NDArray[np.float64] | None, *, n: int, blocks: int, level: float = 0.95
) -> Estimate:
    """`point` with the percentile interval of its draws `values` (D,); None: there are none (one block).

    Not finite means undefined: a point without a value, or more than 5 % of the draws, gets no interval.
    """
    check_level(level)
    estimate = float(point) if np.isfinite(point) else None
    if values is None:
        return Estimate(estimate, n=n, blocks=blocks, note=ONE_BLOCK, level=level)
    good = values[np.isfinite(values)]
    lost = 1 - good.size / values.size
    note = join(
        "" if estimate is not None else "undefined",
        f"undefined in {lost:.1%} of draws" if lost else "",
        f"fewer than {RARE} blocks" if blocks < RARE else "",
    )
    if lost > 0.05 or estimate is None:
        return Estimate(estimate, n=n, blocks=blocks, note=note, level=level)
    low, high = (float(q) for q in np.quantile(good, [(1 - level) / 2, (1 + level) / 2]))
    if low == high and good.min() == good.max():
        note = join(ZERO_VARIANCE, note)
    return Estimate(estimate, low, high, float(good.std()), n, blocks, "bootstrap", note, None, level)
