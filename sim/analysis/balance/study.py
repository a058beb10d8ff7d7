"""One rule in depth: a line-up's win shares over its values, and where two strategies do equally well."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sim.analysis.balance.budget import Budget
from sim.analysis.balance.slopes import allowed, with_rule
from sim.analysis.breakeven import BreakEven, breakeven
from sim.analysis.grids import is_numeric, option_of, split
from sim.analysis.sweep import Sweep, sweep
from sim.errors import UsageError
from sim.scenario import Scenario


@dataclass(frozen=True)
class Study:
    """A sweep of a rule, and its break-even for two strategies of the line-up; None for a line-up of one."""

    rule: str
    line_up: tuple[str, ...]
    sweep: Sweep
    break_even: BreakEven | None


def usual(base: Scenario) -> tuple[str | None, list[int]]:
    """The game's usual study: its rule, and those of its values that can be played under the other rules."""
    if base.row.study is None:
        return None, []
    rule, values = base.row.study
    _, several = split(base.row, {rule: values})
    found = [value for value in sorted(several[rule]) if allowed(base, rule, value)]
    return (rule, found) if len(found) > 1 else (None, [])


def check(base: Scenario, rule: str, values: str) -> list[int]:
    """The values of a rule to be studied. Raises `UsageError` for what is no numeric rule, has no two values or cannot
    be played.
    """
    if rule == "players":
        raise UsageError("study: players cannot change within a report; run a report for each number")
    try:
        if not is_numeric(option_of(base.row, rule)):
            raise UsageError(f"{rule} has no numbers for values; allowed: a numeric rule, KEY=FROM:TO:STEP")
        _, several = split(base.row, {rule: values})
        found = sorted(several.get(rule, []))
        if len(found) < 2:
            raise UsageError(f"{rule}={values} holds no two values; allowed: KEY=FROM:TO:STEP or KEY=A,B,C")
        for value in found:
            with_rule(base, rule, value)
    except UsageError as error:
        raise UsageError(f"study: {error}") from None
    return found


def study(
    base: Scenario,
    rule: str,
    values: list[int],
    a: str,
    b: str,
    budget: Budget,
    *,
    level: float,
    threads: int | None,
    cache: Path | None,
    progress: bool,
) -> Study | None:
    """`a` alone at a table of `b`: win shares over the values, and the value at which they do equally well.

    None if the rule changes nothing at that table.
    """
    rules = {key: value for key, value in base.rules.items() if key != rule}
    line_up = (a, *(b,) * (base.seats - 1))
    found = sweep(
        base.game, {**rules, rule: values}, strategies=line_up, blocks=budget.study_blocks, seed=base.seed,
        metrics=["win_share"], level=level, threads=threads, cache=cache, progress=progress,
    )  # fmt: skip
    if not any(found.frame["change"]):
        return None
    broken = None
    if a != b:
        broken = breakeven(
            base.game, {**rules, rule: f"{values[0]}:{values[-1]}"}, a, b, blocks=budget.break_even_blocks,
            seed=base.seed, level=level, threads=threads, cache=cache, progress=progress,
        )  # fmt: skip
    return Study(rule, line_up, found, broken)
