"""Tests of one effect: p values, two one-sided tests, and the three verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from sim.stats.estimate import RARE, Estimate, check_level, t_lower_tail

VerdictName = Literal["different", "equivalent", "undecided"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """p_different: two-sided p of no effect; p_equivalent: p of |effect| >= epsilon; None without a test."""

    verdict: VerdictName
    epsilon: float
    p_different: float | None
    p_equivalent: float | None
    alpha: float
    note: str = ""


def p_value(effect: Estimate, null: float = 0.0) -> float | None:
    """Two-sided p of "effect = null": t test on the blocks; None with fewer than two.

    When all B blocks agree t is undefined: 1 at the null, else the sign test's 2^(1-B), so that a few equal
    blocks prove little.
    """
    if effect.estimate is None or effect.se is None or effect.df is None:
        return None
    gap = abs(effect.estimate - null)
    if effect.se == 0:
        return 1.0 if gap == 0 else math.ldexp(1.0, -min(effect.df, 1000))
    return min(1.0, 2 * t_lower_tail(effect.df, -gap / effect.se))


def equivalence_p(effect: Estimate, epsilon: float) -> float | None:
    """p of "|effect| >= epsilon": the larger of two one-sided t tests (Schuirmann, J. Pharmacokinetics and
    Biopharmaceutics 15, 1987).

    Blocks that all agree: None below RARE blocks (rare large differences cannot be excluded), then the sign
    test. ValueError unless epsilon is positive and finite.
    """
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon must be positive and finite, got {epsilon}")
    if effect.estimate is None or effect.se is None or effect.df is None:
        return None
    room = epsilon - abs(effect.estimate)
    if effect.se == 0:
        if effect.blocks < RARE:
            return None
        return math.ldexp(1.0, -min(effect.df + 1, 1000)) if room > 0 else 1.0
    return t_lower_tail(effect.df, -room / effect.se)


def verdict(effect: Estimate, epsilon: float, alpha: float = 0.05) -> Verdict:
    """Different, equivalent within -+epsilon, or undecided, each error at most `alpha`.

    An effect proved smaller than epsilon is "equivalent" even when it is proved not to be 0: epsilon says
    what matters. The note tells.
    """
    check_level(alpha)
    differs, same = p_value(effect), equivalence_p(effect, epsilon)
    is_different, is_same = differs is not None and differs < alpha, same is not None and same < alpha
    if is_same:
        note = "not 0, but smaller than epsilon" if is_different else effect.note
        return Verdict("equivalent", epsilon, differs, same, alpha, note)
    return Verdict("different" if is_different else "undecided", epsilon, differs, same, alpha, effect.note)
