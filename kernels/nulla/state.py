"""Núlla: the view, the hidden state, and what happens to them.

A strategy is asked at the start of its turn, `view.phase == TURN`, and while it holds a card, `view.phase == CHAIN`.

TURN    DRAW draws from the stock and is followed by a question in CHAIN; BLIND + k, k = 0..row, draws and without
        a look makes k swaps and discards what is held then. The other moves take the top discard, which is seen
        before: k = 1..row puts it into the row, makes k swaps in all, and discards what is held then; -k makes k
        swaps and is followed by a question in CHAIN; PUT_BACK discards it again (not under `take_must_swap`).
        If there is no discard, there is no question and a card is drawn.
CHAIN   k = 0..row - view.swaps makes k more swaps and discards what is held then (0 discards `view.held`);
        -k makes k more swaps and asks again.

A swap of the last slot ends the turn in any case. Anything else is illegal and stops the run.

The view holds what a player of perfect memory knows. Of the own row that is every card since it was put there or
pushed down; of other rows the cards taken from the discards, on their way down the row. A strategy with `memory`
below 1 finds slots of its own row unknown again (`forget`); what is public is not forgotten.
"""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import count, lowest
from kernels.compile import device, outlined
from kernels.draw import ALL, CARDS, card_worth
from kernels.nulla.plan import PLAN
from kernels.nulla.rules import Rules
from kernels.strategy import common_fields, unit

U = np.uint64

SEATS = 4
TURN, CHAIN = 0, 1
DRAW, PUT_BACK, BLIND = 0, 16, 32

#: a slot whose card is not known, and what it is worth
NO_CARD, NO_VALUE = 255, 15

#: turns that `history` holds
HISTORY = 128

VIEW = np.dtype(
    [
        *common_fields(SEATS),
        ("phase", np.int64),  # TURN or CHAIN
        ("held", np.int64),  # the card held, -1 for none
        ("taken", np.int64),  # whether this turn's card came from the discards
        ("swaps", np.int64),  # swaps made in this turn
        ("secret", np.int64),  # the own secret card
        ("cards", np.uint64, (2,)),  # byte s % 8 of word s // 8: the card in slot s of the own row, or NO_CARD
        ("unseen", np.uint64),  # cards that may be anywhere: in the stock, unknown slots, others' secrets
        ("stock", np.int64),  # cards left in the stock
        ("pile", np.int64),  # cards on the discard pile
        ("discards", np.uint8, (CARDS,)),  # the pile, its top last
        ("open", np.uint64),  # every card that was ever on the pile
        ("turn", np.int64),  # turns played before this one, of all seats
        # the next three are kept if a user's function or `dp-win` is in the line-up: no other strategy reads them
        ("shown", np.uint64, (SEATS, 2)),  # as `cards`, for every row: what all have seen go there
        ("reach", np.int64, (SEATS,)),  # longest chain of each seat: the slots it has seen
        # the turn numbered t at t % HISTORY: the card discarded, + 64 if the top discard was taken, + 128 * swaps
        ("history", np.uint16, (HISTORY,)),
        ("worth", np.uint64),  # nibble r: what rank r is worth, see `kernels.draw`
        ("plan", np.int64),  # where the tables of `plan.py` lie; 0 if no strategy of the line-up uses them
        *[(name, np.int64) for name in Rules._fields],  # the rules, encoded as in rules.py
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("deck", np.uint8, (CARDS,)),  # rows, secret cards, discard, stock
        ("shuffle", np.uint64, (4,)),  # the shuffle stream
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("rows", np.uint64, (SEATS, 2)),  # as `cards` of the view, all known
        ("no_cards", np.uint64, (SEATS, 2)),  # byte masks of the slots the owner does not know
        ("mine", np.uint64, (SEATS,)),  # the known cards of the row and the secret card, as a set
        ("unknown", np.int64, (SEATS,)),  # slots the owner does not know
        ("secrets", np.int64, (SEATS,)),
        ("counts", np.int64, (SEATS,)),  # 2**30 * swaps + discards taken
        ("keys", np.int64, (SEATS,)),  # minus the totals: most wins
        ("memory", np.float64, (SEATS,)),
        ("forgetful", np.int64),  # whether any memory is below 1
        ("watched", np.int64),  # whether anybody reads `shown`, `reach` and `history`
        ("codes", np.int64, (SEATS,)),  # the strategy in each seat
        ("draws", np.int64),  # whether any seat's strategy draws lots
        ("illegal", np.int64),  # what a strategy returned that is no move
        ("plan", PLAN),
    ],
    align=True,
)

