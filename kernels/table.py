"""What every game's kernel is given and what it fills: line-ups, result columns, failures, the log of moves.

A kernel is called as

    play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status, branches) -> blocks played

`views` are two records of the game's VIEW and `states` one of its STATE, the kernel's working memory: the caller
owns it, since a record does not keep alive the array it lies in. The kernel plays the blocks first..last-1, each
under every seating. Game g of the call (seatings vary fastest) owns the rows g*seats .. g*seats+seats-1 of `games`,
an int32[columns, rows] array. `rounds` is filled the same way, row after row, and the kernel returns before a block
whose rounds would not fit (no rows at all: rounds are not wanted); status[6] is the number of its rows in use.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from kernels.compile import device
from kernels.strategy import MAX_PARAMS

#: seatings int8[S, seats]: slot of the line-up in each seat; codes int64[slots, parts]: a built-in strategy's place
#: in its game's table, or -1-u for user function u; params float64[slots, parts, 8]; draws bool[slots]: whether the
#: slot's strategy draws lots, so that its random stream must be started
Lineup = namedtuple("Lineup", ["seatings", "codes", "params", "draws"])

#: columns of `games` that every game has, in this order; a game's own follow
#: (win60: the seat's share of the win in sixtieths, 60 / number of winners, so that shares add up exactly)
COMMON_COLUMNS = ("score", "tricks", "trickless_rounds", "rank", "win60", "lost", "rounds", "truncated")
#: the same for `rounds`
COMMON_ROUND_COLUMNS = ("round", "score", "tricks")

#: status[0]: what stopped a kernel, then block, seating, round, seat, the value returned
FINE, ILLEGAL, TOO_LARGE = 0, 1, 2
STATUS_FIELDS = ("kind", "block", "seating", "round", "seat", "value")

LIMIT = 2**31 - 1


@device
def on_from(seat, steps, seats):
    """The seat `steps` <= seats places clockwise of `seat` (a division would cost ten times as much)."""
    other = seat + steps
    if other >= seats:
        other -= seats
    return other


@device
def stop(status, kind, block, seating, round_, seat, value):
    """Records why the run stops."""
    status[0] = kind
    status[1] = block
    status[2] = seating
    status[3] = round_
    status[4] = seat
    status[5] = value


@device
def take_seats(view, state, lineup, seating, seats):
    """Puts the strategies of one seating into their seats, for games whose strategies have one part."""
    state.draws = 0
    for seat in range(seats):
        slot = lineup.seatings[seating, seat]
        state.codes[seat] = lineup.codes[slot, 0]
        state.draws |= lineup.draws[slot]
        for k in range(MAX_PARAMS):
            view.params[seat, k] = lineup.params[slot, 0, k]


@device
def rank_of(totals, seat, seats):
    """1 + the number of seats with a higher total; ties share a rank."""
    rank = 1
    for other in range(seats):
        if totals[other] > totals[seat]:
            rank += 1
    return rank


@device
def too_large(totals, seats):
    """Whether a total does not fit the int32 of the result columns."""
    for seat in range(seats):
        if abs(totals[seat]) > LIMIT:
            return True
    return False


@device
def write_game(games, row, score, tricks, trickless_rounds, rank, win60, lost, rounds, truncated):
    """Fills the common columns of one row of `games`."""
    games[0, row] = score
    games[1, row] = tricks
    games[2, row] = trickless_rounds
    games[3, row] = rank
    games[4, row] = win60
    games[5, row] = lost
    games[6, row] = rounds
    games[7, row] = truncated


@device
def note(log, value):
    """Appends an int64 to the log of moves, if there is one. log[0] counts also what did not fit."""
    if log is not None:
        log[0] += 1
        if log[0] < log.size:
            log[log[0]] = np.int64(value)
