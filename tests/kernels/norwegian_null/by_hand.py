"""A round of Null from Norway played by hand: the kernel on a deck and moves of one's own, and what each seat sees."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numba
import numpy as np

from kernels import rollout
from kernels.norwegian_null import play, state
from kernels.strategy import RAISED
from tests.kernels.drawing import STOP, reader, write

STATES = np.zeros(1, state.STATE)


@numba.njit
def run(views, states, of_rules, null, sizes, deck, first, users, branches):  # type: ignore[no-untyped-def]
    view, own, hidden = views[0], views[1], states[0]
    state.set_rules(view, of_rules)
    view.null = null
    view.first = first
    view.worth = state.WORTH[of_rules.face_values, null]
    for seat in range(of_rules.players):
        hidden.codes[seat] = -1
        hidden.sizes[seat] = sizes[seat]
    for i in range(52):
        hidden.deck[i] = deck[i]
    bottom = state.deal(view, hidden)
    return play.play_turns(view, own, hidden, bottom, users, rollout.branch_of(branches), None)


@cache
def scripted() -> tuple[Any, Any]:
    return reader(state.VIEW)


def paused(
    given: Any, null: int, sizes: list[int], deck: list[int], first: int, moves: list[int], branches: Any = None
) -> Any:
    """The views when a round of these moves, from the deal on, comes to its next decision. Hidden cards: STATES."""
    read, script = scripted()
    write(script, moves)
    views = np.zeros(2, state.VIEW)
    STATES["illegal"] = RAISED
    assert not run(views, STATES, given, null, np.array(sizes), np.array(deck, np.uint8), first, (read,), branches)
    assert STATES["illegal"][0] == STOP
    assert script["next"][0] == len(moves)
    return views


class Table:
    """A round's cards and what each seat has seen of them; the deck's places are those of the kernel."""

    def __init__(self, given: dict[str, Any], sizes: list[int], deck: list[int], first: int) -> None:
        players, full = given["players"], given["cards"]
        self.given, self.seat, self.top = given, first, -1
        slots = [range(players + seat * full, players + (seat + 1) * full) for seat in range(players)]
        self.hands = [{deck[i] for i in slots[seat][: sizes[seat]]} for seat in range(players)]
        under = [deck[i] for seat in range(players) for i in slots[seat][sizes[seat] :]]
        self.stock = under + deck[players * (full + 1) :]  # drawn from the end
        self.secrets = deck[:players]
        self.held = -1
        self.seen = [set(hand) for hand in self.hands]
        self.public: set[int] = set()
        self.shown: list[set[int]] = [set() for _ in range(players)]

    def play(self, chosen: random.Random, decisions: int) -> list[int]:
        """Random moves, as many as asked for; `held` is then the card drawn, or -1."""
        moves: list[int] = []
        while True:
            hand = self.hands[self.seat]
            taken = False
            if self.top >= 0:
                self.held = -1
                if len(moves) == decisions:
                    return moves
                taken = chosen.random() < 0.4
            if taken:
                self.shown[self.seat].add(self.top)
                hand.add(self.top)
                back = {self.top} if self.given["take_must_swap"] else set()
                laid = chosen.choice(sorted(hand - back))
            else:
                if self.top >= 0:
                    moves.append(state.DRAW)
                self.held = self.stock.pop()
                self.seen[self.seat].add(self.held)
                if len(moves) == decisions:
                    return moves
                hand.add(self.held)
                laid = chosen.choice(sorted(hand))
            moves.append(laid)
            hand.remove(laid)
            self.shown[self.seat].discard(laid)
            self.public.add(laid)
            self.top = laid
            self.seat = (self.seat + 1) % self.given["players"]


def as_set(cards: set[int]) -> int:
    return sum(1 << card for card in cards)
