"""Skat Null: who declares what, from the first question to the contract."""

from __future__ import annotations

import numpy as np

from kernels import rollout
from kernels.bits import lowest
from kernels.compile import device
from kernels.skat_null.parts import decide_declare, decide_skat, take_part
from kernels.skat_null.rules import PLAYERS
from kernels.skat_null.state import (
    ANNOUNCE,
    DECLARE,
    HAND_CONTRACTS,
    LAY_AWAY,
    MOST,
    NULL,
    NULL_OUVERT,
    PASS,
    SKAT_CONTRACTS,
    TAKE_SKAT,
    deal_anew,
    pair,
)
from kernels.table import note

U = np.uint64

#: kinds of decisions by phase, as the game's row names them
KINDS = np.array([0, 1, -1, -1, 2], np.int64)


@device
def is_offer(view, answer):
    """Whether an answer to DECLARE declares something that is allowed."""
    choice = answer & 3
    if choice == TAKE_SKAT:
        allowed = view.playable & SKAT_CONTRACTS
    else:
        allowed = view.playable & HAND_CONTRACTS & (1 << choice)
    return allowed != 0 and abs(answer >> 2) <= MOST


@device
def list_before(view, branch):
    """Lists what a seat may answer before play. Whoever is to declare offers more than all others."""
    branch.seat = view.seat
    branch.kind = KINDS[view.phase]
    if view.phase == DECLARE:
        if view.must_declare == 0:
            rollout.list_move(branch, PASS)
        if view.playable & SKAT_CONTRACTS:
            rollout.list_move(branch, 4 * MOST + TAKE_SKAT)
        for contract in range(4):
            if (view.playable & HAND_CONTRACTS) >> contract & 1:
                rollout.list_move(branch, 4 * MOST + contract)
    elif view.phase == LAY_AWAY:
        first = view.hand
        while first:
            a = lowest(first)
            first &= first - U(1)
            second = first
            while second:
                rollout.list_move(branch, pair(a, lowest(second)))
                second &= second - U(1)
    else:
        rollout.list_move(branch, NULL)
        rollout.list_move(branch, NULL_OUVERT)


@device
def turn(view, state, seat, phase, part, branch):
    """Prepares a question to a seat; returns the code of what it is answered by."""
    if branch is not None and rollout.decision(view, 0, PLAYERS, branch):
        deal_anew(view, state, seat, branch)
    view.seat = seat
    view.phase = phase
    view.hand = state.hands[seat]
    view.away = state.away
    return take_part(view, state, seat, part)


@device
def is_free(view, branch):
    """Whether the strategy is asked; if not, `branch.move` is the answer (none where the moves are to be listed)."""
    if branch is None or branch.due == 0 or branch.move == rollout.FREE:
        return True
    if branch.move == rollout.LIST:
        list_before(view, branch)
    return False


@device
def ask_declare(view, own, state, seat, phase, users, branch):
    """A seat's answer to DECLARE or ANNOUNCE; LIST where only the moves were to be listed."""
    code = turn(view, state, seat, phase, DECLARE, branch)
    if branch is None or is_free(view, branch):
        answer = np.int64(decide_declare(view, own, code, users))
    else:
        answer = branch.move
    state.illegal = answer
    return answer


@device
def ask_skat(view, own, state, seat, users, branch):
    """The declarer's answer to LAY_AWAY; LIST where only the moves were to be listed."""
    code = turn(view, state, seat, LAY_AWAY, LAY_AWAY, branch)
    if branch is None or is_free(view, branch):
        answer = np.int64(decide_skat(view, own, code, users))
    else:
        answer = branch.move
    state.illegal = answer
    return answer


@device
def declare(view, own, state, first, last, users, branch, log):
    """The seats first..last-1 are asked, the one that offers most declares. False on an illegal choice.

    Leaves declarer and contract in the view; a declarer of -1: passed in.
    """
    view.declarer = -1
    view.contract = -1
    view.away = U(0)
    view.legal = U(0)
    declarer = -1
    most = np.int64(PASS)
    for seat in range(first, last):
        answer = ask_declare(view, own, state, seat, DECLARE, users, branch)
        if answer != PASS or view.must_declare != 0:
            if not is_offer(view, answer):
                return False
            if declarer < 0 or (answer >> 2) > (most >> 2):
                declarer = seat
                most = answer
    note(log, declarer)
    if declarer < 0:
        return True
    view.declarer = declarer
    choice = most & 3
    note(log, choice)
    if choice != TAKE_SKAT:
        view.contract = choice
    else:
        state.hands[declarer] |= state.skat
        if branch is not None:
            state.twelve = state.hands[declarer]
        answer = ask_skat(view, own, state, declarer, users, branch)
        a = answer & 31
        b = (answer >> 5) & 31
        away = (U(1) << U(a)) | (U(1) << U(b))
        if answer < 0 or answer >= 1024 or a == b or away & ~state.hands[declarer]:
            return False
        state.hands[declarer] ^= away
        state.away = away
        note(log, a)
        note(log, b)
        contract = np.int64(NULL if view.playable & (1 << NULL) else NULL_OUVERT)
        if view.playable & SKAT_CONTRACTS == SKAT_CONTRACTS:
            contract = ask_declare(view, own, state, declarer, ANNOUNCE, users, branch)
            if contract != NULL and contract != NULL_OUVERT:
                return False
        view.contract = contract
        note(log, contract)
    return True
