"""How figures write numbers, and what they ask of their input."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim.errors import UsageError

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Unit:
    """What is shown: `factor` times the value, with `name` beside the axis and `suffix` after a number."""

    factor: float
    name: str
    suffix: str = ""


def difference(unit: str) -> Unit:
    """The unit of a difference: shares in percentage points."""
    return Unit(100, "percentage points") if unit == "share" else Unit(1, unit)


def level(unit: str) -> Unit:
    """The unit of a value: shares in percent."""
    return Unit(100, "%", " %") if unit == "share" else Unit(1, unit)


def known(value: Any) -> float | None:
    """The number, or None for None and for what is not finite."""
    return None if value is None or not math.isfinite(value) else float(value)


def scaled(value: Any, unit: Unit) -> float | None:
    """The number in the unit shown."""
    number = known(value)
    return None if number is None else number * unit.factor


def gap(value: Any, unit: Unit) -> float:
    """The number in the unit shown, NaN where it is not known: a gap in what is drawn."""
    number = scaled(value, unit)
    return math.nan if number is None else number


def digits_of(half: float) -> int:
    """Decimals that give an uncertainty two digits."""
    return 2 if half <= 0 else max(0, min(6, 1 - math.floor(math.log10(float(f"{half:.1e}")))))


def digits_for(largest: float) -> int:
    """Decimals that give a number three digits."""
    return 1 if largest <= 0 else max(0, min(4, 2 - math.floor(math.log10(largest))))


def number(value: float, digits: int, sign: bool = False) -> str:
    """A number with a true minus; zero has no sign."""
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if float(text) == 0:
        text = f"{0:.{digits}f}"
    return text.replace("-", MINUS)


def plain(value: float) -> str:
    """A number as short as it can be, such as the value of a rule."""
    return f"{value:g}".replace("-", MINUS)


def told(estimate: Any, low: Any, high: Any, unit: Unit, sign: bool = False) -> str:
    """An estimate with its interval in the unit shown: "+31.11 ±0.68", "1.0 (0.2 to 3.9)", "no estimate"."""
    value, bottom, top = (scaled(one, unit) for one in (estimate, low, high))
    if value is None:
        return "no estimate"
    if bottom is None or top is None:
        return f"{number(value, digits_for(abs(value)), sign)}{unit.suffix} (no interval)"
    half = (top - bottom) / 2
    if half < 1e-9:
        return f"{number(value, 1, sign)}{unit.suffix}"
    digits = digits_of(half)
    if math.isclose(value - bottom, top - value, rel_tol=1e-6, abs_tol=1e-12):
        return f"{number(value, digits, sign)} ±{half:.{digits}f}{unit.suffix}"
    span = f"{number(bottom, digits, sign)} to {number(top, digits, sign)}"
    return f"{number(value, digits, sign)}{unit.suffix} ({span})"


def limits(values: Iterable[float | None], *fixed: float, pad: float = 0.06) -> tuple[float, float]:
    """A range that holds all known values and the `fixed` ones, with air; never empty."""
    held = [value for value in values if value is not None and math.isfinite(value)] + list(fixed)
    low, high = (min(held), max(held)) if held else (-1.0, 1.0)
    air = pad * (high - low) or 0.1 * abs(high) or 1.0
    return low - air, high + air


def listed(words: list[str]) -> str:
    """Words in a row: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def choose(key: str, value: Any, allowed: Iterable[str]) -> None:
    """Raises `UsageError` unless the value is one of those allowed."""
    names = list(allowed)
    if value not in names:
        raise UsageError(f"{key}: not {value!r}; allowed: {', '.join(names)}")


def same_length(key: str, *lists: Any) -> None:
    """Raises `UsageError` unless all lists have one length."""
    if len({len(one) for one in lists}) > 1:
        raise UsageError(f"{key}: lists of {listed([str(len(one)) for one in lists])} values; one length is needed")
