"""What the tests of the kernels share: a kernel driven directly, and its games put before the referee."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.strategy import MAX_PARAMS
from kernels.table import FINE, Lineup
from kernels.transcript import Judgement
from sim.games import GAMES

LOG_SIZE = 1 << 20

#: a strategy in a seat: "name", "name:param=value;param=value", or one such text for each part of a strategy
Named = str | Sequence[str]


@dataclass
class Played:
    """What a kernel filled: `games` per column [blocks, seatings, seats], `rounds` per column [rows]."""

    games: dict[str, NDArray[np.int32]]
    rounds: dict[str, NDArray[np.int32]]
    log: list[int]
    status: NDArray[np.int64]
    done: int


@cache
def tables(game_id: str) -> tuple[Any, ...]:
    """The table of strategies of a game, once for each part of a strategy."""
    return (GAMES[game_id].module("strategies").STRATEGIES,) * len(GAMES[game_id].parts)


def strategy_names(game_id: str) -> list[str]:
    """The names of a game's strategies (of the first part, where there are several)."""
    return [strategy.name for strategy in tables(game_id)[0]]


def lineup(game_id: str, strategies: Sequence[Named], seatings: Sequence[Sequence[int]] | None) -> Lineup:
    """The line-up a kernel is given: by default one seating, slot s in seat s."""
    parts = tables(game_id)
    slots = len(strategies)
    codes = np.zeros((slots, len(parts)), np.int64)
    params = np.zeros((slots, len(parts), MAX_PARAMS))
    draws = np.zeros(slots, np.bool_)
    for slot, named in enumerate(strategies):
        texts = [named] * len(parts) if isinstance(named, str) else named
        for part, (table, text) in enumerate(zip(parts, texts, strict=True)):
            name, _, rest = text.partition(":")
            given = dict(pair.split("=") for pair in rest.split(";") if pair)
            code = [strategy.name for strategy in table].index(name)
            codes[slot, part] = code
            draws[slot] |= table[code].draws
            for k, parameter in enumerate(table[code].parameters):
                params[slot, part, k] = float(given.pop(parameter.name, parameter.default))
            assert not given, f"{name} has no parameter {', '.join(given)}"
    seats = np.array(seatings if seatings is not None else [range(slots)], np.int8)
    return Lineup(seats, codes, params, draws)


def play(
    game_id: str,
    blocks: int | range,
    strategies: Sequence[Named],
    rules: Mapping[str, Any] | None = None,
    *,
    seed: int = 1,
    seatings: Sequence[Sequence[int]] | None = None,
    round_rows: int = 0,
    log: bool = False,
    legal: bool = True,
) -> Played:
    """Plays blocks (a number from 0, or a range) in one call of the kernel, all rules in `rules` or default.

    `round_rows` is the room for rows of rounds. With `log`, the moves of all games in a row.
    `legal`: fail if the kernel was stopped before its last block.
    """
    game = GAMES[game_id]
    of_rules, state = game.module("rules"), game.module("state")
    blocks = range(blocks) if isinstance(blocks, int) else blocks
    line = lineup(game_id, strategies, seatings)
    shape = (len(blocks), *line.seatings.shape)
    games = np.full((len(game.game_columns), int(np.prod(shape))), -(10**9), np.int32)
    rounds = np.zeros((len(game.all_round_columns), round_rows), np.int32)
    moves = np.zeros(LOG_SIZE, np.int64) if log else None
    status = np.zeros(8, np.int64)
    done = game.module("play").play(
        blocks.start,
        blocks.stop,
        np.uint64(seed),
        of_rules.encode(of_rules.complete(rules or {})),
        line,
        None,
        np.zeros(2, state.VIEW),
        np.zeros(1, state.STATE),
        games,
        rounds,
        moves,
        status,
        None,
    )
    if legal:
        assert status[0] == FINE, status
        assert done == len(blocks)
    if moves is not None:
        assert moves[0] < LOG_SIZE
    return Played(
        {column.name: games[k].reshape(shape) for k, column in enumerate(game.game_columns)},
        {column.name: rounds[k, : status[6]] for k, column in enumerate(game.all_round_columns)},
        [] if moves is None else moves[1 : 1 + moves[0]].tolist(),
        status,
        done,
    )


