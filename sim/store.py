"""The result folder: run.json, games/part-*.parquet, rounds/part-*.parquet, summary.parquet.

A part covers a fixed range of blocks and appears by rename only when it is whole; its bytes depend on the scenario
alone. The sums over its blocks (`Summary`) travel in its metadata, so a report reads of the rows only which block each
is of. With record "none" the sums of the whole run are in summary.parquet instead.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
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
from sim.files import KEPT, LEFT, replacing
from sim.games import Column, Game
from sim.scenario import Scenario
from sim.summary import Summary

FORMAT = "nullsim-run/1"
MARK = b"nullsim"
#: of the text under MARK, as Parquet has checksums of its pages alone
DIGEST = b"nullsim-sha256"
#: what decides a run's numbers; of the scenario all but how much is played
PROVENANCE = ("format", "scenario", "design", "seatings", "parts", "nullsim", "game_version", "kernels", "files")
AMOUNT = ("blocks", "target_error")
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


def identity(provenance: dict[str, Any]) -> dict[str, Any]:
    """A provenance without the amount played: a longer run begins with the same parts, byte for byte."""
    played = provenance["scenario"]
    if isinstance(played, dict):
        played = {key: value for key, value in played.items() if key not in AMOUNT}
    return {**provenance, "scenario": played}


def part_name(number: int) -> str:
    """The file of a part."""
    return f"part-{number:06d}.parquet"


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


def stored_columns(game: Game, kind: str = "games") -> list[str]:
    """The columns of `games` or `rounds` in order."""
    if kind == "rounds":
        return ["block", "seating", "seat", "strategy", *(one.name for one in game.all_round_columns if one.type)]
    own = [
        "win_share" if one.name == "win60" else one.name for one in game.game_columns if one.type or one.name == "win60"
    ]
    return ["block", "seating", "seat", "strategy", "team", *own]


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
    table = table.replace_schema_metadata({MARK: text, DIGEST: _digest(text)})
    dictionaries = [
        field.name for field in table.schema if pa.types.is_dictionary(field.type) or field.name == "win_share"
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as fresh:
            pq.write_table(
                table,
                fresh,
                compression="zstd",
                use_dictionary=dictionaries,
                write_statistics=["block"],
                write_page_checksum=True,
            )
            with open(fresh, "rb+") as file:
                os.fsync(file.fileno())
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def write_json(data: dict[str, Any], path: Path) -> None:
    """Writes a JSON file that appears only when whole. Raises `RunError` if the disk does not take it."""
    try:
        with replacing(path) as fresh:
            fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from None


@dataclass
class Folder:
    """A result folder being written. `made`: the folders that were made for it, outermost first."""

    path: Path
    engine: Engine
    replaced: Path | None = None
    made: list[Path] = field(default_factory=list)

    @classmethod
    def create(cls, path: Path, engine: Engine, overwrite: bool = False) -> Folder:
        """Makes the folder. Raises `UsageError` if it exists (and is not to be replaced) or cannot be made."""
        folder = cls(path, engine)
        try:
            if path.is_symlink():  # the link stays, and what it leads to is replaced
                path = folder.path = Path(os.path.realpath(path))
            if path.exists():
                if not overwrite:
                    raise UsageError(f"out: {path} exists; choose another folder, or --overwrite it")
                if not path.is_dir() or (any(path.iterdir()) and not (path / "run.json").is_file()):
                    raise UsageError(f"out: {path} is no result folder, so it is not overwritten")
                folder.replaced = path.rename(path.with_name(f".{path.name[:KEPT]}.{os.getpid()}.replaced"))
            for one in (*reversed(path.parents), path):
                if not one.is_dir():
                    one.mkdir(exist_ok=one != path)
                    folder.made.append(one)
        except (OSError, ValueError) as error:
            folder.discard()
            raise UsageError(f"out: cannot make {path}: {getattr(error, 'strerror', None) or error}") from None
        return folder

    def clear(self) -> None:
        """Removes what a run that was killed was writing."""
        for place in (self.path, self.path / "games", self.path / "rounds"):
            for file in place.glob(LEFT):
                with suppress(OSError):
                    file.unlink()

    def write_part(self, number: int, chunk: Chunk, summary: Summary) -> None:
        """Writes one part; the rounds first, so that a part of `games` means that both are there."""
        metadata = {**identity(provenance(self.engine)), "first": chunk.first, "last": chunk.last}
        if self.engine.scenario.record == "rounds":
            table = rounds_table(self.engine, chunk)
            write_parquet(table, self.path / "rounds" / part_name(number), metadata)
        metadata["sums"] = summary.to_json()
        table = games_table(self.engine, chunk)
        write_parquet(table, self.path / "games" / part_name(number), metadata)

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
        """Removes the folders that were made, as nothing whole came of the run; what was replaced is there again."""
        if self.path in self.made:
            shutil.rmtree(self.path, ignore_errors=True)
        for one in reversed(self.made):
            with suppress(OSError):  # of the parents only those in which nothing else is
                one.rmdir()
        self.made = []
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


def read_metadata(file: Path) -> dict[str, Any]:
    """The metadata of a file that `write_parquet` wrote. Raises `UsageError` for any other, and for one not whole."""
    try:
        found = pq.read_metadata(file).metadata or {}
        text = found.get(MARK)
        data = json.loads(text) if text else None
    except (OSError, pa.ArrowException, ValueError) as error:
        raise UsageError(f"{file} is broken: {first_line(error)}") from None
    if text is None or not isinstance(data, dict):
        raise UsageError(f"{file} was not written by nullsim")
    if found.get(DIGEST, _digest(text)) != _digest(text):
        raise UsageError(f"{file} is broken: its metadata is not what was written")
    return data


def first_line(error: BaseException) -> str:
    """The first line of an error, or what kind it is."""
    return next(iter(str(error).splitlines()), type(error).__name__)
