"""The referee of Null from Norway against games whose outcome is known by hand, and against fouls."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kernels.norwegian_null.referee import judge, outcome, value
from kernels.norwegian_null.rules import complete
from tests.kernels.refereeing import FRENCH, Rounds, all_spoilt_are_fouls, bent, filled, foul


def lay(seat: int, card: str, replaces: str | None = None, source: str = "stock") -> dict[str, Any]:
    return {"seat": seat, "from": source, "card": card, "replaces": replaces}


def idle(
    null: str, hands: list[str], secrets: str, *first: dict[str, Any], start: int = 0, turns: int = 99
) -> dict[str, Any]:
    """A round of these hands and secret cards: the first moves given, then every drawn card is laid down."""
    sizes = [len(hand.split()) for hand in hands]
    players = len(hands)
    drawn = " ".join(move["card"] for move in first if move["from"] == "stock")
    *lists, secret, stock = filled(FRENCH, [*hands, secrets, drawn], [*sizes, players, 52 - sum(sizes) - players])
    moves = list(first)
    for card in stock[len(drawn.split()) :]:
        moves.append(lay((start + len(moves)) % players, card))
    deal = {"null_rank": null, "hands": lists, "secrets": secret, "stock": stock}
    return {"dealer": (start - 1) % players, "deal": deal, "moves": moves[:turns]}


def low(sizes: str, lowest: int, start: int = 0, null: str = "K", turns: int = 99) -> dict[str, Any]:
    """A round with hands of these sizes that this seat alone wins."""
    order = {
        seat: iter([suit + rank for rank in ranks for suit in "CSHD"])
        for seat, ranks in enumerate(["23", "45", "6T", "JQ"])
    }
    best = iter(["CA", "SA", "HA", "DA", "CK", "SK", "HK", "DK"])
    hands = [
        " ".join(next(best if seat == lowest else order[seat]) for _ in range(int(size)))
        for seat, size in enumerate(sizes)
    ]
    return idle(null, hands, "C7 S7 H7 D7"[: 3 * len(sizes) - 1], start=start, turns=turns)


FIXED = {"players": 3, "null_pick": "fixed", "null_rank": "K"}


def test_values() -> None:
    assert [value(f"C{rank}", "9", "11-12-13") for rank in "A9TJQK"] == [1, 0, 10, 11, 12, 13]
    assert [value(f"C{rank}", "Q", "10-10-10") for rank in "A9TJQK"] == [1, 9, 10, 10, 0, 10]


@pytest.mark.parametrize(("null", "total"), [("9", 24), ("K", 20)])
def test_example_sum(null: str, total: int) -> None:
    rules = complete({"players": 3, "max_rounds": 1})
    game = [idle(null, ["CA C2 C9 C5 C3", "S2 S3 S4 S5 SA", "H7 H8 H9 HT HJ"], "DK D2 D3")]
    assert judge(rules, game).scores[0][0] == total


def test_example_stock() -> None:
    rules = complete(FIXED | {"max_rounds": 2})
    game = [low("555", 0), low("455", 1, start=1)]
    assert (len(game[0]["deal"]["stock"]), len(game[1]["deal"]["stock"])) == (34, 35)
    result = judge(rules, game)
    assert (result.totals, result.winners, result.truncated) == ([4, 4, 5], [0, 1], True)
    foul(judge, rules, [low("555", 0), low("555", 1, start=1)], "hands of seat 0 must be 4 long", (2, None))


def test_a_whole_game() -> None:
    rules = complete(FIXED | {"cards": 2})
    game = [low("222", 2), low("221", 0, start=1), low("121", 2, start=2)]
    result = judge(rules, game)
    assert (result.totals, result.winners, result.truncated) == ([1, 2, 0], [2], False)
    assert all(min(row) == row[seat] for row, seat in zip(result.scores, (2, 0, 2), strict=True))
    foul(judge, rules, game[:2], "missing round", (3, None))
    foul(judge, rules, [*game, low("120", 0)], "a round after the end", (4, None))
    assert judge(rules | {"max_rounds": 3}, game).truncated is False
    cut = judge(rules | {"max_rounds": 2}, game[:2])
    assert (cut.totals, cut.winners, cut.truncated) == ([1, 2, 1], [0, 2], True)


#: seats 0 and 1 both have 4: seat 0's secret card is worth 3, seat 1's 1
TIE = idle("K", ["CA", "C3", "HQ"], "S3 SA HJ")
#: as before, with secret cards of the same value
EVEN = idle("K", ["CA", "SA", "HQ"], "S3 C3 HJ")


@pytest.mark.parametrize(
    ("tie", "game", "totals", "winners"),
    [
        ("all-drop", TIE, [0, 0, 1], [0, 1]),
        ("all-drop", EVEN, [0, 0, 1], [0, 1]),
        ("low-secret", TIE, [1, 0, 1], [1]),
        ("low-secret", EVEN, [0, 0, 1], [0, 1]),
        ("none-drop", TIE, [1, 1, 1], [0, 1, 2]),
    ],
)
def test_round_tie(tie: str, game: dict[str, Any], totals: list[int], winners: list[int]) -> None:
    rules = complete(FIXED | {"cards": 1, "round_tie": tie, "max_rounds": 1})
    result = judge(rules, [game])
    assert (result.scores, result.totals, result.winners) == ([[4, 4, 23]], totals, winners)
    assert result.truncated is (tie == "none-drop")


def test_secret_cards_count_under_the_null_rank() -> None:
    assert outcome([5, 5, 9], [0, 3, 0], "low-secret") == ([0], [0])
    assert outcome([5, 5, 9], [3, 2, 0], "low-secret") == ([1], [1])  # seat 2 has no part in the tie
    assert outcome([5, 6, 9], [3, 2, 0], "none-drop") == ([0], [0])
    null_secret = idle("7", ["C5", "C3", "HQ"], "S7 S2 HJ")  # 5 + 0 against 3 + 2
    rules = complete({"players": 3, "cards": 1, "round_tie": "low-secret"})
    assert judge(rules, [null_secret]).winners == [0]


def tied(start: int) -> dict[str, Any]:
    """Two cards each: seats 0 and 2 tie with 6, secret cards worth 3 and 1; seat 1 has more."""
    return idle("K", ["CA C2", "HQ HT", "C3 H2"], "S3 HJ SA", start=start)


@pytest.mark.parametrize(
    ("first_player", "round_tie", "start", "next_start", "sizes"),
    [
        ("rotate", "all-drop", 0, [1], "121"),
        ("winner", "all-drop", 0, [2], "121"),
        ("winner", "all-drop", 1, [2], "121"),
        ("winner", "all-drop", 2, [0], "121"),
        ("winner", "none-drop", 2, [0], "222"),
        ("winner", "low-secret", 2, [2], "221"),
        ("winner", "low-secret", 1, [2], "221"),
        ("random", "all-drop", 0, [0, 1, 2], "121"),
    ],
)
def test_who_starts_next(first_player: str, round_tie: str, start: int, next_start: list[int], sizes: str) -> None:
    rules = complete(
        FIXED
        | {"cards": 2, "first_dealer": "random", "first_player": first_player, "round_tie": round_tie}
        | {"max_rounds": 2}
    )
    for seat in range(3):
        game = [tied(start), low(sizes, 1, start=seat)]
        unsaid = [{key: item for key, item in one.items() if key != "dealer"} for one in game]
        if seat in next_start:
            assert judge(rules, game).totals == judge(rules, unsaid).totals
        else:
            foul(judge, rules, game, "cannot be the dealer", (2, None))
            foul(judge, rules, unsaid, "out of turn", (2, 1))


def test_first_dealer() -> None:
    rules = complete(FIXED | {"max_rounds": 1, "first_player": "random"})
    foul(judge, rules, [low("555", 0, start=1)], "cannot be the dealer; by the rules it is 2", (1, None))
    judge(rules | {"first_dealer": "random"}, [low("555", 0, start=1)])


@pytest.mark.parametrize(
    ("pick", "good", "bad"),
    [
        ("random-no-repeat", ["K7", "7T"], ["KK", "77"]),
        ("random", ["KK", "7T"], []),
        ("descending", ["98"], ["97", "99", "K8", "9T"]),
        ("fixed", ["99"], ["98", "K9", "KK"]),
    ],
)
def test_null_pick(pick: str, good: list[str], bad: list[str]) -> None:
    rules = complete({"players": 3, "null_pick": pick, "null_rank": 9, "max_rounds": 2, "first_player": "winner"})
    hands = ["CA SA HA DA C2", "C7 C8 CT CJ CQ", "S7 S8 ST SJ SQ"]

    def game(ranks: str) -> Rounds:
        return [
            idle(ranks[0], hands, "S2 H7 H8"),
            idle(ranks[1], [hands[0][:-3], *hands[1:]], "S2 H7 H8"),
        ]

    for ranks in good:
        judge(rules, game(ranks))
    for ranks in bad:
        at = 1 if pick in ("fixed", "descending") and ranks[0] != "9" else 2
        foul(judge, rules, game(ranks), "the null rank cannot be", (at, None))
    for rank in ("6", "A", "10", 9):
        foul(judge, rules, bent(game("99"), 0, "deal", "null_rank", to=rank), "the null rank", (1, None))


def test_descending_goes_round() -> None:
    rules = complete({"players": 3, "null_pick": "descending", "null_rank": 7, "max_rounds": 2})
    judge(rules, [low("555", 0, null="7"), low("455", 0, start=1, null="K")])


def test_exchanges() -> None:
    rules = complete(FIXED | {"max_rounds": 1})
    hands = ["CA C2 C9 C5 C3", "S2 S3 S4 S5 SA", "H7 H8 H9 HT HJ"]
    first = (lay(0, "DQ", "C9"), lay(1, "C9", "S5", "discard"), lay(2, "D5"), lay(0, "D4", "DQ"))
    game = [idle("K", hands, "DK D2 D3", *first)]
    # seat 0: A 2 4 5 3 + K; seat 1: 2 3 4 9 A + 2; seat 2: 7 8 9 T J + 3
    assert judge(rules, game).scores == [[15, 21, 48]]
    assert judge(rules | {"face_values": "10-10-10"}, game).scores == [[15, 21, 47]]

    def wrong(problem: str, at: tuple[Any, Any], move: int, key: str, to: Any) -> None:
        foul(judge, rules, bent(game, 0, "moves", move, key, to=to), problem, at)

    wrong("a taken card must be exchanged", (1, 2), 1, "replaces", None)
    wrong("does not hold 'C9'", (1, 4), 3, "replaces", "C9")
    wrong("does not hold 'DK'", (1, 1), 0, "replaces", "DK")  # the secret card
    wrong("the top card of the discard is C9, not 'DQ'", (1, 2), 1, "card", "DQ")
    wrong("the top card of the stock is D5, not 'D4'", (1, 3), 2, "card", "D4")
    wrong("the discard is empty", (1, 1), 0, "from", "discard")
    back = (lay(0, "DQ"), lay(1, "DQ", None, "discard"), lay(2, "DQ", "HJ", "discard"))
    game = [idle("K", hands, "DK D2 D3", *back)]
    foul(judge, rules, game, "a taken card must be exchanged", (1, 2))
    assert judge(rules | {"take_must_swap": False}, game).scores == [[20, 17, 49]]


def test_the_last_stock_card_ends_the_round_after_that_turn() -> None:
    rules = complete(FIXED | {"max_rounds": 1})
    game = [low("555", 0)]
    moves = game[0]["moves"]
    assert len(moves) == 34
    worst = max(game[0]["deal"]["hands"][0], key=lambda card: value(card, "K", "11-12-13"))
    exchanged = bent(game, 0, "moves", -1, "replaces", to=game[0]["deal"]["hands"][moves[-1]["seat"]][0])
    assert judge(rules, exchanged).scores != judge(rules, game).scores
    more = bent(game, 0, "moves", to=[*moves, lay(1, moves[-1]["card"], worst, "discard")])
    foul(judge, rules, more, "a move after the end of the round", (1, 35))
    foul(judge, rules, bent(game, 0, "moves", to=moves[:-1]), "missing move", (1, 34))


def test_max_turns() -> None:
    rules = complete(FIXED | {"max_turns": 2, "cards": 1})
    result = judge(rules, [low("111", 1, turns=6)])
    # cut, so truncated even though a hand is gone
    assert (result.totals, result.winners, result.truncated) == ([1, 0, 1], [1], True)
    foul(judge, rules, [low("111", 1, turns=7)], "after the end", (1, 7))
    foul(judge, rules, [low("111", 1, turns=5)], "missing move", (1, 6))
    foul(judge, rules, [low("111", 1, turns=6)] * 2, "a round after the end of the game", (2, None))
    # a limit reached with the last stock card cuts nothing: 52 - 3 * 2 - 1 = 45 = 3 * 15
    whole = complete(FIXED | {"max_turns": 16, "cards": 1})
    assert len(low("111", 1)["moves"]) == 46
    assert judge(whole, [low("111", 1)]).truncated is False
    assert judge(complete(FIXED | {"max_turns": 15, "cards": 1}), [low("111", 1, turns=45)]).truncated is True


def chance(rules: dict[str, Any], seed: int) -> tuple[Rounds, list[list[int]], list[int]]:
    """A game of random moves under the default rules, reckoned independently; with its sums and sizes."""
    rng = random.Random(seed)
    players = rules["players"]
    sizes = [rules["cards"]] * players
    rounds, sums, null, start = [], [], "", 0
    while min(sizes):
        null = rng.choice([rank for rank in "789TJQK" if rank != null])
        pack = rng.sample(FRENCH, 52)
        hands = [[pack.pop() for _ in range(size)] for size in sizes]
        secrets = [pack.pop() for _ in range(players)]
        deal = {"null_rank": null, "hands": [list(h) for h in hands], "secrets": secrets, "stock": pack[::-1]}
        worth = {card: 0 if card[1] == null else "A23456789TJQK".index(card[1]) + 1 for card in FRENCH}
        moves: list[dict[str, Any]] = []
        seat, top = start, ""
        while pack:
            taken = bool(top) and rng.random() < 0.3
            card = top if taken else pack.pop()
            replaces = rng.choice(hands[seat]) if taken or rng.random() < 0.5 else None
            top = replaces or card
            if replaces:
                hands[seat][hands[seat].index(replaces)] = card
            moves.append(lay(seat, card, replaces, "discard" if taken else "stock"))
            seat = (seat + 1) % players
        scores = [worth[s] + sum(worth[c] for c in h) for h, s in zip(hands, secrets, strict=True)]
        rounds.append({"dealer": (start - 1) % players, "deal": deal, "moves": moves, "scores": scores})
        sums.append(scores)
        sizes = [size - (own == min(scores)) for size, own in zip(sizes, scores, strict=True)]
        start = (start + 1) % players
    return rounds, sums, sizes


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_random_games(players: int) -> None:
    for seed in range(6):
        rules = complete({"players": players})
        game, sums, sizes = chance(rules, seed)
        result = judge(rules, game)
        assert (result.scores, result.totals, result.truncated) == (sums, sizes, False)
        assert result.winners == [seat for seat in range(players) if sizes[seat] == 0]


def test_fouls() -> None:
    rules = complete(FIXED | {"max_rounds": 1})
    good = [low("555", 0)]

    def wrong(problem: str, at: tuple[Any, Any], *path: Any, to: Any) -> None:
        foul(judge, rules, bent(good, 0, *path, to=to), problem, at)

    wrong("out of turn", (1, 2), "moves", 1, "seat", to=0)
    wrong("comes from stock or discard", (1, 1), "moves", 0, "from", to="hand")
    wrong("is dealt too often", (1, None), "deal", "secrets", 0, to="CA")
    wrong("is no card", (1, None), "deal", "stock", 3, to="C1")
    wrong("stock must be 34 long", (1, None), "deal", "stock", to=[])
    wrong("the scores", (1, None), "scores", to=[0, 0, 0])
    wrong("the scores must be 3 long", (1, None), "scores", to=[0, 0])
    foul(judge, rules, [], "missing round", (1, None))


def test_spoilt_transcripts() -> None:
    rules = complete({"players": 3, "cards": 1})
    all_spoilt_are_fouls(judge, rules, chance(rules, 2)[0])
