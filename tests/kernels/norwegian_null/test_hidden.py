"""Hidden cards: whatever a seat has not seen changes neither its view nor any strategy's choice."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest

from kernels.draw import address
from kernels.norwegian_null import play, rules, state
from kernels.norwegian_null.plan import prepare
from kernels.norwegian_null.strategies import STRATEGIES
from tests.kernels.drawing import chooser, reader, write

pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")

STATES = np.zeros(1, state.STATE)


@numba.njit
def run(views, states, of_rules, null, sizes, deck, first, users):  # type: ignore[no-untyped-def]
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
    return play.play_turns(view, own, hidden, state.deal(view, hidden), users, None)


@numba.njit
def plan(views, states, of_rules):  # type: ignore[no-untyped-def]
    views[0].plan = address(states[0].plans)
    prepare(views[0].plan, views[0].worth, of_rules.cards, of_rules.players)


@cache
def scripted() -> tuple[Any, Any]:
    return reader(state.VIEW)


class Table:
    """A round played by hand: deck positions as the kernel lays them out, and what each seat has seen."""

    def __init__(self, given: dict[str, Any], sizes: list[int], deck: list[int], first: int) -> None:
        players, full = given["players"], given["cards"]
        self.given, self.seat, self.top = given, first, -1
        slots = [range(players + seat * full, players + (seat + 1) * full) for seat in range(players)]
        self.hands = [{deck[i] for i in slots[seat][: sizes[seat]]} for seat in range(players)]
        under = [deck[i] for seat in range(players) for i in slots[seat][sizes[seat] :]]
        self.stock = under + deck[players * (full + 1) :]  # drawn from the end
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


@pytest.mark.parametrize(("players", "cards"), [(3, 5), (4, 5), (6, 4), (3, 8)])
def test_hidden_cards_do_not_matter(players: int, cards: int) -> None:
    choosers = {strategy.name: chooser(strategy) for strategy in STRATEGIES}
    chosen = random.Random(players * cards)
    differing: dict[str, set[int]] = {name: set() for name in choosers}
    read, script = scripted()

    def paused(encoded: Any, null: int, sizes: list[int], deck: list[int], first: int, moves: list[int]) -> Any:
        write(script, moves)
        views = np.zeros(2, state.VIEW)
        sizes_of, deck_of = np.array(sizes), np.array(deck, np.uint8)
        assert not run(views, STATES, encoded, null, sizes_of, deck_of, first, (read,))
        assert script["next"][0] == len(moves)
        return views

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
    read, script = scripted()

    def bytes_of(deck: list[int]) -> bytes:
        write(script, [])
        views = np.zeros(2, state.VIEW)
        run(views, STATES, encoded, 12, np.array([5, 5, 5]), np.array(deck, np.uint8), 0, (read,))
        return views[:1].tobytes()

    plain = list(range(52))
    for a, b, seen in ((0, 1, False), (8, 30, False), (0, 3, True), (50, 51, True), (3, 4, False)):
        deck = list(plain)  # secret cards 0 1 2, hands 3-7 8-12 13-17, the stock from the end
        deck[a], deck[b] = deck[b], deck[a]
        assert (bytes_of(deck) != bytes_of(plain)) is seen
