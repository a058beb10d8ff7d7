"""What `balance` found, as a document: a verdict in words, figures, and every number in a table of its section."""

from __future__ import annotations

from importlib.metadata import version

from sim.analysis.balance import Balance
from sim.analysis.balance.metrics import RULES, SECTIONS, SLOPES
from sim.report.balance_changes import change_figures, change_sentences
from sim.report.balance_figures import figures_of
from sim.report.balance_glossary import glossary, lead_of
from sim.report.balance_tables import (
    CHANGES,
    GAME_RULES,
    candidates_table,
    changes_table,
    definitions_table,
    players_table,
    rule_tables,
    rules_table,
    section_table,
    slope_table,
    typed,
)
from sim.report.balance_words import sentences
from sim.report.document import Document


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
            + ("; of changes: Benjamini-Hochberg over all of them" if others else "")
            + f"; p of a bootstrapped number is never below {2 / (budget.draws + 1):.2g}, for there are no more draws",
        ),
    ]
    document = Document(f"Balance: {row.title}, {first.base.seats} players{against}", facts, _notes(found))
    document.summary = change_sentences(found) + sentences(found)
    document.figures = figures_of(found) + change_figures(found)
    document.glossary = glossary(found)
    document.tables.append(rules_table(found))
    document.lead[GAME_RULES] = lead_of(GAME_RULES, found)
    for section in SECTIONS:
        table = section_table(found, section)
        if table is not None:
            document.tables.append(table)
            document.lead[section] = lead_of(section, found)
    if first.responses:
        document.tables.append(candidates_table(first))
    if first.study is not None:
        document.tables += rule_tables(first)
        document.lead[RULES] = lead_of(RULES, found)
    for variant in found.variants:
        document.tables += [slope_table(variant, slope, len(found.variants) > 1) for slope in variant.slopes]
    if any(variant.slopes for variant in found.variants):
        document.lead[SLOPES] = lead_of(SLOPES, found)
    if others:
        document.tables.append(changes_table(found.changes))
        document.lead[CHANGES] = lead_of(CHANGES, found)
    document.tables += [definitions_table(found), players_table(found)]
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
            {"name": one.name, "players": one.base.seats, "rules": {k: typed(v) for k, v in one.base.rules.items()}}
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
