"""The referee of Skat Null against deals whose outcome is known by hand, and against fouls."""

from __future__ import annotations

from typing import Any

import pytest

from kernels.skat_null.referee import judge
from kernels.skat_null.rules import complete
from tests.kernels.refereeing import Rounds, all_spoilt_are_fouls, bent, filled, foul

ORDER = "789TJQKA"
PACK = [suit + rank for suit in "CSHD" for rank in ORDER]

#: middlehand's cards with which it never takes a trick, as long as it is not on lead
SURE = "C7 C8 C9 CT CJ CQ CK CA S7 S8"


def deal(*wanted: str) -> dict[str, Any]:
    *hands, skat = filled(PACK, wanted, [10, 10, 10, 2])
    return {"hands": hands, "skat": skat}


def declared(contract: str, seat: int, dealt: dict[str, Any], away: str = "") -> list[dict[str, Any]]:
    """The moves that declare a contract; the skat is laid away again unless other cards are named."""
    moves: list[dict[str, Any]] = []
    if not contract.endswith("-hand"):
        laid = away.split() or list(dealt["skat"])
        moves = [{"seat": seat, "take_skat": True}, {"seat": seat, "lay_away": laid}]
    return [*moves, {"seat": seat, "declare": contract}]


def play(hands: list[list[str]], script: str, tricks: int) -> list[dict[str, Any]]:
    """Moves of whole tricks: first the scripted cards, then always the first legal card."""
    left = [list(hand) for hand in hands]
    cards = script.split()
    moves, leader = [], 0
    for _ in range(tricks):
        trick: list[tuple[int, str]] = []
        for step in range(3):
            seat = (leader + step) % 3
            legal = [card for card in left[seat] if not trick or card[0] == trick[0][1][0]] or left[seat]
            card = cards.pop(0) if cards else legal[0]
            left[seat].remove(card)
            trick.append((seat, card))
        moves += [{"seat": seat, "play": card} for seat, card in trick]
        suit = trick[0][1][0]
        leader = max((ORDER.index(card[1]), seat) for seat, card in trick if card[0] == suit)[1]
    return moves


def game(contract: str, seat: int, dealt: dict[str, Any], script: str = "", tricks: int = 10) -> Rounds:
    moves = declared(contract, seat, dealt) + play(dealt["hands"], script, tricks)
    return [{"dealer": 2, "deal": dealt, "moves": moves}]


def test_the_jack_is_above_the_ten() -> None:
    dealt = deal("CT", "CJ S7 S8 S9 H7 H8 H9 D7 D8 D9", "C9")
    lost = game("null-hand", 1, dealt, "CT CJ C9", tricks=1)
    result = judge(complete({}), lost)
    assert (result.totals, result.winners, result.truncated) == ([0, -70, 0], [0, 2], False)
    below = game("null-hand", 1, deal("CJ", "CT S7 S8 S9 H7 H8 H9 D7 D8 D9", "C9"), "CJ CT C9", tricks=1)
    foul(judge, complete({}), below, "missing move", (1, 5))  # no trick taken: the deal goes on


def test_a_discard_does_not_win() -> None:
    dealt = deal("CT", "SA S7 S8 S9 H7 H8 H9 D7 D8 D9", "C9")
    going_on = game("null-hand", 1, dealt, "CT SA C9", tricks=1)
    foul(judge, complete({}), going_on, "missing move", (1, 5))


def test_three_sevens_lose() -> None:
    dealt = deal("C7 C8 C9 CT CJ CQ CK CA D8 D9", "S7", "H7")
    result = judge(complete({}), game("null-ouvert-hand", 0, dealt, "C7 S7 H7", tricks=1))
    assert (result.totals, result.winners) == ([-118, 0, 0], [1, 2])


@pytest.mark.parametrize(
    ("contract", "value", "loss", "old_loss"),
    [
        ("null", 23, -46, -46),
        ("null-hand", 35, -70, -35),
        ("null-ouvert", 46, -92, -92),
        ("null-ouvert-hand", 59, -118, -59),
    ],
)
def test_values(contract: str, value: int, loss: int, old_loss: int) -> None:
    won = game(contract, 1, deal("", SURE, ""))
    lost = game(contract, 0, deal("CA"), "CA", tricks=1)
    for rules, win, lose, each in (
        ({}, value, loss, 0),
        ({"loss": "pre-1999"}, value, old_loss, 0),
        ({"scoring": "seeger-fabian"}, value + 50, loss - 50, 40),
        ({"scoring": "seeger-fabian", "loss": "pre-1999"}, value + 50, old_loss - 50, 40),
    ):
        result = judge(complete(rules), won)
        assert (result.scores, result.winners) == ([[0, win, 0]], [1])
        result = judge(complete(rules), lost)
        assert (result.scores, result.winners) == ([[lose, each, each]], [1, 2])


