"""The figures of a run, and `nullsim report` as a page."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lxml import html

import sim
from sim import loading
from sim.errors import UsageError
from sim.report import run_figures
from sim.report.run_figures import decided, figures_of, score_counts, seats_compare
from tests.sim.test_cli import LIGHT, modules_after

pytestmark = pytest.mark.slow

LINE_UP = ["dodge", "random", "solid", "solid"]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return sim.run("null-nichtig", strategies=LINE_UP, blocks=80, out=tmp_path_factory.mktemp("run") / "r")


def test_scores_are_counted_whatever_the_batches(result, monkeypatch):
    monkeypatch.setattr(run_figures, "BATCH", 1000)
    frame, found = result.to_pandas(columns=["strategy", "score"]), score_counts(result)
    assert list(found) == ["dodge", "random", "solid"]
    for label, (values, counts) in found.items():
        wanted = frame.loc[frame["strategy"] == label, "score"].value_counts().sort_index()
        assert (values.dtype, counts.dtype) == (np.int64, np.int64)
        assert values.tolist() == wanted.index.tolist()
        assert counts.tolist() == wanted.tolist()


def test_which_figures_a_run_has(result, tmp_path):
    assert [figure.name for figure in figures_of(result)] == ["lead-win-share", "lead-score", "seats", "scores"]
    assert [figure.name for figure in figures_of(result, ["score"], "run-1-")] == ["run-1-lead-score", "run-1-scores"]
    assert figures_of(result, ["trickless_rate"]) == []
    sums = sim.run("null-nichtig", strategies=LINE_UP, blocks=20, record="none", out=tmp_path / "sums")
    assert "scores" not in [figure.name for figure in figures_of(sums)]
    alone = sim.run("null-nichtig", strategies="dodge", blocks=20, out=tmp_path / "alone")
    assert [figure.name for figure in figures_of(alone)] == ["seats", "scores"]


def test_seats_compare_only_where_nothing_but_the_seat_differs(result, tmp_path):
    assert seats_compare(result)
    fixed = sim.run("null-nichtig", strategies=LINE_UP, blocks=20, seatings="fixed", out=tmp_path / "fixed")
    assert not seats_compare(fixed)
    teams = sim.run("null-nichtig", strategies="dodge", rules={"teams": "2x2"}, blocks=20, out=tmp_path / "teams")
    assert not seats_compare(teams)  # shares of a team's win do not add up to one


def test_the_figures_tell_the_numbers_of_the_tables(result):
    edges = result.edges()
    lead = edges[(edges["metric"] == "score") & (edges["strategy"] == "solid")].iloc[0]
    alt = next(figure.alt for figure in figures_of(result) if figure.name == "lead-score")
    assert re.search(rf"solid \+{re.escape(f'{lead.estimate:.1f}')}", alt)


def test_verdicts_from_intervals():
    assert [decided(*ends) for ends in [(0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1), (0.0, 0.1)]] == [
        *["different"] * 2,
        *["undecided"] * 2,
    ]
    assert decided(None, None) == decided(float("nan"), 1.0) == "undecided"


def test_broken_games_are_named(result, tmp_path, monkeypatch):
    bad = tmp_path / "part-000000.parquet"
    pq.write_table(pa.table({"strategy": ["x"]}), bad)
    monkeypatch.setattr(loading, "part_files", lambda path, kind="games": iter([(0, bad)]))
    with pytest.raises(UsageError, match=r"part-000000\.parquet is broken"):
        score_counts(result)


def test_report_as_a_page(run, result, tmp_path):
    code, out, err = run("report", result.path, "--format", "html")
    assert (code, err) == (0, "")
    assert html.document_fromstring(out).xpath("//figure/@id") == ["lead-win-share", "lead-score", "seats", "scores"]
    assert run("report", result.path, "--format", "html", "--output", tmp_path / "r.html") == (0, "", "")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == out
    tree = html.document_fromstring(run("report", result.path, result.path, "--format", "html", "--metric", "score")[1])
    assert tree.xpath("//figure/@id") == ["run-1-lead-score", "run-1-scores", "run-2-lead-score", "run-2-scores"]
    assert tree.xpath("//dd/text()")[0] == str(result.path)


def test_other_commands_write_no_pages(run):
    for words in (["compare", "null-nichtig"], ["games"]):
        code, out, err = run(*words, "--format", "html")
        assert (code, out) == (2, "")
        assert "'text', 'markdown', 'csv', 'json'" in err


def test_help_needs_neither_templates_nor_drawing():
    assert not modules_after("report", "--help") & {*LIGHT, "jinja2", "matplotlib", "markupsafe"}


def test_text_draws_nothing(run, result, monkeypatch):
    monkeypatch.setattr(run_figures, "figures_of", lambda *words: pytest.fail("drawn"))
    for kind in ("text", "markdown", "csv", "json"):
        code, out, _ = run("report", result.path, "--format", kind)
        assert code == 0
        assert "figures" not in out
