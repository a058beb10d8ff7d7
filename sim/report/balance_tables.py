"""The tables of a balance report: every number with its interval, and the words that a reader sees in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from kernels.options import show
from sim.analysis.balance import Balance, Variant
from sim.analysis.balance.metrics import DEFINITIONS, LENGTH, RESPONSE, RULES, SLOPES
from sim.analysis.balance.slopes import Slope
from sim.report.document import Table
from sim.report.formats import cell, missing, short
from sim.report.tournament import p_text
from sim.stats.estimate import ZERO_VARIANCE
from sim.strategies import meaning

GAME_RULES, CHANGES = "Rules of this report", "What the variant changes"
COUNT = "N (blocks)"
#: subjects that are named otherwise in words
SUBJECTS = {"": "the game", "win_share": "win share", "alpharank": "alpha-rank"}
#: columns of words, and the columns of numbers behind them, "" for columns of words alone
BEHIND = {"value": "estimate", "change": "estimate", COUNT: "n", "other strategies": ""}

Row = Mapping[Any, Any]


def rules_table(found: Balance) -> Table:
    """Every rule option with its value in each variant, what differs between them first, then what is no default."""
    first, known = found.variants[0].base, found.game.module("rules")
    default = {**known.complete({"players": first.seats}), "players": known.complete({})["players"]}
    rows, prose = [], []
    for option in known.OPTIONS:
        values = [variant.base.rules[option.name] for variant in found.variants]
        differs, changed = len(set(values)) > 1, any(value != default[option.name] for value in values)
        told = "differs between the variants" if differs else "not the default" if changed else "default"
        named = dict(zip(("value", "value_against"), map(typed, values), strict=False))
        rows.append(
            {"rule": option.name, **named, "default": typed(default[option.name]), "changed": changed,
             **({"differs": differs} if len(values) > 1 else {}), "meaning": option.meaning}
        )  # fmt: skip
        heads = ("first variant", "second variant") if len(values) > 1 else ("value",)
        prose.append(
            {"rule": option.name, **dict(zip(heads, map(show, values), strict=True)), "state": told,
             "default": show(default[option.name]), "meaning": option.meaning}
        )  # fmt: skip
    order = sorted(range(len(rows)), key=lambda k: (not rows[k].get("differs", False), not rows[k]["changed"]))
    frame, words = (pd.DataFrame([lines[k] for k in order], dtype=object) for lines in (rows, prose))
    marked = frozenset(place for place, k in enumerate(order) if rows[k]["changed"])
    no_number = dict.fromkeys(words.columns, "")  # a rank 9 is no number
    title = "every rule option and its value"
    return Table(title, frame, ["rule"], words, GAME_RULES, no_number, marked=marked)


def typed(value: Any) -> Any:
    """A rule's value as JSON has it: a number, true or false, a list, text, or null for none."""
    return list(value) if isinstance(value, tuple) else value


def section_table(found: Balance, section: str) -> Table | None:
    """The measures of a section; None if there are none."""
    frame = found.frame[found.frame["section"] == section].drop(columns=["section"]).reset_index(drop=True)
    if frame.empty:
        return None
    two = len(found.variants) > 1
    notes = remarks(frame.to_dict("records"), two)
    if section == LENGTH:
        frame = _by_quantity(found, frame)
    prose = pd.DataFrame([_measure(record, two) for record in frame.to_dict("records")])
    keys = ["variant", "metric", "subject"] if two else ["metric", "subject"]
    keys = keys[:-1] if section == LENGTH else keys
    return Table(f"{section}: all numbers", frame, keys, prose, section, BEHIND, notes)


def _by_quantity(found: Balance, frame: pd.DataFrame) -> pd.DataFrame:
    """One row per quantity: that of the reference; those of the other strategies in its column `others`, by name."""
    kept = ("estimate", "low", "high", "n", "blocks", "method", "note")
    rows: dict[tuple[str, str], dict[Any, Any]] = {}
    for record in frame.to_dict("records"):
        if record["subject"] == found.reference:
            rows[record["variant"], record["metric"]] = {**record, "others": {}}
    for record in frame.to_dict("records"):
        if record["subject"] != found.reference:
            own = rows[record["variant"], record["metric"]]
            own["others"][record["subject"]] = {key: record[key] for key in kept}
    return pd.DataFrame(list(rows.values()), dtype=object)


def _measure(record: Row, two: bool) -> dict[str, str]:
    head = {"rules": record["variant"]} if two else {}
    named = {"metric": DEFINITIONS[record["metric"]].title}
    if "others" in record:
        own = [cell(one) for one in (record, *record["others"].values())]
        others = "; ".join(f"{name} {text}" for name, text in zip(record["others"], own[1:], strict=True))
        return {
            **head, **named, "value": own[0], "other strategies": "the same" if len(set(own)) == 1 else others,
            **_ending(record),
        }  # fmt: skip
    return {
        **head,
        **named,
        "of": SUBJECTS.get(record["subject"], record["subject"]),
        "value": cell(record),
        **_ending(record),
    }


def _ending(record: Row) -> dict[str, str]:
    count = f"{record['n']:,} ({record['blocks']:,})" if record["n"] else "-"
    verdict = {} if "others" in record else {"verdict": verdict_of(record)}
    return {"unit": record["unit"], **verdict, COUNT: count}


def verdict_of(record: Row) -> str:
    """The verdict in words, with what it is held against where that is not said of the whole table."""
    null = f"{record['null']:g}" if record.get("null") is not None else ""
    if not record["verdict"]:
        return "-"
    if record["verdict"] == "equivalent":
        return f"equivalent{f' to {null}' if null else ''} (±{record['epsilon']:g})"
    if record["verdict"] == "different":
        return f"different{f' from {null}' if null else ''} (p {p_text(record['p_adjusted'])})"
    return "undecided"


