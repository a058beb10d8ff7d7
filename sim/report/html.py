"""Documents as one HTML page that needs nothing else: styles, script and figures stand in it.

The page's files are in `page/`. Cells carry the frame's own numbers in `data-value` (and an interval's ends in
`data-low` and `data-high`), written as JSON writes them; the page sorts by these.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sim.report.document import Document, Figure, Table
from sim.report.formats import GLOSSARY, cell, grouped, is_long, missing, pivot, sections, table_notes, wide_form

FILES = Path(__file__).parent / "page"
#: a number at the beginning of a cell's words: "< 0.0001", "x 1.3", "1,234", "31.9%", "0.23 ±0.01", "2 (1 to 3)"
NUMBER = re.compile(
    r"(?P<below>< )?(?:x )?(?P<digits>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<decimals>\d+))?(?:e(?P<power>[+-]?\d+))?)"
    r" ?(?P<percent>%)?(?=$|[ ,;])"
)


@dataclass
class Cell:
    """A cell: its words; the values behind them as JSON text, "" for none; whether it heads its row."""

    text: str
    value: str = ""
    low: str = ""
    high: str = ""
    head: bool = False


@dataclass
class Column:
    """A column's name, its unit ("" where there is none or several) and whether it is set as numbers are."""

    name: str
    unit: str
    numeric: bool


@dataclass
class Grid:
    """A table as the page shows it."""

    id: str
    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    notes: list[str]
    marked: frozenset[int]


@dataclass
class Picture:
    """A figure as the page shows it."""

    id: str
    title: str
    alt: str
    svg: Markup


@dataclass
class Section:
    """What stands under one heading; `title` "" for what stands under none; `terms` are pairs (word, id of it)."""

    id: str
    title: str
    lead: str
    terms: list[tuple[str, str]]
    pictures: list[Picture]
    grids: list[Grid]


@dataclass
class Part:
    """A document as the page shows it; `summary` are by group pairs (sentence, id of what it rests on).

    `terms` are the words of the glossary, (id, word, meaning) each, `glossary` the id of its heading.
    """

    id: str
    title: str
    document: Document
    summary: dict[str, list[tuple[str, str]]]
    sections: list[Section]
    glossary: str
    terms: list[tuple[str, str, str]]


@dataclass
class Ids:
    """Hands out ids, each once."""

    used: set[str] = field(default_factory=set)

    def take(self, wanted: str) -> str:
        """`wanted` itself if it is free, else with a number."""
        found, number = wanted, 1
        while found in self.used:
            number += 1
            found = f"{wanted}-{number}"
        self.used.add(found)
        return found

    def of_words(self, *words: str) -> str:
        """An id of lower-case letters, digits and hyphens."""
        return self.take(re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "part")


