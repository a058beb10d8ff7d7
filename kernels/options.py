"""Rule options: what a rule may be set to, what it means, and the integer a kernel sees.

One `Option` serves four readers: the scenario (parse), the listing (`nullsim rules`), the kernel (encode) and
the transcript (the parsed value is what JSON holds). Every game's `rules.py` is a tuple of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class OptionError(ValueError):
    """A rule option with a value it cannot take.

    `key` is the option's name, `problem` what is wrong with the value, `allowed` what would be right.
    """

    def __init__(self, key: str, problem: str, allowed: str = "") -> None:
        self.key, self.problem, self.allowed = key, problem, allowed
        super().__init__(f"rule {key}: {problem}" + (f"; allowed: {allowed}" if allowed else ""))


@dataclass(frozen=True)
class Option:
    """A named rule. `default` is its value when not set; None where it is derived or "none" is meant."""

    name: str
    default: Any
    meaning: str

    def allowed(self) -> str:
        """The allowed values in words."""
        raise NotImplementedError  # each kind of option below says it

    def parse(self, value: Any) -> Any:
        """The value that `value` (text or a Python/TOML/JSON value) stands for; raises `OptionError`."""
        raise NotImplementedError

    def encode(self, value: Any) -> int:
        """The integer a kernel sees for a parsed value."""
        raise NotImplementedError

    def default_text(self) -> str:
        """The default in words."""
        return show(self.default)

    def refuse(self, value: Any) -> OptionError:
        return OptionError(self.name, f"{show(value)} is not allowed", self.allowed())


def show(value: Any) -> str:
    """A parsed value as one would type it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    return str(value)


@dataclass(frozen=True)
class Choice(Option):
    """One of a few values (strings, integers or None); `aliases` maps spellings. Encoded as its index."""

    values: tuple[Any, ...] = ()
    aliases: tuple[tuple[str, Any], ...] = ()

    def allowed(self) -> str:
        return ", ".join(show(value) for value in self.values)

    def parse(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (str, int, type(None))):
            raise self.refuse(value)
        text = show(value)
        for candidate in self.values:
            if show(candidate).lower() == text.lower():
                return candidate
        for spelling, candidate in self.aliases:
            if spelling.lower() == text.lower():
                return candidate
        raise self.refuse(value)

    def encode(self, value: Any) -> int:
        return self.values.index(value)


@dataclass(frozen=True)
class Number(Choice):
    """One of a few integers that a kernel sees as itself."""

    def encode(self, value: Any) -> int:
        return int(value)


@dataclass(frozen=True)
class Integer(Option):
    """An integer from `low` to `high`; with `none`, also none, which a kernel sees as `none_code`."""

    low: int = 0
    high: int = 0
    none: bool = False
    none_code: int = 0
    derived: str = ""

    def allowed(self) -> str:
        return f"an integer from {self.low} to {self.high}" + (" or none" if self.none else "")

    def default_text(self) -> str:
        return self.derived or super().default_text()

    def parse(self, value: Any) -> int | None:
        if self.none and (value is None or (isinstance(value, str) and value.lower() == "none")):
            return None
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise self.refuse(value)
        try:
            number = int(value)
        except ValueError:
            raise self.refuse(value) from None
        if not self.low <= number <= self.high:
            raise self.refuse(value)
        return number

    def encode(self, value: Any) -> int:
        return self.none_code if value is None else int(value)


@dataclass(frozen=True)
class Flag(Option):
    """true or false."""

    def allowed(self) -> str:
        return "true, false"

    def parse(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        raise self.refuse(value)

    def encode(self, value: Any) -> int:
        return int(value)


@dataclass(frozen=True)
class Subset(Option):
    """A non-empty subset of a few names, as a list or comma-separated text. Encoded as a bit mask."""

    values: tuple[str, ...] = ()

    def allowed(self) -> str:
        return "one or more of " + ", ".join(self.values) + " (comma-separated)"

    def parse(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",")]
        if not isinstance(value, (list, tuple)) or not value:
            raise self.refuse(value)
        for item in value:
            if item not in self.values or list(value).count(item) > 1:
                raise self.refuse(value)
        return tuple(item for item in self.values if item in value)

    def encode(self, value: Any) -> int:
        return sum(1 << self.values.index(item) for item in value)


RANK_ALIASES = (("10", "T"),)

#: the ranks of French cards, in the order in which a kernel counts them
RANKS = "A23456789TJQK"


@dataclass(frozen=True)
class Rank(Choice):
    """A card rank (or None); 10 is taken for T. Encoded as its index in RANKS, None as -1."""

    aliases: tuple[tuple[str, Any], ...] = RANK_ALIASES

    def encode(self, value: Any) -> int:
        return -1 if value is None else RANKS.index(value)


FIRST_DEALER = Choice(
    "first_dealer",
    "last-seat",
    "the dealer of the first round: the last seat (so seat 0 starts), or by lot",
    values=("last-seat", "random"),
)


def parse_all(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a game with its value: the given ones parsed, the others at their default.

    Raises `OptionError` for a key that is no option and for a value that is not allowed.
    """
    table = {option.name: option for option in options}
    for key in given:
        if key not in table:
            raise OptionError(key, "no such rule", ", ".join(table))
    return {name: option.parse(given[name]) if name in given else option.default for name, option in table.items()}
