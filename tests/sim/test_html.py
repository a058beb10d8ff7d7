"""The page: its numbers are those of JSON, it needs nothing else, and its structure holds for every reader."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pytest
from lxml import html

import sim
from sim.report.comparison import of_comparison
from sim.report.document import Document, Figure, Sentence, Table, Term, of_result
from sim.report.formats import render
from sim.report.html import page
from sim.report.metagame import of_metagame
from sim.report.run_figures import figures_of
from sim.report.tournament import of_tournament
from tests.sim.documents import HOSTILE, everything, long_table, pairs_table, picture, plain_table

pytestmark = pytest.mark.slow

LINE_UP = ["dodge", "random", "solid", "solid"]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return sim.run("null-nichtig", strategies=LINE_UP, blocks=80, out=tmp_path_factory.mktemp("run") / "r")


@pytest.fixture(scope="module")
def report(result):
    document = of_result(result, [["strategy"], ["seat"], ["strategy", "seat"], ["led_first"]])
    document.figures = figures_of(result)
    return document


def parsed(*documents, **more):
    return html.document_fromstring(page(documents, **more))


def data(document):
    """A document as a reader of its JSON has it."""
    return json.loads(render([document], "json"))


def grid(tree, title):
    """Header and rows of the table under a heading, as elements."""
    (table,) = tree.xpath("//table[@aria-labelledby=//*[self::h2 or self::h3 or self::h4][.=$title]/@id]", title=title)
    return [words(cell) for cell in table.xpath("thead//th")], [row.xpath("th|td") for row in table.xpath("tbody/tr")]


def words(element):
    """The words of a heading without its unit."""
    return "".join(element.xpath(".//text()[not(ancestor::small)]")).strip()


def number(cell, name="value"):
    found = cell.get(f"data-{name}")
    return None if found is None else json.loads(found)


def long_cells(tree, table):
    """Every cell of a table of estimates by keys and metric."""
    header, rows = grid(tree, table.title)
    cells = {}
    for row in rows:
        keys = tuple(cell.text_content() for cell in row[: len(table.keys)])
        for metric, cell in zip(header[len(table.keys) :], row[len(table.keys) :], strict=True):
            cells[(*keys, metric)] = cell
    return cells


def test_estimates_are_those_of_json_cell_by_cell(report):
    for document in (report, Document("planted", tables=[long_table()])):
        tree, content = parsed(document), data(document)
        assert len(content["tables"]) == len(document.tables) > 0
        for table, listed in zip(document.tables, content["tables"], strict=True):
            cells = long_cells(tree, table)
            for row in listed["rows"]:
                cell = cells.pop((*(str(row[key]) for key in table.keys), row["metric"]))
                assert (number(cell), number(cell, "low"), number(cell, "high")) == (
                    row["estimate"],
                    row["low"],
                    row["high"],
                )
            assert all(cell.text_content() == "-" and number(cell) is None for cell in cells.values())


def test_the_words_are_those_of_the_text(report):
    text = render([report], "text")
    for table in report.tables:
        for row in grid(parsed(report), table.title)[1]:
            for cell in row:
                assert cell.text_content() in text


def test_plain_values_are_those_of_json():
    document = Document("plain", tables=[plain_table()])
    header, rows = grid(parsed(document), "sizes")
    assert header == ["name", "size", "mean", "sure"]
    for row, listed in zip(rows, data(document)["tables"][0]["rows"], strict=True):
        for name, cell in zip(header, row, strict=True):
            value = listed[name]
            assert number(cell) == (value if name in ("size", "mean") else None)


def test_numbers_behind_words():
    _, rows = grid(parsed(Document("words", tables=[pairs_table()])), "pairs")
    assert [[number(cell) for cell in row[2:]] for row in rows] == [
        [0.12345678, 0.31949, 0.0000123, None],
        [-1234.5678, 0.5, 0.04, None],
        [0.5, 1.0, None, None],
    ]


def test_the_number_shown_stands_where_several_values_round_to_it():
    frame = pd.DataFrame({"name": ["n"], "one": [0.501], "other": [0.499]})
    prose = pd.DataFrame({"name": ["n"], "shown": ["0.50 ±0.01"], "gone": ["7"], "tail": ["2x2"]})
    _, ((_, shown, gone, tail),) = grid(parsed(Document("d", tables=[Table("t", frame, ["name"], prose)])), "t")
    assert (number(shown), number(gone), number(tail)) == (0.5, 7, None)


@pytest.mark.parametrize("kind", ["compare", "tournament", "metagame"])
def test_prose_of_the_analyses_leads_back_to_json(kind):
    names = ["dodge", "random", "solid"]
    if kind == "compare":
        document = of_comparison(sim.compare("null-nichtig", a="dodge", b="random", blocks=100))
    elif kind == "tournament":
        document = of_tournament(sim.tournament("null-nichtig", strategies=names, blocks=60, draws=100), tables=True)
    else:
        document = of_metagame(sim.metagame("null-nichtig", strategies=names, blocks=60, draws=100), payoffs=True)
    tree, found, exact = parsed(document), 0, 0
    for table, listed in zip(document.tables, data(document)["tables"], strict=True):
        values = {value for row in listed["rows"] for value in row.values() if isinstance(value, int | float)}
        for row in grid(tree, table.title)[1]:
            for cell in row:
                shown = re.match(r"(-?\d+(?:\.(\d+))?)(%?)(?= |$)", cell.text_content())
                if shown:
                    scale = 0.01 if shown[3] else 1
                    step = scale * 10.0 ** -len(shown[2] or "")
                    assert number(cell) == pytest.approx(float(shown[1]) * scale, rel=0, abs=step / 2 + 1e-12)
                    found, exact = found + 1, exact + (number(cell) in values)
    assert found > 5
    assert exact >= 0.9 * found


def test_one_language_one_first_heading_no_level_left_out():
    for tree in (parsed(everything()), parsed(everything_named("x-"), everything_named("y-"))):
        assert tree.get("lang") == "en"
        assert len(tree.xpath("//h1")) == 1
        levels = [int(heading.tag[1]) for heading in tree.xpath("//h1|//h2|//h3|//h4|//h5|//h6")]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert [len(tree.xpath(f"//{tag}")) for tag in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
        assert tree.xpath("//head/title")[0].text == tree.xpath("//h1")[0].text


def everything_named(prefix):
    """The document of everything with its figures named apart."""
    document = everything()
    document.figures = [picture(prefix + figure.name, figure.section) for figure in document.figures]
    document.summary = [
        Sentence(one.text, prefix + one.target if one.target == "seats" else one.target) for one in document.summary
    ]
    return document


def test_ids_are_unique_and_links_arrive():
    for tree in (parsed(everything()), parsed(everything_named("x-"), everything_named("y-"))):
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids))
        links = tree.xpath("//a/@href")
        assert links[0] == "#page-content"
        assert len(links) > 5
        assert {link.removeprefix("#") for link in links} <= set(ids)
        for labels in tree.xpath("//@aria-labelledby"):
            assert set(labels.split()) <= set(ids)


def test_landmarks_have_names_of_their_own():
    tree = parsed(everything_named("x-"), everything_named("y-"))
    for kind in ("//section", "//*[@role='region']"):
        labels = [one.get("aria-labelledby") for one in tree.xpath(kind)]
        names = [" ".join(tree.get_element_by_id(id).text_content() for id in label.split()) for label in labels]
        assert len(names) == len(set(names)) > 3


def test_sections_in_order_with_contents():
    tree = parsed(everything())
    headings = ["Seats", "Strategies", "Sizes, again"]
    assert [heading.text for heading in tree.xpath("//section/h2")] == headings
    assert [link.text for link in tree.xpath("//nav//a")] == headings
    assert tree.xpath("//section[h2='Strategies']//figure/@id") == ["leads"]
    assert tree.xpath("//section[h2='Strategies']/h3/text()") == ["means", "pairs"]
    assert tree.xpath("//section[h2='Seats']/p/text()") == ["The same strategy everywhere."]
    assert tree.xpath("//main/h2/text()") == ["sizes"]
    assert not parsed(Document("small", tables=[long_table()])).xpath("//nav")


def test_the_verdict_stands_at_the_top_and_links():
    tree = parsed(everything())
    links = tree.xpath("//main/div[@class='verdict']//a")
    assert [link.text for link in links] == [one.text for one in everything().summary]
    assert links[1].get("href") == "#seats"
    means = tree.get_element_by_id(links[0].get("href").removeprefix("#"))
    assert (means.tag, means.text) == ("h3", "means")
    assert tree.xpath("//main/*[1]/@class") == ["verdict"]
    assert [note.text_content() for note in tree.xpath("//ul[@class='notes']/li")] == [
        "Note: mind the gap",
        f"Note: {HOSTILE}",
    ]
    assert dict(zip(tree.xpath("//dt/text()"), tree.xpath("//dd/text()"), strict=True)) == dict(everything().facts)
    assert [note.text for note in tree.xpath("//ul[@class='remarks']/li")] == ["a, score: zero variance"]


def test_the_glossary_ends_the_page_and_sections_lead_to_it():
    document = everything()
    document.glossary = [Term("edge", "how far & how sure", ("Strategies", "Seats")), Term("edge, again", "another")]
    tree = parsed(document)
    assert tree.xpath("//section[last()]/h2/text()") == ["Glossary"]
    assert tree.xpath("//nav//a/text()")[-1] == "Glossary"
    assert tree.xpath("//section[h2='Seats']/p[@class='terms']/a/@href") == ["#term-edge"]
    assert not tree.xpath("//section[h2='Sizes, again']/p[@class='terms']")
    assert [term.text_content().split("\n")[0] for term in tree.xpath("//dl[@class='glossary']/div")] == [
        "edgehow far & how sure",
        "edge, againanother",
    ]
    both = parsed(*(replace(document, figures=[], summary=[]) for _ in range(2)))
    assert both.xpath("//section[contains(@class, 'part')]//p[@class='terms']/a/@href")[::2] == [
        "#term-edge",
        "#term-edge-2",
    ]
    assert data(document)["glossary"] == {"edge": "how far & how sure", "edge, again": "another"}
    markdown = render([document], "markdown")
    assert markdown.index("## Sizes, again") < markdown.index("## Glossary") < markdown.index("- **edge**: how far")
    assert "edge: how far & how sure" in render([document], "text")


def test_rows_set_off_remarks_of_its_own_and_columns_of_words():
    table = pairs_table()
    table.marked, table.remarks, table.behind = frozenset({1}), ["mind the pairs"], {"part": ""}
    tree = parsed(Document("d", tables=[table]))
    assert [row.get("class") for row in tree.xpath("//tbody/tr")] == [None, "marked", None]
    assert tree.xpath("//ul[@class='remarks']/li/text()") == ["mind the pairs"]
    _, rows = grid(tree, "pairs")
    assert [number(row[3]) for row in rows] == [None] * 3
    assert [number(row[4]) for row in rows] == [0.0000123, 0.04, None]


def test_what_belongs_together_is_kept_on_one_line():
    frame = pd.DataFrame({"name": ["n"], "value": [0.5]})
    prose = pd.DataFrame({"name": ["n"], "value": ["-0.50 ±0.10, 0.5 [0.4, 0.6] & p (p < 0.01) (2,343)"]})
    _, ((_, cell),) = grid(parsed(Document("d", tables=[Table("t", frame, ["name"], prose)])), "t")
    assert cell.xpath("span[@class='keep']/text()") == ["-0.50 ±0.10", "[0.4, 0.6]", "(p < 0.01)"]
    assert cell.text_content() == prose["value"][0]


def test_tables_and_figures_are_said_to_those_who_do_not_see_them():
    tree = parsed(everything())
    for table in tree.xpath("//table"):
        region = table.getparent()
        assert (region.get("role"), region.get("tabindex")) == ("region", "0")
        assert all(cell.get("scope") == "col" and cell.xpath("button") for cell in table.xpath("thead//th"))
        assert all(row.xpath("th[@scope='row']") for row in table.xpath("tbody/tr"))
    for figure, shown in zip(everything().figures, tree.xpath("//figure"), strict=True):
        assert shown.get("id") == figure.name
        assert shown.xpath("figcaption")[0].text == figure.title
        assert shown.xpath("details/p")[0].text == figure.alt
        assert shown.xpath(".//svg[@role='img']")
    assert tree.xpath("//table[.//th[.='name']]//th[@scope='col'][1]/button/small") == []
    assert [unit.text for unit in tree.xpath("//section[h2='Strategies']//small")] == ["points", "points"]


def test_words_cannot_become_markup():
    text = page([everything()])
    tree = html.document_fromstring(text)
    assert text.count("<script>") == 1
    assert text.count("</style>") == 1
    assert "{{" not in text.replace("{{ 7 * 7 }}", "")
    assert "49" not in tree.xpath("//head/title")[0].text
    assert tree.xpath("//h1")[0].text == f"Everything {HOSTILE}"
    assert not tree.xpath("//b")


def test_the_page_needs_nothing_else(report):
    for documents in ([everything()], [report]):
        text = page(documents)
        tree = html.document_fromstring(text)
        assert len(text.encode()) < 3_000_000
        assert tree.xpath("//link/@rel") == ["icon"]
        outside = [link for link in tree.xpath("//@href|//@src|//@*[local-name()='href']") if link[0] != "#"]
        assert all(link.startswith("data:") for link in outside)
        assert not re.search(r"@import|url\((?!#|'#|\"#)", text)
        policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
        (script,) = tree.xpath("//script/text()")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert "default-src 'none'" in policy
        assert f"script-src 'sha256-{digest}';" in policy


def test_the_same_documents_give_the_same_bytes():
    assert page([everything()]) == page([everything()])


def test_what_is_wrong_with_a_document_is_said():
    two = Document("two", figures=[picture("f"), picture("f")])
    within = Document("within", figures=[picture("f"), picture("f-title")])
    prolog = Document("prolog", figures=[Figure("f", "f", "f", '<?xml version="1.0"?><svg></svg>')])
    nothing = Document("nothing", summary=[Sentence("so it is", "nowhere")])
    for document, said in [(two, "id f"), (within, "f-title"), (prolog, "no <svg>"), (nothing, "nowhere")]:
        with pytest.raises(ValueError, match=said):
            page([document])
    with pytest.raises(ValueError, match="needs a document"):
        page([])


def test_several_documents_are_parts_of_one_page():
    tree = parsed(everything_named("x-"), everything_named("y-"), title="Both")
    assert tree.xpath("//h1/text()") == tree.xpath("//head/title/text()") == ["Both"]
    assert [one.text.partition(" ")[0] for one in tree.xpath("//section/h2")] == ["1.", "2."]
    assert len(tree.xpath("//nav/ul/li")) == 2
    assert len(tree.xpath("//nav/ul/li/ul/li")) == 6


def test_markdown_text_and_json_of_a_verdict_with_figures_and_sections():
    document = everything()
    document.figure_folder = "pictures"
    markdown = render([document], "markdown").splitlines()
    assert markdown[2] == "* " + document.summary[0].text.replace("<", "&lt;")
    assert markdown.index("## Seats") < markdown.index("The same strategy everywhere.")
    image = r"![In words: seats & &lt;b>co&lt;/b>, \[all of it\].](pictures/seats.svg)"
    assert markdown.index("## Seats") < markdown.index(image) < markdown.index("## Strategies")
    assert markdown.index("## sizes") < markdown.index("## Seats")
    assert markdown.index("## Strategies") < markdown.index("### means") < markdown.index("## Sizes, again")
    assert markdown[markdown.index("- a, score: zero variance") - 1] == ""
    text = render([document], "text")
    assert "== Strategies ==" in text
    assert "svg" not in text
    content = data(document)
    assert content["summary"][1] == {"text": "the seats are even", "target": "seats"}
    assert content["figures"][0] == {"name": "seats", "title": "Figure seats", "alt": document.figures[0].alt}
    assert "svg" not in json.dumps(content)


def test_a_document_without_these_is_as_it_was():
    document = Document("small", [("rules", "default")], ["mind"], [plain_table()])
    assert set(data(document)) == {"title", "facts", "notes", "tables"}
    assert render([document], "text").splitlines()[:6] == [
        "small",
        "",
        "rules:      default",
        "note:       mind",
        "",
        "sizes",
    ]
    assert "## sizes" in render([document], "markdown")
