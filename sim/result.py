"""A run's results: in memory while the program lives, or a result folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from sim import loading, store
from sim.errors import UsageError
from sim.games import WIN_SHARE, Metric
from sim.scenario import Scenario, check_level
from sim.stats import Estimate, Joint, Moments, anytime, confidence_sequence, mean, proportion
from sim.summary import Summary

COLUMNS = ["metric", "unit", "estimate", "low", "high", "n", "blocks", "method", "note"]


def estimate(metric: Metric, moments: Moments, level: float = 0.95, watched: bool = False) -> Estimate:
    """A metric's estimate from its sums, with the interval that fits its kind; `watched`: valid at any time."""
    if watched:
        return confidence_sequence(moments, level)
    return proportion(moments, level) if metric.proportion else mean(moments, level)


def edge(metric: Metric, joint: Joint, slot: int, slots: int, level: float = 0.95) -> Estimate:
    """A strategy's mean minus that of all others in the same games, paired block by block."""
    from sim.stats import difference

    others = [other for other in range(slots) if other != slot]
    pooled = Joint(
        joint.blocks,
        (*joint.sums, sum(joint.sums[2 * k] for k in others), sum(joint.sums[2 * k + 1] for k in others)),
        _pooled_products(joint, others),
        (*joint.used, joint.blocks, max(joint.used[2 * k + 1] for k in others)),
        (*joint.scales, metric.scale, 1),
    )
    return difference(pooled, (2 * slot, 2 * slot + 1), (2 * slots, 2 * slots + 1), level)


def worst_error(played: Scenario, summary: Summary, level: float = 0.95) -> float | None:
    """The largest half-width of the win shares' anytime-valid intervals; None while there is one without.

    By strategy; where all seats have the same one, whose share is known, by seat.
    """
    several = summary.slots > 1
    sums = [
        summary.group(WIN_SHARE, **{"slot" if several else "seat": k})
        for k in range(summary.slots if several else summary.seats)
    ]
    halves = [confidence_sequence(one, level).half_width for one in sums]
    known = [half for half in halves if half is not None]
    return max(known) if len(known) == len(halves) else None


def _pooled_products(joint: Joint, others: Sequence[int]) -> tuple[tuple[Any, ...], ...]:
    """The products of a joint's columns and of two more: the others' summed tops and bottoms."""
    p = joint.products
    size = len(p)
    columns = [[2 * k for k in others], [2 * k + 1 for k in others]]
    wide = [[*row, *(sum(row[c] for c in pool) for pool in columns)] for row in p]
    for pool in columns:
        below = [sum(p[c][k] for c in pool) for k in range(size)]
        wide.append([*below, *(sum(p[a][b] for a in pool for b in other) for other in columns)])
    return tuple(tuple(row) for row in wide)


