"""Rollouts of Núlla: what an observer cannot know is dealt anew, uniformly; all else stays, and the views agree."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from kernels.nulla import rules, state
from kernels.rollout import ONLOOKER
from sim.engine import Engine
from sim.rollouts import Rollouts
from sim.scenario import scenario
from tests.kernels.branching import NEVER, branching, check_orders, check_places
from tests.kernels.nulla.by_hand import STATES, Table, paused, some_table
from tests.kernels.nulla.test_replay import NAMES, VALUES, fits
from tests.kernels.playing import any_rules

pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")

GAME = "nulla"

#: where a card can be hidden: ("row", seat, slot), ("secret", seat), ("held",), ("stock", from its top)
Place = tuple[Any, ...]


def in_kernel(view: Any, players: int, row: int) -> dict[Place, int]:
    """Where the kernel has its cards but for the pile."""
    hidden = STATES[0]
    found: dict[Place, int] = {("secret", seat): int(hidden["secrets"][seat]) for seat in range(players)}
    for seat in range(players):
        for slot in range(row):
            found["row", seat, slot] = int(hidden["rows"][seat][slot // 8]) >> 8 * (slot % 8) & 255
    if view["held"] >= 0:
        found[("held",)] = int(view["held"])
    stock = hidden["deck"][52 - int(view["stock"]) :]
    return found | {("stock", k): int(card) for k, card in enumerate(stock)}


def on_table(table: Table) -> dict[Place, int]:
    """Where the table has its cards but for the pile."""
    found: dict[Place, int] = {("secret", seat): card for seat, card in enumerate(table.secrets)}
    for seat, row in enumerate(table.rows):
        found |= {("row", seat, slot): card for slot, card in enumerate(row)}
    if table.held is not None:
        found[("held",)] = table.held
    return found | {("stock", k): card for k, card in enumerate(table.stock)}


def knows(table: Table, observer: int, place: Place) -> bool:
    """Whether the observer knows which card lies in a place."""
    if place[0] == "row":
        _, seat, slot = place
        return table.shown[seat][slot] or (seat == observer and table.known[seat][slot])
    if place[0] == "held":
        return table.held_shown or table.seat == observer
    return place[0] == "secret" and place[1] == observer


def check_views(view: Any, cards: Mapping[Place, int], table: Table) -> None:
    """Assert that the deciding seat is shown its part of these cards, and what owners know is what lies there."""
    players, row = table.given["players"], table.given["row"]
    for seat in range(players):
        own = {cards["secret", seat]} | {cards["row", seat, slot] for slot in range(row) if table.known[seat][slot]}
        assert int(STATES[0]["mine"][seat]) == sum(1 << card for card in own)
        assert STATES[0]["unknown"][seat] == table.known[seat].count(False)
        for slot in range(row):
            assert (int(STATES[0]["no_cards"][seat][slot // 8]) >> 8 * (slot % 8) & 255 == 0) == table.known[seat][slot]
    seat = table.seat
    assert view["secret"] == cards["secret", seat]
    own = {cards["secret", seat]}
    for slot in range(row):
        shown = int(view["cards"][slot // 8]) >> 8 * (slot % 8) & 255
        assert shown == (cards["row", seat, slot] if table.known[seat][slot] else state.NO_CARD)
        own |= {shown} - {state.NO_CARD}
    own |= {cards[("held",)]} if ("held",) in cards else set()
    assert int(view["unseen"]) == (1 << 52) - 1 - sum(1 << card for card in own | table.public)


PUBLIC = ("seat", "phase", "taken", "swaps", "stock", "pile", "discards", "open", "turn", "shown", "reach", "history")


@pytest.mark.parametrize(("players", "row"), [(2, 6), (3, 5), (4, 6), (2, 12), (3, 12)])
def test_what_the_observer_knows_stays_and_the_rest_moves(players: int, row: int) -> None:
    chosen = random.Random(10 * players + row)
    for _ in range(25):
        given = rules.complete(
            {
                "players": players,
                "row": row,
                "initial_discard": chosen.random() < 0.7,
                "take_must_swap": chosen.random() < 0.7,
            }
        )
        encoded = rules.encode(given)
        deck = list(range(52))
        chosen.shuffle(deck)
        first = chosen.randrange(players)
        table, moves = some_table(chosen, given, deck, first, chosen.randrange(1, 60))
        before = paused(encoded, deck, first, moves, branching(NEVER, ONLOOKER))
        own = on_table(table)
        assert in_kernel(before[0], players, row) == own
        for observer in (ONLOOKER, *range(players)):
            hidden = [place for place in own if not knows(table, observer, place)]
            assert len(hidden) > 1
            moved: dict[Place, set[int]] = {place: set() for place in hidden}
            for number in range(12):
                after = paused(encoded, deck, first, moves, branching(len(moves), observer, number))
                found = in_kernel(after[0], players, row)
                assert found.keys() == own.keys()
                assert {found[place] for place in hidden} == {own[place] for place in hidden}
                assert all(found[place] == card for place, card in own.items() if place not in moved)
                check_views(after[0], found, table)
                for name in PUBLIC:
                    assert (after[0][name] == before[0][name]).all(), name
                if observer == table.seat:
                    after["lots"], before["lots"] = 0, 0
                    assert after[0].tobytes() == before[0].tobytes()
                for place in hidden:
                    moved[place].add(found[place])
            assert all(len(cards) > 1 for cards in moved.values())


@pytest.mark.parametrize("chain", [False, True])
def test_few_hidden_cards_come_in_every_order(chain: bool) -> None:
    """Seat 0 knows its row, seat 1 has taken three discards; the stock runs out."""
    given = rules.complete({"row": 5})
    moves = [state.DRAW, 5, 1, state.DRAW, 0, 2, state.DRAW, 0, 3]
    moves += [state.DRAW, 0] * 34
    if chain:  # seat 1 holds a card of the stock, so that one more is hidden and one less in the stock
        moves += [1, state.DRAW]
    deck = list(np.random.default_rng(1).permutation(52))
    orders = []
    for number in range(7000):
        views = paused(rules.encode(given), deck, 0, moves, branching(len(moves), 0, number))
        assert (views["seat"][0], views["stock"][0], views["phase"][0]) == (int(chain), 2 - chain, int(chain))
        cards = in_kernel(views[0], 2, 5)
        places: list[Place] = [("row", 1, 3), ("row", 1, 4), ("secret", 1), ("stock", 0)]
        orders.append(tuple(cards[place] for place in [*places, ("held",) if chain else ("stock", 1)]))
    check_orders(orders)


@pytest.mark.parametrize("observer", [ONLOOKER, 0, 2])
def test_every_card_has_the_same_chance_of_every_place(observer: int) -> None:
    given = rules.complete({"players": 3, "row": 5})
    moves = [state.DRAW, -2, 1, 2, state.DRAW, -1]
    deck = list(np.random.default_rng(2).permutation(52))
    table = Table(given, deck, 1)
    first = paused(rules.encode(given), deck, 1, moves, branching(NEVER, observer))
    assert first["seat"][0] == 0
    assert first["taken"][0] == 0
    assert table.pile
    orders = []
    for number in range(3000):
        views = paused(rules.encode(given), deck, 1, moves, branching(len(moves), observer, number))
        cards = in_kernel(views[0], 3, 5)
        orders.append(cards)
    hidden = [place for place in orders[0] if len({cards[place] for cards in orders}) > 1]
    # taken by seat 2: the discard of seat 1, in its first slot
    assert len(hidden) == {ONLOOKER: 49, 0: 49 - 3, 2: 49 - 2}[observer]
    check_places([tuple(cards[place] for place in hidden) for cards in orders])


@pytest.mark.parametrize(
    ("moves", "place"),
    [
        ([-1], ("row", 0, 0)),
        ([1, state.DRAW, 0, state.DRAW, -1], ("held",)),
        ([1, state.DRAW, 0, state.DRAW, -2], ("row", 0, 1)),
    ],
)
def test_a_taken_card_stays_in_sight_while_a_chain_moves_it(moves: list[int], place: Place) -> None:
    given = rules.encode(rules.complete({"players": 2, "row": 5}))
    deck = list(np.random.default_rng(3).permutation(52))
    others = set()
    for number in range(10):
        views = paused(given, deck, 0, moves, branching(len(moves), ONLOOKER, number))
        cards = in_kernel(views[0], 2, 5)
        assert cards[place] == deck[12]
        others.add(cards["row", 0, 2])
    assert len(others) > 1


@pytest.fixture
def forgetful() -> Iterator[None]:
    """Seat 0 forgets a slot before each of its turns."""
    STATES["forgetful"] = 1
    STATES["memory"] = [0.0, 1.0, 1.0, 1.0]
    yield
    STATES["forgetful"] = 0


@pytest.mark.usefixtures("forgetful")
def test_what_an_observer_has_forgotten_is_dealt_anew() -> None:
    given = rules.encode(rules.complete({"players": 2, "row": 6}))
    deck = list(np.random.default_rng(4).permutation(52))
    moves = [state.DRAW, 6, state.DRAW, 0]
    own = in_kernel(paused(given, deck, 0, moves, branching(NEVER, ONLOOKER))[0], 2, 6)
    unknown = int(STATES["no_cards"][0, 0, 0])
    (forgotten,) = (slot for slot in range(6) if unknown >> 8 * slot & 255)
    slots, secrets = set(), set()
    for number in range(60):
        cards = in_kernel(paused(given, deck, 0, moves, branching(4, 0, number))[0], 2, 6)
        assert int(STATES["no_cards"][0, 0, 0]) == unknown
        for slot in {*range(6)} - {forgotten}:
            assert cards["row", 0, slot] == own["row", 0, slot]
        slots.add(cards["row", 0, forgotten])
        secrets.add(cards["secret", 1])
    assert min(len(slots), len(secrets)) > 20
    assert not slots & {own["row", 0, slot] for slot in {*range(6)} - {forgotten}}


@pytest.mark.usefixtures("forgetful")
def test_what_all_have_seen_stays_though_its_owner_forgot_it() -> None:
    given = rules.encode(rules.complete({"players": 2, "row": 6}))
    deck = list(np.random.default_rng(5).permutation(52))
    moves = [1, state.DRAW, 0]
    for number in range(10):
        views = paused(given, deck, 0, moves, branching(3, 0, number))
        assert int(views["cards"][0, 0]) & 255 == state.NO_CARD
        assert in_kernel(views[0], 2, 6)["row", 0, 0] == deck[14]


def test_rollouts_of_a_number_share_their_cards_whatever_is_done() -> None:
    """The same stock and the same cards of the others after any move, and the same lots; others for other numbers."""
    given = rules.encode(rules.complete({"players": 3, "row": 5}))
    deck = list(np.random.default_rng(6).permutation(52))
    before = [state.DRAW, 2, 1]
    deals = []
    for number in (3, 4):
        found = []
        for move in (state.DRAW, 1, 2, 5):
            after = [] if move == state.DRAW else [state.DRAW]
            branches = branching(3, 0, number, move=move)
            views = paused(given, deck, 0, before + after, branches)
            assert branches["made"][0] == 4 + len(after) + 1
            cards = in_kernel(views[0], 3, 5)
            stock = [cards["stock", k] for k in range(int(views["stock"][0]))]
            drawn = [cards[("held",)]]
            kept = [cards["row", seat, slot] for seat in (0, 1) for slot in range(5)]
            secrets = [cards["secret", seat] for seat in range(3)]
            found.append((drawn + stock, kept, secrets, views["lots"][0, :3].tolist()))
        assert all(deal == found[0] for deal in found)
        deals.append(found[0])
    assert deals[0] != deals[1]
    assert len({tuple(stream) for deal in deals for stream in deal[-1]}) == 6


@pytest.mark.parametrize("players", [2, 3, 4])
def test_under_any_rules_the_game_itself(players: int) -> None:
    for seed in range(25):
        given = any_rules(seed, VALUES | {"players": [players]}, fits)
        chosen = np.random.default_rng([players, seed])
        names = [NAMES[k] for k in chosen.integers(len(NAMES), size=players)]
        engine = Engine(scenario(game=GAME, rules=given, strategies=names, seatings="fixed", seed=seed))
        one = Rollouts(engine)
        rows, decisions = one.game(seed)
        assert (rows == engine.play(seed, seed + 1).games).all()
        for at in chosen.integers(decisions, size=4).tolist():
            found = one.decision(seed, at)
            if found.kind == 0:
                back = set() if given["take_must_swap"] else {state.PUT_BACK}
                assert set(found.moves) == {state.DRAW, *range(1, given["row"] + 1)} | back
            else:
                assert found.moves == tuple(range(found.moves[-1] + 1))
            for observer in (ONLOOKER, *range(players)):
                for move in found.moves:
                    outcomes = one.outcomes(seed, at, 3, observer=observer, move=move)
                    assert (outcomes[4].sum(axis=1) == 60).all()
                    assert (outcomes[8] >= 0).all()


@pytest.mark.parametrize("initial", [False, True])
def test_decisions_are_counted(initial: bool) -> None:
    """Two in every turn of who always draws and looks, but one in a first turn without a discard."""
    rule = {"initial_discard": initial}
    one = Rollouts(Engine(scenario(game=GAME, rules=rule, strategies="shift", seatings="fixed")))
    for block in range(5):
        rows, decisions = one.game(block)
        assert decisions == 2 * rows[8].sum() - (not initial)
