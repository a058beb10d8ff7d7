"""Winning chances over the course of a game, by rollouts, and what they say of it: drama, decisiveness, uncertainty.

At evenly spaced moments of a game (counted in decisions) the rest is played again many times by the same strategies.
What an onlooker cannot see is dealt anew each time, so a chance is that of somebody who has watched the game and knows
nothing else; it does not weigh what players' choices give away of their cards.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim import interrupt
from sim.analysis.selfplay import side_count
from sim.engine import Engine
from sim.rollouts import Rollouts
from sim.scenario import Scenario

Floats = NDArray[np.float64]

#: the chance above which a game counts as decided
SURE = 0.8


@dataclass(frozen=True)
class Course:
    """Winning chances in one game: float64[T, sides] at T evenly spaced moments, and the shares of the win at its end.

    `counts`: rollouts behind a row of chances, 0 where they are known exactly. A game that nobody wins (a deal passed
    in) has `won` all 0 and no numbers.
    """

    chances: Floats
    won: Floats
    counts: int = 0

    def behind(self) -> Floats:
        """How far the eventual winner is behind the leader, float64[T]; of several winners their mean."""
        best = self.chances.max(axis=1, keepdims=True)
        return np.asarray((best - self.chances)[:, self.won > 0].mean(axis=1))

    def drama(self) -> float:
        """Mean over time of how far the eventual winner is behind the leader in winning chance; 0 if never."""
        return float(self.behind().mean())

    def winners(self) -> Floats:
        """The chance of the eventual winner, of several the sum, float64[T]."""
        return np.asarray(self.chances[:, self.won > 0].sum(axis=1))

    def decided(self, sure: float = SURE) -> float:
        """The first moment, as a share of the game, after which the winner's chance stays above `sure`; 1: never."""
        doubtful = np.flatnonzero(self.winners() <= sure)
        moments = len(self.chances)
        return float(doubtful[-1] + 1) / moments if doubtful.size else 0.0

    def uncertainty(self) -> float:
        """Mean over time of the entropy of the chances over ln(number of sides).

        Entropies estimated from `counts` rollouts are corrected for their bias, (outcomes seen - 1) / (2 counts)
        (Miller 1955), but not beyond the largest there is.
        """
        p = self.chances
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -np.where(p > 0, p * np.log(p), 0.0).sum(axis=1)
        if self.counts:
            entropy = entropy + np.where(entropy > 0, ((p > 0).sum(axis=1) - 1) / (2 * self.counts), 0.0)
        most = np.log(p.shape[1])
        return float(np.minimum(entropy / most, 1.0).mean())

    def surprise(self) -> float:
        """Mean over time of the leader's share of the actual win less its chance: 0 on average if chances fit."""
        best = self.chances.max(axis=1, keepdims=True)
        leads = self.chances == best
        share = (leads * self.won).sum(axis=1) / leads.sum(axis=1)
        return float((share - best[:, 0]).mean())


@dataclass(frozen=True)
class Courses:
    """Games of a scenario with their winning chances.

    rollouts  per moment; moments: T per game
    games     one Course per block, in order
    halves    the same games with the first half of the rollouts and with the second: they say how much the number of
              rollouts matters
    """

    scenario: Scenario
    rollouts: int
    moments: int
    games: tuple[Course, ...]
    halves: tuple[tuple[Course, ...], tuple[Course, ...]]

    def values(self, of: Callable[[Course], float]) -> tuple[Floats, NDArray[np.int64]]:
        """A number of every game, float64[B], 0 for one that nobody wins; and whether somebody does, int64[B]."""
        return _values(self.games, of)

    def lean(self, of: Callable[[Course], float]) -> float:
        """How much the mean of a number changes when the rollouts are doubled: from the halves to the whole."""
        whole, front, back = (
            found.sum() / max(counted.sum(), 1)
            for found, counted in (_values(part, of) for part in (self.games, *self.halves))
        )
        return float(whole - (front + back) / 2)

    def winners(self) -> Floats:
        """float64[games, T]: the eventual winner's chance in all games that somebody wins."""
        return np.array([game.winners() for game in self.games if game.won.any()]).reshape(-1, self.moments)

    def times(self) -> Floats:
        """The moments as shares of a game, float64[T]."""
        return np.arange(self.moments) / self.moments

    def arrays(self) -> dict[str, Floats]:
        """All of it by block: chances float64[B, T, sides], those of either half of the rollouts, won [B, sides]."""
        parts = {"chances": self.games, "first_half": self.halves[0], "second_half": self.halves[1]}
        found = {name: np.array([game.chances for game in games]) for name, games in parts.items()}
        return {**found, "won": np.array([game.won for game in self.games])}

    @classmethod
    def of_arrays(cls, scenario: Scenario, rollouts: int, arrays: Mapping[str, Floats]) -> Courses:
        """The inverse of `arrays`."""

        def games(name: str, counts: int) -> tuple[Course, ...]:
            pairs = zip(arrays[name], arrays["won"], strict=True)
            return tuple(Course(chances, won, counts) for chances, won in pairs)

        half = rollouts // 2
        return cls(
            scenario,
            rollouts,
            arrays["chances"].shape[1],
            games("chances", rollouts),
            (games("first_half", half), games("second_half", half)),
        )


