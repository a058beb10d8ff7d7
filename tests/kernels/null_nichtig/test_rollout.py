"""Rollouts of Null & Nichtig: other hands and the undealt cards are dealt anew, uniformly; all else stays."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from kernels import rollout
from kernels.null_nichtig import play, state
from kernels.null_nichtig.cards import CARDS, COLOURS
from kernels.null_nichtig.rules import TABLE, complete, encode
from kernels.rollout import ONLOOKER
from kernels.strategy import RAISED
from sim.engine import Engine
from sim.rollouts import Rollouts
from sim.scenario import scenario
from tests.kernels.branching import NEVER, UNLIKELY, branching
from tests.kernels.drawing import STOP, reader, write
from tests.kernels.null_nichtig.interpreted import as_set, cards_of

pytestmark = pytest.mark.filterwarnings("ignore:First-class function type")

GAME = "null-nichtig"
STATES = np.zeros(1, state.STATE)

#: every card, equal ones twice
PACK = [card for card in range(CARDS) for _ in range(2 if card < COLOURS else 1)]


@numba.njit
def run(views, states, of_rules, hands, twins, first, users, branches):  # type: ignore[no-untyped-def]
    view, own, hidden = views[0], views[1], states[0]
    state.set_rules(view, of_rules)
    for seat in range(of_rules.players):
        hidden.codes[seat] = -1
        hidden.hands[seat] = hands[seat]
        hidden.twins[seat] = twins[seat]
    state.note_undealt(hidden, branches[0], of_rules.players)
    return play.play_round(view, own, hidden, first, users, rollout.branch_of(branches), None)


@cache
def scripted() -> tuple[Any, Any]:
    return reader(state.VIEW)


class Deal:
    """A round's hands, and the moves made so far."""

    def __init__(self, rules: dict[str, Any], seed: int) -> None:
        self.chosen = random.Random(seed)
        self.rules = complete(rules)
        self.players, each = self.rules["players"], TABLE[self.rules["players"]][0]
        deck = self.chosen.sample(PACK, len(PACK))
        self.hands = [sorted(deck[seat * each : (seat + 1) * each]) for seat in range(self.players)]
        self.first = self.chosen.randrange(self.players)
        self.moves: list[int] = []

    def paused(self, branches: Any) -> Any:
        """The view at the decision after these moves. Hidden cards: STATES and `branches`."""
        read, script = scripted()
        write(script, self.moves)
        views = np.zeros(2, state.VIEW)
        STATES["illegal"] = RAISED
        words = np.array([as_set(hand) for hand in self.hands], np.uint64)
        encoded = encode(self.rules)
        assert not run(views, STATES, encoded, words[:, 0].copy(), words[:, 1].copy(), self.first, (read,), branches)
        assert STATES["illegal"][0] == STOP
        assert script["next"][0] == len(self.moves)
        views["lots"] = 0
        return views[:1]

    def play(self, decisions: int) -> None:
        """Random moves, as many as asked for."""
        while len(self.moves) < decisions:
            view = self.paused(branching(NEVER, ONLOOKER))
            self.moves.append(self.chosen.choice(cards_of(view["hand"][0], view["twins"][0])))


def hands_now(players: int) -> list[list[int]]:
    return [cards_of(STATES["hands"][0, seat], STATES["twins"][0, seat]) for seat in range(players)]


