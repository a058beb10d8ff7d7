"""A report before it has a format: a heading, facts, notes and tables of values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sim.result import Result
from sim.scenario import Scenario


@dataclass
class Table:
    """A titled table. `frame` holds the values; estimates stand in columns estimate, low, high (and n, note).

    `prose`, if given, is what text, Markdown and HTML show in its place: ready-made words, the first columns being
    `keys`; `behind` names, for columns of it that are called otherwise, the column of `frame` that they show, "" for a
    column of words alone. `section` is the heading under which it stands, "" for none. `remarks`, if given, stand in
    place of the notes of `frame`; `marked` are the places of rows that a page sets off (words must say why, too).
    """

    title: str
    frame: pd.DataFrame
    keys: list[str]
    prose: pd.DataFrame | None = None
    section: str = ""
    behind: dict[str, str] = field(default_factory=dict)
    remarks: list[str] | None = None
    marked: frozenset[int] = frozenset()


@dataclass
class Figure:
    """A picture: `name` is its file without suffix and its anchor on a page, `alt` says in words what it shows."""

    name: str
    title: str
    alt: str
    svg: str
    section: str = ""


@dataclass
class Sentence:
    """A sentence of the verdict; `target` is the name of the figure, or the title of the table, that it rests on.

    Sentences of one `group` stand together under it.
    """

    text: str
    target: str
    group: str = ""


@dataclass
class Term:
    """A word of the report in plain words; `sections` are the headings under which a page points to it."""

    name: str
    meaning: str
    sections: tuple[str, ...] = ()


@dataclass
class Document:
    """What a format writes: `facts` are (name, value) pairs, `notes` sentences that must not be overlooked.

    `summary` is the verdict in words; `lead` says by section what it is about, in a sentence or two. `figure_folder`
    is where Markdown looks for the figures' files. `glossary` stands at the end.
    """

    title: str
    facts: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    summary: list[Sentence] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    lead: dict[str, str] = field(default_factory=dict)
    figure_folder: str = "figures"
    glossary: list[Term] = field(default_factory=list)


WATCHED = ", anytime-valid: they hold although the run was watched and stopped by them"


def _wanted(scenario: Scenario) -> str:
    if scenario.target_error is None:
        return f"{scenario.blocks:,}"
    return f"at most {scenario.blocks:,}, until every win share is known to ±{scenario.target_error:g}"


def of_result(result: Result, by: list[list[str]], metrics: list[str] | None = None) -> Document:
    """The report of a run: one table per grouping in `by`, and the strategies' lead over the others."""
    scenario, summary, info = result.scenario, result.summary, result.info
    title = f"{scenario.row.title}, {scenario.seats} players"
    changed = [f"{key}={value}" for key, value in scenario.changed.items()]
    facts = [
        ("rules", ", ".join(changed) or "default"),
        ("line-up", ", ".join(scenario.strategies)),
        ("blocks", f"{summary.blocks:,} of {_wanted(scenario)} ({summary.games:,} games)"),
        ("seatings", f"{info['design']}, {len(info['seatings'])} a block"),
        ("seed", str(scenario.seed)),
        ("intervals", f"95 %, from block means{WATCHED if result.watched else ''}"),
    ]
    document = Document(title, facts, notes_of(result))
    for keys in by:
        frame = result.metrics(by=keys, names=metrics)
        document.tables.append(Table("by " + " and ".join(keys), frame, keys))
    if metrics is None and len(scenario.labels) > 1 and ["strategy"] in by:
        edges = result.edges()
        edges["metric"] = edges["metric"] + " lead"
        document.tables.append(Table("lead over all others in the same games", edges, ["strategy"]))
    document.data = {"run": info}
    return document


def notes_of(result: Result) -> list[str]:
    """What a reader of the numbers must know: unfinished runs, cut games, single blocks."""
    scenario, summary, notes = result.scenario, result.summary, []
    if result.info["status"] != "done":
        notes.append(
            f"this run is {result.info['status']}: {summary.blocks:,} of {scenario.blocks:,} blocks are in the numbers"
        )
    if result.info["status"] == "done" and result.info.get("target_error_reached") is False:
        notes.append(f"the target error {scenario.target_error:g} was not reached in {summary.blocks:,} blocks")
    if summary.truncated:
        share = summary.truncated / summary.games
        notes.append(f"{summary.truncated:,} games ({share:.4%}) were cut off by a limit and scored as they stood")
    if result.info["status"] != "running" and summary.blocks != result.info["blocks_done"]:
        done = result.info["blocks_done"]
        notes.append(f"parts are missing: {summary.blocks:,} of the {done:,} blocks played are in the numbers")
    if result.info["design"] == "williams":
        notes.append("seatings: too many arrangements for a full orbit, so a balanced Williams design is played")
    if scenario.rules.get("teams", "none") != "none":
        notes.append("teams: win share is that of the seat's team, one outcome a team")
    return notes
