"""What a decision is worth: split samples, and rollouts of every move."""

import numpy as np
import pytest

from sim.analysis.decisions import importance, worth
from sim.engine import Engine
from sim.rollouts import Rollouts
from sim.scenario import scenario


def table(**more):
    return scenario(game="null-nichtig", strategies="solid", seatings="fixed", **more)


def test_worth_of_certain_values():
    values = np.repeat([[4.0], [1.0], [1.0]], 6, axis=1)
    assert worth(values) == pytest.approx(4 - 2)
    assert worth(np.ones((5, 4))) == 0


def test_chance_does_not_make_the_best_move_look_better():
    rng = np.random.default_rng(1)
    found, naive = [], []
    for _ in range(2000):
        values = rng.normal(size=(8, 16))  # no move is better than another
        found.append(worth(values))
        naive.append(values.mean(axis=1).max() - values.mean())
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))
    assert np.mean(naive) > 0.3


def test_worth_of_a_move_that_is_better_by_one():
    rng = np.random.default_rng(2)
    better = np.array([1.0, 0.0, 0.0, 0.0])[:, None]
    found = [worth(better + rng.normal(size=(4, 400))) for _ in range(300)]
    assert np.mean(found) == pytest.approx(0.75, abs=0.02)


def test_the_number_of_threads_leaves_no_trace():
    one, two = (importance(table(), 4, rollouts=8, threads=threads) for threads in (1, 2))
    for name, values in one.arrays().items():
        assert np.array_equal(values, two.arrays()[name]), name


def test_decisions_are_counted():
    found = importance(table(rules={"rounds": 2}), 5, rollouts=4, threads=1)
    assert found.kinds == ("starter", "lead", "follow")
    assert found.all.tolist() == [[2 * 4 * 3, 2 * 10, 2 * 30]] * 5
    assert (found.open <= found.all).all()
    assert (found.open[:, 0] == 24).all()  # thirteen, twelve and eleven cards to choose from
    assert (found.open[:, 1:].sum(axis=1) <= 2 * 36).all()  # the last trick leaves no choice


def test_every_drawn_decision_lies_in_one_part_of_the_game():
    found = importance(table(rules={"rounds": 2}), 6, rollouts=4, threads=1)
    assert ((found.when >= 0) & (found.when < 1)).all()
    parts = [found.part(number, 4) for number in range(4)]
    assert np.array_equal(sum(parts), found.open)
    assert (np.array(parts) > 0).sum(axis=0).tolist() == np.ones((6, 3), int).tolist()
    starters = found.when[:, 0] * 4 * 2 * 13  # three of each player open a round, each player plays ten cards
    assert ((starters.round(9) % 1 == 0) & ((starters < 12) | ((starters >= 52) & (starters < 64)))).all()


def test_no_block_no_number():
    found = importance(table(), 0)
    assert found.points.shape == found.open.shape == (0, 3)


def test_points_count_towards_the_better_where_less_is_better():
    spot = scenario(game="nulla", strategies="dp", seatings="fixed")
    found = importance(spot, 30, rollouts=32, threads=2)
    assert found.points.mean() > 0  # the best move means fewer points, which is a gain


def test_moves_are_compared_on_the_same_cards():
    player = Rollouts(Engine(table()))
    decision = player.decision(0, 20)
    one = player.outcomes(0, 20, 8, observer=decision.seat, move=decision.moves[0])
    again = player.outcomes(0, 20, 8, observer=decision.seat, move=decision.moves[0])
    assert np.array_equal(one, again)


def test_no_decision_beyond_the_last():
    player = Rollouts(Engine(table(rules={"rounds": 1})))
    _, count = player.game(0)
    assert player.decision(0, count - 1).moves
    with pytest.raises(ValueError, match="no decision"):
        player.decision(0, count)
