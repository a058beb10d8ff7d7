"""Núlla: what is known exactly, met within five standard errors."""

from __future__ import annotations

import itertools

import numba
import numpy as np
import pytest

from kernels.draw import multisets
from kernels.nulla import plan, rules, state
from tests.kernels.playing import near, play

GAME = "nulla"


@pytest.mark.parametrize(
    ("row", "mean", "tie"), [(5, 276 / 13, 0.03397034), (6, 322 / 13, 0.03150212), (12, 46, 0.0232212)]
)
def test_nobody_changes_a_card(row: int, mean: float, tie: float) -> None:
    games = play(GAME, 150_000, ["stand", "stand"], {"row": row}).games
    near(games["score"].mean(axis=(1, 2)), mean)
    near(games["tied"][:, 0, 0], tie)
    near(games["win60"][:, 0, 0] / 60, 0.5)
    assert (games["turns"].sum(axis=2) == 52 - 2 * (row + 1) - 1).all()
    assert not games["swaps"].any()


def test_random_swaps_leave_the_mean_alone() -> None:
    games = play(GAME, 50_000, ["random", "random"]).games
    near(games["score"].mean(axis=(1, 2)), 322 / 13)
    near(games["taken"].sum(axis=(1, 2)), 37)  # a take for each of the 37 draws
    near((games["swaps"] - 3 * games["turns"]).sum(axis=(1, 2)), 37 * 0.5)  # 0..6 after a draw, 1..6 after a take


def test_the_chain_of_the_example() -> None:
    """Row 8 7 2 Q 6, secret 4, an ace drawn: totals after k swaps, and what is discarded."""
    row = [7 * 4, 6 * 4, 1 * 4, 11 * 4, 5 * 4]
    view, hidden = np.zeros(1, state.VIEW), np.zeros(1, state.STATE)
    of_rules = rules.encode(rules.complete({"row": 5}))
    for swaps, (discarded, total) in enumerate(zip([0, 7, 6, 1, 11, 5], [27, 20, 21, 26, 28, 22], strict=True)):
        deck = [*row, *[1, 2, 3, 5, 6], 3 * 4, 9]
        deck += [card for card in range(52) if card not in deck]
        held, points = run(view, hidden, np.array(deck, np.uint8), swaps, of_rules)
        assert (held // 4 if swaps else 0, points) == (discarded, total)


@numba.njit
def run(views, states, deck, swaps, of_rules):  # type: ignore[no-untyped-def]
    view, hidden = views[0], states[0]
    state.set_rules(view, of_rules)
    for i in range(52):
        hidden.deck[i] = deck[i]
    state.deal(view, hidden)
    held = 0
    if swaps > 0:
        held = state.swap(hidden, 0, held, 0, swaps, False)
    return held, state.total(view, hidden, 0)


def expected_by_hand(row: int, values: list[int], turns: int, known: tuple[int, ...]) -> float:
    """The expected row of `plan.py`, straight from its definition, over equally likely values."""
    mean = sum(values) / len(values)

    def left(turn: int, cards: tuple[int, ...]) -> float:
        unknown = row - len(cards)
        if turn == 0:
            return sum(cards) + unknown * mean
        total = 0.0
        for drawn in values:
            best = left(turn - 1, cards)
            for k in range(len(cards)):
                best = min(best, left(turn - 1, tuple(sorted((*cards[:k], *cards[k + 1 :], drawn)))))
            if unknown:
                best = min(best, explore(turn - 1, tuple(sorted((*cards, drawn))), unknown))
            total += best
        return total / len(values)

    def explore(turn: int, cards: tuple[int, ...], unknown: int) -> float:
        total = 0.0
        for seen in values:
            best = left(turn, cards)
            if unknown > 1:
                best = min(best, explore(turn, tuple(sorted((*cards, seen))), unknown - 1))
            total += best
        return total / len(values)

    return left(turns, tuple(sorted(known)))


def test_the_tables_follow_their_definition() -> None:
    """Ranks worth 0 (six of them), 4 (four) and 10 (three), so that few rows are possible."""
    worths = [0] * 6 + [4] * 4 + [10] * 3
    word = sum(worth << 4 * rank for rank, worth in enumerate(worths))
    tables = np.zeros(1, plan.PLAN)
    plan_of(tables, np.uint64(word), 5)
    table = tables[0]
    assert table["size"] == multisets(11, 5) == 4368
    for known in ((), (4,), (0, 10), (0, 0, 4, 10), (4, 4, 10, 10, 10)):
        number = 0
        for value in known:
            number = int(table["more"][number * 11 + value])
        for turns in (0, 1, 2):
            if turns == 2 and len(known) < 4:
                continue  # by hand that takes too long
            expected = expected_by_hand(5, worths, turns, known)
            assert table["left"][turns * 4368 + number] == pytest.approx(expected, rel=1e-5)


@numba.njit
def plan_of(tables, word, row):  # type: ignore[no-untyped-def]
    plan.prepare(tables[0], word, row)


def test_multisets_are_numbered_without_gaps() -> None:
    tables = np.zeros(1, plan.PLAN)
    plan_of(tables, state.WORTH[0], 12)  # classes of values
    table = tables[0]
    assert table["symbols"] == plan.COARSE
    numbers = set()
    for known in itertools.combinations_with_replacement(range(6), 3):
        number = 0
        for symbol in known:
            number = int(table["more"][number * 6 + symbol])
        numbers.add(number)
        again = 0
        for symbol in reversed(known):
            again = int(table["more"][again * 6 + symbol])
        assert again == number
        assert table["known"][number] == 3
        assert table["worst"][number] == known[-1] + 1
    assert len(numbers) == 56
    assert 0 < max(numbers) < table["size"] == 18_564
