"""What `compare` found, as a document."""

from __future__ import annotations

import pandas as pd

from sim.analysis.compare import Comparison
from sim.report.document import Document, Table
from sim.report.formats import cell, short
from sim.scenario import Scenario


def changed_rules(scenario: Scenario) -> str:
    """The rules that are not at their default, as one would type them."""
    return ", ".join(f"{key}={value}" for key, value in scenario.changed.items()) or "default"


def dump(scenario: Scenario) -> dict[str, object]:
    """What decides a scenario's numbers, as plain values."""
    return scenario.model_dump(mode="json", exclude={"blocks", "target_error", "record"})


def of_comparison(found: Comparison) -> Document:
    """Sides, verdicts and what common cards gained."""
    a, b = found.a, found.b
    facts = [("A", found.names[0]), ("B", found.names[1])]
    if a.strategies == b.strategies:
        facts.append(("line-up", ", ".join(a.strategies)))
    else:
        facts += [("A's table", ", ".join(a.strategies)), ("B's table", ", ".join(b.strategies))]
    if a.rules == b.rules:
        facts.append(("rules", changed_rules(a)))
    else:
        facts += [("A's rules", changed_rules(a)), ("B's rules", changed_rules(b))]
    facts += [
        ("blocks", f"{found.blocks:,} common blocks, seed {a.seed}, seatings {a.seatings}"),
        ("intervals", _interval(found)),
    ]
    document = Document(f"A minus B: {a.row.title}, {a.seats} players", facts, _notes(found))
    keys = ["metric"] if found.frame["strategy"].nunique() == 1 else ["strategy", "metric"]
    document.tables.append(Table("A minus B", found.frame, keys, _prose(found, keys)))
    document.data = {
        "answer": {
            "a": {"name": found.names[0], "scenario": dump(a)},
            "b": {"name": found.names[1], "scenario": dump(b)},
            "metric": found.main,
            "blocks": found.blocks,
            "level": found.level,
            "mode": found.mode,
            "reached": found.reached,
            "target_error": found.target,
            "sprt": _sprt(found),
        }
    }
    return document


def _interval(found: Comparison) -> str:
    level = f"{found.level * 100:g} %"
    if found.mode == "fixed":
        return f"{level}, paired by block, for this number of blocks"
    return f"{level}, paired by block, valid however often one looks (confidence sequence)"


def _notes(found: Comparison) -> list[str]:
    notes = []
    if found.sprt is not None and found.bounds is not None:
        low, high, alpha, beta = found.bounds
        said = {
            "accept": f"accept: A - B is at least {high:g}",
            "reject": f"reject: A - B is at most {low:g}",
            "undecided": "undecided: the blocks ended first",
        }[found.sprt.decision]
        notes.append(
            f"SPRT of {found.main}, A - B <= {low:g} against >= {high:g} (error chances {alpha:g} and {beta:g}): "
            f"{said}; log-likelihood ratio {found.sprt.llr:.2f} between {found.sprt.lower:.2f} and "
            f"{found.sprt.upper:.2f} after {found.blocks:,} blocks"
        )
    if found.target is not None:
        how = "reached" if found.reached else "not reached"
        notes.append(f"target error {found.target:g} of {found.main} {how} after {found.blocks:,} blocks")
    return notes


def _sprt(found: Comparison) -> dict[str, object] | None:
    if found.sprt is None or found.bounds is None:
        return None
    names = ("effect_low", "effect_high", "alpha", "beta")
    return {
        **dict(zip(names, found.bounds, strict=True)),
        "decision": found.sprt.decision,
        "llr": found.sprt.llr,
        "lower": found.sprt.lower,
        "upper": found.sprt.upper,
        "looks": [list(look) for look in found.trace],
    }


def _prose(found: Comparison, keys: list[str]) -> pd.DataFrame:
    rows = []
    for row in found.frame.to_dict("records"):
        rows.append(
            {
                **{key: row[key] for key in keys},
                "A": short(row["a"]),
                "B": short(row["b"]),
                "A - B": cell(row),
                "p": probability(row["p"]),
                "p adjusted": probability(row["p_adjusted"]),
                "verdict": f"equivalent within ±{row['epsilon']:g}"
                if row["verdict"] == "equivalent"
                else row["verdict"],
                "gain of pairing": _factor(row["pairing"]),
                "gain over independent games": _factor(row["gain"]),
            }
        )
    frame = pd.DataFrame(rows)
    return frame if found.mode == "fixed" else frame.drop(columns=["p", "p adjusted"])


def probability(value: float | None) -> str:
    return "-" if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def _factor(value: float | None) -> str:
    return "-" if value is None else f"x {value:.3g}"
