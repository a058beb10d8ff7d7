"""The command line as a user meets it: light to start, one line for every mistake, exit codes as promised."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from sim.cli import COMMANDS

NULLSIM = [sys.executable, "-c", "from sim.cli import main; main()"]
LIGHT = ("numba", "numpy", "pandas", "pyarrow", "scipy", "matplotlib", "pydantic", "tqdm", "tabulate", "rich")


def run(*words, cwd=None, **more):
    return subprocess.run([*NULLSIM, *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=300, **more)


def modules_after(*words):
    code = (
        f"import sys\nsys.argv = ['nullsim', *{list(words)!r}]\nfrom sim.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout
    return set(out.split("LOADED")[1].split())


@pytest.mark.parametrize("words", [("--help",), ("games",), ("rules", "null-nichtig"), ("run", "--help")])
def test_light_commands_import_nothing_heavy(words):
    assert not modules_after(*words) & set(LIGHT)


def test_import_of_the_package_is_light():
    code = "import sim, sys; print(*{name.split('.')[0] for name in sys.modules})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout
    assert not set(out.split()) & set(LIGHT)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    out = run(command, "--help")
    assert out.returncode == 0
    assert f"nullsim {command}" in out.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small finished run."""
    path = tmp_path_factory.mktemp("cli") / "r"
    out = run("run", "null-nichtig", "--strategies", "dodge,random,random,random", "--blocks", 30, "--out", path)
    assert out.returncode == 0, out.stderr
    assert "win_share" in out.stdout
    return path


MISTAKES = [
    (("fly",), ("fly", "replay")),
    (("run",), ("game", "null-nichtig")),
    (("run", "bridge"), ("bridge", "null-nichtig")),
    (("run", "null-nichtig", "--rule", "penalty"), ("penalty", "KEY=VALUE")),
    (("run", "null-nichtig", "--rule", "penalty=1"), ("penalty", "no_trick_penalty")),
    (("run", "null-nichtig", "--rule", "rounds=1", "--rule", "rounds=2"), ("rounds", "twice")),
    (("run", "null-nichtig", "--rule", "rounds=0"), ("rounds", "1 to 1000")),
    (("run", "null-nichtig", "--rule", "teams=3x2"), ("teams", "2x2")),
    (("run", "null-nichtig", "--players", "2"), ("players", "3, 4, 5, 6")),
    (("run", "null-nichtig", "--players", "7"), ("players", "3, 4, 5, 6")),
    (("run", "null-nichtig", "--players", "x"), ("--players",)),
    (("run", "null-nichtig", "--blocks", "0"), ("blocks", "from 1")),
    (("run", "null-nichtig", "--blocks", "1", "--threads", "0"), ("threads", "from 1")),
    (("run", "null-nichtig", "--strategies", "dodge,dogde,dodge,dodge"), ("dogde", "dodge")),
    (("run", "null-nichtig", "--strategies", "dodge,random"), ("strategies", "4 players")),
    (("run", "null-nichtig", "--record", "some"), ("record", "rounds")),
    (("run", "null-nichtig", "--seatings", "some"), ("seatings", "orbit")),
    (("run", "null-nichtig", "--scenario", "nowhere.toml"), ("nowhere.toml",)),
    (("run", "null-nichtig", "--resume"), ("resume", "--out")),
    (("run", "null-nichtig", "--resume", "--overwrite", "--out", "x"), ("resume", "overwrite")),
    (("run", "null-nichtig", "--out", "/proc/nowhere/x"), ("out", "/proc/nowhere/x")),
    (("run", "null-nichtig", "--format", "pdf"), ("--format",)),
    (("rules", "bridge"), ("bridge",)),
    (("strategies", "bridge"), ("bridge",)),
    (("report",), ("DIR",)),
    (("report", "nowhere"), ("nowhere", "run.json")),
    (("replay", "null-nichtig"), ("--block",)),
    (("replay", "null-nichtig", "--block", "-1"), ("block", "from 0")),
    (("replay", "null-nichtig", "--block", "1", "--seating", "9"), ("seating", "0 to 0")),
    (("replay", "null-nichtig", "--blocks", "5:5"), ("5:5", "A:B")),
    (("replay", "null-nichtig", "--blocks", "a"), ("A:B",)),
    (("referee", "nowhere.json"), ("nowhere.json",)),
    (("bench", "null-nichtig", "--runs", "0"), ("runs",)),
    (("bench", "bridge"), ("bridge",)),
]


