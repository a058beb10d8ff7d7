"""What a second variant changes, in sentences, and in pictures by section and unit: every change with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sim.analysis.balance import Balance
from sim.analysis.balance.metrics import DEFINITIONS, SECTIONS
from sim.report import figures
from sim.report.balance_tables import CHANGES
from sim.report.balance_words import amount, capital
from sim.report.document import Figure, Sentence
from sim.report.figures import Panel
from sim.report.figures.forest import ForestRow

#: units that are shares of something: drawn together, in percentage points
SHARES = ("share", "chance", "share of the game", "share of the most")


def change_sentences(found: Balance) -> list[Sentence]:
    """How many numbers differ, and the largest changes; empty without a second variant."""
    if len(found.variants) < 2:
        return []
    changes = found.changes
    before, after = (variant.name for variant in found.variants)
    told = [
        f"with {after} instead of {before}, {_count(changes, 'different')} of {_known(changes)} numbers differ, "
        f"{_count(changes, 'equivalent')} are the same as far as it matters, and {_count(changes, 'undecided')} are "
        "undecided."
    ]
    targets = ["second variant less the first, on the same blocks"]
    records = [row for row in changes.to_dict("records") if row["verdict"] == "different"]
    for metric in ("lead", "seat_advantage", "equilibrium"):
        own = [row for row in records if row["metric"] == metric]
        if own:
            most = max(own, key=lambda row: abs(row["estimate"]))
            name = DEFINITIONS[metric].title.lower()
            told.append(f"the largest change of {name}: {most['subject']} by {amount(most)}.")
            targets.append(name_of(most["section"]))
    pairs = zip(told, targets, strict=True)
    return [Sentence(capital(text), target, "what the variant changes") for text, target in pairs]


def _count(changes: Any, verdict: str) -> int:
    return int((changes["verdict"] == verdict).sum())


def _known(changes: Any) -> int:
    """How many changes have an estimate."""
    return int(changes["estimate"].notna().sum())


def change_figures(found: Balance) -> list[Figure]:
    """One figure per section of the report that something changes in; empty without a second variant."""
    made = []
    for section in SECTIONS:
        records = found.changes[found.changes["section"] == section].to_dict("records")
        drawn = [one for one in records if one["estimate"] is not None and not _unmoved(one)]
        if not drawn:
            continue
        still = len([one for one in records if one["estimate"] is not None]) - len(drawn)
        remark = f"Not drawn: {still} that do not change in any block." if still else ""
        shown = figures.panels(
            name_of(section), f"What changes: {section.lower()}", _panels(drawn, found.reference), (), remark
        )
        made.append(replace(shown, section=CHANGES))
    return made


def name_of(section: str) -> str:
    """The name of a section's figure of changes."""
    return f"changes-{section.lower().replace(' ', '-')}"


def _unmoved(record: Mapping[Any, Any]) -> bool:
    return bool(record["estimate"] == 0 and record["low"] in (0, None) and record["high"] in (0, None))


def _panels(records: list[dict[Any, Any]], reference: str) -> list[Panel]:
    """One panel per unit, in it the metrics; a metric of one row stands by its own name."""
    units: dict[str, dict[str, list[ForestRow]]] = {}
    for one in records:
        unit = "share" if one["unit"] in SHARES else one["unit"]
        row = (one["subject"], one["estimate"], one["low"], one["high"], one["verdict"])
        units.setdefault(unit, {}).setdefault(DEFINITIONS[one["metric"]].title, []).append(row)
    made = []
    for unit, metrics in units.items():
        alone: list[ForestRow] = []
        groups: list[tuple[str, list[ForestRow]]] = [("", alone)]
        for title, rows in metrics.items():
            if len(rows) > 1 or rows[0][0] not in ("", reference):
                groups.append((title, rows))
            else:
                alone.append((title, *rows[0][1:]))
        made.append(Panel(unit, groups, "change"))
    return made
