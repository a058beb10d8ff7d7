"""Skat Null: the kernel that plays a range of blocks. A game is one deal."""

from __future__ import annotations

import numpy as np

from kernels import rng, rollout
from kernels.compile import device, entry
from kernels.skat_null.declare import declare
from kernels.skat_null.parts import decide, seat_parts, take_part
from kernels.skat_null.rows import KEPT, keep_rows, write_rows
from kernels.skat_null.rules import HAND, PLAYERS
from kernels.skat_null.state import (
    BEST,
    CLUBS,
    DECK,
    DEFEND,
    NULL_OUVERT,
    PLAY,
    RANDOM,
    ROTATE,
    deal,
    deal_anew,
    deal_fitting,
    set_rules,
)
from kernels.table import ILLEGAL, note, on_from, stop
from kernels.tricks import kind_of, legal

U = np.uint64

#: kinds of decisions in play, as the game's row names them, of which `kind_of` makes three each
LEAD_AS_DECLARER, LEAD_AS_DEFENDER = 3, 6


@device
def ask(view, own, code, users, branch):
    """The seat's card, or what it returned instead; LIST where only the moves were to be listed."""
    if branch is None or branch.due == 0 or branch.move == rollout.FREE:
        return np.int64(decide(view, own, code, users))
    elif branch.move == rollout.LIST:
        branch.seat = view.seat
        branch.kind = (LEAD_AS_DECLARER if view.phase == PLAY else LEAD_AS_DEFENDER) + kind_of(view)
        rollout.list_cards(branch, view.legal)
        return rollout.LIST
    else:
        return branch.move


@device
def play_tricks(view, own, state, users, branch, log):
    """The tricks, from forehand's lead to the end; False if a seat made an illegal choice."""
    declarer = view.declarer
    shown = view.contract >= NULL_OUVERT
    view.shown = state.hands[declarer] if shown else U(0)
    away = state.away
    view.away = U(0)
    opened = U(0)
    voids = 0
    leader = 0
    lost = 0
    trick = 0
    while trick < HAND:
        if users is not None:
            view.trick = trick
            view.leaders[trick] = leader
        suit = DECK
        cards = U(0)
        led = 0
        strongest = -1  # card * 4 + seat of the winning card
        for position in range(PLAYERS):
            seat = on_from(leader, position, PLAYERS)
            if branch is not None and rollout.decision(view, 0, PLAYERS, branch):
                deal_anew(view, state, seat, branch)
                away = state.away
            hand = state.hands[seat]
            allowed = legal(hand, suit)
            defends = np.int64(seat != declarer)
            view.seat = seat
            view.phase = PLAY + defends
            view.hand = hand
            view.legal = allowed
            if away:
                view.away = U(0) if defends else away
            view.position = position
            view.suit = suit
            view.best = strongest >> 2
            view.winner = (strongest & 3) if position else -1
            card = ask(view, own, state.playing[seat], users, branch)
            bit = U(1) << U(card & 63)
            if card < 0 or card > 63 or allowed & bit == U(0):
                state.illegal = card
                return False
            state.hands[seat] = hand ^ bit
            if position == 0:
                led = card >> 3
                suit = CLUBS << U(8 * led)
            missed = np.int64(bit & suit == U(0))  # in numbers, since a branch would be mispredicted
            voids |= missed << (4 * seat + led)
            strongest = max(strongest, card * 4 + seat - (missed << 10))
            opened |= bit
            view.open = opened
            view.voids = voids
            if users is not None:
                cards |= U(card) << U(8 * position)
                view.tricks[trick] = cards
            if shown:
                view.shown = view.shown & ~bit
            note(log, card)
        leader = strongest & 3
        view.taken[leader] += 1
        trick += 1
        if leader == declarer:
            lost = 1
            if view.stop_on_loss:
                break
    state.lost = lost
    return True


@device
def may_declare(view, state, seed, block, branch):
    """The seats that may declare, as first and last + 1."""
    if view.may_declare == BEST:
        return np.int64(0), np.int64(PLAYERS)
    if view.may_declare == ROTATE:
        seat = np.int64(block) % 3
    elif view.may_declare == RANDOM:
        rollout.start(state.lots, seed, block, 0, rng.LOTS, 0, branch)
        seat = rng.below(state.lots, PLAYERS)
    else:
        seat = view.may_declare - 1
    return seat, seat + 1


