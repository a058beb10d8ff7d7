"""The result folder: run.json, games/part-*.parquet, rounds/part-*.parquet, summary.parquet.

A part covers a fixed range of blocks and appears by rename only when it is whole; its bytes depend on the scenario
alone. The sums over its blocks (`Summary`) travel in its metadata, so a report reads no rows. With record "none"
the sums of the whole run are in summary.parquet instead.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kernels.compile import fingerprint
from sim.engine import Chunk, Engine
from sim.errors import RunError, UsageError
from sim.games import Column
from sim.scenario import Scenario, scenario
from sim.summary import Summary

FORMAT = "nullsim-run/1"
MARK = b"nullsim"
PART_ROWS = 2**19
#: of a run that may stop after any part
WATCHED_PART_ROWS = 2**14
TEAM_SIDES = "sides"


def blocks_per_part(engine: Engine) -> int:
    """Blocks of a part: about half a million rows of `games`, fewer where the run may stop after any part."""
    rows = PART_ROWS if engine.scenario.target_error is None else min(PART_ROWS, WATCHED_PART_ROWS)
    return max(1, rows // engine.rows_per_block)


def provenance(engine: Engine) -> dict[str, Any]:
    """Everything that decides a run's numbers: scenario, versions, fingerprints of kernels and user's files."""
    folder = Path(__file__).parent.parent / "kernels" / engine.game.id.replace("-", "_")
    return {
        "format": FORMAT,
        "scenario": engine.scenario.model_dump(mode="json"),
        "design": engine.design,
        "seatings": engine.seatings.tolist(),
        "parts": blocks_per_part(engine),
        "nullsim": version("nullsim"),
        "game_version": engine.game.version,
        "kernels": fingerprint(folder),
        "files": {player.label: player.digest for player in engine.players if player.digest},
    }


def _arrow(column: Column, values: NDArray[Any]) -> pa.Array:
    if column.labels:
        codes = pa.array(values.astype(np.int8))
        return pa.DictionaryArray.from_arrays(codes, pa.array(column.labels))
    kind = np.dtype(column.type)
    if kind != np.bool_ and values.size:
        limits = np.iinfo(kind)
        if values.min() < limits.min or values.max() > limits.max:
            raise RunError(f"column {column.name}: {values.max()} does not fit {column.type}; play shorter games")
    return pa.array(values.astype(kind))


def _team_count(rules: dict[str, Any]) -> int:
    """Number of teams, 0 without: "3x2" is three teams of two."""
    teams = str(rules.get("teams", "none"))
    return 0 if teams == "none" else int(teams.split("x")[0])


def games_table(engine: Engine, chunk: Chunk) -> pa.Table:
    """The rows of `games` of a chunk as stored."""
    seats, rows = engine.scenario.seats, chunk.games.shape[1]
    blocks = np.arange(chunk.first, chunk.last, dtype=np.int64)
    teams = _team_count(engine.scenario.rules)
    seat = np.tile(np.arange(seats, dtype=np.int8), rows // seats)
    slots = np.tile(engine.seatings.ravel(), len(blocks))
    columns: dict[str, pa.Array] = {
        "block": pa.array(np.repeat(blocks, engine.rows_per_block)),
        "seating": pa.array(np.tile(_repeated(engine), len(blocks))),
        "seat": pa.array(seat),
        "strategy": pa.DictionaryArray.from_arrays(pa.array(slots), pa.array(engine.scenario.labels)),
        "team": pa.array(seat % teams if teams else seat),
    }
    names = [column.name for column in engine.game.game_columns]
    for column in engine.game.game_columns:
        if column.type:
            columns[column.name] = _arrow(column, chunk.games[names.index(column.name)])
        elif column.name == "win60":
            columns["win_share"] = pa.array((chunk.games[names.index("win60")] / np.float32(60)).astype(np.float32))
    return pa.table(columns)


def _repeated(engine: Engine) -> NDArray[np.int16]:
    return np.repeat(np.arange(engine.games_per_block, dtype=np.int16), engine.scenario.seats)


def rounds_table(engine: Engine, chunk: Chunk) -> pa.Table:
    """The rows of `rounds` of a chunk: the keys of `games`, the round and that round's values."""
    seats = engine.scenario.seats
    names = [column.name for column in engine.game.game_columns]
    per_game = chunk.games[names.index("rounds"), ::seats]
    games = np.repeat(np.arange(per_game.size), per_game)
    block, seating = np.divmod(games, engine.games_per_block)
    seat = np.tile(np.arange(seats, dtype=np.int8), games.size)
    slots = engine.seatings[np.repeat(seating, seats), seat]
    columns: dict[str, pa.Array] = {
        "block": pa.array(np.repeat(block + chunk.first, seats)),
        "seating": pa.array(np.repeat(seating, seats).astype(np.int16)),
        "seat": pa.array(seat),
        "strategy": pa.DictionaryArray.from_arrays(pa.array(slots), pa.array(engine.scenario.labels)),
    }
    for k, column in enumerate(engine.game.all_round_columns):
        if column.type:
            columns[column.name] = _arrow(column, chunk.rounds[k])
    return pa.table(columns)


