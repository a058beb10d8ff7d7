"""The kernel of Nil: refereed games, cards conserved, results that depend on nothing but seed and block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.playing import any_rules, play, refereed, rotations, split_agrees, strategy_names

GAME = "nil"
NAMES = strategy_names(GAME)

VALUES: dict[str, list[Any]] = {
    "scoring": ["award", "transfer", "pool", "pool"],
    "deals": [1, 2, 10, 13],
    "max_deals": [1, 2, 3, 5, 1000],
    "first_dealer": ["last-seat", "random"],
}


def check(rules: dict[str, Any], block: int, strategies: list[str], seating: list[int]) -> Any:
    """One refereed game; its round rows and own columns must say the same as the transcript."""
    judgement, rounds, played = refereed(GAME, block, strategies, rules, seed=3, seating=seating)
    rows = {name: column.reshape(-1, 4) for name, column in played.rounds.items()}
    columns = {name: column[0, 0] for name, column in played.games.items()}
    assert rows["score"].tolist() == judgement.scores
    assert (np.argmax(rows["led"], axis=1) == [(game["dealer"] + 1) % 4 for game in rounds]).all()
    assert (rows["led"].sum(axis=1) == 1).all()
    assert rows["tricks"].sum(axis=1).tolist() == [len(game["moves"]) // 4 for game in rounds]
    ordinary = rows["redeal"][:, 0] == 0
    assert (rows["nil"] == (rows["tricks"] == 0) * ordinary[:, None]).all()
    assert (columns["tricks"] == rows["tricks"].sum(axis=0)).all()
    assert (columns["trickless_rounds"] == (rows["tricks"] == 0).sum(axis=0)).all()
    assert (columns["nils"] == rows["nil"].sum(axis=0)).all()
    assert (columns["hands"] == ordinary.sum()).all()
    assert (columns["no_nil_hands"] == (ordinary & (rows["nil"].sum(axis=1) == 0)).sum()).all()
    assert (columns["tricks_played"] == rows["tricks"].sum()).all()
    winners = judgement.winners
    for seat in range(4):
        assert (columns["rank"][seat] == 1) == (seat in winners)
        assert columns["win60"][seat] == (60 // len(winners) if seat in winners else 0)
        if judgement.totals[seat] != max(judgement.totals):
            assert columns["rank"][seat] == 1 + sum(other > judgement.totals[seat] for other in judgement.totals)
    return judgement, rows, columns


def test_games_under_any_rules() -> None:
    for seed in range(250):
        rules = any_rules(seed, VALUES, lambda _: True)
        chosen = np.random.default_rng(seed)
        strategies = [NAMES[k] for k in chosen.integers(len(NAMES), size=4)]
        check(rules, int(chosen.integers(10**6)), strategies, chosen.permutation(4).tolist())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scoring", ["award", "transfer", "pool"])
def test_every_strategy(name: str, scoring: str) -> None:
    for block in range(10):
        check({"scoring": scoring}, block, [name] * 4, [0, 1, 2, 3])


def test_pool_games_of_every_kind_are_refereed() -> None:
    """Redeals, perfect games, shared pools, cut games and two or three losers: all must have been met."""
    met = set()
    for block in range(1500):
        judgement, rows, columns = check({"scoring": "pool", "max_deals": 6}, block, ["duck"] * 4, [0, 1, 2, 3])
        redeal = rows["redeal"].any()
        met |= {("redeal", redeal), ("truncated", judgement.truncated), ("losers", len(judgement.losers))}
        met.add(("winners", len(judgement.winners)))
        perfect = not any(judgement.totals) and len(judgement.winners) == 1
        if perfect:
            assert columns["rank"].tolist() == [1 if seat in judgement.winners else 2 for seat in range(4)]
            met.add(("perfect", "redealt" if redeal else "at once"))
        if redeal and not judgement.truncated:
            taker = judgement.winners[0]
            assert rows["tricks"][-1][taker] == 0
            assert rows["nil"][rows["redeal"][:, 0] == 0][-1][taker] == 1
    assert met >= {
        *(("redeal", value) for value in (False, True)),
        *(("truncated", value) for value in (False, True)),
        *(("losers", count) for count in (1, 2, 3)),
        *(("winners", count) for count in (1, 2)),
        ("perfect", "redealt"),
        ("perfect", "at once"),
    }


@pytest.mark.parametrize("scoring", ["award", "pool"])
def test_a_range_of_blocks_may_be_split(scoring: str) -> None:
    split_agrees(GAME, ["random", "duck", "switch", "random"], {"scoring": scoring})


def test_seed_and_block_decide_the_cards() -> None:
    """The same cards whatever the strategies, the scoring and the dealer; others for another seed, block, deal."""

    def hands(**changes: Any) -> list[Any]:
        options: dict[str, Any] = {"strategies": ["random"] * 4, "block": 5, "seed": 1, "rules": {}} | changes
        _, rounds, _ = refereed(GAME, options.pop("block"), options.pop("strategies"), **options)
        return [game["deal"]["hands"] for game in rounds]

    base = hands()
    assert len({str(game) for game in base}) == 10
    assert hands() == base
    assert hands(strategies=["duck", "random", "switch", "duck"]) == base
    assert hands(rules={"scoring": "transfer", "first_dealer": "last-seat"}) == base
    assert hands(rules={"deals": 3}) == base[:3]
    assert hands(rules={"scoring": "pool"})[0] == base[0]
    others = {str(hands(seed=seed, block=block)[0]) for seed in range(1, 6) for block in range(5, 10)}
    assert len(others) == 25


def test_strategies_move_and_hands_stay() -> None:
    """In a rotated orbit of four equal ducks nothing changes."""
    games = play(GAME, 20, ["duck"] * 4, seatings=rotations(4)).games
    for column in games.values():
        assert (column == column[:, :1]).all()
    mixed = play(GAME, 20, ["duck", "switch", "duck", "duck"], seatings=rotations(4)).games["score"]
    assert (mixed != mixed[:, :1]).any()


def test_the_first_dealer() -> None:
    led = play(GAME, 800, ["duck"] * 4, {"deals": 1}, round_rows=3200).rounds["led"].reshape(-1, 4).sum(axis=0)
    assert led.sum() == 800
    assert (abs(led - 200) < 5 * np.sqrt(800 * 3 / 16)).all()
    rows = play(GAME, 9, ["duck"] * 4, {"deals": 5, "first_dealer": "last-seat"}, round_rows=180).rounds["led"]
    assert np.argmax(rows.reshape(9, 5, 4), axis=2).tolist() == [[0, 1, 2, 3, 0]] * 9
