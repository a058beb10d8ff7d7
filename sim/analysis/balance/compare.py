"""The measures of variants as tables: every number with its verdict, and every change with its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.analysis.balance.metrics import DEFINITIONS, epsilon
from sim.analysis.measures import COLUMNS, Floats, Measure, change, shifted
from sim.stats import Estimate, benjamini_hochberg, equivalence_p, holm, p_value

if TYPE_CHECKING:
    from sim.analysis.balance.variant import Variant

SIDES = ("before", "before_low", "before_high", "after", "after_low", "after_high")
TESTED = ("epsilon", "p", "p_adjusted", "verdict")


def metrics_frame(variants: Sequence[Variant], level: float) -> pd.DataFrame:
    """Every measure of every variant, tested against its metric's `null` where it has one (see `Balance.frame`)."""
    rows = []
    for variant in variants:
        for metric in dict.fromkeys(one.metric for one in variant.measures):
            group = [one for one in variant.measures if one.metric == metric]
            null = DEFINITIONS[metric].null
            tests = [_tested(shifted(one.value, null or 0.0), one.unit, null is not None) for one in group]
            _adjust(tests, holm, level)
            for one, test in zip(group, tests, strict=True):
                head = {"variant": variant.name, "section": DEFINITIONS[metric].section}
                rows.append({**head, **_row(one, one.value), "null": null, **test})
    return pd.DataFrame(rows, dtype=object)


def changes_frame(variants: Sequence[Variant], level: float) -> pd.DataFrame:
    """Second variant less the first, measure by measure (see `Balance.changes`)."""
    columns = ["section", *COLUMNS, *SIDES, *TESTED]
    if len(variants) < 2:
        return pd.DataFrame(columns=columns, dtype=object)
    before, after = ({(one.metric, one.subject): one for one in variant.measures} for variant in variants)
    rows, tests = [], []
    for key, old in before.items():
        if key not in after:
            continue
        new = after[key]
        value = change(new, old, level)
        if value.note == "" and new.value.note.startswith("approximate"):
            value = replace(value, note="approximate: from rollouts")
        sides = {
            f"{side}{end}": getattr(one.value, end.removeprefix("_") or "estimate")
            for side, one in (("before", old), ("after", new))
            for end in ("", "_low", "_high")
        }
        rows.append({"section": DEFINITIONS[old.metric].section, **_row(old, value), **sides})
        draws = new.draws - old.draws if new.draws is not None and old.draws is not None else None
        tests.append(_tested(value, old.unit, True, draws))
    _adjust(tests, benjamini_hochberg, level)
    return pd.DataFrame([{**row, **test} for row, test in zip(rows, tests, strict=True)], columns=columns, dtype=object)


def _row(one: Measure, value: Estimate) -> dict[str, Any]:
    names = ("estimate", "low", "high", "n", "blocks", "method", "note")
    return {
        "metric": one.metric,
        "subject": one.subject,
        "unit": one.unit,
        **{name: getattr(value, name) for name in names},
    }


def _tested(effect: Estimate, unit: str, wanted: bool, draws: Floats | None = None) -> dict[str, Any]:
    """Tests of an effect against 0 and against what does not matter; from its `draws` if it has been resampled."""
    bound = epsilon(unit) if wanted else None
    p = same = None
    if wanted and effect.estimate is not None:
        if draws is not None:
            p, same = _from_draws(draws, bound)
        else:
            p = p_value(effect)
            same = equivalence_p(effect, bound) if bound is not None else None
    return {
        "epsilon": bound, "p": p, "p_adjusted": None, "verdict": "", "same": same, "same_adjusted": None,
        "tested": wanted and effect.estimate is not None,
    }  # fmt: skip


def _from_draws(draws: Floats, bound: float | None) -> tuple[float, float | None]:
    """p of "no effect" and of "|effect| >= bound" from resampled effects, float64[D]; never below 1 / (D + 1)."""
    least = (1 + min((draws <= 0).sum(), (draws >= 0).sum())) / (draws.size + 1)
    if bound is None:
        return min(1.0, 2 * float(least)), None
    outside = (1 + max((draws <= -bound).sum(), (draws >= bound).sum())) / (draws.size + 1)
    return min(1.0, 2 * float(least)), float(outside)


def _adjust(tests: list[dict[str, Any]], method: Any, level: float) -> None:
    """Fills in the adjusted p values and the verdicts by them, and drops what only served for that."""
    for key in ("p", "same"):
        for test, value in zip(tests, method([test[key] for test in tests]), strict=True):
            test[f"{key}_adjusted"] = value
    for test in tests:
        same, differs, tested = test.pop("same_adjusted"), test["p_adjusted"], test.pop("tested")
        del test["same"]
        if tested:
            test["verdict"] = "different" if differs is not None and differs < 1 - level else "undecided"
            if same is not None and same < 1 - level:
                test["verdict"] = "equivalent"
