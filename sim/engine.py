"""A scenario made ready to play: its kernel with rules, line-up and strategies filled in."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import table
from kernels.strategy import MAX_PARAMS, RAISED
from sim import seatings as designs
from sim.errors import RunError, UsageError
from sim.scenario import Scenario
from sim.strategies import Player, parse

#: the design of seatings that a caller chose itself (see `Engine.seated`)
GIVEN = "given"

#: users' functions of one line-up; the tuple always has this length, so that a kernel is compiled once for all
MAX_USERS = 6


#: views and state that no kernel works on just now, by game: what a kernel works out once (tables of strategies that
#: plan) it finds again in the next call, whatever thread or engine makes it
_FREE: dict[str, list[tuple[Any, Any]]] = {}


@dataclass
class Chunk:
    """Results of the blocks first..last-1: int32[columns, rows] of games and of rounds, rows in playing order."""

    first: int
    last: int
    games: NDArray[np.int32]
    rounds: NDArray[np.int32]


def _allow_function_pointers() -> None:
    """Numba calls function pointers experimental; the warning would greet everyone who brings a strategy."""
    from numba.core.errors import NumbaExperimentalFeatureWarning

    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


class Engine:
    """Plays blocks of a scenario. Safe to use from several threads: each call has its own memory.

    `labels`: the strategies by slot, if not just those of the line-up but more, for other seatings (`seated`).
    Raises `UsageError` on creation for a strategy that does not exist or does not compile, ValueError for `labels`
    that lack one of the line-up's.
    """

    def __init__(self, scenario: Scenario, labels: Sequence[str] = ()) -> None:
        self.scenario, self.game = scenario, scenario.row
        labels = labels or scenario.labels
        self.players: list[Player] = [parse(self.game, label) for label in labels]
        slots = [labels.index(name) for name in scenario.strategies]
        self.seatings, self.design = designs.seatings(slots, scenario.seatings)
        functions = [player.function for player in self.players if player.function is not None]
        if len(functions) > MAX_USERS:
            raise UsageError(f"strategies: at most {MAX_USERS} functions of your own in a line-up")
        self.uses_functions = bool(functions)
        if functions:
            _allow_function_pointers()
        self._users = tuple((functions * MAX_USERS)[:MAX_USERS]) if functions else None
        codes = np.array([player.codes for player in self.players], np.int64)
        user = 0
        for slot, player in enumerate(self.players):
            if player.function is not None:
                codes[slot] = -1 - user
                user += 1
        params = np.zeros((*codes.shape, MAX_PARAMS))
        for slot, player in enumerate(self.players):
            for part, values in enumerate(player.params):
                params[slot, part, : len(values)] = values
        draws = np.array([player.draws for player in self.players])
        self._lineup = table.Lineup(self.seatings, codes, params, draws)
        rules = self.game.module("rules")
        self._rules = rules.encode(scenario.rules)
        self._play = self.game.module("play").play
        self._state = self.game.module("state")
        self.games_per_block = len(self.seatings)
        self.rows_per_block = self.seatings.size

    def _call(
        self,
        first: int,
        last: int,
        lineup: table.Lineup,
        games: NDArray[np.int32],
        rounds: NDArray[np.int32],
        log: NDArray[np.int64] | None,
        first_seating: int = 0,
        branches: NDArray[Any] | None = None,
    ) -> tuple[int, int]:
        """One call of the kernel: blocks played, rows of `rounds` filled. Raises `RunError` if it was stopped.

        A kernel that was asked to list moves (`branches`) stops there too, which is no failure.
        """
        status = np.zeros(8, np.int64)
        free = _FREE.setdefault(self.game.id, [])
        memory = free.pop() if free else (np.zeros(2, self._state.VIEW), np.zeros(1, self._state.STATE))
        done = self._play(
            first,
            last,
            np.uint64(self.scenario.seed),
            self._rules,
            lineup,
            self._users,
            *memory,
            games,
            rounds,
            log,
            status,
            branches,
        )
        free.append(memory)
        if status[0] != table.FINE and not (branches is not None and branches[0]["listed"]):
            status[2] += first_seating
            raise self._failure(status.tolist())
        return int(done), int(status[6])

    def play(self, first: int, last: int) -> Chunk:
        """Plays the blocks first..last-1. Raises `RunError` for an illegal move, naming the place and the replay."""
        columns = len(self.game.game_columns)
        games = np.empty((columns, (last - first) * self.rows_per_block), np.int32)
        if self.scenario.record != "rounds":
            self._call(first, last, self._lineup, games, self._no_rounds(), None)
            return Chunk(first, last, games, self._no_rounds())
        pieces, block, room = [self._no_rounds()], first, 16 * self.rows_per_block * (last - first)
        while block < last:
            rounds = np.empty((len(self.game.all_round_columns), room), np.int32)
            start = (block - first) * self.rows_per_block
            part = np.empty((columns, (last - block) * self.rows_per_block), np.int32)
            done, used = self._call(block, last, self._lineup, part, rounds, None)
            games[:, start : start + done * self.rows_per_block] = part[:, : done * self.rows_per_block]
            pieces.append(rounds[:, :used])
            block += done
            room *= 2
        return Chunk(first, last, games, np.concatenate(pieces, axis=1))

    def branch(self, branches: NDArray[Any], first: int, last: int) -> NDArray[np.int32]:
        """The rollouts first..last-1 of a record of `kernels.rollout.BRANCH`, under the first seating.

        Returns the rows int32[columns, (last - first) * seats] of their games. Raises `RunError` as `play` does.
        """
        lineup = self._lineup._replace(seatings=self.seatings[:1])
        games = np.empty((len(self.game.game_columns), (last - first) * self.scenario.seats), np.int32)
        self._call(first, last, lineup, games, self._no_rounds(), None, branches=branches)
        return games

    def seated(self, seatings: NDArray[np.integer[Any]]) -> Engine:
        """The same engine under other seatings: [S, seats], the slot in each seat. ValueError for what is none."""
        rows = np.ascontiguousarray(seatings, np.int8)
        if rows.ndim != 2 or rows.shape[1] != self.scenario.seats or not len(rows):
            raise ValueError(f"seatings of {self.scenario.seats} seats are expected, got shape {rows.shape}")
        if rows.min() < 0 or rows.max() >= len(self.players) or (rows != seatings).any():
            raise ValueError(f"seatings name slots from 0 to {len(self.players) - 1}")  # a kernel would not notice
        other = copy.copy(self)
        other.seatings, other.design = rows, GIVEN
        other._lineup = self._lineup._replace(seatings=rows)
        other.games_per_block, other.rows_per_block = len(rows), rows.size
        return other

    def log(self, block: int, seating: int) -> tuple[list[int], RunError | None]:
        """The kernel's log of moves of one game, and the error if a strategy stopped it there."""
        lineup = self._lineup._replace(seatings=self.seatings[seating : seating + 1])
        games = np.empty((len(self.game.game_columns), self.scenario.seats), np.int32)
        room: int = 2**14
        while True:
            log = np.zeros(room, np.int64)
            stopped = None
            try:
                self._call(block, block + 1, lineup, games, self._no_rounds(), log, seating)
            except RunError as error:
                stopped = error
            used = int(log[0])
            if used < room:
                return [int(value) for value in log[1 : used + 1]], stopped
            room = used + 1

    def units(self, chunk: Chunk) -> int:
        """How many of the game's units of speed (rounds, deals or games) a chunk holds."""
        if self.game.unit == "game":
            return int(chunk.games.shape[1]) // self.scenario.seats
        names = [column.name for column in self.game.game_columns]
        return int(chunk.games[names.index("rounds"), :: self.scenario.seats].sum(dtype=np.int64))

    def _no_rounds(self) -> NDArray[np.int32]:
        return np.empty((len(self.game.all_round_columns), 0), np.int32)

    def _failure(self, status: list[int]) -> RunError:
        kind, block, seating, round_, seat, value = status[:6]
        where = f"block {block}, seating {seating}, round {round_}"
        if kind == table.TOO_LARGE:
            return RunError(f"a score of {where} does not fit 32 bits; play fewer rounds")
        label = self.players[self.seatings[seating, seat]].label
        did = "raised an error" if value == RAISED else f"made an illegal move ({value})"
        return RunError(f"strategy {label} {did} in {where}, seat {seat}; to see it: {self.replay(block, seating)}")

    def replay(self, block: int, seating: int) -> str:
        """The command line that shows one game."""
        from shlex import quote

        scenario = self.scenario
        strategies, mode = scenario.strategies, scenario.seatings
        if self.design == GIVEN:
            strategies, mode = tuple(self.players[slot].label for slot in self.seatings[seating]), "fixed"
            seating = 0
        rules = [f"--rule {quote(f'{key}={value}')}" for key, value in scenario.changed.items() if key != "players"]
        words = [
            f"nullsim replay {self.game.id} --players {scenario.seats}",
            f"--strategies {quote(','.join(strategies))}",
            *rules,
            f"--seed {scenario.seed}",
            f"--seatings {mode}",
            f"--block {block} --seating {seating}",
        ]
        return " ".join(words)
