"""What is to be played: TOML, the command line and Python all end in one checked, frozen `Scenario`.

It holds only what decides the numbers; where they go and how many threads make them is no part of it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kernels.options import OptionError, show
from sim import seatings as designs
from sim.errors import UsageError
from sim.games import GAMES, Game, find_game
from sim.strategies import canonical

DEFAULT_BLOCKS = 10_000
#: the limit of a run that stops at a target error, unless max_blocks says another
MAX_BLOCKS = 1_000_000
MOST_BLOCKS = 2**40
#: a level beyond these asks for quantiles that no number of blocks or of bootstrap draws that is played can bear
LEVELS = (0.5, 0.9999)


class Scenario(BaseModel):
    """A game, its rules, a line-up and how much to play. Make one with `scenario`, which names every mistake.

    With a `target_error`, `blocks` is the most that is played (`max_blocks` where it is typed).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str
    rules: dict[str, Any]
    strategies: tuple[str, ...]
    blocks: int = Field(ge=1, le=MOST_BLOCKS, strict=True)
    target_error: float | None = Field(default=None, gt=0, allow_inf_nan=False, strict=True)
    seed: int = Field(default=1, ge=0, lt=2**64, strict=True)
    seatings: Literal["orbit", "rotate", "fixed"] = "orbit"
    record: Literal["games", "rounds", "none"] = "games"

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        data = dict(data)
        game = find_game(data.get("game"))
        rules = data.pop("rules", None) or {}
        if not isinstance(rules, Mapping):
            raise UsageError("rules: a table of rule options is expected")
        players = data.pop("players", None)
        if players is not None:
            if "players" in rules and show(rules["players"]) != show(players):
                raise UsageError(f"players: {players} here, {show(rules['players'])} among the rules")
            rules = {**rules, "players": players}
        try:
            data["rules"] = game.module("rules").complete(rules)
        except OptionError as error:
            raise UsageError(str(error)) from None
        data["strategies"] = _line_up(data.get("strategies"), data["rules"]["players"])
        games = data.pop("games", None)
        if games is not None:
            if data.get("blocks") is not None:
                raise UsageError("games and blocks: give one of them")
            if isinstance(games, bool) or not isinstance(games, int) or games < 1:
                raise UsageError(f"games: {games} is not allowed; allowed: an integer from 1")
            slots, mode = slots_of(data["strategies"]), data.get("seatings") or "orbit"
            if mode in designs.MODES:
                data["blocks"] = -(-games // len(designs.seatings(slots, mode)[0]))
        if data.get("target_error") is not None:
            if games is not None:
                raise UsageError("games and target_error: with target_error give max_blocks")
            most = data.pop("max_blocks", None)
            if most is not None and data.get("blocks") is not None:
                raise UsageError("blocks and target_error: with target_error give max_blocks")
            check_blocks("max_blocks", most)
            data["blocks"] = data.get("blocks") or most or MAX_BLOCKS
        elif data.get("max_blocks") is not None:
            raise UsageError("max_blocks: it goes with target_error; otherwise give blocks")
        if data.get("blocks") is None:
            data["blocks"] = DEFAULT_BLOCKS
        return {key: value for key, value in data.items() if value is not None}

    @property
    def row(self) -> Game:
        """The game's row in the table."""
        return GAMES[self.game]

    @property
    def seats(self) -> int:
        """Players at the table."""
        return int(self.rules["players"])

    @property
    def labels(self) -> tuple[str, ...]:
        """The distinct strategies: the slots of the line-up."""
        return tuple(dict.fromkeys(self.strategies))

    @property
    def changed(self) -> dict[str, str]:
        """The rules that are not at their default for the number of players, as one would type them."""
        default = self.row.module("rules").complete({"players": self.seats})
        return {key: show(value) for key, value in self.rules.items() if value != default.get(key)}


def check_blocks(key: str, value: Any) -> None:
    """Raises `UsageError` for what is no number of blocks; None is fine."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_BLOCKS:
        raise UsageError(f"{key}: {show(value)} is not allowed; allowed: an integer from 1 to {MOST_BLOCKS}")


def check_level(level: Any) -> None:
    """Raises `UsageError` for what is no level of an interval."""
    if isinstance(level, bool) or not isinstance(level, Real) or not LEVELS[0] <= float(level) <= LEVELS[1]:
        raise UsageError(f"level: {level} is not allowed; allowed: a number from {LEVELS[0]} to {LEVELS[1]}")


def slots_of(strategies: tuple[str, ...]) -> list[int]:
    """For each place of the line-up the number of its strategy among the distinct ones."""
    labels = list(dict.fromkeys(strategies))
    return [labels.index(strategy) for strategy in strategies]


def _line_up(strategies: Any, seats: int) -> tuple[str, ...]:
    if strategies is None:
        strategies = ["random"]
    if isinstance(strategies, str):
        strategies = [part.strip() for part in strategies.split(",")]
    if not isinstance(strategies, (list, tuple)) or not all(isinstance(item, str) for item in strategies):
        raise UsageError("strategies: a list of names is expected, one per seat or one for all")
    if len(strategies) == 1:
        strategies = list(strategies) * seats
    if len(strategies) != seats:
        raise UsageError(
            f"strategies: {len(strategies)} named for {seats} players; give one per seat, or one for all seats"
        )
    return tuple(canonical(text) for text in strategies)


def scenario(**values: Any) -> Scenario:
    """A checked scenario from keyword values; None means not given. Raises `UsageError`, one line."""
    try:
        return Scenario.model_validate({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        raise UsageError(_explain(error)) from None


KEYS = (
    "game",
    "players",
    "rules",
    "strategies",
    "blocks",
    "games",
    "target_error",
    "max_blocks",
    "seed",
    "seatings",
    "record",
)


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "scenario"
    kind, given = first["type"], first.get("input")
    if kind == "extra_forbidden":
        return f"{key}: no such key; keys: {', '.join(KEYS)}"
    context = first.get("ctx") or {}
    if kind == "literal_error":
        return f"{key}: {show(given)} is not allowed; allowed: {context['expected'].replace(chr(39), '')}"
    if key == "blocks":
        return f"blocks: {show(given)} is not allowed; allowed: an integer from 1 to {MOST_BLOCKS}"
    if key == "target_error":
        return f"target_error: {show(given)} is not allowed; allowed: a number above 0"
    if key == "seed":
        return f"seed: {show(given)} is not allowed; allowed: an integer from 0 to {2**64 - 1}"
    return f"{key}: {show(given)} is not allowed; {first['msg']}"


def read_toml(path: Path) -> dict[str, Any]:
    """The keys of a scenario file. Raises `UsageError` for a file that cannot be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"scenario {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"scenario {path} is no TOML: {error}") from None
