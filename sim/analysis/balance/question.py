"""What a balance report is asked for, checked and made plain before anything is played."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from sim.analysis.balance import study as studies
from sim.analysis.balance.budget import FULL, QUICK, Budget
from sim.analysis.lineups import base_scenario, names_of
from sim.analysis.tournament import check_numbers
from sim.errors import UsageError
from sim.games import Game, find_game
from sim.scenario import Scenario
from sim.strategies import parse


@dataclass(frozen=True)
class Question:
    """A checked question.

    names       the ladder
    bases       by name the variants: the game as asked for, and the second if there is one
    reference   the strategy that plays where all seats play alike; None: the strongest of `candidates`
    rule, values    the rule that is looked at in depth and its values; None: no rule is
    """

    game: Game
    names: tuple[str, ...]
    bases: Mapping[str, Scenario]
    reference: str | None
    candidates: tuple[str, ...]
    rule: str | None
    values: tuple[int, ...]
    budget: Budget
    quick: bool
    seed: int
    level: float
    told: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "told", self._told())

    def _told(self) -> dict[str, Any]:
        """All that decides the numbers as plain values, by the option it comes from; the same however it was typed."""
        first, *others = self.bases.values()
        rules = {f"--rule {key}": value for key, value in first.rules.items()}
        against = {
            f"--against {key}": value
            for other in others
            for key, value in other.rules.items()
            if value != first.rules[key]
        }
        among = "" if self.candidates == self.names else f" of {', '.join(self.candidates)}"
        digests = {name: parse(self.game, name).digest for name in self.names}
        return {
            "game": self.game.id,
            **rules,
            **against,
            "--quick": self.quick,
            "--strategies": ", ".join(self.names),
            "--reference": self.reference or f"the strongest{among}",
            "--study": None if self.rule is None else f"{self.rule}={','.join(map(str, self.values))}",
            "--seed": self.seed,
            "--level": self.level,
            **{f"budget {key}": value for key, value in vars(self.budget).items()},
            **{f"file of {name}": digest for name, digest in digests.items() if digest},
            "nullsim": version("nullsim"),
            "game version": self.game.version,
        }


def ask(
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
) -> Question:
    """The question that `balance` is asked with these arguments. Raises `UsageError` naming the key."""
    row = find_game(game)
    quick = flag("quick", quick)
    ladder = (row.fast if quick else row.ladder) if strategies is None else strategies
    names = tuple(names_of(row, ladder))
    if not isinstance(budget, Budget | None):
        raise refused("budget", budget, "a Budget")
    amount = budget or (QUICK if quick else FULL)
    if isinstance(level, bool) or not isinstance(level, int | float | np.number):
        raise refused("level", level, "a number between 0 and 1")
    check_numbers(level=level)
    own, more = (_rules(key, given) for key, given in (("rules", rules), ("against", against)))
    if "players" in more:
        raise UsageError("against: players cannot change between the variants; run a report for each number")
    fixed: dict[str, Any] = {"players": plain(players), "seed": plain(seed), "blocks": 1}
    base = base_scenario(row, names[0], rules=own, **fixed)
    bases = {name_of(base): base}
    if more:
        try:
            other = base_scenario(row, names[0], rules={**own, **more}, **fixed)
        except UsageError as error:
            raise UsageError(f"against: {error}") from None
        if other.rules == base.rules:
            raise UsageError("against: the second variant has the rules of the first")
        bases[name_of(other)] = other
    fast = names if strategies is not None else tuple(name for name in names if name in names_of(row, row.fast))
    if reference is not None:
        if not isinstance(reference, str):
            raise refused("reference", reference, ", ".join(names))
        reference = names_of(row, [reference], "reference")[0]
        if reference not in names:
            raise UsageError(f"reference: {reference} is not in the ladder; allowed: {', '.join(names)}")
    rule, values = studied(base, study)
    return Question(row, names, bases, reference, fast, rule, tuple(values), amount, quick, base.seed, float(level))


def name_of(base: Scenario) -> str:
    """A variant's name: the rules that differ from the default for its number of players."""
    return ", ".join(f"{key}={value}" for key, value in base.changed.items()) or "default rules"


def studied(base: Scenario, text: str | None) -> tuple[str | None, list[int]]:
    """The rule to study and its values: those of a text, KEY=FROM:TO:STEP or KEY=A,B,C, else the game's usual ones."""
    if text is None:
        return studies.usual(base)
    rule, equals, values = text.partition("=") if isinstance(text, str) else ("", "", "")
    if not (equals and rule.strip()):
        raise refused("study", text, "KEY=FROM:TO:STEP or KEY=A,B,C")
    return rule.strip(), studies.check(base, rule.strip(), values.strip())


def refused(key: str, value: Any, allowed: str) -> UsageError:
    """The error for a value that an argument cannot take, in one line."""
    text = value if isinstance(value, str) and value else " ".join(reprlib.repr(value).split())
    return UsageError(f"{key}: {text} is not allowed; allowed: {allowed}")


def plain(value: Any) -> Any:
    """Numpy's numbers as Python's, all else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def flag(key: str, value: Any) -> bool:
    """A truth value. Raises `UsageError` for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise refused(key, value, "True, False")
    return bool(value)


def _rules(key: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise refused(key, given, "a mapping of rule options to values")
    return {name: plain(value) for name, value in given.items()}
