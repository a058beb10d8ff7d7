"""The kernel of Null from Norway against the referee: every game it plays is legal and scored alike."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from kernels.norwegian_null.referee import outcome, value
from kernels.norwegian_null.rules import NULL_RANKS, RANKS
from tests.kernels.playing import any_rules, play, refereed, split_agrees, strategy_names

GAME = "norwegian-null"

VALUES: dict[str, list[Any]] = {
    "players": [3, 4, 5, 6],
    "cards": [1, 2, 3, 5, 5, 7, 8],
    "null_pick": ["random-no-repeat", "random", "descending", "fixed"],
    "null_rank": list(NULL_RANKS),
    "face_values": ["11-12-13", "10-10-10"],
    "take_must_swap": [True, False],
    "first_player": ["rotate", "winner", "random"],
    "round_tie": ["all-drop", "none-drop", "low-secret"],
    "max_turns": [2, 7, 1000, 1000, 1000, 1000],
    "max_rounds": [1, 3, 200, 200],
    "first_dealer": ["last-seat", "random"],
}

NAMES = [
    *(name for name in strategy_names(GAME) if name != "dp-win"),
    "dp-win:samples=20",
    "threshold:limit=2",
]


def fits(rules: dict[str, Any]) -> bool:
    return int(rules["cards"]) <= 51 // rules["players"] - 1


def check(rules: dict[str, Any], block: int, strategies: list[str], seating: list[int]) -> dict[str, Any]:
    """One refereed game whose columns and rows of rounds must say what its moves do. Returns its columns."""
    judgement, rounds, played = refereed(GAME, block, strategies, rules, seed=3, seating=seating)
    seats = rules["players"]
    columns = {name: column[0, 0] for name, column in played.games.items()}
    rows = {name: column.reshape(-1, seats) for name, column in played.rounds.items()}
    moves = [[[move for move in game["moves"] if move["seat"] == seat] for seat in range(seats)] for game in rounds]
    assert rows["score"].tolist() == judgement.scores
    assert rows["turns"].tolist() == [[len(own) for own in game] for game in moves]
    assert (columns["turns"] == rows["turns"].sum(axis=0)).all()
    assert rows["cards"].tolist() == [[len(hand) for hand in game["deal"]["hands"]] for game in rounds]
    assert rows["null_rank"].tolist() == [[RANKS.index(game["deal"]["null_rank"])] * seats for game in rounds]
    winners = []
    for game, scores in zip(rounds, judgement.scores, strict=True):
        deal = game["deal"]
        secrets = [value(card, deal["null_rank"], rules["face_values"]) for card in deal["secrets"]]
        winners.append(outcome(scores, secrets, rules["round_tie"])[0])
    assert rows["won"].tolist() == [[seat in won for seat in range(seats)] for won in winners]
    assert (columns["rounds_won"] == rows["won"].sum(axis=0)).all()

    totals = judgement.totals
    assert columns["cards_left"].tolist() == totals
    assert columns["rank"].tolist() == [1 + sum(other < own for other in totals) for own in totals]
    assert columns["lost"].tolist() == [min(totals) < own == max(totals) for own in totals]
    assert (columns["points"] == rows["score"].sum(axis=0)).all()
    of_seat = [[move for game in moves for move in game[seat]] for seat in range(seats)]
    assert columns["taken"].tolist() == [sum(move["from"] == "discard" for move in own) for own in of_seat]
    assert columns["swaps"].tolist() == [sum(move["replaces"] is not None for move in own) for own in of_seat]
    assert (columns["tied"] == (len(judgement.winners) > 1)).all()
    alone = [winners[0] == [seat] for seat in range(seats)]
    assert columns["first_alone"].tolist() == alone
    assert columns["first_alone_won"].tolist() == [alone[seat] and seat in judgement.winners for seat in range(seats)]
    return columns


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_games_under_any_rules(players: int) -> None:
    truncated = tied = 0
    for seed in range(60):
        rules = any_rules(seed, VALUES | {"players": [players]}, fits)
        chosen = np.random.default_rng([players, seed])
        strategies = [NAMES[k] for k in chosen.integers(len(NAMES), size=players)]
        columns = check(rules, int(chosen.integers(10**6)), strategies, chosen.permutation(players).tolist())
        truncated += columns["truncated"][0]
        tied += columns["tied"][0]
    assert 0 < truncated < 60
    assert tied


@pytest.mark.parametrize("tie", ["all-drop", "none-drop", "low-secret"])
@pytest.mark.parametrize("start", ["rotate", "winner", "random"])
def test_ties_and_starters(tie: str, start: str) -> None:
    """Of six players and three cards each, ties are frequent."""
    rules = {"players": 6, "cards": 2, "face_values": "10-10-10", "round_tie": tie, "first_player": start}
    ties = 0
    for block in range(25):
        judgement, _, _ = refereed(GAME, block, ["stand"] * 6, rules)
        ties += sum(scores.count(min(scores)) > 1 for scores in judgement.scores)
    assert ties > 3


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy(name: str) -> None:
    for block, cards in enumerate((5, 8)):
        rules = any_rules(1, VALUES | {"players": [3], "cards": [cards], "max_turns": [1000]}, fits)
        check(rules | {"max_rounds": 200}, block, [name, "dp", "greedy-discard"], [0, 1, 2])


@pytest.mark.parametrize("names", [["random", "stand", "greedy"], ["dp", "dp-win:samples=5", "random", "random"]])
def test_any_split_of_the_blocks_gives_the_same_rows(names: list[str]) -> None:
    split_agrees(GAME, names, {"players": len(names), "first_player": "random", "first_dealer": "random"})


def test_seeds_and_blocks_differ() -> None:
    one, two = (play(GAME, 50, ["greedy"] * 3, {"players": 3}, seed=seed).games["points"] for seed in (1, 2))
    assert (one != two).any()
    assert len(np.unique(one[:, 0, 0])) > 5


def test_hands_and_stock_do_not_depend_on_what_happened_before() -> None:
    """Each seat's cards of round 3 are the first of the same five, and the stock begins with the same cards."""
    rules = {"null_pick": "fixed"}
    games = [refereed(GAME, 7, names, rules)[1] for names in (["stand"] * 4, ["random"] * 4, ["greedy"] * 4)]
    deals = [game[3]["deal"] for game in games]
    sizes = [[len(hand) for hand in deal["hands"]] for deal in deals]
    assert len({tuple(size) for size in sizes}) > 1
    for deal in deals[1:]:
        assert deal["secrets"] == deals[0]["secrets"]
        assert deal["stock"][:28] == deals[0]["stock"][:28]
        for hand, other in zip(deal["hands"], deals[0]["hands"], strict=True):
            assert set(hand) <= set(other) or set(other) <= set(hand)


