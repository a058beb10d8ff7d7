"""What each strategy of Null from Norway does on views made by hand."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from kernels.draw import ALL, address
from kernels.norwegian_null import rules, state
from kernels.norwegian_null.plan import prepare
from kernels.norwegian_null.state import DRAW, LAY, TURN
from kernels.norwegian_null.strategies import STRATEGIES
from tests.kernels.drawing import card, cards, chooser
from tests.kernels.playing import near, play

STATES = np.zeros(1, state.STATE)
CHOOSE = {strategy.name: chooser(strategy) for strategy in STRATEGIES}
NAMES = [strategy.name for strategy in STRATEGIES]


@numba.njit
def set_up(views, states, of_rules, null):  # type: ignore[no-untyped-def]
    view = views[0]
    state.set_rules(view, of_rules)
    view.null = null
    view.worth = state.WORTH[of_rules.face_values, null]
    view.plan = address(states[0].plans)
    prepare(view.plan, view.worth, of_rules.cards, of_rules.players)


def look(
    hand: str, held: str = "", *, top: str = "", null: str = "K", stock: int = 20, gone: str = "", **given: Any
) -> Any:
    """A view of seat 0 of three: its hand, the card drawn (none: its turn begins), the face-up card."""
    views = np.zeros(2, state.VIEW)
    encoded = rules.encode(rules.complete({"players": 3, **given}))
    set_up(views, STATES, encoded, "A23456789TJQK".index(null))
    view = views[0]
    view["phase"] = LAY if held else TURN
    view["held"] = card(held) if held else -1
    view["top"] = card(top) if top else -1
    view["hand"] = cards(hand)
    back = top if not encoded.take_must_swap else ""
    view["choices"] = cards(f"{hand} {held or back}")
    view["open"] = cards(f"{top} {gone}")
    view["unseen"] = int(ALL) & ~cards(f"{hand} {held} {top} {gone}")
    view["stock"] = stock
    view["cards_of"] = len(hand.split())
    return views


def choice(name: str, *parameters: float, **view: Any) -> int:
    return CHOOSE[name](look(**view), parameters)


@pytest.mark.parametrize("name", ["stand", "threshold", "greedy"])
def test_who_only_draws(name: str) -> None:
    assert choice(name, hand="CQ DQ SQ HQ CJ", top="CK") == DRAW


def test_stand() -> None:
    assert choice("stand", hand="CQ DQ SQ HQ CJ", held="CK") == card("CK")


def test_threshold() -> None:
    hand = "CA D2 S8 HT H3"
    assert choice("threshold", hand=hand, held="C6") == card("HT")
    assert choice("threshold", hand=hand, held="C7") == card("C7")
    assert choice("threshold", hand=hand, held="CK") == card("HT")
    assert choice("threshold", hand=hand, held="CK", null="Q") == card("CK")
    assert choice("threshold", 7, hand=hand, held="C7") == card("HT")
    assert choice("threshold", 0, hand=hand, held="CA") == card("CA")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("stand", "random", "threshold")])
def test_who_replaces_the_worst_by_anything_lower(name: str) -> None:
    hand = "CA D2 S8 HT H3"
    assert choice(name, hand=hand, held="C9") == card("HT")
    assert choice(name, hand=hand, held="CT") == card("CT")
    assert choice(name, hand=hand, held="CT", null="T") == card("S8")
    assert choice(name, hand="CA D2 S8 HK HQ", held="CJ", null="K") == card("HQ")
    assert choice(name, hand="CA D2 S8 HK HQ", held="CT", face_values="10-10-10", null="9") == card("CT")
    assert choice(name, hand="CK DK SK HK", held="CA", cards=4) == card("CA")


def test_greedy_discard_weighs_the_top_card_against_a_draw() -> None:
    """The worst card is a ten: a draw gains 10 - v on average over the unseen v below it."""
    hand = "CA D2 S8 HT H3"
    unseen = dict.fromkeys(range(13), 4)  # by worth, kings are null
    for worth in (1, 2, 8, 10, 3):
        unseen[worth] -= 1
    for top in range(13):
        rank = "KA23456789TJQ"[top]
        name = "C" + rank if "C" + rank not in hand else "S" + rank
        left = dict(unseen)
        left[top] -= 1
        gain = sum(max(0, 10 - worth) * number for worth, number in left.items()) / sum(left.values())
        expected = card("HT") if 10 - top >= gain and top < 10 else DRAW
        assert choice("greedy-discard", hand=hand, top=name) == expected, name
    nothing_left = "KA23456789T"
    gone = " ".join(suit + rank for suit in "CSHD" for rank in nothing_left)
    assert choice("greedy-discard", hand="HQ", top="CJ", gone=gone) == card("HQ")


@pytest.mark.parametrize("name", ["greedy-discard", "dp", "dp-win"])
def test_nobody_takes_without_a_gain(name: str) -> None:
    """So cards are not handed to and fro for ever, not even where nothing can be gained by drawing."""
    for must in (True, False):
        for stock in (1, 4, 20):
            view: dict[str, Any] = {"take_must_swap": must, "stock": stock}
            assert choice(name, hand="CK DK SK HK", top="CA", **view) == DRAW
            assert choice(name, hand="C3 D3 S3", top="H3", **view) == DRAW
            assert choice(name, hand="C3 D3 S3", top="HQ", **view) == DRAW
            assert choice(name, hand="C3 D3 SQ", top="HK", **view) == card("SQ")


def test_dp_in_the_last_turn_takes_what_beats_a_draw() -> None:
    """The same as greedy-discard there, but for equal gains."""
    chosen = np.random.default_rng(4)
    names = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]
    taken = 0
    for _ in range(200):
        deal = [str(name) for name in chosen.permutation(names)]
        view: dict[str, Any] = {"hand": " ".join(deal[:5]), "top": deal[5], "null": "Q", "stock": 1}
        moves = [choice(name, **view) for name in ("dp", "greedy-discard")]
        assert moves[0] == moves[1] or (moves[0] == DRAW)
        taken += moves[0] != DRAW
    assert 40 < taken < 160


def test_dp_is_choosier_early() -> None:
    """With many draws to come a middling card is no gain: later draws would have replaced the worst card anyway."""
    hand = "CA DA SA HA CQ"
    assert choice("dp", hand=hand, top="C6", stock=1) == card("CQ")
    assert choice("dp", hand=hand, top="C6", stock=34) == DRAW
    assert choice("dp", hand=hand, top="CK", stock=34) == card("CQ")


def test_hands_of_more_than_five_are_planned_in_classes() -> None:
    hand = "CA DA SA HA C2 D2 CQ"
    assert choice("dp", hand=hand, top="CK", cards=7) == card("CQ")
    assert choice("dp", hand=hand, top="CJ", cards=7) == DRAW


def test_dp_win_counts_wins() -> None:
    """The last turn, a 7 in hand and a 5 face up, against seats that show a 4 and a queen.

    Unseen are a king, which counts nothing, and five queens and jacks. With the 5 the sum is lower on average, but wins
    hardly more than if the own secret card is the king; a draw also wins if it is the king.
    """
    views = look("C7", top="C5", stock=1, cards=1)
    view = views[0]
    view["shown"][1], view["shown"][2] = cards("S4"), cards("HQ")
    view["unseen"] = cards("CK CQ DQ SQ CJ DJ")
    assert CHOOSE["dp"](views) == card("C7")
    assert CHOOSE["dp-win"](views) == DRAW
    view["shown"][1] = cards("S6")  # now the 5 beats it
    assert CHOOSE["dp-win"](views) == card("C7")


def test_random_is_uniform_over_what_is_allowed() -> None:
    def rates(**rule: Any) -> tuple[Any, Any]:
        rules_of = {"max_turns": 1, "max_rounds": 1, "cards": 3, **rule}
        games = play("norwegian-null", 20_000, ["random"] * 4, rules_of).games
        return games["swaps"][:, 0], games["taken"][:, 0]

    swaps, taken = rates()
    assert not taken[:, 0].any()  # no card lies face up yet
    near(swaps[:, 0], 3 / 4)
    for seat in (1, 2, 3):
        near(taken[:, seat], 1 / 2)
        near(swaps[:, seat][taken[:, seat] == 0], 3 / 4)
    assert (swaps >= taken).all()
    swaps, taken = rates(take_must_swap=False)
    near(taken[:, 1], 1 / 2)
    near(swaps[:, 1][taken[:, 1] == 1], 3 / 4)
