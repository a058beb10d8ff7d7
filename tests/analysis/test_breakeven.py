"""Break-even values: the sets hold the truth, "none" and "unbounded" are answers, and played games agree."""

import json

import numpy as np
import pytest

import sim
from sim.analysis.breakeven import _Study, breakeven, objectives
from sim.analysis.crossing import Point, is_linear, mixture, open_cells, solve
from sim.analysis.samples import Series, joint, sample
from sim.errors import UsageError
from sim.games import GAMES
from sim.scenario import scenario
from sim.stats import fieller
from tests.stats.simulate import REPLICATIONS, inside

pytestmark = pytest.mark.slow

RNG = np.random.default_rng
ONE = {"cache": None, "blocks": 2000}


def points(rng, edge, values, blocks=400, noise=40):
    """Integer block sums of 12 games whose mean edge at value v is edge(v), common noise and some of their own."""
    n = np.full(blocks, 12)
    common = rng.normal(0, noise, blocks)
    slope = rng.normal(1, 0.5, blocks)  # blocks answer differently to the rule, but on common cards
    found = []
    for value in values:
        b = np.rint(100 + common + rng.normal(0, 3, blocks)).astype(int)
        a = np.rint(100 + common + 12 * edge(value) * slope + rng.normal(0, noise / 2, blocks)).astype(int)
        found.append(Point(value, Series(a, n), Series(b, n)))
    return found


def line(rng, blocks=300):
    """Exactly linear points: D0 = 4.5 on average, 1.5 less per unit, so that the truth is 3."""
    n = np.full(blocks, 4)
    gain, events = rng.poisson(20, blocks), rng.binomial(4, 0.25, blocks) - rng.binomial(4, 0.5, blocks)
    base = rng.poisson(50, blocks)
    return [Point(v, Series(base + gain - 2 + 6 * v * events, n), Series(base, n)) for v in (0, 1, 2, 5, 10)]


def test_the_closed_form_is_covered():
    rng, covered, truth = RNG(21), 0, 18 / 6
    for _ in range(REPLICATIONS):
        found = line(rng)
        assert is_linear(found)
        ends = [found[0], found[-1]]
        answer = solve(ends, [(ends[0], ends[1])])
        covered += any(low <= truth <= high for low, high in answer.pieces)
    assert inside(covered / REPLICATIONS)


def test_the_inverted_test_is_covered():
    """A bent edge on a grid: the crossing of the piecewise linear truth, 2.5, is held as often as promised."""
    rng, covered, shapes = RNG(24), 0, set()
    truth = {1: -0.8, 2: -0.2, 3: 0.2}
    for _ in range(REPLICATIONS):
        found = points(rng, truth.__getitem__, truth, blocks=200)
        answer = solve(found, open_cells(found))
        shapes.add(answer.answer)
        covered += any(low <= 2.5 <= high for low, high in answer.pieces)
    assert inside(covered / REPLICATIONS)
    assert "at" in shapes


def test_answers():
    rng = RNG(23)
    at = points(rng, lambda v: 3 * v - 10.5, range(8))
    answer = solve(at, open_cells(at))
    assert (answer.answer, answer.sides) == ("at", (-1, 1))
    assert answer.low < answer.estimate < answer.high
    assert answer.estimate == pytest.approx(3.5, abs=0.3)

    none = points(rng, lambda v: 5 + v, range(4))
    answer = solve(none, open_cells(none))
    assert (answer.answer, answer.estimate, answer.pieces, answer.sides) == ("none", None, (), (1, 1))

    flat = points(rng, lambda v: 0.0, range(4), blocks=100)
    answer = solve(flat, open_cells(flat))
    assert answer.answer == "unbounded"
    assert answer.low is None or answer.high is None

    below = points(rng, lambda v: 3 * v, range(4))
    answer = solve(below, open_cells(below))
    assert (answer.answer, answer.low) == ("unbounded", None)
    assert 0 < answer.high < 1

    twice = points(rng, lambda v: 4 * (v - 2.5) ** 2 - 9, range(6))
    answer = solve(twice, open_cells(twice))
    assert len(answer.pieces) == 2
    assert "2 pieces" in answer.note
    assert len(answer.crossings) == 2


def test_equal_sides_and_few_blocks():
    x, n = RNG(24).integers(0, 9, 60), np.full(60, 4)
    same = [Point(v, Series(x, n), Series(x, n)) for v in (0, 1)]
    assert solve(same, open_cells(same)).answer == "everywhere"
    for blocks in (0, 1, 2):
        few = [point.cut(blocks) for point in points(RNG(25), lambda v: v - 1.5, range(4))]
        answer = solve(few, open_cells(few))
        assert answer.answer == ("undecided" if blocks < 2 else "unbounded")
        assert json.dumps([answer.estimate, answer.low, answer.high, answer.pieces], allow_nan=False)
    alike = [point.cut(20) for point in same]
    assert solve(alike, open_cells(alike)).answer == "undecided"


