"""Skat Null: the kernel that plays a range of blocks. A game is one deal."""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.compile import device, entry
from kernels.skat_null.rules import HAND, PLAYERS
from kernels.skat_null.state import (
    ANNOUNCE,
    BEST,
    CLUBS,
    DECK,
    DECLARE,
    DEFEND,
    HAND_CONTRACTS,
    LAY_AWAY,
    MOST,
    NULL,
    NULL_OUVERT,
    PARTS,
    PASS,
    PLAY,
    RANDOM,
    ROTATE,
    SKAT_CONTRACTS,
    TAKE_SKAT,
    deal,
    deal_fitting,
    defender_score,
    set_rules,
)
from kernels.skat_null.strategies import STRATEGIES
from kernels.strategy import MAX_PARAMS, decider
from kernels.table import ILLEGAL, note, on_from, stop, write_game
from kernels.tricks import legal

U = np.uint64

#: labels of the columns `role` and `contract`
DECLARER, DEFENDER, NO_ROLE = 0, 1, 2
NO_CONTRACT = 4


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


BEFORE_FUNCTIONS, BEFORE_PLACE = _chain(DECLARE, LAY_AWAY)
PLAY_FUNCTIONS, PLAY_PLACE = _chain(PLAY, DEFEND)
decide_before = decider(BEFORE_FUNCTIONS)
decide = decider(PLAY_FUNCTIONS)

#: number of parameters by row
PARAMETERS = np.array([len(row.parameters) for row in STRATEGIES], np.int64)


@device
def parameters_of(code):
    """How many parameters a part has."""
    return PARAMETERS[code] if code >= 0 else MAX_PARAMS


@device
def take_part(view, state, seat, part, place):
    """Makes `part` of the seat's strategy the one that is asked: its parameters into the view; returns its code."""
    code = state.codes[seat, part]
    for k in range(parameters_of(code)):
        view.params[seat, k] = state.params[seat, part, k]
    return place[part, code] if code >= 0 else code


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
def declare(view, own, state, first, last, users, log):
    """The seats first..last-1 are asked, the one that offers most declares. False on an illegal choice.

    Leaves declarer and contract in the view; a declarer of -1: passed in.
    """
    view.declarer = -1
    view.contract = -1
    view.away = U(0)
    view.legal = U(0)
    phase = DECLARE
    seat = first
    declarer = -1
    most = np.int64(PASS)
    while True:
        part = DECLARE if phase == ANNOUNCE else phase
        code = take_part(view, state, seat, part, BEFORE_PLACE)
        view.seat = seat
        view.phase = phase
        view.hand = state.hands[seat]
        view.away = state.away
        answer = np.int64(decide_before(view, own, code, users))
        state.illegal = answer
        if phase == DECLARE:
            if answer != PASS or view.must_declare != 0:
                if not is_offer(view, answer):
                    return False
                if declarer < 0 or (answer >> 2) > (most >> 2):
                    declarer = seat
                    most = answer
            seat += 1
            if seat < last:
                continue
            note(log, declarer)
            if declarer < 0:
                return True
            seat = declarer
            view.declarer = declarer
            note(log, most & 3)
            if most & 3 != TAKE_SKAT:
                view.contract = most & 3
                return True
            state.hands[seat] |= state.skat
            phase = LAY_AWAY
        elif phase == LAY_AWAY:
            a = answer & 31
            b = (answer >> 5) & 31
            away = (U(1) << U(a)) | (U(1) << U(b))
            if answer < 0 or answer >= 1024 or a == b or away & ~state.hands[seat]:
                return False
            state.hands[seat] ^= away
            state.away = away
            note(log, a)
            note(log, b)
            if view.playable & SKAT_CONTRACTS == SKAT_CONTRACTS:
                phase = ANNOUNCE
            else:
                view.contract = NULL if view.playable & (1 << NULL) else NULL_OUVERT
                break
        else:
            if answer != NULL and answer != NULL_OUVERT:
                return False
            view.contract = answer
            break
    note(log, view.contract)
    return True


@device
def play_tricks(view, own, state, users, log):
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
        view.trick = trick
        view.leaders[trick] = leader
        suit = DECK
        cards = U(0)
        led = 0
        strongest = -1  # card * 4 + seat of the winning card
        for position in range(PLAYERS):
            seat = on_from(leader, position, PLAYERS)
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
            card = np.int64(decide(view, own, state.playing[seat], users))
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
            cards |= U(card) << U(8 * position)
            view.open = opened
            view.voids = voids
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
    view.trick = trick
    view.leaders[trick] = leader
    return True


