"""Strategies by name: "dodge", "solid:risk=0.5;spite=1" or "file.py:function" become what a kernel can call.

Built-in strategies are rows of a game's table. A user's function is compiled here, once per process, and checked:
one argument (the view), an integer result. Nothing is played until every strategy of a line-up has passed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from kernels.strategy import MAX_PARAMS, RAISED, Parameter, Strategy
from sim.errors import UsageError
from sim.games import GAMES, Game


@dataclass(frozen=True)
class UserStrategy:
    """What `@sim.strategy` makes of a function."""

    game: str
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()

    def __call__(self, view: Any) -> Any:
        return self.function(view)


def strategy(game: str, **parameters: float) -> Callable[[Callable[..., Any]], UserStrategy]:
    """Decorator: marks a function of a view as a strategy of `game`, with named parameters and their defaults.

    The function is compiled when it is used; it reads parameter k with `param(view, k)`, in the order given.
    Raises `UsageError` for an unknown game or more than 8 parameters.
    """
    if not isinstance(game, str):
        raise UsageError('strategy: name the game, as in @sim.strategy("null-nichtig")')
    if game not in GAMES:
        raise UsageError(f"strategy: no game {game}; games: {', '.join(GAMES)}")
    if len(parameters) > MAX_PARAMS:
        raise UsageError(f"strategy: at most {MAX_PARAMS} parameters")
    rows = tuple(Parameter(name, float(value), -np.inf, np.inf, "") for name, value in parameters.items())
    return lambda function: UserStrategy(game, function, rows)


@dataclass(frozen=True)
class Player:
    """One strategy of a line-up, ready for a kernel: per part a code, parameters and whether it draws lots.

    `label` is the canonical text; `codes` index the game's table, or are -1 for the user's `function`; `tunable`
    lists the parameters that the text may set, each once, with their values.
    """

    label: str
    codes: tuple[int, ...]
    params: tuple[tuple[float, ...], ...]
    draws: bool
    function: Any = field(default=None, compare=False)
    digest: str = ""
    tunable: tuple[tuple[Parameter, float], ...] = field(default=(), compare=False)


def table(game: Game) -> tuple[Strategy, ...]:
    """The game's built-in strategies."""
    rows: tuple[Strategy, ...] = game.module("strategies").STRATEGIES
    return rows


def covers(row: Strategy, part: int) -> bool:
    """Whether a row of a table has the part."""
    return not isinstance(row.function, tuple) or row.function[part] is not None


def parse(game: Game, text: str) -> Player:
    """The strategy that `text` names. Raises `UsageError` for an unknown name, parameter or value, a bad file."""
    if not isinstance(text, str) or not text.strip():
        raise UsageError("strategies: an empty name")
    text = text.strip()
    head, _, tail = text.partition(":")
    if head.endswith(".py"):
        name, _, tail = tail.partition(":")
        return _user(game, Path(head), name, _settings(text, tail))
    return _built_in(game, head, _settings(text, tail))


def meaning(game: Game, text: str) -> str:
    """What a strategy does, in a line: that of its row, and of the rows its parts come from."""
    head, _, tail = text.partition(":")
    if head.endswith(".py"):
        return "a function of your own"
    lines = {row.name: row.meaning for row in table(game)}
    parts = [value for key, value in _settings(text, tail).items() if key in game.parts and key]
    return "; ".join([lines[head], *(f"{name}: {lines[name]}" for name in dict.fromkeys(parts) if name != head)])


