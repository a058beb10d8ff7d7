"""Null from Norway: the view, the hidden state, and what happens to them.

A strategy is asked at the start of its turn, `view.phase == TURN`, and after it drew a card, `view.phase == LAY`.

TURN    DRAW draws from the stock and is followed by a question in LAY. A card of the hand takes the top face-up card
        and lays that card of the hand down; the top card itself puts it back (not under `take_must_swap`). If no
        card lies face up yet, there is no question and a card is drawn.
LAY     the card to lay down: one of the hand, which the drawn card replaces, or the drawn card itself.

So a move is DRAW or a card of `view.choices`; anything else is illegal and stops the run. The view holds what a player
of perfect memory knows: every card that ever lay face up, and who took it.
"""

from __future__ import annotations

import numpy as np

from kernels import rng, rollout
from kernels.bits import highest
from kernels.compile import device
from kernels.draw import CARDS, card_worth, few_worth
from kernels.norwegian_null.plan import PLANS
from kernels.norwegian_null.rules import Rules
from kernels.strategy import common_fields
from kernels.table import on_from

U = np.uint64

SEATS = 6
TURN, LAY = 0, 1
DRAW = 52

#: ranks that may be null: LOWEST_NULL, ..., 12, by their index in "A23456789TJQK"
LOWEST_NULL, NULLS = 6, 7

#: turns that `history` holds
HISTORY = 128

VIEW = np.dtype(
    [
        *common_fields(SEATS),
        ("phase", np.int64),  # TURN or LAY
        ("hand", np.uint64),  # own cards, without the drawn one, as a set (see `kernels.draw`)
        ("held", np.int64),  # the card drawn, -1 for none
        ("top", np.int64),  # the face-up card that can be taken, -1 for none
        ("choices", np.uint64),  # the cards that may be laid down now; in TURN the top card is taken for it
        ("unseen", np.uint64),  # cards that may be anywhere: in the stock, in hands, secret cards
        ("stock", np.int64),  # cards left in the stock
        ("open", np.uint64),  # every card that ever lay face up in this round
        ("shown", np.uint64, (SEATS,)),  # cards in each hand that were taken face up
        ("turn", np.int64),  # turns played in this round before this one, of all seats
        # the turn numbered t at t % HISTORY: the card laid down, + 64 if the top card was taken
        ("history", np.uint8, (HISTORY,)),
        ("first", np.int64),  # the seat that started this round
        ("round", np.int64),  # from 0
        ("cards_of", np.int64, (SEATS,)),  # hand sizes in this round
        ("null", np.int64),  # this round's null rank, as index
        ("worth", np.uint64),  # nibble r: what rank r is worth in this round, see `kernels.draw`
        ("plan", np.int64),  # where this round's tables of `plan.py` lie; 0 if no strategy of the line-up uses them
        *[(name, np.int64) for name in Rules._fields],  # the rules, encoded as in rules.py
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("deck", np.uint8, (CARDS,)),  # the stock is drawn from the end
        ("shuffle", np.uint64, (4,)),  # the round's shuffle stream
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("hands", np.uint64, (SEATS,)),
        ("secrets", np.int64, (SEATS,)),
        ("counts", np.int64, (SEATS,)),  # the game so far: 2**30 * exchanges + face-up cards taken
        ("turns", np.int64, (SEATS,)),  # the game so far
        ("sizes", np.int64, (SEATS,)),  # hand sizes after the rounds so far
        ("won", np.int64, (SEATS,)),  # rounds won
        ("sums", np.int64, (SEATS,)),  # of the round
        ("points", np.int64, (SEATS,)),  # the game so far: sums
        ("lowest", np.int64, (SEATS,)),  # whether the seat won the round
        ("sole", np.int64, (SEATS,)),  # whether it alone won the first round
        ("keys", np.int64, (SEATS,)),  # minus the cards left: most wins
        ("codes", np.int64, (SEATS,)),  # the strategy in each seat
        ("draws", np.int64),  # whether any seat's strategy draws lots
        ("illegal", np.int64),  # what a strategy returned that is no move
        ("plans", PLANS),
    ],
    align=True,
)


def worth_of(null: int, faces: int) -> int:
    """What ranks are worth, as `draw` packs it: `null` is 0, J Q K are 11 12 13 or, with `faces` 1, 10 each."""
    return sum((min(rank + 1, 10) if faces else rank + 1) << (4 * rank) for rank in range(13) if rank != null)


