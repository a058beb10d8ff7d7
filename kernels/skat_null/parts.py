"""Skat Null: the parts of strategies, as the kernel asks them."""

from __future__ import annotations

import numpy as np

from kernels.compile import device
from kernels.skat_null.state import DECLARE, DEFEND, LAY_AWAY, PARTS, PLAY
from kernels.skat_null.strategies import STRATEGIES
from kernels.strategy import MAX_PARAMS, decider


def _chain(*parts):  # type: ignore[no-untyped-def]
    """The functions of some parts, each once, and int64[PARTS, rows]: where a row's part is among them.

    A part that a row lacks is put behind the last one, where a decider finds nothing.
    """
    functions = [row.function[part] for part in parts for row in STRATEGIES if row.function[part] is not None]
    functions = list(dict.fromkeys(functions))
    place = np.full((PARTS, len(STRATEGIES)), len(functions), np.int64)
    for part in parts:
        for code, row in enumerate(STRATEGIES):
            if row.function[part] is not None:
                place[part, code] = functions.index(row.function[part])
    return functions, place


DECLARE_FUNCTIONS, _DECLARE = _chain(DECLARE)
SKAT_FUNCTIONS, _SKAT = _chain(LAY_AWAY)
PLAY_FUNCTIONS, _PLAY = _chain(PLAY, DEFEND)
decide_declare = decider(DECLARE_FUNCTIONS)
decide_skat = decider(SKAT_FUNCTIONS)
decide = decider(PLAY_FUNCTIONS)

#: int64[PARTS, rows]: where a row's part is among the functions of its decider
PLACE = np.concatenate([_DECLARE[:LAY_AWAY], _SKAT[LAY_AWAY:PLAY], _PLAY[PLAY:]])
#: number of parameters by row
PARAMETERS = np.array([len(row.parameters) for row in STRATEGIES], np.int64)


@device
def seat_parts(view, state, seat, codes, params, slot):
    """Puts the parts of the strategy in a slot of the line-up into a seat.

    If parts do not agree in parameters, `take_part` has to change them.
    """
    filled = 0
    state.differ[seat] = 0
    for part in range(PARTS):
        code = codes[slot, part]
        state.codes[seat, part] = PLACE[part, code] if code >= 0 else code
        number = PARAMETERS[code] if code >= 0 else MAX_PARAMS
        state.numbers[seat, part] = number
        for k in range(number):
            state.params[seat, part, k] = params[slot, part, k]
            if k >= filled:
                view.params[seat, k] = params[slot, part, k]
            elif view.params[seat, k] != params[slot, part, k]:
                state.differ[seat] = 1
        filled = max(filled, number)


@device
def take_part(view, state, seat, part):
    """Makes `part` of the seat's strategy the one that is asked: its parameters into the view; returns its code."""
    if state.differ[seat]:
        for k in range(state.numbers[seat, part]):
            view.params[seat, k] = state.params[seat, part, k]
    return state.codes[seat, part]
