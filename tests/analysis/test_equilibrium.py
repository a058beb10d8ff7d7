"""Equilibria, dominance and alpha-rank of games whose solution is known."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.optimize import linprog

from sim.analysis import alpharank
from sim.analysis.equilibrium import TOLERANCE, all_equilibria, at, entropy, logit_equilibria
from sim.analysis.symmetric import Shape, arrangements, dominated, multisets

pytestmark = pytest.mark.slow


def pairwise(matrix):
    """Shape and table of a symmetric two-player game."""
    matrix = np.array(matrix, float)
    shape = Shape(len(matrix), 2)
    return shape, np.stack([matrix[:, counts.index(1)] for counts in shape.opponents], axis=1)


def solve(shape, table):
    mixes, found = logit_equilibria(shape, table[None])
    assert found.all()
    return mixes[0]


ROCK = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
KNOWN = {
    "one strategy": ([[3]], [1]),
    "all equal": ([[1, 1], [1, 1]], [0.5, 0.5]),
    "prisoners": ([[3, 0], [5, 1]], [0, 1]),
    "hawk and dove": ([[-1, 2], [0, 1]], [0.5, 0.5]),
    "hawk and dove, dear": ([[-3, 2], [0, 1]], [0.25, 0.75]),
    "coordination goes to the risk-dominant": ([[2, 0], [0, 1]], [1, 0]),
    "stag hunt goes to the risk-dominant": ([[4, 0], [3, 2]], [0, 1]),
    "rock paper scissors": (ROCK, [1 / 3] * 3),
    "weighted rock paper scissors": ([[0, -2, 1], [2, 0, -3], [-1, 3, 0]], [3 / 6, 1 / 6, 2 / 6]),
    "a twin shares": (
        [[0, -1, 1, 1], [1, 0, -1, -1], [-1, 1, 0, 0], [-1, 1, 0, 0]],
        [1 / 3, 1 / 3, 1 / 6, 1 / 6],
    ),
    "a dominated fourth": ([[*row, 2] for row in ROCK] + [[-2, -2, -2, 1]], [1 / 3] * 3 + [0]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_logit_path_ends_in_the_known_equilibrium(name):
    matrix, mix = KNOWN[name]
    shape, table = pairwise(matrix)
    assert solve(shape, table) == pytest.approx(mix, abs=1e-8)
    assert any(np.allclose(one.mix, mix, atol=1e-6) for one in all_equilibria(shape, table, np.random.default_rng(1)))


def test_all_equilibria_of_coordination():
    shape, table = pairwise([[2, 0], [0, 1]])
    found = all_equilibria(shape, table, np.random.default_rng(1))
    assert [one.mix for one in found] == [
        pytest.approx((1, 0)),
        pytest.approx((0, 1)),
        pytest.approx((1 / 3, 2 / 3)),
    ]
    assert [one.payoff for one in found] == pytest.approx([2, 1, 2 / 3])


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_volunteers(players):
    """Everybody gets b if anybody volunteers, who pays c: nobody does with chance (c / b)^(1 / (n - 1))."""
    benefit, cost = 1.0, 0.3
    shape = Shape(2, players)
    table = np.array([[benefit - cost] * players, [benefit if counts[0] else 0.0 for counts in shape.opponents]])
    idle = (cost / benefit) ** (1 / (players - 1))
    assert solve(shape, table) == pytest.approx([1 - idle, idle], abs=1e-9)
    everything = all_equilibria(shape, table, np.random.default_rng(1))
    assert len(everything) == 1
    assert everything[0].payoff == pytest.approx(benefit - cost)


@pytest.mark.parametrize("players", [3, 4])
def test_n_player_rock_paper_scissors(players):
    """Each gets the sum over its opponents of the two-player payoff: the same equilibrium as for two."""
    shape = Shape(3, players)
    rock = np.array([[0, -2, 1], [2, 0, -3], [-1, 3, 0]], float)
    table = np.array([[rock[k] @ np.array(counts) for counts in shape.opponents] for k in range(3)])
    assert solve(shape, table) == pytest.approx([3 / 6, 1 / 6, 2 / 6], abs=1e-9)


def test_payoffs_and_slopes_are_those_of_independent_opponents():
    rng = np.random.default_rng(3)
    shape = Shape(3, 4)
    table, mix = rng.normal(size=(3, len(shape.opponents))), np.array([0.2, 0.5, 0.3])
    place = {counts: i for i, counts in enumerate(shape.opponents)}
    by_hand = np.zeros(3)
    for others in product(range(3), repeat=3):
        counts = tuple(others.count(k) for k in range(3))
        by_hand += np.prod(mix[list(others)]) * table[:, place[counts]]
    assert shape.payoffs(table, mix) == pytest.approx(by_hand)
    step = 1e-6
    for j in range(3):
        moved = [mix + sign * step * np.eye(3)[j] for sign in (1, -1)]
        slope = (shape.payoffs(table, moved[0]) - shape.payoffs(table, moved[1])) / (2 * step)
        assert shape.slopes(table, mix)[:, j] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize(("strategies", "players", "tables"), [(3, 2, 200), (5, 4, 60), (4, 3, 100), (3, 6, 60)])
def test_random_games_end_in_equilibria(strategies, players, tables):
    shape = Shape(strategies, players)
    table = np.random.default_rng(2).normal(size=(tables, strategies, len(shape.opponents)))
    mixes, found = logit_equilibria(shape, table)
    assert found.all()
    assert mixes.sum(axis=1) == pytest.approx(np.ones(tables))
    assert (shape.regret(table, mixes) <= 20 * TOLERANCE).all()


def test_zero_sum_agrees_with_the_linear_program():
    rng = np.random.default_rng(5)
    for _ in range(20):
        half = rng.normal(size=(5, 5))
        matrix = half - half.T
        shape, table = pairwise(matrix)
        best = linprog(
            np.append(np.zeros(5), -1.0),
            A_ub=np.hstack([-matrix.T, np.ones((5, 1))]),
            b_ub=np.zeros(5),
            A_eq=[[1.0] * 5 + [0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * 5 + [(None, None)],
        )
        assert solve(shape, table) == pytest.approx(best.x[:5], abs=1e-6)


def test_scale_and_offset_do_not_matter():
    shape = Shape(3, 3)
    table = np.random.default_rng(8).normal(size=(3, len(shape.opponents)))
    assert solve(shape, 1e6 * table - 4e7) == pytest.approx(solve(shape, table), abs=1e-6)
    assert dominated(shape, 1e6 * table - 4e7) == dominated(shape, table)


def test_effective_number():
    assert np.exp(entropy(np.array([[0.25] * 4, [1.0, 0, 0, 0]]))) == pytest.approx([4, 1])


DOMINATED = {
    "prisoners": ([[3, 0], [5, 1]], (0,)),
    "nobody in rock paper scissors": (ROCK, ()),
    "weakly is not enough": ([[1, 1], [1, 2]], ()),
    "one after another": ([[1, 0, 5], [2, 1, 5.5], [0, 0, 4]], (0, 2)),
    "only by a mix": ([[4, 0, 1], [0, 4, 1], [1, 1, 2]], ()),
    "by a mix of two": ([[4, 0, 2], [0, 4, 2], [1, 1, 1]], (2,)),
    "one alone": ([[7]], ()),
}


@pytest.mark.parametrize("name", DOMINATED)
def test_dominated(name):
    matrix, gone = DOMINATED[name]
    assert dominated(*pairwise(matrix)) == gone


def test_dominance_looks_at_whole_tables():
    """With three at the table the second strategy is worse against every pair of opponents but the last one."""
    shape = Shape(2, 3)
    assert dominated(shape, np.array([[1.0, 1.0, 1.0], [0.5, 0.5, 0.9]])) == (1,)
    assert dominated(shape, np.array([[1.0, 1.0, 1.0], [0.5, 0.5, 1.1]])) == ()


def test_multisets():
    assert multisets(2, 2) == ((2, 0), (1, 1), (0, 2))
    for strategies, size in ((5, 4), (3, 6), (1, 3), (4, 0)):
        sets = multisets(strategies, size)
        assert len(sets) == comb(strategies + size - 1, size)
        assert sum(arrangements(counts) for counts in sets) == strategies**size
    shape = Shape(3, 4)
    for k in range(3):
        for m, counts in enumerate(shape.opponents):
            assert np.array(shape.line_ups[shape.joined[k, m]]).tolist() == (np.array(counts) + np.eye(3)[k]).tolist()


# --- alpha-rank


def test_fixation_with_a_constant_lead():
    """The mutant earns 0.1 more whatever happens: (1 - e^-a) / (1 - e^-am) with a = alpha times the lead."""
    shape, table = pairwise([[1.0, 1.0], [1.1, 1.1]])
    alpha, size = 7.0, 20
    found = alpharank.log_fixation(shape, table, alpha, size)
    lead = alpha * 0.1
    assert np.exp(found[0, 1]) == pytest.approx(np.expm1(-lead) / np.expm1(-lead * size))
    assert np.exp(found[1, 0]) == pytest.approx(np.expm1(lead) / np.expm1(lead * size))


def test_neutral_mutants_and_flat_games():
    shape = Shape(3, 4)
    table = np.ones((3, len(shape.opponents)))
    off = ~np.eye(3, dtype=bool)
    assert np.exp(alpharank.log_fixation(shape, table, 100.0, 50))[off] == pytest.approx(np.full(6, 1 / 50))
    assert alpharank.masses(shape, table, 100.0) == pytest.approx([1 / 3] * 3)
    assert alpharank.settle(shape, table) == (1.0, True)


def test_opponents_are_drawn_without_replacement():
    """Three at a table of a population of 4 with 2 mutants: a mutant meets 1 mutant with chance 2/3, else none."""
    shape = Shape(2, 3)
    table = np.array([[1.0, 2.0, 5.0], [3.0, 0.0, 7.0]])  # columns: opponents (2, 0), (1, 1), (0, 2)
    mutant = [5.0, 2 / 3 * 2.0 + 1 / 3 * 5.0, 1 / 3 * 1.0 + 2 / 3 * 2.0]
    resident = [2 / 3 * 0.0 + 1 / 3 * 7.0, 1 / 3 * 3.0 + 2 / 3 * 0.0, 3.0]
    lead = np.cumsum(np.array(mutant) - np.array(resident))
    expected = 1 / (1 + np.exp(-lead).sum())
    assert np.exp(alpharank.log_fixation(shape, table, 1.0, 4)[1, 0]) == pytest.approx(expected)


def test_stationary_is_the_left_eigenvector():
    rates = np.random.default_rng(4).uniform(0.01, 0.2, size=(5, 5))
    np.fill_diagonal(rates, 0)
    chain = rates + np.diag(1 - rates.sum(axis=1))
    mass = alpharank.stationary(np.log(np.where(rates > 0, rates, 1.0)))
    assert mass @ chain == pytest.approx(mass)
    assert mass.sum() == pytest.approx(1)


MASSES = {
    "rock paper scissors": (ROCK, [1 / 3] * 3),
    "prisoners": ([[3, 0], [5, 1]], [0, 1]),
    "coordination": ([[2, 0], [0, 1]], [1, 0]),
    "a dominated fourth": ([[*row, 2] for row in ROCK] + [[-2, -2, -2, 1]], [1 / 3] * 3 + [0]),
    "twins": ([[0, -1, 1, 1], [1, 0, -1, -1], [-1, 1, 0, 0], [-1, 1, 0, 0]], [0.4, 0.2, 0.2, 0.2]),
}


@pytest.mark.parametrize("name", MASSES)
def test_masses_of_known_games(name):
    matrix, expected = MASSES[name]
    shape, table = pairwise(matrix)
    alpha, settled = alpharank.settle(shape, table)
    assert settled
    assert alpharank.masses(shape, table, alpha) == pytest.approx(expected, abs=2e-3)
    together = np.stack([table, table * 2])
    assert alpharank.masses(shape, together, alpha)[0] == pytest.approx(alpharank.masses(shape, table, alpha))


def test_transitions_are_chances():
    shape, table = pairwise(ROCK)
    chances = alpharank.transitions(shape, table, 5.0)
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(np.ones(3))
    assert chances[0, 1] > chances[1, 0]  # the second beats the first


def test_huge_selection_stays_finite():
    shape = Shape(4, 4)
    table = np.random.default_rng(6).normal(size=(20, 4, len(shape.opponents)))
    masses = alpharank.masses(shape, table, 1e9, 100)
    assert np.isfinite(masses).all()
    assert masses.sum(axis=1) == pytest.approx(np.ones(20))


def test_a_population_must_fill_a_table():
    with pytest.raises(ValueError, match="cannot fill"):
        alpharank.masses(Shape(2, 4), np.zeros((2, 4)), 1.0, 3)


def test_record_of_an_equilibrium():
    shape, table = pairwise([[3, 0], [5, 1]])
    one = at(shape, table, np.array([1.0, 0.0]))
    assert (one.payoff, one.regret) == (3, 2)