def _settings(text: str, tail: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for item in filter(None, (item.strip() for item in tail.split(";"))):
        key, equals, value = item.partition("=")
        if not equals or not value.strip():
            raise UsageError(f"strategy {text}: {item!r} is not of the form param=value")
        if key.strip() in settings:
            raise UsageError(f"strategy {text}: {key.strip()} is given twice")
        settings[key.strip()] = value.strip()
    return settings


def _built_in(game: Game, name: str, settings: dict[str, str]) -> Player:
    rows = {row.name: (code, row) for code, row in enumerate(table(game))}
    whole = [row for row in rows if all(covers(rows[row][1], part) for part in range(len(game.parts)))]
    if name not in whole:
        hint = " (a user's own: FILE.py:FUNCTION)"
        raise UsageError(f"strategies: no strategy {name} in {game.id}; strategies: {', '.join(whole)}{hint}")
    chosen = [name] * len(game.parts)
    for key in [key for key in settings if key in game.parts and key]:
        part, value = game.parts.index(key), settings.pop(key)
        able = [row for row in rows if covers(rows[row][1], part)]
        if value not in able:
            raise UsageError(f"strategy {name}: {key}={value} is not allowed; allowed: {', '.join(able)}")
        chosen[part] = value
    known = {parameter.name for row in chosen for parameter in rows[row][1].parameters}
    for key in settings:
        if key not in known:
            extra = f", parts: {', '.join(game.parts)}" if len(game.parts) > 1 else ""
            raise UsageError(
                f"strategy {name}: no parameter {key}; parameters: {', '.join(sorted(known)) or 'none'}{extra}"
            )
    values = {row: _params(name, rows[row][1].parameters, settings) for row in chosen}
    words = [f"{part}={row}" for part, row in zip(game.parts, chosen, strict=True) if row != name] + [
        f"{key}={number_text(value)}" for key, value in sorted(_given(settings).items())
    ]
    return Player(
        label=name + (":" + ";".join(words) if words else ""),
        codes=tuple(rows[row][0] for row in chosen),
        params=tuple(values[row] for row in chosen),
        draws=any(rows[row][1].draws for row in chosen),
        tunable=tuple(
            {
                parameter.name: (parameter, value)
                for row in chosen
                for parameter, value in zip(rows[row][1].parameters, values[row], strict=True)
            }.values()
        ),
    )


def with_values(text: str, values: Mapping[str, float]) -> str:
    """The text of a strategy with some parameters set anew."""
    head, _, tail = text.partition(":")
    if head.endswith(".py"):
        name, _, tail = tail.partition(":")
        head = f"{head}:{name}"
    settings = {**_settings(text, tail), **{key: f"{value:g}" for key, value in values.items()}}
    return head + ":" + ";".join(f"{key}={value}" for key, value in settings.items())


def canonical(text: str) -> str:
    """The one spelling of a strategy's text: settings in order, numbers at their shortest, what is bad as it is."""
    text = text.strip()
    start = text.find(".py:") + 4 if ".py:" in text else 0
    head, _, tail = text[start:].partition(":")
    settings = []
    for item in filter(None, (item.strip() for item in tail.split(";"))):
        key, equals, value = (part.strip() for part in item.partition("="))
        try:
            settings.append(f"{key}{equals}{number_text(float(value))}")
        except ValueError:
            settings.append(f"{key}{equals}{value}")
    return text[:start] + head + (":" + ";".join(sorted(settings)) if settings else "")


def number_text(value: float) -> str:
    """The shortest text of a number that reads as the same number."""
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(float(value))


def _given(settings: dict[str, str]) -> dict[str, float]:
    return {key: float(value) for key, value in settings.items()}


def _params(name: str, parameters: tuple[Parameter, ...], settings: dict[str, str]) -> tuple[float, ...]:
    values = []
    for parameter in parameters:
        text = settings.get(parameter.name)
        try:
            value = parameter.default if text is None else float(text)
        except ValueError:
            value = np.nan
        if not parameter.low <= value <= parameter.high:
            raise UsageError(
                f"strategy {name}: {parameter.name}={text} is not allowed; "
                f"allowed: a number from {parameter.low:g} to {parameter.high:g}"
            )
        values.append(value)
    return tuple(values)


def _user(game: Game, path: Path, name: str, settings: dict[str, str]) -> Player:
    if not name:
        raise UsageError(f"strategy {path}: which function? write {path}:FUNCTION")
    module = _load(path)
    candidates = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
    function = getattr(module, name, None)
    if not callable(function):
        raise UsageError(f"strategy {path}: no function {name}; it has: {', '.join(candidates) or 'none'}")
    parameters: tuple[Parameter, ...] = ()
    if isinstance(function, UserStrategy):
        if function.game != game.id:
            raise UsageError(f"strategy {path}:{name} is for {function.game}, not for {game.id}")
        parameters, function = function.parameters, function.function
    known = [parameter.name for parameter in parameters]
    for key in settings:
        if key not in known:
            raise UsageError(f"strategy {path}:{name}: no parameter {key}; parameters: {', '.join(known) or 'none'}")
    label = f"{path}:{name}"
    params = _params(label, parameters, settings)
    words = [f"{key}={number_text(value)}" for key, value in sorted(_given(settings).items())]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    which = (game.id, label, digest)
    if which not in _COMPILED:  # an analysis makes many line-ups of the same function
        _COMPILED[which] = compile_user(game, label, function)
    return Player(
        label=label + (":" + ";".join(words) if words else ""),
        codes=(-1,) * len(game.parts),
        params=(params,) * len(game.parts),
        draws=True,
        function=_COMPILED[which],
        digest=digest,
        tunable=tuple(zip(parameters, params, strict=True)),
    )


_COMPILED: dict[tuple[str, str, str], Any] = {}


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"strategy {path}: no such file")
    spec = importlib.util.spec_from_file_location(f"nullsim_user_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's file raises is one line, not a traceback
        raise UsageError(f"strategy {path} does not import: {_one_line(error)}") from None
    return module


def compile_user(game: Game, label: str, function: Callable[..., Any]) -> Any:
    """A user's function as a C-callable of the game's view; exceptions in it become the move RAISED.

    Raises `UsageError` if it does not take one argument, does not compile, or does not return an integer.
    """
    import numba
    from numba.core import types

    python = getattr(function, "py_func", function)
    if not inspect.isfunction(python):
        raise UsageError(f"strategy {label} must be a function, not {type(function).__name__}")
    if [parameter.kind.name for parameter in inspect.signature(python).parameters.values()] not in (
        ["POSITIONAL_ONLY"],
        ["POSITIONAL_OR_KEYWORD"],
    ):
        raise UsageError(f"strategy {label} must take one argument, the view")
    view = numba.from_dtype(game.module("state").VIEW)
    compiled = numba.njit(boundscheck=True)(python)
    try:
        compiled.compile((view,))
    except Exception as error:  # numba raises nearly everything over code it cannot compile
        raise UsageError(f"strategy {label} does not compile: {_one_line(error)}") from None
    result = compiled.overloads[(view,)].signature.return_type
    if not isinstance(result, types.Integer):
        raise UsageError(f"strategy {label} must return an integer, not {result}")

    def guarded(own: Any) -> Any:
        try:
            return np.int64(compiled(own))
        except Exception:
            return np.int64(RAISED)

    return numba.cfunc(types.int64(view))(guarded)


def _one_line(error: BaseException) -> str:
    """The telling part of an error, without numba's frame of advice."""
    import re

    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    dull = ("Failed in", "During:", "File ", "This error", "To see", "<source", "Use of unsupported", "-")
    if isinstance(error, KeyError):
        return f"the view has no field {error}"
    telling = [line for line in lines if not line.startswith(dull)] or lines or [type(error).__name__]
    return f"{type(error).__name__}: {telling[0]}"
