"""Estimators on block sums: intervals, tests, sequential procedures. No I/O and no knowledge of games."""

from sim.stats.bootstrap import bootstrap, bootstrap_draws, percentile
from sim.stats.estimate import RARE, Estimate
from sim.stats.fieller import FiellerSet, fieller, fieller_set
from sim.stats.joint import Joint, Metric
from sim.stats.means import mean, metric_mean, naive_variance, proportion, wilson
from sim.stats.moments import Moments
from sim.stats.multiple import bands, benjamini_hochberg, holm, sidak_critical, sup_t_critical
from sim.stats.paired import (
    Controlled,
    control_variates,
    difference,
    pairing_factor,
    variance_reduction,
)
from sim.stats.sequence import FEW, BoundedSequence, anytime, anytime_multiplier, confidence_sequence
from sim.stats.sprt import Sprt, SprtState, gsprt, log_likelihood_ratio, sprt_bounds
from sim.stats.verdict import Verdict, equivalence_p, p_value, verdict

__all__ = [
    "FEW",
    "RARE",
    "BoundedSequence",
    "Controlled",
    "Estimate",
    "FiellerSet",
    "Joint",
    "Metric",
    "Moments",
    "Sprt",
    "SprtState",
    "Verdict",
    "anytime",
    "anytime_multiplier",
    "bands",
    "benjamini_hochberg",
    "bootstrap",
    "bootstrap_draws",
    "confidence_sequence",
    "control_variates",
    "difference",
    "equivalence_p",
    "fieller",
    "fieller_set",
    "gsprt",
    "holm",
    "log_likelihood_ratio",
    "mean",
    "metric_mean",
    "naive_variance",
    "p_value",
    "pairing_factor",
    "percentile",
    "proportion",
    "sidak_critical",
    "sprt_bounds",
    "sup_t_critical",
    "variance_reduction",
    "verdict",
    "wilson",
]
