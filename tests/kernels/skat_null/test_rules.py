"""The rule options of Skat Null: defaults, limits, hand filters and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.skat_null.rules import OPTIONS, complete, encode, playable
from tests.kernels.refereeing import refused

FOUR = ("null", "null-hand", "null-ouvert", "null-ouvert-hand")
BIDS = [18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 45, 46, 48, 50, 54, 55, 59]


def test_defaults() -> None:
    assert complete({}) == {
        "players": 3,
        "declarer": "best",
        "contracts": FOUR,
        "bid": 18,
        "must_declare": False,
        "scoring": "plain",
        "loss": "double",
        "stop_on_loss": True,
        "hand_filter": None,
    }


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("players", [3, "3"], [4, 2, None]),
        ("declarer", ["best", "forehand", "middlehand", "rearhand", "rotate", "random"], ["x", 0]),
        (
            "contracts",
            [list(FOUR), "null", "null-hand, null"],
            [[], "", ["grand"], ["null", "null"], 3, [[]]],
        ),
        ("bid", [*BIDS, "23"], [19, 60, 17, None]),
        ("must_declare", [False, "false"], [1, "x"]),
        ("scoring", ["plain", "seeger-fabian"], ["x"]),
        ("loss", ["double", "pre-1999"], ["x"]),
        ("stop_on_loss", [True, "false"], ["x", None]),
        ("hand_filter", [None, "none", "", "  "], [7, True, ["C7"]]),
        ("first_dealer", [], ["last-seat"]),
    ],
)
def test_values(key: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        encode(complete({key: value}))
    for value in bad:
        assert refused(complete, key, **{key: value}).allowed


def test_bid_limits_the_contracts() -> None:
    assert playable(complete({"bid": 23})) == list(FOUR)
    assert playable(complete({"bid": 24})) == list(FOUR[1:])
    assert playable(complete({"bid": 46})) == list(FOUR[2:])
    assert playable(complete({"bid": 48, "contracts": "null,null-ouvert-hand"})) == ["null-ouvert-hand"]
    assert playable(complete({"bid": 48, "contracts": "null"})) == []


def test_must_declare() -> None:
    assert complete({"must_declare": "true", "declarer": "rotate"})["must_declare"] is True
    refused(complete, "must_declare", must_declare=True)
    refused(complete, "must_declare", must_declare=True, declarer="forehand", contracts="null", bid=24)
    complete({"must_declare": True, "declarer": "forehand", "contracts": "null", "bid": 23})
    refused(complete, "hand_filter", hand_filter="C7")


def hand_filter(text: str) -> Any:
    return complete({"declarer": "random", "hand_filter": text})


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("C7", "C7"),
        ("!C8  C7", "C7 !C8"),
        ("D=- S=J97", "S=79J D=-"),
        ("C10 s=10k", "CT S=TK"),
        ("C7 C8 C9 CT CJ CQ CK CA", "C=789TJQKA"),
        ("!C7 !C8 !C9 !CT !CJ !CQ !CK CA", "C=A"),
        ("H=7 !H8", "H=7"),
        ("C=- S=- H=789TJ D=789TJ", "C=- S=- H=789TJ D=789TJ"),
        ("C=- S=- H=- D7", "error"),
        ("C=- S=- !H7 !H8 !H9 !HT !HJ !HQ", "C=- S=- !H7 !H8 !H9 !HT !HJ !HQ"),
        ("C=- S=- !H7 !H8 !H9 !HT !HJ !HQ !HK", "error"),
        ("C=789TJ S=789TJ H7", "error"),
        ("C=77", "error"),
        ("C7 C7", "error"),
        ("C7 C=79", "error"),
        ("C7 !C7", "error"),
        ("!C7 C=7", "error"),
        ("C=8 C7", "error"),
        ("C=- C7", "error"),
        ("C7 C=-", "error"),
        ("C=- C=-", "error"),
        ("C=7 C=8", "error"),
        ("C=", "error"),
        ("C2", "error"),
        ("X7", "error"),
        ("!C=7", "error"),
        ("C=-7", "error"),
        ("C", "error"),
        ("C7,C8", "error"),
    ],
)
def test_hand_filter(text: str, normal: str) -> None:
    if normal == "error":
        assert refused(complete, "hand_filter", hand_filter=text, declarer="random").allowed
        return
    values = hand_filter(text)
    assert values["hand_filter"] == normal
    assert complete(values) == values
    assert encode(values) == encode(complete({"declarer": "random", "hand_filter": normal}))


def test_encoding() -> None:
    rules = encode(hand_filter("C7 !C8 D=A"))
    names = [option.name for option in OPTIONS if option.name != "hand_filter"]
    assert rules._fields == (*names, "hand_must", "hand_not")
    assert rules.hand_must == 1 | 1 << 31
    assert rules.hand_not == 2 | 0b1111111 << 24
    assert (rules.players, rules.declarer, rules.contracts, rules.bid) == (3, 5, 0b1111, 18)
    plain = encode(complete({"contracts": "null-ouvert,null", "declarer": "rearhand", "stop_on_loss": False}))
    assert (plain.hand_must, plain.hand_not, plain.contracts) == (0, 0, 0b0101)
    assert (plain.declarer, plain.stop_on_loss) == (3, 0)