def undealt(branches: Any) -> list[int]:
    return sorted(branches["deck"][0, : branches["size"][0]].tolist())


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_what_the_observer_knows_stays_and_the_rest_moves(players: int) -> None:
    chosen = random.Random(players)
    each = TABLE[players][0]
    for seed in range(12):
        rules = {"players": players, "starter_selection": chosen.choice(["simultaneous", "sequential"])}
        deal = Deal(rules, 100 * players + seed)
        deal.play(chosen.randrange(players * (each - 2)))
        branches = branching(NEVER, ONLOOKER)
        before = deal.paused(branches)
        own, rest = hands_now(players), undealt(branches)
        dealt_out = [card for hand in own for card in hand]
        assert len(dealt_out) == players * each - len(deal.moves)
        assert sorted(dealt_out + rest + deal.moves) == PACK
        for observer in (ONLOOKER, *range(players)):
            moved: list[set[tuple[int, ...]]] = [set() for _ in range(players)]
            for number in range(12):
                branches = branching(len(deal.moves), observer, number)
                after = deal.paused(branches)
                found = hands_now(players)
                assert sorted([card for hand in found for card in hand] + undealt(branches) + deal.moves) == PACK
                assert [len(hand) for hand in found] == [len(hand) for hand in own]
                for name in set(state.VIEW.names or ()) - {"hand", "twins", "lots", "params"}:
                    assert (after[name] == before[name]).all(), name
                assert cards_of(after["hand"][0], after["twins"][0]) == found[int(after["seat"][0])]
                if observer == before["seat"][0]:
                    assert after.tobytes() == before.tobytes()
                for seat in range(players):
                    moved[seat].add(tuple(found[seat]))
            for seat in range(players):
                assert (len(moved[seat]) == 1) == (seat == observer or not own[seat])


def test_the_last_cards_are_dealt_uniformly() -> None:
    """Three players with a card each, two of them hidden, of 28 that nobody has seen: all ordered pairs."""
    deal = Deal({"players": 3}, 1)
    deal.play(9 + 27)
    branches = branching(NEVER, ONLOOKER)
    seat = int(deal.paused(branches)["seat"][0])
    others = [other for other in range(3) if other != seat]
    hidden = Counter(undealt(branches) + [card for other in others for card in hands_now(3)[other]])
    assert hidden.total() == 28
    assert max(hidden.values()) == 2
    rollouts = 15_000
    counts = Counter()
    for number in range(rollouts):
        deal.paused(branching(len(deal.moves), seat, number))
        hands = hands_now(3)
        counts[hands[others[0]][0], hands[others[1]][0]] += 1
    expected = {(a, b): n * (hidden[b] - (a == b)) / (28 * 27) for a, n in hidden.items() for b in hidden}
    cells = [pair for pair in expected if expected[pair] > 0]
    assert set(counts) <= set(cells)
    assert chisquare([counts[pair] for pair in cells], [rollouts * expected[pair] for pair in cells]).pvalue > UNLIKELY


@pytest.mark.parametrize(
    "rules",
    [
        {"rounds": 2},
        {"players": 3, "target": 60, "no_trick_penalty": -10, "lead_tie": "random", "first_dealer": "random"},
        {"players": 5, "starter_selection": "sequential", "stack_order": "play-order"},
        {"players": 6, "teams": "3x2", "stack_order": "winner-then-play-order", "rounds": 3},
    ],
)
def test_under_any_rules_the_game_itself(rules: dict[str, Any]) -> None:
    given = complete(rules)
    players = given["players"]
    names = ["random", "solid", "dodge", "duck", "greedy", "random"][:players]
    engine = Engine(scenario(game=GAME, rules=rules, strategies=names, seatings="fixed"))
    one = Rollouts(engine)
    each, starters, _ = TABLE[players]
    for block in range(3):
        rows, decisions = one.game(block)
        assert (rows == engine.play(block, block + 1).games).all()
        assert decisions == players * each * rows[6, 0]
        for at in range(0, decisions, 17):
            found = one.decision(block, at)
            turn = at % (players * each)
            leads = (turn - players * starters) % players == 0
            assert found.kind == (0 if turn < players * starters else 1 if leads else 2)
            held = each - (turn % starters if found.kind == 0 else starters + (turn - players * starters) // players)
            assert held - 5 <= len(found.moves) <= held  # equal zeros are one move
            outcomes = one.outcomes(block, at, 4, observer=found.seat, move=found.moves[0])
            assert (outcomes[4].sum(axis=1) > 0).all()
