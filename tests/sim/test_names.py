"""Strategies with names that mean something to Markdown or HTML are shown by these names."""

import re
from html import unescape

import pytest
from lxml import html

import sim
from sim.report.document import Document, Figure, Table, of_result
from sim.report.formats import escaped, render
from sim.report.run_figures import figures_of

pytestmark = pytest.mark.slow

NAME = "my|s<b>_x_*y*[a](b)$2$&lt;\\|.py:f"


@pytest.fixture(scope="module")
def document():
    """The report of a run of strategies with such a name."""
    result = sim.run("null-nichtig", strategies=["dodge", "random", "random", "random"], blocks=60)
    result.scenario = result.scenario.model_copy(update={"strategies": (NAME, *["random"] * 3)})
    made = of_result(result, [["strategy"], ["seat"]])
    made.figures = figures_of(result, ["win_share"])
    made.notes.append(f"a note on {NAME}")
    made.figure_folder = "my figures (new)"
    return made


def shown(markdown):
    """What Markdown makes of a text without markup: its escapes and entities resolved."""
    return unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown))


def test_markdown_shows_them_and_stays_a_table(document):
    text = render([document], "markdown")
    assert NAME not in text
    assert not re.search(r"<[a-z]", text)
    assert f"line-up: {NAME}, random" in shown(text)
    assert f"note: a note on {NAME}" in shown(text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)(?:\\\\)*\|", row)[1:-1] for row in rows]
    assert any(shown(row[0].strip()) == NAME for row in cells)
    for table in document.tables:
        start = text.splitlines().index(f"## {table.title}") + 2
        widths = {len(cells[rows.index(line)]) for line in text.splitlines()[start : start + 3]}
        assert len(widths) == 1
    pictures = [line for line in text.splitlines() if line.startswith("![")]
    assert len(pictures) == 2
    assert all("(my%20figures%20%28new%29/" in line for line in pictures)


def test_a_page_shows_them(document):
    tree = html.document_fromstring(render([document], "html"))
    assert not tree.xpath("//b")
    assert NAME in [cell.text_content() for cell in tree.xpath("//th")]
    assert NAME in "".join(tree.xpath("//figure")[0].itertext())


def test_words_of_reports_need_no_escapes():
    for text in (
        "win_share by strategy,seat",
        "< 0.0001",
        "0.5 [0, 1] (n = 3)",
        "A & B, x > y",
        "`limit`: 3-4 ~ 5 # 1",
    ):
        assert escaped(text) == text


def test_lines_and_brackets():
    figure = Figure("one", "One", "a [b]\n![c](d) | <i>", "<svg/>")
    text = render([Document("a\nb", figures=[figure], tables=[])], "markdown")
    assert text.startswith("# a b\n")
    assert r"![a \[b\] !\[c\](d) \| &lt;i>](figures/one.svg)" in text


def test_numbers_and_gaps_in_a_table_stay():
    import pandas as pd

    prose = pd.DataFrame({"a": ["x|y", None], "b": [1, 2.5]})
    text = render([Document("t", tables=[Table("t", prose, ["a"], prose=prose)])], "markdown")
    assert r"| x\|y |" in text
    assert "None" not in text
