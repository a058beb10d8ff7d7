"""`sim.sweep`: what a rule does. Every metric over a grid of one or two rules, on common blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis.grids import MOST_VALUES, split
from sim.analysis.progress import progress as shown_progress
from sim.analysis.samples import CACHE, Sample, joint, metric_index, sample
from sim.errors import UsageError
from sim.games import Metric, find_game
from sim.scenario import Scenario, check_level, scenario
from sim.stats import Estimate, bands, benjamini_hochberg, difference, p_value

MOST_RULES = 2


@dataclass
class Sweep:
    """What `sweep` finds.

    keys      the rules that vary
    default   their values at the default, against which changes are measured
    frame     one row per metric, strategy and grid point: the rules' values, is_default, strategy, metric, unit,
              estimate, low, high (a band that holds for all grid points at once), n, blocks, method, note, then
              change (against the default, paired by block), change_low, change_high (a band for all changes at once),
              p, p_adjusted (Benjamini-Hochberg over all rows); None, never NaN, for what there is not
    """

    scenario: Scenario
    keys: list[str]
    default: tuple[Any, ...]
    frame: pd.DataFrame
    blocks: int
    level: float


def sweep(
    game: str,
    rules: Mapping[str, Any],
    *,
    players: int | None = None,
    strategies: str | Sequence[str] | None = None,
    blocks: int | None = None,
    games: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    metrics: Sequence[str] | None = None,
    level: float = 0.95,
    threads: int | None = None,
    cache: str | Path | None = CACHE,
    progress: bool = False,
) -> Sweep:
    """Every metric (or those named) for every strategy of the line-up, over all values of one or two rules.

    `rules`: one or two of them with several values (a list, a range, "a,b,c" or "from:to:step"), the others with one.
    All grid points and the default are played on the same blocks. Raises `UsageError` naming the key.
    """
    row = find_game(game)
    fixed, grids = split(row, rules)
    if not 1 <= len(grids) <= MOST_RULES:
        count = len(grids) or "no"
        raise UsageError(f"rule: {count} rules with several values; allowed: one or two (KEY=a,b or KEY=from:to:step)")
    check_level(level)
    if "players" in grids and players is not None:
        raise UsageError("players: they vary already, among the rules")
    points = list(product(*grids.values()))
    if len(points) > MOST_VALUES:
        raise UsageError(f"rule: {len(points)} grid points; allowed: at most {MOST_VALUES}")
    chosen = [row.metrics[metric_index(row, name)] for name in metrics] if metrics else list(row.metrics)

    def made(values: Mapping[str, Any]) -> Scenario:
        return scenario(
            game=game,
            players=players,
            rules={**fixed, **values},
            strategies=strategies,
            blocks=blocks,
            games=games,
            seed=seed,
            seatings=seatings,
        )

    base = made({})
    keys = list(grids)
    default = tuple(base.rules[key] for key in keys)
    scenarios = {point: made(dict(zip(keys, point, strict=True))) for point in points}
    if default not in scenarios:
        scenarios = {default: base, **scenarios}
    home = Path(cache) if cache is not None else None
    with shown_progress(base.blocks * len(scenarios), progress) as told:
        samples = {
            point: sample(one, base.blocks, threads=threads, cache=home, progress=told)
            for point, one in scenarios.items()
        }
    rows = [
        line
        for metric in chosen
        for label in base.labels
        for line in _rows(samples, keys, default, metric, label, level, seed)
    ]
    for line, value in zip(rows, benjamini_hochberg([line["p"] for line in rows]), strict=True):
        line["p_adjusted"] = value
    return Sweep(base, keys, default, pd.DataFrame(rows, dtype=object), base.blocks, level)


def _rows(
    samples: dict[tuple[Any, ...], Sample],
    keys: list[str],
    default: tuple[Any, ...],
    metric: Metric,
    label: str,
    level: float,
    seed: int,
) -> list[dict[str, Any]]:
    """One metric of one strategy at all grid points, with bands over them."""
    points = list(samples)
    sums, pairs = joint([one.series(metric.name, one.slot(label)) for one in samples.values()])
    base = points.index(default)
    others = [k for k in range(len(points)) if k != base]
    values = bands(sums, pairs, level, rng=np.random.default_rng(seed))
    changes: dict[int, Estimate] = {}
    if others:
        banded = bands(sums, [pairs[k] for k in others], level, baseline=pairs[base], rng=np.random.default_rng(seed))
        changes = dict(zip(others, banded, strict=True))
    rows = []
    for k, point in enumerate(points):
        value, change = values[k], changes.get(k)
        test = difference(sums, pairs[k], pairs[base], level) if change is not None else None
        rows.append(
            {
                **dict(zip(keys, point, strict=True)),
                "is_default": k == base,
                "strategy": label,
                "metric": metric.name,
                "unit": metric.unit,
                **{name: getattr(value, name) for name in ("estimate", "low", "high", "n", "blocks", "method", "note")},
                "change": change.estimate if change is not None else None,
                "change_low": change.low if change is not None else None,
                "change_high": change.high if change is not None else None,
                "p": p_value(test) if test is not None else None,
                "p_adjusted": None,
            }
        )
    return rows
