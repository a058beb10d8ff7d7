"""A document as text, Markdown, CSV or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from tabulate import tabulate

from sim.report.document import Document, Table

FORMATS = ("text", "markdown", "csv", "json")


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
    return "\n".join(_prose(document, kind) for document in documents)


def _prose(document: Document, kind: str) -> str:
    marked = kind == "markdown"
    lines = [f"# {document.title}" if marked else document.title, ""]
    for name, value in document.facts:
        lines.append(f"- {name}: {value}" if marked else f"{name + ':':<12}{value}")
    for note in document.notes:
        lines.append(f"- **note: {note}**" if marked else f"{'note:':<12}{note}")
    for table in document.tables:
        lines += ["", f"## {table.title}" if marked else table.title, ""]
        wide = wide_form(table)
        lines.append(
            tabulate(
                wide.values.tolist(),
                headers=list(wide.columns),
                tablefmt="pipe" if marked else "simple",
                disable_numparse=True,
                colalign=["left"] * len(table.keys) + ["right"] * (len(wide.columns) - len(table.keys)),
            )
        )
        lines += [f"  {note}" for note in _table_notes(table)]
    return "\n".join(lines) + "\n"


def wide_form(table: Table) -> pd.DataFrame:
    """A long table of estimates with one row per key and one column per metric; other tables as they are."""
    if table.prose is not None:
        return table.prose
    frame = table.frame
    if "metric" not in frame or "estimate" not in frame:
        return frame.map(lambda value: "-" if value is None else str(value))
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for record in frame.to_dict("records"):
        key = tuple(str(record[name]) for name in table.keys)
        rows.setdefault(key, {})[str(record["metric"])] = cell(record)
    metrics = list(dict.fromkeys(frame["metric"]))
    return pd.DataFrame(
        [[*key, *(cells.get(metric, "-") for metric in metrics)] for key, cells in rows.items()],
        columns=[*table.keys, *metrics],
    )


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


def _table_notes(table: Table) -> list[str]:
    if "note" not in table.frame:
        return []
    notes = []
    for record in table.frame.to_dict("records"):
        if record.get("note"):
            names = [str(record[key]) for key in table.keys if key != "metric"]
            notes.append(f"{', '.join([*names, str(record['metric'])])}: {record['note']}")
    return notes


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def _json(document: Document) -> dict[str, Any]:
    return {
        "title": document.title,
        "facts": dict(document.facts),
        "notes": document.notes,
        **document.data,
        "tables": [
            {
                "title": table.title,
                "rows": [
                    {key: None if _missing(value) else value for key, value in record.items()}
                    for record in table.frame.to_dict("records")
                ],
            }
            for table in document.tables
        ],
    }


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