def page(documents: Sequence[Document], title: str = "") -> str:
    """The documents as one page of HTML, ending in a newline.

    `title` heads a page of several documents; one document's own title heads its page. A figure's name is its id on
    the page, so it must be the only one of its name, and the ids within it too. Raises ValueError where they are not,
    for no document, for a figure that is no <svg> element, and for a sentence that rests on nothing in its document.
    """
    if not documents:
        raise ValueError("a page needs a document")
    ids = Ids()
    for figure in (figure for document in documents for figure in document.figures):
        for id in (figure.name, *re.findall(r'\sid="([^"]*)"', figure.svg)):
            if ids.take(id) != id:
                raise ValueError(f"figure {figure.name}: the id {id} is not the only one on the page")
    single = len(documents) == 1
    parts = [_part(document, "" if single else f"{k}. ", ids) for k, document in enumerate(documents, 1)]
    style, script = (Markup((FILES / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    environment = Environment(
        loader=FileSystemLoader(FILES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"breakable": _breakable, "kept": _kept}
    text: str = environment.get_template("page.html.jinja").render(
        title=documents[0].title if single else title or f"{len(documents)} reports",
        parts=parts,
        single=single,
        contents=not single or len([one for one in parts[0].sections if one.title]) > 1,
        glossary=GLOSSARY,
        policy=_policy(script),
        style=style,
        script=script,
        version=version("nullsim"),
    )
    return text.rstrip() + "\n"


def _breakable(text: str) -> Markup:
    """Lets a long name of a strategy or metric break where one reads it in parts."""
    return Markup("<wbr>").join(re.split(r"(?<=[:;,/_])(?=\S)", text))


def _kept(text: str) -> Markup:
    """Keeps an estimate with its half width, the ends of an interval in brackets, and a p value on one line."""
    pieces = re.split(r"([-\d.,]+ ±[\d.]+|\[[^\[\]]*\]|\(p [^()]*\))", text)  # every second one is such
    return Markup("").join(
        Markup('<span class="keep">{}</span>').format(piece) if k % 2 else piece for k, piece in enumerate(pieces)
    )


def _policy(script: str) -> str:
    """The page may load nothing and run its own script alone. Figures carry style attributes, hence the styles."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _part(document: Document, number: str, ids: Ids) -> Part:
    title = number + document.title
    own = ids.of_words(title)
    anchors = {figure.name: figure.name for figure in document.figures}
    glossary = ids.of_words(GLOSSARY) if document.glossary else ""
    anchored = [(one, ids.of_words("term", one.name)) for one in document.glossary]
    parts = []
    for name in sections(document):
        id = ids.of_words(name) if name else ""
        pictures = [_picture(figure) for figure in document.figures if figure.section == name]
        grids = [_grid(table, ids) for table in document.tables if table.section == name]
        for grid in grids:
            anchors.setdefault(grid.title, grid.id)
        terms = [(term.name, anchor) for term, anchor in anchored if name in term.sections]
        parts.append(Section(id, name, document.lead.get(name, ""), terms, pictures, grids))
    for sentence in document.summary:
        if sentence.target not in anchors:
            raise ValueError(f"no figure and no table is called {sentence.target}: {sentence.text}")
    summary = {
        group: [(one.text, anchors[one.target]) for one in sentences]
        for group, sentences in grouped(document.summary).items()
    }
    words = [(anchor, term.name, term.meaning) for term, anchor in anchored]
    return Part(own, title, document, summary, parts, glossary, words)


def _picture(figure: Figure) -> Picture:
    svg = figure.svg.strip()
    if not svg.startswith("<svg"):
        raise ValueError(f"figure {figure.name} is no <svg> element")
    return Picture(figure.name, figure.title, figure.alt, Markup(svg))


def _grid(table: Table, ids: Ids) -> Grid:
    if table.prose is not None:
        names, rows = list(table.prose.columns), _prose_rows(table, table.prose)
    elif is_long(table):
        metrics, _ = pivot(table)
        names, rows = [*table.keys, *metrics], _long_rows(table)
    else:
        names, rows = list(table.frame.columns), _plain_rows(table)
    for cells in rows:
        for one in cells[: len(table.keys)]:
            one.head = True
    columns = [
        Column(str(name), _unit(table, name), k >= len(table.keys) and any(cells[k].value for cells in rows))
        for k, name in enumerate(names)
    ]
    return Grid(ids.of_words(table.title), table.title, columns, rows, table_notes(table), table.marked)


def _unit(table: Table, metric: str) -> str:
    if table.prose is not None or not is_long(table) or "unit" not in table.frame:
        return ""
    units = set(table.frame.loc[table.frame["metric"] == metric, "unit"])
    return str(units.pop()) if len(units) == 1 else ""


def _long_rows(table: Table) -> list[list[Cell]]:
    metrics, found = pivot(table)
    rows = []
    for words, records in found.items():
        first = next(iter(records.values()))
        keys = [Cell(text, _plain(first[key])) for text, key in zip(words, table.keys, strict=True)]
        rows.append([*keys, *(_estimate(records.get(metric)) for metric in metrics)])
    return rows


def _estimate(record: Mapping[Any, Any] | None) -> Cell:
    if record is None:
        return Cell("-")
    return Cell(cell(record), _plain(record["estimate"]), _plain(record["low"]), _plain(record["high"]))


def _plain_rows(table: Table) -> list[list[Cell]]:
    lines = zip(wide_form(table).values.tolist(), table.frame.to_dict("records"), strict=True)
    return [
        [Cell(text, _plain(value)) for text, value in zip(words, record.values(), strict=True)]
        for words, record in lines
    ]


def _prose_rows(table: Table, prose: pd.DataFrame) -> list[list[Cell]]:
    """The words with the numbers behind them, looked for in the records of the same keys, else of the same place."""
    records: list[dict[Any, Any]] = table.frame.to_dict("records")
    rows = []
    for place, line in enumerate(prose.values.tolist()):
        words = [str(word) for word in line]
        keys = words[: len(table.keys)]
        own = [one for one in records if keys and [str(one.get(key)) for key in table.keys] == keys]
        if not own and len(records) == len(prose):
            own = [records[place]]
        row = []
        for name, text in zip(prose.columns, words, strict=True):
            within = [record for record in own if record.get("metric") == name] or own
            column = table.behind.get(name, str(name).replace(" ", "_"))
            row.append(Cell(text, _behind(text, within, column) if column else ""))
        rows.append(row)
    return rows


def _behind(text: str, records: Sequence[Mapping[Any, Any]], name: str) -> str:
    """The number behind words that begin with one: the value of the records that rounds to it.

    Where none or several do, that of the column's own `name`, else the number as it is shown; "" for words that begin
    with none.
    """
    found = NUMBER.match(text)
    if not found:
        return ""
    shown = float(found["digits"].replace(",", ""))
    step = 10.0 ** (int(found["power"] or 0) - len(found["decimals"] or ""))
    if found["percent"]:
        shown, step = shown / 100, step / 100
    if found["below"]:
        fitting = [value for value in _numbers(records) if 0 <= value < shown]
    else:
        fitting = [value for value in _numbers(records) if abs(value - shown) <= step / 2 * (1 + 1e-9)]
    if len(set(fitting)) > 1:
        fitting = [record[name] for record in records if record.get(name) in fitting]
    if len(set(fitting)) == 1:
        return _plain(fitting[0])
    return _plain(int(shown) if shown.is_integer() else shown)


def _numbers(records: Sequence[Mapping[Any, Any]]) -> list[float]:
    return [value for record in records for value in record.values() if _plain(value)]


def _plain(value: Any) -> str:
    """A number as JSON has it, "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or missing(value):
        return ""
    return json.dumps(value)
