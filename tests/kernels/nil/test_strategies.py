"""Nil: what each strategy is said to do, on positions made by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numba
import numpy as np

from kernels.nil import play as kernel
from kernels.nil.rules import RANKS, SUITS
from kernels.nil.state import CLUBS, DECK, VIEW
from kernels.nil.strategies import STRATEGIES
from kernels.nil.transcript import card_name
from tests.kernels.playing import play

CODES = {strategy.name: code for code, strategy in enumerate(STRATEGIES)}


@numba.njit
def choose(views: Any, code: int) -> int:
    return int(kernel.decide(views[0], views[1], code, None))


def number(card: str) -> int:
    return 4 * RANKS.index(card[1]) + SUITS.index(card[0])


def asked(
    hand: str, trick: str = "", seat: int = 0, have: tuple[int, ...] = (), voids: tuple[tuple[int, str], ...] = ()
) -> Any:
    """The view of `seat` that holds `hand` after the cards of `trick` were played by the seats before it."""
    views = np.zeros(2, VIEW)
    view = views[0]
    cards = [number(card) for card in hand.split()]
    laid = [number(card) for card in trick.split()]
    view["seat"], view["position"] = seat, len(laid)
    view["hand"] = sum(1 << card for card in cards)
    view["suit"], view["best"], view["winner"] = DECK, -1, -1
    if laid:
        suit = laid[0] % 4
        view["suit"] = int(CLUBS) << suit
        view["best"] = max(card for card in laid if card % 4 == suit)
        view["winner"] = (seat - len(laid) + laid.index(int(view["best"]))) % 4
    view["legal"] = (int(view["hand"]) & int(view["suit"])) or int(view["hand"])
    view["have"] = sum(1 << other for other in have)
    view["voids"] = sum(1 << (4 * other + SUITS.index(suit)) for other, suit in voids)
    view["lots"][seat] = (1, 2, 3, 1)
    return views


def choice(name: str, *position: Any, **more: Any) -> str:
    return card_name(choose(asked(*position, **more), CODES[name]))


def test_duck() -> None:
    for name in ("duck", "switch"):
        assert choice(name, "C5 S3 HA") == "S3"
        assert choice(name, "C3 S3 HA") == "C3"
        assert choice(name, "C3 C9 CK HA", "CT") == "C9"
        assert choice(name, "C3 C9 CK HA", "CT SA CQ") == "C9"
        assert choice(name, "C3 C9 CK HA", "CT CA") == "CK"
        assert choice(name, "C9 CK HA", "C5 C2 C3") == "C9"
        assert choice(name, "C9 CK D2", "H5") == "CK"
        assert choice(name, "CK DK D2", "H5") == "DK"


def test_switch_leads_to_the_only_player_without_a_trick() -> None:
    lead = {"seat": 1, "have": (0, 1, 3)}
    assert choice("switch", "C5 S3 HA", **lead) == "S3"
    assert choice("switch", "C5 S3 HA", voids=((2, "S"),), **lead) == "C5"
    assert choice("switch", "C5 S3 HA", voids=((2, "S"), (2, "C")), **lead) == "HA"
    assert choice("switch", "C5 S3 HA", voids=((3, "S"),), **lead) == "S3"
    assert choice("switch", "C5 S3", voids=((2, "S"), (2, "C")), **lead) == "S3"
    assert choice("duck", "C5 S3 HA", voids=((2, "S"),), **lead) == "S3"


def test_switch_stays_under_them() -> None:
    follow = {"seat": 1, "have": (0, 1, 3)}
    assert choice("switch", "C3 C9 CK", "CT", **follow) == "C3"  # seat 2 is still to play
    assert choice("switch", "C3 C9 CK", "CT C5 CA", **follow) == "CK"  # seat 2 has escaped
    assert choice("switch", "C3 C9 CK", "CT C5", **follow) == "C3"
    assert choice("switch", "C3 C9 CK", "CT C5 C4", **follow) == "C9"  # seat 2 has led and is winning
    assert choice("switch", "H2 HK", "CT", **follow) == "HK"


def test_switch_ducks_otherwise() -> None:
    assert choice("switch", "C3 C9 CK", "CT", seat=1, have=(0, 1)) == "C9"  # two without a trick
    assert choice("switch", "C3 C9 CK", "CT", seat=1, have=(0, 2, 3)) == "C9"  # it is the one itself


def test_random_takes_every_legal_card() -> None:
    views = asked("C3 C9 CK HA", "CT")
    seen = Counter(card_name(choose(views, CODES["random"])) for _ in range(3000))
    assert set(seen) == {"C3", "C9", "CK"}
    assert all(abs(times - 1000) < 5 * np.sqrt(3000 * 2 / 9) for times in seen.values())


def test_the_ladder() -> None:
    """Each rung beats the one below it."""
    for weak, strong in (("random", "duck"), ("duck", "switch")):
        score = play("nil", 4000, [strong, weak, weak, weak]).games["score"][:, 0]
        edge = score[:, 0] - score[:, 1:].mean(axis=1)
        # seats are not alike in a fixed seating, so all four are taken in turn
        edges = [edge]
        for seat in range(1, 4):
            names = [weak] * 4
            names[seat] = strong
            score = play("nil", 4000, names).games["score"][:, 0]
            edges.append(score[:, seat] - np.delete(score, seat, axis=1).mean(axis=1))
        mean = np.mean(edges, axis=0)
        assert mean.mean() > 4 * mean.std() / np.sqrt(mean.size), (weak, strong)
