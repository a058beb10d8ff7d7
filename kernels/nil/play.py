"""Nil: the kernel that plays a range of blocks."""

from __future__ import annotations

import numpy as np

from kernels import rng, rollout
from kernels.compile import device, entry
from kernels.nil.rows import KEPT, keep_rows, write_rows
from kernels.nil.rules import HAND, PLAYERS
from kernels.nil.state import (
    CLUBS,
    DECK,
    EVERYBODY,
    POOL,
    deal,
    deal_anew,
    decided,
    score_hand,
    set_rules,
)
from kernels.nil.strategies import STRATEGIES
from kernels.strategy import decider
from kernels.table import ILLEGAL, TOO_LARGE, note, stop, take_seats, too_large
from kernels.tricks import kind_of, legal

decide = decider([strategy.function for strategy in STRATEGIES])

U = np.uint64


@device
def ask(view, own, code, users, branch):
    """The seat's card, or what it returned instead; -1 where only the moves were to be listed."""
    if branch is None or branch.due == 0 or branch.move == rollout.FREE:
        return decide(view, own, code, users)
    elif branch.move == rollout.LIST:
        branch.seat = view.seat
        branch.kind = kind_of(view)
        rollout.list_cards(branch, view.legal)
        return -1
    else:
        return branch.move


@device
def play_hand(view, own, state, first, users, branch, log):
    """One hand from the deal to its last trick: how many there were, 0 if a seat made an illegal choice."""
    deal(state)
    if log is not None:
        note(log, first)
        for seat in range(PLAYERS):
            note(log, state.hands[seat])
    for seat in range(PLAYERS):
        view.taken[seat] = 0
    if users is not None:
        for trick in range(HAND):  # nothing of the hand before may be left
            view.tricks[trick] = U(0)
            view.leaders[trick] = 0
    opened = U(0)
    voids = 0
    have = 0
    leader = first
    trick = 0
    view.open = U(0)
    view.voids = 0
    view.have = 0
    while trick < HAND and not decided(have, view.rivals):
        if users is not None:
            view.trick = trick
            view.leaders[trick] = leader
        suit = DECK
        view.suit = suit
        cards = U(0)
        led = 0
        strongest = -1  # card * 4 + seat of the winning card
        for position in range(PLAYERS):
            seat = (leader + position) & 3
            if branch is not None and rollout.decision(view, view.round, PLAYERS, branch):
                deal_anew(view, state, branch)
            hand = state.hands[seat]
            allowed = legal(hand, suit)
            view.seat = seat
            view.hand = hand
            view.legal = allowed
            view.position = position
            view.best = strongest >> 2
            view.winner = (strongest & 3) if position else -1
            card = ask(view, own, state.codes[seat], users, branch)
            bit = U(1) << U(card & 63)
            if card < 0 or card > 63 or allowed & bit == U(0):
                state.illegal = card
                return 0
            state.hands[seat] = hand ^ bit
            if position == 0:
                led = card & 3
                suit = CLUBS << U(led)
                view.suit = suit
            missed = np.int64(bit & suit == U(0))  # in numbers, since a branch would be mispredicted
            voids |= missed << (4 * seat + led)
            strongest = max(strongest, card * 4 + seat - (missed << 10))
            opened |= bit
            view.open = opened
            view.voids = voids
            if users is not None:
                cards |= U(card) << U(8 * position)
                view.tricks[trick] = cards
            note(log, card)
        leader = strongest & 3
        have |= 1 << leader
        view.have = have
        view.taken[leader] += 1
        trick += 1
    note(log, -1)
    return trick


@device
def count_hand(view, state, tricks, redeal):
    """Adds the hand just played to the sums of the game."""
    ordinary = 0 if redeal else 1
    for seat in range(PLAYERS):
        view.totals[seat] += state.points[seat]
        state.all_tricks[seat] += view.taken[seat]
        without = 1 - ((view.have >> seat) & 1)
        state.trickless[seat] += without
        state.nils[seat] += without & ordinary
    state.length += tricks
    state.hands_played += ordinary
    state.no_nil += ordinary if view.have == EVERYBODY else 0


