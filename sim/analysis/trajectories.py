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

    A chance is the expected share of the win. `entropy`: float64[T], of who wins, in nats. `front`, `back`: the chances
    by the first half of the rollouts and by the second, float64[T, sides]; None where chances are known. A game that
    nobody wins (a deal passed in) has `won` all 0 and no numbers.
    """

    chances: Floats
    won: Floats
    entropy: Floats
    front: Floats | None = None
    back: Floats | None = None

    @property
    def halves(self) -> tuple[tuple[Floats, Floats], ...]:
        """Pairs (what the leader is told by, what its chance is): separate rollouts, so that chance favours nobody."""
        if self.front is None or self.back is None:
            return ((self.chances, self.chances),)
        return ((self.front, self.back), (self.back, self.front))

    def most_drama(self) -> float:
        """Mean over time of how far the eventual winner (of several, their mean) is behind the leader in chance.

        From estimated chances it is too large on average: the largest of noisy numbers is above the largest chance.
        """
        best = self.chances.max(axis=1, keepdims=True)
        return float((best - self.chances)[:, self.won > 0].mean())

    def least_drama(self) -> float:
        """The same with the leader told by one half of the rollouts and valued on the other: too small on average."""
        found = []
        for told, valued in self.halves:
            lead = valued[np.arange(len(told)), told.argmax(axis=1)][:, None]
            found.append((lead - valued)[:, self.won > 0].mean())
        return float(np.mean(found))

    def drama(self) -> float:
        """The middle of the two."""
        return (self.least_drama() + self.most_drama()) / 2

    def winners(self) -> Floats:
        """The chance of the eventual winner, of several the sum, float64[T]."""
        return np.asarray(self.chances[:, self.won > 0].sum(axis=1))

    def decided(self, sure: float = SURE) -> float:
        """The first moment, as a share of the game, after which the winner's chance stays above `sure`; 1: never."""
        doubtful = np.flatnonzero(self.winners() <= sure)
        moments = len(self.chances)
        return float(doubtful[-1] + 1) / moments if doubtful.size else 0.0

    def uncertainty(self) -> float:
        """Mean over time of the entropy of who wins over ln(number of sides), at most 1."""
        return float(np.minimum(self.entropy / np.log(self.chances.shape[1]), 1.0).mean())

    def surprise(self) -> float:
        """Mean over time of the leader's share of the actual win less its chance: 0 on average if chances fit.

        The leader is told by one half of the rollouts, its chance by the other.
        """
        found = []
        for told, valued in self.halves:
            leads = told == told.max(axis=1, keepdims=True)
            found.append(((leads * (self.won - valued)).sum(axis=1) / leads.sum(axis=1)).mean())
        return float(np.mean(found))


def entropy_of(counts: NDArray[np.integer]) -> Floats:
    """float64[T]: entropy in nats of outcomes counted in int[T, outcomes], corrected for its bias.

    The bias of the plain estimate is -(outcomes seen - 1) / (2 counts) (Miller 1955).
    """
    number = counts.sum(axis=1, keepdims=True)
    p = counts / number
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = -np.where(p > 0, p * np.log(p), 0.0).sum(axis=1)
    return np.asarray(plain + ((counts > 0).sum(axis=1) - 1) / (2 * number[:, 0]))


@dataclass(frozen=True)
class Courses:
    """Games of a scenario with their winning chances.

    rollouts  per moment; moments: T per game
    games     one Course per block, in order
    """

    scenario: Scenario
    rollouts: int
    moments: int
    games: tuple[Course, ...]

    def values(self, of: Callable[[Course], float]) -> tuple[Floats, NDArray[np.int64]]:
        """A number of every game, float64[B], 0 for one that nobody wins; and whether somebody does, int64[B]."""
        counted = np.array([game.won.any() for game in self.games], np.int64)
        return np.array([of(game) if game.won.any() else 0.0 for game in self.games], np.float64), counted

    def winners(self) -> Floats:
        """float64[games, T]: the eventual winner's chance in all games that somebody wins."""
        return np.array([game.winners() for game in self.games if game.won.any()]).reshape(-1, self.moments)

    def times(self) -> Floats:
        """The moments as shares of a game, float64[T]."""
        return np.arange(self.moments) / self.moments

    def arrays(self) -> dict[str, Floats]:
        """All of it by block: chances by both halves of the rollouts [B, T, sides], entropy [B, T], won [B, sides]."""
        return {
            "first_half": np.array([game.front for game in self.games]),
            "second_half": np.array([game.back for game in self.games]),
            "entropy": np.array([game.entropy for game in self.games]),
            "won": np.array([game.won for game in self.games]),
        }

    @classmethod
    def of_arrays(cls, scenario: Scenario, rollouts: int, arrays: Mapping[str, Floats]) -> Courses:
        """The inverse of `arrays`."""
        games = tuple(
            Course((front + back) / 2, won, entropy, front, back)
            for front, back, entropy, won in zip(
                arrays["first_half"], arrays["second_half"], arrays["entropy"], arrays["won"], strict=True
            )
        )
        return cls(scenario, rollouts, arrays["first_half"].shape[1] if games else 0, games)


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

    def one(block: int) -> Course:
        player = Rollouts(engine)
        rows, decisions = player.game(block)
        numbers = [k * decisions // moments for k in range(moments)]
        found = {at: _shares(engine, player.outcomes(block, at, rollouts), sides) for at in dict.fromkeys(numbers)}
        table = np.array([found[at] for at in numbers])
        front, back = table[:, : rollouts // 2].mean(axis=1), table[:, rollouts // 2 :].mean(axis=1)
        winning = ((table > 0) << np.arange(sides)).sum(axis=2)  # which sides win, as a number; 0: nobody
        counts = np.array([np.bincount(row, minlength=2**sides) for row in winning])
        won = _shares(engine, rows[:, None, :], sides)[0]
        return Course((front + back) / 2, won, entropy_of(counts), front, back)

    return Courses(scenario, rollouts, moments, tuple(in_order(one, range(first, first + blocks), threads, progress)))


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
