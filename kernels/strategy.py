"""The one strategy contract.

A strategy is a compiled function of a view. The view is a numpy record with named fields: what the player in that
seat may know, and nothing else. It returns an integer, the move; what moves are is said in each game's `state.py`.
Fields that every game's view has:

    seat     int64             the seat that is to move
    params   float64[seats,8]  the strategies' parameters, read with `param(view, k)` in the order of the table row
    lots     uint64[seats,4]   the seats' random streams, drawn from with `below(view, n)` and `unit(view)`

Of `params` and `lots` only the seat's own row may be used; a user's function sees the other rows as zeros. A strategy
must decide from the view alone, break ties by a stated rule or by lot, and keep nothing between calls.

Built-in strategies are rows of a table; `decider` compiles the table into one if-chain on an integer code. Large and
slow ones stand last in the table and are `outlined`; the chain tells the compiler that they are rare, so that the
small ones (`device`) do not pay for them. A user's function is called through a pointer, which would slow the built-in
ones of the same kernel, so the pointers are an argument that is None (and the call compiled away) when there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from kernels import rng
from kernels.compile import device, unlikely

MAX_PARAMS = 8

#: what a compiled user function returns when its body raised
RAISED = -(2**62)


#: fields every game's view begins with; SEATS is replaced by the game's largest number of seats
def common_fields(seats: int) -> list[tuple[Any, ...]]:
    """The dtype fields that every game's view has."""
    return [("seat", np.int64), ("params", np.float64, (seats, MAX_PARAMS)), ("lots", np.uint64, (seats, 4))]


@dataclass(frozen=True)
class Parameter:
    """A number that `name:param=value` sets."""

    name: str
    default: float
    low: float
    high: float
    meaning: str


@dataclass(frozen=True)
class Strategy:
    """A row of a game's table of strategies: id, compiled function of a view, one line, parameters.

    In a game of several parts `function` is a tuple with one function per part, None where the row lacks the part.

    `draws` must be true if the function ever draws lots; otherwise its random stream is not started.
    """

    name: str
    function: Any
    meaning: str
    parameters: tuple[Parameter, ...] = ()
    draws: bool = False


@device
def param(view, k):
    """Parameter k of the strategy of the seat to move."""
    return view.params[np.uint64(view.seat), k]


@device
def below(view, bound):
    """A uniformly random integer of 0..bound-1 from the stream of the seat to move."""
    return rng.below(view.lots[np.uint64(view.seat)], bound)


@device
def unit(view):
    """A uniformly random float64 of [0, 1) from the stream of the seat to move."""
    return rng.unit(view.lots[np.uint64(view.seat)])


@device
def _unknown(chosen, view):
    return RAISED


def chain(functions: Sequence[Callable[..., Any]], code: int = 0, favour_first: bool = False) -> Any:
    """Compiles `functions` into choose(code, view): the if-chain. An unknown code raises no error but RAISED.

    `code` is the first function's code; `favour_first` as in `decider`.
    """
    if not functions:
        return _unknown
    function, rest = functions[0], chain(functions[1:], code + 1)

    @device
    def choose(chosen, view):
        if unlikely(chosen != code) if favour_first else chosen != code:
            return rest(chosen, view)
        return np.int64(function(view))

    return choose


def chooser(functions: Sequence[Callable[..., Any]], favour_first: bool) -> Any:
    """Compiles `functions` into choose(code, view), with the `outlined` ones at the end of the table as the rare case.

    They are inlined like the others: a call in the kernel's loop, even one not taken, costs all strategies more.
    """
    near = len(functions)
    while near > 0 and not functions[near - 1].targetoptions.get("forceinline"):  # type: ignore[attr-defined]
        near -= 1
    if near == len(functions):
        return chain(functions, 0, favour_first)
    small, large = chain(functions[:near], 0, favour_first), chain(functions[near:], near)

    @device
    def choose(chosen, view):
        if unlikely(chosen >= near):
            return large(chosen, view)
        return small(chosen, view)

    return choose


@intrinsic
def copy_public(typing_context, target, source):  # type: ignore[no-untyped-def]
    """Copies a view over another but for the common fields, which it sets to zero: two calls of the machine's own."""
    seats, words = source.typeof("lots").shape
    common = source.offset("lots") + 8 * seats * words

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        kind = ir.IntType(64)
        to, start = (builder.ptrtoint(argument, kind) for argument in arguments)
        pointer = ir.IntType(8).as_pointer()
        cgutils.memset(builder, builder.inttoptr(to, pointer), ir.Constant(kind, common), 0)
        to, start = (builder.inttoptr(builder.add(x, ir.Constant(kind, common)), pointer) for x in (to, start))
        cgutils.raw_memcpy(builder, to, start, ir.Constant(kind, source.size - common), 1)
        return context.get_dummy_value()

    return types.none(target, source), generate


def decider(functions: Sequence[Callable[..., Any]], favour_first: bool = False) -> Any:
    """Compiles decide(view, own, code, users) -> move for a game's table of functions.

    `view` and `own` are records of the game's view; a code -1-u means the user's function `users[u]`, which sees
    `own`, a copy of the view without the other seats' random streams and parameters. `favour_first` tells the
    compiler that code 0 is the usual one: where it is the quickest of all it gains by that what the others lose.
    """
    choose = chooser(functions, favour_first)

    @device
    def decide(view, own, code, users):
        if users is None:
            return choose(code, view)
        else:
            if code >= 0:
                return choose(code, view)
            copy_public(own, view)
            seat = np.uint64(view.seat)
            own.seat = view.seat
            for k in range(MAX_PARAMS):
                own.params[seat, k] = view.params[seat, k]
            for k in range(4):
                own.lots[seat, k] = view.lots[seat, k]
            move = users[-1 - code](own)
            for k in range(4):
                view.lots[seat, k] = own.lots[seat, k]
            return move

    return decide
