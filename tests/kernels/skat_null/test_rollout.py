"""Skat Null in rollouts: what is dealt anew, and the decisions that are listed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import rng
from kernels.rollout import BRANCH, ONLOOKER
from kernels.skat_null.rules import HAND_FILTER, RANKS, SUITS, complete
from kernels.skat_null.state import MOST, PASS, STATE, VIEW, deal_anew
from kernels.skat_null.transcript import decode
from sim.engine import Engine
from sim.games import GAMES
from sim.rollouts import Rollouts
from sim.scenario import scenario
from tests.kernels.dealing_anew import agrees, deals
from tests.kernels.hidden import bits

U = np.uint64
DECK = (1 << 32) - 1
KINDS = {name: k for k, name in enumerate(GAMES["skat-null"].decisions)}
NAMES = [column.name for column in GAMES["skat-null"].game_columns]


@numba.njit
def repeat(views: Any, states: Any, seat: int, branches: Any, before: Any, after: Any) -> None:
    view, state, branch = views[0], states[0], branches[0]
    for i in range(after.shape[0]):
        rng.start(branch.stream, U(11), i, 0, 7, 0)
        for k in range(3):
            state.hands[k] = before[k]
        state.skat = before[3]
        state.away = before[4]
        deal_anew(view, state, seat, branch)
        for k in range(3):
            after[i, k] = state.hands[k]
        after[i, 3] = state.skat
        after[i, 4] = state.away


@dataclass
class Position:
    """A moment of a deal: what is held, what lies face down, what is known. `played` are the declarer's cards."""

    hands: list[int]
    skat: int
    away: int = 0
    declarer: int = -1
    contract: int = -1
    voids: int = 0
    open: int = 0
    played: int = 0
    hand_filter: str | None = None
    asked: int = 0

    @property
    def owner(self) -> int:
        return self.declarer if self.declarer >= 0 else self.asked

    @property
    def taken(self) -> bool:
        return self.declarer >= 0 and self.contract not in (1, 3)

    @property
    def face_down(self) -> int:
        return self.away if self.taken else self.skat

    @property
    def masks(self) -> tuple[int, int]:
        return HAND_FILTER.masks(HAND_FILTER.parse(self.hand_filter))

    def lacked(self, seat: int) -> int:
        return sum(255 << 8 * suit for suit in range(4) if self.voids >> (4 * seat + suit) & 1)

    def anew(self, observer: int, times: int) -> NDArray[np.uint64]:
        """Hands and what lies face down as dealt anew, uint64[times, 4]."""
        views, states, branches = np.zeros(2, VIEW), np.zeros(1, STATE), np.zeros(1, BRANCH)
        views["declarer"], views["contract"] = self.declarer, self.contract
        views["voids"], views["open"] = self.voids, self.open
        views["hand_must"], views["hand_not"] = self.masks
        states["twelve"] = self.played | self.hands[self.owner] | self.away
        branches["observer"] = observer
        after = np.zeros((times, 5), np.uint64)
        before = np.array([*self.hands, self.skat, self.away], np.uint64)
        repeat(views, states, self.asked, branches, before, after)
        down, other = (4, 3) if self.taken else (3, 4)
        assert (after[:, other] == before[other]).all()
        return after[:, [0, 1, 2, down]]

    def fixed(self, observer: int) -> set[int]:
        """The piles that the observer knows."""
        known = {observer} if observer >= 0 else set()
        if self.contract >= 2:
            known.add(self.owner)
        if self.taken and observer == self.owner:
            known.add(3)
        return known

    def worlds(self, observer: int) -> dict[Any, float]:
        """All deals that are open, each with the number of ways in which the declarer's cards can have come to it."""
        fixed = self.fixed(observer)
        piles = [*self.hands, self.face_down]
        free = [k for k in range(4) if k not in fixed]
        hidden = [card for k in free for card in bits(piles[k])]
        barred = [self.lacked(k) if k < 3 else 0 for k in free]
        found = {}
        for cards in deals(hidden, [piles[k].bit_count() for k in free], barred):
            world = list(piles)
            for k, own in zip(free, cards, strict=True):
                world[k] = own
            ways = sum(1 for _ in self.dealt(world, observer))
            if ways:
                found[tuple(world)] = float(ways)
        return found

    def dealt(self, world: list[int], observer: int) -> Iterator[int]:
        """The ten cards that the declarer can have been dealt, all that fit the filter."""
        must, never = self.masks
        own = world[self.owner] | self.played
        tens = [own]
        if self.taken:
            own |= world[3]
            skats = [self.skat] if observer == self.owner else [1 << a | 1 << b for a, b in combinations(bits(own), 2)]
            tens = [own & ~skat for skat in skats]
        for ten in tens:
            if ten & must == must and not ten & never:
                yield ten


