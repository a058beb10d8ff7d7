"""How often each interval holds the truth, over 2000 simulated runs (standard error of a coverage: 0.5 %)."""

import numpy as np
import pytest
from scipy import stats

from sim.stats import (
    Joint,
    Moments,
    bands,
    bootstrap,
    control_variates,
    difference,
    equivalence_p,
    fieller,
    mean,
    metric_mean,
    p_value,
    proportion,
    verdict,
)
from tests.stats.simulate import NOMINAL, REPLICATIONS, clustered, covered, inside

pytestmark = pytest.mark.slow

RNG = np.random.default_rng


def each(x, n=1):
    return (Moments.from_blocks(row, n if np.ndim(n) == 0 else n[i]) for i, row in enumerate(x))


def test_mean_of_correlated_games():
    """Four games a block share luck as large as their own; taken as independent they would cover less."""
    rng = RNG(101)
    shared = rng.integers(-10, 11, (REPLICATIONS, 60, 1))
    games = shared + rng.integers(-10, 11, (REPLICATIONS, 60, 4))
    assert inside(covered((mean(m) for m in each(games.sum(2), 4)), 0.0))
    naive = covered((mean(Moments.from_blocks(g.ravel())) for g in games), 0.0)
    assert naive < 0.85


def test_mean_of_skewed_points():
    x = RNG(102).geometric(0.2, (REPLICATIONS, 300))
    assert inside(covered((mean(m) for m in each(x)), 5.0))


def test_ratio_of_varying_counts():
    """The chance depends on the count, and a tenth of the blocks are empty."""
    rng = RNG(103)
    n = rng.integers(0, 10, (REPLICATIONS, 300))
    x = rng.binomial(n, 0.1 + 0.05 * n)
    sizes = np.arange(10)
    truth = float((sizes * (0.1 + 0.05 * sizes)).sum() / sizes.sum())
    assert inside(covered((mean(m) for m in each(x, n)), truth))
    assert not inside(covered((mean(m) for m in each(x, n)), truth + 0.01))


def test_share_of_clustered_games():
    x = clustered(RNG(104), 300, 6, 0.3, 3.0)
    estimates = [proportion(m) for m in each(x, 6)]
    assert {e.method for e in estimates} == {"t"}
    assert inside(covered(estimates, 0.3))


def test_share_of_balanced_orbits():
    """Luck cancels within an orbit: far fewer effective games would be wrong in the other direction."""
    rng = RNG(105)
    x = 1 + (rng.random((REPLICATIONS, 400)) < 0.3).astype(int) - (rng.random((REPLICATIONS, 400)) < 0.3)
    estimates = [proportion(m) for m in each(x, 4)]
    assert inside(covered(estimates, 0.25))
    assert np.mean([e.se for e in estimates]) < 0.8 * np.sqrt(0.25 * 0.75 / 1600)


RARE_CASES = [  # blocks, games a block, share, spread of the block chances
    (2000, 1, 0.01, 1e6),
    (500, 4, 0.006, 20.0),
    (400, 6, 0.01, 3.0),
    (30, 6, 0.3, 3.0),
    (30, 1, 0.5, 1e6),
]


@pytest.mark.parametrize("case", RARE_CASES)
def test_rare_events(case):
    """Wilson with the design effect; an event seen almost always is the mirror image."""
    blocks, size, share, spread = case
    x = clustered(RNG(106), blocks, size, share, spread)
    estimates = [proportion(m) for m in each(x, size)]
    assert np.mean([e.method == "wilson-deff" for e in estimates]) > 0.97
    assert inside(covered(estimates, share))
    for e, m in zip(estimates[:20], each(size - x, size), strict=False):
        mirror = proportion(m)
        assert (1 - mirror.high, 1 - mirror.low) == pytest.approx((e.low, e.high))


@pytest.mark.parametrize("events", [0.02, 0.2, 0.5, 1.0, 2.0, 3.2, 4.0, 5.0, 7.6])
@pytest.mark.parametrize(("size", "spread"), [(1, 1e9), (4, 5.0)])
def test_hardly_ever_seen(events, size, spread):
    """A few events, or none, in all the run: at least the level, often more (counts are discrete)."""
    share = events / (1000 * size)
    x = clustered(RNG(107), 1000, size, share, spread)
    estimates = [proportion(m) for m in each(x, size)]
    assert all(e.high > e.low for e in estimates)
    assert covered(estimates, share) >= 0.935


@pytest.mark.parametrize("ties", [0.0, 0.9])
def test_paired_difference(ties):
    """Two strategies on the same cards, with most blocks equal or none."""
    rng = RNG(108)
    shape = (REPLICATIONS, 300)
    luck = rng.integers(0, 40, shape)
    gap = np.where(rng.random(shape) < ties, 0, rng.integers(-8, 13, shape))
    truth = 2.0 * (1 - ties) / 2
    ones = np.full(300, 2)
    estimates = [
        difference(Joint.from_blocks([a, b, ones]), (0, 2), (1, 2)) for a, b in zip(luck + gap, luck, strict=True)
    ]
    assert inside(covered(estimates, truth))


def test_difference_of_ratios():
    rng = RNG(109)
    shape = (REPLICATIONS, 200)
    luck = rng.normal(0, 0.1, shape)
    n, m = rng.integers(1, 8, shape), rng.integers(0, 6, shape)
    x, y = rng.binomial(n, np.clip(0.5 + luck, 0, 1)), rng.binomial(m, np.clip(0.4 + luck, 0, 1))
    estimates = [difference(Joint.from_blocks(row), (0, 1), (2, 3)) for row in zip(x, n, y, m, strict=True)]
    assert {e.method for e in estimates} == {"t-ratio"}
    assert inside(covered(estimates, 0.1))


