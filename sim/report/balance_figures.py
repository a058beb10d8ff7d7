"""The pictures of a balance report, from what was measured. Those of two variants have one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sim.analysis.balance import Balance, Variant
from sim.analysis.balance.metrics import (
    CHOICE,
    COURSE,
    DECISIONS,
    DEFINITIONS,
    LUCK,
    RESPONSE,
    RULES,
    SEATS,
    STRATEGIES,
)
from sim.analysis.selfplay import side_count
from sim.report import figures
from sim.report.document import Figure
from sim.report.figures import Panel

#: single games drawn into the ribbon, and the quantiles of its bands
PATHS, QUANTILES = 4, (0.05, 0.25, 0.5, 0.75, 0.95)
PARTS = ("strategy_part", "seat_part", "cards_part", "residual_part")

Records = dict[str, list[dict[Any, Any]]]


def figures_of(found: Balance) -> list[Figure]:
    """The figures of all variants, those that compare beside each other; the second's names end in "-against"."""
    made: dict[str, list[Figure]] = {}
    for k, variant in enumerate(found.variants):
        ending, of = ("-against" if k else ""), (f" ({variant.name})" if len(found.variants) > 1 else "")
        for figure in _of_variant(found, k, ending, of):
            made.setdefault(figure.name.removesuffix(ending), []).append(figure)
    return [figure for group in made.values() for figure in group]


def records_of(found: Balance, variant: Variant | None = None) -> Records:
    """The rows of the frame by metric: of a variant, or of all."""
    frame = found.frame if variant is None else found.frame[found.frame["variant"] == variant.name]
    return {str(metric): part.to_dict("records") for metric, part in frame.groupby("metric", sort=False)}


def _of_variant(found: Balance, place: int, ending: str, of: str) -> list[Figure]:
    variant = found.variants[place]
    tables = [records_of(found, one) for one in found.variants]
    rows, every = tables[place], records_of(found)
    made = []
    lead = "lead" if found.game.objective == "games" else "lead_points"
    if variant.match_ups.games is not None:
        edge, words = lead.replace("lead", "edge"), DEFINITIONS[lead].title.lower()
        unit, title = rows[lead][0]["unit"], f"Lead of each strategy over its tables{of}"
        leads = [[_line(record) for record in one[lead]] for one in tables]
        shown = figures.forest(f"leads{ending}", title, leads[place], unit, words, leads)
        made.append(replace(shown, section=STRATEGIES))
        title, also = f"Match-ups: the row over the column{of}", [record["estimate"] for record in every[edge]]
        shown = figures.heat_map(f"match-ups{ending}", title, *_matrix(rows[lead], rows[edge]), unit, also)
        made.append(replace(shown, section=STRATEGIES))
    unit = next(metric.unit for metric in found.game.metrics if metric.name == "score")
    scores = {name: played.scores for name, played in variant.selfplay.items()}
    others = [played.scores for one in found.variants for played in one.selfplay.values()]
    title = f"Final scores of each strategy against itself{of}"
    made.append(replace(figures.distributions(f"scores{ending}", title, scores, unit, others), section=STRATEGIES))
    seats = [
        (name, int(place.removeprefix("seat ")), record["estimate"], record["low"], record["high"])
        for record in rows["seat_advantage"]
        for name, _, place in [record["subject"].rpartition(", ")]
    ]
    title, also = f"Win share by seat, less a fair share{of}", _values(every["seat_advantage"])
    made.append(replace(figures.seat_dots(f"seats{ending}", title, seats, "share", also), section=SEATS))
    made.append(replace(_ribbon(variant, ending, of), section=COURSE))
    luck = [_luck(one) for one in tables]
    title = f"What decides a game: shares of the variance{of}"
    made.append(replace(figures.panels(f"luck{ending}", title, luck[place], luck), section=LUCK))
    if "equilibrium" in rows:
        masses = [
            (record["subject"], kind, record["estimate"], record["low"], record["high"])
            for kind in ("equilibrium", "alpharank")
            for record in rows[kind]
        ]
        title = f"What players would choose{of}"
        made.append(replace(figures.masses(f"choices{ending}", title, masses), section=CHOICE))
    decisions, title = [_decisions(one) for one in tables], f"What hangs on a decision{of}"
    made.append(replace(figures.panels(f"decisions{ending}", title, decisions[place], decisions), section=DECISIONS))
    if variant.responses:
        responses = [_responses(*pair) for pair in zip(found.variants, tables, strict=True)]
        title = f"What other strategies gain at a table of {variant.reference}{of}"
        shown = figures.panels(f"responses{ending}", title, responses[place], responses)
        made.append(replace(shown, section=RESPONSE))
    if variant.study is not None:
        made.append(replace(_rule(found, variant, ending), section=RULES))
    return made


