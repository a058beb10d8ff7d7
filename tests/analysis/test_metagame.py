"""Meta-games of planted payoffs: cycles, dominated strategies, several equilibria, few blocks."""

import numpy as np
import pytest

import sim
from sim.analysis.metagame import evaluate
from sim.analysis.objectives import Objective
from sim.analysis.symmetric import Shape
from sim.errors import UsageError
from tests.analysis.planted import SCORE, exact

pytestmark = pytest.mark.slow

POINTS = Objective("points", SCORE, 1)
ROCK = np.array([[0, -2, 1], [2, 0, -3], [-1, 3, 0]], float)
NAMES = ("one", "two", "three", "four")


def against(matrix):
    """Each seat earns the sum of the two-player payoffs against the others."""

    def payoff(k, counts):
        return matrix[k] @ (np.array(counts) - np.eye(len(counts))[k])

    return payoff


def solve(matrix, players=3, blocks=200, seed=1, noise=0.3, sign=1, draws=200, **more):
    matrix = np.array(matrix, float)
    shape = Shape(len(matrix), players)
    played = exact(NAMES[: len(matrix)], shape, against(matrix), blocks, np.random.default_rng(seed), noise)
    return evaluate(played, Objective("points", SCORE, sign), draws=draws, **more)


def pick(found, strategy, metric):
    frame = found.frame
    return frame[(frame["strategy"] == strategy) & (frame["metric"] == metric)].iloc[0]


def nothing_is_nan(found):
    every = [v for frame in (found.frame, found.dominance, found.payoffs) for r in frame.to_dict("records")
             for v in r.values()]  # fmt: skip
    assert not any(isinstance(value, float) and not np.isfinite(value) for value in every)
    for estimate in (*found.effective.values(), found.payoff):
        numbers = (estimate.estimate, estimate.low, estimate.high)
        assert all(value is None or np.isfinite(value) for value in numbers)


def test_a_cycle_keeps_everybody_alive():
    found = solve(ROCK)
    for name, truth in zip(NAMES, (3 / 6, 1 / 6, 2 / 6), strict=False):
        row = pick(found, name, "equilibrium")
        assert row["estimate"] == pytest.approx(truth, abs=0.02)
        assert 0 < row["high"] - row["low"] < 0.1
    assert found.effective["equilibrium"].estimate == pytest.approx(2.75, abs=0.1)
    assert (found.dominance["verdict"] == "not dominated").all()
    assert found.payoff.estimate == pytest.approx(0, abs=0.05)
    assert len(found.equilibria) == 1


def test_the_dominated_go():
    found = solve([[*row, 2] for row in ROCK] + [[-4, -4, -4, 0]])
    assert found.dominance["verdict"].tolist() == ["not dominated"] * 3 + ["dominated"]
    assert pick(found, "four", "equilibrium")["high"] == 0
    assert pick(found, "four", "alpharank")["high"] < 0.01
    assert pick(found, "four", "gain")["high"] < -1


def test_one_survivor():
    found = solve([[1, 1], [2, 2]])
    assert pick(found, "two", "equilibrium")["low"] == 1
    assert pick(found, "two", "alpharank")["low"] == pytest.approx(1, abs=0.01)
    assert found.effective["equilibrium"].estimate == 1
    assert found.payoff.estimate == pytest.approx(4, abs=0.1)


def test_less_can_be_better():
    found = solve([[1, 1], [2, 2]], sign=-1)
    assert pick(found, "one", "equilibrium")["low"] == 1
    assert pick(found, "two", "gain")["high"] < 0
    assert found.payoff.estimate == pytest.approx(2, abs=0.1)


def test_several_equilibria_are_listed():
    found = solve([[2, 0], [0, 1]], players=2)
    assert len(found.equilibria) == 3
    assert pick(found, "one", "equilibrium")["estimate"] == 1  # risk-dominant


def test_unsure_dominance_is_undecided():
    """The second is as good as the first: who dominates whom is a toss."""
    found = solve([[1, 1], [1, 1]], noise=1.0, players=2)
    assert "dominated" not in found.dominance["verdict"].tolist()
    assert pick(found, "one", "equilibrium")["high"] == 1
    assert pick(found, "one", "equilibrium")["low"] == 0


def test_intervals_of_a_mix_cover():
    hits = 0
    for seed in range(60):
        found = solve([[-1, 2], [0, 1]], players=2, blocks=60, seed=seed, noise=1.0, draws=200)
        row = pick(found, "one", "equilibrium")
        hits += row["low"] <= 0.5 <= row["high"]
    assert 0.87 <= hits / 60 <= 1.0


@pytest.mark.parametrize("blocks", [0, 1, 2, 3])
@pytest.mark.parametrize("matrix", [[[1]], [[0, 0], [0, 0]], ROCK])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_nothing_is_nan(blocks, matrix, noise):
    found = solve(matrix, blocks=blocks, noise=noise, draws=100)
    nothing_is_nan(found)
    assert (found.dominance["verdict"] == "undecided").all()
    if blocks == 0:
        assert found.equilibrium is None
        assert found.frame["estimate"].isna().all()
    if blocks < 2:
        assert found.frame["low"].isna().all()


def test_a_given_selection_strength_is_used():
    weak, strong = solve([[1, 1], [2, 2]], alpha=1e-6), solve([[1, 1], [2, 2]], alpha=100.0)
    assert pick(weak, "one", "alpharank")["estimate"] == pytest.approx(0.5, abs=1e-3)
    assert pick(strong, "one", "alpharank")["estimate"] == pytest.approx(0, abs=1e-6)


def test_of_a_game(tmp_path):
    found = sim.metagame("null-nichtig", "dodge,random", players=3, blocks=60, cache=tmp_path, draws=100)
    nothing_is_nan(found)
    assert found.payoff.estimate == pytest.approx(1 / 3)
    assert len(found.payoffs) == 6
    assert found.games == 60 * (1 + 3 + 3 + 1)
    again = sim.metagame("null-nichtig", "dodge,random", players=3, blocks=60, cache=tmp_path, draws=100, threads=1)
    assert again.frame.equals(found.frame)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"strategies": ""}, "strategies: an empty name|strategies: name at least 1"),
        ({"strategies": "random,random"}, "named twice"),
        ({"strategies": "random", "alpha": -1.0}, "alpha"),
        ({"strategies": "random", "population": 2}, "population: 2 is not allowed; allowed: an integer from 4 to 1000"),
        ({"strategies": "random", "objective": "x"}, "objective"),
        ({"strategies": "random", "draws": 5}, "draws"),
        ({"strategies": "random", "rules": {"no_such": 1}}, "no_such"),
    ],
)
def test_mistakes_are_named(arguments, said):
    with pytest.raises(UsageError, match=said):
        sim.metagame("null-nichtig", **arguments, cache=None)
