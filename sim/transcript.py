"""Transcripts: games of a run written move by move, and games from anywhere checked by the referee."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernels.options import OptionError
from kernels.transcript import Foul, Judgement, Say, quiet
from sim.engine import Engine
from sim.errors import RunError, UsageError
from sim.games import GAMES, Game
from sim.scenario import MOST_BLOCKS

FORMAT = "nullsim-transcript/1"
KEYS = ("format", "game", "rules", "seats", "seed", "game_index", "block", "seating", "rounds", "result")
NEEDED = ("format", "game", "rounds")


def record(engine: Engine, block: int, seating: int) -> tuple[dict[str, Any], RunError | None]:
    """The transcript of one game of a run, and the error that stopped it, if one did.

    Raises `UsageError` for a block or seating that there is not. A stopped game has its moves so far and no result.
    """
    check_place(engine, block, seating)
    log, stopped = engine.log(block, seating)
    scenario, game = engine.scenario, engine.game
    rules = rules_to_json(scenario.rules)
    data: dict[str, Any] = {
        "format": FORMAT,
        "game": game.id,
        "rules": rules,
        "seats": [engine.players[slot].label for slot in engine.seatings[seating]],
        "seed": scenario.seed,
        "game_index": block * engine.games_per_block + seating,
        "block": block,
        "seating": seating,
        "rounds": game.module("transcript").decode(log, scenario.rules),
    }
    if stopped is None:
        try:
            data["result"] = result_of(game.module("referee").judge(scenario.rules, data["rounds"], quiet))
        except Foul as foul:
            raise RunError(f"kernel and referee disagree, which is a fault of this program: {foul}") from None
    return data, stopped


def check_place(engine: Engine, block: int, seating: int) -> None:
    """Raises `UsageError` for a block or seating that a scenario does not have."""
    last = engine.games_per_block - 1
    if not 0 <= seating <= last:
        raise UsageError(f"seating: {seating} is not allowed; allowed: an integer from 0 to {last}")
    if not 0 <= block < MOST_BLOCKS:
        raise UsageError(f"block: {block} is not allowed; allowed: an integer from 0 to {MOST_BLOCKS - 1}")


def rules_to_json(rules: dict[str, Any]) -> dict[str, Any]:
    """Completed rule options as JSON values: "none" is null, a subset is a list."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in rules.items()}


def result_of(judgement: Judgement) -> dict[str, Any]:
    """The `result` of a transcript."""
    result: dict[str, Any] = {"totals": judgement.totals, "winners": judgement.winners}
    if judgement.losers is not None:
        result["losers"] = judgement.losers
    return {**result, "truncated": judgement.truncated}


def check(data: Any, say: Say = quiet) -> tuple[Game, Judgement]:
    """Referees one transcript; `say` is told its course. Raises `Foul` naming what breaks the rules or the format."""
    if not isinstance(data, dict):
        raise Foul("a transcript is a JSON object")
    for key in data:
        if key not in KEYS:
            raise Foul(f"unknown key {key}; keys: {', '.join(KEYS)}")
    for key in NEEDED:
        if key not in data:
            raise Foul(f"{key} is missing")
    if data["format"] != FORMAT:
        raise Foul(f"format {data['format']} is not {FORMAT}")
    if not isinstance(data["game"], str) or data["game"] not in GAMES:
        raise Foul(f"no game {data['game']}; games: {', '.join(GAMES)}")
    game = GAMES[data["game"]]
    rules = _rules(game, data.get("rules", {}))
    _check_origin(data, rules)
    if not isinstance(data["rounds"], list) or not all(isinstance(item, dict) for item in data["rounds"]):
        raise Foul("rounds must be a list of objects")
    judgement = game.module("referee").judge(rules, data["rounds"], say)
    if "result" in data:
        _check_result(data["result"], result_of(judgement))
    return game, judgement


def _rules(game: Game, rules: Any) -> dict[str, Any]:
    if not isinstance(rules, dict):
        raise Foul("rules must be an object")
    try:
        completed: dict[str, Any] = game.module("rules").complete(rules)
    except OptionError as error:
        raise Foul(str(error)) from None
    return completed


def _check_origin(data: dict[str, Any], rules: dict[str, Any]) -> None:
    seats = data.get("seats", [""] * rules["players"])
    if not isinstance(seats, list) or not all(isinstance(item, str) for item in seats):
        raise Foul("seats must be a list of names")
    if len(seats) != rules["players"]:
        raise Foul(f"seats names {len(seats)} players, the rules say {rules['players']}")
    for key in ("seed", "game_index", "block", "seating"):
        value = data.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise Foul(f"{key} must be an integer from 0")
    if rules.get("declarer") == "rotate" and "block" in data:
        for round_ in data["rounds"] if isinstance(data["rounds"], list) else []:
            moves = round_.get("moves") if isinstance(round_, dict) else None
            first = moves[0] if isinstance(moves, list) and moves and isinstance(moves[0], dict) else {}
            if first.get("seat", data["block"] % 3) != data["block"] % 3:
                raise Foul(f"under rotate seat {data['block'] % 3} declares in block {data['block']}", 1, 1)


def _check_result(given: Any, right: dict[str, Any]) -> None:
    if not isinstance(given, dict):
        raise Foul("result must be an object")
    for key, value in given.items():
        if key not in right:
            raise Foul(f"result: unknown key {key}; keys: {', '.join(right)}")
        if json.dumps(value) != json.dumps(right[key]):  # 1.0 and true are not 1
            raise Foul(f"result: {key} is {json.dumps(value)}, the moves give {json.dumps(right[key])}")


def read(path: Path) -> Iterator[tuple[int, Any]]:
    """The transcripts of a file (one JSON object, or JSON Lines) with their number from 1.

    Raises `UsageError` for a file that cannot be read or holds no JSON, naming the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file") from None
    if not text.strip():
        raise UsageError(f"{path}: empty file")
    try:
        yield 1, json.loads(text)
        return
    except (ValueError, RecursionError):
        pass
    number = 0
    for line_number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            number += 1
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                raise UsageError(f"{path}, line {line_number}: no JSON") from None