def test_ouvert_under_seeger_fabian() -> None:
    rules = complete({"scoring": "seeger-fabian"})
    assert judge(rules, game("null-ouvert", 1, deal("", SURE))).totals == [0, 96, 0]
    assert judge(rules, game("null-ouvert", 0, deal("CA"), "CA", tricks=1)).totals == [-142, 40, 40]


def test_open_cards_are_shown() -> None:
    for contract, shown in (("null-ouvert-hand", True), ("null-hand", False)):
        lines: list[str] = []
        judge(complete({}), game(contract, 1, deal("", SURE)), lines.append)
        assert (f"  seat 1 declares {contract}, open: {SURE}" in lines) is shown


def test_stop_on_loss() -> None:
    dealt = deal("CA")
    short, long = (game("null", 0, dealt, "CA", tricks=n) for n in (1, 10))
    assert judge(complete({"stop_on_loss": False}), long).totals == [-46, 0, 0]
    foul(judge, complete({"stop_on_loss": False}), short, "missing move", (1, 7))
    foul(judge, complete({}), long, "a move after the end", (1, 7))
    # one trick, the first, is enough to lose by
    low = deal("CA S7 S8 S9 H7 H8 H9 D7 D8 D9")
    once = game("null", 0, low, "CA", tricks=10)
    lines: list[str] = []
    assert judge(complete({"stop_on_loss": False}), once, lines.append).totals == [-46, 0, 0]
    assert sum(line.endswith("seat 0 wins") for line in lines) == 1
    cut = bent(short, 0, "moves", to=short[0]["moves"][:-1])  # the losing trick is played to its end
    foul(judge, complete({}), cut, "missing move", (1, 6))


def test_passed_in() -> None:
    passed: Rounds = [{"deal": deal(), "moves": [{"passed_in": True}], "scores": [0, 0, 0]}]
    for declarer in ("best", "rearhand", "rotate", "random"):
        result = judge(complete({"declarer": declarer}), passed)
        assert (result.totals, result.winners) == ([0, 0, 0], [])
    must = complete({"declarer": "rotate", "must_declare": True})
    foul(judge, must, passed, "must declare", (1, 1))
    foul(judge, complete({}), bent(passed, 0, "moves", 0, "passed_in", to=False), "only be true", (1, 1))
    more = bent(passed, 0, "moves", to=[{"passed_in": True}, {"seat": 0, "play": "C7"}])
    foul(judge, complete({}), more, "after the end", (1, 2))
    foul(judge, complete({}), bent(passed, 0, "moves", 0, "seat", to=0), "unknown key", (1, 1))


def test_who_may_declare() -> None:
    won = game("null-hand", 1, deal("", SURE))
    for declarer in ("best", "middlehand", "rotate", "random"):
        assert judge(complete({"declarer": declarer}), won).winners == [1]
    foul(judge, complete({"declarer": "forehand"}), won, "out of turn: seat 1 moves, the turn is 0's", (1, 1))


def test_what_may_be_declared() -> None:
    won = {name: game(name, 1, deal("", SURE)) for name in ("null", "null-hand", "null-ouvert")}
    foul(judge, complete({"bid": 24}), won["null"], "'null' cannot be declared", (1, 3))
    foul(judge, complete({"bid": 36}), won["null-hand"], "'null-hand' cannot be declared", (1, 1))
    foul(judge, complete({"contracts": "null-hand"}), won["null-ouvert"], "the skat is taken, but", (1, 1))
    foul(judge, complete({"contracts": "null"}), won["null-ouvert"], "'null-ouvert' cannot", (1, 3))
    judge(complete({"bid": 35}), won["null-hand"])
    judge(complete({"bid": 46, "contracts": "null-ouvert"}), won["null-ouvert"])
    # there is no way back: not Hand after the skat, not the skat's contracts without it
    back = bent(won["null"], 0, "moves", 2, "declare", to="null-hand")
    foul(judge, complete({}), back, "'null-hand' cannot be declared: the rules allow null, null-ouvert", (1, 3))
    back = bent(won["null-hand"], 0, "moves", 0, "declare", to="null")
    foul(judge, complete({}), back, "'null' cannot be declared", (1, 1))


