"""How much a balance report plays, by stage. Fixed numbers, so that a report does not depend on the machine's speed."""

from __future__ import annotations

import operator
from dataclasses import dataclass

from sim.errors import UsageError

#: the least and the most of each amount; of the others 1 and MOST
LIMITS = {"rollouts": (2, 2**20), "tries": (2, 2**20), "response_blocks": (2, 2**32), "draws": (100, 100_000)}
MOST = 2**32


@dataclass(frozen=True)
class Budget:
    """Amounts by stage.

    line_up_games  games of all line-ups together, from which their common number of blocks follows (see `line_ups`)
    self_games     games of each strategy against itself
    courses, rollouts, moments     games whose winning chances are followed, rollouts at each of their moments
    decisions, tries               games with one decision of every kind, rollouts of every move
    luck_blocks    blocks of the variance components
    response_blocks    fresh blocks of the best response; search_blocks: candidates times blocks of its search
    study_blocks   blocks at each value of the rule that is studied; break_even_blocks: of its break-even
    draws          of the bootstrap
    Raises `UsageError` naming an amount that cannot be played.
    """

    line_up_games: int = 600_000
    self_games: int = 20_000
    courses: int = 1000
    rollouts: int = 200
    moments: int = 20
    decisions: int = 600
    tries: int = 64
    luck_blocks: int = 2000
    response_blocks: int = 20_000
    search_blocks: int = 60_000
    study_blocks: int = 4000
    break_even_blocks: int = 20_000
    slope_games: int = 10_000
    draws: int = 1000

    def __post_init__(self) -> None:
        for key, value in vars(self).items():
            low, high = LIMITS.get(key, (1, MOST))
            try:
                number = operator.index(value)
            except TypeError:
                number = 0
            even = key != "rollouts" or number % 2 == 0
            if isinstance(value, bool) or not (low <= number <= high and even):
                kind = "an even number" if key == "rollouts" else "an integer"
                raise UsageError(f"budget: {key}={value} is not allowed; allowed: {kind} from {low} to {high}")
            object.__setattr__(self, key, number)

    def line_ups(self, games: int) -> int:
        """Blocks on which every multiset of the strategies is played, where one block of all of them holds `games`."""
        return max(60, min(20_000, self.line_up_games // games))


FULL = Budget()
QUICK = Budget(
    line_up_games=60_000,
    self_games=4000,
    courses=150,
    rollouts=64,
    moments=12,
    decisions=120,
    tries=32,
    luck_blocks=400,
    response_blocks=4000,
    search_blocks=10_000,
    study_blocks=800,
    break_even_blocks=4000,
    slope_games=2000,
    draws=400,
)
