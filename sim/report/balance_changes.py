"""What a second variant changes, in sentences, and in pictures by section and unit: every change with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sim.analysis.balance import Balance
from sim.analysis.balance.metrics import DEFINITIONS, SECTIONS
from sim.report import figures
from sim.report.balance_tables import CHANGES, SUBJECTS
from sim.report.balance_words import amount, capital
from sim.report.document import Figure, Sentence
from sim.report.figures import Panel
from sim.report.figures.forest import ForestRow

#: how many leads the verdict names; titles that say too little by themselves; the table that counts all changes
MOST_LEADS = 4
TITLES = {"strategy_part": "part of the variance of who wins that the seat's strategy explains"}
CHANGED = "second variant less the first, on the same blocks"

#: units that are shares of something: drawn together, in percentage points
SHARES = ("share", "chance", "share of the game", "share of the most")


def change_sentences(found: Balance) -> list[Sentence]:
    """Who gains and who loses, what else of the game differs, where the variant lies by the break-even, how many
    numbers differ; empty without a second variant.
    """
    if len(found.variants) < 2:
        return []
    changes = found.changes
    before, after = (variant.name for variant in found.variants)
    records = [row for row in changes.to_dict("records") if row["verdict"] == "different"]
    told = []
    lead = "lead" if found.game.objective == "games" else "lead_points"
    leads = sorted((one for one in records if one["metric"] == lead), key=lambda one: -abs(one["estimate"]))
    if leads:
        most = ", ".join(f"{one['subject']} {_from_to(one)}" for one in leads[:MOST_LEADS])
        told.append((f"{DEFINITIONS[lead].title.lower()}: {most}.", name_of(leads[0]["section"])))
    else:
        told.append((f"no {DEFINITIONS[lead].title.lower()} is shown to change.", CHANGED))
    told += [(text, f"rule{'' if found.variants[0].study else '-against'}") for text in _beyond(found)]
    for metric, subject in (
        ("equilibrium", None),
        ("seat_advantage", f"{found.reference}, "),
        ("first_lead_cost", found.reference),
        ("strategy_part", "win_share"),
        ("tie_rate", found.reference),
        ("passed_in_share", found.reference),
        ("exploit_wins" if found.game.objective == "games" else "exploit_points", None),
    ):
        own = [one for one in records if one["metric"] == metric and one["subject"].startswith(subject or "")]
        if own:
            one = max(own, key=lambda one: abs(one["estimate"]))
            of = f" ({one['subject']})" if one["subject"] else ""
            title = TITLES.get(metric, f"{DEFINITIONS[metric].title.lower()}{of}")
            told.append((f"{title}: {_from_to(one)}.", name_of(one["section"])))
    count = (
        f"with {after} instead of {before}, {_count(changes, 'different')} of the {_known(changes)} numbers below "
        f"differ, {_count(changes, 'equivalent')} are the same as far as it matters, and "
        f"{_count(changes, 'undecided')} are undecided."
    )
    told.append((count, CHANGED))
    group = f"what changes from {before} to {after}"
    return [Sentence(capital(text), target, group) for text, target in told]


def _from_to(one: Mapping[Any, Any]) -> str:
    """A number before and after, and its change."""
    scale, digits, unit = (100, 1, "pp") if one["unit"] == "share" else (1, 2, one["unit"])
    ends = [round(scale * one[key], digits) + 0.0 for key in ("before", "after")]  # not -0.0
    return f"from {ends[0]:.{digits}f} to {ends[1]:.{digits}f} {unit} ({amount(one)})"


def _beyond(found: Balance) -> list[str]:
    """Where the two values of the rule under study lie by the value at which its two strategies do equally well."""
    study = next((one.study for one in found.variants if one.study is not None), None)
    if study is None or study.break_even is None:
        return []
    values = [one.base.rules[study.rule] for one in found.variants]
    records = {one["objective"]: one for one in study.break_even.frame.to_dict("records")}
    record = records.get(found.game.objective)
    if values[0] == values[1] or record is None or record["answer"] != "at" or len(record["pieces"] or []) != 1:
        return []
    low, high = record["pieces"][0]
    if low is None or high is None:
        return []
    places = ["below" if value < low else "above" if value > high else "within the interval of" for value in values]
    a, b = study.break_even.names
    goal, at = found.game.objective, f"{record['estimate']:.3g} [{low:.3g}, {high:.3g}]"
    return [
        f"the second variant's {study.rule}={values[1]} lies {places[1]} the value at which one {a} does as well as "
        f"its table of {b} by {goal}, {at}; the first's {values[0]} lies {places[0]} it."
    ]


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
        row = (SUBJECTS.get(one["subject"], one["subject"]), one["estimate"], one["low"], one["high"], one["verdict"])
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
