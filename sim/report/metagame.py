"""What `metagame` found, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.analysis.metagame import Metagame
from sim.report.comparison import changed_rules
from sim.report.document import Document, Table
from sim.report.formats import cell
from sim.report.tournament import estimate_json
from sim.stats import RARE, Estimate

_NAMES = {"equilibrium": "equilibrium share", "gain": "gain over the mix", "alpharank": "alpha-rank mass"}


def of_metagame(found: Metagame, payoffs: bool = False) -> Document:
    """Shares and masses by strategy, all equilibria found; with `payoffs` the table behind them too."""
    scenario, metric = found.scenario, found.objective.metric
    direction = "less is better" if found.objective.sign < 0 else "more is better"
    facts = [
        ("strategies", ", ".join(found.labels)),
        ("rules", changed_rules(scenario)),
        ("payoffs", f"{metric.name}: {metric.meaning}; {direction}; players choose a strategy each, seats by lot"),
        ("played", f"all multisets of strategies, {found.blocks:,} common blocks each ({found.games:,} games)"),
        ("solution", "the symmetric mixed equilibrium at the end of the logit path from the uniform mix"),
        ("alpha-rank", _alpha(found)),
        ("payoff", f"{_text(found.payoff)} for everybody in the equilibrium"),
        (
            "viable",
            f"{_text(found.effective['equilibrium'])} strategies in the equilibrium, "
            f"{_text(found.effective['alpharank'])} in the alpha-rank masses: exp(entropy)",
        ),
        ("seed", f"{scenario.seed}, seatings {scenario.seatings}"),
        ("intervals", f"{found.level * 100:g} %, all from the same {found.draws} draws of a bootstrap over blocks"),
    ]
    document = Document(f"Meta-game: {scenario.row.title}, {scenario.seats} players", facts, _notes(found))
    document.tables.append(Table("strategies", found.frame, ["strategy"], _strategies(found)))
    document.tables.append(Table("dominance", found.dominance, ["strategy"], _dominance(found)))
    if len(found.equilibria) > 1:
        document.tables.append(Table("symmetric equilibria of the estimated table", *_equilibria(found)))
    if payoffs:
        document.tables.append(Table("payoffs", found.payoffs, ["line_up", "strategy"], _payoffs(found.payoffs)))
    document.data = {
        "scenario": scenario.model_dump(mode="json", exclude={"strategies", "blocks", "record", "target_error"}),
        "objective": metric.name,
        "alpha": found.alpha,
        "population": found.population,
        "effective": {name: estimate_json(value) for name, value in found.effective.items()},
        "payoff": estimate_json(found.payoff),
        "equilibria": [
            {
                "mix": dict(zip(found.labels, one.mix, strict=True)),
                "payoff": found.objective.sign * one.payoff,
                "regret": one.regret,
            }
            for one in found.equilibria
        ],
    }
    return document


def _alpha(found: Metagame) -> str:
    if found.alpha is None:
        return "-"
    return f"selection strength {found.alpha:.4g}, population {found.population}, one mutant at a time"


def _text(value: Estimate) -> str:
    return sure_cell({key: getattr(value, key) for key in ("estimate", "low", "high")})


def sure_cell(record: Mapping[Any, Any]) -> str:
    """As `cell`, with four decimals for what lies between 0 and 1, and words where draws agree."""
    value, low, high = record["estimate"], record["low"], record["high"]
    if value is None or low is None or high is None:
        return cell(record)
    if low == high:
        return f"{value:.4f} (no spread)"
    return f"{value:.4f} [{low:.4f}, {high:.4f}]" if min(low, value) >= 0 and max(high, value) <= 1 else cell(record)


def _notes(found: Metagame) -> list[str]:
    notes = []
    if found.blocks < RARE:
        notes.append(f"only {found.blocks} blocks: no intervals, or none to be trusted")
    if not found.settled:
        notes.append("alpha-rank: the masses still change with the selection strength at its largest")
    if len(found.equilibria) > 1:
        notes.append(
            f"{len(found.equilibria)} symmetric equilibria were found; shares and intervals are those of the one on "
            "the logit path"
        )
    return notes


def _strategies(found: Metagame) -> pd.DataFrame:
    rows: dict[str, dict[str, str]] = {}
    for record in found.frame.to_dict("records"):
        rows.setdefault(record["strategy"], {})[_NAMES[record["metric"]]] = sure_cell(record)
    return pd.DataFrame([{"strategy": name, **cells} for name, cells in rows.items()])


def _dominance(found: Metagame) -> pd.DataFrame:
    rows = [
        {
            "strategy": row["strategy"],
            "verdict": row["verdict"],
            "dominated in draws": "-" if row["share"] is None else f"{row['share']:.1%}",
        }
        for row in found.dominance.to_dict("records")
    ]
    return pd.DataFrame(rows)


def _equilibria(found: Metagame) -> tuple[pd.DataFrame, list[str], pd.DataFrame]:
    rows, words = [], []
    for i, one in enumerate(found.equilibria, 1):
        payoff = found.objective.sign * one.payoff
        rows.append({"number": i, **dict(zip(found.labels, one.mix, strict=True)), "payoff": payoff})
        shares = {name: f"{share:.4f}" for name, share in zip(found.labels, one.mix, strict=True)}
        words.append({"number": str(i), **shares, "payoff": f"{payoff:.5g}"})
    return pd.DataFrame(rows, dtype=object), ["number"], pd.DataFrame(words)


def _payoffs(frame: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {"line-up": row["line_up"], "strategy": row["strategy"], "seats": str(row["seats"]), row["metric"]: cell(row)}
        for row in frame.to_dict("records")
    ]
    return pd.DataFrame(rows)
