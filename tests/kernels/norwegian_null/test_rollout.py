"""Rollouts of the Norwegian Null: what an observer cannot know is dealt anew, uniformly; the views agree with it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from kernels.norwegian_null import rules, state
from kernels.rollout import ONLOOKER
from sim.engine import Engine
from sim.rollouts import Rollouts
from sim.scenario import scenario
from tests.kernels.branching import NEVER, branching, check_orders, check_places
from tests.kernels.norwegian_null.by_hand import STATES, Table, as_set, paused
from tests.kernels.norwegian_null.test_replay import NAMES, VALUES, fits
from tests.kernels.playing import any_rules

pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")

GAME = "norwegian-null"


@dataclass
class Cards:
    """Where the cards lie that do not lie face up; `held` is -1 for none."""

    hands: list[set[int]]
    secrets: list[int]
    held: int
    stock: list[int]

    def all(self) -> list[int]:
        """Every card."""
        hands = [card for hand in self.hands for card in hand]
        return hands + self.secrets + self.stock + ([self.held] if self.held >= 0 else [])

    def hidden(self, table: Table, observer: int) -> Cards:
        """The cards that the observer does not know, where they lie."""
        own = table.hands[observer] if observer >= 0 else set()
        hands = [hand - shown - own for hand, shown in zip(self.hands, table.shown, strict=True)]
        return Cards(hands, self.secrets, -1 if observer == table.seat else self.held, self.stock)


def in_kernel(view: Any, players: int) -> Cards:
    hidden = STATES[0]
    hands = [{card for card in range(52) if int(hidden["hands"][seat]) >> card & 1} for seat in range(players)]
    bottom = players * (int(view["cards"]) + 1) - sum(int(view["cards"]) - len(hand) for hand in hands)
    stock = hidden["deck"][bottom : bottom + int(view["stock"])]
    return Cards(hands, hidden["secrets"][:players].tolist(), int(view["held"]), stock.tolist())


PUBLIC = ("seat", "phase", "top", "stock", "open", "shown", "turn", "first", "round", "cards_of", "null", "worth")


@pytest.mark.parametrize(("players", "cards"), [(3, 5), (4, 5), (6, 4), (3, 8)])
def test_what_the_observer_knows_stays_and_the_rest_moves(players: int, cards: int) -> None:
    chosen = random.Random(10 * players + cards)
    for _ in range(25):
        given = rules.complete({"players": players, "cards": cards, "take_must_swap": chosen.random() < 0.7})
        encoded = rules.encode(given)
        deck = list(range(52))
        chosen.shuffle(deck)
        first, null = chosen.randrange(players), chosen.randrange(6, 13)
        sizes = [chosen.randint(1, cards) for _ in range(players)]
        table = Table(given, sizes, deck, first)
        moves = table.play(chosen, chosen.randrange(0, 30))
        before = paused(encoded, null, sizes, deck, first, moves, branching(NEVER, ONLOOKER))
        own = in_kernel(before[0], players)
        assert own == Cards(table.hands, table.secrets, table.held, table.stock)
        before["lots"] = 0
        for observer in (ONLOOKER, *range(players)):
            hidden = own.hidden(table, observer)
            dealt = []
            for number in range(12):
                after = paused(encoded, null, sizes, deck, first, moves, branching(len(moves), observer, number))
                found = in_kernel(after[0], players)
                view, seat = after[0], table.seat
                assert set(found.all()) == set(own.all())
                assert len(found.all()) == len(own.all())
                assert [len(hand) for hand in found.hands] == sizes
                assert all(shown <= hand for shown, hand in zip(table.shown, found.hands, strict=True))
                assert (found.held < 0) == (own.held < 0)
                assert len(found.stock) == len(own.stock)
                if observer >= 0:
                    assert found.hands[observer] == own.hands[observer]
                if observer == seat:
                    assert found.held == own.held
                    after["lots"] = 0
                    assert after[0].tobytes() == before[0].tobytes()
                for name in PUBLIC:
                    assert (view[name] == before[0][name]).all(), name
                assert int(view["hand"]) == as_set(found.hands[seat])
                got = {found.held if found.held >= 0 else table.top}
                back = got if found.held >= 0 or not given["take_must_swap"] else set()
                assert int(view["choices"]) == as_set(found.hands[seat] | back)
                assert int(view["unseen"]) == (1 << 52) - 1 - as_set(found.hands[seat] | got | table.public)
                dealt.append(found.hidden(table, observer))
            assert all(sorted(other.all()) == sorted(hidden.all()) for other in dealt)
            for places in zip(*([*other.secrets, *other.stock, other.held] for other in dealt), strict=True):
                assert len(set(places)) > 1 or places[0] < 0
            for seat in range(players):
                assert len({as_set(other.hands[seat]) for other in dealt}) > 1 or not hidden.hands[seat]


def one_card_each(decisions: int) -> tuple[list[int], list[int]]:
    """A deck, and moves of three players of one card: seat 2 takes what seat 1 laid, else all lay what they draw."""
    deck = np.random.default_rng(1).permutation(52).tolist()  # secret cards, hands, then the stock from its bottom
    moves = [deck[51], state.DRAW, deck[50], deck[5]]
    for place in range(49, 5, -1):
        moves += [state.DRAW, deck[place]]
    return deck, moves[:decisions]


@pytest.mark.parametrize("drawn", [False, True])
def test_few_hidden_cards_come_in_every_order(drawn: bool) -> None:
    """The last turn, of seat 1, as seat 0 sees it: before and after the last card is drawn."""
    encoded = rules.encode(rules.complete({"players": 3, "cards": 1}))
    deck, moves = one_card_each(4 + 2 * 43 + drawn)
    orders = []
    for number in range(7000):
        views = paused(encoded, 12, [1, 1, 1], deck, 0, moves, branching(len(moves), 0, number))
        cards = in_kernel(views[0], 3)
        assert (views["seat"][0], cards.held >= 0) == (1, drawn)
        assert (cards.hands[0], cards.hands[2]) == ({deck[3]}, {deck[50]})
        last = [cards.held] if drawn else cards.stock
        orders.append((*cards.hands[1], *cards.secrets, *last))
    check_orders(orders)


@pytest.mark.parametrize("observer", [ONLOOKER, 0, 1])
def test_every_card_has_the_same_chance_of_every_place(observer: int) -> None:
    encoded = rules.encode(rules.complete({"players": 3, "cards": 1}))
    deck, moves = one_card_each(7)
    orders = []
    for number in range(3000):
        views = paused(encoded, 12, [1, 1, 1], deck, 0, moves, branching(len(moves), observer, number))
        assert views["seat"][0] == 1
        cards = in_kernel(views[0], 3)
        hands = [card for seat in {0, 1} - {observer} for card in cards.hands[seat]]
        held = [] if observer == 1 else [cards.held]
        orders.append((*hands, *held, *cards.secrets, *cards.stock))
    assert len(orders[0]) == {ONLOOKER: 48, 0: 47, 1: 46}[observer]
    check_places(orders)


def test_rollouts_of_a_number_share_their_cards_whatever_is_done() -> None:
    """The same stock, secret cards, hands of the others and lots after any move; others for other numbers."""
    encoded = rules.encode(rules.complete({"players": 3, "cards": 5}))
    deck = np.random.default_rng(2).permutation(52).tolist()
    before = [deck[51], state.DRAW, deck[50]]
    deals = []
    for number in (3, 4):
        found = []
        for move in (state.DRAW, *deck[13:18]):  # seat 2 draws, or takes for a card of its hand
            after = [] if move == state.DRAW else [state.DRAW]  # then seat 0 draws
            branches = branching(3, 2, number, move=move)
            views = paused(encoded, 12, [5, 5, 5], deck, 0, before + after, branches)
            assert branches["made"][0] == 5 + len(after)
            cards = in_kernel(views[0], 3)
            lots = views["lots"][0, :3].tolist()
            found.append((cards.stock, cards.held, cards.secrets, cards.hands[:2], lots))
            assert (cards.hands[2] == set(deck[13:18])) == (move == state.DRAW)
        assert all(deal == found[0] for deal in found)
        deals.append(found[0])
    assert deals[0] != deals[1]
    assert len({tuple(stream) for deal in deals for stream in deal[-1]}) == 6


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_under_any_rules_the_game_itself(players: int) -> None:
    rounds = 0
    for seed in range(15):
        given = any_rules(seed, VALUES | {"players": [players]}, fits)
        chosen = np.random.default_rng([players, seed])
        names = [NAMES[k] for k in chosen.integers(len(NAMES), size=players)]
        engine = Engine(scenario(game=GAME, rules=given, strategies=names, seatings="fixed", seed=seed))
        one = Rollouts(engine)
        rows, decisions = one.game(seed)
        assert (rows == engine.play(seed, seed + 1).games).all()
        for at in chosen.integers(decisions, size=4).tolist():
            found = one.decision(seed, at)
            assert (state.DRAW in found.moves) == (found.kind == 0)
            for move in (None, *found.moves):
                forced = {} if move is None else {"move": move}
                outcomes = one.outcomes(seed, at, 3, observer=found.seat, **forced)
                assert (outcomes[4].sum(axis=1) == 60).all()
                rounds += len(np.unique(outcomes[6])) > 1
            one.outcomes(seed, at, 3)
    assert rounds > 0


@pytest.mark.parametrize("strategy", ["greedy", "stand"])
def test_decisions_are_counted(strategy: str) -> None:
    """Two in every turn of who always draws, but one in the first of a round."""
    one = Rollouts(Engine(scenario(game=GAME, strategies=strategy, seatings="fixed")))
    for block in range(5):
        rows, decisions = one.game(block)
        assert decisions == 2 * rows[10].sum() - rows[6, 0]