def test_neighbours_tell_the_same_as_the_ends_of_a_line():
    found = line(RNG(26))
    whole, near = mixture(found[0], found[-1]), mixture(found[2], found[3])
    for name in ("estimate", "low", "high"):
        assert 10 * getattr(whole, name) == pytest.approx(2 + 3 * getattr(near, name))
    bent = [*found[:2], Point(2, Series(found[2].a.x + 1, found[2].a.n), found[2].b), *found[3:]]
    assert not is_linear(bent)
    assert not is_linear(found[:2])


def test_a_played_closed_form_is_fieller_from_one_run():
    """Where the lead does not depend on the penalty: P* = -D0 / q, q the difference of the trickless rates."""
    rules = {"lead_score": "without-penalty"}
    found = breakeven("null-nichtig", {**rules, "no_trick_penalty": "-20:20"}, "dodge", "random", **ONE)
    row = found.frame.set_index("objective").loc["points"]
    line_up = ["dodge", "random", "random", "random"]
    one = sample(scenario(game="null-nichtig", rules=rules, strategies=line_up, blocks=1), 2000, cache=None)
    series = {name: [one.series(name, slot) for slot in (0, 1)] for name in ("score", "trickless_rate")}
    # differences of the seats' means, as one series over blocks: dodge sits once a game, the others three times
    gaps = [Series(3 * a.x - b.x, np.full(2000, 12), 1) for a, b in series.values()]
    sums, pairs = joint([Series(-gaps[0].x, gaps[0].n), gaps[1]])
    expected = fieller(sums, pairs[0], pairs[1])
    assert row["method"] == "fieller"
    for name in ("estimate", "low", "high"):
        assert row[name] == pytest.approx(getattr(expected, name))
    assert row["sides"] == [-1, 1]


def test_play_that_looks_at_the_rule_is_simulated_anew():
    found = breakeven("null-nichtig", {"no_trick_penalty": (-6, 6)}, "dodge", "random", **ONE)
    frame = found.frame.set_index("objective")
    assert list(frame.index) == list(objectives(GAMES["null-nichtig"]))
    assert set(frame["method"]) == {"inversion"}
    assert (frame["low"] < frame["estimate"]).all()
    assert (frame["estimate"] < frame["high"]).all()
    edges = found.edges.query("objective == 'points'").set_index("value")
    run = sim.run("null-nichtig", strategies="dodge,random,random,random", rules={"no_trick_penalty": -6}, blocks=2000)
    score = run.edges().query("strategy == 'dodge' and metric == 'score'").iloc[0]
    assert edges.loc[-6, "estimate"] == pytest.approx(score["estimate"] / 4)
    at = frame.loc["points", "estimate"]
    below, above = int(np.floor(at)), int(np.ceil(at))
    assert edges.loc[below, "estimate"] <= 0 <= edges.loc[above, "estimate"]


def test_none_and_everywhere_in_play():
    found = breakeven("null-nichtig", {"no_trick_penalty": "-20:-8"}, "dodge", "random", **ONE)
    assert set(found.frame["answer"]) == {"none"}
    assert set(found.frame["estimate"]) == {None}
    found = breakeven("null-nichtig", {"no_trick_penalty": "-3:0"}, "dodge", "dodge", cache=None, blocks=100)
    assert set(found.frame["answer"]) == {"everywhere"}


def test_the_field_and_the_seat():
    rules = {"no_trick_penalty": "-6:6"}
    table = breakeven("null-nichtig", rules, "dodge", "random", **ONE).frame
    field = breakeven("null-nichtig", rules, "dodge", field="random", **ONE).frame
    assert table["estimate"].tolist() == field["estimate"].tolist()
    seat = breakeven("null-nichtig", rules, "dodge", "random", versus="seat", **ONE).frame
    games = {name: frame.set_index("objective").loc["games"] for name, frame in (("table", table), ("seat", seat))}
    assert games["seat"]["estimate"] == pytest.approx(games["table"]["estimate"], abs=0.1)
    mixed = breakeven("null-nichtig", rules, "dodge", "random", field="random,dodge", **ONE)
    assert mixed.tables[0].strategies == ("dodge", "random", "random", "dodge")


@pytest.mark.parametrize("blocks", [1, 2])
def test_few_blocks_make_no_claims(blocks):
    found = breakeven("null-nichtig", {"no_trick_penalty": "-3:3"}, "dodge", "random", cache=None, blocks=blocks)
    assert set(found.frame["answer"]) <= {"undecided", "unbounded"}
    json.dumps(found.frame.to_dict("records"), allow_nan=False)
    json.dumps(found.edges.to_dict("records"), allow_nan=False)


