"""Runs that stop at a target error: at the same block whatever the threads, with intervals that allow for it."""

import json

import pytest

import sim
from sim import store
from sim.errors import UsageError
from sim.games import WIN_SHARE
from sim.play import play
from sim.report.document import of_result
from sim.report.formats import render
from sim.result import worst_error
from sim.scenario import scenario
from sim.stats import confidence_sequence

LINE_UP = "dodge,random,random,random"


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(store, "WATCHED_PART_ROWS", 640)


def made(**values):
    return scenario(**{"game": "null-nichtig", "strategies": LINE_UP, "target_error": 0.03, **values})


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


@pytest.mark.parametrize("record", ["games", "none"])
def test_the_stop_depends_on_the_numbers_alone(tmp_path, record):
    seen = []
    for k, (threads, chunk) in enumerate([(1, None), (3, 7), (2, 40)]):
        result = play(made(record=record), tmp_path / str(k), threads=threads, chunk_blocks=chunk)
        seen.append((result.summary.blocks, contents(tmp_path / str(k))))
    assert seen[1:] == seen[:-1]
    blocks = seen[0][0]
    assert blocks % 40 == 0
    assert worst_error(made(), result.summary) <= 0.03
    before = play(scenario(game="null-nichtig", strategies=LINE_UP, blocks=blocks - 40, record="none"), tmp_path / "b")
    assert worst_error(made(), before.summary) > 0.03


def test_what_the_folder_and_the_report_say(tmp_path):
    result = sim.run("null-nichtig", strategies=LINE_UP, target_error=0.03, out=tmp_path / "r")
    info = json.loads((tmp_path / "r" / "run.json").read_text())
    assert info["blocks_done"] == result.summary.blocks < info["scenario"]["blocks"] == 1_000_000
    assert info["target_error_reached"] is True
    text = render([of_result(sim.load(tmp_path / "r"), [["strategy"]])], "text")
    assert "anytime-valid" in text
    assert "until every win share is known to ±0.03" in text
    row = result.metrics(names=("win_share",)).iloc[0]
    expected = confidence_sequence(result.summary.group(WIN_SHARE, slot=0))
    assert (row["method"], row["low"], row["high"]) == ("cs", expected.low, expected.high)
    assert set(result.edges()["method"]) == {"cs"}


def test_a_limit_and_a_resumption(tmp_path):
    short = play(made(max_blocks=200), tmp_path / "r")
    assert (short.summary.blocks, short.info["target_error_reached"]) == (200, False)
    assert "was not reached in 200 blocks" in render([of_result(short, [["strategy"]])], "text")
    on = play(made(), tmp_path / "r", resume=True)
    assert on.info["target_error_reached"] is True
    whole = play(made(), tmp_path / "w")
    assert on.summary.blocks == whole.summary.blocks
    assert contents(tmp_path / "r") == contents(tmp_path / "w")
    again = play(made(), tmp_path / "r", resume=True)
    assert again.summary.blocks == whole.summary.blocks


def test_one_strategy_is_looked_at_by_seat(tmp_path):
    result = play(made(strategies="random", target_error=0.1), tmp_path / "r")
    assert result.info["target_error_reached"] is True
    by_seat = result.metrics(by=("seat",), names=("win_share",))
    assert ((by_seat["high"] - by_seat["low"]) / 2).max() <= 0.1


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"target_error": 0}, ("target_error", "above 0")),
        ({"target_error": -1.0}, ("target_error", "above 0")),
        ({"target_error": "x"}, ("target_error", "above 0")),
        ({"target_error": float("nan")}, ("target_error",)),
        ({"max_blocks": 5, "target_error": None}, ("max_blocks", "target_error")),
        ({"max_blocks": 0}, ("max_blocks", "from 1")),
        ({"games": 5}, ("games", "max_blocks")),
        ({"blocks": 5, "max_blocks": 5}, ("blocks", "max_blocks")),
    ],
)
def test_mistakes_are_named(values, words):
    with pytest.raises(UsageError) as caught:
        made(**values)
    for word in words:
        assert word in str(caught.value)