@dataclass(repr=False)
class Result:
    """What `sim.run` and `sim.load` return. `path` is the result folder (a temporary one if none was asked for)."""

    scenario: Scenario
    summary: Summary
    info: dict[str, Any]
    path: Path

    @property
    def watched(self) -> bool:
        """Whether the run could stop early, so that its intervals must be valid at any time."""
        return self.scenario.target_error is not None

    def __repr__(self) -> str:
        games = f"{self.summary.games:,} games, {self.summary.blocks:,} blocks"
        return f"<Result {self.scenario.game}: {', '.join(self.scenario.strategies)}; {games}; {self.path}>"

    def win_shares(self, level: float = 0.95) -> pd.DataFrame:
        """Win share by strategy: columns strategy, estimate, low, high, n (game-seats)."""
        table = self.metrics(by=("strategy",), names=("win_share",), level=level)
        return table[["strategy", "estimate", "low", "high", "n"]]

    def metrics(
        self, by: Sequence[str] = ("strategy",), names: Iterable[str] | None = None, level: float = 0.95
    ) -> pd.DataFrame:
        """Every metric of the game with its block-based interval, in long form.

        `by`: "strategy", "seat" or both come from the run's sums; any other stored column but "block" (such as
        "team" or "led_first") is grouped from the rows. Columns: the keys of `by`, then metric, unit, estimate, low,
        high, n, blocks, method, note. Raises `UsageError` for a column or metric that there is not.
        """
        check_level(level)
        chosen = self._chosen(names)
        if not by or len(set(by)) < len(by):
            raise UsageError("by: name at least one of strategy, seat or another column, each once")
        allowed = [name for name in store.stored_columns(self.scenario.row) if name != "block"]
        for key in by:
            if key not in allowed:
                raise UsageError(f"by: {key} is not allowed; allowed: {', '.join(allowed)}")
        if set(by) <= {"strategy", "seat"}:
            rows = self._from_sums(by, chosen, level)
        else:
            rows = self._from_rows(by, chosen, level)
        return pd.DataFrame(rows, columns=[*by, *COLUMNS])

    def edges(self, level: float = 0.95) -> pd.DataFrame:
        """Each strategy's lead over all others at the table, paired block by block, for win share and score."""
        check_level(level)
        labels = self.scenario.labels
        rows = [
            {"strategy": label, **_row(metric, self._edge(metric, k, level))}
            for metric in self._chosen(("win_share", "score"))
            for k, label in enumerate(labels)
            if len(labels) > 1
        ]
        return pd.DataFrame(rows, columns=["strategy", *COLUMNS])

    def _edge(self, metric: Metric, slot: int, level: float) -> Estimate:
        value = edge(metric, self.summary.joint(metric), slot, len(self.scenario.labels), level)
        return anytime(value, level) if self.watched else value

    def to_arrow(self, kind: str = "games", columns: Sequence[str] | None = None) -> pa.Table:
        """All rows of `games` (one per game and seat) or `rounds`.

        Raises `UsageError` if they were not recorded, are broken or have no such column.
        """
        files = [file for _, file in loading.part_files(self.path, kind)]
        if not files or not (self.path / kind).is_dir():
            raise UsageError(f"{self.path} holds no {kind}: it was recorded with record={self.scenario.record}")
        known = store.stored_columns(self.scenario.row, kind)
        for name in columns or ():
            if name not in known:
                raise UsageError(f"columns: {name} is not allowed; allowed: {', '.join(known)}")
        tables = [loading.read_rows(file, known if columns is None else columns) for file in files]
        try:
            return pa.concat_tables(tables)
        except pa.ArrowException as error:
            raise UsageError(f"{self.path} is broken: {store.first_line(error)}") from None

    def to_pandas(self, kind: str = "games", columns: Sequence[str] | None = None) -> pd.DataFrame:
        """As `to_arrow`, as a data frame."""
        frame: pd.DataFrame = self.to_arrow(kind, columns).to_pandas()
        return frame

    def _chosen(self, names: Iterable[str] | None) -> list[Metric]:
        metrics = {metric.name: metric for metric in self.scenario.row.metrics}
        for name in names or ():
            if name not in metrics:
                raise UsageError(f"metric: no metric {name}; metrics: {', '.join(metrics)}")
        return [metrics[name] for name in (names or metrics)]

    def _from_sums(self, by: Sequence[str], metrics: list[Metric], level: float) -> list[dict[str, Any]]:
        labels = self.scenario.labels
        rows = []
        for metric in metrics:
            for slot in range(len(labels)) if "strategy" in by else (None,):
                for seat in range(self.scenario.seats) if "seat" in by else (None,):
                    sums = self.summary.group(metric, slot, seat)
                    if sums.n == 0 and slot is not None and seat is not None:
                        continue  # a strategy that never sits there
                    keys = {"strategy": labels[slot] if slot is not None else None, "seat": seat}
                    rows.append({**keys, **_row(metric, estimate(metric, sums, level, self.watched))})
        return rows

    def _from_rows(self, by: Sequence[str], metrics: list[Metric], level: float) -> list[dict[str, Any]]:
        stored = {column.name for column in self.scenario.row.game_columns if column.type} | {"win60", "games"}
        metrics = [metric for metric in metrics if {metric.top, metric.bottom} <= stored]
        found: dict[Any, dict[str, Moments]] = {}
        for _, file in loading.part_files(self.path):
            self._group_part(file, by, metrics, found)
        if not found:
            raise UsageError(f"by: {', '.join(by)} needs rows of games, which {self.path} does not hold")
        rows = []
        for metric in metrics:
            for key in sorted(found, key=lambda key: [str(part) for part in key]):
                sums = found[key].get(metric.name, Moments())
                named = dict(zip(by, key, strict=True))
                rows.append({**named, **_row(metric, estimate(metric, sums, level, self.watched))})
        return rows

    def _group_part(
        self, file: Path, by: Sequence[str], metrics: list[Metric], found: dict[Any, dict[str, Moments]]
    ) -> None:
        columns = [name for metric in metrics for name in (metric.top, metric.bottom)]
        stored = {"block", "win_share", *by, *columns} - {"win60", "games"}
        frame = loading.read_rows(file, sorted(stored)).to_pandas()
        frame["win60"] = (frame["win_share"] * 60).round().astype("int64")
        frame["games"] = 1
        needed = sorted(set(columns))
        frame[needed] = frame[needed].astype("int64")
        blocks = frame["block"].nunique()
        sums = frame.groupby([*by, "block"], observed=True)[needed].sum()
        for key, part in sums.groupby(level=list(by), observed=True):
            kept = found.setdefault(key if isinstance(key, tuple) else (key,), {})
            missing = blocks - len(part)
            for metric in metrics:
                moments = Moments.from_blocks(
                    [*part[metric.top], *[0] * missing], [*part[metric.bottom], *[0] * missing], scale=metric.scale
                )
                kept[metric.name] = kept.get(metric.name, Moments(scale=metric.scale)) + moments


def _row(metric: Metric, value: Estimate) -> dict[str, Any]:
    return {
        "metric": metric.name,
        "unit": metric.unit,
        **{name: getattr(value, name) for name in ("estimate", "low", "high", "n", "blocks", "method", "note")},
    }


def _check_no_balance(path: Path) -> None:
    """Raises `UsageError` for the folder of a balance report, with where its page is."""
    if (path / "run.json").exists() or not (path / "data" / "asked.json").is_file():
        return
    page = path / "index.html"
    there = f"its page is {page}" if page.is_file() else "unfinished: nullsim balance with --resume goes on with it"
    raise UsageError(f"{path} is a balance report, not the results of a run; {there}")


def load(path: str | Path) -> Result:
    """The results in a folder. Raises `UsageError` if it is none or is broken."""
    _check_no_balance(Path(path))
    path = Path(path)
    info, played, summary = loading.read(path)
    return Result(played, summary, info, path)
