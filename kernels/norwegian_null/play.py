"""Null from Norway: the kernel that plays a range of blocks."""

from __future__ import annotations

import numpy as np

from kernels import rng, rollout
from kernels.compile import device, entry
from kernels.draw import ALL, CARDS, address, apart
from kernels.norwegian_null.branching import deal_anew, list_moves
from kernels.norwegian_null.plan import PLAN, prepare
from kernels.norwegian_null.planner import dp, dp_win
from kernels.norwegian_null.state import (
    DRAW,
    HISTORY,
    LAY,
    LOWEST_NULL,
    TURN,
    deal,
    next_starter,
    pick_null,
    set_rules,
    shuffle,
    sum_up,
)
from kernels.norwegian_null.strategies import PLANNERS, STRATEGIES
from kernels.strategy import decider
from kernels.table import ILLEGAL, LIMIT, TOO_LARGE, note, on_from, rank_of, stop, take_seats, write_game

#: the strategies that plan are large: beside the chain of the others they compile once, and stay out of its way
decide = decider([strategy.function for strategy in STRATEGIES if strategy.name not in PLANNERS])
NAMES = [strategy.name for strategy in STRATEGIES]
DP, DP_WIN = (NAMES.index(name) for name in PLANNERS)
dp_apart, dp_win_apart = apart(dp), apart(dp_win)

U = np.uint64

PLAN_SIZE = PLAN.itemsize


@device
def play_turns(view, own, state, bottom, users, branch, log):
    """All turns of a round; the stock are the cards of the deck from `bottom`. False after an illegal choice."""
    limit = view.max_turns * view.players
    free = U(0) if view.take_must_swap else ~U(0)  # masks the top card as one that may be put back
    place = CARDS - 1
    seat = view.first
    phase = LAY
    held = np.int64(state.deck[place])
    top = held
    view.stock -= 1
    seen = U(0)
    turn = 0
    while True:
        if branch is not None and rollout.decision(view, view.round, view.players, branch):
            held = deal_anew(view, state, branch, seat, held, bottom, place)
        s = U(seat)
        hand = state.hands[s]
        got = U(1) << U(held if phase == LAY else top)
        choices = hand | (got if phase == LAY else got & free)
        view.seat = seat
        view.phase = phase
        view.hand = hand
        view.held = held
        view.choices = choices
        view.unseen = ALL & ~(seen | hand | got)
        if branch is None or branch.due == 0 or branch.move == rollout.FREE:
            code = state.codes[s]
            if code == DP:
                move = dp_apart(view)
            elif code == DP_WIN:
                move = dp_win_apart(view)
            else:
                move = decide(view, own, code, users)
        elif branch.move == rollout.LIST:
            list_moves(view, branch)
            return False
        else:
            move = branch.move
        if phase == TURN and move == DRAW:
            place -= 1
            held = np.int64(state.deck[U(place)])
            view.stock -= 1
            phase = LAY
            continue
        laid = U(1) << U(move & 63)
        if U(move) >= U(CARDS) or choices & laid == U(0):
            state.illegal = move
            return False

        taken = np.int64(phase == TURN)
        state.hands[s] = (hand | got) ^ laid
        view.shown[s] = (view.shown[s] | (got & (U(0) - U(taken)))) & ~laid
        seen |= laid
        view.open = seen
        view.history[U(turn) & U(HISTORY - 1)] = move + 64 * taken
        state.counts[s] += (np.int64(laid != got) << 30) + taken
        note(log, move + 64 * taken)
        top = move
        view.top = top
        turn += 1
        view.turn = turn
        if place == bottom or turn == limit:
            return True
        seat = on_from(seat, 1, view.players)
        phase = TURN
        held = -1


@device
def play_round(view, own, state, seed, block, users, branch, log):
    """One round from the null rank to the sums; returns how many won it, -1 after an illegal choice."""
    players = view.players
    pick_null(view, state, seed, block, branch)
    if view.plan != 0:
        view.plan = address(state.plans) + (view.null - LOWEST_NULL) * PLAN_SIZE
        prepare(view.plan, view.worth, view.cards, players)
    rollout.start(state.shuffle, seed, block, view.round, rng.SHUFFLE, 0, branch)
    if state.draws:
        rollout.start_seats(view.lots, seed, block, view.round, players, branch)
    shuffle(state)
    bottom = deal(view, state)
    if log is not None:
        note(log, view.first)
        note(log, view.null)
        for seat in range(players):
            note(log, state.hands[seat])
            note(log, state.secrets[seat])
        note(log, CARDS - bottom)
        for i in range(CARDS - 1, bottom - 1, -1):
            note(log, state.deck[i])
    if not play_turns(view, own, state, bottom, users, branch, log):
        return -1
    for k in range(players):  # the k-th seat to play
        state.turns[on_from(view.first, k, players)] += (view.turn + players - 1 - k) // players
    winners = sum_up(view, state)
    if log is not None:
        note(log, -1)
        for seat in range(players):
            note(log, state.sums[seat])
    return winners


