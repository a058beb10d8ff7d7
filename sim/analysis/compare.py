"""`sim.compare`: how much better is A than B, and am I sure? Two strategies in one field, or two rule sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from sim.analysis.progress import progress as shown_progress
from sim.analysis.samples import CACHE, metric_index, sample
from sim.analysis.sides import Contrast, Field, check_versus, in_field
from sim.errors import UsageError
from sim.games import Metric
from sim.scenario import MAX_BLOCKS, Scenario, check_blocks, check_level, scenario
from sim.stats import Estimate, SprtState, Verdict, gsprt, holm, verdict

#: the first look of a sequential comparison, and how much further away each next one is
FIRST_LOOK, GROWTH = 250, 1.25
#: differences that do not matter unless said otherwise: of shares, and of anything else
EPSILON_SHARE, EPSILON_OTHER = 0.01, 0.1

Key = tuple[str, str]  # (strategy, metric)


@dataclass
class Comparison:
    """What `compare` finds. `main` is the metric that sequential procedures and checks go by.

    frame: one row per strategy and metric with columns strategy, metric, unit, a, b (the sides' means), estimate
    (A - B), low, high, n, blocks, method, note, p, p_adjusted (Holm over the rows; None in sequential mode), epsilon,
    verdict, pairing (variance of two separate sets of blocks over that of common ones), gain (variance of as many
    independent games over the achieved one); None, never NaN, for what there is not.
    """

    a: Scenario
    b: Scenario
    names: tuple[str, str]
    main: str
    frame: pd.DataFrame
    blocks: int
    level: float
    mode: str = "fixed"
    bounds: tuple[float, float, float, float] | None = None
    target: float | None = None
    sprt: SprtState | None = None
    trace: list[tuple[int, float]] = field(default_factory=list)
    reached: bool = True

    @property
    def answer(self) -> pd.Series[Any]:
        """The row of the main metric."""
        return self.frame.iloc[0]

    def states(self) -> set[str]:
        """What can be said of the main metric: its verdict, better or worse if different, the SPRT's decision."""
        found: set[str] = set()
        metrics = {metric.name: metric for metric in self.a.row.metrics}
        for row in self.frame[self.frame["metric"] == self.main].to_dict("records"):
            found.add(str(row["verdict"]))
            if row["verdict"] == "different":
                found.add("worse" if (row["estimate"] < 0) != metrics[self.main].low else "better")
        if self.sprt is not None:
            found.add(self.sprt.decision)
        return found


def compare(
    game: str,
    a: str | None = None,
    b: str | None = None,
    *,
    field: Field | None = None,
    versus: str = "seat",
    strategies: Field | None = None,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    a_rules: Mapping[str, Any] | None = None,
    b_rules: Mapping[str, Any] | None = None,
    blocks: int | None = None,
    games: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    metrics: Sequence[str] | None = None,
    epsilon: float | Mapping[str, float] | None = None,
    level: float = 0.95,
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    target_error: float | None = None,
    max_blocks: int | None = None,
    threads: int | None = None,
    cache: str | Path | None = CACHE,
    progress: bool = False,
) -> Comparison:
    """A minus B of some metrics [win_share, score], paired on common blocks.

    With `a` and `b`: both strategies in the same seat of a table whose other seats hold `field` [b], one after the
    other (`versus="seat"`), or both at one table whose other seats hold `field` (`versus="table"`). With `a_rules`
    and `b_rules` on top of `rules`: two rule sets, for every strategy of the line-up `strategies`, or for `a` in
    `field`. `epsilon`: the difference that does not matter, for the main metric or by name. `sprt=(low, high)` plays
    until the main metric's difference is shown to be <= low (reject) or >= high (accept), with error chances `alpha`
    and `beta`; `target_error` until its interval's half-width is so small; both at most `max_blocks` blocks, and
    then all intervals are valid however often one looks. Raises `UsageError` naming the key.
    """
    check_versus(versus)
    base: dict[str, Any] = {"players": players, "seed": seed, "seatings": seatings, "versus": versus}
    sides, names = _sides(game, a, b, field, strategies, dict(rules or {}), a_rules, b_rules, base)
    chosen = _metrics(sides[0], metrics)
    bounds = _epsilons(chosen, epsilon)
    check_level(level)
    mode = _mode(sprt, alpha, beta, target_error)
    if mode == "fixed":
        if max_blocks is not None:
            raise UsageError("max_blocks: it goes with sprt or target_error; otherwise give blocks")
        most = scenario(**{**_whole(sides[0]), "blocks": blocks, "games": games}).blocks
    else:
        if blocks is not None or games is not None:
            raise UsageError(f"blocks, games: with {mode} give max_blocks")
        check_blocks("max_blocks", max_blocks)
        most = max_blocks or MAX_BLOCKS
    keys = [(label, metric.name) for metric in chosen for label in _rows(sides, a)]
    slots = {label: _slots(sides, a, b, label) for label in dict(keys)}
    tables = [sides[0]] if sides[0] == sides[1] else list(sides)
    home = Path(cache) if cache is not None else None
    sums: dict[Key, Contrast] = {}
    state: SprtState | None = None
    trace: list[tuple[int, float]] = []
    done, reached = 0, mode == "fixed"
    with shown_progress(len(tables) * most, progress) as told:
        for last in [most] if mode == "fixed" else _looks(most):
            samples = [
                sample(side, last - done, first=done, threads=threads, cache=home, progress=told) for side in tables
            ]
            for label, name in keys:
                new = Contrast.between(samples[0], samples[-1], name, slots[label])
                sums[label, name] = sums[label, name] + new if (label, name) in sums else new
            done = last
            if mode == "sprt":
                assert sprt is not None
                contrast = sums[keys[0]]
                state = gsprt(contrast.difference(level), *sprt, alpha, beta, informative=contrast.differing)
                trace.append((done, state.llr))
                reached = state.decision != "undecided"
            elif mode == "target_error":
                assert target_error is not None
                halves = [sums[key].difference(level, True).half_width for key in keys if key[1] == chosen[0].name]
                reached = all(half is not None and half <= target_error for half in halves)
            if reached:
                break
    frame = _frame(chosen, keys, sums, bounds, level, mode != "fixed")
    return Comparison(
        sides[0],
        sides[1],
        names,
        chosen[0].name,
        frame,
        done,
        level,
        mode,
        (*sprt, alpha, beta) if sprt is not None else None,
        target_error,
        state,
        trace,
        reached,
    )


def _sides(
    game: str,
    a: str | None,
    b: str | None,
    field: Field | None,
    strategies: Field | None,
    rules: dict[str, Any],
    a_rules: Mapping[str, Any] | None,
    b_rules: Mapping[str, Any] | None,
    base: dict[str, Any],
) -> tuple[tuple[Scenario, Scenario], tuple[str, str]]:
    """The two scenarios and what they are called."""
    versus = base.pop("versus")
    both = [{**rules, **(own or {})} for own in (a_rules, b_rules)]
    if not a_rules and not b_rules and (a is None or b is None):
        raise UsageError("a, b: name two strategies; or two rule sets with a_rules and b_rules")
    if a is None:
        if b is not None or field is not None:
            raise UsageError("a: name the strategy that sits in the field, or give strategies for the whole line-up")
        made = [scenario(game=game, rules=own, strategies=strategies, **base) for own in both]
        names = [_rule_name(own or {}) for own in (a_rules, b_rules)]
    else:
        if strategies is not None:
            raise UsageError("strategies: the line-up is made of a, b and field; leave it out")
        b = a if b is None else b
        others = b if field is None else field
        heads = [(a,), (b,)] if versus == "seat" else [(a, b), (a, b)]
        made = [in_field(game, who, others, rules=own, **base) for who, own in zip(heads, both, strict=True)]
        names = [
            f"{who} with {_rule_name(own)}" if own else who for who, own in ((a, a_rules or {}), (b, b_rules or {}))
        ]
    return (made[0], made[1]), (names[0], names[1])


def _rule_name(rules: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in rules.items()) or "the rules as they are"


def _rows(sides: tuple[Scenario, Scenario], a: str | None) -> list[str]:
    """The strategies that get a row each: A's seat, or everyone of the line-up."""
    return [sides[0].labels[0]] if a is not None else [label for label in sides[0].labels if label in sides[1].labels]


def _slots(sides: tuple[Scenario, Scenario], a: str | None, b: str | None, label: str) -> tuple[int, int]:
    if a is not None:
        return (0, sides[1].labels.index(b or a))  # A is the first of its line-up
    return (sides[0].labels.index(label), sides[1].labels.index(label))


def _whole(side: Scenario) -> dict[str, Any]:
    return {"game": side.game, "rules": side.rules, "strategies": side.strategies, "seatings": side.seatings}


def _metrics(side: Scenario, names: Sequence[str] | None) -> list[Metric]:
    metrics = side.row.metrics
    return [metrics[metric_index(side.row, name)] for name in (names or ("win_share", "score"))]


def _epsilons(metrics: list[Metric], given: float | Mapping[str, float] | None) -> dict[str, float]:
    """The difference that does not matter, by metric; a bare number is meant for the first."""
    bounds = {metric.name: EPSILON_SHARE if metric.unit == "share" else EPSILON_OTHER for metric in metrics}
    own = given if isinstance(given, Mapping) else {} if given is None else {metrics[0].name: given}
    for name, value in own.items():
        if name not in bounds:
            raise UsageError(f"epsilon: {name} is not compared; metrics: {', '.join(bounds)}")
        if not 0 < value < float("inf"):
            raise UsageError(f"epsilon: {value} is not allowed; allowed: a number above 0")
        bounds[name] = value
    return bounds


def _mode(sprt: tuple[float, float] | None, alpha: float, beta: float, target_error: float | None) -> str:
    if sprt is not None and target_error is not None:
        raise UsageError("sprt and target_error: give one of them")
    if target_error is not None and not 0 < target_error < float("inf"):
        raise UsageError(f"target_error: {target_error} is not allowed; allowed: a number above 0")
    if sprt is None:
        return "fixed" if target_error is None else "target_error"
    if not -float("inf") < sprt[0] < sprt[1] < float("inf"):
        raise UsageError(f"sprt: {sprt[0]}:{sprt[1]} is not allowed; allowed: LOW:HIGH with LOW < HIGH")
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 < value < 0.5:
            raise UsageError(f"{name}: {value} is not allowed; allowed: a number between 0 and 0.5")
    return "sprt"


def _looks(most: int) -> list[int]:
    """Numbers of blocks at which a sequential comparison looks."""
    looks, last = [], float(FIRST_LOOK)
    while last < most:
        looks.append(int(last))
        last *= GROWTH
    return [*looks, most]


def _frame(
    metrics: list[Metric],
    keys: list[Key],
    sums: dict[Key, Contrast],
    bounds: dict[str, float],
    level: float,
    sequential: bool,
) -> pd.DataFrame:
    units = {metric.name: metric.unit for metric in metrics}
    rows: list[dict[str, Any]] = []
    for label, name in keys:
        contrast = sums[label, name]
        effect = contrast.difference(level, sequential)
        epsilon = bounds[name]
        said = _watched(effect, epsilon, level) if sequential else verdict(effect, epsilon, 1 - level)
        a, b = contrast.means()
        rows.append(
            {
                "strategy": label,
                "metric": name,
                "unit": units[name],
                "a": a,
                "b": b,
                **{key: getattr(effect, key) for key in ("estimate", "low", "high", "n", "blocks", "method")},
                "note": said.note or effect.note,
                "p": said.p_different,
                "p_adjusted": None,
                "epsilon": epsilon,
                "verdict": said.verdict,
                "pairing": contrast.pairing(),
                "gain": contrast.gain(),
            }
        )
    for row, value in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_adjusted"] = value
    return pd.DataFrame(rows, dtype=object)


def _watched(effect: Estimate, epsilon: float, level: float) -> Verdict:
    """The verdict of an interval that may be looked at any time: where it lies."""
    if effect.low is None or effect.high is None:
        return Verdict("undecided", epsilon, None, None, 1 - level, effect.note)
    different = effect.low > 0 or effect.high < 0
    if -epsilon < effect.low and effect.high < epsilon:
        note = "not 0, but smaller than epsilon" if different else effect.note
        return Verdict("equivalent", epsilon, None, None, 1 - level, note)
    return Verdict("different" if different else "undecided", epsilon, None, None, 1 - level, effect.note)
