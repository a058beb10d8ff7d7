"""The figures of a run: the strategies' leads, the seats' advantage, the scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim import loading
from sim.errors import UsageError
from sim.report.document import Figure
from sim.report.figures import distributions, forest, seat_dots
from sim.result import Result

#: rows of `games` read at a time
BATCH = 2**17


def figures_of(result: Result, metrics: Iterable[str] | None = None, prefix: str = "") -> list[Figure]:
    """The figures that a run gives rise to, of `metrics` only if given; `prefix` goes before their names.

    Leads where strategies differ; seats where every strategy sat in each equally often and the shares of a game's win
    add up to one; scores where games are stored. Raises `UsageError` for a broken file of games.
    """
    wanted = {"win_share", "score"} if metrics is None else set(metrics)
    figures = []
    for metric, name in (("win_share", "win share"), ("score", "score")):
        if metric in wanted and len(result.scenario.labels) > 1:
            figures.append(_leads(result, metric, name, prefix))
    if "win_share" in wanted and seats_compare(result):
        figures.append(_seats(result, prefix))
    if "score" in wanted:
        histograms = score_counts(result)
        if histograms:
            unit = next(metric.unit for metric in result.scenario.row.metrics if metric.name == "score")
            figures.append(distributions(f"{prefix}scores", "Final scores by strategy", histograms, unit))
    return figures


def _leads(result: Result, metric: str, name: str, prefix: str) -> Figure:
    edges = result.edges()
    rows = [
        (row["strategy"], row["estimate"], row["low"], row["high"], decided(row["low"], row["high"]))
        for row in edges[edges["metric"] == metric].to_dict("records")
    ]
    title = f"Lead in {name} over all others in the same games, 95 % intervals"
    unit = str(edges.loc[edges["metric"] == metric, "unit"].iloc[0])
    return forest(f"{prefix}lead-{metric.replace('_', '-')}", title, rows, unit, f"lead in {name}")


def decided(low: float | None, high: float | None) -> str:
    """ "different" where an interval leaves out 0, else "undecided".

    To find strategies equivalent takes a margin, and a run has none.
    """
    known = low is not None and high is not None and not math.isnan(low) and not math.isnan(high)
    return "different" if known and (low > 0 or high < 0) else "undecided"  # type: ignore[operator]


def seats_compare(result: Result) -> bool:
    """Whether the win shares by seat, less one over the number of seats, tell about the seats alone."""
    scenario, seatings = result.scenario, np.asarray(result.info["seatings"])
    counts = [np.bincount(column, minlength=len(scenario.labels)).tolist() for column in seatings.T]
    if any(count != counts[0] for count in counts):
        return False  # some strategy sat more often here than there
    shares = [row["estimate"] for row in _by_seat(result)]
    return all(share is not None for share in shares) and math.isclose(sum(shares), 1, abs_tol=1e-9)


def _by_seat(result: Result) -> list[dict[Any, Any]]:
    return result.metrics(by=["seat"], names=["win_share"]).to_dict("records")


def _seats(result: Result, prefix: str) -> Figure:
    scenario = result.scenario
    who, fair = " and ".join(scenario.labels), 1 / scenario.seats
    if len(scenario.labels) > 2:
        who = "all strategies"
    rows = [
        (who, row["seat"], row["estimate"] - fair, *(None if row[end] is None else row[end] - fair for end in _ENDS))
        for row in _by_seat(result)
    ]
    title = f"Win share by seat, less the fair 1/{scenario.seats}, 95 % intervals"
    return seat_dots(f"{prefix}seats", title, rows, "share")


_ENDS = ("low", "high")


def score_counts(result: Result) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """By strategy the final scores that occurred, ascending, and how often: int64[V], int64[V]; {} without games.

    Reads two columns of the stored games, a batch at a time. Raises `UsageError` for a broken file.
    """
    counts: dict[str, Counter[int]] = {label: Counter() for label in result.scenario.labels}
    for _, file in loading.part_files(result.path):
        try:
            with pq.ParquetFile(file, page_checksum_verification=True) as part:
                for batch in part.iter_batches(BATCH, columns=["strategy", "score"]):
                    _count(batch, counts)
        except (OSError, pa.ArrowException, KeyError) as error:
            raise UsageError(f"{file} is broken: {str(error).splitlines()[0]}") from None
    return {
        label: (np.array(sorted(count), np.int64), np.array([count[key] for key in sorted(count)], np.int64))
        for label, count in counts.items()
        if count
    }


def _count(batch: pa.RecordBatch, counts: dict[str, Counter[int]]) -> None:
    column, scores = batch.column("strategy"), batch.column("score").to_numpy()
    if not isinstance(column, pa.DictionaryArray):
        column = column.dictionary_encode()
    codes = column.indices.to_numpy()
    for code, label in enumerate(column.dictionary.to_pylist()):
        values, times = np.unique(scores[codes == code], return_counts=True)
        counts[label].update(dict(zip(values.tolist(), times.tolist(), strict=True)))
