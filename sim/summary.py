"""The sums over blocks of a run, by strategy and seat: what reports are made of. Exact, and mergeable in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import moments as sums
from sim.games import Game, Metric
from sim.stats import Joint, Moments


@dataclass
class Summary:
    """Sums of the blocks played so far.

    `moments` (groups, metrics, 9) and `products` (metrics, 2*slots, 2*slots) as `kernels.moments` fills them, in
    Python integers; `games` and `truncated` count games and cut games.
    """

    game: Game
    slots: int
    seats: int
    blocks: int
    games: int
    truncated: int
    moments: NDArray[Any]
    products: NDArray[Any]

    @classmethod
    def empty(cls, game: Game, slots: int, seats: int) -> Summary:
        """No blocks yet."""
        metrics = len(game.metrics)
        return cls(
            game,
            slots,
            seats,
            *(0, 0, 0),
            np.zeros((sums.group_count(slots, seats), metrics, sums.KEPT), object),
            np.zeros((metrics, 2 * slots, 2 * slots), object),
        )

    def add(self, games: NDArray[np.int32], seatings: NDArray[np.int8], blocks: int) -> None:
        """Adds the rows (int32[columns, rows]) of `blocks` whole blocks."""
        names = [column.name for column in self.game.game_columns]
        tops = np.array([names.index(metric.top) for metric in self.game.metrics])
        bottoms = np.array(
            [-1 if metric.bottom == "games" else names.index(metric.bottom) for metric in self.game.metrics]
        )
        scales = np.array([metric.scale for metric in self.game.metrics])
        moments = np.zeros(self.moments.shape, np.int64)
        products = np.zeros(self.products.shape, np.int64)
        cells = np.zeros((3, *self.moments.shape[:2], sums.BATCH), np.int64)
        peak = sums.accumulate(games, blocks, seatings, self.slots, tops, bottoms, scales, cells, moments, products)
        if not sums.fits(int(peak), blocks * seatings.size):
            moments, products = moments.astype(object) * 0, products.astype(object) * 0
            sums.exact(games, blocks, seatings, self.slots, tops, bottoms, scales, moments, products)
        self.moments += moments.astype(object)
        self.products += products.astype(object)
        self.blocks += blocks
        self.games += games.shape[1] // self.seats
        self.truncated += int(games[names.index("truncated")].sum()) // self.seats

    def merge(self, other: Summary) -> None:
        """Adds the sums of other blocks."""
        self.moments += other.moments
        self.products += other.products
        for name in ("blocks", "games", "truncated"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def passed(self) -> int:
        """Games passed in: nobody declared. Zero in games without bidding."""
        for metric in self.game.metrics:
            if metric.name == "passed_in_share":
                return int(self.group(metric, seat=0).x)
        return 0

    def group(self, metric: Metric, slot: int | None = None, seat: int | None = None) -> Moments:
        """The sums of a metric for a strategy, a seat, or a strategy in a seat."""
        if slot is not None and seat is not None:
            index = slot * self.seats + seat
        elif slot is not None:
            index = self.slots * self.seats + slot
        elif seat is not None:
            index = self.slots * (self.seats + 1) + seat
        else:
            raise ValueError("a strategy or a seat is needed")
        kept = self.moments[index, self.game.metrics.index(metric)].tolist()
        named = dict(zip(("used", "n", "x", "xx", "xn", "nn", "seen", "missed", "squares"), kept, strict=True))
        return Moments(blocks=self.blocks, scale=metric.scale, **named)

    def joint(self, metric: Metric) -> Joint:
        """The sums of a metric's tops and bottoms by strategy: columns x_0, n_0, x_1, n_1, ..."""
        m = self.game.metrics.index(metric)
        first = self.slots * self.seats
        kept = self.moments[first : first + self.slots, m]
        return Joint(
            self.blocks,
            tuple(value for row in kept for value in (row[sums.X], row[sums.N])),
            tuple(tuple(row) for row in self.products[m].tolist()),
            tuple(value for row in kept for value in (row[sums.SEEN], row[sums.USED])),
            (metric.scale, 1) * self.slots,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain lists and integers."""
        return {
            "blocks": self.blocks,
            "games": self.games,
            "truncated": self.truncated,
            "moments": self.moments.tolist(),
            "products": self.products.tolist(),
        }

    @classmethod
    def from_json(cls, game: Game, slots: int, seats: int, data: dict[str, Any]) -> Summary:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError for what are no sums of this shape."""
        empty = cls.empty(game, slots, seats)
        moments, products = _integers(data["moments"]), _integers(data["products"])
        if moments.shape != empty.moments.shape or products.shape != empty.products.shape:
            raise ValueError("the sums do not fit the game")
        blocks, games, truncated = (data[name] for name in ("blocks", "games", "truncated"))
        if any(type(value) is not int for value in (blocks, games, truncated, *moments.flat, *products.flat)):
            raise ValueError("sums are integers")
        if not 0 <= truncated <= games or not blocks > 0:
            raise ValueError("the sums are of no blocks")
        return cls(game, slots, seats, blocks, games, truncated, moments, products)


def _integers(nested: Sequence[Any]) -> NDArray[Any]:
    return np.array(nested, dtype=object)
