"""The referee of Núlla against games whose outcome is known by hand, and against fouls."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kernels.nulla.referee import judge, value
from kernels.nulla.rules import complete
from tests.kernels.refereeing import FRENCH, Rounds, all_spoilt_are_fouls, bent, filled, foul


def deal(rules: dict[str, Any], rows: list[str], secrets: str = "", rest: str = "") -> dict[str, Any]:
    """A deal with these cards first in each row, as secret cards, and turned up and in the stock."""
    players, row = rules["players"], rules["row"]
    rows = rows + [""] * (players - len(rows))
    sizes = [row] * players + [players, 52 - players * (row + 1)]
    *lists, secret, stock = filled(FRENCH, [*rows, secrets, rest], sizes)
    dealt: dict[str, Any] = {"rows": lists, "secrets": secret}
    if rules["initial_discard"]:
        dealt["discard"] = stock.pop(0)
    return dealt | {"stock": stock}


def draw(seat: int, card: str, swaps: int = 0, discards: str = "", source: str = "stock") -> dict[str, Any]:
    return {"seat": seat, "from": source, "card": card, "swaps": swaps, "discards": discards or card}


def passing(rules: dict[str, Any], dealt: dict[str, Any], *first: dict[str, Any], start: int = 0) -> Rounds:
    """A game of these moves, then of drawing and discarding to the end."""
    moves = list(first)
    drawn = sum(move["from"] == "stock" for move in moves)
    for card in dealt["stock"][drawn:]:
        moves.append(draw((start + len(moves)) % rules["players"], card))
    return [{"deal": dealt, "moves": moves}]


def test_values() -> None:
    assert [value(f"C{rank}", "9") for rank in "A23456789TJQK"] == [1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 0, 0, 0]
    assert [value(f"D{rank}", None) for rank in "A9TK"] == [1, 9, 10, 0]
    assert [value(f"D{rank}", "T") for rank in "A9TK"] == [1, 9, 0, 0]
    assert value("HA", "A") == 0


@pytest.mark.parametrize(
    ("swaps", "discards", "total"),
    [(0, "DA", 27), (1, "C8", 20), (2, "S7", 21), (3, "C2", 26), (4, "CQ", 28), (5, "H6", 22)],
)
def test_example(swaps: int, discards: str, total: int) -> None:
    rules = complete({"row": 5})
    dealt = deal(rules, ["C8 S7 C2 CQ H6"], "C4", "HJ DA")
    rounds = passing(rules, dealt, draw(0, "DA", swaps, discards))
    assert judge(rules, rounds).totals[0] == total
    other = "H6" if discards != "H6" else "CQ"
    wrong = bent(rounds, 0, "moves", 0, "discards", to=other)
    foul(judge, rules, wrong, f"a chain of {swaps} swaps discards {discards}, not '{other}'", (1, 1))


def test_lowest_wins_and_equals_share() -> None:
    rules = complete({"players": 3, "row": 5, "zero_rank": "T"})
    dealt = deal(rules, ["CJ SJ HJ DJ CA", "CQ SQ HQ DQ SA", "CK SK HK DK C2"], "CT ST HT")
    result = judge(rules, passing(rules, dealt))
    assert (result.scores, result.winners, result.truncated) == ([[1, 1, 2]], [0, 1], False)
    result = judge(rules | {"zero_rank": "2"}, passing(rules, dealt))
    assert (result.totals, result.winners) == ([11, 11, 10], [2])


def test_the_last_stock_card_ends_the_game_after_that_turn() -> None:
    rules = complete({"row": 12})
    dealt = deal(rules, [""])
    game = passing(rules, dealt)
    assert len(game[0]["moves"]) == 52 - 26 - 1
    last = game[0]["moves"][-1]["card"]
    seat = game[0]["moves"][-1]["seat"]
    low = dealt["rows"][seat][0]
    bent_low = bent(game, 0, "moves", -1, to=draw(seat, last, 1, low))  # the turn is played to its end
    assert judge(rules, bent_low).totals[seat] - judge(rules, game).totals[seat] == value(last, "9") - value(low, "9")
    extra = bent(game, 0, "moves", to=[*game[0]["moves"], draw(1 - seat, last, 1, low, "discard")])
    foul(judge, rules, extra, "a move after the end of the round", (1, 26))
    foul(judge, rules, bent(game, 0, "moves", to=game[0]["moves"][:-1]), "missing move", (1, 25))


def test_taken_discards() -> None:
    rules = complete({"row": 5})
    dealt = deal(rules, ["C8", "S8"], "", "HJ DA")
    take = passing(rules, dealt, draw(0, "HJ", 1, "C8", "discard"), draw(1, "C8", 1, "S8", "discard"))
    judge(rules, take)
    back = passing(rules, dealt, draw(0, "HJ", 0, "HJ", "discard"), draw(1, "HJ", 0, "HJ", "discard"))
    foul(judge, rules, back, "must go into slot 1", (1, 1))
    judge(rules | {"take_must_swap": False}, back)
    wrong = bent(take, 0, "moves", 1, "card", to="HJ")
    foul(judge, rules, wrong, "the top card of the discard is C8, not 'HJ'", (1, 2))
    wrong = bent(take, 0, "moves", 0, "swaps", to=6)
    foul(judge, rules, wrong, "a chain has 0 to 5 swaps, not 6", (1, 1))


def test_no_initial_discard() -> None:
    rules = complete({"row": 5, "initial_discard": False})
    dealt = deal(rules, ["C8"])
    assert len(dealt["stock"]) == 40
    judge(rules, passing(rules, dealt))
    first = dealt["stock"][0]
    foul(judge, rules, passing(rules, dealt, draw(0, first, 1, "C8", "discard")), "discard is empty", (1, 1))
    foul(judge, complete({"row": 5}), passing(rules, dealt), "lacks 'discard'", (1, None))
    with_one = complete({"row": 5})
    foul(judge, rules, passing(with_one, deal(with_one, [])), "unknown key 'discard'", (1, None))


def test_who_starts() -> None:
    plain = complete({"players": 3})
    by_lot = [complete({"players": 3, key: "random"}) for key in ("first_dealer", "first_player")]
    for start in range(3):
        game = passing(plain, deal(plain, []), start=start)
        for rules in by_lot:
            judge(rules, game)
            judge(rules, bent(game, 0, "dealer", to=(start - 1) % 3))
            foul(judge, rules, bent(game, 0, "dealer", to=start), "out of turn", (1, 1))
        if start:
            foul(judge, plain, game, f"out of turn: seat {start} moves, the turn is 0's", (1, 1))
            foul(judge, plain, bent(game, 0, "dealer", to=start - 1), "by the rules it is 2", (1, None))


def test_max_turns() -> None:
    rules = complete({"row": 12, "max_turns": 3})
    game = passing(rules, deal(rules, ["CJ", "CA"]))
    cut = bent(game, 0, "moves", to=game[0]["moves"][:6])
    result = judge(rules, cut)
    assert result.truncated
    assert result.winners == [seat for seat in (0, 1) if result.totals[seat] == min(result.totals)]
    foul(judge, rules, bent(game, 0, "moves", to=game[0]["moves"][:7]), "after the end", (1, 7))
    foul(judge, rules, bent(game, 0, "moves", to=game[0]["moves"][:5]), "missing move", (1, 6))
    # a limit reached with the last stock card cuts nothing
    rules = complete({"row": 12, "initial_discard": False, "max_turns": 13})
    assert judge(rules, passing(rules, deal(rules, []))).truncated is False


def chance(rules: dict[str, Any], seed: int) -> tuple[Rounds, list[int]]:
    """A game of random moves, reckoned independently: each turn changes a total by card in minus card out."""
    rng = random.Random(seed)
    dealt = deal(rules, [], "", " ".join(rng.sample(FRENCH[26:], 10)))
    rows = [list(row) for row in dealt["rows"]]
    worth = {card: value(card, rules["zero_rank"]) for card in FRENCH}
    totals = [sum(worth[c] for c in row) + worth[s] for row, s in zip(rows, dealt["secrets"], strict=True)]
    stock, top, seat = list(dealt["stock"]), dealt.get("discard"), 0
    moves = []
    while stock:
        taken = top is not None and rng.random() < 0.3
        card = top if taken else stock.pop(0)
        swaps = rng.randint(1 if taken else 0, rules["row"])
        chain = [card, *rows[seat]][: swaps + 1]
        top = chain[-1]
        rows[seat][:swaps] = chain[:-1]
        totals[seat] += worth[card] - worth[top]
        moves.append(draw(seat, card, swaps, top, "discard" if taken else "stock"))
        seat = (seat + 1) % rules["players"]
    return [{"dealer": rules["players"] - 1, "deal": dealt, "moves": moves, "scores": totals}], totals


@pytest.mark.parametrize(("players", "row"), [(2, 5), (2, 12), (3, 6), (4, 6)])
def test_random_games(players: int, row: int) -> None:
    for seed in range(10):
        rules = complete(
            {
                "players": players,
                "row": row,
                "initial_discard": seed % 2 == 0,
                "zero_rank": seed + 1 if seed else None,
            }
        )
        game, totals = chance(rules, seed)
        assert judge(rules, game).totals == totals


def test_fouls() -> None:
    rules = complete({"row": 5})
    good = passing(rules, deal(rules, ["C8"]))
    stock = good[0]["deal"]["stock"]

    def wrong(problem: str, at: tuple[Any, Any], *path: Any, to: Any) -> None:
        foul(judge, rules, bent(good, 0, *path, to=to), problem, at)

    wrong("the top card of the stock is", (1, 2), "moves", 1, "card", to=stock[0])
    wrong("out of turn", (1, 2), "moves", 1, "seat", to=0)
    wrong("comes from stock or discard, not 'pile'", (1, 1), "moves", 0, "from", to="pile")
    wrong("a chain has 0 to 5 swaps, not -1", (1, 1), "moves", 0, "swaps", to=-1)
    wrong("is dealt too often", (1, None), "deal", "secrets", 0, to="C8")
    wrong("is no card", (1, None), "deal", "discard", to="C1")
    wrong("stock must be 39 long", (1, None), "deal", "stock", to=stock[1:])
    wrong("rows of seat 1 must be 5 long", (1, None), "deal", "rows", 1, to=[])
    wrong("the scores", (1, None), "scores", to=[0, 0])
    foul(judge, rules, good * 2, "a round after the end", (2, None))
    foul(judge, rules, [], "missing round", (1, None))


def test_spoilt_transcripts() -> None:
    rules = complete({})
    all_spoilt_are_fouls(judge, rules, chance(rules, 3)[0])
