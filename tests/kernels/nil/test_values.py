"""Nil: figures that are known exactly, or from elsewhere, and the worked examples of the scoring."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import rng
from kernels.bits import count
from kernels.nil.rules import complete, encode
from kernels.nil.state import CLUBS, DECK, STATE, VIEW, deal, score_hand, set_rules
from tests.kernels.playing import near, play

U = np.uint64


@numba.njit
def deals(states: Any, hands: Any, lengths: Any) -> None:
    state = states[0]
    for i in range(hands.shape[0]):
        rng.start(state.shuffle, U(9), i, 0, rng.SHUFFLE, 0)
        deal(state)
        for seat in range(4):
            hands[i, seat] = state.hands[seat]
            for suit in range(4):
                lengths[i, seat, suit] = count(state.hands[seat] & (CLUBS << U(suit)))


def test_shapes_of_hands() -> None:
    n = 100_000
    hands, lengths = np.zeros((n, 4), np.uint64), np.zeros((n, 4, 4), np.int64)
    deals(np.zeros(1, STATE), hands, lengths)
    assert (np.bitwise_or.reduce(hands, axis=1) == DECK).all()
    assert (lengths.sum(axis=2) == 13).all()
    shapes = np.sort(lengths, axis=2)[:, :, ::-1]
    for shape, exact in {
        (4, 4, 3, 2): 0.21551176,
        (4, 3, 3, 3): 0.10536130,
        (5, 3, 3, 2): 0.15516846,
        (5, 4, 3, 1): 0.12930705,
    }.items():
        near((shapes == shape).all(axis=2).mean(axis=1), exact)
    near((lengths == 0).any(axis=2).mean(axis=1), 0.05106552)


@numba.njit
def first_tricks(log: Any, won: Any) -> int:
    """Whether the leader won the first trick of each hand of a log."""
    place, hands = 0, 0
    while place < log.size:
        place += 5
        led, best = log[place], 0
        for i in range(1, 4):
            card = log[place + i]
            if card % 4 == led % 4 and card > log[place + best]:
                best = i
        won[hands] = best == 0
        hands += 1
        while log[place] >= 0:
            place += 4
        place += 5
    return hands


def test_who_wins_the_first_trick() -> None:
    """Uniformly random legal play."""
    won: list[NDArray[np.float64]] = []
    for part in range(20):
        blocks = range(2000 * part, 2000 * part + 2000)
        log = play("nil", blocks, ["random"] * 4, log=True).log
        found = np.zeros(20_000)
        assert first_tricks(np.array(log), found) == 20_000
        won.append(found)
    near(np.concatenate(won), 0.25427184)


def test_nils_of_random_play() -> None:
    blocks = 40_000
    played = play("nil", blocks, ["random"] * 4, round_rows=40 * blocks)
    nils = played.rounds["nil"].reshape(-1, 4).sum(axis=1)
    for number, exact in enumerate([0.80353, 0.18973, 0.00671]):
        share = (nils == number).mean()
        error = np.sqrt(exact * (1 - exact) / nils.size)
        assert abs(share - exact) < 5 * error + 0.0004, number
    assert (nils.reshape(blocks, 10) == 0).sum(axis=1).tolist() == played.games["no_nil_hands"][:, 0, 0].tolist()
    assert abs(played.games["tricks_played"][:, 0, 0].mean() / 10 - 8.48) < 0.02
    assert abs(played.games["score"].mean() / 10 - 0.949) < 0.002


def test_one_ducker_among_random_players() -> None:
    score = play("nil", 20_000, ["duck", "random", "random", "random"]).games["score"][:, 0].mean(axis=0) / 10
    assert abs(score - [1.45, 0.73, 0.73, 0.73]).max() < 0.015


@numba.njit
def scored(views: Any, states: Any) -> bool:
    return bool(score_hand(views[0], states[0]))


@numba.njit
def ready(views: Any, rules: Any) -> None:
    set_rules(views[0], rules)


class Hands:
    """Hands scored one after another, as a kernel does between its deals."""

    def __init__(self, scoring: str) -> None:
        self.views, self.states = np.zeros(1, VIEW), np.zeros(1, STATE)
        ready(self.views, encode(complete({"scoring": scoring})))
        self.view, self.state = self.views[0], self.states[0]
        self.state["taker"] = -1

    def play(self, *tricks: int) -> tuple[list[int], bool]:
        """The points of a hand with these tricks, and whether the pool is decided."""
        self.view["taken"] = tricks
        self.view["have"] = sum(1 << seat for seat in range(4) if tricks[seat])
        over = scored(self.views, self.states)
        return self.state["points"].tolist(), over


def test_award() -> None:
    hands = Hands("award")
    points = [hands.play(4, 2, 2, 1), hands.play(0, 5, 5, 3), hands.play(6, 0, 0, 7)]
    assert [sum(column) for column in zip(*(own for own, _ in points), strict=True)] == [4, 2, 2, 1]
    assert hands.play(0, 0, 13, 0) == ([0, 0, 3, 0], False)


def test_transfer() -> None:
    hands = Hands("transfer")
    assert hands.play(1, 1, 1, 1) == ([0, 0, 0, 0], False)
    assert hands.play(5, 0, 5, 3) == ([-1, 3, -1, -1], False)
    assert hands.play(5, 0, 8, 0) == ([-1, 1, -1, 1], False)
    assert hands.play(0, 13, 0, 0) == ([-1, 3, -1, -1], False)


def test_pool() -> None:
    hands = Hands("pool")
    assert hands.play(1, 4, 2, 1) == ([-1, -4, -2, -1], False)
    assert hands.view["pool"] == 8
    assert hands.play(0, 6, 4, 3) == ([8, 0, 0, 0], True)
    assert hands.view["pool"] == 0


@pytest.mark.parametrize("tricks", [(0, 6, 7, 0), (13, 0, 0, 0)])
def test_pool_shared_or_swept(tricks: tuple[int, ...]) -> None:
    hands = Hands("pool")
    hands.play(1, 4, 2, 1)
    assert hands.play(*tricks) == ([4, 0, 0, 4] if tricks[0] == 0 else [8, 0, 0, 0], True)


def test_odd_and_empty_pools_are_redealt() -> None:
    for before in ([(1, 4, 3, 1)], []):
        hands = Hands("pool")
        for tricks in before:
            hands.play(*tricks)
        pool = int(hands.view["pool"])
        assert hands.play(0, 6, 0, 7) == ([0, 0, 0, 0], False)
        assert hands.view["rivals"] == 0b0101
        assert hands.play(0, 6, 0, 7) == ([0, 0, 0, 0], False)  # neither of the two takes a trick
        assert hands.play(1, 2, 0, 0) == ([0, 0, pool, 0], True)
        assert hands.state["taker"] == 2