#: byte masks of the slots below n, by words
BELOW = np.array([[2 ** (8 * min(n, 8)) - 1, 2 ** (8 * max(n - 8, 0)) - 1] for n in range(13)] + [[0, 0]], np.uint64)


def worth_of(zero_rank: int) -> int:
    """What ranks are worth when the rank of this index (-1: none) is zero beside J, Q and K, as `draw` packs it.

    The topmost nibble, where the rank of NO_CARD would be, holds NO_VALUE.
    """
    return sum((rank + 1) << (4 * rank) for rank in range(10) if rank != zero_rank) | NO_VALUE << 60


WORTH = np.array([worth_of(rank) for rank in range(-1, 13)], np.uint64)


@device
def set_rules(view, rules):
    """Copies the rules into the view."""
    view.players = rules.players
    view.row = rules.row
    view.zero_rank = rules.zero_rank
    view.initial_discard = rules.initial_discard
    view.take_must_swap = rules.take_must_swap
    view.first_player = rules.first_player
    view.max_turns = rules.max_turns
    view.first_dealer = rules.first_dealer
    view.worth = WORTH[rules.zero_rank + 1]


@device
def slot_card(cards, slot):
    """The card in a slot (of a row of `cards` or `shown`), NO_CARD if it is not known."""
    return np.int64((cards[slot >> 3] >> U(8 * (slot & 7))) & U(255))


@device
def slot_value(view, slot):
    """What the card in a slot of the own row is worth, NO_VALUE if it is not known."""
    return card_worth(view.worth, slot_card(view.cards, slot))


@device
def shuffle(state):
    """Shuffles the deck with the shuffle stream."""
    deck = state.deck
    for i in range(CARDS):
        deck[i] = i
    rng.shuffle(deck, CARDS, CARDS, state.shuffle)


@device
def deal(view, state):
    """Deals the deck and clears the table. Returns the place of the top stock card in the deck."""
    players, row = view.players, view.row
    deck = state.deck
    place = 0
    for seat in range(players):
        for word in range(2):
            state.rows[seat, word] = U(0)
            state.no_cards[seat, word] = ~U(0)
            view.shown[seat, word] = ~U(0)
        for slot in range(row):
            state.rows[seat, slot >> 3] |= U(deck[place]) << U(8 * (slot & 7))
            place += 1
        state.unknown[seat] = row
        state.counts[seat] = 0
        view.reach[seat] = 0
    for seat in range(players):
        state.secrets[seat] = deck[place]
        state.mine[seat] = U(1) << U(deck[place])
        place += 1
    view.cards[1] = ~U(0)
    view.pile = 0
    view.open = U(0)
    view.turn = 0
    if view.initial_discard:
        view.discards[0] = deck[place]
        view.open = U(1) << U(deck[place])
        view.pile = 1
        place += 1
    view.stock = CARDS - place
    return place


@device
def take_turn(view, state, seat):
    """Fills the private fields of the view that stay the same through a turn of `seat`."""
    view.seat = seat
    view.secret = state.secrets[U(seat)]
    view.taken = 0
    view.swaps = 0
    if state.forgetful:
        forget(view, state, seat)


@device
def aim(view, state, seat, phase, held, two_words):
    """Fills the other private fields of the view for `seat`, which holds the card `held` (-1: none).

    `two_words`: rows have slots beyond the eighth.
    """
    s = U(seat)
    view.phase = phase
    view.held = held
    view.cards[0] = state.rows[s, 0] | state.no_cards[s, 0]
    if two_words:
        view.cards[1] = state.rows[s, 1] | state.no_cards[s, 1]
    holding = U(phase) << U(held & 63)
    view.unseen = ALL & ~(view.open | state.mine[s] | holding)