def test_a_wide_range_is_narrowed_to_neighbours(tmp_path):
    found = breakeven("null-nichtig", {"no_trick_penalty": "-700:900"}, "dodge", "random", blocks=2000, cache=tmp_path)
    full = breakeven("null-nichtig", {"no_trick_penalty": "-6:6"}, "dodge", "random", blocks=2000, cache=tmp_path)
    assert found.frame["estimate"].tolist() == pytest.approx(full.frame["estimate"].tolist())
    assert found.edges["value"].nunique() < 80


def test_a_rule_of_the_game_other_than_a_penalty():
    found = breakeven("null-nichtig", {"rounds": "1:3"}, "dodge", "random", cache=None, blocks=60)
    assert found.rule == "rounds"
    with pytest.raises(UsageError, match="players"):
        breakeven("null-nichtig", {"players": "3:4"}, "dodge", "random")


def test_stages_do_not_change_the_answer(monkeypatch, tmp_path):
    rules = {"no_trick_penalty": "-4:4"}
    plain = breakeven("null-nichtig", rules, "dodge", "random", blocks=1500, cache=tmp_path).frame
    monkeypatch.setattr("sim.analysis.breakeven.PILOT", 100)
    staged = breakeven("null-nichtig", rules, "dodge", "random", blocks=1500, cache=tmp_path).frame
    for name in ("estimate", "low", "high", "blocks"):
        assert staged[name].tolist() == pytest.approx(plain[name].tolist())


def test_a_line_that_bends_in_more_blocks_is_given_up(monkeypatch):
    """The pilot's blocks lie on a line, later ones do not."""
    found = line(RNG(27), 400)
    table = {int(point.value): point for point in found}

    def play(self, value, blocks):
        point = table[value]
        bend = np.where((np.arange(400) >= 50) & (value == 2), 7, 0)
        whole = Point(value, Series(point.a.x + bend, point.a.n), point.b)
        self.played[value] = {"points": whole.cut(blocks)}

    monkeypatch.setattr(_Study, "play", play)
    monkeypatch.setattr("sim.analysis.breakeven.PILOT", 50)
    study = _Study(lambda value: [], "b", {"points": GAMES["null-nichtig"].metrics[2]}, None, None)
    (row,) = study.run([0, 1, 2, 5, 10], 400, 0.95)
    assert row["method"] == "inversion"
    assert row["blocks"] == 400


@pytest.mark.parametrize(
    ("rules", "arguments", "words"),
    [
        ({}, {"a": "dodge", "b": "random"}, ("no rules are ranges", "KEY=FROM:TO")),
        ({"rounds": "1:3", "target": "1:9"}, {"a": "dodge", "b": "random"}, ("2 rules",)),
        ({"rounds": "3:1"}, {"a": "dodge", "b": "random"}, ("rounds", "FROM <= TO")),
        ({"rounds": "3:3"}, {"a": "dodge", "b": "random"}, ("rounds", "no two values")),
        ({"rounds": "0:3"}, {"a": "dodge", "b": "random"}, ("rounds", "from 1")),
        ({"rounds": "a:b"}, {"a": "dodge", "b": "random"}, ("rounds", "FROM:TO")),
        ({"teams": "1:2"}, {"a": "dodge", "b": "random"}, ("teams", "none, 2x2")),
        ({"nothing": "1:2"}, {"a": "dodge", "b": "random"}, ("nothing", "no_trick_penalty")),
        ({"rounds": "1:3"}, {"a": "dodge"}, ("a, b",)),
        ({"rounds": "1:3"}, {"b": "dodge"}, ("a, b",)),
        ({"rounds": "1:3"}, {"a": "dodge", "field": "dodge"}, ("field", "itself")),
        ({"rounds": "1:3"}, {"a": "dodge", "b": "random", "versus": "x"}, ("versus", "seat, table")),
        ({"rounds": "1:3"}, {"a": "dodge", "b": "random", "level": 0}, ("level",)),
        ({"rounds": "1:3"}, {"a": "dodge", "b": "random", "blocks": 0}, ("blocks", "from 1")),
        ({"rounds": "1:3"}, {"a": "dodge", "b": "random", "objective": ["x"]}, ("objective", "points")),
        ({"rounds": "1:3"}, {"a": "dodge", "b": "nobody"}, ("nobody", "dodge")),
    ],
)
def test_mistakes_are_named(rules, arguments, words):
    with pytest.raises(UsageError) as caught:
        breakeven("null-nichtig", rules, cache=None, **arguments)
    for word in words:
        assert word in str(caught.value)
