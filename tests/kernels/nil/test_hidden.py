"""Nil: what a seat cannot know changes neither its view nor any strategy's choice."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numba
import numpy as np
import pytest

from kernels.nil import play as kernel
from kernels.nil.rules import complete, encode
from kernels.nil.state import DECK, STATE, VIEW, set_rules
from kernels.nil.strategies import STRATEGIES
from tests.kernels.hidden import Stop, bits, scripted, shuffled_hidden

ASK = kernel.ask.py_func
CLUBS = 0x1111111111111


@numba.njit
def choose(views: Any, code: int) -> int:
    return int(kernel.decide(views[0], views[1], code, None))


class Recorder:
    """Plays random legal cards and keeps what every seat was shown."""

    def __init__(self, seed: int) -> None:
        self.chosen, self.moves = random.Random(seed), list[int]()
        self.seats, self.remaining = list[int](), list[list[int]]()
        self.voids = list[int]()
        self.state: Any = None

    def __call__(self, view: Any, own: Any, code: Any, users: Any) -> int:
        self.seats.append(int(view["seat"]))
        self.remaining.append([int(hand) for hand in self.state["hands"]])
        self.voids.append(int(view["voids"]))
        self.moves.append(self.chosen.choice(bits(int(view["legal"]))))
        return self.moves[-1]


def run(monkeypatch: pytest.MonkeyPatch, hands: list[int], decide: Any, first: int) -> Any:
    """A hand interpreted, from these cards; returns the view's array."""
    views, states = np.zeros(2, VIEW).view(np.recarray), np.zeros(1, STATE).view(np.recarray)
    set_rules.py_func(views[0], encode(complete({})))
    if isinstance(decide, Recorder):
        decide.state = states[0]

    def deal(state: Any) -> None:
        state["hands"] = hands

    monkeypatch.setattr(kernel, "deal", deal)
    monkeypatch.setattr(kernel, "ask", ASK)
    monkeypatch.setattr(kernel, "decide", decide)
    with contextlib.suppress(Stop):
        kernel.play_hand.py_func(views[0], views[1], states[0], first, (), None, None)  # as with users' functions
    return views


def test_hidden_cards_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    choices_met, real = set(), kernel.decide
    changed = 0
    for seed in range(60):
        chosen = random.Random(seed)
        pack = list(range(52))
        chosen.shuffle(pack)
        hands = [sum(1 << card for card in pack[seat::4]) for seat in range(4)]
        first = seed % 4
        recorder = Recorder(seed)
        run(monkeypatch, hands, recorder, first)
        at = chosen.randrange(len(recorder.moves))
        seat, remaining, voids = recorder.seats[at], recorder.remaining[at], recorder.voids[at]
        others = [other for other in range(4) if other != seat]
        hidden = [card for other in others for card in bits(remaining[other])]
        lacking = [sum(CLUBS << suit for suit in range(4) if voids >> (4 * o + suit) & 1) for o in others]
        new = shuffled_hidden([len(bits(remaining[other])) for other in others], hidden, lacking, chosen)
        if new is None:
            continue
        moved = list(hands)
        for other, cards in zip(others, new, strict=True):
            moved[other] = hands[other] & ~remaining[other] | cards
        changed += moved != hands
        shown: list[bytes] = []
        answers: list[list[int]] = []
        for dealt in (hands, moved):
            views = run(monkeypatch, dealt, scripted(recorder.moves, at, lambda view: None), first)
            views[0]["lots"][seat] = (seed, 2, 3, 1)
            shown.append(views[:1].tobytes())
            monkeypatch.setattr(kernel, "decide", real)
            answers.append([choose(views.copy(), code) for code in range(len(STRATEGIES))])
        assert int(views[0]["seat"]) == seat
        assert int(views[0]["hand"]) == remaining[seat]
        assert shown[0] == shown[1]
        assert answers[0] == answers[1]
        assert all(int(views[0]["legal"]) >> answer & 1 for answer in answers[0])
        choices_met |= {(code, answer) for code, answer in enumerate(answers[0])}
    assert changed > 30
    assert len(choices_met) > 60
    assert int(DECK) == sum(1 << card for card in range(52))


def test_a_view_that_showed_other_hands_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above can fail: another hand of the seat itself is another view."""
    hands = [CLUBS << seat for seat in range(4)]
    shown = set()
    for dealt in (hands, [hands[1], hands[0], *hands[2:]]):
        views = run(monkeypatch, dealt, scripted([], 0, lambda view: None), 0)
        shown.add(views[:1].tobytes())
    assert len(shown) == 2
