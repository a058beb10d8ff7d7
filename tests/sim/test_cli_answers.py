"""The commands that answer questions, as a user meets them: words, formats, exit codes."""

import csv
import io
import json

import pytest

pytestmark = pytest.mark.slow

SIDES = ("--a", "dodge", "--b", "random", "--quiet")
COMPARE = ("compare", "null-nichtig", *SIDES)
PENALTY = ("--rule", "no_trick_penalty=-10")


def test_compare_says_what_it_found(run, tmp_path):
    code, out, err = run(*COMPARE, "--blocks", 400, *PENALTY)
    assert (code, err) == (0, "")
    for words in ("A's table:  dodge, random, random, random", PENALTY[1], "different", "400 common blocks"):
        assert words in out
    assert list((tmp_path / "results" / "cache").iterdir())
    assert run(*COMPARE, "--blocks", 400, *PENALTY, "--no-cache")[1] == out


def test_checks_decide_the_exit_code(run):
    words = (*COMPARE, "--blocks", 400, *PENALTY, "--fail-on")
    code, out, err = run(*words, "worse")
    assert code == 1
    assert "different" in out
    assert err == "nullsim: win_share: worse\n"
    assert run(*words, "better")[0] == 0
    assert run(*words, "undecided", "--fail-on", "different")[0] == 1


def test_a_sequential_comparison(run):
    code, out, _ = run(*COMPARE, "--sprt=-0.01:0.01", "--fail-on", "accept", "--format", "json")
    assert code == 0
    data = json.loads(out)
    assert data["answer"]["sprt"]["decision"] == "reject"
    assert data["tables"][0]["rows"][0]["p"] is None
    assert "NaN" not in out
    _, out, _ = run(*COMPARE, "--target-error", 0.02, "--max-blocks", 2000)
    assert "target error 0.02 of win_share reached after" in out
    assert "valid however often one looks" in out


def test_sweep_and_breakeven_formats(run, tmp_path):
    words = ("sweep", "null-nichtig", "--rule", "no_trick_penalty=-10,0", "--metric", "score", "--blocks", 50)
    assert "(default)" in run(*words)[1]
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv", "--quiet")[1])))
    assert [row["no_trick_penalty"] for row in rows] == ["-10", "0"]
    words = ("breakeven", "null-nichtig", "--rule", "no_trick_penalty=-4:4", *SIDES, "--blocks", 2000)
    _, out, _ = run(*words)
    for name in ("points", "rounds", "games", "worse at -4, better at 4"):
        assert name in out
    data = json.loads(run(*words, "--format", "json")[1])
    assert data["breakeven"]["rule"] == "no_trick_penalty"
    assert {row["answer"] for row in data["tables"][0]["rows"]} == {"at"}
    code, out, _ = run(*words, "--format", "markdown", "--output", tmp_path / "b.md")
    assert (code, out) == (0, "")
    assert "| points" in (tmp_path / "b.md").read_text()


def test_none_is_an_answer(run):
    words = ("breakeven", "null-nichtig", "--rule", "no_trick_penalty=-20:-10", *SIDES, "--blocks", 500)
    code, out, _ = run(*words)
    assert code == 0
    assert "none from -20 to -10" in out
    assert "worse at both ends" in out


def test_a_scenario_file_serves_these_commands_too(run, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text('game = "null-nichtig"\ntarget_error = 0.05\nmax_blocks = 300\n[rules]\nlead_tie = "random"\n')
    _, out, _ = run("compare", "--scenario", file, *SIDES)
    assert "lead_tie=random" in out
    assert "target error 0.05" in out
    _, out, _ = run("compare", "--scenario", file, *SIDES, "--blocks", 60)
    assert "60 common blocks" in out
    assert "target error" not in out


def test_ctrl_c_keeps_what_was_played(run, monkeypatch, tmp_path):
    from sim.analysis import blocks

    real = blocks._sums

    def stopping(engine, columns, first, last):
        if first >= 50:
            raise KeyboardInterrupt
        return real(engine, columns, first, last)

    monkeypatch.setattr(blocks, "_sums", stopping)
    code, out, err = run(*COMPARE, "--threads", 1, "--blocks", 5000)
    assert (code, out) == (130, "")
    assert "are kept in results/cache" in err
    assert list(tmp_path.rglob("blocks-*.parquet"))


MISTAKES = [
    (("compare", "null-nichtig"), ("a, b",)),
    ((*COMPARE, "--epsilon", "x"), ("--epsilon x",)),
    ((*COMPARE, "--sprt", "1"), ("--sprt 1", "LOW:HIGH")),
    ((*COMPARE, "--a-rule", "x"), ("--a-rule x", "KEY=VALUE")),
    ((*COMPARE, "--fail-on", "bad"), ("--fail-on", "different")),
    ((*COMPARE, "--blocks", "0"), ("blocks",)),
    ((*COMPARE, "--games", "5", "--target-error", "1"), ("max_blocks",)),
    (("compare", "bridge", *SIDES), ("bridge", "null-nichtig")),
    (("sweep", "null-nichtig"), ("one or two",)),
    (("sweep", "null-nichtig", "--rule", "rounds=1,x"), ("rounds",)),
    (("breakeven", "null-nichtig", *SIDES), ("KEY=FROM:TO",)),
    (("breakeven", "null-nichtig", *SIDES, "--strategies", "random", "--rule", "rounds=1:2"), ("--strategies",)),
    (("breakeven", "nil", "--rule", "deals=1:2"), ("a, b",)),
]


@pytest.mark.parametrize(("words", "expected"), MISTAKES, ids=lambda value: " ".join(value[-2:]))
def test_mistakes_are_one_line_and_leave_nothing(run, tmp_path, words, expected):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    for word in expected:
        assert word in err
    assert list(tmp_path.iterdir()) == []