#: by face_values and rank
WORTH = np.array([[worth_of(null, faces) for null in range(13)] for faces in range(2)], np.uint64)


@device
def set_rules(view, rules):
    """Copies the rules into the view."""
    view.players = rules.players
    view.cards = rules.cards
    view.null_pick = rules.null_pick
    view.null_rank = rules.null_rank
    view.face_values = rules.face_values
    view.take_must_swap = rules.take_must_swap
    view.first_player = rules.first_player
    view.round_tie = rules.round_tie
    view.max_turns = rules.max_turns
    view.max_rounds = rules.max_rounds
    view.first_dealer = rules.first_dealer


@device
def pick_null(view, state, seed, block, branch):
    """Chooses the round's null rank."""
    last = view.null
    if view.null_pick == 3 or (view.null_pick == 2 and view.round == 0):
        view.null = view.null_rank
    elif view.null_pick == 2:
        view.null = last - 1 if last > LOWEST_NULL else 12
    else:
        rollout.start(state.lots, seed, block, view.round, rng.LOTS, 0, branch)
        if view.null_pick == 1 or view.round == 0:
            view.null = LOWEST_NULL + rng.below(state.lots, NULLS)
        else:
            other = LOWEST_NULL + rng.below(state.lots, NULLS - 1)
            view.null = other + (other >= last)
    view.worth = WORTH[view.face_values, view.null]


@device
def shuffle(state):
    """Shuffles the deck with the round's shuffle stream."""
    deck = state.deck
    for i in range(CARDS):
        deck[i] = i
    rng.shuffle(deck, CARDS, CARDS, state.shuffle)


@device
def deal(view, state):
    """Deals the deck and clears the table. Returns the number of cards below the stock.

    In the deck lie first the secret cards, then room for a full hand of each seat, then the stock, drawn from the end.
    What a shrunken hand leaves goes under the stock: so hands and stock keep their cards whoever won before.
    """
    players, full = view.players, view.cards
    deck = state.deck
    bottom = players * (full + 1)
    for k in range(players):
        seat = players - 1 - k
        size = state.sizes[seat]
        start = players + seat * full
        hand = U(0)
        for i in range(start, start + size):
            hand |= U(1) << U(deck[i])
        for i in range(full - size):
            bottom -= 1
            deck[bottom] = deck[start + full - 1 - i]
        state.hands[seat] = hand
        state.secrets[seat] = deck[seat]
        view.cards_of[seat] = size
        view.shown[seat] = U(0)
    view.open = U(0)
    view.turn = 0
    view.top = -1
    view.stock = CARDS - bottom
    return bottom


@device
def cards_of_rank(rank):
    """The four cards of a rank as a set."""
    return U(15) << U(4 * rank)


@device
def worst_card(view):
    """The card of the own hand that is worth most (of equals the highest rank, the last suit)."""
    ranked = view.hand & ~cards_of_rank(view.null)
    return highest(ranked if ranked else view.hand)


@device
def sum_up(view, state):
    """Fills the sums of the round and who won it; returns how many did."""
    players = view.players
    least = 1000
    for seat in range(players):
        points = card_worth(view.worth, state.secrets[seat]) + few_worth(view.worth, state.hands[seat])
        state.sums[seat] = points
        least = min(least, points)
    winners = 0
    least_secret = 1000
    for seat in range(players):
        state.lowest[seat] = state.sums[seat] == least
        winners += state.lowest[seat]
        if state.lowest[seat]:
            least_secret = min(least_secret, card_worth(view.worth, state.secrets[seat]))
    if view.round_tie == 2:
        winners = 0
        for seat in range(players):
            if card_worth(view.worth, state.secrets[seat]) > least_secret:
                state.lowest[seat] = 0
            winners += state.lowest[seat]
    return winners


@device
def next_starter(view, state, seed, block, branch):
    """The seat that starts the next round (`view.round` is that round already)."""
    players = view.players
    if view.first_player == 0:
        return on_from(view.first, 1, players)
    if view.first_player == 2:
        rollout.start(state.lots, seed, block, view.round, rng.LOTS, 1, branch)
        return rng.below(state.lots, players)
    for steps in range(1, players):
        seat = on_from(view.first, steps, players)
        if state.lowest[seat]:
            return seat
    return view.first
