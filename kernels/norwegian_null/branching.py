"""Null from Norway: a rollout's decision, see `kernels.rollout`: the moves there are, and hidden cards dealt anew."""

from __future__ import annotations

import numpy as np

from kernels import rollout
from kernels.bits import count
from kernels.compile import outlined
from kernels.draw import ALL, hand_out, mix
from kernels.norwegian_null.state import DRAW, TURN

U = np.uint64

#: kinds of decisions, as the game's row names them
SOURCE, LAYING = 0, 1


@outlined
def list_moves(view, branch):
    """Lists the moves of the decision that the view shows."""
    branch.seat = view.seat
    branch.kind = LAYING
    if view.phase == TURN:
        branch.kind = SOURCE
        rollout.list_move(branch, DRAW)
    rollout.list_cards(branch, view.choices)


@outlined
def deal_anew(view, state, branch, seat, held, bottom, place):
    """Deals the cards that `branch.observer` does not know anew; returns the card that `seat` drew (-1: none).

    The stock are the cards of the deck from `bottom` up to `place`, without it. A card that ever lay face up lies there
    still, or all have seen which hand it went into. An observer in a seat also knows its hand and the card it drew,
    but no secret card, not even its own. All other cards, in hands, secret, in the stock or just drawn by another
    seat, have each place with the same chance.

    What the choices of other seats tell of their cards (a face-up card not taken, what was laid down) is not modelled.
    """
    known = view.open
    if branch.observer >= 0:
        known |= state.hands[branch.observer]
        if branch.observer == seat and held >= 0:
            known |= U(1) << U(held)
    mix(branch, ALL & ~known)
    for other in range(view.players):
        state.secrets[other] = hand_out(branch)
        kept = state.hands[other] & known
        for _ in range(count(state.hands[other] & ~known)):
            kept |= U(1) << U(hand_out(branch))
        state.hands[other] = kept
    if held >= 0 and not (known >> U(held)) & U(1):
        held = hand_out(branch)
    for i in range(bottom, place):
        state.deck[i] = hand_out(branch)
    return np.int64(held)
