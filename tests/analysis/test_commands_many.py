"""tournament, metagame and tune at the command line: every format, the cache, one line for every mistake."""

import io
import json

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

COMMON = ["null-nichtig", "--players", "3", "--blocks", "60", "--quiet"]
ANSWERS = {
    "tournament": ["tournament", *COMMON, "--strategies", "dodge,random,solid", "--draws", "100"],
    "metagame": ["metagame", *COMMON, "--strategies", "dodge,random", "--draws", "100"],
    "tune": ["tune", *COMMON, "--strategy", "solid", "--parameter", "risk=0:8", "--search-blocks", "800"],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_format(run, tmp_path, name):
    code, text, err = run(*ANSWERS[name])
    assert (code, err) == (0, "")
    assert "nan" not in text.lower().split()
    assert (tmp_path / "results" / "cache").is_dir()
    code, markdown, _ = run(*ANSWERS[name], "--format", "markdown")
    assert markdown.startswith("# ")
    _, table, _ = run(*ANSWERS[name], "--format", "csv")
    assert len(pd.read_csv(io.StringIO(table))) > 1
    _, plain, _ = run(*ANSWERS[name], "--format", "json")
    data = json.loads(plain, parse_constant=lambda word: pytest.fail(word))
    assert data["tables"][0]["rows"]
    assert data["objective"] == "win_share"
    code, out, _ = run(*ANSWERS[name], "--output", "found.txt")
    assert (code, out) == (0, "")
    assert (tmp_path / "found.txt").read_text() == text


@pytest.mark.parametrize("name", ANSWERS)
def test_without_a_cache_the_answer_is_the_same(run, tmp_path, name):
    code, out, _ = run(*ANSWERS[name], "--no-cache", "--threads", "1")
    assert code == 0
    assert not (tmp_path / "results").exists()
    assert out == run(*ANSWERS[name], "--cache", "kept")[1]
    assert (tmp_path / "kept").is_dir()


@pytest.mark.parametrize("blocks", ["1", "2"])
@pytest.mark.parametrize("name", ANSWERS)
def test_few_blocks(run, name, blocks):
    words = [blocks if word == "60" else word for word in ANSWERS[name]]
    code, out, err = run(*words, "--format", "json", "--no-cache")
    assert (code, err) == (0, "")
    json.loads(out, parse_constant=lambda word: pytest.fail(word))
    assert run(*words, "--no-cache")[0] == 0


def test_extra_tables(run):
    assert "line-up" in run(*ANSWERS["tournament"], "--line-ups", "all", "--different", "2", "--tables")[1]
    assert "line-up" in run(*ANSWERS["metagame"], "--payoffs", "--objective", "points")[1]
    assert "centre" in run(*ANSWERS["tune"], "--steps")[1]


def test_a_scenario_file(run, tmp_path):
    (tmp_path / "s.toml").write_text(
        'game = "null-nichtig"\nplayers = 3\nstrategies = ["dodge", "random"]\nblocks = 40\n'
        "[rules]\nno_trick_penalty = -10\n"
    )
    for command in ("tournament", "metagame"):
        code, out, _ = run(command, "--scenario", "s.toml", "--quiet", "--draws", "100")
        assert code == 0
        assert "no_trick_penalty=-10" in out
    code, out, err = run("tune", "--scenario", "s.toml", "--strategy", "solid", "--quiet", "--search-blocks", "800")
    assert (code, err) == (0, "")


MISTAKES = [
    (["tournament", "null-nichtig"], "strategies: name those that compete"),
    (["tournament", "null-nichtig", "--strategies", "dodge"], "strategies: name at least 2; given: dodge"),
    (["tournament", "null-nichtig", "--strategies", "dodge,dodge"], "strategies: dodge is named twice"),
    (["tournament", "null-nichtig", "--strategies", "dodge,nobody"], "no strategy nobody"),
    (["tournament", "--strategies", "dodge,random"], "game: which one?"),
    (["tournament", "whist", "--strategies", "dodge,random"], "no game whist"),
    (["tournament", "null-nichtig", "--strategies", "dodge,random", "--line-ups", "x"], "'pairs', 'all'"),
    (["tournament", "null-nichtig", "--strategies", "dodge,random", "--objective", "x"], "x is not measured in null"),
    (["tournament", "null-nichtig", "--strategies", "dodge,random", "--rule", "x=1"], "rule x"),
    (["tournament", "null-nichtig", "--strategies", "dodge,random", "--blocks", "0"], "blocks: 0 is not allowed"),
    (["tournament", "null-nichtig", "--strategies", "dodge,random", "--level", "2"], "level: 2.0 is not allowed"),
    (["tournament", "null-nichtig", "--strategies", "dodge,random", "--seatings", "x"], "seatings: x is not allowed"),
    (["metagame", "null-nichtig"], "strategies: name those that players choose among"),
    (["metagame", "null-nichtig", "--strategies", "dodge", "--population", "2"], "an integer from 4 to 1000"),
    (["metagame", "null-nichtig", "--strategies", "dodge", "--alpha", "0"], "alpha: 0.0 is not allowed"),
    (["metagame", "null-nichtig", "--strategies", "dodge", "--draws", "7"], "draws: 7 is not allowed"),
    (["tune", "null-nichtig"], "strategy: which one is to be tuned?"),
    (["tune", "null-nichtig", "--strategy", "dodge"], "dodge has no parameters"),
    (["tune", "null-nichtig", "--strategy", "solid", "--strategies", "dodge"], "tune takes one with --strategy"),
    (["tune", "null-nichtig", "--strategy", "solid", "--parameter", "risk=3"], "KEY or KEY=LOW:HIGH is expected"),
    (["tune", "null-nichtig", "--strategy", "solid", "--parameter", "risk=a:b"], "must be numbers"),
    (["tune", "null-nichtig", "--strategy", "solid", "--parameter", "risk", "--parameter", "risk"], "given twice"),
    (["tune", "null-nichtig", "--strategy", "solid", "--parameter", "speed"], "solid has no speed"),
    (["tune", "null-nichtig", "--strategy", "solid", "--field", "dodge,dodge"], "field: 2 named for 3 other seats"),
]


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_a_mistake_is_one_line(run, words, said):
    code, out, err = run(*words, "--no-cache")
    assert (code, out) == (2, "")
    assert err.startswith("nullsim: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_key_of_another_command_is_named(run, tmp_path):
    (tmp_path / "s.toml").write_text('game = "null-nichtig"\ntarget_error = 0.1\n')
    code, _, err = run("tournament", "--scenario", "s.toml", "--strategies", "dodge,random")
    assert code == 2
    assert "target_error: not taken here" in err