def refereed(
    game_id: str,
    block: int,
    strategies: Sequence[Named],
    rules: Mapping[str, Any] | None = None,
    *,
    seed: int = 1,
    seating: Sequence[int] | None = None,
    totals: str = "score",
    sides: int = 0,
    round_rows: int = 1 << 14,
) -> tuple[Judgement, list[dict[str, Any]], Played]:
    """One game, put before the referee, who must agree with the kernel's result.

    `totals` names the column that holds what the referee calls totals. With teams (seat s in team s mod `sides`)
    a team has one share of the win, which all its seats show.
    """
    game = GAMES[game_id]
    complete = game.module("rules").complete(rules or {})
    played = play(
        game_id,
        range(block, block + 1),
        strategies,
        rules,
        seed=seed,
        seatings=None if seating is None else [seating],
        round_rows=round_rows,
        log=True,
    )
    rounds = game.module("transcript").decode(played.log, complete)
    judgement = game.module("referee").judge(complete, rounds)
    columns = {name: column[0, 0].tolist() for name, column in played.games.items()}
    seats = len(columns["score"])
    assert judgement.totals == columns[totals]
    assert [seat for seat in range(seats) if columns["win60"][seat]] == judgement.winners
    if not sides:
        assert sum(columns["win60"]) == (60 if judgement.winners else 0)
    else:
        for side in range(sides):
            assert len(set(columns["win60"][side::sides])) == 1
        assert sum(columns["win60"][:sides]) == 60
    if judgement.losers is not None:
        assert [seat for seat in range(seats) if columns["lost"][seat]] == judgement.losers
    assert columns["truncated"] == [judgement.truncated] * seats
    assert columns["rounds"] == [len(rounds)] * seats
    rows = len(played.rounds["round"])
    assert rows == seats * len(rounds)
    assert played.rounds["round"].tolist() == [number for number in range(len(rounds)) for _ in range(seats)]
    return judgement, rounds, played


def split_agrees(game_id: str, strategies: Sequence[Named], rules: Mapping[str, Any], blocks: int = 30) -> None:
    """Assert that a range of blocks gives the same rows in one call, in pieces, and after a cut for room."""
    options: dict[str, Any] = {"seed": 5, "seatings": rotations(len(strategies)), "round_rows": 1 << 16}
    whole = play(game_id, blocks, strategies, rules, **options)
    chosen = random.Random(blocks)
    cuts = sorted({0, blocks, *chosen.sample(range(1, blocks), 3)})
    pieces = [play(game_id, range(first, last), strategies, rules, **options) for first, last in pairwise(cuts)]
    for name, column in whole.games.items():
        assert (column == np.concatenate([piece.games[name] for piece in pieces])).all(), name
    for name, column in whole.rounds.items():
        assert (column == np.concatenate([piece.rounds[name] for piece in pieces])).all(), name

    rows = len(whole.rounds["round"])
    options["round_rows"] = rows // 2
    short = play(game_id, blocks, strategies, rules, legal=False, **options)
    assert 0 < short.done < blocks
    for name, column in whole.games.items():
        assert (column[: short.done] == short.games[name][: short.done]).all(), name
    for name, column in whole.rounds.items():
        assert (column[: short.status[6]] == short.rounds[name]).all(), name
    games = whole.games["rounds"][: short.done].sum()
    assert len(short.rounds["round"]) == games


def rotations(seats: int) -> list[list[int]]:
    """All cyclic seatings of a line-up."""
    return [[(slot + turn) % seats for slot in range(seats)] for turn in range(seats)]


def any_rules(seed: int, values: Mapping[str, Sequence[Any]], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """A random rule set: each option takes one of its `values`; drawn until it `fits`."""
    chosen = random.Random(seed)
    while True:
        rules = {name: chosen.choice(list(options)) for name, options in values.items()}
        if fits(rules):
            return rules


def near(values: NDArray[Any], expected: float, errors: float = 5.0) -> None:
    """Assert that the mean of independent values is within so many standard errors of what is expected."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert error > 0
    assert abs(values.mean() - expected) < errors * error, (values.mean(), expected, error)
