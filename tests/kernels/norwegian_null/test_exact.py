"""Null from Norway: what is known exactly, met within five standard errors."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from kernels.draw import address
from kernels.norwegian_null import plan, state
from tests.kernels.playing import near, play

GAME = "norwegian-null"
KINGS = {"players": 3, "null_pick": "fixed", "null_rank": "K"}


@pytest.fixture(scope="module")
def games() -> dict[str, np.ndarray]:
    return play(GAME, 150_000, ["stand"] * 3, KINGS).games


def test_nobody_changes_a_card(games: dict[str, np.ndarray]) -> None:
    alone = games["first_alone"][:, 0]
    for seat in range(3):
        near(alone[:, seat], 0.31855075)
    near(1 - alone.sum(axis=1), 0.04434775)


def test_with_one_card_fewer() -> None:
    """Who won round 1 alone and then, with a card fewer, alone has the lowest sum of round 2."""
    rounds = play(GAME, 150_000, ["stand"] * 3, KINGS | {"max_rounds": 2}, round_rows=10**6).rounds
    rows = {name: column.reshape(-1, 2, 3) for name, column in rounds.items()}
    alone = rows["won"].sum(axis=2) == 1
    fewer = rows["cards"][:, 1] == 4
    decided = alone[:, 0]
    near(((rows["won"][:, 1] & fewer).sum(axis=1) * alone[:, 1])[decided], 0.50892212)


def test_whole_games(games: dict[str, np.ndarray]) -> None:
    near(games["rounds"][:, 0, 0], 6.19480248)
    decided = games["first_alone"][:, 0].sum(axis=1) == 1
    near(games["first_alone_won"][:, 0].sum(axis=1)[decided], 0.72570035)
    near(games["win60"][:, 0, 0] / 60, 1 / 3)


def test_mean_sums() -> None:
    """Five cards and the secret one, at 7 a card less the null rank's mean."""
    for pick, mean in (("K", 78 / 13), ("7", 84 / 13)):
        rules = {"null_pick": "fixed", "null_rank": pick, "max_rounds": 1}
        near(play(GAME, 20_000, ["stand"] * 4, rules).games["points"].mean(axis=(1, 2)), 6 * mean)
    rules = {"null_pick": "fixed", "face_values": "10-10-10", "max_rounds": 1}
    near(play(GAME, 20_000, ["random"] * 4, rules).games["points"].mean(axis=(1, 2)), 6 * 75 / 13)


def expected_by_hand(worths: list[int], turns: int, hand: tuple[int, ...]) -> float:
    """The expected hand of `plan.py`, straight from its definition, over equally likely worths."""

    def put(hand: tuple[int, ...], value: int) -> tuple[int, ...]:
        return tuple(sorted((*hand[:-1], value))) if value < hand[-1] else hand

    def left(turn: int, hand: tuple[int, ...]) -> float:
        if turn == 0:
            return sum(hand)
        draw = sum(left(turn - 1, put(hand, drawn)) for drawn in worths) / len(worths)
        return sum(min(left(turn - 1, put(hand, top)), draw) for top in worths) / len(worths)

    return left(turns, tuple(sorted(hand)))


@numba.njit
def plan_of(tables, word, cards, players):  # type: ignore[no-untyped-def]
    plan.prepare(address(tables[0]), word, cards, players)


def test_the_tables_follow_their_definition() -> None:
    tables = np.zeros(1, plan.PLAN)
    plan_of(tables, state.WORTH[0, 12], 5, 3)
    table = tables[0]
    assert (table["turns"], table["size"]) == (15, 11_628)
    worths = [rank + 1 for rank in range(12)] + [0]
    for hand in ((0, 0, 0, 0, 0), (1, 7), (12,), (0, 3, 3, 9, 12)):
        number = 0
        for value in hand:
            number = int(table["more"][number * 14 + value])
        for turns in (0, 1, 2):
            expected = expected_by_hand(worths, turns, hand)
            assert table["left"][turns * 11_628 + number] == pytest.approx(expected, rel=1e-5)


def test_tables_for_more_cards_are_in_classes() -> None:
    tables = np.zeros(1, plan.PLAN)
    plan_of(tables, state.WORTH[0, 6], 8, 4)
    table = tables[0]
    assert (table["symbols"], table["turns"], table["size"]) == (plan.COARSE, 11, 12_870)
    assert table["size"] == plan.HANDS
    one = int(table["more"][7])
    assert table["left"][one] == pytest.approx(13)
    assert table["left"][table["more"][4]] == pytest.approx(8)  # 7 or 8; the sevens are null
    assert (np.diff(table["left"].reshape(-1)[: 12 * 12_870].reshape(12, -1), axis=0) <= 1e-4).all()
