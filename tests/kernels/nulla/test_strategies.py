"""What each strategy of Núlla does on views made by hand."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from kernels import rng
from kernels.draw import ALL, address
from kernels.nulla import rules, state
from kernels.nulla.plan import prepare
from kernels.nulla.state import BLIND, CHAIN, DRAW, PUT_BACK, TURN
from kernels.nulla.strategies import STRATEGIES
from tests.kernels.drawing import card, cards, chooser
from tests.kernels.playing import near, play

STATES = np.zeros(1, state.STATE)
CHOOSE = {strategy.name: chooser(strategy) for strategy in STRATEGIES}


@numba.njit
def set_up(views, states, of_rules):  # type: ignore[no-untyped-def]
    state.set_rules(views[0], of_rules)
    prepare(states[0].plan, views[0].worth, of_rules.row)
    views[0].plan = address(states[0].plan)


def look(
    row: str, held: str = "", *, top: str = "", swaps: int = 0, stock: int = 20, gone: str = "", **given: Any
) -> Any:
    """A view of seat 0: its row ("C8 ? CQ"), the card held (none: its turn begins) and the top discard.

    The secret card is the ace of hearts; `gone` are further cards it has seen.
    """
    slots = row.split()
    views = np.zeros(2, state.VIEW)
    set_up(views, STATES, rules.encode(rules.complete({"row": len(slots), **given})))
    view = views[0]
    view["phase"] = CHAIN if held else TURN
    view["held"] = card(held) if held else -1
    view["secret"] = card("HA")
    seen = cards("HA " + gone + " " + held + " " + top)
    view["cards"] = (1 << 64) - 1
    for slot, name in enumerate(slots):
        if name != "?":
            word = int(view["cards"][slot // 8])
            view["cards"][slot // 8] = word & ~(255 << 8 * (slot % 8)) | card(name) << 8 * (slot % 8)
            seen |= cards(name)
    view["shown"] = (1 << 64) - 1
    view["unseen"] = int(ALL) & ~seen
    view["swaps"] = swaps
    view["stock"] = stock
    if top:
        view["pile"] = 1
        view["discards"][0] = card(top)
        view["open"] = cards(top)
    return views


def choice(name: str, *parameters: float, **view: Any) -> int:
    return CHOOSE[name](look(**view), parameters)


UNKNOWN = "? ? ? ? ? ?"


@pytest.mark.parametrize("name", ["first", "chain", "shift"])
def test_who_only_draws(name: str) -> None:
    assert choice(name, row=UNKNOWN, top="CK") == DRAW
    assert choice(name, row="DT DT DT DT DT DT", top="CK") == DRAW


def test_stand() -> None:
    assert choice("stand", row=UNKNOWN, top="CK") == BLIND
    assert choice("stand", row=UNKNOWN, held="CK") == 0
    assert choice("stand", row="DT DT DT DT DT DT", held="CK") == 0


def test_first() -> None:
    assert choice("first", row="C5 ? ? ? ? ?", held="D4") == 1
    assert choice("first", row="C5 ? ? ? ? ?", held="D5") == 0
    assert choice("first", row="C9 DT DT DT DT DT", held="DA") == 0  # nines are zero
    # the mean of the unseen cards is just above 3.5
    assert choice("first", row=UNKNOWN, held="D3") == 1
    assert choice("first", row=UNKNOWN, held="D4") == 0
    high_gone = "C6 D6 S6 H6 C7 D7 S7 H7 C8 D8 S8 H8 CT DT ST HT"
    assert choice("first", row=UNKNOWN, held="D3", gone=high_gone) == 0


def test_chain() -> None:
    assert choice("chain", row="C8 S7 C2 CQ H6", held="DA") == 1  # the held 8 is not below 7
    assert choice("chain", row="C2 S4 C7 CT H6", held="DA") == 4
    assert choice("chain", row="C2 S4 C7 CT CQ", held="DA") == 4
    assert choice("chain", row="C2 S4 C5 C7 CT", held="DA") == 5
    assert choice("chain", row="CQ S4 C5 C7 CT", held="DK") == 0
    # into unknown slots while what is held is below the mean, and then it is asked again
    assert choice("chain", row="C2 ? ? ? ?", held="DA") == -2
    assert choice("chain", row="C2 S4 ? ? ?", held="DA") == 2
    assert choice("chain", row="CK C2 ? ? ?", held="D3", swaps=2) == -1
    assert choice("chain", row="CK C2 ? ? ?", held="D8", swaps=2) == 0


def test_shift() -> None:
    assert choice("shift", row="C2 CT ? ? ?", held="DA") == 2  # worst known is above the mean: out with it
    assert choice("shift", row="C2 C3 ? ? ?", held="DA") == 3  # all below the mean: explore
    assert choice("shift", row="C2 C3 ? ? ?", held="D8") == 0
    assert choice("shift", row="C2 C3 C3 DA CA", held="CK") == 2  # the first of equals
    assert choice("shift", row="C2 C3 C3 DA CA", held="D3") == 0
    assert choice("shift", row=UNKNOWN, held="DK") == 1
    assert choice("shift", row="CK ? SK ? CQ", held="DK") == 2  # a forgotten slot among known ones


def test_random_is_uniform_over_what_is_allowed() -> None:
    def rates(**rule: Any) -> tuple[Any, Any]:
        games = play("nulla", 20_000, ["random", "random"], {"max_turns": 1, **rule}).games
        return games["swaps"][:, 0, 0], games["taken"][:, 0, 0]

    swaps, taken = rates()
    near(taken, 0.5)
    assert np.allclose(np.bincount(swaps[taken == 1], minlength=7) / taken.sum(), [0, *[1 / 6] * 6], atol=0.02)
    assert np.allclose(np.bincount(swaps[taken == 0], minlength=7) / (1 - taken).sum(), 1 / 7, atol=0.02)
    swaps, taken = rates(take_must_swap=False)
    near(taken, 0.5)
    assert np.allclose(np.bincount(swaps[taken == 1], minlength=7) / taken.sum(), 1 / 7, atol=0.02)
    assert (rates(initial_discard=False)[1] == 0).all()
    assert PUT_BACK > 12


@pytest.mark.parametrize("name", ["dp", "dp-win"])
def test_planners_on_plain_choices(name: str) -> None:
    known = "C8 S7 C2 CQ H6"
    assert choice(name, row=known, held="DA") == 1  # replaces the worst
    assert choice(name, row="S7 C2 CQ C8 H6", held="DA") == 4
    assert choice(name, row="CQ CK DQ DK SQ", held="DA") == 0
    assert choice(name, row=known, top="SK") == 1  # nothing better can be drawn
    assert choice(name, row="CQ CK DQ DK SQ", top="SK") == DRAW  # nothing to gain
    assert choice(name, row=known, top="ST") == DRAW
    assert choice(name, row="CT DT ST HT ?", held="H8", stock=0) == 1
    assert choice(name, row="? ? ? ? ?", held="HK", stock=0) == -1
    assert choice(name, row="? ? ? ? ?", held="CT", stock=0) == 0


def test_the_last_turn_of_dp_counts_unseen_cards() -> None:
    """A 3 for an unknown card, if the unseen cards are worth more on average."""
    assert choice("dp", row="CK CQ DK DQ ?", held="D3", stock=0) == -5
    high_gone = "C6 D6 S6 H6 C7 D7 S7 H7 C8 D8 S8 H8 CT DT ST HT"
    assert choice("dp", row="CK CQ DK DQ ?", held="D3", stock=0, gone=high_gone) == 0


def test_dp_looks_ahead() -> None:
    """With turns to come a card is explored sooner or later than by its own worth."""
    assert choice("dp", row="CK CQ DK DQ ?", held="D3", stock=0) == -5
    assert choice("dp", row="CK CQ DK DQ ?", held="D3", stock=30) == 0  # a later zero explores at no price
    assert choice("dp", row="? ? ? ? ?", held="D8", stock=0) == 0
    assert choice("dp", row="? ? ? ? ?", held="D8", stock=20) == -1  # a known 8 can be replaced at will
    assert choice("dp", row="C8 CQ DK DQ ?", top="S3", stock=1) == 1
    assert choice("dp", row="C8 CQ DK DQ ?", top="S3", stock=39) == DRAW
    assert choice("dp", row="C8 CQ DK DQ ?", top="SK", stock=39) == 1


def test_dp_never_takes_without_a_gain() -> None:
    """So no two of them hand a card to and fro: taken is lower than what goes, or an unknown card goes."""
    chosen = np.random.default_rng(5)
    names = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]
    taken = 0
    for _ in range(300):
        deal = chosen.permutation([name for name in names if name != "HA"])
        row = [str(name) if chosen.random() < 0.8 else "?" for name in deal[:6]]
        views = look(" ".join(row), top=str(deal[6]), stock=int(chosen.integers(1, 30)), take_must_swap=False)
        move = CHOOSE["dp"](views)
        assert move != PUT_BACK
        worth = [int(views["worth"][0]) >> 4 * (card(name) // 4) & 15 if name != "?" else -1 for name in row]
        top = int(views["worth"][0]) >> 4 * (card(str(deal[6])) // 4) & 15
        if move > 0:
            assert top < worth[move - 1] == max(worth)
        if move < 0:
            assert worth[-move - 1] == -1
        taken += move != DRAW
    assert 30 < taken < 270


def test_row_of_twelve_is_planned_in_classes() -> None:
    row = "CT DT C8 D8 C6 D6 C4 D4 C2 D2 CK DK"
    assert choice("dp", row=row, held="DQ") == 1
    assert choice("dp", row=row, held="ST") == 0
    assert choice("dp", row="C8 C7 D6 D6 C6 D6 C4 D4 C2 D2 CK DK", held="S7") == 1  # one class, but lower
    assert choice("dp", row=" ".join("?" * 12), held="DQ") == -1


def test_dp_win_counts_wins() -> None:
    """The last turn; own zeros and one unknown card, against 2 points and an unknown secret card.

    Unseen are two jacks and a ten. A 2 for the unknown card is better on average (2 against 10/3), but loses unless the
    other secret card is the ten; the unknown card wins unless it is the ten itself.
    """
    views = look("CK CQ DK DQ ?", held="D2", stock=0)
    view = views[0]
    shown = [card(name) for name in ("SK", "HK", "SQ", "HQ", "C2")]
    view["shown"][1, 0] = sum(number << 8 * slot for slot, number in enumerate(shown + [255] * 3))
    view["unseen"] = cards("CJ DJ CT")
    view["reach"][1] = 5
    assert CHOOSE["dp"](views) == -5
    assert CHOOSE["dp-win"](views) == 0
    view["unseen"] = cards("CJ CT DT")
    assert CHOOSE["dp-win"](views) == -5


def test_memory() -> None:
    """Without memory a seat of `shift` knows nothing, with perfect memory all; between, in between."""
    means = [
        play("nulla", 3000, [f"shift:memory={memory}", "stand"]).games["score"][:, 0, 0].mean()
        for memory in (0, 0.5, 0.9, 1)
    ]
    assert means[0] > means[1] > means[2] > means[3]
    same = [play("nulla", 200, [name, "stand"]).games["score"] for name in ("shift", "shift:memory=1")]
    assert (same[0] == same[1]).all()


@numba.njit
def forgotten(views, states, times):  # type: ignore[no-untyped-def]
    """What seat 1 with a memory of 0.75 forgets of slots 1, 2 and 4, tried often: counts by slot (6: nothing)."""
    view, hidden = views[0], states[0]
    view.seat = 1
    counts = np.zeros(7, np.int64)
    kept = True
    for i in range(times):
        rng.start(view.lots[1], np.uint64(1), i, 0, 0, 0)
        hidden.memory[1] = 0.75
        hidden.no_cards[1, 0] = np.uint64(0xFF00FF0000FF)
        hidden.unknown[1] = 3
        hidden.mine[1] = np.uint64(0b1011000)
        hidden.rows[1, 0] = np.uint64(0x000600040300)
        hidden.rows[1, 1] = np.uint64(0)
        state.forget(view, hidden, 1)
        slot = 6
        for s in (1, 2, 4):
            if (hidden.no_cards[1, 0] >> np.uint64(8 * s)) & np.uint64(255):
                slot = s
        card = 3 if slot == 1 else (4 if slot == 2 else 6)
        lost = np.uint64(0) if slot == 6 else np.uint64(1) << np.uint64(card)
        kept &= hidden.mine[1] == np.uint64(0b1011000) ^ lost
        kept &= hidden.unknown[1] == 3 + (slot < 6)
        forgotten = np.uint64(0) if slot == 6 else np.uint64(255) << np.uint64(8 * slot)
        kept &= hidden.no_cards[1, 0] == np.uint64(0xFF00FF0000FF) | forgotten
        counts[slot] += 1
    return counts, kept


def test_forgetting_takes_each_known_slot_alike() -> None:
    views = np.zeros(2, state.VIEW)
    views["row"] = 6
    counts, kept = forgotten(views, STATES, 12_000)
    assert kept
    assert counts.sum() == 12_000
    assert not counts[[0, 3, 5]].any()
    assert abs(counts[6] - 9000) < 5 * 48
    assert (abs(counts[[1, 2, 4]] - 1000) < 5 * 31).all()