def _values(games: Sequence[Course], of: Callable[[Course], float]) -> tuple[Floats, NDArray[np.int64]]:
    counted = np.array([game.won.any() for game in games], np.int64)
    return np.array([of(game) if game.won.any() else 0.0 for game in games], np.float64), counted


def courses(
    scenario: Scenario,
    blocks: int,
    *,
    rollouts: int = 200,
    moments: int = 20,
    first: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Courses:
    """Plays the blocks first .. first+blocks-1 under the first seating, with `rollouts` (even) at each of `moments`.

    The numbers are the same for any number of threads. Raises `RunError` if a strategy fails.
    """
    if rollouts < 2 or rollouts % 2 or moments < 1:
        raise ValueError("an even number of rollouts and a moment at least are needed")
    engine = Engine(scenario)
    sides = side_count(scenario)

    def one(block: int) -> tuple[Course, Course, Course]:
        player = Rollouts(engine)
        rows, decisions = player.game(block)
        won = _shares(engine, rows[:, None, :], sides)[0]
        found: dict[int, Floats] = {}
        numbers = [k * decisions // moments for k in range(moments)]
        for at in dict.fromkeys(numbers):
            found[at] = _shares(engine, player.outcomes(block, at, rollouts), sides)
        table = np.array([found[at] for at in numbers])
        half = rollouts // 2
        return (
            Course(table.mean(axis=1), won, rollouts),
            Course(table[:, :half].mean(axis=1), won, half),
            Course(table[:, half:].mean(axis=1), won, half),
        )

    results = in_order(one, range(first, first + blocks), threads, progress)
    whole, front, back = zip(*results, strict=True) if results else ((), (), ())
    return Courses(scenario, rollouts, moments, whole, (front, back))


def _shares(engine: Engine, rows: NDArray[np.int32], sides: int) -> Floats:
    """Shares of the win by side, float64[games, sides], from rows int32[columns, games, seats]; 0 if nobody wins."""
    column = [one.name for one in engine.game.game_columns].index("win60")
    shares = rows[column][:, :sides].astype(np.float64)
    return np.asarray(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0))


def in_order(
    work: Callable[[int], Any],
    blocks: Sequence[int],
    threads: int | None,
    progress: Callable[[int], None] | None = None,
) -> list[Any]:
    """work(block) of every block, in their order, over threads; Ctrl-C ends it with KeyboardInterrupt."""
    count = threads or os.cpu_count() or 1
    results: list[Any] = []
    waiting: deque[Future[Any]] = deque()
    todo = iter(blocks)
    with ThreadPoolExecutor(count, thread_name_prefix="nullsim") as pool:
        try:
            while True:
                interrupt.check()
                while len(waiting) < 4 * count and (block := next(todo, None)) is not None:
                    waiting.append(pool.submit(work, block))
                if not waiting:
                    return results
                results.append(waiting.popleft().result())
                if progress is not None:
                    progress(1)
        finally:
            for later in waiting:
                later.cancel()
