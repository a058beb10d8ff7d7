"""Null & Nichtig: the view, the hidden state, and what happens to them.

A strategy is asked twice a round for each seat: `view.phase == LAY` asks for the next starter (as often as starters
are laid, bottom of a pile first), `view.phase == PLAY` for the card to play. It returns a card it holds, as an
integer rank * 5 + colour (`cards.py`); anything else is illegal and stops the run.

The public fields of the view are kept up to date card by card and shared by all seats; `aim` fills in the private
ones (`seat`, `phase`, `hand`, `twins`) before a decision. Hidden cards live in `STATE` only.
"""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import count
from kernels.compile import device
from kernels.null_nichtig.cards import CARDS, DECK, SECOND_ZERO, ZEROS, rank_of_card
from kernels.null_nichtig.rules import Rules
from kernels.strategy import common_fields
from kernels.table import on_from

U = np.uint64

SEATS = 6
LAY, PLAY = 0, 1
CLOCKWISE_FROM_WINNER, WINNER_THEN_PLAY_ORDER, PLAY_ORDER = 0, 1, 2

VIEW = np.dtype(
    [
        *common_fields(SEATS),
        ("phase", np.int64),  # LAY or PLAY
        ("hand", np.uint64),  # own cards: bit c for card c
        ("twins", np.uint64),  # bit c: zero c is held twice
        ("laid", np.int8, (3,)),  # own starters chosen so far, -1 for none
        ("round", np.int64),  # from 0
        ("trick", np.int64),  # from 0
        ("position", np.int64),  # cards in the trick before this seat's: 0 leads
        ("leaders", np.int8, (11,)),  # who led each trick so far, the current one included
        ("tricks", np.uint64, (10,)),  # byte i of tricks[t]: the card played i-th in trick t
        ("starters", np.int8, (SEATS, 3)),  # starters laid open, bottom first, -1 for not yet
        ("tops", np.uint64, (SEATS,)),  # byte c of a seat's: rank on its pile of colour c, 0 also for no pile
        ("open", np.uint64),  # cards of this round laid open by anyone, the current trick's included
        ("open_twins", np.uint64),  # zeros laid open twice
        ("taken", np.int64, (SEATS,)),  # tricks taken in this round
        ("totals", np.int64, (SEATS,)),  # points of the rounds before
        *[(name, np.int64) for name in Rules._fields],  # the rules, encoded as in rules.py
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("deck", np.uint8, (DECK,)),
        ("shuffle", np.uint64, (4,)),  # the round's shuffle stream
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("hands", np.uint64, (SEATS,)),
        ("twins", np.uint64, (SEATS,)),
        ("starters", np.int8, (SEATS, 3)),  # as chosen, before they are laid open
        ("base", np.int64, (SEATS,)),  # points of the round without the penalty
        ("points", np.int64, (SEATS,)),  # points of the round
        ("all_base", np.int64, (SEATS,)),  # the game so far: points without penalties
        ("all_tricks", np.int64, (SEATS,)),  # the game so far: tricks taken
        ("trickless", np.int64, (SEATS,)),  # the game so far: rounds without a trick
        ("first_leader", np.int64),  # the seat that led the game's first trick
        ("side_totals", np.int64, (SEATS,)),  # points by seat or team
        ("side_ranks", np.int64, (SEATS,)),
        ("codes", np.int64, (SEATS,)),  # the strategy in each seat
        ("draws", np.int8, (SEATS,)),  # whether it draws lots
        ("illegal", np.int64),  # what a strategy returned that is no move
    ],
    align=True,
)


@device
def set_rules(view, rules):
    """Copies the rules into the view."""
    view.players = rules.players
    view.rounds = rules.rounds
    view.target = rules.target
    view.max_rounds = rules.max_rounds
    view.no_trick_penalty = rules.no_trick_penalty
    view.stack_order = rules.stack_order
    view.starter_selection = rules.starter_selection
    view.teams = rules.teams
    view.lead_tie = rules.lead_tie
    view.lead_score = rules.lead_score
    view.first_dealer = rules.first_dealer


@device
def deal(state, players, each):
    """Deals `each` cards to every seat from the round's shuffle stream (partial Fisher-Yates)."""
    deck = state.deck
    for i in range(DECK):
        deck[i] = i if i < CARDS else SECOND_ZERO + i - CARDS
    rng.shuffle(deck, DECK, players * each, state.shuffle)
    place = 0
    for seat in range(players):
        first = U(0)
        second = U(0)
        for i in range(place, place + each):
            bit = U(1) << U(deck[i] & 63)
            first |= bit * U(deck[i] < SECOND_ZERO)
            second |= bit * U(deck[i] >= SECOND_ZERO)
        place += each
        state.hands[seat] = first | second
        state.twins[seat] = first & second


