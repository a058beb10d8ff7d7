"""Generalised sequential probability ratio test of an effect, on block means."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from sim.stats.estimate import Estimate, check_effects, check_level
from sim.stats.means import mean
from sim.stats.moments import Moments
from sim.stats.sequence import FEW

Decision = Literal["accept", "reject", "undecided"]
FIRST = 30  # blocks before the first decision: the variance is estimated


@dataclass(frozen=True, slots=True)
class SprtState:
    """accept: effect >= effect1 (H1); reject: effect <= effect0 (H0). llr against its bounds lower < 0 <
    upper.
    """

    decision: Decision
    llr: float
    lower: float
    upper: float
    blocks: int
    note: str = ""


def sprt_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Wald's bounds log(beta / (1 - alpha)), log((1 - beta) / alpha) (Annals of Mathematical Statistics 16,
    1945). ValueError unless alpha, beta > 0 and alpha + beta < 1.
    """
    check_level(alpha)
    check_level(beta)
    if alpha + beta >= 1:
        raise ValueError("alpha + beta must be below 1")
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def log_likelihood_ratio(effect: Estimate, effect0: float, effect1: float) -> float:
    """B / 2 log((v + (m - effect0)^2) / (v + (m - effect1)^2)), m the mean, v the maximum-likelihood block
    variance.

    Normal likelihood with the variance maximised under each hypothesis: the generalised SPRT of Li, Liu and
    Ying (Sequential Analysis 33, 2014) as used on paired games by chess-engine testers. v is at least
    (effect1 - effect0)^2: this binds only when blocks hardly vary, where it delays the decision and keeps the
    ratio finite. 0 with fewer than two blocks.
    """
    check_effects(effect0, effect1)
    if effect.estimate is None or effect.se is None or effect.df is None:
        return 0.0
    gap = effect1 - effect0
    floor = max(effect.df * (effect.se / gap) ** 2, 1.0)
    to0, to1 = (effect.estimate - effect0) / gap, (effect.estimate - effect1) / gap
    return (effect.df + 1) / 2 * (math.log(floor + to0 * to0) - math.log(floor + to1 * to1))


def gsprt(
    effect: Estimate,
    effect0: float,
    effect1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    *,
    first: int = FIRST,
    informative: int | None = None,
) -> SprtState:
    """One look at the test of effect <= effect0 against effect >= effect1 from an estimate of all blocks so
    far.

    P(accept | effect <= effect0) <= alpha and P(reject | effect >= effect1) <= beta, asymptotically (small
    effects in units of the block standard deviation). Undecided before `first` blocks and while fewer than
    FEW blocks are `informative` (differ from the usual one).
    """
    lower, upper = sprt_bounds(alpha, beta)
    llr = log_likelihood_ratio(effect, effect0, effect1)
    if effect.df is None or effect.df + 1 < first:
        return SprtState("undecided", llr, lower, upper, effect.blocks, "too few blocks")
    if informative is not None and informative < FEW:
        note = f"only {informative} blocks differ"
        return SprtState("undecided", llr, lower, upper, effect.blocks, note)
    decision: Decision = "accept" if llr >= upper else "reject" if llr <= lower else "undecided"
    return SprtState(decision, llr, lower, upper, effect.blocks, effect.note)


@dataclass(slots=True)
class Sprt:
    """A running test; its first decision stands, later looks only extend the trace of (blocks, llr)."""

    effect0: float
    effect1: float
    alpha: float = 0.05
    beta: float = 0.05
    first: int = FIRST
    total: Moments = field(default_factory=Moments)
    trace: list[tuple[int, float]] = field(default_factory=list)
    decided: SprtState | None = None

    def __post_init__(self) -> None:
        check_effects(self.effect0, self.effect1)
        sprt_bounds(self.alpha, self.beta)

    def update(self, batch: Moments) -> SprtState:
        """Add the sums of new blocks (x: the paired difference) and look."""
        self.total = self.total + batch
        return self.look(mean(self.total), self.total.seen)

    def look(self, effect: Estimate, informative: int | None = None) -> SprtState:
        """Look at an estimate of all blocks so far, made elsewhere (ratio difference, control variates)."""
        state = gsprt(
            effect,
            self.effect0,
            self.effect1,
            self.alpha,
            self.beta,
            first=self.first,
            informative=informative,
        )
        self.trace.append((state.blocks, state.llr))
        if self.decided is None and state.decision != "undecided":
            self.decided = state
        return self.decided or state
