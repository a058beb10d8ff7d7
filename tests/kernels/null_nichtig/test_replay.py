"""The kernel of Null & Nichtig against the referee: every game it plays is legal and scored alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.null_nichtig.rules import TEAMS
from tests.kernels.playing import any_rules, play, refereed, strategy_names

GAME = "null-nichtig"

VALUES: dict[str, list[Any]] = {
    "players": [3, 4, 5, 6],
    "rounds": [1, 2, 3, 7],
    "target": [None, None, 1, 20, 60, 200],
    "max_rounds": [1, 2, 3, 50],
    "no_trick_penalty": [0, -10, -10, 7, -60, 1000, -1000],
    "stack_order": ["clockwise-from-winner", "winner-then-play-order", "play-order"],
    "starter_selection": ["simultaneous", "sequential"],
    "teams": ["none", "2x2", "3x2", "2x3"],
    "lead_tie": ["clockwise", "random"],
    "lead_score": ["with-penalty", "without-penalty"],
    "first_dealer": ["last-seat", "random"],
}


def teams_fit(rules: dict[str, Any]) -> bool:
    return rules["teams"] == "none" or TEAMS[rules["teams"]][0] == rules["players"]


def check(rules: dict[str, Any], block: int, strategies: list[str], seating: list[int]) -> dict[str, Any]:
    """One refereed game; the rows of its rounds must say the same as the transcript. Returns its columns."""
    sides = TEAMS[rules["teams"]][1]
    judgement, rounds, played = refereed(GAME, block, strategies, rules, seed=3, seating=seating, sides=sides)
    seats = rules["players"]
    rows = {name: column.reshape(-1, seats) for name, column in played.rounds.items()}
    columns = {name: column[0, 0] for name, column in played.games.items()}
    assert rows["score"].tolist() == judgement.scores
    assert (np.argmax(rows["led"], axis=1) == [(game["dealer"] + 1) % seats for game in rounds]).all()
    assert (rows["led"].sum(axis=1) == 1).all()
    assert (rows["tricks"].sum(axis=1) == (8 if seats == 6 else 10)).all()
    penalty = rules["no_trick_penalty"] * (rows["tricks"] == 0)
    assert (rows["score"] == rows["base_score"] + penalty).all()

    assert (columns["tricks"] == rows["tricks"].sum(axis=0)).all()
    assert (columns["trickless_rounds"] == (rows["tricks"] == 0).sum(axis=0)).all()
    assert (columns["base_score"] == rows["base_score"].sum(axis=0)).all()
    assert (columns["led_first"] == rows["led"][0]).all()
    sides = sides or seats
    sums = [sum(judgement.totals[side::sides]) for side in range(sides)]
    ranks = [1 + sum(other > sums[seat % sides] for other in sums) for seat in range(seats)]
    assert columns["rank"].tolist() == ranks
    by_side = np.stack([rows["score"][:, side::sides].sum(axis=1) for side in range(sides)], axis=1)
    won = by_side == by_side.max(axis=1, keepdims=True)
    shares = (60 // won.sum(axis=1, keepdims=True) * won).sum(axis=0)
    assert columns["round_wins60"].tolist() == [shares[seat % sides] for seat in range(seats)]
    assert columns["lost"].tolist() == [sums[seat % sides] == min(sums) < max(sums) for seat in range(seats)]
    return columns


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_games_under_any_rules(players: int) -> None:
    names = strategy_names(GAME)
    for seed in range(60):
        rules = any_rules(seed, VALUES | {"players": [players]}, teams_fit)
        chosen = np.random.default_rng([players, seed])
        strategies = [names[k] for k in chosen.integers(len(names), size=players)]
        check(rules, int(chosen.integers(10**6)), strategies, chosen.permutation(players).tolist())


@pytest.mark.parametrize("name", strategy_names(GAME))
@pytest.mark.parametrize("order", VALUES["stack_order"])
def test_every_strategy(name: str, order: str) -> None:
    for players in (3, 4, 5, 6):
        rules = {"players": players, "stack_order": order, "rounds": 5, "starter_selection": "sequential"}
        check({"teams": "none", "no_trick_penalty": 0} | rules, players, [name] * players, list(range(players)))


def test_ties_for_the_lead_by_lot() -> None:
    """Under a penalty that outweighs all, several without a trick tie at times; every one of them must get to lead."""
    led: set[int] = set()
    base = {"rounds": 12, "no_trick_penalty": 0, "teams": "none", "players": 3}
    for block in range(40):
        rules = base | {"lead_tie": "random"}
        judgement, rounds, _ = refereed(GAME, block, ["dodge", "random", "random"], rules)
        for scores, following in zip(judgement.scores, rounds[1:], strict=False):
            tied = [seat for seat in range(3) if scores[seat] == min(scores)]
            leader = (following["dealer"] + 1) % 3
            if len(tied) > 1:
                left = [(rounds[judgement.scores.index(scores)]["dealer"] + 2 + k) % 3 for k in range(3)]
                led.add([seat for seat in left if seat in tied].index(leader))
    assert led >= {0, 1}


def test_truncated_games() -> None:
    rules = {"target": 10000, "max_rounds": 3, "teams": "none", "no_trick_penalty": 0, "players": 4}
    columns = check(rules, 0, ["random"] * 4, [0, 1, 2, 3])
    assert columns["truncated"].all()
    assert (columns["rounds"] == 3).all()


def test_first_leader_by_lot() -> None:
    led = play(GAME, 800, ["dodge"] * 4, {"first_dealer": "random", "rounds": 1}).games["led_first"][:, 0]
    assert (led.sum(axis=1) == 1).all()
    assert (abs(led.sum(axis=0) - 200) < 5 * np.sqrt(800 * 3 / 16)).all()
    assert play(GAME, 9, ["dodge"] * 4, {"rounds": 1}).games["led_first"][:, 0].tolist() == [[1, 0, 0, 0]] * 9
