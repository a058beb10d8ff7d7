"""Hidden cards: whatever a seat has not seen changes neither its view nor any strategy's choice."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest

from kernels.draw import address
from kernels.nulla import play, rules, state
from kernels.nulla.plan import prepare
from kernels.nulla.strategies import STRATEGIES
from tests.kernels.drawing import chooser, reader, write


@numba.njit
def run(views, states, of_rules, deck, place, users):  # type: ignore[no-untyped-def]
    view, own, hidden = views[0], views[1], states[0]
    state.set_rules(view, of_rules)
    hidden.watched = 1
    for seat in range(4):
        hidden.codes[seat] = -1
    for i in range(52):
        hidden.deck[i] = deck[i]
    return play.play_turns(view, own, hidden, place, state.deal(view, hidden), users, None)


@numba.njit
def plan(views, states, of_rules):  # type: ignore[no-untyped-def]
    prepare(states[0].plan, views[0].worth, of_rules.row)
    views[0].plan = address(states[0].plan)


@cache
def scripted() -> tuple[Any, Any]:
    return reader(state.VIEW)


pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")

STATES = np.zeros(1, state.STATE)


def paused(given: Any, deck: list[int], first: int, moves: list[int]) -> Any:
    """The views when a game of these moves, from the start on, comes to its next decision."""
    read, script = scripted()
    write(script, moves)
    views = np.zeros(2, state.VIEW)
    assert not run(views, STATES, given, np.array(deck, np.uint8), first, (read,))
    assert script["next"][0] == len(moves)
    return views


def random_moves(
    chosen: random.Random, given: dict[str, Any], deck: list[int], first: int, decisions: int
) -> tuple[list[int], int, set[int], list[int | None]]:
    """Random moves; then the seat to move, the cards it has seen, and its row (None: not known)."""
    players, size = given["players"], given["row"]
    rows = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
    known: list[list[int | None]] = [[None] * size for _ in range(players)]
    rest = deck[players * size :]
    seen = [{rest[seat]} for seat in range(players)]
    rest = rest[players:]
    pile: list[int] = []
    public: set[int] = set()
    if given["initial_discard"]:
        pile.append(rest.pop(0))
        public.add(pile[0])
    moves: list[int] = []
    seat = first
    while True:
        if pile:
            if len(moves) == decisions:
                return moves, seat, seen[seat] | public, known[seat]
            taken = chosen.random() < 0.4
            if not taken:
                moves.append(state.DRAW)
        else:
            taken = False
        held = pile.pop() if taken else rest.pop(0)
        seen[seat].add(held)
        slot, ends = 0, False
        asked = not taken
        while not ends and slot < size:
            if asked and len(moves) == decisions:
                return moves, seat, seen[seat] | public, known[seat]
            asked = True
            low = 1 if taken and slot == 0 else 0
            swaps = chosen.randint(low, size - slot)
            ends = swaps == 0 or chosen.random() < 0.5
            moves.append(swaps if ends else -swaps)
            for _ in range(swaps):
                known[seat][slot] = held
                held, rows[seat][slot] = rows[seat][slot], held
                seen[seat].add(held)
                slot += 1
        pile.append(held)
        public.add(held)
        if not rest:
            return random_moves(chosen, given, deck, first, decisions - 5)
        seat = (seat + 1) % players


def as_set(cards: set[int]) -> int:
    return sum(1 << card for card in cards)


@pytest.mark.parametrize(("players", "row"), [(2, 6), (3, 5), (4, 6), (2, 12), (3, 12)])
def test_hidden_cards_do_not_matter(players: int, row: int) -> None:
    choosers = {strategy.name: chooser(strategy) for strategy in STRATEGIES}
    chosen = random.Random(players * row)
    differing: dict[str, set[int]] = {name: set() for name in choosers}
    for _ in range(25):
        given = rules.complete(
            {
                "players": players,
                "row": row,
                "zero_rank": chosen.choice(["9", None, "A", "T"]),
                "initial_discard": chosen.random() < 0.7,
            }
        )
        encoded = rules.encode(given)
        deck = list(range(52))
        chosen.shuffle(deck)
        first = chosen.randrange(players)
        moves, seat, seen, known = random_moves(chosen, given, deck, first, chosen.randrange(1, 45))
        views = paused(encoded, deck, first, moves)
        view = views[0]
        unseen = ((1 << 52) - 1) & ~as_set(seen)
        assert view["seat"] == seat
        assert int(view["unseen"]) == unseen
        for slot, card in enumerate(known):
            byte = int(view["cards"][slot // 8]) >> 8 * (slot % 8) & 255
            assert byte == (state.NO_CARD if card is None else card)

        hidden = [card for card in range(52) if unseen >> card & 1]
        image = dict(zip(hidden, chosen.sample(hidden, len(hidden)), strict=True))
        other_deck = [image.get(card, card) for card in deck]
        assert other_deck != deck
        others = paused(encoded, other_deck, first, moves)
        assert views[:1].tobytes() == others[:1].tobytes()

        plan(views, STATES, encoded)
        others["plan"] = views["plan"]
        for name, choose in choosers.items():
            choice = choose(views)
            assert choice == choose(others), name
            differing[name].add(choice)
    assert all(len(choices) > 1 for name, choices in differing.items() if name != "stand")


def test_a_blind_draw_is_a_draw_and_a_chain() -> None:
    given = rules.encode(rules.complete({"players": 3}))
    deck = list(np.random.default_rng(3).permutation(52))
    looking = paused(given, deck, 1, [state.DRAW, 3, 2, state.DRAW, 0, state.DRAW, -1, -2, 0])
    blind = paused(given, deck, 1, [state.BLIND + 3, 2, state.BLIND, state.BLIND + 3])
    assert looking[:1].tobytes() == blind[:1].tobytes()


def test_seen_cards_do_matter() -> None:
    """The test above would notice a card that the view shows."""
    given = rules.encode(rules.complete({}))
    deck = list(range(52))
    views = paused(given, deck, 0, [])
    for a, b, seen in ((0, 13, False), (15, 16, False), (12, 13, True), (14, 15, True)):
        exchanged = list(deck)  # in the deck of 2 x 6 cards: secret cards 12 and 13, discard 14
        exchanged[a], exchanged[b] = exchanged[b], exchanged[a]
        assert (paused(given, exchanged, 0, [])[:1].tobytes() != views[:1].tobytes()) is seen