def write_parquet(table: pa.Table, path: Path, metadata: dict[str, Any]) -> None:
    """Writes a Parquet file that appears only when whole. Raises `RunError` if the disk does not take it."""
    text = json.dumps(metadata, sort_keys=True, separators=(",", ":")).encode()
    table = table.replace_schema_metadata({MARK: text})
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    dictionaries = [
        field.name for field in table.schema if pa.types.is_dictionary(field.type) or field.name == "win_share"
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, fresh, compression="zstd", use_dictionary=dictionaries, write_statistics=["block"])
        with open(fresh, "rb+") as file:
            os.fsync(file.fileno())
        fresh.replace(path)
    except (OSError, pa.ArrowException) as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise RunError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None


def write_json(data: dict[str, Any], path: Path) -> None:
    """Writes a JSON file that appears only when whole. Raises `RunError` if the disk does not take it."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RunError(f"cannot write {path}: {error.strerror}") from None


@dataclass
class Folder:
    """A result folder being written."""

    path: Path
    engine: Engine
    replaced: Path | None = None

    @classmethod
    def create(cls, path: Path, engine: Engine, overwrite: bool = False) -> Folder:
        """Makes the folder. Raises `UsageError` if it exists (and is not to be replaced) or cannot be made."""
        if path.exists():
            if not overwrite:
                raise UsageError(f"out: {path} exists; choose another folder, or --overwrite it")
            if path.is_dir() and any(path.iterdir()) and not (path / "run.json").is_file():
                raise UsageError(f"out: {path} is no result folder, so it is not overwritten")
        folder = cls(path, engine)
        try:
            if path.exists():
                folder.replaced = path.rename(path.with_name(f".{path.name}.{os.getpid()}.replaced"))
            path.mkdir(parents=True)
        except OSError as error:
            folder.discard()
            raise UsageError(f"out: cannot make {path}: {error.strerror}") from None
        return folder

    def write_part(self, number: int, chunk: Chunk, summary: Summary) -> None:
        """Writes one part; the rounds first, so that a part of `games` means that both are there."""
        metadata = {**provenance(self.engine), "first": chunk.first, "last": chunk.last}
        for key in ("blocks", "target_error"):  # a longer run begins with the same parts, byte for byte
            del metadata["scenario"][key]
        if self.engine.scenario.record == "rounds":
            table = rounds_table(self.engine, chunk)
            write_parquet(table, self.path / "rounds" / f"part-{number:06d}.parquet", metadata)
        metadata["sums"] = summary.to_json()
        table = games_table(self.engine, chunk)
        write_parquet(table, self.path / "games" / f"part-{number:06d}.parquet", metadata)

    def finish(self, status: str, summary: Summary, seconds: float, reached: bool | None = None) -> None:
        """Writes run.json (and summary.parquet): `status` is running, done, interrupted or failed.

        `reached`: whether the target error was reached, None without one.
        """
        data = {
            **provenance(self.engine),
            "status": status,
            "blocks_done": summary.blocks,
            "games": summary.games,
            "truncated": summary.truncated,
            "passed": summary.passed,
            "wall_seconds": round(seconds, 3),
        }
        if reached is not None:
            data["target_error_reached"] = reached
        if self.engine.scenario.record == "none" and summary.blocks:
            write_parquet(
                summary_table(self.engine.scenario, summary),
                self.path / "summary.parquet",
                {**provenance(self.engine), "sums": summary.to_json()},
            )
        write_json(data, self.path / "run.json")
        if self.replaced is not None and summary.blocks:
            shutil.rmtree(self.replaced, ignore_errors=True)
            self.replaced = None

    def discard(self) -> None:
        """Removes the folder, as nothing whole came of the run; what it was to replace is there again."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.replaced is not None:
            self.replaced.rename(self.path)
            self.replaced = None


