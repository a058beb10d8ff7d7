"""Núlla: a rollout's decision, see `kernels.rollout`: the moves there are, and hidden cards dealt anew."""

from __future__ import annotations

import numpy as np

from kernels import rollout
from kernels.compile import outlined
from kernels.draw import ALL, CARDS, hand_out, mix
from kernels.nulla.state import DRAW, PUT_BACK, TURN, slot_card

U = np.uint64

#: kinds of decisions, as the game's row names them
SOURCE, CHAINED = 0, 1


@outlined
def list_moves(view, branch):
    """Lists the moves of the decision that the view shows.

    Of the moves that say the same in two ways one is listed: what ends the turn or draws. A chain that is looked at
    on its way (-k) and a draw without a look (BLIND + k) are not.
    """
    branch.seat = view.seat
    if view.phase == TURN:
        branch.kind = SOURCE
        rollout.list_move(branch, DRAW)
        if not view.take_must_swap:
            rollout.list_move(branch, PUT_BACK)
        for swaps in range(1, view.row + 1):
            rollout.list_move(branch, swaps)
    else:
        branch.kind = CHAINED
        for swaps in range(view.row - view.swaps + 1):
            rollout.list_move(branch, swaps)


@outlined
def deal_anew(view, state, branch, seat, held, place):
    """Deals the cards that `branch.observer` does not know anew; returns the card that `seat` holds then (-1: none).

    The stock are the cards of the deck from `place`. A card that was ever on the pile is there still, or all have seen
    which row it went into and how far it moved on. An observer in a seat also knows its secret card, its slots but
    those it never saw or forgot, and the card it holds. All other cards, in rows, secret, in the stock or held by
    another seat, have each place with the same chance. Which slots their owners know stays as it is: they know the
    new cards.

    What the choices of other seats tell of their cards (a chain that stopped, a discard not taken) is not modelled.
    """
    known = view.open
    if branch.observer >= 0:
        known |= state.mine[branch.observer]
        if branch.observer == seat and held >= 0:
            known |= U(1) << U(held)
    hidden = ALL & ~known
    mix(branch, hidden)
    for other in range(view.players):
        if (hidden >> U(state.secrets[other])) & U(1):
            state.secrets[other] = hand_out(branch)
        mine = U(1) << U(state.secrets[other])
        for slot in range(view.row):
            word, shift = slot >> 3, U(8 * (slot & 7))
            card = slot_card(state.rows[other], slot)
            if (hidden >> U(card)) & U(1):
                dealt = hand_out(branch)
                state.rows[other, word] ^= U(card ^ dealt) << shift
                card = dealt
            if (state.no_cards[other, word] >> shift) & U(1) == U(0):
                mine |= U(1) << U(card)
        state.mine[other] = mine
    view.secret = state.secrets[seat]
    if held >= 0 and (hidden >> U(held)) & U(1):
        held = hand_out(branch)
    for i in range(place, CARDS):
        state.deck[i] = hand_out(branch)
    return np.int64(held)
