"""What `breakeven` found, as a document."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kernels.options import show
from sim.analysis.breakeven import BreakEven
from sim.report.comparison import changed_rules, dump
from sim.report.document import Document, Table
from sim.report.formats import cell, short

WORD = {1: "better", -1: "worse", 0: "no better and no worse"}


def of_breakeven(found: BreakEven) -> Document:
    """The break-even per objective, in words and numbers, and the edge at every value played."""
    first, (low, high) = found.tables[0], found.bounds
    base = {key: value for key, value in first.rules.items() if key != found.rule}
    scenario = first.model_copy(update={"rules": base})
    facts = [
        ("A", found.names[0]),
        ("B", found.names[1]),
        ("tables", "; ".join(", ".join(table.strategies) for table in found.tables)),
        ("range", f"{found.rule} from {low} to {high} (default {show(first.rules[found.rule])})"),
        ("rules", changed_rules(scenario)),
        ("blocks", f"common to all values, seed {first.seed}, seatings {first.seatings}"),
        ("sets", f"{found.level * 100:g} %: values at which the paired block test does not reject an edge of 0"),
    ]
    notes = [f"{name}: this game measures no such thing" for name in found.missing]
    document = Document(f"Break-even of {found.rule}: {first.row.title}, {first.seats} players", facts, notes)
    rows = found.frame.to_dict("records")
    prose = pd.DataFrame(
        [
            {
                "objective": row["objective"],
                "metric": row["metric"],
                "break-even": _set(row, low, high),
                "A does": _sides(row, found),
                "method": row["method"],
                "blocks": f"{row['blocks']:,}",
            }
            for row in rows
        ]
    )
    document.tables.append(Table("break-even", found.frame, ["objective"], prose))
    document.tables.append(Table(f"A's edge by {found.rule}", found.edges, ["value"]))
    document.data = {
        "breakeven": {
            "a": found.names[0],
            "b": found.names[1],
            "tables": [dump(table) for table in found.tables],
            "rule": found.rule,
            "from": low,
            "to": high,
            "level": found.level,
            "not_measured": found.missing,
        }
    }
    return document


def _set(row: dict[Any, Any], low: int, high: int) -> str:
    if row["answer"] == "none":
        return f"none from {low} to {high}"
    if row["answer"] == "everywhere":
        return f"everywhere from {low} to {high}"
    if row["answer"] == "undecided":
        return f"{short(row['estimate'])} (no interval)"
    if row["answer"] == "unbounded":
        if row["low"] is None and row["high"] is None:
            return f"{short(row['estimate'])}, unbounded: any value from {low} to {high}"
        side = f"up to {short(row['high'])}" if row["low"] is None else f"from {short(row['low'])}"
        return f"{short(row['estimate'])}, unbounded: {side} and beyond the range"
    return cell(row)


def _sides(row: dict[Any, Any], found: BreakEven) -> str:
    """How A does at both ends of the range."""
    left, right = row["sides"]
    if left == right:
        return f"{WORD[left]} at both ends"
    return f"{WORD[left]} at {found.bounds[0]}, {WORD[right]} at {found.bounds[1]}"
