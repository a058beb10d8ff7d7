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
from kernels.null_nichtig.cards import CARDS, DECK, FIRST, SECOND, ZEROS, rank_of_card
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
        ("leader", np.int64),  # the seat that leads the trick
        ("position", np.int64),  # cards in the trick before this seat's: 0 leads
        ("cards", np.int8, (SEATS,)),  # the trick's cards in the order played; the first `position` count
        ("tops", np.int8, (SEATS, 5)),  # rank on top of each seat's pile of each colour, -1 for no pile
        ("heights", np.int8, (SEATS, 5)),  # cards in each pile
        ("piles", np.int8, (SEATS, 5, 13)),  # ranks of each pile, bottom first
        ("open", np.uint64),  # cards of this round laid open by anyone, the current trick's included
        ("open_twins", np.uint64),  # zeros laid open twice
        ("taken", np.int64, (SEATS,)),  # tricks taken in this round
        ("totals", np.int64, (SEATS,)),  # points of the rounds before
        *[(name, np.int64) for name in Rules._fields],  # the rules, encoded as in rules.py
    ]
)

STATE = np.dtype(
    [
        ("deck", np.uint8, (DECK,)),
        ("shuffle", np.uint64, (4,)),  # the round's shuffle stream
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("hands", np.uint64, (SEATS,)),
        ("twins", np.uint64, (SEATS,)),
        ("starters", np.int8, (SEATS, 3)),
        ("base", np.int64, (SEATS,)),  # points of the round without the penalty
        ("points", np.int64, (SEATS,)),  # points of the round
        ("all_base", np.int64, (SEATS,)),  # the game so far: points without penalties
        ("all_tricks", np.int64, (SEATS,)),  # the game so far: tricks taken
        ("trickless", np.int64, (SEATS,)),  # the game so far: rounds without a trick
        ("first_leader", np.int64),  # the seat that led the game's first trick
        ("side_totals", np.int64, (SEATS,)),  # points by seat or team
        ("side_ranks", np.int64, (SEATS,)),
        ("codes", np.int64, (SEATS,)),  # the strategy in each seat
        ("draws", np.bool_, (SEATS,)),  # whether it draws lots
        ("illegal", np.int64),  # what a strategy returned that is no move
    ]
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
        deck[i] = i
    place = 0
    for seat in range(players):
        first = U(0)
        second = U(0)
        for _ in range(each):
            other = place + rng.below(state.shuffle, DECK - place)
            card = deck[other]
            deck[other] = deck[place]  # what is dealt is never looked at again, so half of the swap will do
            place += 1
            first |= FIRST[card]
            second |= SECOND[card]
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
        for colour in range(5):
            view.tops[seat, colour] = -1
            view.heights[seat, colour] = 0


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
def stack(view, seat, card):
    """Puts a card on top of the seat's pile of its colour."""
    rank = rank_of_card(card)
    colour = card - 5 * rank
    height = view.heights[seat, colour]
    view.piles[seat, colour, height] = rank
    view.heights[seat, colour] = height + 1
    view.tops[seat, colour] = rank


@device
def collect(view, players):
    """Gives the complete trick to its winner, stacked in the rule's order; returns the winning seat."""
    strongest = 0
    for i in range(players):  # of equals the first played, hence the 7 - i; no branch to mispredict
        strongest = max(strongest, rank_of_card(view.cards[i]) * 8 + 7 - i)
    best = 7 - (strongest & 7)
    winner = on_from(view.leader, best, players)
    if view.stack_order == PLAY_ORDER:
        for i in range(players):
            stack(view, winner, view.cards[i])
    else:
        stack(view, winner, view.cards[best])
        for k in range(1, players):
            if view.stack_order == CLOCKWISE_FROM_WINNER:
                stack(view, winner, view.cards[on_from(best, k, players)])
            else:  # in play order: those before the winner's card, then those after it
                stack(view, winner, view.cards[k - 1 if k <= best else k])
    view.taken[winner] += 1
    return winner


@device
def score_round(view, state, players):
    """Fills `base` and `points` of the round: the sum of each seat's pile tops, and with the penalty."""
    for seat in range(players):
        total = 0
        for colour in range(5):
            if view.heights[seat, colour] > 0:
                total += view.tops[seat, colour]
        state.base[seat] = total
        state.points[seat] = total + (view.no_trick_penalty if view.taken[seat] == 0 else 0)


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
