"""Samples of known truth in place of played ones: block sums drawn from a generator."""

import numpy as np

from sim.analysis.samples import Sample

SD = 0.25  # of a block's win share
SHARED = 0.7  # of its variance is common to all strategies: what pairing removes


def planted(rng, effects):
    """A stand-in for `sample`: win shares of mean .25 + effects[strategy], scores of mean 100 times that.

    Every call draws new blocks; the second of two calls for the same blocks shares their common part, as two
    scenarios on the same cards do.
    """
    kept = {}

    def sample(scenario, blocks, *, first=0, **rest):
        common = kept.pop((first, blocks), None)
        if common is None:
            common = kept[first, blocks] = rng.normal(0, SD * np.sqrt(SHARED), blocks)
        metrics, labels = scenario.row.metrics, scenario.labels
        x = np.zeros((blocks, len(labels), len(metrics)), np.int64)
        for slot, label in enumerate(labels):
            own = rng.normal(0, SD * np.sqrt(1 - SHARED), blocks)
            share = 0.25 + effects.get(label, 0.0) + common + own
            for m, metric in enumerate(metrics):
                value = share if metric.name == "win_share" else 100 * share
                x[:, slot, m] = np.rint(value * metric.scale * 1000)
        n = np.full_like(x, 1000)  # finer than sixtieths
        return Sample(scenario, labels, first, blocks, x, n, x.astype(float) ** 2, np.ones(len(labels), np.int64))

    return sample