def remarks(records: Sequence[Row], two: bool = False) -> list[str]:
    """The notes of measures, each once, with the metrics and subjects that it holds for."""
    everything: dict[str, int] = {}
    noted: dict[str, dict[str, list[str]]] = {}
    for record in records:
        title = DEFINITIONS[record["metric"]].title
        everything[title] = everything.get(title, 0) + 1
        if record["note"] and not missing(record["note"]):
            who = ", ".join(filter(None, [record["variant"] if two else "", record["subject"]]))
            noted.setdefault(_note(record), {}).setdefault(title, []).append(who)
    told = []
    for note, titles in noted.items():
        names = [
            title if len(whose) == everything[title] or not any(whose) else f"{title} ({'; '.join(whose)})"
            for title, whose in titles.items()
        ]
        told.append(f"{note}: {', '.join(names)}")
    return told


def _note(record: Row) -> str:
    """A note without the terms of its trade."""
    same = f"the same in every {'resampling' if record['method'] == 'bootstrap' else 'block'}"
    parts = str(record["note"]).split("; ")
    if any(part.startswith(("never seen", "always seen")) for part in parts):
        parts = [part for part in parts if part != ZERO_VARIANCE]
    return "; ".join(part.replace(ZERO_VARIANCE, same) for part in parts)


def candidates_table(variant: Variant) -> Table:
    """What was tried as an answer to a table of the reference, on the blocks on which the answer was chosen."""
    names = ("estimate", "low", "high", "n", "blocks")
    rows: list[dict[str, Any]] = [
        {"objective": name, "candidate": one.spec, "mean": one.mean, "unit": one.gain.unit,
         **{key: getattr(one.gain.value, key) for key in names}, "chosen": one.spec == response.spec}
        for name, response in variant.responses.items()
        for one in response.candidates
    ]  # fmt: skip
    prose = [
        {
            "objective": record["objective"],
            "candidate": record["candidate"],
            "mean": short(record["mean"]),
            "gain": "-" if record["candidate"] == variant.reference else cell(record),
            "unit": record["unit"],
            "chosen": "yes" if record["chosen"] else "",
        }
        for record in rows
    ]
    title = f"candidates for the best response to {variant.reference}, on the blocks of the choice"
    frame, words = pd.DataFrame(rows, dtype=object), pd.DataFrame(prose)
    return Table(title, frame, ["objective", "candidate"], words, RESPONSE, {"gain": "estimate"})


def rule_tables(variant: Variant) -> list[Table]:
    """The rule that is looked at in depth: win shares over its values, and where two strategies do equally well."""
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
        tables.append(Table(title, broken.frame, ["objective"], pd.DataFrame(rows), RULES, behind, []))
    return tables


def slope_table(variant: Variant, slope: Slope, two: bool) -> Table:
    """What one unit of a numeric rule changes."""
    names = ("estimate", "low", "high", "n", "blocks", "method", "note")
    records = [
        {"variant": variant.name, "rule": slope.rule, "from": slope.low, "to": slope.high, "metric": one.metric,
         "subject": one.subject, "unit": f"{one.unit} per unit", **{name: getattr(one.value, name) for name in names}}
        for one in slope.measures
    ]  # fmt: skip
    prose = [
        {"metric": DEFINITIONS[record["metric"]].title, "of": SUBJECTS.get(record["subject"], record["subject"]),
         "change": cell(record), "unit": record["unit"], "N": f"{record['n']:,}" if record["n"] else "-"}
        for record in records
    ]  # fmt: skip
    side = ", one-sided since the rule has no value beyond" if slope.one_sided else ""
    of = f" ({variant.name})" if two else ""
    title = f"per unit of {slope.rule}, from {show(slope.low)} to {show(slope.high)}{side}{of}"
    frame, words = pd.DataFrame(records, dtype=object), pd.DataFrame(prose)
    return Table(title, frame, ["metric", "subject"], words, SLOPES, {**BEHIND, "N": "n"}, remarks(records))


def changes_table(changes: pd.DataFrame) -> Table:
    """What the second variant changes, paired on the same blocks."""
    prose = [
        {
            "metric": DEFINITIONS[record["metric"]].title,
            "of": SUBJECTS.get(record["subject"], record["subject"]),
            "before": cell({"estimate": record["before"], "low": record["before_low"], "high": record["before_high"]}),
            "after": cell({"estimate": record["after"], "low": record["after_low"], "high": record["after_high"]}),
            "change": cell(record) if record["estimate"] is None else f"{cell(record)} {record['unit']}",
            "verdict": verdict_of(record),
        }
        for record in changes.to_dict("records")
    ]
    title, notes = "second variant less the first, on the same blocks", remarks(changes.to_dict("records"))
    return Table(title, changes, ["metric", "subject"], pd.DataFrame(prose), CHANGES, BEHIND, notes)


def definitions_table(found: Balance) -> Table:
    """What each metric of the report is."""
    used = dict.fromkeys(found.frame["metric"])
    rows = [{"metric": key, "title": DEFINITIONS[key].title, "definition": DEFINITIONS[key].meaning} for key in used]
    prose = [{"metric": one["title"], "definition": one["definition"]} for one in rows]
    return Table(
        "what each metric is", pd.DataFrame(rows, dtype=object), ["metric"], pd.DataFrame(prose), "Definitions"
    )


def players_table(found: Balance) -> Table:
    """What the strategies of the ladder do, in a line each."""
    rows = [{"strategy": name, "what it does": meaning(found.game, name)} for name in found.names]
    frame = pd.DataFrame(rows, dtype=object)
    return Table("what each strategy does", frame, ["strategy"], frame, "Definitions")