@device
def may_declare(view, state, seed, block):
    """The seats that may declare, as first and last + 1."""
    if view.may_declare == BEST:
        return np.int64(0), np.int64(PLAYERS)
    if view.may_declare == ROTATE:
        seat = np.int64(block) % 3
    elif view.may_declare == RANDOM:
        rng.start(state.lots, seed, block, 0, rng.LOTS, 0)
        seat = rng.below(state.lots, PLAYERS)
    else:
        seat = view.may_declare - 1
    return seat, seat + 1


@device
def play_deal(view, own, state, seed, block, users, log):
    """One deal; False if a seat made an illegal choice."""
    first, last = may_declare(view, state, seed, block)
    rng.start(state.shuffle, seed, block, 0, rng.SHUFFLE, 0)
    if (view.hand_must | view.hand_not) == 0:
        deal(state)
    else:
        deal_fitting(state, first, U(view.hand_must), U(view.hand_not))
    for seat in range(PLAYERS):
        view.taken[seat] = 0
        if state.draws[seat]:
            rng.start(view.lots[seat], seed, block, 0, rng.SEAT, seat)
    for trick in range(HAND):  # nothing of the deal before may be left
        view.tricks[trick] = U(0)
        view.leaders[trick] = 0
    view.leaders[HAND] = 0
    state.away = U(0)
    state.lost = 0
    view.open = U(0)
    view.shown = U(0)
    view.voids = 0
    view.trick = 0
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
    if not declare(view, own, state, first, last, users, log):
        return False
    if view.declarer < 0:
        return True
    for seat in range(PLAYERS):
        part = PLAY if seat == view.declarer else DEFEND
        state.playing[seat] = take_part(view, state, seat, part, PLAY_PLACE)
    return play_tricks(view, own, state, users, log)


@device
def write_rows(view, state, games, row, rounds, round_row, log):
    """Fills the deal's rows, one per seat, of `games` and, where wanted, of `rounds`."""
    declarer = view.declarer
    passed = declarer < 0
    won = not passed and state.lost == 0
    contract = NO_CONTRACT if passed else view.contract
    own = 0 if passed else (view.own_won[contract] if won else view.own_lost[contract])
    other = 0 if passed else defender_score(view, won)
    for seat in range(PLAYERS):
        declares = seat == declarer
        defends = not passed and not declares
        score = own if declares else other
        best = passed or declares == won
        worse = 2 if won else 3
        write_game(
            games,
            row + seat,
            score,
            view.taken[seat],
            view.taken[seat] == 0,
            1 if best else worse,
            0 if passed or not best else (60 if declares else 30),
            not best,
            1,
            False,
        )
        role = NO_ROLE if passed else (DECLARER if declares else DEFENDER)
        games[8, row + seat] = role
        games[9, row + seat] = contract
        games[10, row + seat] = won
        games[11, row + seat] = declares
        games[12, row + seat] = declares and won
        games[13, row + seat] = score if declares else 0
        games[14, row + seat] = defends
        games[15, row + seat] = score if defends else 0
        games[16, row + seat] = passed
        for k in range(4):
            games[17 + k, row + seat] = declares and contract == k
        if rounds.shape[1] > 0:
            rounds[0, round_row + seat] = 0
            rounds[1, round_row + seat] = score
            rounds[2, round_row + seat] = view.taken[seat]
            rounds[3, round_row + seat] = role
            rounds[4, round_row + seat] = contract
            rounds[5, round_row + seat] = won
        note(log, score)


@entry
def play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status):
    """Plays the blocks first..last-1 under every seating, as described in `kernels.table`."""
    view = views[0]
    own = views[1]
    state = states[0]
    set_rules(view, rules)
    # arrays are taken out of the tuple once: each access to one there counts references
    slots, codes, params, draws = lineup.seatings, lineup.codes, lineup.params, lineup.draws
    seatings = slots.shape[0]
    wanted = rounds.shape[1] > 0
    row = 0
    round_row = np.int64(0)
    for block in range(first, last):
        if wanted and round_row + PLAYERS * seatings > rounds.shape[1]:
            status[6] = round_row
            return block - first
        for seating in range(seatings):
            if seatings > 1 or block == first:
                for seat in range(PLAYERS):
                    slot = slots[seating, seat]
                    state.draws[seat] = draws[slot]
                    for part in range(PARTS):
                        code = codes[slot, part]
                        state.codes[seat, part] = code
                        for k in range(parameters_of(code)):
                            state.params[seat, part, k] = params[slot, part, k]
            if not play_deal(view, own, state, seed, block, users, log):
                stop(status, ILLEGAL, block, seating, 0, view.seat, state.illegal)
                return block - first
            write_rows(view, state, games, row, rounds, round_row, log)
            row += PLAYERS
            if wanted:
                round_row += PLAYERS
        status[6] = round_row
    return last - first
