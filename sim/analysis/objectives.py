"""What an optimiser, an equilibrium or a ranking goes by: points, rounds won or games won, as a metric of the game."""

from __future__ import annotations

from dataclasses import dataclass

from sim.analysis.breakeven import objectives
from sim.analysis.compare import EPSILON_OTHER, EPSILON_SHARE
from sim.errors import UsageError
from sim.games import Game, Metric


@dataclass(frozen=True)
class Objective:
    """A metric and its direction: `sign` is 1 where more is better, -1 where less is."""

    name: str
    metric: Metric
    sign: int

    @property
    def epsilon(self) -> float:
        """The difference that does not matter unless said otherwise, in units of the metric."""
        return EPSILON_SHARE if self.metric.unit == "share" else EPSILON_OTHER


def objective(game: Game, name: str) -> Objective:
    """The objective of that name in a game, as in `breakeven`. Raises `UsageError` naming those that the game has."""
    there = objectives(game)
    if name not in there:
        raise UsageError(f"objective: {name} is not measured in {game.id}; allowed: {', '.join(there)}")
    return Objective(name, there[name], -1 if there[name].low else 1)