@device
def write_round(view, state, rounds, row):
    """Fills the rows of the round just played: one per seat."""
    players = view.players
    for k in range(players):
        seat = on_from(view.first, k, players)
        rounds[0, row + seat] = view.round
        rounds[1, row + seat] = state.sums[seat]
        rounds[2, row + seat] = 0
        rounds[3, row + seat] = view.cards_of[seat]
        rounds[4, row + seat] = state.lowest[seat]
        rounds[5, row + seat] = (view.turn + players - 1 - k) // players
        rounds[6, row + seat] = view.null


@device
def play_game(view, own, state, seed, block, users, branch, rounds, row, log):
    """One game. Returns (ended, truncated, next row of `rounds`); ended is False on an illegal choice.

    A next row of -1 says that the rounds did not fit.
    """
    players = view.players
    for seat in range(players):
        state.sizes[seat] = view.cards
        state.counts[seat] = 0
        state.turns[seat] = 0
        state.won[seat] = 0
        state.points[seat] = 0
        state.sole[seat] = 0
    view.round = 0
    view.null = 0
    view.first = 0
    if view.first_dealer == 1:
        rollout.start(state.lots, seed, block, 0, rng.LOTS, 1, branch)
        view.first = rng.below(state.lots, players)
    wanted = rounds.shape[1] > 0
    while True:
        if wanted and row + players > rounds.shape[1]:
            return True, False, np.int64(-1)
        winners = play_round(view, own, state, seed, block, users, branch, log)
        if winners < 0:
            return False, False, row
        if wanted:
            write_round(view, state, rounds, row)
            row += players
        out = False
        for seat in range(players):
            state.won[seat] += state.lowest[seat]
            state.points[seat] += state.sums[seat]
            if view.round == 0:
                state.sole[seat] = state.lowest[seat] * (winners == 1)
            if winners == 1 or view.round_tie != 1:
                state.sizes[seat] -= state.lowest[seat]
            out |= state.sizes[seat] == 0
        view.round += 1
        cut = view.stock > 0
        if cut or out:
            return True, cut, row
        if view.round >= view.max_rounds:
            return True, True, row
        view.first = next_starter(view, state, seed, block, branch)


@device
def write_rows(view, state, games, row, truncated):
    """Fills the game's rows: one per seat."""
    players = view.players
    for seat in range(players):
        state.keys[seat] = -state.sizes[seat]
    winners = 0
    last = 1
    for seat in range(players):
        rank = rank_of(state.keys, seat, players)
        winners += rank == 1
        last = max(last, rank)
    for seat in range(players):
        rank = rank_of(state.keys, seat, players)
        win60 = 60 // winners if rank == 1 else 0
        lost = rank == last and last > 1
        write_game(games, row + seat, state.sizes[seat], 0, 0, rank, win60, lost, view.round, truncated)
        games[8, row + seat] = state.sizes[seat]
        games[9, row + seat] = state.won[seat]
        games[10, row + seat] = state.turns[seat]
        games[11, row + seat] = state.counts[seat] >> 30
        games[12, row + seat] = state.counts[seat] & ((1 << 30) - 1)
        games[13, row + seat] = winners > 1
        games[14, row + seat] = state.sole[seat]
        games[15, row + seat] = state.sole[seat] * (rank == 1)
        games[16, row + seat] = state.points[seat]


@entry
def play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status, branches):
    """Plays the blocks first..last-1 under every seating, as described in `kernels.table`."""
    view = views[0]
    own = views[1]
    state = states[0]
    branch = rollout.branch_of(branches)
    set_rules(view, rules)
    players = rules.players
    view.plan = 0
    for slot in range(lineup.codes.shape[0]):
        if lineup.codes[slot, 0] == DP or lineup.codes[slot, 0] == DP_WIN:
            view.plan = address(state.plans)
    row = 0
    round_row = np.int64(0)
    for number in range(first, last):
        block = rollout.begin_game(branches, number)
        block_row = round_row
        for seating in range(lineup.seatings.shape[0]):
            take_seats(view, state, lineup, seating, players)
            ended, truncated, round_row = play_game(
                view, own, state, seed, block, users, branch, rounds, round_row, log
            )
            if not ended:
                stop(status, ILLEGAL, block, seating, view.round, view.seat, state.illegal)
                return number - first
            if round_row < 0:
                status[6] = block_row
                return number - first
            for seat in range(players):
                if state.turns[seat] > LIMIT:
                    stop(status, TOO_LARGE, block, seating, view.round, seat, 0)
                    return number - first
            write_rows(view, state, games, row, truncated)
            row += players
        status[6] = round_row
    return last - first
