"""Núlla: the kernel that plays a range of blocks."""

from __future__ import annotations

import numpy as np

from kernels import rng, rollout
from kernels.compile import device, entry
from kernels.draw import CARDS, address, apart, card_worth
from kernels.nulla.branching import deal_anew, list_moves
from kernels.nulla.plan import prepare
from kernels.nulla.planner import dp, dp_win
from kernels.nulla.state import (
    BLIND,
    CHAIN,
    DRAW,
    NO_CARD,
    PUT_BACK,
    TURN,
    aim,
    deal,
    set_rules,
    show,
    shuffle,
    swap,
    take_turn,
    total,
)
from kernels.nulla.strategies import PLANNERS, STRATEGIES
from kernels.strategy import decider
from kernels.table import ILLEGAL, LIMIT, TOO_LARGE, note, on_from, rank_of, stop, take_seats, write_game

#: the strategies that plan are large: beside the chain of the others they compile once, and stay out of its way
decide = decider([strategy.function for strategy in STRATEGIES if strategy.name not in PLANNERS])
NAMES = [strategy.name for strategy in STRATEGIES]
DP, DP_WIN = (NAMES.index(name) for name in PLANNERS)
dp_apart, dp_win_apart = apart(dp), apart(dp_win)

U = np.uint64

#: by strategy: which of its parameters is its memory (-1: none)
MEMORY = np.array(
    [
        next((k for k, parameter in enumerate(strategy.parameters) if parameter.name == "memory"), -1)
        for strategy in STRATEGIES
    ],
    np.int64,
)


@device
def play_turns(view, own, state, first, place, users, branch, log):
    """All turns of a game; `place` is the top of the stock in the deck. False if a seat made an illegal choice."""
    row = view.row
    two_words = row > 8
    limit = view.max_turns * view.players
    watched = state.watched
    turn = 0
    seat = first
    phase = TURN
    held = -1
    source = NO_CARD
    swaps = 0
    take_turn(view, state, seat)
    if view.pile == 0:
        held = np.int64(state.deck[place])
        place += 1
        phase = CHAIN
    while True:
        view.stock = CARDS - place
        if branch is not None and rollout.decision(view, 0, view.players, branch):
            held = deal_anew(view, state, branch, seat, held, place)
        aim(view, state, seat, phase, held, two_words)
        if branch is None or branch.due == 0 or branch.move == rollout.FREE:
            code = state.codes[U(seat)]
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
        more = abs(move)
        ends = move >= 0
        if phase == TURN:
            phase = CHAIN
            if move == DRAW:
                held = np.int64(state.deck[U(place)])
                place += 1
                continue
            if move >= BLIND:
                more = move - BLIND
                held = np.int64(state.deck[U(place)])
                place += 1
            else:
                if move == PUT_BACK and not view.take_must_swap:
                    more = 0
                view.pile -= 1
                held = np.int64(view.discards[U(view.pile)])
                source = held
                view.taken = 1
            if U(more) > U(row):
                state.illegal = move
                return False
        elif move > row - swaps or move < swaps - row:
            state.illegal = move
            return False
        if more > 0:
            held = swap(state, seat, held, swaps, more, two_words)
            swaps += more
        if not ends and swaps < row:
            view.swaps = swaps
            continue

        view.discards[U(view.pile)] = held
        view.pile += 1
        view.open |= U(1) << U(held)
        if watched:
            show(view, seat, turn, source, swaps, held, two_words)
        state.counts[U(seat)] += (swaps << 30) + view.taken
        note(log, 16 * view.taken + swaps)
        turn += 1
        view.turn = turn
        if place == CARDS or turn == limit:
            view.stock = CARDS - place
            return True
        seat = on_from(seat, 1, view.players)
        phase = TURN
        held = -1
        source = NO_CARD
        swaps = 0
        take_turn(view, state, seat)


@device
def write_rows(view, state, starter, games, row, rounds, round_row):
    """Fills the game's rows: one per seat, in `games` and, if wanted, in `rounds`."""
    players = view.players
    for seat in range(players):
        state.keys[seat] = -total(view, state, seat)
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
        write_game(games, row + seat, -state.keys[seat], 0, 0, rank, win60, lost, 1, view.stock > 0)
        place = on_from(seat, players - starter, players)
        games[8, row + seat] = (view.turn + players - 1 - place) // players
        games[9, row + seat] = state.counts[seat] >> 30
        games[10, row + seat] = state.counts[seat] & ((1 << 30) - 1)
        games[11, row + seat] = card_worth(view.worth, state.secrets[seat])
        games[12, row + seat] = winners > 1
        if rounds.shape[1] > 0:
            rounds[0, round_row + seat] = 0
            rounds[1, round_row + seat] = -state.keys[seat]
            rounds[2, round_row + seat] = 0
            for k in range(4):
                rounds[3 + k, round_row + seat] = games[8 + k, row + seat]


@device
def seat_strategies(view, state, lineup, seating, seats):
    """Puts the strategies of one seating into their seats, and notes what they need: memory, an eye on others."""
    take_seats(view, state, lineup, seating, seats)
    state.forgetful = 0
    state.watched = 0
    for seat in range(seats):
        state.memory[seat] = 1.0
        code = state.codes[seat]
        if code < 0 or code == DP_WIN:
            state.watched = 1
        if code >= 0 and MEMORY[code] >= 0:
            state.memory[seat] = view.params[seat, MEMORY[code]]
        if state.memory[seat] < 1.0:
            state.draws = 1
            state.forgetful = 1


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
        code = lineup.codes[slot, 0]
        if code == DP or code == DP_WIN:
            prepare(state.plan, view.worth, rules.row)
            view.plan = address(state.plan)
    wanted = rounds.shape[1] > 0
    row = 0
    round_row = 0
    for number in range(first, last):
        block = rollout.begin_game(branches, number)
        block_row = round_row
        for seating in range(lineup.seatings.shape[0]):
            if wanted and round_row + players > rounds.shape[1]:
                status[6] = block_row
                return number - first
            seat_strategies(view, state, lineup, seating, players)
            rollout.start(state.shuffle, seed, block, 0, rng.SHUFFLE, 0, branch)
            if state.draws:
                rollout.start_seats(view.lots, seed, block, 0, players, branch)
            starter = 0
            if rules.first_player == 1 or rules.first_dealer == 1:
                rollout.start(state.lots, seed, block, 0, rng.LOTS, 0, branch)
                starter = rng.below(state.lots, players)
            shuffle(state)
            place = deal(view, state)
            if log is not None:
                note(log, starter)
                for i in range(CARDS):
                    note(log, state.deck[i])
            if not play_turns(view, own, state, starter, place, users, branch, log):
                stop(status, ILLEGAL, block, seating, 0, view.seat, state.illegal)
                return number - first
            for seat in range(players):
                if state.counts[seat] >> 30 > LIMIT:
                    stop(status, TOO_LARGE, block, seating, 0, seat, 0)
                    return number - first
            write_rows(view, state, starter, games, row, rounds, round_row)
            if log is not None:
                note(log, -1)
                for seat in range(players):
                    note(log, -state.keys[seat])
            row += players
            if wanted:
                round_row += players
        status[6] = round_row
    return last - first
