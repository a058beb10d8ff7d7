"""A stderr that ends nothing: what is said there is lost if nobody can take it, and the run goes on."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


class _Patient(io.FileIO):
    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(memoryview(data))


def install() -> None:
    """Replaces stderr, unless a caller of this process has put something of its own there."""
    if sys.stderr is not sys.__stderr__:
        return
    if sys.stderr is None:
        try:
            os.fstat(2)
        except OSError:  # or else the next file to be opened would be taken for stderr by the libraries
            null = os.open(os.devnull, os.O_WRONLY)
            if null != 2:
                os.dup2(null, 2)
                os.close(null)
    raw = _Patient(2 if sys.stderr is not None else os.open(os.devnull, os.O_WRONLY), "w", closefd=False)
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=True)