@device
def write_round(view, state, rounds, row, first, redeal):
    """Fills the rows of the hand just played: one per seat."""
    for seat in range(PLAYERS):
        rounds[0, row + seat] = view.round
        rounds[1, row + seat] = state.points[seat]
        rounds[2, row + seat] = view.taken[seat]
        rounds[3, row + seat] = not redeal and view.taken[seat] == 0
        rounds[4, row + seat] = seat == first
        rounds[5, row + seat] = redeal


@device
def play_game(view, own, state, seed, block, users, branch, rounds, row, log):
    """One game. Returns (ended, truncated, next row of `rounds`); ended is False on an illegal choice.

    A next row of -1 says that the rounds did not fit.
    """
    for seat in range(PLAYERS):
        view.totals[seat] = 0
        state.all_tricks[seat] = 0
        state.trickless[seat] = 0
        state.nils[seat] = 0
    state.length = 0
    state.hands_played = 0
    state.no_nil = 0
    state.taker = -1
    view.pool = 0
    view.rivals = 0
    first = 0
    if view.first_dealer == 1:
        rollout.start(state.lots, seed, block, 0, rng.LOTS, 0, branch)
        first = rng.below(state.lots, PLAYERS)
    view.round = 0
    wanted = rounds.shape[1] > 0
    while True:
        if wanted and row + PLAYERS > rounds.shape[1]:
            return True, False, np.int64(-1)
        rollout.start(state.shuffle, seed, block, view.round, rng.SHUFFLE, 0, branch)
        if state.draws:
            rollout.start_seats(view.lots, seed, block, view.round, PLAYERS, branch)
        tricks = play_hand(view, own, state, first, users, branch, log)
        if tricks == 0:
            return False, False, row
        redeal = view.rivals != 0
        over = score_hand(view, state)
        count_hand(view, state, tricks, redeal)
        for seat in range(PLAYERS):
            note(log, state.points[seat])
        if wanted:
            write_round(view, state, rounds, row, first, redeal)
            row += PLAYERS
        first = (first + 1) & 3
        view.round += 1
        if over:
            return True, False, row
        if view.scoring == POOL:
            if view.round >= view.max_deals:
                return True, True, row
        elif view.round >= view.deals:
            return True, False, row


@entry
def play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status, branches):
    """Plays the blocks first..last-1 under every seating, as described in `kernels.table`."""
    view = views[0]
    own = views[1]
    state = states[0]
    branch = rollout.branch_of(branches)
    set_rules(view, rules)
    done = np.int64(0)  # rows written
    kept = np.int64(0)  # rows that are yet to be written
    round_row = np.int64(0)
    seatings = lineup.seatings.shape[0]
    for number in range(first, last):
        block = rollout.begin_game(branches, number)
        block_row = round_row
        for seating in range(seatings):
            if seatings > 1 or number == first:
                take_seats(view, state, lineup, seating, PLAYERS)
            ended, truncated, round_row = play_game(
                view, own, state, seed, block, users, branch, rounds, round_row, log
            )
            if not ended:
                stop(status, ILLEGAL, block, seating, view.round, view.seat, state.illegal)
            elif round_row >= 0 and too_large(view.totals, PLAYERS):
                stop(status, TOO_LARGE, block, seating, view.round, 0, 0)
                ended = False
            if not ended or round_row < 0:
                write_rows(state.rows, kept, games, done)
                status[6] = block_row
                return number - first
            keep_rows(view, state, kept, truncated)
            kept += PLAYERS
            if kept == KEPT:
                write_rows(state.rows, kept, games, done)
                done += kept
                kept = np.int64(0)
    write_rows(state.rows, kept, games, done)
    status[6] = round_row
    return last - first
