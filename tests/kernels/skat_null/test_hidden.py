"""Skat Null: what a seat cannot know changes neither its view nor any strategy's choice."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numba
import numpy as np
import pytest

from kernels.skat_null import declare as declaring
from kernels.skat_null import parts
from kernels.skat_null import play as kernel
from kernels.skat_null.rules import complete, encode
from kernels.skat_null.state import ANNOUNCE, DECLARE, DEFEND, LAY_AWAY, PASS, PLAY, STATE, VIEW, offer, pair, set_rules
from tests.kernels.hidden import Stop, bits, scripted, shuffled_hidden

ROUNDS = 150

# interpreted: what the kernel calls on the way to a decision
ASK = kernel.ask.py_func
NAMES = ("ask_declare", "ask_skat", "turn", "take_part", "is_offer")
BEFORE = {name: getattr(declaring, name).py_func for name in NAMES}


@numba.njit
def choose(views: Any, code: int) -> int:
    return int(parts.decide(views[0], views[1], code, None))


@numba.njit
def choose_before(views: Any, code: int) -> int:
    view = views[0]
    if view.phase == LAY_AWAY:
        return int(parts.decide_skat(view, views[1], code, None))
    return int(parts.decide_declare(view, views[1], code, None))


def records(**rules: Any) -> tuple[Any, Any]:
    """The view's array and the state's, under these rules."""
    views, states = np.zeros(2, VIEW).view(np.recarray), np.zeros(1, STATE).view(np.recarray)
    set_rules.py_func(views[0], encode(complete(rules)))
    return views, states


class World:
    """The cards at the start of play: hands, skat or cards laid away, who declares what."""

    def __init__(self, hands: list[int], away: int, declarer: int, contract: int) -> None:
        self.hands, self.away, self.declarer, self.contract = hands, away, declarer, contract

    def run(self, monkeypatch: pytest.MonkeyPatch, decide: Any) -> Any:
        views, states = records(stop_on_loss=False)
        view, state = views[0], states[0]
        view.declarer, view.contract = self.declarer, self.contract
        state.hands = self.hands
        if self.contract & 1:
            state.skat = self.away
        else:
            state.away = self.away
        if isinstance(decide, Recorder):
            decide.state = state
        monkeypatch.setattr(kernel, "ask", ASK)
        monkeypatch.setattr(kernel, "decide", decide)
        with contextlib.suppress(Stop):
            kernel.play_tricks.py_func(view, views[1], state, (), None, None)  # as with users' functions
        return views


class Recorder:
    """Plays random legal cards and keeps what was there at every decision."""

    def __init__(self, seed: int) -> None:
        self.chosen, self.moves = random.Random(seed), list[int]()
        self.seats, self.remaining, self.voids = list[int](), list[list[int]](), list[int]()
        self.state: Any = None

    def __call__(self, view: Any, own: Any, code: Any, users: Any) -> int:
        self.seats.append(int(view.seat))
        self.remaining.append([int(hand) for hand in self.state.hands])
        self.voids.append(int(view.voids))
        self.moves.append(self.chosen.choice(bits(int(view.legal))))
        return self.moves[-1]


def another(world: World, recorder: Recorder, at: int, chosen: random.Random) -> World | None:
    """The world with everything that the seat at decision `at` cannot know dealt anew."""
    seat, remaining, voids = recorder.seats[at], recorder.remaining[at], recorder.voids[at]
    closed = [other for other in range(3) if other != seat and not (other == world.declarer and world.contract >= 2)]
    away_known = seat == world.declarer and not world.contract & 1
    sizes = [len(bits(remaining[other])) for other in closed]
    hidden = [card for other in closed for card in bits(remaining[other])]
    lacking = [sum(255 << 8 * suit for suit in range(4) if voids >> (4 * o + suit) & 1) for o in closed]
    if not away_known:
        sizes.append(2)
        hidden += bits(world.away)
        lacking.append(0)
    new = shuffled_hidden(sizes, hidden, lacking, chosen)
    if new is None:
        return None
    away = world.away if away_known else new.pop()
    hands = list(world.hands)
    for other, cards in zip(closed, new, strict=True):
        hands[other] = hands[other] & ~remaining[other] | cards
    return World(hands, away, world.declarer, world.contract)


def test_hidden_cards_are_hidden_in_play(monkeypatch: pytest.MonkeyPatch) -> None:
    met: set[Any] = set()
    changed = 0
    for seed in range(ROUNDS):
        chosen = random.Random(seed)
        pack = list(range(32))
        chosen.shuffle(pack)
        hands = [sum(1 << card for card in pack[10 * seat : 10 * seat + 10]) for seat in range(3)]
        world = World(hands, sum(1 << card for card in pack[30:]), seed % 3, seed // 3 % 4)
        recorder = Recorder(seed)
        world.run(monkeypatch, recorder)
        at = chosen.randrange(30)
        seat = recorder.seats[at]
        other = another(world, recorder, at, chosen)
        if other is None:
            continue
        changed += other.hands != world.hands
        shown, answers = [], []
        for one in (world, other):
            views = one.run(monkeypatch, scripted(recorder.moves, at, lambda view: None))
            view = views[0]
            view.lots[seat] = (seed, 2, 3, 1)
            assert view.seat == seat
            assert view.phase == (PLAY if seat == world.declarer else DEFEND)
            assert view.hand == recorder.remaining[at][seat]
            ouvert = world.contract >= 2
            assert view.shown == (recorder.remaining[at][world.declarer] if ouvert else 0)
            own_away = seat == world.declarer and not world.contract & 1
            assert view.away == (world.away if own_away else 0)
            shown.append(views[:1].tobytes())
            codes = range(len(parts.PLAY_FUNCTIONS))
            plain = np.frombuffer(bytearray(views.tobytes()), VIEW)
            answers.append([choose(plain.copy(), code) for code in codes])
        assert shown[0] == shown[1]
        assert answers[0] == answers[1]
        assert all(int(view.legal) >> answer & 1 for answer in answers[0])
        met.add((int(view.phase), world.contract, at // 3))
    assert changed > ROUNDS / 2
    assert len(met) > ROUNDS / 4


def interpret(monkeypatch: pytest.MonkeyPatch, decide: Any) -> None:
    """Makes what comes before play ask `decide`."""
    for name, function in BEFORE.items():
        monkeypatch.setattr(declaring, name, function)
    for name in ("decide_declare", "decide_skat"):
        monkeypatch.setattr(declaring, name, decide)


def declared(monkeypatch: pytest.MonkeyPatch, hands: list[int], skat: int, answers: list[int], last: int) -> Any:
    """The views at each decision before play, as copies of bytes."""
    views, states = records()
    view, state = views[0], states[0]
    state.hands, state.skat = hands, skat
    shown: list[bytes] = []
    turn = iter(answers)

    def decide(view: Any, own: Any, code: Any, users: Any) -> int:
        shown.append(views[:1].tobytes())
        return next(turn)

    interpret(monkeypatch, decide)
    assert declaring.declare.py_func(view, views[1], state, 0, last, None, None, None)
    return shown, view


def test_hidden_cards_are_hidden_before_play(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = [0x3FF, 0x3FF << 10, 0x3FF << 20]
    other = [0x3FF, 0x3FF << 12, 0x3FF << 22]
    take = [int(offer.py_func(0, 1.0)), PASS, PASS, int(pair.py_func(0, 1)), 2]
    one, view = declared(monkeypatch, hands, 0b11 << 30, take, 3)
    assert (view.declarer, view.contract) == (0, 2)
    two, _ = declared(monkeypatch, other, 0b11 << 10, take, 3)
    same, _ = declared(monkeypatch, [hands[0], hands[2], hands[1]], 0b11 << 30, take, 3)
    assert len(one) == 5
    phases = [int(np.frombuffer(shown, VIEW)[0]["phase"]) for shown in one]
    assert phases == [DECLARE, DECLARE, DECLARE, LAY_AWAY, ANNOUNCE]
    assert one[0] == two[0]  # forehand knows its ten cards alone
    assert one[1] != two[1]  # middlehand's own cards differ
    assert one[3] == same[3]  # with the skat taken the other hands stay unknown
    assert one[4] == same[4]
    assert one[3] != two[3]
    seen = np.frombuffer(one[4], VIEW)[0]
    assert seen["away"] == 0b11
    assert seen["hand"] == 0x3FC | 0b11 << 30
    for shown, twin in ((one[0], two[0]), (one[3], same[3]), (one[4], same[4])):
        answers = []
        laying = np.frombuffer(shown, VIEW)[0]["phase"] == LAY_AWAY
        functions = parts.SKAT_FUNCTIONS if laying else parts.DECLARE_FUNCTIONS
        for text in (shown, twin):
            views = np.zeros(2, VIEW)
            views[:1] = np.frombuffer(text, VIEW)
            views[0]["lots"][0] = (7, 2, 3, 1)
            answers.append([choose_before(views.copy(), code) for code in range(len(functions))])
        assert answers[0] == answers[1]


def test_offers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The highest offer declares; of equal ones the first; PASS is below any."""
    hands, skat = [0x3FF, 0x3FF << 10, 0x3FF << 20], 0b11 << 30

    def declarer(*answers: int) -> tuple[int, int]:
        _, view = declared(monkeypatch, hands, skat, [*answers, int(pair.py_func(30, 31)), 0], 3)
        return int(view.declarer), int(view.contract)

    def bid(choice: int, score: float) -> int:
        return int(offer.py_func(choice, score))

    assert declarer(PASS, PASS, PASS) == (-1, -1)
    assert declarer(PASS, bid(1, -50.0), PASS) == (1, 1)
    assert declarer(bid(1, 3.0), bid(3, 3.001), bid(1, -9.0)) == (1, 3)
    assert declarer(bid(1, 3.0), bid(3, 3.0), bid(3, 3.0)) == (0, 1)
    assert declarer(bid(1, 3.0), bid(3, 3.0), bid(0, 4.0)) == (2, 0)


