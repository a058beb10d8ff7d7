"""Ctrl-C that is never lost: one swallowed by compiled code is remembered, a second one ends the process at once."""

from __future__ import annotations

import os
import signal
from typing import Any

_seen = False


def install() -> None:
    """Handles SIGINT for the command line: the first raises KeyboardInterrupt, the second ends the process (130)."""
    signal.signal(signal.SIGINT, _handle)


def check() -> None:
    """Raises KeyboardInterrupt if one was swallowed on its way (the compiler's callbacks ignore exceptions)."""
    if _seen:
        raise KeyboardInterrupt


def _handle(number: int, frame: Any) -> None:
    global _seen
    if _seen:
        os._exit(130)
    _seen = True
    raise KeyboardInterrupt
