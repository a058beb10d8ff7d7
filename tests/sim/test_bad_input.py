"""Places that cannot be written, numbers out of range, streams that are closed: one line, or no matter at all."""

import json
import os
import stat
import subprocess
import threading

import pytest

import sim
from sim import play
from sim.errors import RunError, UsageError
from tests.sim.test_cli import NULLSIM

pytestmark = pytest.mark.slow

GAMES = ("games", "--output")


def refused(told, *words):
    """That a command said what is wrong in one line and exited with 2."""
    code, out, err = told
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1, err
    for word in words:
        assert word in err


def test_output_through_a_link_reaches_what_it_leads_to(run, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_text("old")
    (tmp_path / "real" / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("real/file")
    (tmp_path / "dangling").symlink_to("real/new")
    for name in ("link", "dangling"):
        assert run(*GAMES, name) == (0, "", "")
        assert (tmp_path / name).is_symlink()
        assert "null-nichtig" in (tmp_path / name).read_text()
    assert stat.S_IMODE((tmp_path / "real" / "file").stat().st_mode) == 0o640
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == ["file", "new"]


@pytest.mark.parametrize("name", ["fifo", "link"])
def test_output_goes_into_a_pipe_that_is_there(run, tmp_path, name):
    """As into a device; the machine's own are left alone, as a fault here would replace them."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "fifo").read_text()), daemon=True)
    reader.start()
    assert run(*GAMES, name) == (0, "", "")
    reader.join(10)
    assert "null-nichtig" in read[0]
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)
    assert (tmp_path / "link").is_symlink()


def test_output_that_does_not_fit_is_one_line_and_leaves_what_was_there(tmp_path):
    (tmp_path / "file").write_text("old")
    out = subprocess.run(
        ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash", *NULLSIM, *GAMES, "file"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (out.returncode, out.stdout) == (1, "")
    assert out.stderr == "nullsim: --output: cannot write file: File too large\n"
    assert (tmp_path / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_name_as_long_as_a_file_system_takes_can_be_written(run, tmp_path):
    assert run(*GAMES, "x" * 255) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]


@pytest.mark.parametrize(
    "command", ["compare", "sweep", "breakeven", "tournament", "tune", "metagame", "balance", "run"]
)
@pytest.mark.parametrize("place", [".", "nowhere/file", "x" * 256, "loop"])
def test_output_that_cannot_be_written_is_refused_at_once(run, tmp_path, command, place):
    (tmp_path / "loop").symlink_to("loop")
    refused(run(command, "null-nichtig", "--output", place), "--output: cannot write")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_output_without_permission_is_refused_at_once(run, tmp_path):
    (tmp_path / "kept").write_text("precious")
    (tmp_path / "kept").chmod(0o444)
    refused(run(*GAMES, "kept"), "--output: cannot write kept", "Permission denied")


ASKED = {
    "compare": ("--a", "duck", "--b", "random"),
    "sweep": ("--rule", "rounds=1,2"),
    "breakeven": ("--rule", "no_trick_penalty=-2:0"),
    "tournament": ("--strategies", "duck,random"),
    "metagame": ("--strategies", "duck,random"),
    "tune": ("--strategy", "solid"),
    "balance": ("--quick",),
}


@pytest.mark.parametrize("command", ASKED)
def test_levels_that_no_interval_bears_are_refused_before_anything_is_played(run, tmp_path, command):
    for level in ("0.9999999999999999", "1e-300", "nan", "0", "1", "0.49"):
        told = run(command, "null-nichtig", *ASKED[command], "--level", level)
        refused(told, f"level: {float(level)} is not allowed; allowed: a number from 0.5 to 0.9999")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_levels_in_python(tmp_path):
    result = sim.run("null-nichtig", blocks=60, strategies="duck,random,random,random")
    for ask in (result.win_shares, result.metrics, result.edges):
        assert len(ask(level=0.5))
        assert ask(level=0.9999)["low"].notna().all()
        with pytest.raises(UsageError, match=r"level: 1 is not allowed; allowed: a number from 0\.5 to 0\.9999"):
            ask(level=1)


@pytest.mark.parametrize("command", ["tournament", "metagame", "balance", "sweep", "run", "compare"])
def test_no_strategy_is_not_the_default(run, tmp_path, command):
    refused(run(command, "null-nichtig", "--strategies", ""), "strategies: none is named")
    (tmp_path / "s.toml").write_text('game = "null-nichtig"\nstrategies = []\n')
    refused(run(command, "--scenario", "s.toml"), "strategies: none is named")
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_no_strategy_is_not_the_default_elsewhere(run):
    refused(run("bench", "null-nichtig", "--strategies", ""), "strategies: an empty name")
    with pytest.raises(UsageError, match="strategies: name at least 1"):
        sim.balance("null-nichtig", strategies=[], quick=True)


RUN = "run null-nichtig --blocks 200 --out r"
COMPARE = "compare null-nichtig --a duck --b random --blocks 200 --no-cache"


@pytest.mark.parametrize("words", [f"{COMPARE} 2>&-", f"{RUN} 2> >(exec true)"])
def test_progress_that_nobody_can_read_ends_nothing(tmp_path, words):
    """With bash: `>(...)` is a pipe whose reader has gone."""
    line = f'exec "$@" {words}'
    out = subprocess.run(
        ["bash", "-c", line, "bash", *NULLSIM], cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=120
    )
    assert out.returncode == 0
    assert "win_share" in out.stdout


@pytest.mark.parametrize("words", ["games", "rules nil", f"{COMPARE} --quiet --format csv"])
def test_what_nobody_can_read_is_no_success(tmp_path, words):
    line = ["bash", "-c", f'exec "$@" {words} >&-', "bash", *NULLSIM]
    out = subprocess.run(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=120)
    assert out.returncode == 1
    assert out.stderr.splitlines() == ["nullsim: stdout is closed; --output FILE takes what would be printed"]


def test_a_report_does_not_replace_what_it_is_made_from(run, tmp_path):
    assert run(*RUN.split(), "--quiet")[0] == 0
    kept = {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    for name in ("r/run.json", "r/games/part-000000.parquet"):
        refused(run("report", "r", "--output", name), f"--output: {name} belongs to r")
    assert {path: path.read_bytes() for path in kept} == kept
    assert run("report", "r", "--output", "r/report.txt")[0] == 0
    assert run("report", "r")[0] == 0


def test_an_empty_name_is_no_folder(run, tmp_path):
    for words in ("run null-nichtig --blocks 1", "balance nil --quick"):
        refused(run(*words.split(), "--out", ""), "out: an empty name; allowed: the name of a folder")
    assert not list(tmp_path.iterdir())


def test_folders_that_cannot_be_named_are_refused(run, tmp_path):
    for name in ("x" * 256, "new/" + "y" * 300):
        for more in ((), ("--resume",), ("--overwrite",)):
            refused(run("run", "null-nichtig", "--blocks", 1, "--out", name, *more), "out: cannot make", "too long")
    with pytest.raises(UsageError, match="out: cannot make a\0b: embedded null byte"):
        sim.run("null-nichtig", blocks=1, out="a\0b")
    (tmp_path / "file").write_text("precious")
    refused(run("run", "null-nichtig", "--out", "file", "--overwrite"), "out: ", "file is no result folder")
    refused(run("run", "null-nichtig", "--out", "file/r"), "out: cannot make file/r")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.fixture
def failing(monkeypatch):
    """Makes every run fail before anything is played."""

    def failed(*words):
        raise RunError("failed")

    monkeypatch.setattr(play, "prepare", failed)


def test_a_failed_run_removes_what_it_made_and_nothing_else(run, tmp_path, failing):
    (tmp_path / "mine").mkdir()
    (tmp_path / "empty").mkdir()
    for out in ("new/er/r", "mine/r", "mine/new/r", "r"):
        assert run("run", "null-nichtig", "--out", out)[0] == 1
    assert run("run", "null-nichtig", "--out", "empty", "--overwrite")[0] == 1
    assert run("run", "null-nichtig")[0] == 1  # in results
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["empty", "mine"]


def test_a_failed_run_leaves_the_folder_it_went_on_in(run, tmp_path, monkeypatch):
    assert run("run", "null-nichtig", "--blocks", 9, "--out", "r")[0] == 0
    (tmp_path / "r" / "games" / "part-000000.parquet").unlink()
    monkeypatch.setattr(play, "prepare", lambda *words: (_ for _ in ()).throw(RunError("failed")))
    assert run("run", "null-nichtig", "--blocks", 9, "--out", "r", "--resume")[0] == 1
    assert json.loads((tmp_path / "r" / "run.json").read_text())["status"] == "failed"


def test_overwriting_through_a_link_leaves_the_link(run, tmp_path):
    assert run("run", "null-nichtig", "--blocks", 9, "--out", "real")[0] == 0
    (tmp_path / "link").symlink_to("real")
    assert run("run", "null-nichtig", "--blocks", 5, "--out", "link", "--overwrite")[0] == 0
    assert (tmp_path / "link").is_symlink()
    assert sim.load(tmp_path / "real").summary.blocks == 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_names_that_are_too_long_are_input_wherever_they_stand(run, tmp_path):
    long = "x" * 256
    refused(run("replay", long, "--block", 1), "too long")
    refused(run("run", "null-nichtig", "--strategies", f"{long}.py:f"), "too long")
    refused(run("report", long), "too long")
    refused(run("compare", "null-nichtig", *ASKED["compare"], "--cache", long), "--cache: cannot write", "too long")
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_cannot_be_made_is_refused_before_anything_is_played(run, tmp_path):
    (tmp_path / "file").write_text("precious")
    for place in ("file", "file/cache"):
        refused(run("compare", "null-nichtig", *ASKED["compare"], "--cache", place), "--cache")
    words = ("compare", "null-nichtig", *ASKED["compare"], "--blocks", 50, "--quiet", "--cache")
    assert run(*words, "file/cache", "--no-cache")[0] == 0
    assert run(*words, "new/cache")[0] == 0
    assert list((tmp_path / "new" / "cache").iterdir())