def at_play(contract: int, hand_filter: str | None = None, voids: int = 0, declarer: int = 0) -> Position:
    """Two cards in each hand, the others played; the declarer's were C7 D7 and, with a taken skat, H7 D8."""
    own, left, right, face_down = "C7 D7", "S8 D9", "C8 H9", "SK HK"
    hands = [0, 0, 0]
    for k, text in enumerate((own, left, right)):
        hands[(declarer + k) % 3] = cards(text)
    taken = contract in (0, 2)
    played = cards("C9 CT S7 S9 ST HT HJ HQ" if not taken else "C9 CT S7 S9 ST HT H7 D8")
    skat = cards("H7 D8") if taken else cards(face_down)
    away = cards(face_down) if taken else 0
    opened = DECK & ~(sum(hands) | cards(face_down))
    assert played & ~opened == 0
    return Position(hands, skat, away, declarer, contract, voids, opened, played, hand_filter)


def cards(text: str) -> int:
    return sum(1 << 8 * SUITS.index(card[0]) + RANKS.index(card[1]) for card in text.split())


POSITIONS = {
    "hand": at_play(1),
    "taken": at_play(0),
    "ouvert": at_play(2),
    "ouvert by hand": at_play(3),
    "voids": at_play(0, None, 0b0001 << 4 | 0b0100 | 0b1000 << 8),
    "voids by hand": at_play(1, None, 0b0001 | 0b1000 << 4 | 0b0100 << 8, declarer=2),
    # in the declarer's ten cards were C7 and CT, not those; what is not in them may be in the skat
    "filter by hand": at_play(1, "C7 CT !D9 !H9"),
    "filter": at_play(0, "C7 CT !D9 !H9"),
    "filter, one known in the skat": at_play(0, "C7 CT !D9 !H7 !SK", declarer=1),
    "filter, both known in the skat": at_play(0, "C7 !D9 !H7 !D8"),
    "filter and voids": at_play(0, "C7 D7 !D9 !H9 !S8", 0b0001 << 4 | 0b0010 << 8),
    "filter, ouvert": at_play(2, "C7 !D9 !SK !HK"),
}
# the filter must hold in the true deal
POSITIONS["filter, one known in the skat"].skat = cards("H7 SK")
POSITIONS["filter, ouvert"].skat = cards("SK HK")


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("observer", [ONLOOKER, 0, 1, 2])
def test_all_that_is_open_is_equally_likely(name: str, observer: int) -> None:
    position = POSITIONS[name]
    worlds = position.worlds(observer)
    true = (*position.hands, position.face_down)
    assert true in worlds
    found = Counter(tuple(row) for row in position.anew(observer, 250_000).tolist())
    agrees(found, worlds)


@pytest.mark.parametrize("observer", [ONLOOKER, 0, 1, 2])
@pytest.mark.parametrize("asked", [0, 1, 2])
def test_dealt_as_at_first(observer: int, asked: int) -> None:
    """Before a declaration: three hands and the skat; the filter, of whom is asked, holds."""
    text = "C7 !C8 !S8 !S9"
    must, never = HAND_FILTER.masks(HAND_FILTER.parse(text))
    hands = [cards("C8 S8 CT SJ SQ SK SA H9 HT HJ"), cards("S9 D7 D8 D9 DT DJ DQ DK DA HA")]
    hands.insert(asked, cards("C7 C9 CJ CQ CK CA S7 ST H7 H8"))
    after = Position(hands, cards("HQ HK"), hand_filter=text, asked=asked).anew(observer, 50_000)
    assert (np.bitwise_count(after) == [10, 10, 10, 2]).all()
    assert (np.bitwise_or.reduce(after, axis=1) == DECK).all()
    assert (after[:, asked] & U(must | never) == must).all()
    if observer >= 0:
        assert (after[:, observer] == hands[observer]).all()
    if observer in (ONLOOKER, asked):
        # the three excluded cards are among the 22 of the others and the skat
        weights = {k: float(comb(3, k) * comb(19, 2 - k)) for k in range(3)}
        agrees(Counter(np.bitwise_count(after[:, 3] & U(never)).tolist()), weights)
    if observer == ONLOOKER:
        # of 28 cards that the filter does not name 9 are in the hand; what is not there fills the places of the others
        place = (after & U(cards("DA")) != 0).argmax(axis=1)
        likely = [19 / 28 * 10 / 22] * 3 + [19 / 28 * 2 / 22]
        likely[asked] = 9 / 28
        agrees(Counter(place.tolist()), dict(enumerate(likely)))


