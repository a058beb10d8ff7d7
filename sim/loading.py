"""Reading a result folder: what is not whole, not this program's or not of this run is named, and never counted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kernels.options import show
from sim import seatings as designs
from sim import store
from sim.errors import UsageError
from sim.scenario import Scenario, scenario, slots_of
from sim.summary import Summary

_PART = re.compile(r"part-(\d{6,18})\.parquet")

Blocks = NDArray[np.int64]
Count = Annotated[int, Field(ge=0)]


class Info(BaseModel):
    """What stands in run.json."""

    model_config = ConfigDict(strict=True)

    format: Literal["nullsim-run/1"]
    scenario: dict[str, Any]
    design: str
    seatings: list[list[int]]
    parts: Annotated[int, Field(ge=1)]
    nullsim: str
    game_version: int
    kernels: str
    files: dict[str, str]
    status: Literal["running", "done", "interrupted", "failed"]
    blocks_done: Count
    games: Count
    truncated: Count
    passed: Count
    wall_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    target_error_reached: bool | None = None


def read_info(path: Path) -> tuple[dict[str, Any], Scenario]:
    """The run.json of a result folder and its scenario. Raises `UsageError` naming what is broken."""
    file = path / "run.json"
    try:
        info = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(f"{path} is no result folder: there is no run.json in it") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file} is broken: no JSON") from None
    if not isinstance(info, dict) or info.get("format") != store.FORMAT:
        raise UsageError(f"{file}: format {store.FORMAT} is expected")
    try:
        Info.model_validate(info)
        played = scenario(**info["scenario"])
    except ValidationError as error:
        first = error.errors()[0]
        given = "" if first["type"] == "missing" else f"{show(first['input'])[:60]} is not allowed; "
        raise UsageError(
            f"{file} is broken: {'.'.join(map(str, first['loc']))}: {given}{first['msg'].lower()}"
        ) from None
    except (UsageError, TypeError) as error:
        raise UsageError(f"{file} is broken: scenario: {error}") from None
    rows, design = designs.seatings(slots_of(played.strategies), played.seatings)
    for key, value in (("seatings", rows.tolist()), ("design", design)):
        if info[key] != value:
            raise UsageError(f"{file} is broken: {key}: not those of the scenario's line-up")
    done, games = info["blocks_done"], info["games"]
    if games != done * len(rows):
        raise UsageError(f"{file} is broken: blocks_done, games: {done} blocks do not make {games} games")
    for key, most in (("blocks_done", played.blocks), ("truncated", games), ("passed", games)):
        if info[key] > most:
            raise UsageError(f"{file} is broken: {key}: {info[key]} is not allowed; at most {most} are possible")
    return info, played


def read(path: Path) -> tuple[dict[str, Any], Scenario, Summary]:
    """What a result folder holds: its run.json, scenario and sums.

    Raises `UsageError` naming what is broken, what is of another run, and for a folder without any of the blocks that
    were played.
    """
    info, played = read_info(path)
    done = info["blocks_done"]
    summary = Summary.empty(played.row, len(played.labels), played.seats)
    if played.record == "none":
        file = path / "summary.parquet"
        if file.exists():
            summary.merge(_sums(file, store.read_metadata(file), info, played))
            if summary.blocks > played.blocks or (info["status"] == "done" and summary.blocks != done):
                raise UsageError(f"{file} is broken: it holds {summary.blocks:,} blocks, {done:,} were played")
    else:
        for number, file in part_files(path):
            summary.merge(read_part(number, file, info, played)[1])
        if info["status"] == "done" and summary.blocks > done:
            raise UsageError(f"{path} is broken: its parts hold {summary.blocks:,} blocks, {done:,} were played")
    for key in ("truncated", "passed"):
        if summary.blocks == done and getattr(summary, key) != info[key]:
            told = f"{info[key]:,} is not allowed; the games played have {getattr(summary, key):,}"
            raise UsageError(f"{path / 'run.json'} is broken: {key}: {told}")
    if done and not summary.blocks:
        raise UsageError(f"{path} is broken: nothing is left of the {done:,} blocks that were played")
    return info, played, summary


def part_files(path: Path, kind: str = "games") -> Iterator[tuple[int, Path]]:
    """The parts of a result folder and their numbers, in the order of their blocks.

    Of `rounds` those of which there are games: a run that is killed may leave rounds alone. Raises `UsageError` for
    what is called a part and is none.
    """
    for file in sorted((path / "games").glob("part-*.parquet")):
        named = _PART.fullmatch(file.name)
        if named is None or file.name != store.part_name(int(named[1])):
            raise UsageError(f"{file} is no part of the run; move it elsewhere")
        yield int(named[1]), path / kind / file.name


def read_part(number: int, file: Path, info: dict[str, Any], played: Scenario) -> tuple[int, Summary]:
    """Where the blocks of a part end, and its sums. Raises `UsageError` if it is broken or no such part of the run."""
    data = store.read_metadata(file)
    sums = _sums(file, data, info, played)
    wanted = _blocks_of(number, file, data, info, played)
    if sums.blocks != len(wanted):
        raise UsageError(f"{file} is broken: it does not hold the sums of its blocks")
    if not np.array_equal(_block_column(file), np.repeat(wanted, len(info["seatings"]) * played.seats)):
        raise UsageError(f"{file} is broken: it does not hold the games of its blocks")
    if played.record == "rounds":
        rounds = file.parent.parent / "rounds" / file.name
        if not rounds.exists():
            raise UsageError(f"{rounds} is missing: the rounds of {file}")
        other = store.read_metadata(rounds)
        _check_run(rounds, other, info)
        if not np.array_equal(_blocks_of(number, rounds, other, info, played), wanted):
            raise UsageError(f"{rounds} is broken: it does not hold the rounds of {file}")
        if not np.array_equal(np.unique(_block_column(rounds)), wanted):
            raise UsageError(f"{rounds} is broken: it does not hold the rounds of its blocks")
    return int(data["last"]), sums


def _sums(file: Path, data: dict[str, Any], info: dict[str, Any], played: Scenario) -> Summary:
    """The sums in a file's metadata, those of whole blocks of this run."""
    _check_run(file, data, info)
    try:
        sums = Summary.from_json(played.row, len(played.labels), played.seats, data["sums"])
    except (KeyError, ValueError, TypeError):
        raise UsageError(f"{file} is broken: it does not hold the sums of its blocks") from None
    if sums.games != sums.blocks * len(info["seatings"]):
        raise UsageError(f"{file} is broken: it does not hold the games of its blocks")
    return sums


