"""A document as text, Markdown, CSV or JSON; `sim.report.html` makes the page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import pandas as pd
from tabulate import tabulate

from sim.report.document import Document, Sentence, Table

FORMATS = ("text", "markdown", "csv", "json", "html")
GLOSSARY = "Glossary"


def render(documents: list[Document], kind: str) -> str:
    """The documents in one of FORMATS, ending in a newline."""
    if kind == "json":
        content = [_json(document) for document in documents]
        return json.dumps(content[0] if len(content) == 1 else content, indent=1) + "\n"
    if kind == "csv":
        frames = [
            table.frame.assign(report=document.title, table=table.title)
            for document in documents
            for table in document.tables
        ]
        return pd.concat(frames, ignore_index=True).to_csv(index=False)
    if kind == "html":
        from sim.report.html import page

        return page(documents)
    return "\n".join(_prose(document, kind) for document in documents)


def sections(document: Document) -> list[str]:
    """The sections in reading order: what stands in none ("") first, then as in `lead`, then as parts name them."""
    named = [table.section for table in document.tables] + [figure.section for figure in document.figures]
    return [section for section in dict.fromkeys(["", *document.lead, *named]) if section in {*document.lead, *named}]


#: what Markdown takes for markup, with its place in a text where that matters: cells, emphasis, escapes, links
_MARKUP = re.compile(r"\||(?<!\s)\*|\*(?!\s)|\\(?=[!-/:-@\[-`{-~]|$)|(?<![^\W_])_|_(?![^\W_])|\](?=\()")
_IN_BRACKETS = re.compile(_MARKUP.pattern + r"|[\[\]]")


def escaped(text: str, markup: re.Pattern[str] = _MARKUP) -> str:
    """A text as Markdown shows it unchanged, in one line: no cell, tag, link or emphasis begins in it."""
    text = markup.sub(lambda found: "\\" + found[0], " ".join(text.splitlines()))
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", re.sub(r"&(?=#?\w+;)", "&amp;", text))


def _prose(document: Document, kind: str) -> str:
    marked = kind == "markdown"
    said = escaped if marked else str
    lines = [f"# {said(document.title)}" if marked else document.title, ""]
    for group, sentences in grouped(document.summary).items():
        lines += [f"**{said(group)}**" if marked else f"{group}:", ""] if group else []
        lines += [f"* {said(sentence.text)}" for sentence in sentences] + [""]  # * so that the facts are another list
    for name, value in document.facts:
        lines.append(f"- {said(name)}: {said(value)}" if marked else f"{name + ':':<12}{value}")
    for note in document.notes:
        lines.append(f"- **note: {said(note)}**" if marked else f"{'note:':<12}{note}")
    for section in sections(document):
        if section:
            lines += ["", f"## {said(section)}" if marked else f"== {section} =="]
        if section in document.lead:
            lines += ["", said(document.lead[section])]
        if marked:
            lines += _pictures(document, section)
        for table in document.tables:
            if table.section == section:
                lines += ["", f"{'###' if section else '##'} {said(table.title)}" if marked else table.title, ""]
                lines += _grid(table, marked)
    if document.glossary:
        lines += ["", f"## {GLOSSARY}" if marked else f"== {GLOSSARY} ==", ""]
        names = (f"- **{one.name}**" if marked else one.name for one in document.glossary)
        lines += [f"{name}: {one.meaning}" for name, one in zip(names, document.glossary, strict=True)]
    return "\n".join(lines) + "\n"


def _pictures(document: Document, section: str) -> list[str]:
    lines = []
    for figure in document.figures:
        if figure.section == section:
            place = quote(f"{document.figure_folder}/{figure.name}.svg")
            lines += ["", f"![{escaped(' '.join(figure.alt.split()), _IN_BRACKETS)}]({place})"]
    return lines


def _grid(table: Table, marked: bool) -> list[str]:
    wide = wide_form(table)
    said = escaped if marked else str
    grid = tabulate(
        [[said(value) if isinstance(value, str) else value for value in row] for row in wide.values.tolist()],
        headers=[said(str(name)) for name in wide.columns],
        tablefmt="pipe" if marked else "simple",
        disable_numparse=True,
        colalign=["left"] * len(table.keys) + ["right"] * (len(wide.columns) - len(table.keys)),
    )
    notes = [said(note) for note in table_notes(table)]
    if marked:  # a line right below would be a row
        return [grid, *([""] if notes else []), *(f"- {note}" for note in notes)]
    return [grid, *(f"  {note}" for note in notes)]


def grouped(summary: Sequence[Sentence]) -> dict[str, list[Sentence]]:
    """The sentences of a verdict by group, in order."""
    groups: dict[str, list[Sentence]] = {}
    for sentence in summary:
        groups.setdefault(sentence.group, []).append(sentence)
    return groups


def wide_form(table: Table) -> pd.DataFrame:
    """A long table of estimates with one row per key and one column per metric; other tables as they are."""
    if table.prose is not None:
        return table.prose
    frame = table.frame
    if not is_long(table):
        return frame.map(lambda value: "-" if value is None else str(value))
    metrics, rows = pivot(table)
    return pd.DataFrame(
        [
            [*key, *(cell(records[metric]) if metric in records else "-" for metric in metrics)]
            for key, records in rows.items()
        ],
        columns=[*table.keys, *metrics],
    )


def is_long(table: Table) -> bool:
    """Whether the values are estimates of metrics, one a row, to be shown with a column per metric."""
    return "metric" in table.frame and "estimate" in table.frame


def pivot(table: Table) -> tuple[list[str], dict[tuple[str, ...], dict[str, dict[Any, Any]]]]:
    """A long table's metrics in order, and its records by the words of their keys and by metric."""
    rows: dict[tuple[str, ...], dict[str, dict[Any, Any]]] = {}
    for record in table.frame.to_dict("records"):
        key = tuple(str(record[name]) for name in table.keys)
        rows.setdefault(key, {})[str(record["metric"])] = record
    return [str(metric) for metric in dict.fromkeys(table.frame["metric"])], rows


