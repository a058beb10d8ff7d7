"""What the tests of the two draw-and-swap games share: a game played from a script, on a deck of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from kernels import rng
from kernels.draw import address, record_at
from kernels.strategy import MAX_PARAMS, Strategy

#: a move that is none in either game: it stops a scripted game
STOP = 10**6

SCRIPT = np.dtype([("next", np.int64), ("size", np.int64), ("moves", np.int64, (4096,))], align=True)


@numba.njit
def place_of(records):  # type: ignore[no-untyped-def]
    """Where the first of an array of records lies."""
    return address(records[0])


def reader(view: np.dtype[Any]) -> tuple[Any, Any]:
    """A user's function that plays the moves of a script and then stops the game; and the script."""
    script = np.zeros(1, SCRIPT)
    place = script.ctypes.data
    script_at = record_at(SCRIPT)

    @numba.cfunc(numba.int64(numba.from_dtype(view)))
    def read(own):  # type: ignore[no-untyped-def]
        record = script_at(place)
        if record.next >= record.size:
            return STOP
        record.next += 1
        return record.moves[record.next - 1]

    return read, script


def write(script: Any, moves: Sequence[int]) -> None:
    """Puts moves into a script."""
    script["next"] = 0
    script["size"] = len(moves)
    script["moves"][0, : len(moves)] = moves


def chooser(strategy: Strategy) -> Callable[..., int]:
    """Makes choose(views, parameters): what the strategy chooses on the first view, its lots always the same."""
    function = strategy.function

    @numba.njit
    def chosen(views):  # type: ignore[no-untyped-def]
        view = views[0]
        rng.start(view.lots[view.seat], np.uint64(1), 0, 0, rng.SEAT, view.seat)
        return np.int64(function(view))

    def choose(views: Any, parameters: Sequence[float] = ()) -> int:
        values = [parameter.default for parameter in strategy.parameters]
        values[: len(parameters)] = parameters
        views["params"][0, views["seat"][0]] = values + [0.0] * (MAX_PARAMS - len(values))
        return int(chosen(views))

    return choose


def card(name: str) -> int:
    """The integer of a card's name."""
    return 4 * "A23456789TJQK".index(name[1]) + "CSHD".index(name[0])


def cards(names: str) -> int:
    """The set of the named cards ("CA DK")."""
    return sum(1 << card(name) for name in names.split())
