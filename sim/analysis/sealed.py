"""Parquet files that can be trusted: the name of each ends with a checksum of its bytes.

A file that was damaged since, by a disk or a hand, is noticed before anything in it is believed; what it held is made
anew.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from sim import store
from sim.errors import RunError, UsageError

#: hexadecimal digits of the checksum
DIGITS = 16


def write(table: pa.Table, folder: Path, stem: str, metadata: dict[str, Any]) -> None:
    """Writes `folder`/STEM-CHECKSUM.parquet, which appears only when whole. Raises `RunError` if that fails."""
    fresh = folder / f".{stem}.parquet.{os.getpid()}.tmp"
    store.write_parquet(table, fresh, metadata)
    try:
        fresh.replace(folder / f"{stem}-{_checksum(fresh)}.parquet")
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RunError(f"cannot write {folder}: {error.strerror}") from None


def read_metadata(file: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """The metadata of a file that is as it was written and was made by `identity`; None for any other.

    Warns of a damaged one and removes it.
    """
    try:
        if _checksum(file) == file.stem[-DIGITS:]:
            data = store.read_metadata(file)
            return data if data.get("identity") == identity else None
    except (UsageError, OSError):
        pass
    warnings.warn(f"{file} is damaged; what it held is played anew", stacklevel=2)
    with suppress(OSError):
        file.unlink()
    return None


def _checksum(file: Path) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=DIGITS // 2)).hexdigest()
