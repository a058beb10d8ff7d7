"""Tuning: a planted optimum is found in noise, its gain is covered on fresh blocks, the spec can be pasted."""

import math

import numpy as np
import pytest

import sim
from sim.analysis import tune as module
from sim.analysis.samples import Sample
from sim.analysis.search import SURE, Axis, least_budget, race, search
from sim.errors import UsageError
from sim.games import GAMES
from sim.strategies import parse, with_values

pytestmark = pytest.mark.slow

GAME = GAMES["null-nichtig"]
FIRST = 10_000_000


def noisy(truth, noise=1.0, luck=1.0):
    """Values of points by block: truth(point), the luck of the block, which all share, and noise of their own."""

    def play(points, first, blocks):
        assert first >= FIRST
        shared = luck * np.random.default_rng(first).normal(size=blocks)
        rows = []
        for i, point in enumerate(points):
            rng = np.random.default_rng([first, i])
            rows.append(truth(point) + shared + noise * rng.normal(size=blocks))
        return np.array(rows)

    return play


@pytest.mark.parametrize(
    ("axes", "best"),
    [
        ([Axis("a", 1.0, 0.0, 10.0)], (3.0,)),
        ([Axis("a", 1.0, 0.0, 10.0), Axis("b", 5.0, 0.0, 10.0)], (2.0, 4.0)),
        ([Axis("a", 0.0, -math.inf, math.inf), Axis("b", 1.0, 0.0, math.inf)], (-2.0, 3.0)),
        ([Axis("a", 1.0, 0.0, 1.0), Axis("b", 0.0, 0.0, 1.0)], (1.0, 0.0)),  # the start, in a corner, is the best
    ],
)
def test_a_planted_optimum_is_found(axes, best):
    def truth(point):
        return -sum((value - goal) ** 2 for value, goal in zip(point, best, strict=True))

    budget = 60_000
    found = search(axes, noisy(truth), budget, np.random.default_rng(1), FIRST)
    assert found.best == pytest.approx(best, abs=0.35)
    assert found.spent <= budget
    assert truth(found.best) > -0.15


def test_a_logarithmic_axis_reaches_far():
    axes = [Axis("worlds", 10.0, 1.0, 100_000.0)]
    assert axes[0].logarithmic
    found = search(axes, noisy(lambda p: -abs(math.log(p[0] / 2000))), 30_000, np.random.default_rng(2), FIRST)
    assert 1200 < found.best[0] < 3400


def test_without_any_effect_something_inside_the_limits_comes_out():
    axes = [Axis("a", 0.0, 0.0, 1.0), Axis("b", 2.0, -1.0, 5.0)]
    state = np.random.get_state()[1].copy()
    for truth in (lambda p: 0.0, lambda p: 7.0):
        found = search(axes, noisy(truth, noise=0.0), least_budget(axes), np.random.default_rng(3), FIRST)
        assert 0 <= found.best[0] <= 1
        assert -1 <= found.best[1] <= 5
        assert all(math.isfinite(step.sigma) for step in found.steps)
    assert (np.random.get_state()[1] == state).all()  # the package leaves numpy's generator alone


def test_a_search_can_be_repeated():
    axes = [Axis("a", 1.0, 0.0, 10.0)]
    twice = [search(axes, noisy(lambda p: -p[0]), 5000, np.random.default_rng(4), FIRST) for _ in range(2)]
    assert twice[0] == twice[1]


def test_a_race_drops_the_hopeless_and_keeps_the_order():
    played = []

    def table(points, blocks):
        played.append((len(points), blocks))
        return noisy(lambda p: p[0], noise=0.5)(points, FIRST + len(played), blocks)

    order, hidden = race(table, [(float(k),) for k in range(8)], keep=4, blocks=100)
    assert order[:4] == [(7.0,), (6.0,), (5.0,), (4.0,)]
    assert sorted(order) == [(float(k),) for k in range(8)]
    assert not hidden
    assert [blocks for _, blocks in played] == [25, 25, 50]
    assert played[0][0] == 8
    assert played[1][0] < 8


def test_a_race_seldom_drops_an_equal():
    rng, dropped = np.random.default_rng(5), 0
    for _ in range(200):
        sizes = []

        def table(points, blocks, sizes=sizes):
            sizes.append(len(points))
            return rng.normal(size=(len(points), blocks))

        race(table, [(float(k),) for k in range(2)], keep=1, blocks=200)
        dropped += sizes[-1] < 2
    assert dropped / 200 < 4 * (1 - SURE) + 0.03


# --- tune itself, with a planted truth in place of the game


def share(label):
    """Win share of a strategy in the field: best at greed=2."""
    values = {parameter.name: value for parameter, value in parse(GAME, label).tunable}
    return 0.3 - 0.05 * (values["greed"] - 2) ** 2


