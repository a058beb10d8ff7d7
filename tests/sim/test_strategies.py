"""Strategies by name, by parameter and by file; what is wrong with a user's file is said in one line."""

import textwrap

import pytest

import sim
from sim.errors import RunError, UsageError
from sim.games import GAMES
from sim.strategies import parse

NN = GAMES["null-nichtig"]

FILE = """
    import numpy as np
    import sim
    from numba import njit
    from sim import below, param

    @njit
    def compiled(view):
        card = 0
        while not (view.hand >> np.uint64(card)) & np.uint64(1):
            card += 1
        return card

    def plain(view):
        return compiled(view)

    @sim.strategy("null-nichtig", threshold=3.0)
    def marked(view):
        if param(view, 0) > 5.0:
            return -7
        return compiled(view)

    @sim.strategy("nil")
    def elsewhere(view):
        return 0

    def drawing(view):
        below(view, 3)
        return compiled(view)

    def fraction(view):
        return 1.5

    def nothing(view):
        pass

    def two(view, more):
        return 1

    def unknown_field(view):
        return view.secrets

    def foul(view):
        return 99

    def fails_late(view):
        if view.trick == 3:
            raise ValueError("no")
        return compiled(view)

    def outside(view):
        return np.int64(view.params[np.int64(view.trick) + 1000, 0])

    class Thing:
        def __call__(self, view):
            return 1

    thing = Thing()
    value = 3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(textwrap.dedent(FILE))
    return path


def test_built_in_with_parameters():
    player = parse(NN, "solid:risk=0.5")
    row = next(row for row in NN.module("strategies").STRATEGIES if row.name == "solid")
    names = [parameter.name for parameter in row.parameters]
    assert player.params[0][names.index("risk")] == 0.5
    assert player.label == "solid:risk=0.5"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dogde", ("dogde", "dodge", "FILE.py")),
        ("", ("empty",)),
        ("dodge:x=1", ("no parameter x", "none")),
        ("solid:rsk=1", ("no parameter rsk", "risk")),
        ("solid:risk", ("risk", "param=value")),
        ("solid:risk=a", ("risk=a", "from")),
        ("solid:risk=nan", ("risk=nan", "from")),
        ("solid:risk=1;risk=2", ("risk", "twice")),
        ("solid:risk=1e9", ("risk=1e9", "from")),
        ("nowhere.py:f", ("nowhere.py", "no such file")),
    ],
)
def test_bad_names(text, words):
    with pytest.raises(UsageError) as caught:
        parse(NN, text)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ("which function",)),
        ("missing", ("no function missing", "compiled", "marked")),
        ("value", ("no function value",)),
        ("elsewhere", ("for nil", "null-nichtig")),
        ("fraction", ("integer", "float64")),
        ("nothing", ("integer", "none")),
        ("two", ("one argument",)),
        ("thing", ("must be a function", "Thing")),
        ("unknown_field", ("does not compile", "secrets")),
        ("marked:x=1", ("no parameter x", "threshold")),
        ("plain:x=1", ("no parameter x", "none")),
    ],
)
def test_bad_functions(file, name, words):
    with pytest.raises(UsageError) as caught:
        parse(NN, f"{file}:{name}")
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text


@pytest.mark.parametrize("body", ["import nosuchmodule", "def f(:", "raise SystemExit(3)", "1/0"])
def test_files_that_do_not_import(tmp_path, body):
    path = tmp_path / "broken.py"
    path.write_text(body)
    with pytest.raises(UsageError, match="does not import"):
        parse(NN, f"{path}:f")


@pytest.mark.parametrize("name", ["compiled", "plain", "marked", "drawing"])
def test_a_users_function_plays_like_the_built_in_of_the_same_rule(file, name):
    mine = f"{file}:{name}"
    # "dodge" lays high starters, so only line-ups of the same file can agree card by card
    own, again = (
        sim.run("null-nichtig", strategies=[label, "random", "random", "random"], blocks=40, seatings="fixed")
        for label in (mine, f"{file}:compiled")
    )
    assert own.to_pandas()["score"].tolist() == again.to_pandas()["score"].tolist()
    assert own.win_shares()["n"].tolist() == [40, 120]


def test_parameters_reach_a_users_function(file):
    with pytest.raises(RunError, match=r"illegal move \(-7\)"):
        sim.run("null-nichtig", strategies=f"{file}:marked:threshold=6", blocks=2)


def test_an_illegal_move_stops_the_run_with_its_place_and_the_replay(file):
    with pytest.raises(RunError) as caught:
        sim.run("null-nichtig", strategies=["random", f"{file}:foul", "random", "random"], blocks=50, seatings="fixed")
    text = str(caught.value)
    assert "illegal move (99) in block 0, seating 0, round 0, seat 1" in text
    assert "nullsim replay null-nichtig" in text
    assert "--block 0 --seating 0" in text


def test_an_error_in_a_users_function_stops_the_run(file):
    with pytest.raises(RunError, match="raised an error in block 0"):
        sim.run("null-nichtig", strategies=["random", "random", f"{file}:fails_late", "random"], blocks=5)


def test_a_users_function_cannot_reach_outside_the_view(file):
    with pytest.raises(RunError, match="raised an error"):
        sim.run("null-nichtig", strategies=f"{file}:outside", blocks=2)


def test_one_strategy_has_one_spelling():
    from sim.scenario import scenario

    made = scenario(game="null-nichtig", strategies="solid,solid:,solid: greed=1.0,solid:greed=1")
    assert made.labels == ("solid", "solid:greed=1")


def test_the_decorator_checks_the_game():
    with pytest.raises(UsageError, match="no game bridge"):
        sim.strategy("bridge")
