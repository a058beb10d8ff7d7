"""What `tournament` found, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.analysis.tournament import Tournament
from sim.report.comparison import changed_rules
from sim.report.document import Document, Table
from sim.report.formats import cell, short
from sim.stats import Estimate

MARKS = {"different": "", "equivalent": " =", "undecided": " ?"}


def of_tournament(found: Tournament, tables: bool = False) -> Document:
    """Ranking, matrix of leads and the pairs with their verdicts; with `tables` every line-up's means too."""
    scenario, metric = found.scenario, found.objective.metric
    direction = "less is better" if found.objective.sign < 0 else "more is better"
    facts = [
        ("strategies", ", ".join(found.labels)),
        ("rules", changed_rules(scenario)),
        ("line-ups", f"{len(found.line_ups)}, {found.blocks:,} common blocks each ({found.games:,} games)"),
        ("objective", f"{metric.name}: {metric.meaning}; {direction}"),
        ("ranked by", _RANKED[found.ranked_by]),
        ("rungs", _rungs(found)),
        ("seed", f"{scenario.seed}, seatings {scenario.seatings}"),
        (
            "intervals",
            f"{found.level * 100:g} %: t by block; place, strength and rung by a bootstrap of {found.draws} draws",
        ),
        ("verdicts", f"Holm over the {len(found.pairs)} pairs; equivalent: within ±{found.epsilon:g}"),
    ]
    document = Document(f"Tournament: {scenario.row.title}, {scenario.seats} players", facts)
    document.tables.append(Table("ranking", found.ranking, ["strategy"], _ranking(found)))
    document.tables.append(Table("pairs", found.pairs, ["a", "b"], _pairs(found)))
    if len(found.labels) > 2:
        document.tables.append(Table(_MATRIX, _matrix_frame(found), ["strategy"], _matrix(found)))
    if tables:
        document.tables.append(Table("line-ups", found.tables, ["line_up", "strategy"], _line_ups(found.tables)))
    document.data = {
        "scenario": scenario.model_dump(mode="json", exclude={"strategies", "blocks", "record", "target_error"}),
        "objective": metric.name,
        "ladder": list(found.ladder),
        "rungs": estimate_json(found.rungs),
        "line_ups": [",".join(one) for one in found.line_ups],
    }
    return document


_RANKED = {
    "plackett-luce": "Plackett-Luce strength: the chances to win a table are as the strengths of those at it",
    "edge": "mean lead over the others at the table",
}
_MATRIX = "lead of the row over the column (= equivalent, ? undecided, else different)"


def estimate_json(value: Estimate) -> dict[str, Any]:
    """An estimate as plain values."""
    return {
        key: getattr(value, key) for key in ("estimate", "low", "high", "se", "n", "blocks", "method", "note", "level")
    }


def place(record: Mapping[Any, Any]) -> str:
    """A whole number with its interval: "2", or "2 (1 to 3)" where it is not sure."""
    value, low, high = record["estimate"], record["low"], record["high"]
    if value is None:
        return "-"
    if low is None or high is None:
        return f"{value:.0f} (no interval)"
    return f"{value:.0f}" if low == high == value else f"{value:.0f} ({low:.0f} to {high:.0f})"


def p_text(value: float | None) -> str:
    """A p value."""
    return "-" if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def _rungs(found: Tournament) -> str:
    if found.rungs.estimate is None:
        return f"- ({found.rungs.note})"
    count = place({key: getattr(found.rungs, key) for key in ("estimate", "low", "high")})
    ladder = " > ".join(found.ladder)
    return f"{count} of 60 % (a rung wins at least 60 % of what it and the next win between them): {ladder}"


def _ranking(found: Tournament) -> pd.DataFrame:
    rows: dict[str, dict[str, str]] = {}
    names = {"lead": "lead over the table", "rung": "rungs above the weakest"}
    for record in found.ranking.to_dict("records"):
        sure = record["low"] is not None and record["low"] == record["high"]  # the same in every draw: no "±0"
        whole = record["metric"] == "place" or (record["metric"] == "rung" and sure)
        text = place(record) if whole else cell(record)
        rows.setdefault(record["strategy"], {})[names.get(record["metric"], record["metric"])] = text
    return pd.DataFrame([{"strategy": name, **cells} for name, cells in rows.items()])


def _pairs(found: Tournament) -> pd.DataFrame:
    rows = [
        {
            "A": row["a"],
            "B": row["b"],
            "mean A": short(row["mean_a"]),
            "mean B": short(row["mean_b"]),
            "A - B": cell(row),
            "A's part of wins": "-" if row["part"] is None else f"{row['part']:.1%}",
            "p": p_text(row["p"]),
            "p adjusted": p_text(row["p_adjusted"]),
            "verdict": f"{row['better']} is better" if row["better"] else row["verdict"],
        }
        for row in found.pairs.to_dict("records")
    ]
    return pd.DataFrame(rows)


def _order(found: Tournament) -> list[str]:
    return list(dict.fromkeys(found.ranking["strategy"]))


def _matrix_frame(found: Tournament) -> pd.DataFrame:
    """Both directions of every pair in long form, so that CSV and JSON hold the matrix too."""
    rows = []
    for row in found.pairs.to_dict("records"):
        turned = {
            "estimate": None if row["estimate"] is None else -row["estimate"],
            "low": None if row["high"] is None else -row["high"],
            "high": None if row["low"] is None else -row["low"],
        }
        kept = {key: row[key] for key in ("n", "blocks", "method", "note", "verdict", "p_adjusted")}
        values = {key: row[key] for key in ("estimate", "low", "high")}
        rows.append({"strategy": row["a"], "metric": row["b"], "unit": row["unit"], **values, **kept})
        rows.append({"strategy": row["b"], "metric": row["a"], "unit": row["unit"], **turned, **kept})
    return pd.DataFrame(rows, dtype=object)


def _matrix(found: Tournament) -> pd.DataFrame:
    cells = {
        (record["strategy"], record["metric"]): cell(record) + MARKS[record["verdict"]]
        for record in _matrix_frame(found).to_dict("records")
    }
    order = _order(found)
    return pd.DataFrame(
        [[row, *(cells.get((row, column), "") for column in order)] for row in order], columns=["strategy", *order]
    )


def _line_ups(frame: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {
            "line-up": row["line_up"],
            "strategy": row["strategy"],
            "seats": str(row["seats"]),
            row["metric"]: cell(row),
        }
        for row in frame.to_dict("records")
    ]
    return pd.DataFrame(rows)
