"""Nil in rollouts: what is dealt anew, and the decisions that are listed."""

from __future__ import annotations

import random
from collections import Counter
from math import comb
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import rng
from kernels.nil.rules import complete
from kernels.nil.state import STATE, VIEW, deal_anew
from kernels.nil.transcript import decode
from kernels.rollout import BRANCH, ONLOOKER
from sim.engine import Engine
from sim.rollouts import Rollouts
from sim.scenario import scenario
from tests.kernels.dealing_anew import agrees, deals, kept
from tests.kernels.hidden import bits

U = np.uint64
CLUBS = 0x1111111111111


@numba.njit
def repeat(views: Any, states: Any, branches: Any, before: Any, after: Any) -> None:
    for i in range(after.shape[0]):
        rng.start(branches[0].stream, U(11), i, 0, 7, 0)
        for seat in range(4):
            states[0].hands[seat] = before[seat]
        deal_anew(views[0], states[0], branches[0])
        for seat in range(4):
            after[i, seat] = states[0].hands[seat]


def anew(hands: list[int], voids: int, observer: int, times: int) -> NDArray[np.uint64]:
    """The hands as dealt anew, uint64[times, 4]; `voids` as in the view."""
    views, branches = np.zeros(2, VIEW), np.zeros(1, BRANCH)
    views["voids"], branches["observer"] = voids, observer
    after = np.zeros((times, 4), np.uint64)
    repeat(views, np.zeros(1, STATE), branches, np.array(hands, np.uint64), after)
    return after


def lacked(voids: int, seat: int) -> int:
    """The cards of the suits that a seat has not followed."""
    return sum(CLUBS << suit for suit in range(4) if voids >> (4 * seat + suit) & 1)


def a_position(seed: int) -> tuple[list[int], int]:
    """Hands and voids somewhere in a hand played at random."""
    chosen = random.Random(seed)
    pack = list(range(52))
    chosen.shuffle(pack)
    hands = [sum(1 << card for card in pack[seat::4]) for seat in range(4)]
    voids, leader, suit, best = 0, 0, 0, -1
    for k in range(chosen.randrange(52)):
        if k % 4 == 0:
            leader = leader if k == 0 else best & 3
            best = -1
        seat = (leader + k) % 4 if k % 4 else leader
        following = hands[seat] & CLUBS << suit if k % 4 else 0
        card = chosen.choice(bits(following or hands[seat]))
        if k % 4 == 0:
            suit = card & 3
        if card & 3 == suit:
            best = max(best, 4 * card + seat)
        else:
            voids |= 1 << (4 * seat + suit)
        hands[seat] &= ~(1 << card)
    return hands, voids


def test_what_is_known_stays() -> None:
    changed = barred = 0
    for seed in range(200):
        hands, voids = a_position(seed)
        for observer in (ONLOOKER, 0, 1, 2, 3):
            after = anew(hands, voids, observer, 20)
            assert (np.bitwise_or.reduce(after, axis=1) == sum(hands)).all()
            for seat in range(4):
                assert (np.bitwise_count(after[:, seat]) == hands[seat].bit_count()).all()
                assert not (after[:, seat] & U(lacked(voids, seat))).any() or seat == observer
            if observer >= 0:
                assert (after[:, observer] == hands[observer]).all()
            changed += bool((after != np.array(hands, np.uint64)).any())
        barred += voids.bit_count() > 2
    assert changed > 800
    assert barred > 50


