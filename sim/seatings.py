"""Which strategy sits where: the games of a block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MODES = ("orbit", "rotate", "fixed")

#: an orbit of more arrangements than this is replaced by a balanced design
LARGEST_ORBIT = 24


def seatings(slots: Sequence[int], mode: str) -> tuple[NDArray[np.int8], str]:
    """The seatings of a line-up and the name of the design.

    `slots[i]` is the strategy (numbered from 0) of the i-th place of the line-up; the result is int8[S, seats], the
    strategy in each seat. `fixed`: the line-up as it stands. `rotate`: its cyclic rotations. `orbit`: every distinct
    arrangement, the line-up itself first, or, where these are more than 24, the rows of a Williams square
    (E. J. Williams 1949; every place equally often in every seat and next to every other), named "williams".
    """
    seats = len(slots)
    if mode == "fixed":
        rows = [tuple(slots)]
    elif mode == "rotate":
        rows = [tuple(slots[(seat - k) % seats] for seat in range(seats)) for k in range(seats)]
    else:
        arrangements = _arrangements(sorted(slots))
        if arrangements is None:
            mode = "williams"
            rows = [tuple(slots[place] for place in row) for row in _williams(seats)]
        else:
            arrangements.remove(tuple(slots))
            rows = [tuple(slots), *arrangements]
    return np.array(rows, np.int8), mode


def _arrangements(slots: Sequence[int]) -> list[tuple[int, ...]] | None:
    """The distinct arrangements in lexical order; None if there are too many."""
    found: list[tuple[int, ...]] = []

    def extend(head: tuple[int, ...], rest: tuple[int, ...]) -> bool:
        if not rest:
            found.append(head)
            return len(found) <= LARGEST_ORBIT
        return all(
            extend((*head, slot), rest[: rest.index(slot)] + rest[rest.index(slot) + 1 :]) for slot in sorted(set(rest))
        )

    return found if extend((), tuple(slots)) else None


def _williams(n: int) -> list[tuple[int, ...]]:
    """The rows of a Williams design: n of them for even n, 2n for odd n."""
    first = [0]
    for k in range(1, n):
        first.append((k + 1) // 2 if k % 2 else n - k // 2)
    square = [tuple((place + shift) % n for place in first) for shift in range(n)]
    return square if n % 2 == 0 else square + [row[::-1] for row in square]
