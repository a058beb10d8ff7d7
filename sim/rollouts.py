"""Games played on from the middle: what happens if the rest is played again, or if another move is made.

See `kernels.rollout` for what a rollout is and on what cards it is played.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels import rollout
from kernels.rollout import ONLOOKER
from sim.engine import Engine


@dataclass(frozen=True)
class Decision:
    """A decision of a game: its number, who makes it, its kind (an index of the game's `decisions`), the moves."""

    at: int
    seat: int
    kind: int
    moves: tuple[int, ...]


class Rollouts:
    """Rollouts of the games of an engine, under its first seating. For one thread at a time."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._branches = np.zeros(1, rollout.BRANCH)
        self._branches["seed"] = engine.scenario.seed

    def game(self, block: int) -> tuple[NDArray[np.int32], int]:
        """A block's own game: its rows int32[columns, seats], and the number of its decisions."""
        rows = self._play(block, rollout.MOST_DECISIONS, 1, ONLOOKER, rollout.FREE)
        return rows, int(self._branches["made"][0])

    def decision(self, block: int, at: int) -> Decision:
        """The decision number `at` of a block's game and the moves there are, with the true cards.

        ValueError if the game has fewer decisions.
        """
        self._play(block, at, 1, ONLOOKER, rollout.LIST)
        found = self._branches[0]
        if not found["listed"]:
            raise ValueError(f"block {block} has no decision {at}")
        moves = tuple(int(move) for move in found["moves"][: found["listed"]])
        return Decision(at, int(found["seat"]), int(found["kind"]), moves)

    def outcomes(
        self, block: int, at: int, count: int, *, observer: int = ONLOOKER, move: int = rollout.FREE, first: int = 0
    ) -> NDArray[np.int32]:
        """`count` rollouts from decision `at`: rows int32[columns, count, seats], numbered from `first`.

        `observer`: the seat whose knowledge is kept while the other cards are dealt anew, or ONLOOKER. `move` is made
        there, if given; rollouts of the same number share their cards whatever it is.
        """
        rows = self._play(block, at, count, observer, move, first=first)
        return rows.reshape(len(rows), count, -1)

    def _play(self, block: int, at: int, count: int, observer: int, move: int, *, first: int = 0) -> NDArray[np.int32]:
        if not (0 <= block < 2**rollout.BLOCK_BITS and first + count <= rollout.MOST_ROLLOUTS):
            raise ValueError("a block or a rollout that has no stream of its own")
        one = self._branches
        one["block"], one["at"], one["observer"], one["move"] = block, at, observer, move
        return self.engine.branch(one, first, first + count)