@pytest.fixture
def planted(monkeypatch):
    calls = []

    def fake(scenario, blocks, *, first=0, threads=None, cache=None, progress=None):
        label = scenario.labels[0]
        calls.append((label, first, blocks))
        shared = np.random.default_rng([first, 1]).normal(0, 0.1, size=blocks)
        own = np.random.default_rng([first, len(label), abs(hash(share(label))) % 2**32]).normal(0, 0.1, size=blocks)
        games, metrics = 4, len(scenario.row.metrics)
        x = np.zeros((blocks, len(scenario.labels), metrics), np.int64)
        x[:, 0] = np.rint(np.clip(share(label) + shared + own, 0, 1) * 60 * games)[:, None].astype(np.int64)
        n = np.full(x.shape, games, np.int64)
        rows = np.full(len(scenario.labels), games, np.int64)
        return Sample(scenario, scenario.labels, first, blocks, x, n, x.astype(float) ** 2, rows)

    monkeypatch.setattr(module, "sample", fake)
    return calls


def test_the_planted_gain_is_found(planted):
    found = sim.tune("null-nichtig", "solid", parameters=["greed"], field="dodge", blocks=2000, search_blocks=40_000)
    assert found.parameters.iloc[0]["tuned"] == pytest.approx(2, abs=0.35)
    assert found.gain.low <= share(found.spec) - share(found.start) <= found.gain.high
    assert found.gain.estimate == pytest.approx(0.05, abs=0.012)
    assert found.gain.estimate == pytest.approx(found.after - found.before)
    assert found.verdict.verdict == "different"
    assert found.field == ("dodge",) * 3
    searched = {first for label, first, blocks in planted if first >= module.SEARCH_FIRST}
    reported = [(label, first, blocks) for label, first, blocks in planted if first < module.SEARCH_FIRST]
    assert searched
    assert reported == [(found.spec, 0, 2000), (found.start, 0, 2000)]


def test_the_spec_can_be_pasted(planted):
    found = sim.tune("null-nichtig", "solid:risk=2", parameters=["greed"], blocks=100, search_blocks=2000)
    assert parse(GAME, found.spec).label == found.spec
    assert "risk=2" in found.spec
    assert found.field == ("solid:risk=2",) * 3
    assert found.spec not in found.field
    assert found.scenario.strategies[0] == found.spec


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_few_blocks_make_no_claims(planted, blocks):
    found = sim.tune("null-nichtig", "solid", parameters={"greed": (0.0, 4.0)}, blocks=blocks, search_blocks=1000)
    numbers = [found.gain.estimate, found.gain.low, found.gain.high, found.before, found.after]
    assert all(value is None or math.isfinite(value) for value in numbers)
    if blocks == 1:
        assert found.gain.low is None
        assert found.verdict.verdict == "undecided"


def test_of_a_game(tmp_path):
    """Played with real cards: a player that hardly looks at risk does better with more of it."""
    arguments = {"parameters": {"risk": (0.0, 10.0)}, "field": "dodge", "players": 3, "blocks": 150}
    found = sim.tune("null-nichtig", "solid:risk=0", **arguments, search_blocks=1500, cache=tmp_path)
    again = sim.tune("null-nichtig", "solid:risk=0", **arguments, search_blocks=1500, cache=None, threads=1)
    assert (again.spec, again.gain) == (found.spec, found.gain)
    assert 0 <= found.parameters.iloc[0]["tuned"] <= 10
    assert found.before is not None


def test_with_values():
    assert with_values("solid", {"greed": 1.5}) == "solid:greed=1.5"
    assert with_values("solid:greed=1;risk=2", {"greed": 3}) == "solid:greed=3;risk=2"
    assert with_values("my file.py:mine:a=1", {"a": 2, "b": 0.5}) == "my file.py:mine:a=2;b=0.5"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"strategy": "random"}, "random has no parameters"),
        ({"strategy": "nobody"}, "no strategy nobody"),
        ({"strategy": "solid", "parameters": ["speed"]}, "parameters: solid has no speed; parameters: greed"),
        ({"strategy": "solid", "parameters": {"greed": (2.0, 1.0)}}, "greed=2:1 is not allowed; allowed: LOW:HIGH"),
        ({"strategy": "solid", "parameters": {"greed": (-5.0, 1.0)}}, "within 0 to"),
        ({"strategy": "solid", "parameters": {"greed": (math.nan, 1.0)}}, "greed=nan:1 is not allowed"),
        ({"strategy": "solid", "field": "dodge,dodge"}, "field: 2 named for 3 other seats"),
        ({"strategy": "solid", "search_blocks": 5}, "search_blocks: 5 is not allowed; allowed: an integer from"),
        ({"strategy": "solid", "objective": "x"}, "objective"),
        ({"strategy": "solid", "epsilon": -1.0}, "epsilon"),
        ({"strategy": "solid", "level": 0.0}, "level"),
        ({"strategy": "solid", "blocks": 0}, "blocks: 0 is not allowed"),
    ],
)
def test_mistakes_are_named(arguments, said):
    with pytest.raises(UsageError, match=said):
        sim.tune("null-nichtig", **arguments, cache=None)
