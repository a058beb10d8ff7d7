"""Nil: the view, the hidden state, and what happens to them.

A strategy is asked for the card to play, an integer rank * 4 + suit with the ranks 2..A as 0..12 and the suits C S H
D as 0..3; it must be one of `view.legal`, or the run stops.

The public fields of the view are kept up to date card by card and shared by all seats; `seat`, `hand` and `legal` are
filled in before a decision. `trick`, `tricks` and `leaders` are kept for users' functions alone: no built-in strategy
reads them. Hidden cards live in `STATE` only.
"""

from __future__ import annotations

import numpy as np

from kernels import deal as dealing
from kernels import hidden
from kernels.bits import count
from kernels.compile import device
from kernels.nil.rows import COLUMNS, KEPT
from kernels.nil.rules import HAND, PLAYERS, Rules
from kernels.strategy import common_fields

U = np.uint64

AWARD, TRANSFER, POOL = 0, 1, 2
EVERYBODY = 15  # a set of seats: bit s for seat s

DECK = U((1 << 52) - 1)
#: the cards of suit s are CLUBS << s
CLUBS = U(sum(1 << (4 * rank) for rank in range(HAND)))

VIEW = np.dtype(
    [
        *common_fields(PLAYERS),
        ("hand", np.uint64),  # own cards: bit c for card c
        ("legal", np.uint64),  # those that may be played
        ("round", np.int64),  # hands before this one in the game
        ("trick", np.int64),  # from 0
        ("position", np.int64),  # cards in the trick before this seat's: 0 leads
        ("suit", np.uint64),  # all cards of the suit led; the whole deck for the leader
        ("best", np.int64),  # the card that wins the trick so far, -1 for the leader
        ("winner", np.int64),  # the seat that played it, -1 for the leader
        ("leaders", np.int8, (HAND + 1,)),  # who led each trick so far, the current one included
        ("tricks", np.uint64, (HAND,)),  # byte i of tricks[t]: the card played i-th in trick t
        ("open", np.uint64),  # all cards played in this hand
        ("voids", np.int64),  # bit 4 * seat + suit: the seat did not follow that suit
        ("have", np.int64),  # the seats that have taken a trick in this hand: bit s for seat s
        ("taken", np.int64, (PLAYERS,)),  # tricks taken in this hand
        ("totals", np.int64, (PLAYERS,)),  # points of the hands before
        ("pool", np.int64),  # tricks paid into the pool
        ("rivals", np.int64),  # the two seats that a redeal is for; 0 in any other hand
        *[(name, np.int64) for name in Rules._fields],  # the rules, encoded as in rules.py
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("shuffle", np.uint64, (4,)),  # the hand's shuffle stream
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("hands", np.uint64, (PLAYERS,)),
        ("points", np.int64, (PLAYERS,)),  # of the hand
        ("taker", np.int64),  # the seat that takes the pool and ends the game, -1 for none yet
        ("all_tricks", np.int64, (PLAYERS,)),  # the game so far: tricks taken
        ("trickless", np.int64, (PLAYERS,)),  # the game so far: hands without a trick, redeals included
        ("nils", np.int64, (PLAYERS,)),  # the game so far: nils
        ("length", np.int64),  # the game so far: tricks played
        ("hands_played", np.int64),  # the game so far: hands without redeals
        ("no_nil", np.int64),  # the game so far: hands in which everybody took a trick
        ("codes", np.int64, (PLAYERS,)),  # the strategy in each seat
        ("draws", np.int64),  # whether any seat's strategy draws lots
        ("illegal", np.int64),  # what a strategy returned that is no move
        ("rows", np.int32, (COLUMNS, KEPT)),  # that are yet to be written, in playing order
        ("hidden", hidden.HIDDEN),  # where rollouts deal cards anew
    ],
    align=True,
)


@device
def set_rules(view, rules):
    """Copies the rules into the view."""
    view.players = rules.players
    view.scoring = rules.scoring
    view.deals = rules.deals
    view.max_deals = rules.max_deals
    view.first_dealer = rules.first_dealer


@device
def deal(state):
    """Deals 13 cards to every seat from the hand's shuffle stream."""
    two = dealing.half(DECK, 2 * HAND, state.shuffle)
    state.hands[0] = dealing.half(two, HAND, state.shuffle)
    state.hands[1] = two ^ state.hands[0]
    state.hands[2] = dealing.half(DECK ^ two, HAND, state.shuffle)
    state.hands[3] = DECK ^ two ^ state.hands[2]


@device
def deal_anew(view, state, branch):
    """Deals the cards in hand anew, but for those of `branch.observer`; nobody gets a suit that it did not follow.

    Uniform over all such deals. What the choices of the players may tell beyond the suits they lack is not modelled.
    """
    for seat in range(PLAYERS):
        state.hidden.piles[seat] = state.hands[seat]
        state.hidden.barred[seat] = CLUBS * U((view.voids >> (4 * seat)) & 15)
    hidden.deal_anew(state.hidden, 1 << branch.observer if branch.observer >= 0 else 0, branch.stream)
    for seat in range(PLAYERS):
        state.hands[seat] = state.hidden.piles[seat]


@device
def decided(have, rivals):
    """Whether the hand stops: everybody, in a redeal one of the two rivals, has taken a trick."""
    return (have & rivals) != 0 if rivals != 0 else have == EVERYBODY


@device
def seat_of(seats):
    """The only seat of a set of seats."""
    return (seats >> 1) - (seats >> 3)


@device
def score_hand(view, state):
    """Fills `state.points` and `state.taker`, updates pool and rivals. Returns whether the pool is decided."""
    have = view.have
    nils = EVERYBODY & ~have
    n = count(nils)
    lucky = nils if n < 3 else have  # with three nils the one with all tricks
    over = False
    if view.scoring != POOL:
        gain = 3 if n == 1 or n == 3 else 1
        other = 0
        if n == 0:
            lucky = EVERYBODY
            gain = 1 if view.scoring == AWARD else 0
        elif view.scoring == TRANSFER:
            other = -1
        for seat in range(PLAYERS):
            state.points[seat] = gain if (lucky >> seat) & 1 else other
        return over
    for seat in range(PLAYERS):
        state.points[seat] = 0
    if view.rivals != 0:
        if have & view.rivals:
            state.taker = seat_of(view.rivals & ~have)
    elif n == 0:
        for seat in range(PLAYERS):
            state.points[seat] = -view.taken[seat]
    elif n == 2:
        if view.pool > 0 and view.pool & 1 == 0:
            for seat in range(PLAYERS):
                state.points[seat] = (view.pool >> 1) if (nils >> seat) & 1 else 0
            over = True
        else:
            view.rivals = nils
    else:
        state.taker = seat_of(lucky)
    if state.taker >= 0:
        state.points[state.taker] = view.pool
        over = True
    for seat in range(PLAYERS):
        view.pool -= state.points[seat]
    return over
