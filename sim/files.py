"""Files that appear only when whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
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


def write_together(texts: Mapping[Path, str]) -> None:
    """Writes texts to files, none of which is replaced before all are written. Raises OSError if that fails."""
    with ExitStack() as stack:
        for path, text in texts.items():
            stack.enter_context(replacing(path)).write_text(text, encoding="utf-8", newline="\n")
