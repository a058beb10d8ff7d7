"""Nil: the result rows. They are kept for some games and then written column by column: the columns lie far apart."""

from __future__ import annotations

from kernels.compile import device, outlined
from kernels.nil.rules import PLAYERS
from kernels.table import rank_of, write_game

#: columns of the result; rows that are kept until they are written together
COLUMNS, KEPT = 12, 16 * PLAYERS


@device
def keep_rows(view, state, place, truncated):
    """Keeps the game's rows, one per seat, at `place`."""
    fewest = view.totals[0]
    most = view.totals[0]
    for seat in range(1, PLAYERS):
        fewest = min(fewest, view.totals[seat])
        most = max(most, view.totals[seat])
    # a perfect game: decided while the pool was empty, which leaves all totals at 0
    perfect = state.taker >= 0 and fewest == most
    winners = 0
    for seat in range(PLAYERS):
        winners += view.totals[seat] == most
    winners = 1 if perfect else winners
    for seat in range(PLAYERS):
        total = view.totals[seat]
        rank = rank_of(view.totals, seat, PLAYERS)
        lost = total == fewest and fewest < most
        if perfect:
            rank = 1 if seat == state.taker else 2
            lost = seat != state.taker
        write_game(
            state.rows,
            place + seat,
            total,
            state.all_tricks[seat],
            state.trickless[seat],
            rank,
            60 // winners if rank == 1 else 0,
            lost,
            view.round,
            truncated,
        )
        state.rows[8, place + seat] = state.nils[seat]
        state.rows[9, place + seat] = state.hands_played
        state.rows[10, place + seat] = state.no_nil
        state.rows[11, place + seat] = state.length


@outlined
def write_rows(rows, count, games, row):
    """Writes `count` kept rows to `games`, from `row` on."""
    for k in range(COLUMNS):
        column = games[k, row : row + count]
        for i in range(count):
            column[i] = rows[k, i]