@pytest.mark.parametrize("observer", [ONLOOKER, 0, 1, 2])
@pytest.mark.parametrize("away", [False, True])
def test_the_filter_after_the_skat_is_taken(observer: int, away: bool) -> None:
    """What it excludes is in the declarer's twelve cards only if it was in the skat."""
    text = "C7 !C8 !S8 !S9"
    must, never = HAND_FILTER.masks(HAND_FILTER.parse(text))
    twelve = cards("C7 C9 CJ CQ CK CA S7 ST H7 H8 C8 HK")
    laid = cards("C9 C8") if away else 0
    hands = [cards("S8 CT SJ SQ SK SA H9 HT HJ HQ"), twelve & ~laid, cards("S9 D7 D8 D9 DT DJ DQ DK DA HA")]
    position = Position(hands, cards("C8 HK"), laid, 1, -1, hand_filter=text)
    after = position.anew(observer, 50_000)
    own = after[:, 1] | after[:, 3]
    assert (np.bitwise_count(own) == 12).all()
    assert (own & U(must) == must).all()
    assert (np.bitwise_or.reduce(after, axis=1) == DECK).all()
    excluded = Counter(np.bitwise_count(own & U(never)).tolist())
    if observer == ONLOOKER:
        # the skat is two of the 22 cards that were not dealt to the declarer, three of them excluded ones
        agrees(excluded, {k: float(comb(3, k) * comb(19, 2 - k)) for k in range(3)})
    elif observer == 1:
        assert (own == twelve).all()
        assert (after[:, 3] == laid).all()
    else:  # a defender sees one of them in its own hand, with nine others
        agrees(excluded, {k: float(comb(2, k) * comb(10, 2 - k)) for k in range(3)})
        assert (after[:, observer] == hands[observer]).all()


def rollouts(*strategies: str, **rules: Any) -> Rollouts:
    line_up = [strategies[seat % len(strategies)] for seat in range(3)]
    return Rollouts(Engine(scenario(game="skat-null", rules=rules, strategies=line_up, seatings="fixed", seed=2)))


