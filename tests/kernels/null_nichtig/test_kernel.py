"""The kernel of Null & Nichtig: cards conserved, the same results however the work is cut, failures reported."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from kernels.null_nichtig.referee import PACK
from kernels.null_nichtig.rules import TABLE, complete
from kernels.null_nichtig.transcript import decode
from kernels.table import TOO_LARGE
from tests.kernels.null_nichtig.interpreted import Round
from tests.kernels.playing import play, rotations, split_agrees

GAME = "null-nichtig"


def rounds_of(strategies: list[str], rules: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    return decode(play(GAME, options.pop("blocks", 1), strategies, rules, log=True, **options).log, complete(rules))


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_cards_are_conserved(players: int) -> None:
    each = TABLE[players][0]
    for game in rounds_of(["random"] * players, {"players": players, "rounds": 200}):
        deal = game["deal"]
        assert [len(hand) for hand in deal["hands"]] == [each] * players
        assert Counter(card for cards in (*deal["hands"], deal["undealt"]) for card in cards) == PACK
        used: list[list[str]] = [[] for _ in range(players)]
        for move in game["moves"]:
            used[move["seat"]] += move.get("starters") or [move["play"]]
        assert [sorted(cards) for cards in used] == [sorted(hand) for hand in deal["hands"]]


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"players": 3, "target": 60, "no_trick_penalty": -10, "lead_tie": "random", "first_dealer": "random"},
        {"players": 5, "starter_selection": "sequential", "stack_order": "play-order"},
        {"players": 6, "teams": "3x2", "stack_order": "winner-then-play-order"},
    ],
)
def test_any_cut_of_the_blocks_gives_the_same(rules: dict[str, Any]) -> None:
    names = ["random", "solid", "dodge", "greedy", "random", "solid"]
    split_agrees(GAME, names[: rules.get("players", 4)], rules, blocks=12)


def test_the_seed_decides() -> None:
    first, again, other = (
        play(GAME, 30, ["random", "greedy", "solid", "random"], seed=seed).games["score"] for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any(axis=(1, 2)).all()


def test_the_log_changes_nothing() -> None:
    with_log, without = (play(GAME, 20, ["random", "solid", "greedy", "dodge"], log=log) for log in (True, False))
    for name, column in with_log.games.items():
        assert (column == without.games[name]).all()


def test_the_shuffle_depends_on_nothing_but_block_and_round() -> None:
    """Whoever plays, whoever leads and whatever else is agreed, round r of block b has the same deal."""
    deals = [
        [game["deal"] for game in rounds_of(strategies, {"rounds": 5} | rules, blocks=range(7, 8), seatings=[seating])]
        for strategies, rules, seating in (
            (["random"] * 4, {}, [0, 1, 2, 3]),
            (["dodge", "solid", "random", "greedy"], {}, [2, 0, 3, 1]),
            (["solid"] * 4, {"no_trick_penalty": -30, "stack_order": "play-order"}, [0, 1, 2, 3]),
            (["dodge"] * 4, {"first_dealer": "random", "lead_tie": "random", "teams": "2x2"}, [0, 1, 2, 3]),
            (["random"] * 4, {"starter_selection": "sequential", "lead_score": "without-penalty"}, [0, 1, 2, 3]),
        )
    ]
    assert all(other == deals[0] for other in deals)
    assert len({str(deal) for deal in deals[0]}) == 5


def test_a_seat_draws_the_same_lots_whoever_sits_elsewhere() -> None:
    starters = [
        rounds_of(["random", *others], {"rounds": 1}, blocks=range(3, 4))[0]["moves"][0]
        for others in (["random"] * 3, ["dodge"] * 3, ["greedy", "solid", "random"])
    ]
    assert starters[0] == starters[1] == starters[2]


def test_seats_draw_different_lots() -> None:
    """With the same hand and the same stream two seats would lay the same starters: no sign of that in many rounds."""
    scores = play(GAME, 4000, ["random"] * 4, {"rounds": 1}).games["score"][:, 0].astype(float)
    centred = scores - scores.mean(axis=0)
    correlations = np.corrcoef(centred.T)[np.triu_indices(4, 1)]
    assert (correlations < 0.1).all()


def test_rotated_seatings_share_the_cards() -> None:
    played = play(GAME, 50, ["dodge"] * 4, seatings=rotations(4))
    assert (played.games["score"] == played.games["score"][:, :1]).all()


def test_totals_beyond_the_columns_are_reported() -> None:
    """All dodge and pay for it, so that nobody ever reaches the target."""
    rules = {"target": 10_000, "no_trick_penalty": -1000}
    stopped = play(GAME, 2, ["dodge"] * 4, rules | {"max_rounds": 8_000_000}, legal=False)
    assert (stopped.status[0], stopped.status[1], stopped.done) == (TOO_LARGE, 0, 0)
    assert play(GAME, 1, ["dodge"] * 4, rules | {"max_rounds": 1_000_000}).games["score"].max() < -(10**8)


@pytest.mark.parametrize("answer", [-1, 60, 63, 64, 69, 2**40, -(2**62), 7])
def test_illegal_choices_stop_the_round(monkeypatch: pytest.MonkeyPatch, answer: int) -> None:
    hands = [[0, 0, *range(8, 19)], list(range(19, 32)), list(range(32, 45)), list(range(45, 58))]
    table = Round(monkeypatch, {})
    for turn in (0, 5, 14, 40):
        turns = iter(range(100))

        def decide(view: Any, turn: int = turn, turns: Any = turns) -> int:
            if next(turns) == turn:
                return answer
            return int(view["hand"]).bit_length() - 1

        assert not table.play(hands, 1, decide)
        assert table.states[0]["illegal"] == answer


def test_both_zeros_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = [[0, 0, *range(8, 19)], list(range(19, 32)), list(range(32, 45)), list(range(45, 58))]
    played: list[int] = []

    def decide(view: Any) -> int:
        hand = int(view["hand"])
        card = (hand & -hand).bit_length() - 1
        if int(view["seat"]) == 0:
            played.append(card)
            assert int(view["twins"]) == (1 if len(played) == 1 else 0)
        return card

    assert Round(monkeypatch, {}).play(hands, 0, decide)
    assert played == hands[0]