@device
def clear_table(view):
    """No piles, no open cards, no tricks: the public part of the view before a round."""
    view.open = U(0)
    view.open_twins = U(0)
    view.trick = 0
    for seat in range(view.players):
        view.taken[seat] = 0
        view.tops[seat] = U(0)
        for k in range(3):
            view.starters[seat, k] = -1


@device
def aim(view, state, seat, phase):
    """Fills the private fields of the view for `seat`."""
    view.seat = seat
    view.phase = phase
    view.hand = state.hands[seat]
    view.twins = state.twins[seat]


@device
def remove(state, seat, card):
    """Takes a card from the seat's hand; False if it is no card (0..59) that the seat holds."""
    bit = U(1) << U(card & 63)
    hand = state.hands[seat]
    if card < 0 or card >= CARDS or hand & bit == U(0):
        return False
    twins = state.twins[seat]
    state.hands[seat] = hand ^ (bit & ~twins)
    state.twins[seat] = twins & ~bit
    return True


@device
def lay_open(view, card):
    """Marks a card as seen by all."""
    bit = U(1) << U(card)
    view.open_twins |= view.open & bit & ZEROS
    view.open |= bit


@device
def stacked(tops, card):
    """A seat's pile tops after `card` (int64) is put on the pile of its colour."""
    rank = rank_of_card(card)
    shift = U(8 * (card - 5 * rank))
    return (tops & ~(U(255) << shift)) | (U(rank) << shift)


@device
def points(tops):
    """The sum of a seat's pile tops."""
    return np.int64((tops * U(0x0101010101)) >> U(32)) & 255


@device
def played(trick, i):
    """The i-th card of a trick."""
    return np.int64((trick >> U(8 * i)) & U(255))


@device
def winning_position(trick, players):
    """Which of the trick's cards wins: the highest number, of equals the first played."""
    strongest = 0
    for i in range(players):  # 7 - i prefers the earlier card without a branch to mispredict
        strongest = max(strongest, rank_of_card(played(trick, i)) * 8 + 7 - i)
    return 7 - (strongest & 7)


@device
def stacked_trick(tops, trick, best, players, order):
    """A seat's pile tops after winning `trick` with its `best`-th card, stacked in the rule's order."""
    if order == PLAY_ORDER:
        for i in range(players):
            tops = stacked(tops, played(trick, i))
        return tops
    tops = stacked(tops, played(trick, best))
    for k in range(1, players):
        if order == CLOCKWISE_FROM_WINNER:
            i = on_from(best, k, players)
        else:  # in play order: those before the winner's card, then those after it
            i = k - 1 if k <= best else k
        tops = stacked(tops, played(trick, i))
    return tops


@device
def collect(view, players):
    """Gives the complete trick to its winner, who leads the next."""
    trick = view.tricks[view.trick]
    best = winning_position(trick, players)
    winner = on_from(np.int64(view.leaders[view.trick]), best, players)
    view.tops[winner] = stacked_trick(view.tops[winner], trick, best, players, view.stack_order)
    view.taken[winner] += 1
    view.leaders[view.trick + 1] = winner


@device
def score_round(view, state, players):
    """Fills `base` and `points` of the round: the sum of each seat's pile tops, and with the penalty."""
    for seat in range(players):
        state.base[seat] = points(view.tops[seat])
        state.points[seat] = state.base[seat] + (view.no_trick_penalty if view.taken[seat] == 0 else 0)


@device
def next_leader(view, state, first, players):
    """The seat with the fewest points of the round; ties by the rule. `first` led the round just played."""
    penalised = view.lead_score == 0
    fewest = np.int64(1) << 40
    for seat in range(players):
        fewest = min(fewest, state.points[seat] if penalised else state.base[seat])
    tied = U(0)
    for k in range(players):  # bit k: the k-th seat from the left of the round's leader
        seat = on_from(first, 1 + k, players)
        if (state.points[seat] if penalised else state.base[seat]) == fewest:
            tied |= U(1) << U(k)
    chosen = 0
    if view.lead_tie == 1 and count(tied) > 1:
        chosen = rng.below(state.lots, count(tied))
    for k in range(players):
        if (tied >> U(k)) & U(1):
            if chosen == 0:
                return on_from(first, 1 + k, players)
            chosen -= 1
    return first
