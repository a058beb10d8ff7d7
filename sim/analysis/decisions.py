"""What a decision is worth: how much better the best move is than a move at random, by kind of decision.

Every move is tried in rollouts of its own on common cards, the seat's own knowledge kept and all else dealt anew, all
players going on with their strategies. The best move is chosen on one half of the rollouts and valued on the other, so
that chance does not make it look better than it is (both ways round, and the mean taken).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.analysis.trajectories import in_order
from sim.engine import Engine
from sim.rollouts import Decision, Rollouts
from sim.scenario import Scenario

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Importance:
    """Worth of the decisions of a game by kind, over blocks.

    kinds     names, in the order of the second axis
    open      int64[B, kinds]: decisions of a game with two moves or more
    all       int64[B, kinds]: decisions of a game
    points    float64[B, kinds]: max Q - mean Q of one open decision, drawn by lot, in points of the deciding seat's
              score (signed so that more is better); 0 where there is none
    wins      the same in shares of the win
    when      float64[B, kinds]: the part of the game's decisions, 0 to below 1, that came before that one; NaN for none
    rollouts  per move
    """

    scenario: Scenario
    kinds: tuple[str, ...]
    open: NDArray[np.int64]
    all: NDArray[np.int64]
    points: Floats
    wins: Floats
    when: Floats
    rollouts: int

    def arrays(self) -> dict[str, NDArray[np.int64] | Floats]:
        """All of it by block: open, all, points, wins, when, [B, kinds] each."""
        return {"open": self.open, "all": self.all, "points": self.points, "wins": self.wins, "when": self.when}

    def part(self, number: int, parts: int) -> NDArray[np.int64]:
        """int64[B, kinds]: how many decisions each drawn one stands for, if it lies in that one of equal parts of the
        game, else 0. As decisions are drawn evenly, the sum over blocks estimates the open ones of that part.
        """
        with np.errstate(invalid="ignore"):
            within = np.floor(self.when * parts) == number
        return np.asarray(self.open * within)


def worth(values: Floats) -> float:
    """max Q - mean Q of float64[moves, rollouts]: the best move chosen on one half and valued on the other, both ways.

    Its mean is at most that of the true difference: the move chosen may not be the best.
    """
    half = values.shape[1] // 2
    front, back = values[:, :half].mean(axis=1), values[:, half : 2 * half].mean(axis=1)
    return float((back[front.argmax()] - back.mean() + front[back.argmax()] - front.mean()) / 2)


def importance(
    scenario: Scenario,
    blocks: int,
    *,
    rollouts: int = 64,
    first: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Importance:
    """One open decision of every kind, drawn by lot, in each of the games of blocks first .. first+blocks-1.

    Games are those of the first seating. The numbers are the same for any number of threads.
    """
    engine = Engine(scenario)
    kinds = engine.game.decisions
    names = [column.name for column in engine.game.game_columns]
    score, win = names.index("score"), names.index("win60")
    sign = -1.0 if next(metric.low for metric in engine.game.metrics if metric.name == "score") else 1.0

    def one(block: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats, Floats]:
        player = Rollouts(engine)
        _, count = player.game(block)
        found = [player.decision(block, at) for at in range(count)]
        lots = np.random.default_rng([scenario.seed, block])
        every, several = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
        points, wins, when = np.zeros(len(kinds)), np.zeros(len(kinds)), np.full(len(kinds), np.nan)
        for kind in range(len(kinds)):
            of_kind = [decision for decision in found if decision.kind == kind]
            choices = [decision for decision in of_kind if len(decision.moves) > 1]
            every[kind], several[kind] = len(of_kind), len(choices)
            lot = lots.random()  # one for each kind, whatever there is, so that kinds do not depend on each other
            if choices:
                chosen = choices[int(lot * len(choices))]
                rows = _tried(player, block, chosen, rollouts)
                points[kind] = worth(sign * rows[:, score].astype(np.float64))
                wins[kind] = worth(rows[:, win] / 60.0)
                when[kind] = chosen.at / count
        return every, several, points, wins, when

    results = in_order(one, range(first, first + blocks), threads, progress)
    counts = np.array([result[:2] for result in results], np.int64).reshape(-1, 2, len(kinds))
    values = np.array([result[2:] for result in results], np.float64).reshape(-1, 3, len(kinds))
    points, wins, when = values.transpose(1, 0, 2)
    return Importance(scenario, kinds, counts[:, 1], counts[:, 0], points, wins, when, rollouts)


def _tried(player: Rollouts, block: int, decision: Decision, rollouts: int) -> NDArray[np.int32]:
    """The deciding seat's rows, int32[moves, columns, rollouts], of every move."""
    return np.array(
        [
            player.outcomes(block, decision.at, rollouts, observer=decision.seat, move=move)[:, :, decision.seat]
            for move in decision.moves
        ]
    )
