"""The kernel of Skat Null: refereed deals, every way to declare, results that depend on seed and block alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from kernels.skat_null.referee import score
from kernels.skat_null.rules import BIDS, VALUES, playable
from kernels.skat_null.strategies import STRATEGIES
from kernels.table import ILLEGAL
from sim.games import GAMES
from tests.kernels.playing import any_rules, play, refereed, rotations, split_agrees

GAME = "skat-null"
PARTS = GAMES[GAME].parts
ABLE = [[row.name for row in STRATEGIES if row.function[part] is not None] for part in range(4)]
CONTRACTS = list(VALUES)
FILTERS = [None, "C7", "!C8 !S8", "C=79J", "C=- D7", "C=789TJQKA S7 S8", "C7 C8 S7 S8 H7 H8 D7 D8 !CA"]

RULES: dict[str, list[Any]] = {
    "declarer": ["best", "best", "forehand", "middlehand", "rearhand", "rotate", "random"],
    "contracts": [CONTRACTS, CONTRACTS, ["null"], ["null-ouvert-hand"], ["null-hand", "null-ouvert"], CONTRACTS[1:]],
    "bid": [18, 18, *BIDS],
    "must_declare": [False, True],
    "scoring": ["plain", "seeger-fabian"],
    "loss": ["double", "pre-1999"],
    "stop_on_loss": [True, False],
    "hand_filter": FILTERS,
}


def fits(rules: dict[str, Any]) -> bool:
    if rules["declarer"] == "best":
        return not rules["must_declare"] and rules["hand_filter"] is None
    return bool(playable(rules)) or not rules["must_declare"]


def a_strategy(chosen: np.random.Generator) -> list[str]:
    return [names[chosen.integers(len(names))] for names in ABLE]


def check(rules: dict[str, Any], block: int, strategies: list[Any], seating: list[int]) -> dict[str, Any]:
    """One refereed deal; all its columns must say the same as the transcript. Returns them with the moves."""
    judgement, rounds, played = refereed(GAME, block, strategies, rules, seed=3, seating=seating)
    columns = {name: column[0, 0].tolist() for name, column in played.games.items()}
    moves = rounds[0]["moves"]
    labels = {column.name: column.labels for column in GAMES[GAME].columns}
    roles = [labels["role"][code] for code in columns["role"]]
    contracts = {labels["contract"][code] for code in columns["contract"]}
    declared = [move for move in moves if "declare" in move]
    if not declared:
        assert moves == [{"passed_in": True}]
        assert roles == ["none"] * 3
        assert contracts == {"none"}
        assert columns["passed_in"] == [1] * 3
        assert columns["declarer_won"] == columns["declared"] == columns["defended"] == [0] * 3
        assert columns["rank"] == [1] * 3
        assert columns["lost"] == [0] * 3
    else:
        declarer, contract = declared[0]["seat"], declared[0]["declare"]
        won = judgement.winners == [declarer]
        assert contracts == {contract}
        assert roles == ["declarer" if seat == declarer else "defender" for seat in range(3)]
        assert columns["passed_in"] == [0] * 3
        assert columns["declarer_won"] == [won] * 3
        assert columns["declared"] == [seat == declarer for seat in range(3)]
        assert columns["defended"] == [seat != declarer for seat in range(3)]
        assert columns["won_declared"] == [won and seat == declarer for seat in range(3)]
        own = score(rules, declarer, contract, not won)
        assert columns["declarer_score"] == [own[seat] if seat == declarer else 0 for seat in range(3)]
        assert columns["defender_score"] == [own[seat] if seat != declarer else 0 for seat in range(3)]
        for name in CONTRACTS:
            column = columns["declared_" + name.replace("-", "_")]
            assert column == [seat == declarer and name == contract for seat in range(3)]
        assert columns["rank"] == [1 + sum(other > own[seat] for other in own) for seat in range(3)]
        assert columns["lost"] == [own[seat] == min(own) for seat in range(3)]
        cards = [move for move in moves if "play" in move]
        assert sum(columns["tricks"]) == len(cards) // 3
        assert (columns["tricks"][declarer] > 0) != won
        assert columns["trickless_rounds"] == [taken == 0 for taken in columns["tricks"]]
    for name in ("score", "tricks", "role", "contract", "declarer_won"):
        assert played.rounds[name].tolist() == columns[name]
    columns["moves"], columns["deal"] = moves, rounds[0]["deal"]
    return columns


def test_deals_under_any_rules() -> None:
    met: Counter[Any] = Counter()
    for seed in range(600):
        rules = any_rules(seed, RULES, fits)
        chosen = np.random.default_rng(seed)
        strategies = [a_strategy(chosen) for _ in range(3)]
        columns = check(rules, int(chosen.integers(10**6)), strategies, chosen.permutation(3).tolist())
        met[columns["contract"][0], columns["declarer_won"][0]] += 1
    assert len(met) == 9  # each contract won and lost, and passed in


@pytest.mark.parametrize("declare", ABLE[0])
@pytest.mark.parametrize("cards", ABLE[3])
def test_every_strategy(declare: str, cards: str) -> None:
    rules = any_rules(0, RULES, lambda rules: rules["declarer"] == "best" and rules["bid"] == 18 and fits(rules))
    for block in range(40):
        check(rules, block, [[declare, "heuristic", cards, cards]] * 3, [0, 1, 2])
        check(rules, block, [[declare, "random", cards, "random"]] * 3, [2, 0, 1])


def test_who_may_declare() -> None:
    blocks = 3000
    for mode, seat in {"forehand": 0, "middlehand": 1, "rearhand": 2}.items():
        declared = play(GAME, 100, ["random"] * 3, {"declarer": mode, "must_declare": True}).games["declared"][:, 0]
        assert (declared == (np.arange(3) == seat)).all()
    declared = play(GAME, 99, ["random"] * 3, {"declarer": "rotate", "must_declare": True}).games["declared"][:, 0]
    assert (declared == np.tile(np.eye(3), (33, 1))).all()
    rules = {"declarer": "random", "must_declare": True}
    declared = play(GAME, blocks, ["random"] * 3, rules).games["declared"][:, 0]
    assert (declared.sum(axis=1) == 1).all()
    assert (abs(declared.sum(axis=0) - blocks / 3) < 5 * np.sqrt(blocks * 2 / 9)).all()


def test_who_offers_most_declares() -> None:
    """With everybody willing, the declarer is the one whose policy expects most; forehand first of equals."""
    alone = []
    for seat, mode in enumerate(("forehand", "middlehand", "rearhand")):
        names: list[Any] = [["random", *["heuristic"] * 3]] * 3
        names[seat] = ["heuristic"] * 4
        alone.append(play(GAME, 20_000, names, {"declarer": mode}).games["declared"][:, 0, seat])
    willing = np.array(alone).T
    best = play(GAME, 20_000, ["heuristic"] * 3).games["declared"][:, 0]
    assert (best.sum(axis=1) == willing.any(axis=1)).all()
    assert (best <= willing).all()
    several = willing.sum(axis=1) > 1
    assert several.sum() > 20
    assert len({tuple(row) for row in best[several].tolist()}) == 3
    always = [["always:kappa=0", "heuristic", "heuristic", "heuristic"]] * 3
    declared = play(GAME, 20_000, always, {"contracts": "null-ouvert-hand"}).games["declared"][:, 0].mean(axis=0)
    assert declared.sum() == 1
    assert (declared > 0.2).all()


def test_no_contract_is_worth_the_bid() -> None:
    games = play(GAME, 50, ["heuristic"] * 3, {"contracts": "null,null-hand", "bid": 46}).games
    assert games["passed_in"].all()


def test_random_contracts_are_uniform() -> None:
    rules = {"declarer": "forehand", "must_declare": True}
    games = play(GAME, 8000, ["random"] * 3, rules).games
    for name in CONTRACTS:
        share = games["declared_" + name.replace("-", "_")][:, 0, 0].mean()
        assert abs(share - 0.25) < 5 * np.sqrt(0.25 * 0.75 / 8000)
    assert play(GAME, 100, ["random"] * 3, {"declarer": "forehand"}).games["passed_in"].all()


@pytest.mark.parametrize("rules", [{}, {"declarer": "random", "must_declare": True, "hand_filter": "C7 !C8"}])
def test_a_range_of_blocks_may_be_split(rules: dict[str, Any]) -> None:
    split_agrees(GAME, ["random", "heuristic", ["always", *["heuristic"] * 3]], rules)


def test_seed_and_block_decide_the_cards() -> None:
    def dealt(block: int = 5, strategies: Any = ("random",) * 3, seed: int = 1, **rules: Any) -> Any:
        return refereed(GAME, block, strategies, rules, seed=seed)[1][0]["deal"]

    base = dealt()
    assert dealt(strategies=["heuristic"] * 3) == base
    assert dealt(declarer="forehand", must_declare=True, scoring="seeger-fabian", stop_on_loss=False) == base
    fitting = dealt(declarer="rearhand", hand_filter="C7 C8")
    assert {"C7", "C8"} <= set(fitting["hands"][2])
    assert dealt(declarer="rearhand", hand_filter="C7 C8", must_declare=True, strategies=["heuristic"] * 3) == fitting
    assert len({str(dealt(block=block, seed=seed)) for block in range(5) for seed in range(5)}) == 25


def test_strategies_move_and_hands_stay() -> None:
    games = play(GAME, 200, ["heuristic"] * 3, seatings=rotations(3)).games
    assert games["declared"].any()
    for column in games.values():
        assert (column == column[:, :1]).all()
    line: list[Any] = ["heuristic", ["safe", *["heuristic"] * 3], ["always", "random", "random", "random"]]
    moved = play(GAME, 200, line, seatings=rotations(3)).games
    single = [play(GAME, 200, [line[slot] for slot in seating]).games for seating in rotations(3)]
    for name, column in moved.items():
        assert (column == np.concatenate([one[name] for one in single], axis=1)).all(), name


def test_a_part_that_a_row_lacks_stops_the_run() -> None:
    played = play(GAME, 10, [["always", "safe", "heuristic", "heuristic"]] * 3, legal=False)
    assert played.status[0] == ILLEGAL
    assert played.done == 0
