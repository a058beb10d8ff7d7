"""What `balance` found, as a document: a verdict in words, figures, and every number in a table of its section."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import pandas as pd

from kernels.options import show
from sim.analysis.balance import Balance, Variant
from sim.analysis.balance.metrics import DEFINITIONS, RESPONSE, RULES, SECTIONS, SLOPES
from sim.analysis.balance.slopes import Slope
from sim.report.balance_figures import figures_of
from sim.report.balance_words import lead_of, sentences
from sim.report.document import Document, Table
from sim.report.formats import cell, short
from sim.report.tournament import p_text
from sim.strategies import meaning

CHANGES = "What the variant changes"
#: columns of words, and the columns of numbers behind them
BEHIND = {"value": "estimate", "change": "estimate", "N": "n"}


def of_balance(found: Balance) -> Document:
    """The report of a balance analysis. The same numbers in every format; figures in HTML and as files."""
    first, others = found.variants[0], found.variants[1:]
    row, budget = found.game, found.budget
    against = f": {first.name} against {others[0].name}" if others else ""
    facts = [
        ("rules", "; against: ".join(one.name for one in found.variants)),
        ("ladder", ", ".join(found.names)),
        ("reference", f"{found.reference}: plays in all seats where seats, courses and decisions are measured"),
        ("played", _amounts(found)),
        ("seed", str(found.seed)),
        ("nullsim", f"{version('nullsim')}, {row.id} version {row.version}"),
        (
            "intervals",
            f"{found.level * 100:g} %, from block means, or from a bootstrap of {budget.draws} draws over blocks",
        ),
        (
            "verdicts",
            "of each metric with a natural zero, by p values adjusted for the number of its rows (Holm), so that an "
            "interval may leave out 0 and the verdict be undecided; equivalent: within ±0.01 of shares, ±0.1 of others"
            + ("; of changes: Benjamini-Hochberg over all of them" if others else ""),
        ),
    ]
    document = Document(f"Balance: {row.title}, {first.base.seats} players{against}", facts, _notes(found))
    document.summary = sentences(found)
    document.figures = figures_of(found)
    for section in SECTIONS:
        table = _section(found, section)
        if table is not None:
            document.tables.append(table)
            document.lead[section] = lead_of(section, found)
    if first.responses:
        document.tables.append(_candidates(first))
    if first.study is not None:
        document.tables += _rule(first)
        document.lead[RULES] = lead_of(RULES, found)
    for variant in found.variants:
        document.tables += [_slope(variant, slope, len(found.variants) > 1) for slope in variant.slopes]
    if any(variant.slopes for variant in found.variants):
        document.lead[SLOPES] = lead_of(SLOPES, found)
    if others:
        document.tables.append(_changes(found.changes))
        document.lead[CHANGES] = lead_of(CHANGES, found)
    document.tables += [_definitions(found), _players(found)]
    document.data = {
        "nullsim": version("nullsim"),
        "game": row.id,
        "game_version": row.version,
        "seed": found.seed,
        "level": found.level,
        "quick": found.quick,
        "budget": vars(budget),
        "ladder": list(found.names),
        "reference": found.reference,
        "variants": [
            {"name": one.name, "players": one.base.seats, "rules": {k: show(v) for k, v in one.base.rules.items()}}
            for one in found.variants
        ],
    }
    return document


def _amounts(found: Balance) -> str:
    budget, first = found.budget, found.variants[0]
    line_ups = len(first.match_ups.games.line_ups) if first.match_ups.games is not None else 0
    return (
        f"{line_ups} mixed line-ups on {first.match_ups.blocks:,} blocks in all arrangements; "
        f"{budget.self_games:,} games of each strategy with itself; "
        f"winning chances in {budget.courses:,} games, {budget.rollouts} rollouts at {budget.moments} moments; "
        f"decisions in {budget.decisions:,} games, {budget.tries} rollouts a move"
    )


def _notes(found: Balance) -> list[str]:
    notes = []
    if found.quick:
        left = [name for name in found.game.ladder if name not in found.names and name not in found.game.fast]
        without = (
            f", and without the slow {', '.join(left)}" if left and set(found.names) <= set(found.game.fast) else ""
        )
        notes.append(f"a quick report: a fifth to a tenth of the usual games{without}, so intervals are wider")
    notes.append(
        "winning chances and the worth of decisions come from rollouts and are approximate: the reference strategy "
        "plays on for everybody, hidden cards are dealt anew evenly, and what players' choices give away is not weighed"
    )
    notes.append("all of it holds among the strategies of the ladder; a stronger one may change any verdict")
    return notes


def _section(found: Balance, section: str) -> Table | None:
    """The measures of a section: of all strategies, or of the reference where only that is of interest."""
    frame = found.frame[found.frame["section"] == section].drop(columns=["section"]).reset_index(drop=True)
    if frame.empty:
        return None
    two = len(found.variants) > 1
    prose = pd.DataFrame([_measure(record, two) for record in frame.to_dict("records")])
    keys = ["variant", "metric", "subject"] if two else ["metric", "subject"]
    return Table(f"{section}: all numbers", frame, keys, prose, section, BEHIND)


def _measure(record: Mapping[Any, Any], two: bool) -> dict[str, str]:
    head = {"rules": record["variant"]} if two else {}
    return {
        **head,
        "metric": DEFINITIONS[record["metric"]].title,
        "of": record["subject"] or "the game",
        "value": cell(record),
        "unit": record["unit"],
        "verdict": _verdict(record),
        "N": f"{record['n']:,}" if record["n"] else "-",
        "blocks": f"{record['blocks']:,}" if record["blocks"] else "-",
    }


def _verdict(record: Mapping[Any, Any]) -> str:
    """The verdict in words, with what it is held against."""
    if not record["verdict"]:
        return "-"
    if record["verdict"] == "equivalent":
        return f"equivalent to {record.get('null') or 0:g} (±{record['epsilon']:g})"
    if record["verdict"] == "different":
        return f"different from {record.get('null') or 0:g} (p {p_text(record['p_adjusted'])})"
    return "undecided"


def _candidates(variant: Variant) -> Table:
    rows: list[dict[str, Any]] = [
        {"objective": name, "candidate": candidate, "mean": value, "chosen": candidate == response.spec}
        for name, response in variant.responses.items()
        for candidate, value in response.candidates
    ]
    prose = [{**one, "mean": short(one["mean"]), "chosen": "yes" if one["chosen"] else ""} for one in rows]
    title = f"candidates for the best response to {variant.reference}, on the blocks of the choice"
    return Table(title, pd.DataFrame(rows, dtype=object), ["objective", "candidate"], pd.DataFrame(prose), RESPONSE)


def _rule(variant: Variant) -> list[Table]:
    study = variant.study
    assert study is not None
    frame = study.sweep.frame
    lines = [
        {
            study.rule: show(record[study.rule]) + (" (in force)" if record["is_default"] else ""),
            "strategy": record["strategy"],
            "win share": cell(record),
            "change": cell({"estimate": record["change"], "low": record["change_low"], "high": record["change_high"]}),
            "p adjusted": p_text(record["p_adjusted"]),
        }
        for record in frame.to_dict("records")
    ]
    line_up = ",".join(study.line_up)
    tables = [
        Table(
            f"win shares over {study.rule}: {line_up}",
            frame,
            [study.rule, "strategy"],
            pd.DataFrame(lines),
            RULES,
            {"win share": "estimate"},
        )
    ]
    if study.break_even is not None:
        broken = study.break_even
        rows = [
            {
                "objective": record["objective"],
                "breaks even at": "-" if record["estimate"] is None else cell(record),
                "answer": record["answer"],
                "blocks": f"{record['blocks']:,}" if record["blocks"] else "-",
                "note": record["note"] or "",
            }
            for record in broken.frame.to_dict("records")
        ]
        title = f"where {broken.names[0]} and {broken.names[1]} do equally well"
        behind = {"breaks even at": "estimate"}
        tables.append(Table(title, broken.frame, ["objective"], pd.DataFrame(rows), RULES, behind))
    return tables


def _slope(variant: Variant, slope: Slope, two: bool) -> Table:
    names = ("estimate", "low", "high", "n", "blocks", "method", "note")
    records = [
        {"variant": variant.name, "rule": slope.rule, "from": slope.low, "to": slope.high, "metric": one.metric,
         "subject": one.subject, "unit": f"{one.unit} per unit", **{name: getattr(one.value, name) for name in names}}
        for one in slope.measures
    ]  # fmt: skip
    prose = [
        {"metric": DEFINITIONS[record["metric"]].title, "of": record["subject"] or "the game", "change": cell(record),
         "unit": record["unit"], "N": f"{record['n']:,}" if record["n"] else "-"}
        for record in records
    ]  # fmt: skip
    side = ", one-sided since the rule has no value beyond" if slope.one_sided else ""
    of = f" ({variant.name})" if two else ""
    title = f"per unit of {slope.rule}, from {show(slope.low)} to {show(slope.high)}{side}{of}"
    return Table(title, pd.DataFrame(records, dtype=object), ["metric", "subject"], pd.DataFrame(prose), SLOPES, BEHIND)


def _changes(changes: pd.DataFrame) -> Table:
    prose = [
        {
            "metric": DEFINITIONS[record["metric"]].title,
            "of": record["subject"] or "the game",
            "before": cell({"estimate": record["before"], "low": record["before_low"], "high": record["before_high"]}),
            "after": cell({"estimate": record["after"], "low": record["after_low"], "high": record["after_high"]}),
            "change": cell(record),
            "unit": record["unit"],
            "p adjusted": p_text(record["p_adjusted"]),
            "verdict": _verdict(record),
        }
        for record in changes.to_dict("records")
    ]
    title = "second variant less the first, on the same blocks"
    return Table(title, changes, ["metric", "subject"], pd.DataFrame(prose), CHANGES, BEHIND)


def _definitions(found: Balance) -> Table:
    used = dict.fromkeys(found.frame["metric"])
    rows = [{"metric": key, "title": DEFINITIONS[key].title, "definition": DEFINITIONS[key].meaning} for key in used]
    prose = [{"metric": one["title"], "definition": one["definition"]} for one in rows]
    return Table(
        "what each metric is", pd.DataFrame(rows, dtype=object), ["metric"], pd.DataFrame(prose), "Definitions"
    )


def _players(found: Balance) -> Table:
    """What the strategies of the ladder do, in a line each."""
    rows = [{"strategy": name, "what it does": meaning(found.game, name)} for name in found.names]
    frame = pd.DataFrame(rows, dtype=object)
    return Table("what each strategy does", frame, ["strategy"], frame, "Definitions")
