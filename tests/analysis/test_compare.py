"""Comparisons: planted differences are found, equal ones are not, and errors stay within their bounds."""

import numpy as np
import pytest
from scipy import stats

import sim
from sim.analysis import compare as module
from sim.analysis.compare import compare
from sim.errors import UsageError
from tests.analysis.planted_blocks import SD, SHARED, planted

pytestmark = pytest.mark.slow

RNG = np.random.default_rng
#: standard deviation of a block's difference
NOISE = SD * np.sqrt(2 * (1 - SHARED))


@pytest.fixture
def plant(monkeypatch):
    def at(rng, **effects):
        monkeypatch.setattr(module, "sample", planted(rng, effects))

    return at


def nothing_is_nan(frame):
    values = [value for row in frame.to_dict("records") for value in row.values()]
    return not any(isinstance(value, float) and np.isnan(value) for value in values)


def test_a_against_a_gives_uniform_p_values(plant):
    rng = RNG(11)
    plant(rng)
    found = [compare("null-nichtig", "a", "b", field="c", blocks=60, metrics=["win_share"]) for _ in range(600)]
    p = [one.answer["p"] for one in found]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.mean([one.answer["verdict"] == "different" for one in found]) == pytest.approx(0.05, abs=0.025)


def test_a_planted_difference_is_found_and_pairing_gains(plant):
    plant(RNG(12), a=0.02)
    found = compare("null-nichtig", "a", "b", field="c", blocks=5000)
    row = found.answer
    assert row["low"] < 0.02 < row["high"]
    assert row["verdict"] == "different"
    assert found.states() == {"different", "better"}
    assert row["pairing"] == pytest.approx(1 / (1 - SHARED), rel=0.1)
    assert row["estimate"] == pytest.approx(row["a"] - row["b"])
    score = found.frame.iloc[1]
    assert score["estimate"] == pytest.approx(100 * row["estimate"], rel=1e-3)
    assert score["p"] <= score["p_adjusted"] <= 2 * score["p"]


def test_the_three_verdicts(plant):
    for effect, blocks, expected in ((0.05, 5000, "different"), (0.0, 5000, "equivalent"), (0.0, 50, "undecided")):
        plant(RNG(13), a=effect)
        found = compare("null-nichtig", "a", "b", field="c", blocks=blocks, epsilon=0.02)
        assert found.answer["verdict"] == expected
        assert found.answer["epsilon"] == 0.02
        assert found.frame.iloc[1]["epsilon"] == 0.1
    plant(RNG(14), a=-0.05)
    assert "worse" in compare("null-nichtig", "a", "b", field="c", blocks=2000).states()


@pytest.mark.parametrize(("effect", "wrong"), [(0.0, "accept"), (0.03, "reject")])
def test_sprt_keeps_its_error_rates(plant, effect, wrong):
    plant(RNG(15), a=effect)
    found = [
        compare("null-nichtig", "a", "b", field="c", metrics=["win_share"], sprt=(0, 0.03), max_blocks=5000)
        for _ in range(300)
    ]
    decisions = [one.sprt.decision for one in found]
    assert "undecided" not in decisions
    assert np.mean([decision == wrong for decision in decisions]) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
    assert {one.mode for one in found} == {"sprt"}
    assert all(one.trace[-1][0] == one.blocks for one in found)


def test_sprt_ends_undecided(plant):
    plant(RNG(16), a=0.015)
    found = compare("null-nichtig", "a", "b", field="c", sprt=(0, 0.03), alpha=1e-6, beta=1e-6, max_blocks=300)
    assert found.sprt.decision == "undecided"
    assert not found.reached
    assert "undecided" in found.states()


def test_a_target_error_is_reached_by_an_interval_that_holds(plant):
    rng, covered = RNG(17), 0
    plant(rng, a=0.01)
    for _ in range(300):
        found = compare("null-nichtig", "a", "b", field="c", metrics=["win_share"], target_error=0.02)
        row = found.answer
        assert found.reached
        assert row["method"] == "cs"
        assert row["high"] - row["low"] <= 2 * 0.02
        assert (row["p"], row["p_adjusted"]) == (None, None)
        covered += row["low"] <= 0.01 <= row["high"]
    assert covered / 300 >= 0.95
    assert found.blocks > (1.96 * NOISE / 0.02) ** 2  # more than an interval that nobody watched would need


def test_a_target_error_may_be_out_of_reach(plant):
    plant(RNG(18))
    found = compare("null-nichtig", "a", "b", field="c", target_error=1e-6, max_blocks=400)
    assert (found.reached, found.blocks) == (False, 400)


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_few_blocks_make_no_claims(blocks):
    for a, b, rules in (("dodge", "random", {}), ("random", "random", {}), (None, None, {"no_trick_penalty": -5})):
        found = compare("null-nichtig", a, b, a_rules=rules, blocks=blocks, cache=None)
        assert nothing_is_nan(found.frame)
        assert found.states() == {"undecided"}
        if blocks == 1:
            assert set(found.frame["low"]) == {None}
    found = compare("null-nichtig", "dodge", "random", target_error=0.01, max_blocks=blocks, cache=None)
    assert nothing_is_nan(found.frame)
    found = compare("null-nichtig", "dodge", "random", sprt=(0, 0.1), max_blocks=blocks, cache=None)
    assert nothing_is_nan(found.frame)