@pytest.mark.parametrize(
    ("answers", "rules"),
    [
        ([offer.py_func(2, 1.0)], {}),  # ouvert is announced after laying away
        ([offer.py_func(1, 1.0)], {"contracts": "null"}),
        ([offer.py_func(0, 1.0)], {"contracts": "null-hand"}),
        ([offer.py_func(1, 1e9)], {}),
        ([PASS], {"must_declare": True}),
        ([offer.py_func(0, 1.0), pair.py_func(3, 3)], {}),
        ([offer.py_func(0, 1.0), pair.py_func(3, 12)], {}),
        ([offer.py_func(0, 1.0), -1], {}),
        ([offer.py_func(0, 1.0), 1024], {}),
        ([offer.py_func(0, 1.0), pair.py_func(3, 4), 1], {}),
        ([offer.py_func(0, 1.0), pair.py_func(3, 4), -1], {}),
    ],
)
def test_illegal_answers(monkeypatch: pytest.MonkeyPatch, answers: list[int], rules: dict[str, Any]) -> None:
    views, states = records(declarer="forehand", **rules)
    states[0].hands, states[0].skat = [0x3FF, 0x3FF << 10, 0x3FF << 20], 0b11 << 30
    turn = iter(answers)
    interpret(monkeypatch, lambda view, own, code, users: int(next(turn)))
    assert not declaring.declare.py_func(views[0], views[1], states[0], 0, 1, None, None, None)
    assert states[0].illegal == answers[-1]
