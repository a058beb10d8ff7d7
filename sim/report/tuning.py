"""What `tune` found, as a document."""

from __future__ import annotations

import pandas as pd

from sim.analysis.tune import Tuned
from sim.report.comparison import changed_rules
from sim.report.document import Document, Table
from sim.report.formats import cell, short
from sim.report.tournament import estimate_json, p_text


def of_tuned(found: Tuned, steps: bool = False) -> Document:
    """The tuned strategy, its gain on fresh blocks and its parameters; with `steps` the course of the search."""
    scenario, metric = found.scenario, found.objective.metric
    direction = "less is better" if found.objective.sign < 0 else "more is better"
    facts = [
        ("tuned", found.spec),
        ("from", found.start),
        ("field", ", ".join(found.field)),
        ("rules", changed_rules(scenario)),
        ("objective", f"{metric.name}: {metric.meaning}; {direction}"),
        ("search", f"CMA-ES with racing: {len(found.steps)} generations, {found.searched:,} candidate blocks"),
        ("blocks", f"{found.blocks:,} fresh ones, on which nothing was chosen"),
        ("seed", f"{scenario.seed}, seatings {scenario.seatings}"),
        ("intervals", f"{found.level * 100:g} %, paired by block"),
    ]
    notes = []
    if found.spec == found.start:
        notes.append("nothing better than the start was found")
    document = Document(f"Tuned: {scenario.row.title}, {scenario.seats} players", facts, notes)
    frame, words = _gain(found)
    document.tables.append(Table("gain on fresh blocks", frame, ["metric"], words))
    document.tables.append(Table("parameters", found.parameters, ["parameter"], _parameters(found)))
    if steps:
        words = found.steps.assign(sigma=[f"{value:.3g}" for value in found.steps["sigma"]])
        document.tables.append(Table("search", found.steps, ["generation"], words.astype(str)))
    document.data = {
        "spec": found.spec,
        "start": found.start,
        "field": list(found.field),
        "scenario": scenario.model_dump(mode="json", exclude={"blocks", "record", "target_error"}),
        "objective": metric.name,
        "gain": estimate_json(found.gain),
        "search_blocks": found.searched,
    }
    return document


def _gain(found: Tuned) -> tuple[pd.DataFrame, pd.DataFrame]:
    metric, said = found.objective.metric, found.verdict
    values = {key: getattr(found.gain, key) for key in ("estimate", "low", "high", "n", "blocks", "method", "note")}
    row = {
        "metric": metric.name,
        "unit": metric.unit,
        "before": found.before,
        "after": found.after,
        **values,
        "p": said.p_different,
        "epsilon": found.epsilon,
        "verdict": said.verdict,
    }
    words = {
        "metric": metric.name,
        "before": short(found.before),
        "after": short(found.after),
        "gain": cell(row),
        "p": p_text(said.p_different),
        "verdict": f"equivalent within ±{found.epsilon:g}" if said.verdict == "equivalent" else said.verdict,
    }
    return pd.DataFrame([row], dtype=object), pd.DataFrame([words])


def _parameters(found: Tuned) -> pd.DataFrame:
    rows = [
        {
            "parameter": row["parameter"],
            "start": f"{row['start']:g}",
            "tuned": f"{row['tuned']:g}",
            "searched": f"{_limit(row['low'])} to {_limit(row['high'])}",
            "meaning": row["meaning"],
        }
        for row in found.parameters.to_dict("records")
    ]
    return pd.DataFrame(rows)


def _limit(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"
