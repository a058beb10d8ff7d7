"""Núlla played by hand: the kernel on a deck and moves of one's own, and beside it what lies where and who knows it."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numba
import numpy as np

from kernels import rollout
from kernels.nulla import play, state
from kernels.strategy import RAISED
from tests.kernels.drawing import STOP, reader, write

STATES = np.zeros(1, state.STATE)


@numba.njit
def run(views, states, of_rules, deck, first, users, branches):  # type: ignore[no-untyped-def]
    view, own, hidden = views[0], views[1], states[0]
    state.set_rules(view, of_rules)
    hidden.watched = 1
    for seat in range(4):
        hidden.codes[seat] = -1
    for i in range(52):
        hidden.deck[i] = deck[i]
    place = state.deal(view, hidden)
    return play.play_turns(view, own, hidden, first, place, users, rollout.branch_of(branches), None)


@cache
def scripted() -> tuple[Any, Any]:
    return reader(state.VIEW)


def paused(given: Any, deck: list[int], first: int, moves: list[int], branches: Any = None) -> Any:
    """The views when a game of these moves, from the start on, comes to its next decision. Hidden cards: STATES."""
    read, script = scripted()
    write(script, moves)
    views = np.zeros(2, state.VIEW)
    STATES["illegal"] = RAISED
    assert not run(views, STATES, given, np.array(deck, np.uint8), first, (read,), branches)
    assert STATES["illegal"][0] == STOP
    assert script["next"][0] == len(moves)
    return views


class Table:
    """A game's cards and what all have seen of them; `seen`: the cards that each seat has looked at."""

    def __init__(self, given: dict[str, Any], deck: list[int], first: int) -> None:
        players, size = given["players"], given["row"]
        self.given, self.seat = given, first
        self.rows = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
        rest = deck[players * size :]
        self.secrets, self.stock = rest[:players], rest[players:]
        self.pile = [self.stock.pop(0)] if given["initial_discard"] else []
        self.public = set(self.pile)  # cards that ever lay open
        self.known = [[False] * size for _ in range(players)]  # slots whose cards the owner has seen
        self.shown = [[False] * size for _ in range(players)]  # slots whose cards all have seen go there
        self.seen = [{secret} for secret in self.secrets]
        self.held: int | None = None
        self.held_shown = False
        self.swaps = 0

    def play(self, chosen: random.Random, decisions: int) -> list[int] | None:
        """Random moves, as many as asked for, up to the next decision; None if the game ends before."""
        moves: list[int] = []
        while self.stock:
            if self.pile and len(moves) == decisions:
                return moves
            taken = bool(self.pile) and chosen.random() < 0.4
            put_back = taken and not self.given["take_must_swap"] and chosen.random() < 0.2
            if self.pile and (put_back or not taken):
                moves.append(state.PUT_BACK if put_back else state.DRAW)
            self.held, self.held_shown, self.swaps = self.pile.pop() if taken else self.stock.pop(0), taken, 0
            self.seen[self.seat].add(self.held)
            ends, asked = put_back, not taken
            while not ends and self.swaps < self.given["row"]:
                if asked and len(moves) == decisions:
                    return moves
                more = chosen.randint(0 if asked else 1, self.given["row"] - self.swaps)
                asked, ends = True, more == 0 or chosen.random() < 0.5
                moves.append(more if ends else -more)
                for _ in range(more):
                    self._swap()
            self.pile.append(self.held)
            self.public.add(self.held)
            self.held = None
            self.seat = (self.seat + 1) % self.given["players"]
        return None

    def _swap(self) -> None:
        row, shown = self.rows[self.seat], self.shown[self.seat]
        assert self.held is not None
        row[self.swaps], self.held = self.held, row[self.swaps]
        shown[self.swaps], self.held_shown = self.held_shown, shown[self.swaps]
        self.known[self.seat][self.swaps] = True
        self.seen[self.seat].add(self.held)
        self.swaps += 1


def some_table(
    chosen: random.Random, given: dict[str, Any], deck: list[int], first: int, decisions: int
) -> tuple[Table, list[int]]:
    """A table after so many random moves, fewer if the game would have ended, and the moves."""
    while True:
        table = Table(given, deck, first)
        moves = table.play(chosen, decisions)
        if moves is not None:
            return table, moves
        decisions -= 5


def as_set(cards: set[int]) -> int:
    return sum(1 << card for card in cards)
