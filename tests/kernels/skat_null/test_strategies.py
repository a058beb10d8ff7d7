"""Skat Null: what each strategy is said to do, on positions made by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest

from kernels.skat_null.holdings import CHANCES
from kernels.skat_null.parts import (
    DECLARE_FUNCTIONS,
    PLAY_FUNCTIONS,
    SKAT_FUNCTIONS,
    decide,
    decide_declare,
    decide_skat,
    seat_parts,
    take_part,
)
from kernels.skat_null.rules import RANKS, SUITS, complete, encode
from kernels.skat_null.state import ANNOUNCE, DECK, DECLARE, DEFEND, LAY_AWAY, PASS, PLAY, STATE, VIEW, set_rules
from kernels.skat_null.strategies import STRATEGIES
from kernels.skat_null.transcript import card_name
from kernels.strategy import MAX_PARAMS
from tests.kernels.playing import lineup, play

GAME = "skat-null"
PART = {DECLARE: 0, ANNOUNCE: 0, LAY_AWAY: 1, PLAY: 2, DEFEND: 3}
#: hands that cannot lose from middlehand, nearly cannot, and can hardly win
SURE = "C7 C8 C9 S7 S8 S9 H7 H8 H9 D7"
GOOD = "C7 C8 C9 S7 S8 S9 H7 H9 HJ D8"
BAD = "CQ CK CA SQ SK SA HQ HK HA DA"


@numba.njit
def choose(views: Any, states: Any, codes: Any, params: Any, part: int) -> int:
    """The answer of a part of the strategy, which is seated at the seat to move."""
    view = views[0]
    seat_parts(view, states[0], view.seat, codes, params, 0)
    code = take_part(view, states[0], view.seat, part)
    if part == 0:
        return np.int64(decide_declare(view, views[1], code, None))
    if part == 1:
        return np.int64(decide_skat(view, views[1], code, None))
    return np.int64(decide(view, views[1], code, None))


@numba.njit
def taken(views: Any, states: Any, codes: Any, params: Any, part: int) -> int:
    """Seat 1 is given a strategy, and one of its parts is made the one that is asked: its code."""
    seat_parts(views[0], states[0], 1, codes, params, 0)
    return take_part(views[0], states[0], 1, part)


@numba.njit
def ready(views: Any, rules: Any) -> None:
    set_rules(views[0], rules)


def number(card: str) -> int:
    return 8 * SUITS.index(card[0]) + RANKS.index(card[1])


def cards(text: str) -> int:
    return sum(1 << number(card) for card in text.split())


class Position:
    """A view filled by hand; `answer` asks a strategy."""

    def __init__(self, phase: int, hand: str, seat: int = 1, **rules: Any) -> None:
        self.views, self.states = np.zeros(2, VIEW), np.zeros(1, STATE)
        ready(self.views, encode(complete(rules)))
        view = self.view = self.views[0]
        view["phase"], view["seat"], view["hand"] = phase, seat, cards(hand)
        view["declarer"], view["contract"], view["winner"], view["best"] = -1, -1, -1, -1
        view["suit"] = DECK
        view["lots"][seat] = (1, 2, 3, 1)

    def trick(self, laid: str, declarer: int, contract: int = 0, opened: str = "", shown: str = "") -> Position:
        """After these cards of the trick; `opened` are cards played before."""
        view, own = self.view, [number(card) for card in laid.split()]
        view["declarer"], view["contract"], view["position"] = declarer, contract, len(own)
        view["open"], view["shown"] = cards(f"{opened} {laid}"), cards(shown)
        view["legal"] = view["hand"]
        if own:
            suit = own[0] // 8
            view["suit"] = 255 << 8 * suit
            view["best"] = max(card for card in own if card // 8 == suit)
            view["winner"] = (int(view["seat"]) - len(own) + own.index(int(view["best"]))) % 3
            view["legal"] = (int(view["hand"]) & int(view["suit"])) or int(view["hand"])
        return self

    def answer(self, name: str, *params: float) -> int:
        code = [row.name for row in STRATEGIES].index(name)
        part = PART[int(self.view["phase"])]
        codes, values = np.zeros((1, 4), np.int64), np.zeros((1, 4, MAX_PARAMS))
        codes[0, part] = code
        defaults = [parameter.default for parameter in STRATEGIES[code].parameters]
        for k, value in enumerate([*params, *defaults[len(params) :]]):
            values[0, part, k] = value
        return choose(self.views, self.states, codes, values, part)

    def card(self, name: str = "heuristic") -> str:
        return card_name(self.answer(name))


def declares(name: str, hand: str, *params: float, seat: int = 1, **rules: Any) -> tuple[int, float] | None:
    """The choice and the expected score, or None for a pass."""
    answer = Position(DECLARE, hand, seat, **rules).answer(name, *params)
    return None if answer == PASS else (answer & 3, (answer >> 2) / 1000)


def chance(hand: str, seat: int, with_skat: int) -> float:
    held = cards(hand)
    return float(np.prod([CHANCES[with_skat, seat, held >> 8 * suit & 255] for suit in range(4)]))


def test_heuristic_declares_by_expected_score() -> None:
    assert declares("heuristic", SURE) == (3, 59)
    assert declares("heuristic", SURE, contracts="null-hand,null") == (1, 35)
    assert declares("heuristic", SURE, contracts="null") == (0, 23)
    assert declares("heuristic", SURE, contracts="null-ouvert-hand", scoring="seeger-fabian") == (3, 109)
    assert declares("heuristic", BAD) is None
    for seat in range(3):
        p = chance(GOOD, seat, 0)
        for contract, win, lose, code in (("null-hand", 35, -70, 1), ("null-ouvert-hand", 59, -118, 3)):
            for kappa in (0.0, 0.5, 1.0):
                own = p if code == 3 else p + kappa * (1 - p)
                expected = lose + own * (win - lose)
                found = declares("heuristic", GOOD, kappa, seat=seat, contracts=contract)
                assert (expected <= 0 and found is None) or found == (code, pytest.approx(expected, abs=6e-4))
    lost = declares("heuristic", GOOD, 0.0, contracts="null-hand", loss="pre-1999")
    p = chance(GOOD, 1, 0)
    assert lost == (1, pytest.approx(35 * p - 35 * (1 - p), abs=6e-4))


def test_heuristic_looks_at_skats() -> None:
    """The value of taking the skat is near the mean over all 231 skats of the best that can then be announced."""
    errors = []
    for hand in (
        "C7 C8 C9 S7 S8 ST H7 H9 DJ DK",
        "C7 C8 CT S7 S9 SJ H7 HT D8 DQ",
        "C8 C9 CT S7 S8 SA H7 H9 HJ D7",
        "C7 C9 CJ CK S7 S8 H8 D7 DT DQ",
        "C7 C8 S7 S8 H7 H8 HA D7 D8 DA",
    ):
        held = cards(hand)
        unseen = [card for card in range(32) if not held >> card & 1]
        scores = []
        for skat in combinations(unseen, 2):
            twelve = [*bits(held), *skat]
            best = max(
                np.prod([CHANCES[1, 1, sum(1 << c for c in kept) >> 8 * suit & 255] for suit in range(4)])
                for kept in ([c for c in twelve if c not in away] for away in combinations(twelve, 2))
            )
            closed = best + 0.5 * (1 - best)
            scores.append(max(23 * closed - 46 * (1 - closed), 46 * best - 92 * (1 - best)))
        choice, score = declares("always", hand, contracts="null,null-ouvert")  # type: ignore[misc]
        assert choice == 0
        errors.append(score - np.mean(scores))
    assert max(map(abs, errors)) < 4
    assert abs(np.mean(errors)) < 2


def bits(mask: int) -> list[int]:
    return [card for card in range(32) if mask >> card & 1]


def test_safe_and_always() -> None:
    assert declares("safe", SURE) == (3, 59)
    assert declares("safe", GOOD, contracts="null-hand") is None
    assert declares("safe", GOOD, 0.3, contracts="null-hand") is not None
    assert declares("safe", GOOD)[0] == 0  # type: ignore[index]
    assert declares("safe", BAD, 0.0) is None  # allowed by its chance, but it would lose points
    assert declares("always", BAD) is not None
    for name in ("heuristic", "safe", "always"):
        for contracts, code in (("null", 0), ("null-hand", 1), ("null-ouvert-hand", 3), ("null-ouvert", 0)):
            rules = {"contracts": contracts, "must_declare": True, "declarer": "middlehand"}
            for hand in (SURE, GOOD, BAD):
                found = declares(name, hand, **rules)
                assert found is not None
                assert found[0] == code
    must = {"must_declare": True, "declarer": "middlehand"}
    assert declares("safe", BAD, **must)[0] == 0  # type: ignore[index]


def test_announcing() -> None:
    for name in ("heuristic", "safe", "always"):
        assert Position(ANNOUNCE, SURE).answer(name) == 2
        assert Position(ANNOUNCE, BAD).answer(name) == 0
    assert Position(ANNOUNCE, GOOD).answer("safe") == 0
    assert Position(ANNOUNCE, GOOD).answer("safe", 0.3) == 2
    seen = Counter(Position(ANNOUNCE, GOOD).answer("random") for _ in range(3))
    assert set(seen) <= {0, 2}


def test_laying_away() -> None:
    def away(hand: str, seat: int = 1) -> set[str]:
        answer = Position(LAY_AWAY, hand, seat).answer("heuristic")
        assert 0 <= answer < 1024
        return {card_name(answer & 31), card_name(answer >> 5)}

    assert away("C7 C8 C9 S7 S8 S9 H7 H8 H9 D7 SK DA") == {"C9", "DA"}  # spades are safe as they are
    assert away("C7 C8 C9 S7 S8 S9 H7 H8 H9 D7 DK DA") == {"DK", "DA"}
    chosen = np.random.default_rng(1)
    for _ in range(300):
        twelve = chosen.choice(32, 12, replace=False).tolist()
        seat = int(chosen.integers(3))
        found = away(" ".join(card_name(card) for card in twelve), seat)
        assert len(found) == 2

        def left(away: Any, twelve: list[int] = twelve, seat: int = seat) -> float:
            return chance(" ".join(card_name(card) for card in twelve if card not in away), seat, 1)

        best = max(left(pair) for pair in combinations(twelve, 2))
        assert left([number(card) for card in found]) == pytest.approx(best)


def test_declarer_follows() -> None:
    def follow(hand: str, laid: str) -> str:
        return Position(PLAY, hand, 1).trick(laid, declarer=1).card()

    assert follow("C7 C9 CJ S7", "CT") == "C9"
    assert follow("C7 C9 CJ S7", "C8 CQ") == "CJ"
    assert follow("CJ CK S7", "CT") == "CJ"  # as second player with the lowest
    assert follow("CJ CK S7", "C8 CT") == "CK"  # as last with the highest
    assert follow("C7 C9 CJ S7", "C8 SA") == "C7"


def test_declarer_discards_from_the_worst_suit() -> None:
    def discard(hand: str, opened: str = "") -> str:
        return Position(PLAY, hand, 1).trick("C8", declarer=1, opened=opened).card()

    assert discard("S7 S8 HT HJ D7 DA") == "HJ"  # two gaps against one
    assert discard("S7 S8 ST HJ D7 DA") == "DA"  # one gap each: the higher card
    assert discard("S7 S8 SK HA DA") == "HA"  # equal: the first suit
    assert discard("S7 S8 HA D7 DA", opened="H7 H8 H9 HT HJ HQ HK") == "DA"  # nobody else has hearts


def test_declarer_leads() -> None:
    def lead(hand: str, opened: str = "") -> str:
        return Position(PLAY, hand, 0).trick("", declarer=0, opened=opened).card()

    assert lead("C8 S9 HA D7") == "D7"
    assert lead("C9 S8 HA") == "S8"
    assert lead("C7 C9 CJ S7 S8 S9") == "S9"  # as sure as the others, and it leaves no gap
    assert lead("C8 S9", opened="C7") == "C8"
    assert lead("CA S9", opened="C7 C8 C9 CT CJ CQ CK") == "S9"  # nobody else has clubs


def test_defenders_lead() -> None:
    def lead(hand: str, voids: int = 0, contract: int = 0, shown: str = "") -> str:
        position = Position(DEFEND, hand, 0).trick("", declarer=1, contract=contract, shown=shown)
        position.view["voids"] = voids
        return position.card()

    assert lead("C9 S8 HA") == "S8"
    assert lead("C8 S8 HA") == "C8"
    assert lead("C9 S8 HA", voids=0b0010 << 4) == "C9"  # the declarer lacks spades
    assert lead("C9 S8 HA", voids=0b0010 << 8) == "S8"  # the partner does
    assert lead("C9 S8 HA", voids=0b0111 << 4) == "S8"
    assert lead("C9 S8 HA", contract=2, shown="C7 HK") == "C9"
    assert lead("C9 S8 HA", contract=3, shown="DK") == "S8"


def test_defenders_follow_and_discard() -> None:
    def follow(hand: str, laid: str, declarer: int, seat: int = 1) -> str:
        return Position(DEFEND, hand, seat).trick(laid, declarer).card()

    assert follow("C7 CT CQ S7", "C9", declarer=2) == "C7"  # before the declarer
    assert follow("C7 CT CQ S7", "CJ", declarer=0) == "CT"  # under a winning declarer
    assert follow("CT CQ S7", "C9", declarer=0) == "CQ"  # no card is under it
    assert follow("C7 CT CQ S7", "CA CJ", declarer=0) == "CQ"  # the partner wins
    assert follow("C7 CT CQ S7", "C8 CJ", declarer=0) == "CT"
    assert follow("S7 SA HK D8 D9", "CJ", declarer=0) == "HK"
    assert follow("S7 SA HK DA", "CJ", declarer=0) == "DA"
    assert follow("SA HA DA", "CJ", declarer=2) == "SA"


def test_random_takes_everything() -> None:
    position = Position(PLAY, "C7 C9 S7", 1).trick("CT", declarer=1)
    assert {position.card("random") for _ in range(60)} == {"C7", "C9"}
    away = Position(LAY_AWAY, SURE + " CA SA")
    pairs = Counter(frozenset((answer & 31, answer >> 5)) for answer in (away.answer("random") for _ in range(6600)))
    assert len(pairs) == 66
    assert all(len(pair) == 2 for pair in pairs)
    assert max(abs(times - 100) for times in pairs.values()) < 5 * np.sqrt(100 * 65 / 66)


def test_the_parts_matter() -> None:
    """Each heuristic part beats its random one where all else is equal."""
    rules = {"declarer": "rotate", "must_declare": True, "contracts": "null"}
    base = ["always", "heuristic", "heuristic", "heuristic"]

    def won(declarer: list[str], defender: list[str]) -> Any:
        """Per block of three deals, how many the one at table slot 0 wins as declarer against two others."""
        names = [declarer, defender, defender]
        seatings = [[0, 1, 2], [1, 0, 2], [1, 2, 0]]
        games = play(GAME, 6000, names, rules, seatings=seatings).games
        own = np.array([[games["won_declared"][:, k, k] for k in range(3)]])
        return own[0].T[np.arange(6000), np.arange(6000) % 3].astype(float)

    full = won(base, base)
    for part, sign in ((1, 1), (2, 1)):
        weak = list(base)
        weak[part] = "random"
        edge = full - won(weak, base)
        assert sign * edge.mean() > 5 * edge.std() / np.sqrt(edge.size)
    edge = won(base, [*base[:3], "random"]) - full
    assert edge.mean() > 5 * edge.std() / np.sqrt(edge.size)


def test_each_part_has_its_own_parameters() -> None:
    """Where parts do not agree in them, the asked part's are in the view; whatever was asked before."""
    rows = [row.name for row in STRATEGIES]
    line_ups = [
        (["heuristic:kappa=0.9", *["heuristic:kappa=0.2"] * 3], [0.9, 0.2, 0.2, 0.2]),
        (["safe", "random", "heuristic:kappa=0.1", "heuristic"], [0.95, None, 0.1, 0.5]),
        (["random", "heuristic:kappa=0.3", "random", "heuristic:kappa=0.3"], [None, 0.3, None, 0.3]),
    ]
    for names, wanted in line_ups:
        line = lineup(GAME, [names], [[0, 0, 0]])
        views, states = np.zeros(2, VIEW), np.zeros(1, STATE)
        for part in (0, 1, 2, 3, 2, 0, 3, 1):
            code = taken(views, states, line.codes, line.params, part)
            assert wanted[part] is None or views[0]["params"][1, 0] == wanted[part]
            functions = (DECLARE_FUNCTIONS, SKAT_FUNCTIONS, PLAY_FUNCTIONS, PLAY_FUNCTIONS)[part]
            assert functions[code] is STRATEGIES[rows.index(names[part].partition(":")[0])].function[part]