def number(card: str) -> int:
    return bits(cards(card))[0]


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"declarer": "rotate", "must_declare": True},
        {"declarer": "random", "must_declare": True, "stop_on_loss": False, "hand_filter": "C7 !CA"},
        {"declarer": "middlehand", "contracts": "null", "must_declare": True},
    ],
)
def test_decisions_are_those_of_the_transcript(rules: dict[str, Any]) -> None:
    player = rollouts("heuristic", "random", **rules)
    met = set()
    for block in range(12):
        game = decode(player.engine.log(block, 0)[0], complete(rules))[0]
        hands = [{number(card) for card in dealt} for dealt in game["deal"]["hands"]]
        declarer = next((move["seat"] for move in game["moves"] if "seat" in move), -1)
        asked = range(3) if not rules else [{"rotate": block % 3, "middlehand": 1}.get(rules["declarer"], declarer)]
        at = 0
        for seat in asked:
            found = player.decision(block, at)
            assert (found.seat, found.kind) == (seat, KINDS["declare"])
            offers = [4 * MOST] + ([4 * MOST + 1, 4 * MOST + 3] if "contracts" not in rules else [])
            assert list(found.moves) == ([] if "must_declare" in rules else [PASS]) + offers
            at += 1
        led, place = "", 0
        for move in game["moves"]:
            if "take_skat" in move:
                hands[declarer] |= {number(card) for card in game["deal"]["skat"]}
                continue
            if "passed_in" in move or (
                "declare" in move and (move["declare"].endswith("hand") or "contracts" in rules)
            ):
                continue
            found = player.decision(block, at)
            at += 1
            assert found.seat == move["seat"]
            met.add(found.kind)
            if "lay_away" in move:
                assert found.kind == KINDS["lay away"]
                assert set(found.moves) == {a + 32 * b for a, b in combinations(sorted(hands[declarer]), 2)}
                hands[declarer] -= {number(card) for card in move["lay_away"]}
            elif "declare" in move:
                assert (found.kind, found.moves) == (KINDS["announce"], (0, 2))
            else:
                led = move["play"][0] if place % 3 == 0 else led
                suit = {card for card in hands[found.seat] if SUITS[card >> 3] == led} if place % 3 else set()
                does = "leads" if place % 3 == 0 else "follows" if suit else "discards"
                assert found.kind == KINDS[f"{'declarer' if found.seat == declarer else 'defender'} {does}"]
                assert set(found.moves) == (suit or hands[found.seat])
                hands[found.seat].remove(number(move["play"]))
                place += 1
        rows, decisions = player.game(block)
        assert decisions == at
        assert (rows == player.engine.play(block, block + 1).games).all()
    assert len(met) > 4 or not rules


def test_what_is_declared_is_forced() -> None:
    player = rollouts("heuristic", "random")
    for block in range(4):
        for at in range(3):
            found = player.decision(block, at)
            for move in found.moves:
                rows = player.outcomes(block, at, 40, observer=found.seat, move=move)
                declared = rows[NAMES.index("declared"), :, found.seat]
                contract = rows[NAMES.index("contract")]
                if move == PASS:
                    assert not declared.any()
                else:
                    assert declared.all()
                    assert set(contract.flat) <= ({0, 2} if move & 3 == 0 else {move & 3})


def test_what_is_announced_is_forced() -> None:
    player = rollouts("heuristic", declarer="forehand", must_declare=True)
    tried = 0
    for block in range(20):
        for at in range(1, min(3, player.game(block)[1])):
            found = player.decision(block, at)
            if found.kind == KINDS["announce"]:
                for contract in (0, 2):
                    rows = player.outcomes(block, at, 20, observer=0, move=contract)
                    assert (rows[NAMES.index("contract")] == contract).all()
                tried += 1
    assert tried > 5


def test_cards_laid_away_matter() -> None:
    """Laid away, a card cannot be played: of a hand of sevens and aces the aces are better away."""
    player = rollouts("heuristic", declarer="forehand", must_declare=True, contracts="null")
    worse = better = 0.0
    for block in range(30):
        found = player.decision(block, 1)
        assert found.kind == KINDS["lay away"]
        ranks = {move: (move & 7) + (move >> 5 & 7) for move in found.moves}
        for move in (min(ranks, key=lambda move: ranks[move]), max(ranks, key=lambda move: ranks[move])):
            won = player.outcomes(block, 1, 50, observer=0, move=move)[NAMES.index("won_declared"), :, 0].mean()
            if ranks[move] == min(ranks.values()):
                worse += won
            else:
                better += won
    assert better > worse + 1


@pytest.mark.parametrize("rules", [{"must_declare": True}, {"must_declare": True, "hand_filter": "C7 C8 !CA !SA"}])
def test_rollouts_under_all_rules_of_declaring(rules: dict[str, Any]) -> None:
    """From every decision, for every observer, a rollout ends as a deal does."""
    for seed, declarer in enumerate(("forehand", "middlehand", "rearhand", "rotate", "random")):
        player = rollouts("random", "heuristic", declarer=declarer, **rules)
        chosen = random.Random(seed)
        for block in range(6):
            own, decisions = player.game(block)
            for at in chosen.sample(range(decisions), 3):
                for observer in (ONLOOKER, 0, 1, 2):
                    rows = player.outcomes(block, at, 20, observer=observer)
                    declared = rows[NAMES.index("declared")]
                    assert (declared == own[NAMES.index("declared")]).all()
                    assert (rows[NAMES.index("win60")].sum(axis=1) == 60).all()