@device
def deal_block(view, state, seed, block, draws, branch):
    """Deals the cards of a block and, where lots are drawn, starts the seats' streams. All its seatings share them.

    Returns the seats that may declare, as first and last + 1.
    """
    first, last = may_declare(view, state, seed, block, branch)
    rollout.start(state.shuffle, seed, block, 0, rng.SHUFFLE, 0, branch)
    if (view.hand_must | view.hand_not) == 0:
        deal(state)
    else:
        deal_fitting(state, first, U(view.hand_must), U(view.hand_not))
    if draws:
        rollout.start_seats(view.lots, seed, block, 0, PLAYERS, branch)
    return first, last


@device
def set_aside(view, state):
    """Keeps what `deal_block` has made, for further seatings."""
    for seat in range(PLAYERS):
        state.dealt[seat] = state.hands[seat]
        for k in range(4):
            state.fresh[seat, k] = view.lots[seat, k]
    state.dealt[PLAYERS] = state.skat


@device
def take_back(view, state):
    """Puts back what was set aside."""
    for seat in range(PLAYERS):
        state.hands[seat] = state.dealt[seat]
        for k in range(4):
            view.lots[seat, k] = state.fresh[seat, k]
    state.skat = state.dealt[PLAYERS]


@device
def play_deal(view, own, state, first, last, users, branch, log):
    """One deal under one seating; the seats first..last-1 may declare. False if a seat made an illegal choice."""
    for seat in range(PLAYERS):
        view.taken[seat] = 0
    if users is not None:
        for trick in range(HAND):  # nothing of the deal before may be left
            view.tricks[trick] = U(0)
            view.leaders[trick] = 0
        view.leaders[HAND] = 0
        view.trick = 0
    state.away = U(0)
    state.lost = 0
    view.open = U(0)
    view.shown = U(0)
    view.voids = 0
    view.position = 0
    view.suit = DECK
    view.best = -1
    view.winner = -1
    if log is not None:
        for seat in range(PLAYERS):
            note(log, state.hands[seat])
        note(log, state.skat)
    if view.playable == 0:  # no contract is worth the bid
        view.declarer = -1
        view.contract = -1
        note(log, -1)
        return True
    if not declare(view, own, state, first, last, users, branch, log):
        return False
    if view.declarer < 0:
        return True
    for seat in range(PLAYERS):
        part = PLAY if seat == view.declarer else DEFEND
        state.playing[seat] = take_part(view, state, seat, part)
    return play_tricks(view, own, state, users, branch, log)


@entry
def play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status, branches):
    """Plays the blocks first..last-1 under every seating, as described in `kernels.table`."""
    view = views[0]
    own = views[1]
    state = states[0]
    branch = rollout.branch_of(branches)
    set_rules(view, rules)
    # arrays are taken out of the tuple once: each access to one there counts references
    slots, codes, params, draws = lineup.seatings, lineup.codes, lineup.params, lineup.draws
    seatings = slots.shape[0]
    any_draws = False
    for slot in range(draws.shape[0]):
        any_draws |= draws[slot]
    wanted = rounds.shape[1] > 0
    done = np.int64(0)  # rows written
    kept = np.int64(0)  # rows kept that are yet to be written
    for number in range(first, last):
        block = rollout.begin_game(branches, number)
        if wanted and done + kept + PLAYERS * seatings > rounds.shape[1]:
            last = number
            break
        first_seat, last_seat = deal_block(view, state, seed, block, any_draws, branch)
        if seatings > 1:
            set_aside(view, state)
        for seating in range(seatings):
            if seating > 0:
                take_back(view, state)
            if seatings > 1 or number == first:
                for seat in range(PLAYERS):
                    seat_parts(view, state, seat, codes, params, slots[seating, seat])
            if not play_deal(view, own, state, first_seat, last_seat, users, branch, log):
                stop(status, ILLEGAL, block, seating, 0, view.seat, state.illegal)
                write_rows(state.rows, kept, games, rounds, done)
                return number - first
            keep_rows(view, state, kept, log)
            kept += PLAYERS
            if kept == KEPT:
                write_rows(state.rows, kept, games, rounds, done)
                done += kept
                kept = np.int64(0)
    write_rows(state.rows, kept, games, rounds, done)
    if wanted:
        status[6] = done + kept
    return last - first