def _check_run(file: Path, data: dict[str, Any], info: dict[str, Any]) -> None:
    """Raises `UsageError` for a file that was not written by the run of `info`, however long that is."""
    found, wanted = (store.identity({key: one.get(key) for key in store.PROVENANCE}) for one in (data, info))
    if found != wanted:
        key = next(key for key in store.PROVENANCE if found[key] != wanted[key])
        if key == "scenario" and isinstance(found[key], dict):
            one, other = found[key], wanted[key]
            key = ", ".join(name for name in {**other, **one} if one.get(name) != other.get(name))
        raise UsageError(f"{file} is of another run: it was played with another {key}")


def _blocks_of(number: int, file: Path, data: dict[str, Any], info: dict[str, Any], played: Scenario) -> Blocks:
    """The blocks that a part says it holds. Raises `UsageError` unless they are those of its number."""
    first, last = (data.get(key) for key in ("first", "last"))
    start = number * info["parts"]
    if first != start or type(last) is not int or not start < last <= min(start + info["parts"], played.blocks):
        raise UsageError(f"{file} is broken: it holds the blocks {first} to {last}, which are not those of its number")
    return np.arange(first, last)


def _block_column(file: Path) -> Blocks:
    """The block of each row. Statistics in the footer would tell it too, but broken ones end the process."""
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as part:
            column: Blocks = part.read(["block"])["block"].to_numpy()
            return column
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise UsageError(f"{file} is broken: {store.first_line(error)}") from None


def read_rows(file: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a part. Raises `UsageError` naming it if it is broken or lacks a column."""
    try:
        lacking = set(columns or ()) - set(pq.read_schema(file).names)
        if lacking:
            raise UsageError(f"{file} is broken: there is no column {', '.join(sorted(lacking))}")
        return pq.read_table(file, columns=columns, page_checksum_verification=True)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise UsageError(f"{file} is broken: {store.first_line(error)}") from None
