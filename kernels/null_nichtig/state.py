"""Null & Nichtig: the view, the hidden state, and what happens to them.

A strategy is asked for one card at a time: while `view.phase == LAY` for the next starter (as often as starters are
laid, bottom of a pile first), then, with `view.phase == PLAY`, for the card to play. It returns a card it holds, as
an integer rank * 5 + colour (`cards.py`); anything else is illegal and stops the run.

The public fields of the view are kept up to date and shared by all seats; `ask` fills in the private ones (`seat`,
`hand`, `twins`; while laying `laid`) before a decision. Hidden cards live in `STATE` only.
"""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import count, lowest
from kernels.compile import device
from kernels.null_nichtig.cards import (
    ALL,
    CARDS,
    COLOURS,
    DECK,
    EMPTY,
    SECOND_ZERO,
    ZEROS,
    card_at,
    points,
    stacked,
)
from kernels.null_nichtig.rules import Rules
from kernels.strategy import common_fields
from kernels.table import on_from

U = np.uint64

SEATS = 6
LAY, PLAY = 0, 1
#: below every score
LEAST = -(1 << 40)
CLOCKWISE_FROM_WINNER, WINNER_THEN_PLAY_ORDER, PLAY_ORDER = 0, 1, 2

VIEW = np.dtype(
    [
        *common_fields(SEATS),
        ("hand", np.uint64),  # own cards: bit c for card c
        ("twins", np.uint64),  # bit c: zero c is held twice
        ("laid", np.uint64),  # own starters chosen so far, as a sequence
        ("phase", np.int64),  # LAY or PLAY
        ("position", np.int64),  # LAY: own starters chosen so far; PLAY: cards in the trick before this seat's
        ("round", np.int64),  # from 0
        ("trick", np.int64),  # from 0
        ("leader", np.int64),  # the seat that leads this trick (LAY: the first trick)
        ("cards", np.uint64),  # the cards of this trick, in the order played
        ("strongest", np.int64),  # of this trick: rank * 8 + 7 - place of the card that wins so far, -1 for none
        ("open", np.uint64),  # cards laid open by anyone in this round before this trick
        ("open_twins", np.uint64),  # zeros of which both were
        ("tops", np.uint64, (SEATS,)),  # the tops of each seat's piles
        ("taken", np.int64, (SEATS,)),  # tricks taken in this round
        ("totals", np.int64, (SEATS,)),  # points of the rounds before
        ("starters", np.uint64, (SEATS,)),  # starters laid open, as a sequence; EMPTY for not yet
        ("tricks", np.uint64, (10,)),  # the earlier tricks of this round, each in the order played
        ("leaders", np.int8, (11,)),  # who led them, and who leads this one
        *[(name, np.int64) for name in Rules._fields],  # the rules, encoded as in rules.py
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("shuffle", np.uint64, (4,)),  # the round's shuffle stream
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("hands", np.uint64, (SEATS,)),
        ("twins", np.uint64, (SEATS,)),
        ("laid", np.uint64, (SEATS,)),  # starters as chosen, before they are laid open
        ("base", np.int64, (SEATS,)),  # points of the round without the penalty
        ("points", np.int64, (SEATS,)),  # points of the round
        ("all_base", np.int64, (SEATS,)),  # the game so far: points without penalties
        ("all_tricks", np.int64, (SEATS,)),  # the game so far: tricks taken
        ("trickless", np.int64, (SEATS,)),  # the game so far: rounds without a trick
        ("all_wins", np.int64, (SEATS,)),  # the game so far: shares of the rounds won, in sixtieths
        ("most", np.int64),  # the highest total
        ("first_leader", np.int64),  # the seat that led the game's first trick
        ("side_totals", np.int64, (SEATS,)),  # points by seat or team
        ("side_ranks", np.int64, (SEATS,)),
        ("codes", np.int64, (SEATS,)),  # the strategy in each seat
        ("draws", np.int64),  # whether any seat's strategy draws lots
        ("blind", np.int64),  # whether nobody takes account of what lies open, so that it need not be kept
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
    """Deals `each` cards to every seat from the round's shuffle stream.

    65 cards are one more than a word holds. So the last of them is drawn first, and its bit stands for the second
    yellow zero while the other 64 are dealt; bits 60..63 are the second zeros of the other colours.
    """
    last = rng.below(state.shuffle, DECK)
    stand_in = U(last < SECOND_ZERO + 4) << U(last & 63)
    left = ~U(0)
    size = DECK - 1
    for seat in range(players):
        wanted = min(each, size)
        dealt = rng.sample(left, size, wanted, state.shuffle)
        left ^= dealt
        size -= wanted
        yellow = U(dealt & stand_in != U(0))
        dealt &= ~stand_in
        first = dealt & ALL
        second = dealt >> U(SECOND_ZERO) | yellow << U(4)
        state.hands[U(seat)] = first | second
        state.twins[U(seat)] = first & second
    if players * each == DECK:
        bit = U(1) << U(last if last < SECOND_ZERO else last - SECOND_ZERO)
        state.twins[players - 1] |= state.hands[players - 1] & bit
        state.hands[players - 1] |= bit


@device
def note_undealt(state, branch, players):
    """Begins `branch.deck` with the cards that nobody was dealt."""
    size = 0
    for card in range(CARDS):
        left = 2 if card < COLOURS else 1
        for seat in range(players):
            left -= np.int64((state.hands[seat] >> U(card)) & U(1)) + np.int64((state.twins[seat] >> U(card)) & U(1))
        for _ in range(left):
            branch.deck[size] = card
            size += 1
    branch.size = size


@device
def deal_anew(state, branch, players):
    """Shuffles the cards that `branch.observer` cannot see: the other hands and those not dealt.

    Starters already chosen but not yet open stay as they are.
    """
    deck = branch.deck
    size = branch.size
    for seat in range(players):
        if seat != branch.observer:
            for cards in (state.hands[seat], state.twins[seat]):
                while cards:
                    deck[size] = lowest(cards)
                    size += 1
                    cards &= cards - U(1)
    rng.shuffle(deck, size, size, branch.stream)
    for seat in range(players):
        if seat != branch.observer:
            each = count(state.hands[seat]) + count(state.twins[seat])
            state.hands[seat] = U(0)
            state.twins[seat] = U(0)
            for k in range(size - each, size):
                bit = U(1) << U(deck[k])
                state.twins[seat] |= state.hands[seat] & bit
                state.hands[seat] |= bit
            size -= each


@device
def clear_table(view):
    """No piles, no open cards, no tricks: the public part of the view before a round."""
    view.open = U(0)
    view.open_twins = U(0)
    view.trick = 0
    view.cards = EMPTY
    view.strongest = -1
    for seat in range(view.players):
        view.taken[seat] = 0
        view.tops[seat] = U(0)
        view.starters[seat] = EMPTY


@device
def lay_starters_open(view, seat, laid):
    """Lays a seat's starters on its piles, for all to see."""
    view.starters[seat] = laid
    tops = U(0)
    for k in range(3):
        card = card_at(laid, k)
        bit = (U(1) << card) & ALL
        view.open_twins |= view.open & bit & ZEROS
        view.open |= bit
        tops = stacked(tops, card)
    view.tops[seat] = tops


@device
def stacking_order(cards, best, players, order):
    """The cards of a trick, won by its `best`-th, in the order in which the rule stacks them."""
    if order == PLAY_ORDER:
        return cards
    if order == CLOCKWISE_FROM_WINNER:
        cards ^= EMPTY  # so that there are zeros beyond its end
        return EMPTY ^ (cards >> U(8 * best) | cards << U(8 * (players - best)))
    before = (U(1) << U(8 * best)) - U(1)  # the winner's card moves in front of those before it
    return (cards & (~before << U(8))) | ((cards & before) << U(8)) | card_at(cards, best)


@device
def after_trick(tops, cards, best, players, order):
    """The winner's pile tops after collecting a trick, won by its `best`-th card."""
    line = stacking_order(cards, best, players, order)
    for _ in range(players):
        tops = stacked(tops, line & U(63))
        line >>= U(8)
    return tops


@device
def collect(view, state, cards, strongest, leader, players):
    """Gives a complete trick to its winner, who is returned; its cards lie open then, for those who look."""
    best = 7 - (strongest & 7)
    winner = on_from(leader, best, players)
    view.tops[U(winner)] = after_trick(view.tops[U(winner)], cards, best, players, view.stack_order)
    if not state.blind:
        seen = view.open
        twins = view.open_twins
        line = cards
        for _ in range(players):
            bit = U(1) << (line & U(63))
            line >>= U(8)
            twins |= seen & bit  # only zeros come twice
            seen |= bit
        view.open = seen
        view.open_twins = twins
    view.taken[U(winner)] += 1
    view.tricks[U(view.trick)] = cards
    return winner


@device
def score_round(view, state, players):
    """Fills `base` and `points` of the round, the sum of each seat's pile tops and with the penalty; adds the round
    to the game so far.

    All in one loop, as every loop over the seats has a cost of its own.
    """
    most = LEAST
    for seat in range(players):
        place = U(seat)
        taken = view.taken[place]
        base = points(view.tops[place])
        score = base + (view.no_trick_penalty if taken == 0 else 0)
        total = view.totals[place] + score
        most = max(most, total)
        state.base[place] = base
        state.points[place] = score
        view.totals[place] = total
        state.all_base[place] += base
        state.all_tricks[place] += taken
        state.trickless[place] += taken == 0
    state.most = most


@device
def next_leader(view, state, first, players):
    """The seat with the fewest points of the round; ties by the rule. `first` led the round just played."""
    fewest = -LEAST
    for seat in range(players):  # value and place in one number: of equals the first from the leader's left
        place = U(seat)
        value = state.points[place] if view.lead_score == 0 else state.base[place]
        k = seat - first - 1 if seat > first else seat - first - 1 + players
        fewest = min(fewest, value * 8 + k)
    chosen = fewest & 7
    if view.lead_tie == 1:
        ties = 0
        for k in range(players):
            seat = on_from(first, 1 + k, players)
            value = state.points[seat] if view.lead_score == 0 else state.base[seat]
            if value == fewest >> 3:
                ties += 1
                if rng.below(state.lots, ties) == 0:  # each of the tied is left with the same chance
                    chosen = k
    return on_from(first, 1 + chosen, players)