@pytest.mark.parametrize(("words", "expected"), MISTAKES)
def test_mistakes_are_one_line_with_exit_code_2(tmp_path, words, expected):
    out = run(*words, cwd=tmp_path)
    assert out.returncode == 2
    assert out.stdout == ""
    assert len(out.stderr.strip().splitlines()) == 1, out.stderr
    for word in expected:
        assert word in out.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_refused(folder):
    out = run("run", "null-nichtig", "--blocks", 1, "--out", folder)
    assert out.returncode == 2
    assert "exists" in out.stderr


def test_report_formats(folder):
    text, markdown, csv, data = (
        run("report", folder, "--format", kind).stdout for kind in ("text", "markdown", "csv", "json")
    )
    assert "dodge" in text
    assert "| dodge" in markdown
    assert csv.splitlines()[0].startswith("strategy,metric,unit,estimate,low,high")
    parsed = json.loads(data)
    row = parsed["tables"][0]["rows"][0]
    assert row["strategy"] == "dodge"
    assert row["low"] < row["estimate"] < row["high"]
    assert parsed["run"]["blocks_done"] == 30


def test_report_by_and_output(folder, tmp_path):
    file = tmp_path / "t.md"
    out = run("report", folder, "--by", "strategy,seat", "--metric", "score", "--format", "markdown", "--output", file)
    assert out.returncode == 0
    assert out.stdout == ""
    assert file.read_text().count("| dodge") == 4
    bad = run("report", folder, "--by", "nose")
    assert bad.returncode == 2
    assert "by: nose is not allowed; allowed: seating, seat" in bad.stderr


def test_replay_and_referee_agree(folder, tmp_path):
    text = run("replay", folder, "--block", 3)
    assert "trick 1" in text.stdout
    one = run("replay", folder, "--block", 3, "--seating", 2, "--json").stdout
    (tmp_path / "one.json").write_text(one)
    run("replay", folder, "--blocks", "0:10", "--output", tmp_path / "all.jsonl")
    out = run("referee", tmp_path / "one.json", tmp_path / "all.jsonl")
    assert out.returncode == 0, out.stderr
    assert len(out.stdout.splitlines()) == 41


def test_referee_names_the_foul(folder, tmp_path):
    data = json.loads(run("replay", folder, "--block", 3, "--json").stdout)
    data["rounds"][0]["moves"][-1]["play"] = "Y99"
    (tmp_path / "bad.json").write_text(json.dumps(data))
    out = run("referee", tmp_path / "bad.json")
    assert out.returncode == 1
    assert "bad.json, game 1 (null-nichtig): round 1, move 44" in out.stderr
    (tmp_path / "broken.jsonl").write_text(json.dumps(data) + "\n{\n")
    out = run("referee", tmp_path / "broken.jsonl")
    assert out.returncode == 2
    assert "line 2: no JSON" in out.stderr


@pytest.mark.parametrize("content", ["[]", "3", '"x"', "{}", '{"format": 1, "game": [], "rounds": 0}'])
def test_referee_survives_anything(tmp_path, content):
    (tmp_path / "odd.json").write_text(content)
    out = run("referee", tmp_path / "odd.json")
    assert out.returncode == 1
    assert len(out.stderr.strip().splitlines()) == 1


FOUL = """
def foul(view):
    return -1 if view.trick == 2 and view.phase == 1 else first(view)

def fraction(view):
    return 0.5

import numpy as np
from numba import njit

@njit
def first(view):
    card = 0
    while not (view.hand >> np.uint64(card)) & np.uint64(1):
        card += 1
    return card
"""


