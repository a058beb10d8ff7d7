"""The pictures of a balance report, from what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sim.analysis.balance import Balance, Variant
from sim.analysis.balance.metrics import CHOICE, COURSE, DEFINITIONS, RULES, SEATS, STRATEGIES
from sim.analysis.selfplay import side_count
from sim.report import figures
from sim.report.document import Figure

#: single games drawn into the ribbon, and the quantiles of its bands
PATHS, QUANTILES = 4, (0.05, 0.25, 0.5, 0.75, 0.95)


def figures_of(found: Balance) -> list[Figure]:
    """The figures of all variants; names of the second variant's end in "-against"."""
    made: list[Figure] = []
    for k, variant in enumerate(found.variants):
        ending, of = ("-against" if k else ""), (f" ({variant.name})" if len(found.variants) > 1 else "")
        made += _of_variant(found, variant, ending, of)
    return made


def _of_variant(found: Balance, variant: Variant, ending: str, of: str) -> list[Figure]:
    frame = found.frame[found.frame["variant"] == variant.name]
    rows = {metric: part.to_dict("records") for metric, part in frame.groupby("metric", sort=False)}
    made = []
    lead = "lead" if found.game.objective == "games" else "lead_points"
    if variant.match_ups.games is not None:
        made += [
            replace(
                figures.forest(
                    f"leads{ending}",
                    f"Lead of each strategy over its tables{of}",
                    [_line(record) for record in rows[lead]],
                    rows[lead][0]["unit"],
                    DEFINITIONS[lead].title.lower(),
                ),
                section=STRATEGIES,
            ),
            replace(
                figures.heat_map(
                    f"match-ups{ending}",
                    f"Match-ups: the row over the column{of}",
                    *_matrix(rows[lead], rows[lead.replace("lead", "edge")]),
                    rows[lead][0]["unit"],
                ),
                section=STRATEGIES,
            ),
        ]
    unit = next(metric.unit for metric in found.game.metrics if metric.name == "score")
    scores = {name: played.scores for name, played in variant.selfplay.items()}
    title = f"Final scores of each strategy against itself{of}"
    made.append(replace(figures.distributions(f"scores{ending}", title, scores, unit), section=STRATEGIES))
    seats = [
        (name, int(place.removeprefix("seat ")), record["estimate"], record["low"], record["high"])
        for record in rows["seat_advantage"]
        for name, _, place in [record["subject"].rpartition(", ")]
    ]
    made.append(
        replace(
            figures.seat_dots(f"seats{ending}", f"Win share by seat, less a fair share{of}", seats, "share"),
            section=SEATS,
        )
    )
    made.append(replace(_ribbon(variant, ending, of), section=COURSE))
    if "equilibrium" in rows:
        masses = [
            (record["subject"], kind, record["estimate"], record["low"], record["high"])
            for kind in ("equilibrium", "alpharank")
            for record in rows[kind]
        ]
        title = f"What players would choose{of}"
        made.append(replace(figures.masses(f"choices{ending}", title, masses), section=CHOICE))
    if variant.study is not None:
        made.append(replace(_rule(variant, ending), section=RULES))
    return made


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


def _rule(variant: Variant, ending: str) -> Figure:
    study = variant.study
    assert study is not None
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
    )
