"""Files that appear only when whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: characters of a name that its temporary keeps: with more the temporary's own could be too long for a file system
KEPT = 180
#: what the temporaries of a killed run are called
LEFT = ".*.tmp"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to: it becomes `path` when the block ends well, and goes when it does not."""
    fresh = path.with_name(f".{path.name[:KEPT]}.{os.getpid()}.tmp")
    try:
        yield fresh
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise
