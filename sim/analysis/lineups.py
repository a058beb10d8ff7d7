"""Many line-ups of the same strategies on the same blocks: what tournament and metagame are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim import seatings as designs
from sim.analysis.progress import progress as shown_progress
from sim.analysis.samples import CACHE, Sample, metric_index, sample
from sim.analysis.symmetric import Counts, Floats
from sim.errors import UsageError
from sim.games import Game, Metric
from sim.scenario import Scenario, scenario, slots_of
from sim.stats import Estimate, Moments, mean
from sim.strategies import parse

#: rows of the joint bootstrap: more blocks than that are summed up in batches of neighbours
BATCHES = 500
#: more line-ups than that are refused: the question is too large to be meant
MOST_LINE_UPS = 5000


def names_of(game: Game, names: str | Sequence[str] | None, key: str = "strategies", least: int = 1) -> list[str]:
    """Checked, canonical names from a list or a text with commas. Raises `UsageError` naming `key`."""
    if isinstance(names, str):
        names = [part.strip() for part in names.split(",")]
    if names is not None and not (isinstance(names, Sequence) and all(isinstance(name, str) for name in names)):
        raise UsageError(f"{key}: names are expected, as a list or a text with commas")
    if not names:
        raise UsageError(f"{key}: name at least {least}")
    try:
        found = [parse(game, name).label for name in names]
    except UsageError as error:
        if key == "strategies":
            raise
        raise UsageError(f"{key}: {str(error).removeprefix('strategies: ')}") from None
    if key == "strategies":
        twice = next((name for name in found if found.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"{key}: {twice} is named twice")
    if len(found) < least:
        raise UsageError(f"{key}: name at least {least}; given: {', '.join(found)}")
    return found


@dataclass(frozen=True)
class Played:
    """Several metrics of every strategy in every line-up, over the same blocks.

    labels    the K strategies; line_ups: L multisets of them as counts (K,)
    blocks    blocks played, games: games of all line-ups
    values    per line-up {label number: float64[B, metrics]}: the strategy's value by block (its mean is the ratio
              of the sums, its variance of the mean the linearised one)
    batches   float64[R, L, K, metrics, 2]: sums of top and bottom over R batches of neighbouring blocks; 0 where the
              strategy does not play. Tops are in units of the metric
    """

    scenario: Scenario
    labels: tuple[str, ...]
    metrics: tuple[Metric, ...]
    line_ups: tuple[Counts, ...]
    blocks: int
    games: int
    values: tuple[dict[int, Floats], ...]
    batches: Floats

    def holding(self, *strategies: int) -> list[int]:
        """The line-ups in which all of the strategies sit, and one more strategy at least."""
        return [
            i
            for i, counts in enumerate(self.line_ups)
            if all(counts[k] for k in strategies) and sum(count > 0 for count in counts) > 1
        ]

    def estimate(self, values: Floats | None, level: float = 0.95, n: int = 0) -> Estimate:
        """Mean over blocks of float64[B], from n observations, with its t interval; no estimate without values."""
        if values is None or not self.blocks:
            return mean(Moments(), level)
        return replace(mean(Moments.from_blocks(values), level), n=n)

    def observations(self, strategy: int, line_ups: Sequence[int], metric: int = 0) -> int:
        """Game-seats (or rounds, as the metric counts) of a strategy in some line-ups."""
        return int(self.batches[:, list(line_ups), strategy, metric, 1].sum())

    def value(self, line_up: int, strategy: int, metric: int = 0) -> Floats:
        """A strategy's values by block in a line-up."""
        return self.values[line_up][strategy][:, metric]

    def others(self, line_up: int, strategy: int, metric: int = 0) -> Floats:
        """The mean by block of all seats that other strategies hold in a line-up."""
        counts = self.line_ups[line_up]
        seats = {k: counts[k] for k in self.values[line_up] if k != strategy}
        total = sum(seats[k] * self.value(line_up, k, metric) for k in seats)
        return np.asarray(total / sum(seats.values()))