def test_control_variates():
    rng = RNG(110)
    c, d = rng.integers(-10, 11, (REPLICATIONS, 40)), rng.integers(0, 7, (REPLICATIONS, 40))
    y = 2 * c + d + rng.integers(-5, 6, (REPLICATIONS, 40))
    ones = np.ones(40, int)
    got = [
        control_variates(Joint.from_blocks([y[i], c[i], d[i], ones]), (0, 3), [(1, 3), (2, 3)], [0.0, 3.0])
        for i in range(REPLICATIONS)
    ]
    assert inside(covered((g.estimate for g in got), 3.0))
    assert np.median([g.factor for g in got]) > 8


FIELLER = {"bounded": (4.0, 2.0), "complement": (4.0, 0.1), "line": (0.3, 0.1)}


@pytest.mark.parametrize("shape", FIELLER)
def test_fieller(shape):
    """Whatever shape the set has; the delta method fails where the denominator may be 0."""
    rng = RNG(111)
    top, bottom = FIELLER[shape]
    common = rng.normal(0, 1, (REPLICATIONS, 50))
    a = top * 0.3 + common + rng.normal(0, 1, common.shape)
    b = bottom * 0.3 + common + rng.normal(0, 1, common.shape)
    ones = np.ones(50, int)
    sets = [fieller(Joint.from_blocks([a[i], b[i], ones]), (0, 2), (1, 2)) for i in range(REPLICATIONS)]
    shapes = [s.shape for s in sets]
    assert max(set(shapes), key=shapes.count) == shape
    assert inside(float(np.mean([s.contains(top / bottom) for s in sets])))


@pytest.mark.parametrize("generator", [True, False])
def test_simultaneous_bands(generator):
    """All six at once: sup-t at its level, Sidak at least; single intervals would miss one run in six."""
    rng = RNG(112)
    shared = rng.integers(-6, 7, (REPLICATIONS, 1, 100))
    x = shared + rng.integers(-6, 7, (REPLICATIONS, 6, 100))
    ones = np.ones(100, int)
    metrics = [(k, 6) for k in range(6)]
    hits, single = 0, 0
    for row in x:
        j = Joint.from_blocks([*row, ones])
        rng_or_none = RNG(5) if generator else None
        hits += all(e.low <= 0 <= e.high for e in bands(j, metrics, rng=rng_or_none, draws=4000))
        single += all(abs(e.estimate) <= e.high - e.estimate for e in (metric_mean(j, m) for m in metrics))
    assert inside(hits / REPLICATIONS, NOMINAL if generator else (0.945, 0.985))
    assert single / REPLICATIONS < 0.87


def test_bootstrap_of_a_ratio_and_a_maximum():
    """All replications as columns of one joint bootstrap: every column is resampled in the same way."""
    rng = RNG(113)
    n = rng.integers(1, 8, (400, REPLICATIONS))
    x = rng.binomial(n, 0.3)
    data = np.stack([x, n], axis=1)
    ratios = bootstrap(data, lambda s: s[0] / s[1], RNG(0), draws=1000)
    assert inside(covered(ratios, 0.3))
    best = bootstrap(data[:, :, :1000], lambda s: np.maximum(s[0] / s[1], 0.25), RNG(0), draws=1000)
    assert inside(covered(best, 0.3), (0.925, 0.97))  # 1000 runs only


def test_p_values_of_a_against_a_are_uniform():
    """Same strategy, different labels: block differences are symmetric and often 0."""
    rng = RNG(114)
    gap = rng.integers(-3, 4, (REPLICATIONS, 250)) * (rng.random((REPLICATIONS, 250)) < 0.6)
    p = [p_value(mean(m)) for m in each(gap)]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    biased = [p_value(mean(m), 0.05) for m in each(gap)]
    assert stats.kstest(biased, "uniform").pvalue < 1e-6


def test_equivalence_errors_and_power():
    rng = RNG(115)
    noise = rng.integers(-10, 11, (REPLICATIONS, 200))
    effects = [mean(m) for m in each(noise)]
    sizes = [np.mean([equivalence_p(mean(m), 1.0) < 0.05 for m in each(noise + s)]) for s in (1, -1)]
    assert all(0.035 <= size <= 0.065 for size in sizes)
    assert np.mean([verdict(e, 1.5).verdict == "equivalent" for e in effects]) > 0.85
    assert np.mean([verdict(e, 1e-6).verdict == "different" for e in effects]) < 0.065


def test_a_planted_advantage_is_found():
    """0.8 points better behind luck of sd 20 shared by both: pairing finds it, separate runs would not."""
    rng = RNG(116)
    luck = np.rint(rng.normal(0, 20, (200, 300))).astype(int)
    a, b = luck + rng.integers(-2, 4, luck.shape), luck + rng.integers(-3, 3, luck.shape)
    ones = np.ones(300, int)
    found = [difference(Joint.from_blocks([x, y, ones]), (0, 2), (1, 2)) for x, y in zip(a, b, strict=True)]
    assert np.mean([verdict(e, 0.2).verdict == "different" and e.estimate > 0 for e in found]) > 0.99
    assert covered(found, 1.0) > 0.9
    unpaired = [abs(e.estimate) > 2 * np.sqrt(2 * 400 / 300) for e in found]
    assert np.mean(unpaired) < 0.1
