"""`sim.balance`: every metric of the balance of a game, and of a variant of it on the same cards."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from sim.analysis.balance import study as studies
from sim.analysis.balance.budget import FULL, QUICK, Budget
from sim.analysis.balance.compare import changes_frame, metrics_frame
from sim.analysis.balance.variant import STAGES, Player, Variant, measured
from sim.analysis.lineups import base_scenario, names_of
from sim.analysis.tournament import check_numbers
from sim.errors import UsageError
from sim.games import Game, find_game
from sim.scenario import Scenario

__all__ = ["FULL", "QUICK", "Balance", "Budget", "Variant", "balance"]


@dataclass
class Balance:
    """What `balance` finds.

    variants   the game as asked for, and `against` beside it if there is one
    reference  the strategy that plays where all seats play alike
    frame      one row per variant, metric and subject: variant, section, metric, subject, unit, estimate, low, high, n,
               blocks, method, note, null, epsilon, p, p_adjusted (Holm within a metric), verdict ("different",
               "equivalent", "undecided"; "" where a metric has no value at which there is nothing to report)
    changes    one row per metric and subject: second variant less the first, paired by block: section, metric,
               subject, unit, estimate, low, high, n, blocks, method, note, before, before_low, before_high, after,
               after_low, after_high (the two variants' own values), epsilon, p, p_adjusted (Benjamini-Hochberg over
               all), verdict; empty without a second variant
    """

    game: Game
    names: tuple[str, ...]
    reference: str
    variants: tuple[Variant, ...]
    budget: Budget
    quick: bool
    seed: int
    level: float
    frame: pd.DataFrame
    changes: pd.DataFrame


def balance(
    game: str,
    *,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    strategies: str | Sequence[str] | None = None,
    against: Mapping[str, Any] | None = None,
    reference: str | None = None,
    study: str | None = None,
    quick: bool = False,
    budget: Budget | None = None,
    seed: int = 1,
    level: float = 0.95,
    threads: int | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Balance:
    """Measures the balance of a game under `rules`, and under those with `against` over them on the same blocks.

    strategies  the ladder; default: the game's own (with `quick` its fast part)
    reference   the one of them that plays in all seats where seats, courses and decisions are measured; default: the
                strongest by Plackett-Luce (among the fast ones, if the ladder is the game's own)
    study       KEY=FROM:TO:STEP, the numeric rule that is looked at in depth; default: the game's usual one
    budget      how much is played; `quick` takes a tenth of the usual, with wider intervals
    cache       a folder in which all that is played is kept; a second call takes it from there
    Raises `UsageError` naming the key, `RunError` if a strategy fails.
    """
    row = find_game(game)
    names = tuple(names_of(row, (row.fast if quick else row.ladder) if strategies is None else strategies))
    amount = budget or (QUICK if quick else FULL)
    check_numbers(level=level, draws=amount.draws)
    base = _base(row, names[0], players, dict(rules or {}), seed)
    bases = {_name(base): base}
    if against:
        if "players" in against:
            raise UsageError("against: players cannot change between the variants; run a report for each number")
        other = _base(row, names[0], players, {**dict(rules or {}), **against}, seed)
        if other.rules == base.rules:
            raise UsageError("against: the second variant has the rules of the first")
        bases[_name(other)] = other
    if reference is not None:
        reference = names_of(row, [reference], "reference")[0]
        if reference not in names:
            raise UsageError(f"reference: {reference} is not in the ladder; allowed: {', '.join(names)}")
    rule, values = _study(base, study)
    home = Path(cache) if cache is not None else None
    announce = _announcer(len(STAGES) * len(bases) + (rule is not None), progress)
    fast = [name for name in names if strategies or name in names_of(row, row.fast)]
    variants: list[Variant] = []
    for name, one in bases.items():
        player = Player(name, one, names, amount, level, threads, home, progress, announce)
        studied = (rule, values) if rule is not None and not variants else None
        variants.append(measured(player, reference, fast, studied))
        reference = variants[0].reference
    assert reference is not None
    return Balance(
        row,
        names,
        reference,
        tuple(variants),
        amount,
        quick,
        seed,
        level,
        metrics_frame(variants, level),
        changes_frame(variants, level),
    )


def _announcer(stages: int, shown: bool) -> Callable[[str], None]:
    """A function that says on stderr which of all stages begins; silent unless `shown`."""
    numbers = count(1)

    def announce(stage: str) -> None:
        number = next(numbers)
        if shown:
            print(f"nullsim: [{number}/{stages}] {stage}", file=sys.stderr, flush=True)

    return announce


def _base(row: Game, name: str, players: int | None, rules: dict[str, Any], seed: int) -> Scenario:
    return base_scenario(row, name, blocks=1, players=players, rules=rules, seed=seed)


def _name(base: Scenario) -> str:
    """A variant's name: the rules that differ from the default for its number of players."""
    return ", ".join(f"{key}={value}" for key, value in base.changed.items()) or "default rules"


def _study(base: Scenario, text: str | None) -> tuple[str | None, list[int]]:
    """The rule to study and its values."""
    if text is None:
        return studies.usual(base)
    rule, equals, values = text.partition("=")
    if not equals:
        raise UsageError(f"study: {text} is not allowed; allowed: KEY=FROM:TO:STEP or KEY=A,B,C")
    return rule.strip(), studies.check(base, rule.strip(), values.strip())