@pytest.mark.parametrize(
    ("hands", "voids", "observer"),
    [
        ([0x3, 0xC, 0x30, 0xC0], 0, ONLOOKER),
        ([0x3, 0xC, 0x30, 0xC0], 0, 2),
        ([0x23, 0x1C0, 0xE00, 0x0], 0b0100 << 4, ONLOOKER),
        ([0x3, 0xC0, 0xC, 0x3300], 0b0010 << 8 | 0b0001 << 4, 3),
        ([0x111, 0x222, 0x44, 0x88], 0b0001 << 8 | 0b0011 << 12, 0),
        ([0x111, 0x222, 0x44, 0x88], 0b0001 << 8 | 0b0011 << 12, ONLOOKER),
        # rounds of three and of four cards are the only way from one of two deals to the other
        ([0x1, 0x2, 0x4, 0x0], 0b0100 | 0b0001 << 4 | 0b0010 << 8, ONLOOKER),
        ([0x1, 0x2, 0x4, 0x8], 0b1100 | 0b1001 << 4 | 0b0011 << 8 | 0b0110 << 12, ONLOOKER),
        # nothing else is possible
        ([0x11, 0x22, 0x44, 0x88], 0b1110 | 0b1101 << 4 | 0b1011 << 8 | 0b0111 << 12, ONLOOKER),
    ],
)
def test_all_that_is_open_is_equally_likely(hands: list[int], voids: int, observer: int) -> None:
    others = [seat for seat in range(4) if seat != observer]
    hidden = [card for seat in others for card in bits(hands[seat])]
    sizes = [hands[seat].bit_count() for seat in others]
    weights = dict.fromkeys(deals(hidden, sizes, [lacked(voids, seat) for seat in others]), 1.0)
    found = Counter(tuple(row) for row in anew(hands, voids, observer, 60_000)[:, others].tolist())
    agrees(found, weights)


@pytest.mark.parametrize("observer", [ONLOOKER, 1])
def test_nothing_is_left_of_the_true_deal(observer: int) -> None:
    """At the start of a hand, where most cards have to change places."""
    hands = [0x1FFF << 13 * seat for seat in range(4)]
    size = 52 if observer == ONLOOKER else 39
    after = anew(hands, 0, observer, 40_000)
    for seat in (0, 3):
        found = kept(hands[seat], after[:, seat].tolist())
        ways = {k: comb(13, k) * comb(size - 13, 13 - k) for k in range(14)}
        likely = {k: way for k, way in ways.items() if way * 40_000 >= 5 * comb(size, 13)}
        low, high = min(likely), max(likely)
        weights = {k: sum(way for j, way in ways.items() if min(max(j, low), high) == k) for k in likely}
        agrees(Counter(min(max(k, low), high) for k in found.elements()), weights)


@pytest.mark.parametrize("scoring", ["award", "pool"])
def test_decisions_are_those_of_the_transcript(scoring: str) -> None:
    rules = {"scoring": scoring, "deals": 2}
    engine = Engine(
        scenario(game="nil", rules=rules, strategies=["random", "duck", "switch", "duck"], seatings="fixed", seed=2)
    )
    player = Rollouts(engine)
    kinds = set()
    for block in range(3):
        at = 0
        for game in decode(engine.log(block, 0)[0], complete(rules)):
            hands = [set(cards) for cards in game["deal"]["hands"]]
            for k, move in enumerate(game["moves"]):
                led = game["moves"][k - k % 4]["play"][0]
                following = {card for card in hands[move["seat"]] if card[0] == led} if k % 4 else set()
                legal = following or hands[move["seat"]]
                found = player.decision(block, at)
                assert found.seat == move["seat"]
                assert {"CSHD"[card & 3] + "23456789TJQKA"[card >> 2] for card in found.moves} == legal
                assert found.kind == (0 if k % 4 == 0 else 1 if following else 2)
                kinds.add(found.kind)
                hands[move["seat"]].remove(move["play"])
                at += 1
        rows, decisions = player.game(block)
        assert decisions == at
        assert (rows == engine.play(block, block + 1).games).all()
    assert kinds == {0, 1, 2}


def test_a_forced_card_is_played() -> None:
    """In the last trick of a single deal nothing is left to chance but who holds what."""
    engine = Engine(scenario(game="nil", rules={"deals": 1}, strategies="duck", seatings="fixed", seed=4))
    player = Rollouts(engine)
    tried = 0
    for block in range(60):
        rows, decisions = player.game(block)
        if decisions == 52:
            found = player.decision(block, 51)
            assert len(found.moves) == 1
            forced = player.outcomes(block, 51, 3, observer=found.seat, move=found.moves[0])
            assert (forced == rows[:, None]).all()
            tried += 1
    assert tried > 3
