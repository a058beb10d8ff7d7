"""Null & Nichtig: what a seat cannot know changes neither its view nor any strategy's choice."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kernels.null_nichtig.rules import TABLE
from kernels.null_nichtig.state import LAY, PLAY
from kernels.null_nichtig.strategies import STRATEGIES
from tests.kernels.null_nichtig.interpreted import Round, Stop, cards_of, choice

PACK = [*range(60), *range(5)]


class Recorder:
    """Chooses random cards; keeps who was asked, in which phase, what it held and what it chose."""

    def __init__(self, seed: int) -> None:
        self.chosen = random.Random(seed)
        self.asked: list[tuple[int, int, list[int]]] = []
        self.moves: list[int] = []

    def __call__(self, view: Any) -> int:
        held = cards_of(view["hand"], view["twins"])
        self.asked.append((int(view["seat"]), int(view["phase"]), held))
        self.moves.append(self.chosen.choice(held))
        return self.moves[-1]


def script(moves: list[int], at: int) -> Any:
    turn = iter(range(len(moves) + 1))

    def decide(view: Any) -> int:
        now = next(turn)
        if now == at:
            raise Stop
        return moves[now]

    return decide


def without(cards: list[int], gone: list[int]) -> list[int]:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def redealt(
    hands: list[list[int]], recorder: Recorder, at: int, sequential: bool, chosen: random.Random
) -> tuple[list[list[int]], list[int]]:
    """The hands and moves with all that the seat asked at decision `at` has not seen dealt anew."""
    seat, phase, _ = recorder.asked[at]
    moves = list(recorder.moves)
    # moves of others that are still face down
    secret = [k for k in range(at) if phase == LAY and not sequential and recorder.asked[k][0] != seat]
    known = [
        [recorder.moves[k] for k in range(at) if recorder.asked[k][0] == s and k not in secret]
        for s in range(len(hands))
    ]
    others = [s for s in range(len(hands)) if s != seat]
    hidden = without(PACK, [card for s in others for card in known[s]] + hands[seat])
    chosen.shuffle(hidden)
    new = [list(hand) for hand in hands]
    for s in others:
        unknown = len(hands[s]) - len(known[s])
        cards, hidden = hidden[:unknown], hidden[unknown:]
        new[s] = known[s] + cards
        for k in secret:
            if recorder.asked[k][0] == s:
                moves[k] = cards.pop()
    return new, moves


@pytest.mark.parametrize("selection", ["simultaneous", "sequential"])
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_hidden_cards_are_hidden(monkeypatch: pytest.MonkeyPatch, players: int, selection: str) -> None:
    table = Round(monkeypatch, {"players": players, "starter_selection": selection})
    each = TABLE[players][0]
    answers_met, changed, phases = set(), 0, set()
    for seed in range(60):
        chosen = random.Random(100 * players + seed)
        pack = chosen.sample(PACK, len(PACK))
        hands = [pack[each * seat : each * seat + each] for seat in range(players)]
        first = seed % players
        recorder = Recorder(seed)
        assert table.play(hands, first, recorder)
        starters = players * TABLE[players][1]
        at = chosen.randrange(starters) if seed % 2 else chosen.randrange(len(recorder.moves))
        seat, phase, held = recorder.asked[at]
        moved, moves = redealt(hands, recorder, at, selection == "sequential", chosen)
        changed += [sorted(hand) for hand in moved] != [sorted(hand) for hand in hands]
        phases.add(phase)

        shown, answers = [], []
        for dealt, choices in ((hands, recorder.moves), (moved, moves)):
            assert not table.play(dealt, first, script(choices, at))
            shown.append(table.views[:1].tobytes())
            views = table.views.copy()
            for row in views["lots"][0]:  # the other seats' streams are nobody's business
                row[:] = [chosen.getrandbits(64) for _ in row]
            views["lots"][0, seat] = (seed, 2, 3, 1)
            answers.append([choice(views.copy(), strategy.name) for strategy in STRATEGIES])
        assert int(table.views[0]["seat"]) == seat
        assert cards_of(table.views[0]["hand"], table.views[0]["twins"]) == held
        assert shown[0] == shown[1]
        assert answers[0] == answers[1]
        assert set(answers[0]) <= set(held)
        answers_met |= set(answers[0])
    assert changed > 50
    assert phases == {LAY, PLAY}
    assert len(answers_met) > 40


@pytest.mark.parametrize("selection", ["simultaneous", "sequential"])
def test_starters_of_earlier_seats_show_when_open(monkeypatch: pytest.MonkeyPatch, selection: str) -> None:
    """So the comparison above can fail."""
    table = Round(monkeypatch, {"players": 3, "starter_selection": selection})
    hands = [PACK[13 * seat + 20 : 13 * seat + 33] for seat in range(3)]
    shown = set()
    for laid in (hands[0][:3], hands[0][1:4]):
        assert not table.play(hands, 0, script(laid, 3))
        assert int(table.views[0]["seat"]) == 1
        shown.add(table.views[:1].tobytes())
    assert len(shown) == (2 if selection == "sequential" else 1)