def summary_table(scenario: Scenario, summary: Summary) -> pa.Table:
    """The sums as rows: metric, strategy, seat (null: over all), blocks, n, sum; products are in the metadata."""
    rows: list[dict[str, Any]] = []
    for metric in scenario.row.metrics:
        for slot in (*range(summary.slots), None):
            for seat in (*range(summary.seats), None):
                if slot is None and seat is None:
                    continue
                sums = summary.group(metric, slot, seat)
                if sums.n:
                    rows.append(
                        {
                            "metric": metric.name,
                            "strategy": None if slot is None else scenario.labels[slot],
                            "seat": seat,
                            "blocks": sums.used,
                            "n": sums.n,
                            "sum": float(sums.x) / metric.scale,
                            "mean": sums.ratio,
                            "variance_of_mean": sums.variance,
                        }
                    )
    return pa.Table.from_pylist(rows)


_RUN_KEYS = {"scenario": dict, "design": str, "seatings": list, "status": str, "blocks_done": int}


def read(path: Path) -> tuple[dict[str, Any], Scenario, Summary]:
    """What a result folder holds: its run.json, scenario and sums. Raises `UsageError` naming what is broken."""
    try:
        info = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(f"{path} is no result folder: there is no run.json in it") from None
    except ValueError:
        raise UsageError(f"{path / 'run.json'} is broken: no JSON") from None
    if not isinstance(info, dict) or info.get("format") != FORMAT:
        raise UsageError(f"{path / 'run.json'}: format {FORMAT} is expected")
    for key, kind in _RUN_KEYS.items():
        if not isinstance(info.get(key), kind):
            raise UsageError(f"{path / 'run.json'} is broken: {key} is missing or of the wrong kind")
    try:
        played = scenario(**info["scenario"])
    except (UsageError, TypeError) as error:
        raise UsageError(f"{path / 'run.json'} is broken: {error}") from None
    slots = len(played.labels)
    summary = Summary.empty(played.row, slots, played.seats)
    files = [path / "summary.parquet"] if played.record == "none" else sorted((path / "games").glob("part-*.parquet"))
    for file in files:
        if file.exists():
            try:
                summary.merge(Summary.from_json(played.row, slots, played.seats, read_metadata(file)["sums"]))
            except (KeyError, ValueError, TypeError):
                raise UsageError(f"{file} is broken: it does not hold the sums of its blocks") from None
    return info, played, summary


def read_metadata(file: Path) -> dict[str, Any]:
    """The metadata of a part. Raises `UsageError` for a file that is no whole Parquet file of this program."""
    try:
        text = (pq.read_schema(file).metadata or {}).get(MARK)
        data = json.loads(text) if text else None
    except (OSError, pa.ArrowException, ValueError) as error:
        raise UsageError(f"{file} is broken: {str(error).splitlines()[0]}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{file} was not written by nullsim")
    return data


def part_files(path: Path, kind: str = "games") -> Iterator[Path]:
    """The whole parts of a result folder, in the order of their blocks."""
    yield from sorted((path / kind).glob("part-*.parquet"))