def test_a_against_itself_is_equivalent():
    found = compare("null-nichtig", "random", "random", blocks=200, cache=None)
    assert set(found.frame["verdict"]) == {"equivalent"}
    assert set(found.frame["estimate"]) == {0.0}


def test_numbers_are_those_of_the_runs(tmp_path):
    found = compare("null-nichtig", "dodge", "random", blocks=300, cache=tmp_path, metrics=["score", "trickless_rate"])
    tables = []
    for who in ("dodge", "random"):
        rows = sim.run("null-nichtig", strategies=[who, "random", "random", "random"], blocks=300).to_pandas()
        tables.append(rows[rows["strategy"] == who].groupby("block")["score"].mean())
    gap = tables[0] - tables[1]
    row = found.answer
    assert row["estimate"] == pytest.approx(gap.mean())
    assert row["high"] - row["estimate"] == pytest.approx(stats.t.ppf(0.975, 299) * gap.std() / np.sqrt(300))
    assert row["p"] == pytest.approx(stats.ttest_1samp(gap, 0).pvalue)


def test_both_at_one_table():
    found = compare("null-nichtig", "dodge", "random", versus="table", blocks=200, cache=None)
    edge = sim.run("null-nichtig", strategies="dodge,random,random,random", blocks=200).edges()
    expected = edge.query("strategy == 'dodge' and metric == 'score'").iloc[0]
    row = found.frame.iloc[1]
    assert row["estimate"] == pytest.approx(expected["estimate"])
    assert row["low"] == pytest.approx(expected["low"])


def test_two_rule_sets_for_every_strategy():
    found = compare(
        "null-nichtig",
        strategies="dodge,random,random,random",
        a_rules={"no_trick_penalty": -10, "lead_score": "without-penalty"},
        b_rules={"lead_score": "without-penalty"},
        blocks=200,
        metrics=["score_per_round", "trickless_rate"],
        cache=None,
    )
    frame = found.frame.set_index(["strategy", "metric"])
    for who in ("dodge", "random"):
        assert frame.loc[(who, "trickless_rate"), "estimate"] == 0  # nobody looks at the penalty
        share = frame.loc[(who, "trickless_rate"), "a"]
        assert frame.loc[(who, "score_per_round"), "estimate"] == pytest.approx(-10 * share)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ("a, b",)),
        ({"a": "dodge"}, ("a, b",)),
        ({"b": "dodge", "a_rules": {"rounds": 1}}, ("a:",)),
        ({"a": "dodge", "b": "random", "strategies": "random"}, ("strategies",)),
        ({"a": "dodge", "b": "random", "field": "random,random"}, ("field", "3 other seats")),
        ({"a": "dodge", "b": "random", "versus": "x"}, ("versus", "seat, table")),
        ({"a": "dodge", "b": "random", "metrics": ["x"]}, ("metric", "win_share")),
        ({"a": "dodge", "b": "random", "epsilon": 0}, ("epsilon", "above 0")),
        ({"a": "dodge", "b": "random", "epsilon": {"x": 1}}, ("epsilon", "win_share")),
        ({"a": "dodge", "b": "random", "level": 95}, ("level", "0.5 to 0.9999")),
        ({"a": "dodge", "b": "random", "blocks": 0}, ("blocks", "from 1")),
        ({"a": "dodge", "b": "random", "max_blocks": 5}, ("max_blocks",)),
        ({"a": "dodge", "b": "random", "blocks": 5, "target_error": 1.0}, ("blocks", "max_blocks")),
        ({"a": "dodge", "b": "random", "target_error": -1.0}, ("target_error", "above 0")),
        ({"a": "dodge", "b": "random", "target_error": 1.0, "max_blocks": 0}, ("max_blocks", "from 1")),
        ({"a": "dodge", "b": "random", "target_error": 1.0, "sprt": (0, 1)}, ("sprt",)),
        ({"a": "dodge", "b": "random", "sprt": (1, 1)}, ("sprt", "LOW < HIGH")),
        ({"a": "dodge", "b": "random", "sprt": (0, 1), "alpha": 0.6}, ("alpha", "0.5")),
        ({"a": "dodge", "b": "nobody"}, ("nobody", "dodge")),
        ({"a": "dodge", "b": "random", "a_rules": {"penalty": 1}}, ("penalty", "no_trick_penalty")),
    ],
)
def test_mistakes_are_named(arguments, words):
    with pytest.raises(UsageError) as caught:
        compare("null-nichtig", cache=None, **arguments)
    for word in words:
        assert word in str(caught.value)
