"""The referee of Nil against games whose outcome is known by hand, and against fouls."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from kernels.nil.referee import judge, payments
from kernels.nil.rules import complete
from tests.kernels.refereeing import FRENCH, all_spoilt_are_fouls, bent, foul

ORDER = "23456789TJQKA"
Tricks = list[int]


def everybody(tricks: Tricks) -> bool:
    return all(tricks)


def playout(
    leader: int, rng: random.Random, low: tuple[int, ...], ends: Callable[[Tricks], bool]
) -> tuple[dict[str, Any], Tricks]:
    """A hand of legal moves (the seats in `low` play low) until it `ends`: the round and the tricks."""
    pack = rng.sample(FRENCH, 52)
    hands = [pack[13 * seat : 13 * seat + 13] for seat in range(4)]
    moves: list[dict[str, Any]] = []
    tricks = [0] * 4
    left = [list(hand) for hand in hands]
    dealer = (leader - 1) % 4
    while left[0] and not ends(tricks):
        trick: list[tuple[int, str]] = []
        for step in range(4):
            seat = (leader + step) % 4
            legal = [card for card in left[seat] if not trick or card[0] == trick[0][1][0]] or left[seat]
            card = min(legal, key=lambda c: ORDER.index(c[1])) if seat in low else rng.choice(legal)
            left[seat].remove(card)
            trick.append((seat, card))
        moves += [{"seat": seat, "play": card} for seat, card in trick]
        led = trick[0][1][0]
        leader = max((ORDER.index(card[1]), seat) for seat, card in trick if card[0] == led)[1]
        tricks[leader] += 1
    return {"dealer": dealer, "deal": {"hands": hands}, "moves": moves}, tricks


def hand(
    leader: int,
    wanted: Callable[[Tricks], bool],
    low: tuple[int, ...] = (),
    ends: Callable[[Tricks], bool] = everybody,
) -> dict[str, Any]:
    """A hand led by this seat that comes out as wanted."""
    rng = random.Random(f"{leader} {low}")
    for _ in range(20_000):
        game, tricks = playout(leader, rng, low, ends)
        if wanted(tricks):
            return game
    raise AssertionError("no such hand found")


def exactly(*tricks: int) -> Callable[[Tricks], bool]:
    return lambda own: own == list(tricks)


def nils(*seats: int) -> Callable[[Tricks], bool]:
    return lambda own: tuple(seat for seat in range(4) if not own[seat]) == seats


def sweep(leader: int) -> dict[str, Any]:
    """A hand in which every seat holds one suit: the leader takes all 13 tricks."""
    hands = [[card for card in FRENCH if card[0] == suit] for suit in "CSHD"]
    moves = [
        {"seat": (leader + step) % 4, "play": hands[(leader + step) % 4][trick]}
        for trick in range(13)
        for step in range(4)
    ]
    return {"dealer": (leader - 1) % 4, "deal": {"hands": hands}, "moves": moves}


def rules(**given: Any) -> dict[str, Any]:
    return complete({"first_dealer": "last-seat"} | given)


@pytest.mark.parametrize(
    ("tricks", "award", "transfer"),
    [
        ([1, 4, 2, 1], [1, 1, 1, 1], [0, 0, 0, 0]),
        ([5, 0, 2, 6], [0, 3, 0, 0], [-1, 3, -1, -1]),
        ([0, 8, 5, 0], [1, 0, 0, 1], [1, -1, -1, 1]),
        ([0, 0, 13, 0], [0, 0, 3, 0], [-1, -1, 3, -1]),
    ],
)
def test_payments(tricks: Tricks, award: list[int], transfer: list[int]) -> None:
    assert payments("award", tricks) == award
    assert payments("transfer", tricks) == transfer


def test_award_example() -> None:
    game = [hand(0, everybody), hand(1, nils(0), low=(0,)), hand(2, nils(1, 2), low=(1, 2))]
    result = judge(rules(deals=3), game)
    assert result.scores == [[1, 1, 1, 1], [3, 0, 0, 0], [0, 1, 1, 0]]
    assert (result.totals, result.winners, result.losers) == ([4, 2, 2, 1], [0], [3])
    result = judge(rules(deals=3, scoring="transfer"), game)
    assert result.scores == [[0, 0, 0, 0], [3, -1, -1, -1], [-1, 1, 1, -1]]
    assert (result.totals, result.losers) == ([2, 0, 0, -2], [3])


def test_the_hand_stops_when_everybody_has_a_trick() -> None:
    game = hand(0, exactly(1, 1, 1, 1))
    assert len(game["moves"]) == 16
    result = judge(rules(deals=1), [game])
    assert (result.totals, result.winners, result.losers) == ([1, 1, 1, 1], [0, 1, 2, 3], [])
    left = [card for card in game["deal"]["hands"][0] if {"seat": 0, "play": card} not in game["moves"]]
    more = {"seat": 0, "play": left[0]}
    foul(judge, rules(deals=1), bent([game], 0, "moves", to=[*game["moves"], more]), "after the end", (1, 17))


def test_three_nils() -> None:
    result = judge(rules(deals=1), [sweep(0)])
    assert (result.totals, result.winners, result.losers) == ([3, 0, 0, 0], [0], [1, 2, 3])


def test_the_deal_moves_clockwise() -> None:
    game = [sweep(0), sweep(1), sweep(2), sweep(3), sweep(0)]
    assert judge(rules(deals=5), game).totals == [6, 3, 3, 3]
    foul(judge, rules(deals=2), [sweep(0), sweep(0)], "cannot be the dealer; by the rules it is 0", (2, None))
    foul(judge, rules(deals=1), [sweep(1)], "cannot be the dealer; by the rules it is 3", (1, None))
    by_lot = complete({"deals": 2})
    assert judge(by_lot, [sweep(3), sweep(0)]).totals == [3, 0, 0, 3]
    foul(judge, by_lot, [sweep(3), sweep(3)], "cannot be", (2, None))
    unsaid = [sweep(3), sweep(0)]
    for one in unsaid:
        del one["dealer"]
    assert judge(by_lot, unsaid).totals == [3, 0, 0, 3]
    foul(judge, by_lot, unsaid[:1] * 2, "out of turn", (2, 1))


def test_pool_example() -> None:
    game = [hand(0, exactly(1, 4, 2, 1)), hand(1, nils(0), low=(0,))]
    result = judge(rules(scoring="pool"), game)
    assert result.scores == [[-1, -4, -2, -1], [8, 0, 0, 0]]
    assert (result.totals, result.winners, result.losers) == ([7, -4, -2, -1], [0], [1])
    assert result.truncated is False
    foul(judge, rules(scoring="pool"), [*game, game[0]], "a round after the end", (3, None))
    foul(judge, rules(scoring="pool"), game[:1], "missing round", (2, None))


def test_pool_goes_to_who_takes_all_tricks() -> None:
    result = judge(rules(scoring="pool"), [hand(0, exactly(1, 4, 2, 1)), sweep(1)])
    assert (result.totals, result.winners, result.losers) == ([-1, 4, -2, -1], [1], [2])


def test_an_even_pool_is_split() -> None:
    game = [hand(0, exactly(1, 4, 2, 1)), hand(1, nils(1, 3), low=(1, 3))]
    result = judge(rules(scoring="pool"), game)
    assert (result.totals, result.winners, result.losers) == ([-1, 0, -2, 3], [3], [2])


def test_an_odd_pool_is_decided_by_a_redeal() -> None:
    game = [
        hand(0, exactly(1, 4, 1, 1)),
        hand(1, nils(1, 3), low=(1, 3)),
        sweep(2),  # neither of the two takes a trick: once more
        hand(3, lambda own: own[3] == 1 and not own[1], ends=lambda own: own[1] + own[3] > 0),
    ]
    assert 4 <= len(game[3]["moves"]) < 52
    result = judge(rules(scoring="pool"), game)
    assert result.scores == [[-1, -4, -1, -1], [0] * 4, [0] * 4, [0, 7, 0, 0]]
    assert (result.totals, result.winners, result.losers) == ([-1, 3, -1, -1], [1], [0, 2, 3])
    # the redeal stops with that trick, not before and not after
    moves = game[3]["moves"]
    foul(judge, rules(scoring="pool"), bent(game, 3, "moves", to=moves[:-1]), "missing", (4, len(moves)))
    long = bent(game, 3, "moves", to=[*moves, {"seat": 3, "play": "CA"}])
    foul(judge, rules(scoring="pool"), long, "after the end", (4, len(moves) + 1))
    # redeals count towards the limit
    cut = judge(rules(scoring="pool", max_deals=3), game[:3])
    assert (cut.totals, cut.winners, cut.losers, cut.truncated) == ([-1, -4, -1, -1], [0, 2, 3], [1], True)
    assert judge(rules(scoring="pool", max_deals=4), game).truncated is False


def test_perfect_games() -> None:
    perfect = ([0] * 4, [0], [1, 2, 3], False)
    for game in (
        [sweep(0)],
        [hand(0, nils(0), low=(0,))],
        [
            hand(0, nils(0, 2), low=(0, 2)),
            hand(1, lambda own: own[2] == 1 and not own[0], ends=lambda own: own[0] + own[2] > 0),
        ],
    ):
        result = judge(rules(scoring="pool"), game)
        assert (result.totals, result.winners, result.losers, result.truncated) == perfect
    cut = judge(rules(scoring="pool", max_deals=1), [hand(0, nils(0, 2), low=(0, 2))])
    assert (cut.totals, cut.winners, cut.losers, cut.truncated) == ([0] * 4, [0, 1, 2, 3], [], True)


def test_fouls() -> None:
    good = [sweep(0)]
    one = rules(deals=1)

    def wrong(problem: str, at: tuple[Any, Any], *path: Any, to: Any) -> None:
        foul(judge, one, bent(good, 0, *path, to=to), problem, at)

    wrong("seat 1 does not hold 'C5'", (1, 2), "moves", 1, "play", to="C5")
    wrong("seat 0 does not hold 'CA'", (1, 5), "moves", 4, "play", to="CA")
    wrong("out of turn: seat 2 moves, the turn is 1's", (1, 2), "moves", 1, "seat", to=2)
    wrong("SA is dealt too often", (1, None), "deal", "hands", 0, 0, to="SA")
    wrong("'C1' is no card", (1, None), "deal", "hands", 0, 0, to="C1")
    wrong("must be 13 long", (1, None), "deal", "hands", 0, to=["CA"])
    wrong("missing move", (1, 52), "moves", to=good[0]["moves"][:-1])
    wrong("the scores", (1, None), "scores", to=[3, 0, 0, 1])
    foul(judge, one, good * 2, "a round after the end of the game", (2, None))
    foul(judge, rules(deals=2), good, "missing round", (2, None))


def test_suit_must_be_followed() -> None:
    game = sweep(0)
    hands = game["deal"]["hands"]
    hands[0][12], hands[1][12] = hands[1][12], hands[0][12]  # seat 1 now holds CK, seat 0 SK
    foul(judge, rules(deals=1), [game], "seat 1 plays SA and does not follow C", (1, 2))


def test_spoilt_transcripts() -> None:
    scores = {"scores": [1, 1, 1, 1]}
    game = [hand(0, exactly(1, 1, 1, 1)) | scores, hand(1, exactly(1, 1, 1, 1)) | scores]
    all_spoilt_are_fouls(judge, rules(deals=2), game)
