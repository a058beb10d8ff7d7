"""The two ways a command can end badly; both are shown as one line."""

from __future__ import annotations


class UsageError(Exception):
    """What was asked for cannot be done as asked: names the key and the allowed values. Exit code 2.

    Not a ValueError, which validation libraries would take for their own.
    """


class RunError(RuntimeError):
    """A run failed while playing or writing. Exit code 1."""
