"""Winning chances over a game: the metrics on trajectories made by hand, and rollouts that give them."""

import math

import numpy as np
import pytest

from sim.analysis.trajectories import Course, Courses, courses, entropy_of
from sim.engine import Engine
from sim.scenario import scenario

ALONE = [1.0, 0.0, 0.0]


def course(rows, won):
    """A game whose chances are known; one side wins."""
    p = np.array(rows, float)
    entropy = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=1)
    return Course(p, np.array(won, float), entropy)


def estimated(chances, won, rollouts, rng):
    """A game of the same chances at ten moments, estimated from rollouts."""
    halves = rng.multinomial(rollouts // 2, chances, (2, 10))
    front, back = halves / (rollouts // 2)
    return Course((front + back) / 2, np.array(won, float), entropy_of(halves.sum(axis=0)), front, back)


def table(strategies="solid", **more):
    return scenario(game="null-nichtig", strategies=strategies, seatings="fixed", **more)


def test_a_winner_who_is_never_behind_makes_no_drama():
    game = course([[0.4, 0.3, 0.3], [0.7, 0.2, 0.1], [0.9, 0.1, 0.0]], ALONE)
    assert game.drama() == 0
    assert game.decided() == pytest.approx(2 / 3)  # above .8 from the third of three moments on


def test_drama_is_the_mean_deficit_over_time():
    game = course([[0.2, 0.7, 0.1], [0.3, 0.5, 0.2], [0.9, 0.1, 0.0], [1.0, 0.0, 0.0]], ALONE)
    assert game.drama() == pytest.approx((0.5 + 0.2) / 4)


def test_a_game_decided_at_its_last_trick():
    game = course([[0.5, 0.5]] * 10, [1.0, 0.0])
    assert game.decided() == 1
    assert game.uncertainty() == pytest.approx(1)
    assert game.drama() == 0  # level with the leader is not behind


def test_a_game_decided_before_it_begins():
    game = course([[0.95, 0.05], [1.0, 0.0]], [1.0, 0.0])
    assert game.decided() == 0


def test_a_chance_that_falls_back_is_not_decided_before():
    game = course([[0.9, 0.1], [0.7, 0.3], [0.85, 0.15], [0.99, 0.01]], [1.0, 0.0])
    assert game.decided() == pytest.approx(2 / 4)


def test_a_chance_of_just_the_bound_is_not_above_it():
    assert course([[0.8, 0.2]], [1.0, 0.0]).decided() == 1


def test_ties():
    game = course([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0]], [0.5, 0.5, 0.0])
    assert list(game.winners()) == [1, 0.4, 1, 1]  # the chances of both winners together
    assert game.decided() == pytest.approx(2 / 4)
    assert game.drama() == pytest.approx(0.4 / 4)  # each of them was .4 behind once


def test_winners_of_whom_one_was_behind():
    game = course([[0.6, 0.4]], [0.5, 0.5])
    assert game.drama() == pytest.approx(0.1)


def test_uncertainty_of_known_chances():
    half = (0.5 * math.log(2) * 2) / math.log(3)
    game = course([[1 / 3] * 3, [0.5, 0.5, 0.0], ALONE], ALONE)
    assert game.uncertainty() == pytest.approx((1 + half + 0) / 3)


def test_estimated_entropy_is_corrected_for_its_bias():
    rng = np.random.default_rng(1)
    chances, counts = np.array([0.6, 0.3, 0.1]), 40
    drawn = rng.multinomial(counts, chances, 20_000)
    p = drawn / counts
    plain = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=1)
    true = float(-(chances * np.log(chances)).sum())
    assert plain.mean() < true - 0.02
    assert entropy_of(drawn).mean() == pytest.approx(true, abs=0.004)


def test_a_sure_tie_is_certain():
    """Entropy is of who wins, not of the shares."""
    assert entropy_of(np.array([[0, 0, 0, 40]])).tolist() == [0]