def play_all(
    base: Scenario,
    labels: Sequence[str],
    line_ups: Sequence[Counts],
    metrics: Sequence[Metric],
    blocks: int,
    *,
    threads: int | None = None,
    cache: Path | None = CACHE,
    progress: bool = False,
) -> Played:
    """Plays every line-up on the blocks 0 .. blocks-1 of `base`, which gives game, rules, seed and seatings.

    Raises `UsageError` for more than MOST_LINE_UPS, and what `sample` raises.
    """
    if len(line_ups) > MOST_LINE_UPS:
        raise UsageError(f"strategies: {len(line_ups):,} line-ups; at most {MOST_LINE_UPS:,}: name fewer strategies")
    scenarios = [base.model_copy(update={"strategies": members(labels, counts)}) for counts in line_ups]
    games = sum(len(designs.seatings(slots_of(one.strategies), one.seatings)[0]) for one in scenarios)
    with shown_progress(blocks * len(line_ups), progress) as told:
        samples = (sample(one, blocks, threads=threads, cache=cache, progress=told) for one in scenarios)
        sums = (
            {labels.index(label): _columns(played, slot, metrics) for slot, label in enumerate(played.labels)}
            for played in samples
        )  # one line-up at a time, so that no sample is held longer than needed
        return gather(base, labels, line_ups, metrics, blocks, blocks * games, sums)


def gather(
    base: Scenario,
    labels: Sequence[str],
    line_ups: Sequence[Counts],
    metrics: Sequence[Metric],
    blocks: int,
    games: int,
    sums: Iterable[Mapping[int, tuple[Floats, Floats]]],
) -> Played:
    """`Played` from the block sums of each line-up: {label number: (tops, bottoms)}, float64[B, metrics] each."""
    rows = min(blocks, BATCHES)
    edges = np.linspace(0, blocks, rows + 1).round().astype(np.int64)[:-1]
    batches = np.zeros((rows, len(line_ups), len(labels), len(metrics), 2))
    values: list[dict[int, Floats]] = []
    for i, line_up in enumerate(sums):
        values.append({k: by_block(*columns) for k, columns in line_up.items()})
        for k, columns in line_up.items():
            for side, column in enumerate(columns if rows else ()):
                batches[:, i, k, :, side] = np.add.reduceat(column, edges, axis=0)
    return Played(base, tuple(labels), tuple(metrics), tuple(line_ups), blocks, games, tuple(values), batches)


def members(labels: Sequence[str], counts: Counts) -> tuple[str, ...]:
    """A line-up as one name per seat."""
    return tuple(label for label, count in zip(labels, counts, strict=True) for _ in range(count))


def _columns(played: Sample, slot: int, metrics: Sequence[Metric]) -> tuple[Floats, Floats]:
    """Tops (in units) and bottoms of a strategy: float64[B, metrics] each."""
    index = [metric_index(played.scenario.row, metric.name) for metric in metrics]
    scales = np.array([metric.scale for metric in metrics], np.float64)
    return played.x[:, slot][:, index] / scales, played.n[:, slot][:, index].astype(np.float64)


def by_block(tops: Floats, bottoms: Floats) -> Floats:
    """(B, metrics): values by block whose mean is sum top / sum bottom, and whose variance is that of the ratio,
    linearised (Cochran, Sampling Techniques, ch. 6); with constant bottoms the block means. 0 without observations.
    """
    total = bottoms.sum(axis=0)
    if not len(tops):
        return tops
    if (bottoms == bottoms[0]).all():
        return np.asarray(tops / np.where(bottoms > 0, bottoms, 1.0))
    safe = np.where(total > 0, total, 1.0)
    ratio = tops.sum(axis=0) / safe
    return np.asarray(ratio + (tops - ratio * bottoms) * (len(tops) / safe))


def base_scenario(game: Game, strategy: str, *, blocks: int | None, games: int | None = None, **given: Any) -> Scenario:
    """A checked scenario in which one strategy has all seats: it carries rules, seed, seatings and blocks."""
    return scenario(game=game.id, strategies=[strategy], blocks=blocks, games=games, **given)


def ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tops over bottoms (last axis); 0 where there is nothing."""
    return np.asarray(sums[..., 0] / np.where(sums[..., 1] > 0, sums[..., 1], 1.0))
