"""nullsim balance: the folder it makes, goes on with and replaces, and one line for every mistake."""

import errno
import json
import shutil
import warnings
from pathlib import Path

import pytest

from sim.errors import RunError
from sim.report import balance_folder
from tests.sim.reporting import AGAINST, COMMON, small

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Every report of this file is a small one."""
    small(monkeypatch)


def everything(report):
    return {str(file.relative_to(report)): file.read_bytes() for file in report.rglob("*") if file.is_file()}


def test_an_existing_report_is_kept(run, report):
    before = (report / "report.json").read_bytes()
    code, _, err = run(*COMMON, "--out", str(report))
    assert code == 2
    assert "--resume" in err
    assert "--overwrite" in err
    assert (report / "report.json").read_bytes() == before


def test_resume_gives_the_same(run, report):
    before = (report / "report.json").read_bytes()
    code, _, _ = run(*COMMON, *AGAINST, "--out", str(report), "--resume")
    assert code == 0
    assert (report / "report.json").read_bytes() == before


def test_resume_goes_by_meaning(run, report):
    before = (report / "report.json").read_bytes()
    asked = json.loads((report / "data" / "asked.json").read_text(encoding="utf-8"))
    words = ["balance", "null-nichtig", "--rule", "players=3", "--strategies", "duck , solid", "--level", "0.950"]
    words += ["--rule", "no_trick_penalty=-0", "--against", "no_trick_penalty=-010", "--study", asked["--study"]]
    words += ["--seed", "1", "--quiet", "--figures", str(report / "figures")]
    code, _, err = run(*words, "--out", str(report), "--resume")
    assert (code, err) == (0, "")
    assert (report / "report.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--seed", "2"), "--seed: begun with 1, asked for 2"),
        (("--level", "0.9"), "--level: begun with 0.95, asked for 0.9"),
        (("--reference", "duck"), "--reference: begun with the strongest, asked for duck"),
        (("--strategies", "duck,solid:risk=4"), "--strategies: begun with duck, solid, asked for duck, solid:risk=4"),
        (("--rule", "rounds=2"), "--rule rounds: begun with 3, asked for 2"),
        (("--against", "rounds=2"), "--against rounds: begun with none, asked for 2"),
        (("--quick", "--seed", "2", "--level", "0.9", "--reference", "duck"), "asked for true; --reference: "),
        (("--quick", "--seed", "2", "--level", "0.9", "--reference", "duck"), "; and 1 more"),
    ],
)
def test_resume_is_not_for_another_report(run, report, words, told):
    before = everything(report)
    code, out, err = run(*COMMON, *AGAINST, "--out", str(report), "--resume", *words)
    assert (code, out) == (2, "")
    assert err.startswith("nullsim: resume: ")
    assert err.count("\n") == 1
    assert told in err
    assert everything(report) == before


def test_damaged_data_is_played_anew_and_said_so(run, tmp_path, report):
    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    spoilt = sorted(copy.rglob("*.parquet"))[::9]
    for file in spoilt:
        data = bytearray(file.read_bytes())
        data[len(data) // 3] ^= 1
        file.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        code, _, err = run(*COMMON, *AGAINST, "--out", str(copy), "--resume")
    assert code == 0
    lines = err.splitlines()
    told = [f"nullsim: warning: {file} is damaged; what it held is played anew" for file in spoilt]
    assert sorted(lines) == sorted(told)
    assert everything(copy) == everything(report)


def test_resume_clears_what_a_killed_process_left(run, tmp_path, report):
    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    (some,) = list((copy / "data").glob("luck-*"))[:1]
    left = [
        ".report.md.77.tmp", "figures/.leads.svg.77.tmp", "data/.asked.json.77.tmp", f"data/.{some.name}.77.tmp",
        f"data/..{some.name}.77.tmp.77.tmp",
    ]  # fmt: skip
    mine = ("figures/.mine.tmp", ".mine.json.tmp", "figures/.mine.json.77.tmp")
    for name in (*left, *mine):
        (copy / name).write_text("half")
    code, _, _ = run(*COMMON, *AGAINST, "--out", str(copy), "--resume")
    assert code == 0
    assert everything(copy) == {**everything(report), **dict.fromkeys(mine, b"half")}


def test_interrupted_while_pages_are_written(run, tmp_path, report, monkeypatch):
    def stop(found):
        raise KeyboardInterrupt

    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    monkeypatch.setattr(balance_folder, "of_balance", stop)
    code, out, err = run(*COMMON, *AGAINST, "--out", str(copy), "--resume")
    assert (code, out) == (130, "")
    assert err == f"nullsim: interrupted: what was played is kept in {copy}; --resume goes on\n"


def test_overwrite_that_is_cut_goes_on(run, tmp_path, report, monkeypatch):
    """A failure and an interruption leave the old report and what it was begun with."""
    errors = [RunError("it fails"), KeyboardInterrupt()]

    def stop(*given, **named):
        raise errors.pop(0)

    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    before = everything(copy)
    with monkeypatch.context() as patch:
        patch.setattr("sim.analysis.balance.measured", stop)
        assert run(*COMMON, "--out", str(copy), "--overwrite", "--seed", "5")[0] == 1
        assert everything(copy) == before
        code, _, err = run(*COMMON, "--out", str(copy), "--overwrite", "--seed", "5")
        assert (code, everything(copy)) == (130, before)
        assert "--overwrite goes on" in err
    assert run(*COMMON, "--out", str(copy), "--resume", "--seed", "5")[0] == 2
    code, _, err = run(*COMMON, "--out", str(copy), "--overwrite", "--seed", "5")
    assert (code, err) == (0, "")
    assert json.loads((copy / "report.json").read_text(encoding="utf-8"))["seed"] == 5


def test_report_tells_where_the_page_is(run, tmp_path, report):
    code, out, err = run("report", str(report))
    assert (code, out) == (2, "")
    assert err == f"nullsim: {report} is a balance report, not the results of a run; its page is {report}/index.html\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "asked.json").write_text("{}")
    _, _, err = run("report", ".")
    assert "--resume" in err


def test_the_largest_seed(run, tmp_path):
    code, _, err = run(*COMMON, "--out", "r", "--seed", str(2**64 - 1))
    assert (code, err) == (0, "")
    assert json.loads((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))["seed"] == 2**64 - 1


def test_an_empty_folder_of_the_users_own_stays(run, tmp_path, monkeypatch):
    def fail(*given, **named):
        raise RunError("it cannot be played")

    monkeypatch.setattr("sim.analysis.balance.measured", fail)
    (tmp_path / "r").mkdir()
    code, _, err = run(*COMMON, "--out", "r", "--figures", "new/pictures")
    assert (code, err) == (1, "nullsim: it cannot be played\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["r"]
    assert not list((tmp_path / "r").iterdir())


def test_overwrite_and_formats(run, tmp_path):
    code, out, err = run(*COMMON, "--out", "r")
    assert (code, err) == (0, "")
    assert "The report: r/index.html" in out
    code, out, _ = run(*COMMON, "--out", "r", "--overwrite", "--format", "json")
    assert code == 0
    assert json.loads(out) == json.loads((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))
    code, out, _ = run(*COMMON, "--out", "r", "--resume", "--format", "html", "--output", "page.html")
    assert (code, out) == (0, "")
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "r" / "index.html").read_bytes()


def test_figures_elsewhere(run, tmp_path):
    code, _, _ = run(*COMMON, "--out", "r", "--figures", "pictures")
    assert code == 0
    assert (tmp_path / "pictures" / "leads.svg").is_file()
    assert {entry.name for entry in (tmp_path / "r").iterdir()} == {"index.html", "report.md", "report.json", "data"}
    assert "(../pictures/leads.svg)" in (tmp_path / "r" / "report.md").read_text(encoding="utf-8")


def test_a_quick_report_says_so(run, tmp_path):
    code, out, _ = run(*COMMON, "--quick", "--out", "r")
    assert code == 0
    assert "note: a quick report" in out
    assert "a quick report" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--against", "no_trick_penalty"), "KEY=VALUE"),
        (("--against", "players=4"), "against: players"),
        (("--against", "penalty=4"), "penalty"),
        (("--rule", "no_trick_penalty=5000"), "no_trick_penalty"),
        (("--reference", "dodge"), "reference"),
        (("--study", "rounds=1:2:0"), "rounds"),
        (("--level", "0"), "level"),
        (("--threads", "0"), "threads"),
        (("--figures", "taken"), "figures"),
        (("--out", "taken"), "out"),
        (("--out", "full"), "full"),
        (("--resume", "--overwrite"), "resume"),
        (("--output", "no/such/file"), "output"),
        (("--figures", ""), "figures: an empty name"),
        (("--figures", "taken/pictures"), "figures: cannot write"),
        (("--out", "r", "--figures", "r"), "figures: r lies in the report's folder"),
        (("--out", "r", "--figures", "./x/../r/data/pictures"), "figures: x/../r/data/pictures lies in"),
        (("--out", ""), "out: an empty name"),
        (("--out", "taken/r"), "out: cannot write"),
        (("--out", "r" * 300), "File name too long"),
        (("--out", "a\0b"), "null byte"),
        (("--reference", ""), "reference: an empty name"),
        (("--reference", "duck,solid"), "reference: no strategy duck,solid"),
        (("--study", "players=4,5"), "study: players cannot change"),
        (("--study", "=1,2"), "study: =1,2 is not allowed"),
        (("--seed", "-1"), "seed: -1 is not allowed"),
        (("--seed", str(2**64)), "seed: 18446744073709551616 is not allowed"),
        (("--seatings", "fixed"), "seatings"),
    ],
)
def test_mistakes(run, tmp_path, words, told):
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    code, out, err = run(*COMMON, *words)
    assert (code, out) == (2, "")
    assert err.startswith("nullsim: ")
    assert err.count("\n") == 1
    assert told in err
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name != "results") == ["full", "taken"]
    assert not list((tmp_path / "results").glob("*")) if (tmp_path / "results").exists() else True


def test_no_such_game(run):
    code, _, err = run("balance", "poker", "--quiet")
    assert code == 2
    assert "games: null-nichtig" in err
    code, _, err = run("balance")
    assert code == 2


@pytest.mark.parametrize("words", [("--level", "nan"), ("--against", "no_trick_penalty=0"), ("--study", "players=4,5")])
def test_a_mistake_with_overwrite_loses_nothing(run, tmp_path, report, words):
    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    (copy / "figures" / "mine.png").write_text("mine")
    before = everything(copy)
    code, _, err = run(*COMMON, "--out", str(copy), "--overwrite", *words)
    assert code == 2
    assert err.count("\n") == 1
    assert everything(copy) == before


def test_overwrite_keeps_what_is_not_the_report(run, tmp_path, report):
    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    for name in ("figures/mine.png", "data/mine.csv"):
        (copy / name).write_text("mine")
    code, _, _ = run(*COMMON, "--out", str(copy), "--overwrite", "--seed", "3")
    assert code == 0
    assert json.loads((copy / "report.json").read_text(encoding="utf-8"))["seed"] == 3
    assert (copy / "figures" / "mine.png").read_text() == (copy / "data" / "mine.csv").read_text() == "mine"
    code, _, _ = run(*COMMON, "--out", str(copy), "--resume", "--seed", "3")
    assert code == 0


def test_a_full_disk_mixes_no_reports(run, tmp_path, report, monkeypatch):
    """The old report stays whole if there is no room for all of the new one."""
    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    write, kept = Path.write_text, everything(copy)

    def full(path, *given, **named):
        if path.name.startswith(".report.json"):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(path, *given, **named)

    monkeypatch.setattr(Path, "write_text", full)
    code, _, err = run(*COMMON, "--out", str(copy), "--overwrite", "--seed", "4")
    assert (code, err.count("\n")) == (1, 1)
    assert "No space left" in err
    after = everything(copy)
    assert {name: after[name] for name in kept} == kept
    assert all(name.startswith("data/") and name.endswith(".parquet") for name in set(after) - set(kept))


def test_a_folder_of_others_takes_no_figures(run, tmp_path, report):
    mine = tmp_path / "pictures" / "seats.svg"
    mine.parent.mkdir()
    mine.write_text("mine")
    for pictures, more in ((mine.parent, ()), (report, ()), (report, ("--overwrite",))):
        code, _, err = run(*COMMON, "--out", "r", "--figures", str(pictures), *more)
        assert (code, err) == (2, f"nullsim: figures: {pictures} is not empty; allowed: an empty or new folder\n")
    assert mine.read_text() == "mine"
    assert run(*COMMON, "--out", "r", "--figures", "new")[0] == 0
    assert run(*COMMON, "--out", "r", "--figures", "new", "--resume")[0] == 0


def test_output_stays_out_of_the_report(run, report):
    before = everything(report)
    for name in ("table.csv", "data/asked.json", "figures/new.svg"):
        output = report / name
        code, _, err = run(*COMMON, "--out", str(report), "--overwrite", "--format", "csv", "--output", str(output))
        assert (code, err) == (2, f"nullsim: --output: {output} belongs to {report}; name another file\n")
    assert everything(report) == before


@pytest.mark.parametrize("broken", [b"", b"[1]", b"\xff\xfe", b"{"])
def test_a_report_cut_short_goes_on(run, tmp_path, report, broken):
    """As long as it shows nothing: of a finished one it must be known what it was begun with."""
    copy = tmp_path / "copy"
    shutil.copytree(report, copy)
    (copy / "data" / "asked.json").write_bytes(broken)
    (copy / ".report.md.77.tmp").write_text("half")
    code, _, err = run(*COMMON, *AGAINST, "--out", str(copy), "--resume")
    assert code == 2
    assert "asked.json is missing or broken" in err
    for name in ("index.html", "report.md", "report.json"):
        (copy / name).unlink()
    code, _, err = run(*COMMON, *AGAINST, "--out", str(copy), "--resume")
    assert (code, err) == (0, "")
    assert (copy / "report.json").read_bytes() == (report / "report.json").read_bytes()
