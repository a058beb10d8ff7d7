"""How far an analysis is: a bar on stderr that counts blocks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(blocks: int, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """A function to be told of blocks as they come; None unless `shown`. `blocks`: the most there can be, or 0."""
    if not shown or sys.stderr is None:
        yield None
        return
    from tqdm import tqdm

    tty = sys.stderr.isatty()
    with tqdm(
        total=blocks or None,
        unit=" blocks",
        unit_scale=True,
        file=sys.stderr,
        mininterval=0.2 if tty else 5.0,
        maxinterval=10.0,
        leave=False,
        dynamic_ncols=True,
    ) as bar:

        def told(count: int) -> None:
            bar.update(count)

        yield told
