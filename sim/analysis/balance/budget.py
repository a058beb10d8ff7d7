"""How much a balance report plays, by stage. Fixed numbers, so that a report does not depend on the machine's speed."""

from __future__ import annotations

from dataclasses import dataclass


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