def test_the_skat() -> None:
    # SA comes up in the skat, and a sure hand keeps ten of the twelve cards
    dealt = deal("", SURE.replace("S8", "DA"), "", "S8 SA")
    moves = declared("null", 1, dealt, "DA SA")
    hands = [dealt["hands"][0], SURE.split(), dealt["hands"][2]]
    rounds: Rounds = [{"deal": dealt, "moves": moves + play(hands, "", 10)}]
    assert judge(complete({}), rounds).totals == [0, 23, 0]
    foul(judge, complete({}), bent(rounds, 0, "moves", 1, "lay_away", to=["DA"]), "must be 2 long", (1, 2))
    foul(judge, complete({}), bent(rounds, 0, "moves", 1, "lay_away", to=["DA"] * 2), "not hold 'DA'", (1, 2))
    foul(judge, complete({}), bent(rounds, 0, "moves", 1, "lay_away", to=["DA", "D7"]), "not hold 'D7'", (1, 2))
    foul(judge, complete({}), bent(rounds, 0, "moves", 1, "seat", to=2), "out of turn", (1, 2))
    foul(judge, complete({}), bent(rounds, 0, "moves", 2, "seat", to=2), "out of turn", (1, 3))
    assert judge(complete({}), bent(rounds, 0, "moves", 1, "lay_away", to=["SA", "DA"])).totals == [0, 23, 0]


def test_hand_filter() -> None:
    won = game("null-hand", 1, deal("", SURE))
    passed: Rounds = [{"deal": deal("", SURE), "moves": [{"passed_in": True}]}]
    for text, fits in (
        ("C=789TJQKA", True),
        ("!SA H=-", True),
        ("!S7", False),
        ("SA", False),
        ("C=7", False),
    ):
        for rounds in (won, passed):
            rules = complete({"declarer": "middlehand", "hand_filter": text})
            if fits:
                judge(rules, rounds)
            else:
                foul(judge, rules, rounds, "do not fit the hand filter", (1, None))
    # by lot or in turn it must fit the one who declares, or anyone when passed in
    others = complete({"declarer": "rotate", "hand_filter": "HA"})
    foul(judge, others, won, "out of turn", (1, 1))
    judge(others, passed)
    foul(judge, complete({"declarer": "random", "hand_filter": "CA HA"}), passed, "do not fit", (1, None))


def test_fouls() -> None:
    good = game("null-hand", 1, deal("", SURE))
    good[0]["scores"] = [0, 35, 0]
    judge(complete({}), good)
    assert good[0]["deal"]["hands"][0][:4] == ["S9", "ST", "SJ", "SQ"]

    def wrong(problem: str, at: tuple[Any, Any], *path: Any, to: Any) -> None:
        foul(judge, complete({}), bent(good, 0, *path, to=to), problem, at)

    wrong("cannot be the dealer; by the rules it is 2", (1, None), "dealer", to=1)
    wrong("does not hold 'C7'", (1, 2), "moves", 1, "play", to="C7")
    wrong("plays C7 and does not follow S", (1, 3), "moves", 2, "play", to="C7")
    wrong("out of turn", (1, 2), "moves", 1, "seat", to=1)
    wrong("does not hold 'S9'", (1, 8), "moves", 7, "play", to="S9")
    wrong("S9 is dealt too often", (1, None), "deal", "skat", 0, to="S9")
    wrong("'C2' is no card", (1, None), "deal", "skat", 0, to="C2")
    wrong("the skat must be 2 long", (1, None), "deal", "skat", to=["DA"])
    wrong("missing move", (1, 31), "moves", to=good[0]["moves"][:-1])
    wrong("missing move", (1, 1), "moves", to=[])
    wrong("the scores", (1, None), "scores", to=[0, 23, 0])
    foul(judge, complete({}), good * 2, "a round after the end", (2, None))
    foul(judge, complete({}), [], "missing round", (1, None))


@pytest.mark.parametrize("contract", ["null", "null-ouvert-hand"])
def test_spoilt_transcripts(contract: str) -> None:
    won = game(contract, 1, deal("", SURE))
    won[0]["scores"] = [0, 23 if contract == "null" else 59, 0]
    all_spoilt_are_fouls(judge, complete({}), won)
