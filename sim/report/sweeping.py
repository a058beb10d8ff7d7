"""What `sweep` found, as a document."""

from __future__ import annotations

import pandas as pd

from kernels.options import show
from sim.analysis.sweep import Sweep
from sim.report.comparison import changed_rules, dump, probability
from sim.report.document import Document, Table
from sim.report.formats import cell


def of_sweep(found: Sweep) -> Document:
    """A table per metric: values with simultaneous bands and changes against the default."""
    scenario = found.scenario
    default = ", ".join(f"{key}={show(value)}" for key, value in zip(found.keys, found.default, strict=True))
    facts = [
        ("rules", changed_rules(scenario)),
        ("line-up", ", ".join(scenario.strategies)),
        ("default", default),
        ("blocks", f"{found.blocks:,} common blocks, seed {scenario.seed}, seatings {scenario.seatings}"),
        ("bands", f"{found.level * 100:g} % for all values of a table's strategy at once (sup-t)"),
    ]
    document = Document(f"{' and '.join(found.keys)}: {scenario.row.title}", facts)
    frame = found.frame
    keys = [*found.keys, "strategy"] if frame["strategy"].nunique() > 1 else list(found.keys)
    meanings = {metric.name: metric.meaning for metric in scenario.row.metrics}
    for name in dict.fromkeys(frame["metric"]):
        rows = frame[frame["metric"] == name]
        document.tables.append(Table(f"{name}: {meanings[name]}", rows, keys, _prose(rows, keys)))
    document.data = {
        "sweep": {
            "scenario": dump(scenario),
            "rules": found.keys,
            "default": [show(value) for value in found.default],
            "blocks": found.blocks,
            "level": found.level,
        }
    }
    return document


def _prose(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    lines = []
    for row in rows.to_dict("records"):
        change = {"estimate": row["change"], "low": row["change_low"], "high": row["change_high"]}
        lines.append(
            {
                **{key: row[key] if key == "strategy" else show(row[key]) for key in keys},
                "value": cell(row),
                "change": "(default)" if row["is_default"] else cell(change),
                "p": probability(row["p"]),
                "p adjusted": probability(row["p_adjusted"]),
            }
        )
    return pd.DataFrame(lines)