def _values(records: Sequence[Mapping[Any, Any]]) -> list[float | None]:
    """Estimates and the ends of their intervals."""
    return [record[key] for record in records for key in ("estimate", "low", "high")]


def _luck(rows: Records) -> list[Panel]:
    """The shares of the variance, of games won and of scores."""
    subjects = {"win_share": "who wins", "score": "how many points"}
    groups = [
        (
            head,
            [
                (DEFINITIONS[part].title.lower(), record["estimate"], record["low"], record["high"], "")
                for part in PARTS
                for record in rows[part]
                if record["subject"] == subject
            ],
        )
        for subject, head in subjects.items()
    ]
    return [Panel("share", groups, "share of the variance", True)]


def _decisions(rows: Records) -> list[Panel]:
    """What decisions of each kind are worth, and how many a game has."""
    shown = []
    for metric, part in (("decision_wins", "part_wins"), ("decision_points", "part_points"), ("open_decisions", "")):
        groups = [
            (head, [(one["subject"], one["estimate"], one["low"], one["high"], "") for one in rows[key]])
            for key, head in ((metric, "by kind of decision"), (part, "by part of the game, all kinds"))
            if key
        ]
        words = "what the best move gains over one at random" if part else "open decisions of a game, number of"
        shown.append(Panel(rows[metric][0]["unit"], groups, words, not part))
    return shown


def _responses(variant: Variant, rows: Records) -> list[Panel]:
    """The gain of the best response on fresh blocks, and those of all that was tried, by what is played for."""
    shown = []
    for (goal, response), metric in zip(variant.responses.items(), ("exploit_wins", "exploit_points"), strict=True):
        (best,) = rows[metric]
        tried = [
            (one.spec, one.gain.value.estimate, one.gain.value.low, one.gain.value.high, "")
            for one in sorted(response.candidates, key=lambda one: -(one.gain.value.estimate or 0.0))
            if one.spec != variant.reference
        ]
        answer = (response.spec, best["estimate"], best["low"], best["high"], best["verdict"])
        groups = [(f"the best by {goal}, on fresh blocks", [answer])] if tried else []
        groups.append(("all that was tried, on the blocks of the choice", tried))
        shown.append(Panel(best["unit"], groups, f"gain over {variant.reference}"))
    return shown


def _line(record: Mapping[Any, Any]) -> tuple[str, Any, Any, Any, str]:
    return (record["subject"], record["estimate"], record["low"], record["high"], record["verdict"] or "undecided")


def _matrix(
    leads: list[dict[Any, Any]], edges: list[dict[Any, Any]]
) -> tuple[list[str], dict[tuple[str, str], tuple[Any, str]]]:
    labels = [record["subject"] for record in leads]
    cells = {}
    for record in edges:
        a, b = record["subject"].split(" v ")
        value, verdict = record["estimate"], record["verdict"] or "undecided"
        cells[a, b] = (value, verdict)
        cells[b, a] = (None if value is None else -value, verdict)
    return labels, cells


def _ribbon(variant: Variant, ending: str, of: str) -> Figure:
    chances = variant.courses.winners()
    times = [*variant.courses.times(), 1.0]
    chances = np.column_stack([chances, np.ones(len(chances))])  # at the end the winner is known
    bands = {q: np.quantile(chances, q, axis=0) if len(chances) else np.full(len(times), np.nan) for q in QUANTILES}
    mean = chances.mean(axis=0) if len(chances) else np.full(len(times), np.nan)
    title = f"Chance of the eventual winner over the game, {variant.reference} in all seats{of}"
    return figures.ribbon(
        f"chances{ending}", title, times, bands, mean, list(chances[:PATHS]), 1 / side_count(variant.base)
    )


def _rule(found: Balance, variant: Variant, ending: str) -> Figure:
    study = variant.study
    assert study is not None
    there = {one.base.rules[study.rule] for one in found.variants} - {variant.base.rules[study.rule]}
    frame = study.sweep.frame
    values = list(dict.fromkeys(frame[study.rule]))
    order = sorted(range(len(values)), key=lambda k: values[k])
    lines = {}
    for name, part in frame.groupby("strategy", sort=False):
        columns = [part[key].tolist() for key in ("estimate", "low", "high")]
        lines[str(name)] = tuple([column[k] for k in order] for column in columns)
    sets = {}
    if study.break_even is not None:
        for record in study.break_even.frame.to_dict("records"):
            sets[f"by {record['objective']}"] = [tuple(piece) for piece in record["pieces"] or []]
    return figures.sweep_bands(
        f"rule{ending}",
        f"Win share over {study.rule}: {study.line_up[0]} at a table of {study.line_up[-1]}",
        study.rule,
        [values[k] for k in order],
        lines,  # type: ignore[arg-type]
        "share",
        study.sweep.default[0],
        sets,
        next(iter(there), None),
    )
