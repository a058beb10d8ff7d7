"""Núlla: the kernel that plays a range of blocks."""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.compile import device, entry
from kernels.draw import CARDS, address, card_worth
from kernels.nulla.plan import prepare
from kernels.nulla.state import (
    CHAIN,
    DRAW,
    HISTORY,
    NO_CARD,
    PUT_BACK,
    TURN,
    aim,
    deal,
    discard,
    forget,
    set_rules,
    show,
    swap,
    swap_values,
    total,
)
from kernels.nulla.strategies import PLANNERS, STRATEGIES
from kernels.strategy import decider
from kernels.table import ILLEGAL, note, on_from, rank_of, stop, take_seats, write_game

# the strategies in reverse: the large ones at the end of the table then are compiled into fewer links of the chain
decide = decider([strategy.function for strategy in STRATEGIES[::-1]])

U = np.uint64

#: by strategy: which of its parameters is its memory (-1: none), and whether it needs the tables of plan.py
MEMORY = np.array(
    [
        next((k for k, parameter in enumerate(strategy.parameters) if parameter.name == "memory"), -1)
        for strategy in STRATEGIES
    ],
    np.int64,
)
PLANS = np.array([strategy.name in PLANNERS for strategy in STRATEGIES], np.bool_)


@device
def play_turns(view, own, state, first, place, users, log):
    """All turns of a game; `place` is the top of the stock in the deck. False if a seat made an illegal choice."""
    row = view.row
    two_words = row > 8
    turns_left = view.max_turns * view.players
    seat = first
    phase = TURN
    held = -1
    source = NO_CARD
    swaps = 0
    view.taken = 0
    view.swaps = 0
    if state.memory[seat] < 1.0:
        forget(view, state, seat)
    if view.pile == 0:
        held = np.int64(state.deck[place])
        place += 1
        view.stock -= 1
        phase = CHAIN
    while True:
        aim(view, state, seat, phase, held)
        move = decide(view, own, state.codes[seat], users)
        more = abs(move)
        ends = move >= 0
        if phase == TURN:
            if move == DRAW:
                held = np.int64(state.deck[place])
                place += 1
                view.stock -= 1
                phase = CHAIN
                continue
            if move == PUT_BACK and not view.take_must_swap:
                more = 0
            elif move > row or move < -row:
                state.illegal = move
                return False
            view.pile -= 1
            held = np.int64(view.discards[view.pile])
            source = held
            view.taken = 1
            phase = CHAIN
        elif move > row - swaps or move < swaps - row:
            state.illegal = move
            return False
        if more > 0:
            value = card_worth(view.worth, held)
            held = swap(state, seat, held, swaps, more, two_words)
            swap_values(state, seat, value, swaps, more)
            swaps += more
        if not ends and swaps < row:
            view.swaps = swaps
            continue

        discard(view, held)
        show(view, seat, source, swaps, two_words)
        view.reach[seat] = max(view.reach[seat], swaps)
        event = seat + 16 * view.taken + 256 * swaps + 65536 * held + 16777216 * source
        view.history[view.turn & (HISTORY - 1)] = event
        state.turns[seat] += 1
        state.swaps[seat] += swaps
        state.taken[seat] += view.taken
        view.turn += 1
        turns_left -= 1
        note(log, 16 * view.taken + swaps)
        if place == CARDS or turns_left == 0:
            return True
        seat = on_from(seat, 1, view.players)
        phase = TURN
        held = -1
        source = NO_CARD
        swaps = 0
        view.taken = 0
        view.swaps = 0
        if state.memory[seat] < 1.0:
            forget(view, state, seat)


@device
def write_rows(view, state, games, row, rounds, round_row):
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
        games[8, row + seat] = state.turns[seat]
        games[9, row + seat] = state.swaps[seat]
        games[10, row + seat] = state.taken[seat]
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
    """Puts the strategies of one seating into their seats, and notes how well they remember."""
    take_seats(view, state, lineup, seating, seats)
    for seat in range(seats):
        state.memory[seat] = 1.0
        code = state.codes[seat]
        if code >= 0:
            if MEMORY[code] >= 0:
                state.memory[seat] = view.params[seat, MEMORY[code]]
            state.codes[seat] = MEMORY.size - 1 - code
        if state.memory[seat] < 1.0:
            state.draws[seat] = 1


@entry
def play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status):
    """Plays the blocks first..last-1 under every seating, as described in `kernels.table`."""
    view = views[0]
    own = views[1]
    state = states[0]
    set_rules(view, rules)
    players = rules.players
    view.plan = 0
    for slot in range(lineup.codes.shape[0]):
        code = lineup.codes[slot, 0]
        if code >= 0 and PLANS[code]:
            prepare(state.plan, view.worth, rules.row)
            view.plan = address(state.plan)
    wanted = rounds.shape[1] > 0
    row = 0
    round_row = 0
    for block in range(first, last):
        block_row = round_row
        for seating in range(lineup.seatings.shape[0]):
            if wanted and round_row + players > rounds.shape[1]:
                status[6] = block_row
                return block - first
            seat_strategies(view, state, lineup, seating, players)
            rng.start(state.shuffle, seed, block, 0, rng.SHUFFLE, 0)
            for seat in range(players):
                if state.draws[seat]:
                    rng.start(view.lots[seat], seed, block, 0, rng.SEAT, seat)
            starter = 0
            if rules.first_player == 1 or rules.first_dealer == 1:
                rng.start(state.lots, seed, block, 0, rng.LOTS, 0)
                starter = rng.below(state.lots, players)
            place = deal(view, state)
            if log is not None:
                note(log, starter)
                for i in range(CARDS):
                    note(log, state.deck[i])
            if not play_turns(view, own, state, starter, place, users, log):
                stop(status, ILLEGAL, block, seating, 0, view.seat, state.illegal)
                return block - first
            write_rows(view, state, games, row, rounds, round_row)
            if log is not None:
                note(log, -1)
                for seat in range(players):
                    note(log, -state.keys[seat])
            row += players
            if wanted:
                round_row += players
        status[6] = round_row
    return last - first
