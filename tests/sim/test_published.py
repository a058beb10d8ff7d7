"""What is published follows from the program: one report is made again and compared."""

import json

import pytest

from sim.report.balance import of_balance
from sim.report.formats import render
from tests.analysis.goldens import ROOT, differences, script

publish = script("publish")
FOLDER = ROOT / "results" / "published"


@pytest.mark.slow
def test_a_published_report_made_again():
    kept = json.loads((FOLDER / "nil-quick" / "report.json").read_text(encoding="utf-8"))
    mine = json.loads(render([of_balance(publish.made("nil-quick", cache=None))], "json"))
    assert differences(mine, kept) == []


@pytest.mark.parametrize("name", publish.REPORTS)
def test_every_report_is_there(name):
    data = json.loads((FOLDER / name / "report.json").read_text(encoding="utf-8"))
    wanted = publish.REPORTS[name]
    assert data["game"] == wanted["game"]
    assert data["seed"] == 1
    assert data["nullsim"]
    assert data["quick"] is wanted.get("quick", False)
    text = (FOLDER / name / "report.md").read_text(encoding="utf-8")
    for figure in data["figures"]:
        assert (FOLDER / name / "figures" / f"{figure['name']}.svg").is_file()
        assert f"(figures/{figure['name']}.svg)" in text
    for sentence in data["summary"]:
        assert sentence["text"] in text


def test_published_files_are_small():
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 8e6
    assert not list(FOLDER.rglob("*.parquet"))


def test_the_study_of_the_penalty_has_a_page():
    text = (FOLDER / "no-trick-penalty.md").read_text(encoding="utf-8")
    for players in (3, 4, 5, 6):
        assert f"(no-trick-penalty-{players}/report.md)" in text
