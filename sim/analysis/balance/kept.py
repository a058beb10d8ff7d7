"""Results of the stages that are no line-ups, kept as Parquet beside the blocks of line-ups: data, and resumption.

A file holds arrays with one row per block (or strategy); what decided its numbers is in its metadata, and a file that
was made by anything else is made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim import store
from sim.analysis import sealed
from sim.analysis.blocks import Progress
from sim.analysis.selfplay import SelfPlay, selfplay
from sim.engine import Engine
from sim.scenario import Scenario

Arrays = Mapping[str, NDArray[Any]]


def kept(
    folder: Path | None, stage: str, base: Scenario, labels: tuple[str, ...], how: Mapping[str, Any],
    make: Callable[[], Arrays],
) -> Arrays:  # fmt: skip
    """The arrays of a stage: read from `folder` if the same scenario made them in the same way (`how`), else made."""
    if folder is None:
        return make()
    identity = store.provenance(Engine(base, labels))
    for key in ("blocks", "target_error", "record"):
        del identity["scenario"][key]
    identity = json.loads(json.dumps({**identity, "stage": stage, "labels": labels, "how": dict(how)}))
    name = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
    for file in folder.glob(f"{stage}-{name}-*.parquet"):
        data = sealed.read_metadata(file, identity)
        if data is not None:
            return _read(file, data["shapes"])
    found = make()
    _write(folder, f"{stage}-{name}", identity, found)
    return found


def kept_selfplay(
    folder: Path | None, scenario: Scenario, games: int, *, threads: int | None, progress: Progress | None
) -> SelfPlay:
    """Self-play as `selfplay` has it, kept."""

    def make() -> Arrays:
        return selfplay(scenario, games, threads=threads, progress=progress).sums

    return SelfPlay(scenario, 0, games, kept(folder, "self-play", scenario, scenario.labels, {"games": games}, make))


def _read(file: Path, shapes: Mapping[str, list[int]]) -> Arrays:
    table = pq.read_table(file)
    arrays = {}
    for name in table.column_names:
        if shapes[name]:
            flat = pa.array(table[name].combine_chunks()).flatten().to_numpy()
            arrays[name] = np.asarray(flat).reshape(len(table), *shapes[name])
        else:
            arrays[name] = table[name].to_numpy()
    return arrays


def _write(folder: Path, stem: str, identity: dict[str, Any], arrays: Arrays) -> None:
    columns: dict[str, Any] = {}
    for name, values in arrays.items():
        flat = pa.array(np.ascontiguousarray(values).reshape(-1))
        each = int(np.prod(values.shape[1:]))
        columns[name] = flat if values.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, each)
    shapes = {name: list(values.shape[1:]) for name, values in arrays.items()}
    sealed.write(pa.table(columns), folder, stem, {"identity": identity, "shapes": shapes})