def test_null_ranks() -> None:
    def ranks(**rules: Any) -> list[list[str]]:
        played = [refereed(GAME, block, ["stand"] * 4, rules)[1] for block in range(40)]
        return [[game["deal"]["null_rank"] for game in rounds] for rounds in played]

    assert {rank for game in ranks(null_pick="fixed", null_rank="9") for rank in game} == {"9"}
    for game in ranks(null_pick="descending", null_rank="8"):
        assert "".join(game) == ("87KQJT9" * 9)[: len(game)]
    free = ranks(null_pick="random")
    assert any(a == b for game in free for a, b in pairwise(game))
    for games in (free, ranks()):
        counts = [sum(game.count(rank) for game in games) for rank in NULL_RANKS]
        assert min(counts) > 0.5 * sum(counts) / 7
    assert len({game[0] for game in ranks()}) == 7


def test_hardly_any_game_of_built_in_strategies_is_truncated() -> None:
    names = [name.replace("dp-win", "dp-win:samples=10") for name in strategy_names(GAME)]
    for a in names:
        for b in names[names.index(a) :]:
            games = play(GAME, 60 if "dp-win:samples=10" in (a, b) else 500, [a, b, a, b], seed=11).games
            assert not games["truncated"].any(), (a, b)
    for rules in ({"players": 3}, {"players": 6}, {"take_must_swap": False}, {"cards": 8}):
        for name in ("dp", "greedy-discard"):
            seats = int(rules.get("players", 4))
            assert not play(GAME, 100, [name] * seats, rules, seed=11).games["truncated"].any()
