"""The metrics of a balance report: what each is, and against what it is held."""

from __future__ import annotations

from dataclasses import dataclass

from sim.analysis import components, selfplay
from sim.analysis.compare import EPSILON_OTHER, EPSILON_SHARE

STRATEGIES, SEATS, COURSE, LENGTH, LUCK, CHOICE, DECISIONS, RESPONSE = SECTIONS = (
    "Strategies",
    "Seats",
    "Course of a game",
    "Length",
    "Luck and skill",
    "What players would choose",
    "Decisions",
    "Exploitability",
)
RULES, SLOPES = "The rule", "Elasticity of the rules"


@dataclass(frozen=True)
class Definition:
    """A metric: heading, meaning, section; `null`: the value at which there is nothing to report, None if no such.

    `unit`: "share", "points", ...; measures state their own.
    """

    title: str
    meaning: str
    section: str
    null: float | None = None


def _own(metric: str, section: str, null: float | None = None) -> Definition:
    title, meaning, _ = selfplay.METRICS[metric]
    return Definition(title, meaning, section, null)


DEFINITIONS: dict[str, Definition] = {
    "lead": Definition(
        "Lead in win share",
        "a strategy's win share less the mean of the others at its tables, over all line-ups of the ladder",
        STRATEGIES,
        0.0,
    ),
    "lead_points": Definition(
        "Lead in points",
        "the same in points (of a round, where a game has several; where less is better, below 0 is good)",
        STRATEGIES,
        0.0,
    ),
    "edge": Definition(
        "Edge in win share",
        "win share of A less that of B at the tables that hold both, paired by block",
        STRATEGIES,
        0.0,
    ),
    "edge_points": Definition("Edge in points", "the same in points, as for the lead in points", STRATEGIES, 0.0),
    "strength": Definition(
        "Strength",
        "Plackett-Luce: chances to win a table are as the strengths of those at it; they add up to 1",
        STRATEGIES,
    ),
    "rungs": Definition(
        "Rungs of 60 %",
        "steps of the longest ladder in which each wins at least 60 % of what it and the next win",
        LUCK,
    ),
    **{metric: Definition(title, meaning, LUCK) for metric, (title, meaning, _) in components.METRICS.items()},
    "seat_advantage": _own("seat_advantage", SEATS, 0.0),
    "first_lead_cost": _own("first_lead_cost", SEATS, 0.0),
    "tie_rate": _own("tie_rate", COURSE),
    "closeness": _own("closeness", COURSE),
    "decisiveness": Definition(
        "Decisiveness",
        "the first moment, as a share of the game, after which the eventual winner's chance (the expected share of the "
        "win; of several winners the sum) stays above 0.8 (1: never)",
        COURSE,
    ),
    "drama": Definition(
        "Drama",
        "mean over time, from the first moment to the last before the end, of how far the eventual winner's chance is "
        "below the leader's; 0 if never behind. Noise in the chances makes it too large, or too small if the leader is "
        "told by separate rollouts: the middle is given, its interval spans both",
        COURSE,
    ),
    "lead_changes": _own("lead_changes", COURSE),
    "uncertainty": Definition(
        "Uncertainty",
        "mean over time of the entropy of who wins (which sides, or nobody) over ln(number of sides), at most 1",
        COURSE,
    ),
    "snowball": _own("snowball", COURSE, 0.0),
    "calibration": Definition(
        "Calibration of the chances",
        "mean over time of the leader's share of the actual win less its estimated chance (the leader told by separate "
        "rollouts): 0 if chances are right",
        COURSE,
        0.0,
    ),
    "rounds": _own("rounds", LENGTH),
    "tricks": _own("tricks", LENGTH),
    "turns": _own("turns", LENGTH),
    "truncated_share": _own("truncated_share", LENGTH),
    "passed_in_share": _own("passed_in_share", LENGTH),
    "equilibrium": Definition(
        "Equilibrium", "mass of the strategy in a symmetric equilibrium of choosing among the ladder", CHOICE
    ),
    "alpharank": Definition("Alpha-rank", "mass of the strategy in the long run of imitation and mutation", CHOICE),
    "viable": Definition(
        "Viable strategies", "exp(entropy) of the masses: how many equally common strategies would be as mixed", CHOICE
    ),
    "decision_wins": Definition(
        "Importance in win share",
        "mean over open decisions of max Q - mean Q, Q the win share after a move: what the best move gains over one "
        "drawn by lot (best move chosen and valued on separate rollouts)",
        DECISIONS,
    ),
    "decision_points": Definition("Importance in points", "the same in points of the decider's score", DECISIONS),
    "open_decisions": Definition("Open decisions", "decisions of a game with two moves or more", DECISIONS),
    "part_wins": Definition(
        "Importance in win share by part of the game",
        "the importance in win share of decisions of all kinds that fall in a quarter of the game, counted in its "
        "decisions",
        DECISIONS,
    ),
    "part_points": Definition(
        "Importance in points by part of the game", "the same in points of the decider's score", DECISIONS
    ),
    "exploit_wins": Definition(
        "Gain of the best response in win share",
        "win share of the best response found (within the ladder and its parameters) against a table of the reference "
        "strategy, less the reference's own in that seat, on fresh blocks; chosen among all others on other blocks",
        RESPONSE,
        0.0,
    ),
    "exploit_points": Definition(
        "Gain of the best response in points",
        "the same for points (signed so that more is better), the response being chosen by them",
        RESPONSE,
        0.0,
    ),
}


def epsilon(unit: str) -> float | None:
    """The difference that does not matter, in units of a measure; None where none can be named (variances)."""
    if "²" in unit:
        return None
    return EPSILON_SHARE if unit.startswith("share") or unit == "chance" else EPSILON_OTHER
