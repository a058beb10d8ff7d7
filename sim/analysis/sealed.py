"""Parquet files that can be trusted: the name of each ends with a checksum of its bytes.

A file that was damaged since, by a disk or a hand, is noticed before anything in it is believed; what it held is made
anew.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pyarrow as pa

from sim import store
from sim.errors import RunError, UsageError

#: hexadecimal digits of the checksum
DIGITS = 16


def write(table: pa.Table, folder: Path, stem: str, metadata: dict[str, Any]) -> None:
    """Writes `folder`/STEM-CHECKSUM.parquet, which appears only when whole. Raises `RunError` if that fails."""
    fresh = folder / f".{stem}.parquet.{os.getpid()}.tmp"
    try:
        store.write_parquet(table, fresh, metadata)
        fresh.replace(folder / f"{stem}-{_checksum(fresh)}.parquet")
    except OSError as error:
        raise RunError(f"cannot write {folder}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


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


def make_folder(key: str, path: Path) -> None:
    """Makes a folder, unless it is there, and writes in it to see whether that is allowed.

    Raises `UsageError` naming `key`.
    """
    with naming(key, path):
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass


@contextmanager
def naming(key: str, path: Path) -> Iterator[None]:
    """Turns errors of the file system into a `UsageError` that names `key`; ValueError: what can be no file's name."""
    try:
        yield
    except FileExistsError:
        raise UsageError(f"{key}: {path} is a file; a folder is expected") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{key}: cannot write {str(path)!r}: {reason}") from None


def _checksum(file: Path) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=DIGITS // 2)).hexdigest()