def test_an_illegal_move_ends_the_run_with_1_and_its_replay_shows_the_game(tmp_path):
    (tmp_path / "mine.py").write_text(FOUL)
    words = ("run", "null-nichtig", "--strategies", "random,mine.py:foul,random,random", "--blocks", 5, "--out", "r")
    out = run(*words, cwd=tmp_path)
    assert out.returncode == 1
    line = out.stderr.strip().splitlines()[-1]
    assert "mine.py:foul made an illegal move (-1) in block 0, seating 0, round 0, seat 1" in line
    assert not (tmp_path / "r").exists()
    import shlex

    command = shlex.split(line.split("to see it: nullsim ")[1])
    shown = run(*command, cwd=tmp_path)
    assert shown.returncode == 1
    assert "trick 2" in shown.stdout
    assert "trick 3" not in shown.stdout
    assert "illegal move (-1)" in shown.stderr
    bad = run("run", "null-nichtig", "--strategies", "mine.py:fraction", cwd=tmp_path)
    assert bad.returncode == 2
    assert "must return an integer, not float64" in bad.stderr


def test_ctrl_c_keeps_whole_parts_and_says_so(tmp_path):
    process = subprocess.Popen(
        [*NULLSIM, "run", "null-nichtig", "--strategies", "random", "--blocks", "50000000", "--out", "r"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not list(tmp_path.glob("r/games/part-000001.parquet")):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "are kept in r" in errors
    assert "Traceback" not in errors
    assert run("report", "r", cwd=tmp_path).stdout.count("interrupted") == 1
    assert not list((tmp_path / "r").rglob("*.tmp"))


def test_kill_leaves_nothing_half_written(tmp_path):
    process = subprocess.Popen(
        [*NULLSIM, "run", "null-nichtig", "--strategies", "random", "--blocks", "50000000", "--out", "r", "--quiet"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not list(tmp_path.glob("r/games/part-000001.parquet")):
        time.sleep(0.1)
    process.kill()
    process.wait()
    out = run("report", "r", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    assert "running" in out.stdout


def test_a_closed_pipe_is_no_traceback(folder):
    out = subprocess.run(
        f"{sys.executable} -c 'from sim.cli import main; main()' replay {folder} --blocks 0:30 | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ},
    )
    assert "Traceback" not in out.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_stdout_is_one_line(folder):
    with open("/dev/full", "w") as full:
        out = subprocess.run([*NULLSIM, "report", str(folder)], stdout=full, stderr=subprocess.PIPE, text=True)
    assert out.returncode == 1
    assert len(out.stderr.strip().splitlines()) == 1
    assert "No space left" in out.stderr


def test_bench_reports_rates():
    out = run("bench", "null-nichtig", "--strategies", "random", "--seconds", "0.05", "--runs", "1", "--json")
    (row,) = json.loads(out.stdout)
    assert set(row) >= {"game", "players", "strategies", "unit", "units", "cpu_seconds", "rate"}
    assert row["unit"] == "round"
    assert row["rate"] > 0


def test_scenario_file_under_the_command_line(tmp_path):
    (tmp_path / "s.toml").write_text(
        'game = "null-nichtig"\nplayers = 3\nblocks = 9\nstrategies = ["dodge", "random", "random"]\n'
        "[rules]\nno_trick_penalty = -5\nrounds = 2\n"
    )
    out = run("run", "--scenario", "s.toml", "--rule", "rounds=1", "--blocks", 4, "--out", "r", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    scenario = json.loads((tmp_path / "r" / "run.json").read_text())["scenario"]
    assert scenario["rules"]["no_trick_penalty"] == -5
    assert (scenario["rules"]["rounds"], scenario["blocks"], scenario["rules"]["players"]) == (1, 4, 3)
    (tmp_path / "t.toml").write_text('game = "null-nichtig"\nblock = 9\n')
    bad = run("run", "--scenario", "t.toml", cwd=tmp_path)
    assert bad.returncode == 2
    assert "block: no such key; keys: game" in bad.stderr
