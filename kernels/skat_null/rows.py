"""Skat Null: the result rows.

They are kept for some deals and then written column by column: the columns lie far apart, and most follow from a few.
"""

from __future__ import annotations

import numpy as np

from kernels.compile import device, outlined
from kernels.skat_null.rules import PLAYERS
from kernels.table import note

#: rows that are kept until they are written together
KEPT = 64 * PLAYERS
ROWS = np.dtype([(name, np.int32, (KEPT,)) for name in ("scores", "tricks", "roles", "contracts", "wins")], align=True)

#: labels of the columns `role` and `contract`
DECLARER, DEFENDER, NO_ROLE = 0, 1, 2
NO_CONTRACT = 4


@device
def keep_rows(view, state, place, log):
    """Keeps the rows of the deal just played, one per seat, at `place`."""
    rows = state.rows
    declarer = view.declarer
    passed = declarer < 0
    won = not passed and state.lost == 0
    contract = NO_CONTRACT if passed else view.contract
    own = 0 if passed else (view.own_won[contract] if won else view.own_lost[contract])
    other = 0 if passed or won else 40 * view.scoring
    for seat in range(PLAYERS):
        declares = seat == declarer
        score = own if declares else other
        rows.scores[place + seat] = score
        rows.tricks[place + seat] = view.taken[seat]
        rows.roles[place + seat] = NO_ROLE if passed else (DECLARER if declares else DEFENDER)
        rows.contracts[place + seat] = contract
        rows.wins[place + seat] = won
        note(log, score)


@outlined
def write_rows(rows, count, games, rounds, row):
    """Writes `count` kept rows from `row` on: to `games` and, where rounds are wanted, to `rounds`."""
    scores, tricks, roles, contracts, wins = rows.scores, rows.tricks, rows.roles, rows.contracts, rows.wins
    end = row + count
    column = games[0, row:end]
    for i in range(count):
        column[i] = scores[i]
    column = games[1, row:end]
    for i in range(count):
        column[i] = tricks[i]
    column = games[2, row:end]
    for i in range(count):
        column[i] = tricks[i] == 0
    column = games[3, row:end]
    for i in range(count):
        column[i] = 1 if best(roles[i], wins[i]) else 3 - wins[i]
    column = games[4, row:end]
    for i in range(count):
        column[i] = (60 if roles[i] == DECLARER else 30) if best(roles[i], wins[i]) & (roles[i] != NO_ROLE) else 0
    column = games[5, row:end]
    for i in range(count):
        column[i] = not best(roles[i], wins[i])
    column = games[6, row:end]
    for i in range(count):
        column[i] = 1
    column = games[7, row:end]
    for i in range(count):
        column[i] = 0
    column = games[8, row:end]
    for i in range(count):
        column[i] = roles[i]
    column = games[9, row:end]
    for i in range(count):
        column[i] = contracts[i]
    column = games[10, row:end]
    for i in range(count):
        column[i] = wins[i]
    column = games[11, row:end]
    for i in range(count):
        column[i] = roles[i] == DECLARER
    column = games[12, row:end]
    for i in range(count):
        column[i] = (roles[i] == DECLARER) & (wins[i] == 1)
    column = games[13, row:end]
    for i in range(count):
        column[i] = scores[i] if roles[i] == DECLARER else 0
    column = games[14, row:end]
    for i in range(count):
        column[i] = roles[i] == DEFENDER
    column = games[15, row:end]
    for i in range(count):
        column[i] = scores[i] if roles[i] == DEFENDER else 0
    column = games[16, row:end]
    for i in range(count):
        column[i] = roles[i] == NO_ROLE
    for contract in range(4):
        column = games[17 + contract, row:end]
        for i in range(count):
            column[i] = (roles[i] == DECLARER) & (contracts[i] == contract)
    if rounds.shape[1] > 0:
        for i in range(count):
            rounds[0, row + i] = 0
            rounds[1, row + i] = scores[i]
            rounds[2, row + i] = tricks[i]
            rounds[3, row + i] = roles[i]
            rounds[4, row + i] = contracts[i]
            rounds[5, row + i] = wins[i]


@device
def best(role, won):
    """Whether a seat is first of the deal: it won, or all passed."""
    return (role == NO_ROLE) | ((role == DECLARER) == (won == 1))
