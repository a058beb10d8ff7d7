"""Sweeps: the numbers of the runs, bands wider than single intervals, changes paired against the default."""

import json

import numpy as np
import pytest

import sim
from sim.analysis.grids import split
from sim.analysis.sweep import sweep
from sim.errors import UsageError
from sim.games import GAMES

pytestmark = pytest.mark.slow

LINE_UP = "dodge,random,random,random"


def test_numbers_are_those_of_the_runs(tmp_path):
    found = sweep("null-nichtig", {"no_trick_penalty": "-10:0:5"}, strategies=LINE_UP, blocks=200, cache=tmp_path)
    frame = found.frame
    assert (found.keys, found.default) == (["no_trick_penalty"], (0,))
    assert sorted(frame["no_trick_penalty"].unique()) == [-10, -5, 0]
    tables = {}
    for value in (-10, -5, 0):
        tables[value] = sim.run("null-nichtig", strategies=LINE_UP, rules={"no_trick_penalty": value}, blocks=200)
        expected = tables[value].metrics().set_index(["strategy", "metric"])
        mine = frame[frame["no_trick_penalty"] == value].set_index(["strategy", "metric"])
        for key in expected.index:
            assert mine.loc[key, "estimate"] == pytest.approx(expected.loc[key, "estimate"])
            if mine.loc[key, "method"] == "sup-t" and expected.loc[key, "method"] == "t":
                assert mine.loc[key, "high"] >= expected.loc[key, "high"] - 1e-12
    row = frame.query("no_trick_penalty == -10 and strategy == 'dodge' and metric == 'score'").iloc[0]
    means = []
    for value in (-10, 0):
        rows = tables[value].to_pandas()
        means.append(rows[rows["strategy"] == "dodge"].groupby("block")["score"].mean())
    gap = means[0] - means[1]
    assert row["change"] == pytest.approx(gap.mean())
    half = 1.96 * gap.std() / np.sqrt(200)
    assert half < row["change_high"] - row["change"] < 1.4 * half
    assert row["p"] <= row["p_adjusted"]


def test_the_default_is_played_along(tmp_path):
    found = sweep("null-nichtig", {"no_trick_penalty": [-10, -5]}, blocks=20, cache=tmp_path, metrics=["score"])
    frame = found.frame
    assert frame["no_trick_penalty"].tolist() == [0, -10, -5]
    assert frame["is_default"].tolist() == [True, False, False]
    assert frame["change"].isna().tolist() == [True, False, False]


def test_two_rules_make_a_grid_and_sets_keep_their_commas(tmp_path):
    found = sweep(
        "null-nichtig",
        {"no_trick_penalty": "-10,0", "lead_score": "with-penalty,without-penalty", "rounds": 2},
        blocks=60,
        cache=tmp_path,
        metrics=["score"],
    )
    assert len(found.frame) == 4
    assert found.scenario.rules["rounds"] == 2
    rows = found.frame.set_index(["no_trick_penalty", "lead_score"])
    assert rows.loc[(0, "without-penalty"), "change"] == 0
    fixed, several = split(GAMES["skat-null"], {"contracts": "null,null-hand", "bid": "18,23"})
    assert fixed == {"contracts": "null,null-hand"}
    assert several == {"bid": [18, 23]}
    several = split(GAMES["skat-null"], {"contracts": "null;null,null-hand"})[1]
    assert several == {"contracts": [("null",), ("null", "null-hand")]}


def test_players_may_vary(tmp_path):
    found = sweep("null-nichtig", {"players": [3, 4, 5, 6]}, strategies="random", blocks=20, cache=tmp_path)
    shares = found.frame[found.frame["metric"] == "win_share"].set_index("players")["estimate"]
    assert shares.loc[6] == pytest.approx(1 / 6)


@pytest.mark.parametrize("blocks", [1, 2])
def test_few_blocks_make_no_claims(blocks):
    found = sweep("null-nichtig", {"no_trick_penalty": [-5, 0]}, strategies=LINE_UP, blocks=blocks, cache=None)
    json.dumps(found.frame.drop(columns="is_default").to_dict("records"), allow_nan=False)
    if blocks == 1:
        assert set(found.frame["low"]) == {None}


@pytest.mark.parametrize(
    ("rules", "arguments", "words"),
    [
        ({}, {}, ("one or two",)),
        ({"rounds": 3}, {}, ("one or two",)),
        ({"rounds": [1, 2], "target": [1, 2], "lead_tie": ["clockwise", "random"]}, {}, ("3 rules",)),
        ({"nothing": [1, 2]}, {}, ("nothing", "no_trick_penalty")),
        ({"rounds": "1,x"}, {}, ("rounds", "from 1 to 1000")),
        ({"rounds": "5:1"}, {}, ("rounds", "FROM <= TO")),
        ({"rounds": "1:5:0"}, {}, ("rounds", "FROM:TO:STEP")),
        ({"max_rounds": "1:1000000000"}, {}, ("max_rounds", "too many")),
        ({"teams": "1:2"}, {}, ("teams", "none, 2x2")),
        ({"rounds": "1,2"}, {"metrics": ["x"]}, ("metric", "win_share")),
        ({"rounds": "1,2"}, {"level": 2}, ("level",)),
        ({"rounds": "1,2"}, {"blocks": 0}, ("blocks",)),
        ({"players": "3,4"}, {"players": 3}, ("players",)),
        ({"players": "3,4"}, {"strategies": LINE_UP}, ("strategies",)),
    ],
)
def test_mistakes_are_named(rules, arguments, words):
    with pytest.raises(UsageError) as caught:
        sweep("null-nichtig", rules, cache=None, **arguments)
    for word in words:
        assert word in str(caught.value)
