"""Hidden cards: whatever a seat has not seen changes neither its view nor any strategy's choice."""

from __future__ import annotations

import random

import numba
import numpy as np
import pytest

from kernels.draw import address
from kernels.nulla import rules, state
from kernels.nulla.plan import prepare
from kernels.nulla.strategies import STRATEGIES
from tests.kernels.drawing import chooser
from tests.kernels.nulla.by_hand import STATES, as_set, paused, some_table

pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")


@numba.njit
def plan(views, states, of_rules):  # type: ignore[no-untyped-def]
    prepare(states[0].plan, views[0].worth, of_rules.row)
    views[0].plan = address(states[0].plan)


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
                "take_must_swap": chosen.random() < 0.7,
            }
        )
        encoded = rules.encode(given)
        deck = list(range(52))
        chosen.shuffle(deck)
        first = chosen.randrange(players)
        table, moves = some_table(chosen, given, deck, first, chosen.randrange(1, 45))
        seat = table.seat
        views = paused(encoded, deck, first, moves)
        view = views[0]
        unseen = ((1 << 52) - 1) & ~as_set(table.seen[seat] | table.public)
        assert view["seat"] == seat
        assert int(view["unseen"]) == unseen
        for slot, card in enumerate(table.rows[seat]):
            byte = int(view["cards"][slot // 8]) >> 8 * (slot % 8) & 255
            assert byte == (card if table.known[seat][slot] else state.NO_CARD)

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
