"""Hidden cards: whatever a seat has not seen changes neither its view nor any strategy's choice."""

from __future__ import annotations

import random
from typing import Any

import numba
import pytest

from kernels.draw import address
from kernels.norwegian_null import rules, state
from kernels.norwegian_null.plan import prepare
from kernels.norwegian_null.strategies import STRATEGIES
from tests.kernels.drawing import chooser
from tests.kernels.norwegian_null.by_hand import STATES, Table, as_set, paused

pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")


@numba.njit
def plan(views, states, of_rules):  # type: ignore[no-untyped-def]
    views[0].plan = address(states[0].plans)
    prepare(views[0].plan, views[0].worth, of_rules.cards, of_rules.players)


@pytest.mark.parametrize(("players", "cards"), [(3, 5), (4, 5), (6, 4), (3, 8)])
def test_hidden_cards_do_not_matter(players: int, cards: int) -> None:
    choosers = {strategy.name: chooser(strategy) for strategy in STRATEGIES}
    chosen = random.Random(players * cards)
    differing: dict[str, set[int]] = {name: set() for name in choosers}
    for _ in range(30):
        given = rules.complete(
            {
                "players": players,
                "cards": cards,
                "face_values": chosen.choice(["11-12-13", "10-10-10"]),
                "take_must_swap": chosen.random() < 0.7,
            }
        )
        encoded = rules.encode(given)
        deck = list(range(52))
        chosen.shuffle(deck)
        first, null = chosen.randrange(players), chosen.randrange(6, 13)
        sizes = [chosen.randint(1, cards) for _ in range(players)]
        table = Table(given, sizes, deck, first)
        moves = table.play(chosen, chosen.randrange(0, 20))
        seat = table.seat
        views = paused(encoded, null, sizes, deck, first, moves)
        view = views[0]
        unseen = ((1 << 52) - 1) & ~as_set(table.seen[seat] | table.public)
        assert (view["seat"], view["held"], view["top"]) == (seat, table.held, table.top)
        assert int(view["unseen"]) == unseen
        assert int(view["hand"]) == as_set(table.hands[seat])
        assert [int(shown) for shown in view["shown"][:players]] == [as_set(shown) for shown in table.shown]
        assert view["stock"] == len(table.stock)

        hidden = [card for card in range(52) if unseen >> card & 1]
        image = dict(zip(hidden, chosen.sample(hidden, len(hidden)), strict=True))
        other_deck = [image.get(card, card) for card in deck]
        assert other_deck != deck
        others = paused(encoded, null, sizes, other_deck, first, moves)
        assert views[:1].tobytes() == others[:1].tobytes()

        plan(views, STATES, encoded)
        others["plan"] = views["plan"]
        for name, choose in choosers.items():
            choice = choose(views)
            assert choice == choose(others), name
            assert choice == state.DRAW or int(view["choices"]) >> choice & 1
            differing[name].add(choice)
    assert all(len(choices) > 5 for choices in differing.values())


def test_seen_cards_do_matter() -> None:
    """The test above would notice a card that the view shows."""
    encoded = rules.encode(rules.complete({"players": 3}))

    def bytes_of(deck: list[int]) -> bytes:
        views: Any = paused(encoded, 12, [5, 5, 5], deck, 0, [])
        return bytes(views[:1].tobytes())

    plain = list(range(52))
    for a, b, seen in ((0, 1, False), (8, 30, False), (0, 3, True), (50, 51, True), (3, 4, False)):
        deck = list(plain)  # secret cards 0 1 2, hands 3-7 8-12 13-17, the stock from the end
        deck[a], deck[b] = deck[b], deck[a]
        assert (bytes_of(deck) != bytes_of(plain)) is seen
