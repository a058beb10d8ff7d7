"""Values of a rule to be played one after the other: KEY=a,b,c and KEY=from:to:step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim.errors import UsageError
from sim.games import Game

#: more points than this are a mistake rather than a question
MOST_VALUES = 1000


def option_of(game: Game, key: str) -> Any:
    """The rule option of that name. Raises `UsageError` naming the game's options."""
    options = {option.name: option for option in game.module("rules").OPTIONS}
    if key not in options:
        raise UsageError(f"rule {key}: no such rule; allowed: {', '.join(options)}")
    return options[key]


def split(game: Game, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The rules with one value, and the values of those with several.

    A text that the rule takes as it stands is one value, so that sets of names keep their commas; their own lists are
    separated by semicolons. Any other iterable is a list of values. Raises `UsageError` for what the rule cannot be.
    """
    fixed: dict[str, Any] = {}
    several: dict[str, list[Any]] = {}
    for key, value in given.items():
        option = option_of(game, key)
        if _takes(option, value):
            fixed[key] = value
        elif isinstance(value, str):
            several[key] = _from_text(option, value)
        elif isinstance(value, Iterable):
            several[key] = _parsed(option, list(value))
        else:
            _parse(option, value)  # raises
    return fixed, several


def number_range(game: Game, key: str, text: str) -> Sequence[int]:
    """The values from:to of a numeric rule, in order; with from:to:step only those of the step.

    Raises `UsageError` for a rule without numbers, a malformed text and fewer than two values.
    """
    option = option_of(game, key)
    low, high, step = _bounds(option, text)
    values = getattr(option, "values", None)
    found: Sequence[int] = range(low, high + 1, step)
    if values is not None:
        found = [value for value in sorted(values) if value in found]
    if len(found) < 2:
        raise UsageError(f"rule {key}: {text} holds no two values; allowed: {option.allowed()}")
    for value in (found[0], found[-1]):
        _parse(option, value)
    return found


def is_numeric(option: Any) -> bool:
    """Whether the rule's values are integers."""
    values = getattr(option, "values", None)
    if values is None:
        return hasattr(option, "low")
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def _from_text(option: Any, text: str) -> list[Any]:
    if ":" in text and is_numeric(option):
        low, high, step = _bounds(option, text)
        if (high - low) // step >= MOST_VALUES:
            raise UsageError(f"rule {option.name}: {text} are too many values; give a larger step")
        return _parsed(option, list(range(low, high + 1, step)))
    separator = ";" if ";" in text else ","
    if separator not in text:
        _parse(option, text)  # raises
    return _parsed(option, [part.strip() for part in text.split(separator)])


def _bounds(option: Any, text: str) -> tuple[int, int, int]:
    """from, to, step of a text."""
    if not is_numeric(option):
        raise UsageError(f"rule {option.name}: it has no numbers for values; allowed: {option.allowed()}")
    parts = text.split(":")
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    low, high, step = [*numbers, 1][:3] if len(numbers) in (2, 3) else (0, -1, 1)
    if not (low <= high and step >= 1):
        raise UsageError(f"rule {option.name}: {text} is not allowed; allowed: FROM:TO or FROM:TO:STEP, FROM <= TO")
    return low, high, step


def _parsed(option: Any, values: list[Any]) -> list[Any]:
    """The values as the rule understands them, each once."""
    return list(dict.fromkeys(_parse(option, value) for value in values))


def _parse(option: Any, value: Any) -> Any:
    try:
        return option.parse(value)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _takes(option: Any, value: Any) -> bool:
    try:
        option.parse(value)
    except ValueError:
        return False
    return True