def cell(record: Mapping[Any, Any]) -> str:
    """An estimate with its interval: "0.2300 ±0.0030" where it is symmetric, else "0.001 [0, 0.004]"."""
    value, low, high = (_number(record[name]) for name in ("estimate", "low", "high"))
    if value is None:
        return "-"
    if low is None or high is None:
        return f"{value:.4f} (no interval)"
    half = (high - low) / 2
    digits = 4 if half == 0 else max(2, min(8, 1 - math.floor(math.log10(half))))
    if math.isclose(value - low, high - value, rel_tol=1e-6, abs_tol=1e-12):
        return f"{value:.{digits}f} ±{half:.{digits}f}"
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def short(value: float | None) -> str:
    """A number without its interval."""
    return "-" if value is None else f"{value:.5g}"


def table_notes(table: Table) -> list[str]:
    """The remarks of a table's estimates, each with what it is about."""
    if table.remarks is not None:
        return table.remarks
    if "note" not in table.frame:
        return []
    notes = []
    for record in table.frame.to_dict("records"):
        if record["note"] and not missing(record["note"]):
            names = [str(record[key]) for key in (*table.keys, "metric") if key in record]
            notes.append(f"{', '.join(dict.fromkeys(names))}: {record['note']}")
    return notes


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def _json(document: Document) -> dict[str, Any]:
    content: dict[str, Any] = {
        "title": document.title,
        "facts": dict(document.facts),
        "notes": document.notes,
        **document.data,
        "tables": [_json_table(table) for table in document.tables],
    }
    if document.summary:
        content["summary"] = [
            {**({"group": one.group} if one.group else {}), "text": one.text, "target": one.target}
            for one in document.summary
        ]
    if document.figures:
        content["figures"] = [{"name": one.name, "title": one.title, "alt": one.alt} for one in document.figures]
    if document.glossary:
        content["glossary"] = {one.name: one.meaning for one in document.glossary}
    return content


def _json_table(table: Table) -> dict[str, Any]:
    rows = [
        {key: None if missing(value) else value for key, value in record.items()}
        for record in table.frame.to_dict("records")
    ]
    return {"title": table.title, "rows": rows}


def missing(value: Any) -> bool:
    """Whether JSON has null for a value."""
    return value is None or (isinstance(value, float) and math.isnan(value))