@pytest.mark.parametrize("chances", [[0.5, 0.5], [0.7, 0.3], [0.4, 0.35, 0.25]])
def test_the_two_dramas_hold_the_true_one_between_them(chances):
    """The eventual winner is the last side all the time: it is behind by the gap to the first."""
    rng, true = np.random.default_rng(3), chances[0] - chances[-1]
    won = [0.0] * (len(chances) - 1) + [1.0]
    games = [estimated(chances, won, 64, rng) for _ in range(1500)]
    least, most = (np.mean([number(game) for game in games]) for number in (Course.least_drama, Course.most_drama))
    assert least < true + 0.004
    assert most > true - 0.004
    assert least <= np.mean([game.drama() for game in games]) <= most


def test_calibration_is_zero_where_chances_are_right():
    rng = np.random.default_rng(2)
    chances = rng.dirichlet([2, 1, 1], 6000)
    winners = [rng.choice(3, p=row) for row in chances]
    pairs = list(zip(chances, winners, strict=True))
    for made in (
        [course([row], np.eye(3)[winner]) for row, winner in pairs],
        [estimated(row, np.eye(3)[winner], 16, rng) for row, winner in pairs],  # noise must not tell the leader
    ):
        found = [game.surprise() for game in made]
        assert abs(np.mean(found)) < 4 * np.std(found) / math.sqrt(len(found))
    assert course([[0.6, 0.4]], [1.0, 0.0]).surprise() == pytest.approx(0.4)


def test_games_without_a_winner_are_left_out():
    games = (course([[0.5, 0.5]], [0.0, 0.0]), course([[0.3, 0.7]], [1.0, 0.0]))
    found = Courses(table(), 2, 1, games)
    values, counted = found.values(Course.drama)
    assert list(counted) == [0, 1]
    assert values[1] == pytest.approx(0.4)
    assert found.winners().tolist() == [[0.3]]


def test_the_number_of_threads_leaves_no_trace():
    one, two = (courses(table(), 6, rollouts=8, moments=5, threads=threads) for threads in (1, 2))
    for name, values in one.arrays().items():
        assert np.array_equal(values, two.arrays()[name]), name


def test_arrays_hold_everything():
    found = courses(table(), 3, rollouts=6, moments=4, threads=1)
    again = Courses.of_arrays(found.scenario, 6, found.arrays())
    for number in (Course.drama, Course.decided, Course.uncertainty, Course.surprise):
        assert np.array_equal(found.values(number)[0], again.values(number)[0])


def test_chances_add_up_and_end_near_the_result():
    found = courses(table("random"), 40, rollouts=40, moments=10, threads=2)
    chances = np.array([game.chances for game in found.games])
    assert chances.sum(axis=2) == pytest.approx(np.ones(chances.shape[:2]))
    winners = found.winners().mean(axis=0)
    assert winners[-1] > winners[0] + 0.2
    games = Engine(table("random")).play(0, 40).games
    shares = games[4].reshape(40, 4) / 60
    assert np.array_equal(found.arrays()["won"], shares)


def test_before_the_first_card_every_seat_has_its_share():
    found = courses(table("random", rules={"rounds": 1}), 30, rollouts=200, moments=4, threads=2)
    start = np.array([game.chances[0] for game in found.games])
    assert np.abs(start - 0.25).max() < 5 * math.sqrt(0.25 * 0.75 / 200)


def test_teams_are_one_side():
    found = courses(table("random", rules={"teams": "2x2"}), 3, rollouts=4, moments=3, threads=1)
    assert found.arrays()["first_half"].shape == (3, 3, 2)


@pytest.mark.parametrize("more", [{"rollouts": 3}, {"rollouts": 0}, {"moments": 0}])
def test_what_cannot_be_done(more):
    with pytest.raises(ValueError, match="rollouts"):
        courses(table(), 1, **more)