@device
def unseen_cards(cards, slots):
    """The cards in the slots (bytes) of a mask, as a set."""
    found = U(0)
    while slots:
        shift = U(lowest(slots))
        found |= U(1) << ((cards >> shift) & U(255))
        slots &= ~(U(255) << shift)
    return found


@device
def swap(state, seat, held, start, swaps, two_words):
    """Puts `held` into the slot `start` of the row and goes on for `swaps` >= 1 slots; returns the card held then.

    So the cards of these slots move up by one, all of them seen by their owner. `two_words`: rows have slots beyond
    the eighth.
    """
    s = U(seat)
    first, end = U(start), U(start + swaps)
    low = state.rows[s, 0]
    moved = BELOW[end, 0] & ~BELOW[first, 0]
    new = (low & ~moved) | ((low << U(8)) & moved & ~BELOW[first + U(1), 0])
    removed = (low >> U(8 * (start + swaps - 1))) & U(255)
    high = U(0)
    beyond = U(0)
    if two_words:
        high = state.rows[s, 1]
        beyond = BELOW[end, 1] & ~BELOW[first, 1]
        shifted = (high << U(8)) | (low >> U(56))
        new_high = (high & ~beyond) | (shifted & beyond & ~BELOW[first + U(1), 1])
        if start >= 8:
            new_high |= U(held) << U(8 * (start - 8))
        else:
            new |= U(held) << U(8 * start)
        if start + swaps > 8:
            removed = (high >> U(8 * (start + swaps - 9))) & U(255)
        state.rows[s, 1] = new_high
    else:
        new |= U(held) << U(8 * start)
    state.rows[s, 0] = new

    mine = state.mine[s] | (U(1) << U(held))
    if state.unknown[s] > 0:
        fresh = moved & state.no_cards[s, 0]
        fresh_high = beyond & state.no_cards[s, 1]
        mine |= unseen_cards(low, fresh) | unseen_cards(high, fresh_high)
        state.unknown[s] -= (count(fresh) + count(fresh_high)) >> 3
        state.no_cards[s, 0] &= ~moved
        state.no_cards[s, 1] &= ~beyond
    state.mine[s] = mine & ~(U(1) << removed)
    return np.int64(removed)


@device
def show(view, seat, turn, first, swaps, discarded, two_words):
    """Notes what all have seen of a turn; `first` is the card taken, NO_CARD for one drawn."""
    s, end = U(seat), U(swaps)
    view.reach[s] = max(view.reach[s], swaps)
    taken = np.int64(first != NO_CARD)
    view.history[U(turn) & U(HISTORY - 1)] = discarded + 64 * taken + 128 * swaps
    low = view.shown[s, 0]
    moved = BELOW[end, 0]
    view.shown[s, 0] = (low & ~moved) | (((low << U(8)) | U(first)) & moved)
    if two_words:
        high = view.shown[s, 1]
        moved = BELOW[end, 1]
        view.shown[s, 1] = (high & ~moved) | (((high << U(8)) | (low >> U(56))) & moved)


@outlined
def forget(view, state, seat):
    """With probability 1 - memory the seat forgets one of the slots it knows, each with the same chance."""
    known = view.row - state.unknown[seat]
    if state.memory[seat] >= 1.0 or known == 0 or unit(view) < state.memory[seat]:
        return
    pick = rng.below(view.lots[seat], known)
    for slot in range(view.row):
        word, shift = slot >> 3, U(8 * (slot & 7))
        if (state.no_cards[seat, word] >> shift) & U(1) == U(0):
            if pick == 0:
                state.mine[seat] &= ~(U(1) << ((state.rows[seat, word] >> shift) & U(255)))
                state.no_cards[seat, word] |= U(255) << shift
                state.unknown[seat] += 1
                return
            pick -= 1


@device
def total(view, state, seat):
    """What the row and the secret card of a seat are worth."""
    points = card_worth(view.worth, state.secrets[seat])
    for slot in range(view.row):
        points += card_worth(view.worth, slot_card(state.rows[seat], slot))
    return points
