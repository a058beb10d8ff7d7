"""Each estimator against scipy or a formula worked out another way."""

import numpy as np
import pytest
from scipy import optimize, stats

from sim.stats import (
    Estimate,
    Joint,
    Moments,
    anytime_multiplier,
    bands,
    benjamini_hochberg,
    bootstrap,
    control_variates,
    difference,
    equivalence_p,
    fieller,
    fieller_set,
    holm,
    log_likelihood_ratio,
    mean,
    naive_variance,
    p_value,
    pairing_factor,
    proportion,
    sidak_critical,
    sprt_bounds,
    sup_t_critical,
    variance_reduction,
    verdict,
    wilson,
)

pytestmark = pytest.mark.slow

RNG = np.random.default_rng


def effect(estimate, se, df=99):
    return Estimate(estimate, estimate - 2 * se, estimate + 2 * se, se, df + 1, df + 1, "t", "", df)


def test_mean_is_the_t_interval():
    x = RNG(1).integers(-20, 20, 40)
    got, ci = mean(Moments.from_blocks(x, 3), 0.9), stats.ttest_1samp(x / 3, 0).confidence_interval(0.9)
    assert (got.low, got.high) == pytest.approx((ci.low, ci.high))
    assert (got.method, got.n, got.blocks, got.df) == ("t", 120, 40, 39)


def test_ratio_is_the_jackknife_to_first_order():
    rng = RNG(2)
    n = rng.integers(0, 7, 2000)
    x = rng.binomial(n, 0.3)
    got = mean(Moments.from_blocks(x, n))
    used = n > 0
    x, n = x[used], n[used]
    leave = (x.sum() - x) / (n.sum() - n)
    jackknife = np.sqrt((len(x) - 1) * np.mean((leave - leave.mean()) ** 2))
    assert got.method == "t-ratio"
    assert got.se == pytest.approx(jackknife, rel=2e-3)


def test_empty_blocks_change_nothing():
    full, with_empty = (
        Moments.from_blocks([1, 2, 4], 2),
        Moments.from_blocks([0, 1, 2, 0, 4], [0, 2, 2, 0, 2]),
    )
    assert mean(full) == mean(with_empty)


def test_wilson_away_from_the_edge():
    ci = stats.binomtest(30, 100).proportion_ci(method="wilson")
    assert wilson(0.3, 100, 10**9) == pytest.approx((ci.low, ci.high), rel=1e-6)


def test_wilson_with_few_events_is_the_exact_poisson_limit():
    low, _ = wilson(3e-6, 1e6, 10**9)
    assert low == pytest.approx(stats.chi2.ppf(0.025, 6) / 2 / 1e6, rel=1e-6)
    assert wilson(1 - 3e-6, 1e6, 10**9)[1] == pytest.approx(1 - low)


def test_proportion_uses_the_design_effect():
    """Blocks of ten equal games are ten times fewer observations."""
    x = np.array([10] * 30 + [0] * 300)
    clustered, single = proportion(Moments.from_blocks(x, 10)), proportion(Moments.from_blocks(x // 10))
    assert clustered.method == "wilson-deff"
    assert (clustered.low, clustered.high) == pytest.approx((single.low, single.high))
    spread = proportion(Moments.from_blocks([1] * 300 + [0] * 30, 10))
    assert spread.high - spread.low < 0.4 * (clustered.high - clustered.low)


@pytest.mark.parametrize("blocks", [2, 40, 3000])
def test_never_and_always_seen(blocks):
    exact = stats.binomtest(0, blocks).proportion_ci(method="exact")
    never, always = (
        proportion(Moments.from_blocks([0] * blocks, 6)),
        proportion(Moments.from_blocks([6] * blocks, 6)),
    )
    assert (never.low, never.high) == pytest.approx((0, exact.high))
    assert (always.low, always.high) == pytest.approx((1 - exact.high, 1))
    for e in (never, always):
        assert (e.method, e.se) == ("exact-bound", None)
        assert "zero variance" in e.note
        assert "one-sided" in e.note


def test_proportion_switches_at_fifty_blocks():
    def method(k, of=1000):
        return proportion(Moments.from_blocks([1] * k + [0] * (of - k))).method

    assert [method(k) for k in (49, 50, 950, 951)] == ["wilson-deff", "t", "t", "wilson-deff"]
    with pytest.raises(ValueError, match="proportion"):
        proportion(Moments.from_blocks([3, 0, 1], 1))


def test_difference_is_the_paired_t():
    rng = RNG(3)
    a = rng.integers(0, 30, 50)
    b = a + rng.integers(-3, 5, 50)
    j = Joint.from_blocks([a, b, np.full(50, 2)])
    got, ref = difference(j, (0, 2), (1, 2)), stats.ttest_rel(a / 2, b / 2)
    assert (got.low, got.high) == pytest.approx(tuple(ref.confidence_interval()))
    assert p_value(got) == pytest.approx(ref.pvalue)
    assert got == mean(Moments.from_blocks(a - b, 2))
    assert pairing_factor(j, (0, 2), (1, 2)) == pytest.approx((a.var() + b.var()) / (a - b).var())


def test_difference_of_ratios_by_simulated_blocks():
    """The linearised variance against the spread of the estimate itself."""
    rng = RNG(4)
    got, ses = [], []
    for _ in range(400):
        luck = rng.normal(0, 1, 300)
        n, m = rng.integers(1, 6, 300), rng.integers(0, 6, 300)
        x, y = np.rint(n * (5 + luck) * 10).astype(int), np.rint(m * (4 + luck) * 10).astype(int)
        e = difference(Joint.from_blocks([x, n, y, m], scales=[10, 1, 10, 1]), (0, 1), (2, 3))
        got.append(e.estimate)
        ses.append(e.se)
    assert np.mean(got) == pytest.approx(1, abs=0.02)
    assert np.std(got) == pytest.approx(np.mean(ses), rel=0.12)


def test_variance_reduction_against_independent_games():
    x = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 1]])  # two games a block, negatively dependent
    m = Moments.from_blocks(x.sum(1), 2, squares=(x**2).sum(1))
    assert naive_variance(m) == pytest.approx(x.ravel().var(ddof=1) / 10)
    assert variance_reduction(m.variance, naive_variance(m)) > 1
    assert naive_variance(Moments.from_blocks([1, 2])) is None
    assert [variance_reduction(*v) for v in ((None, 1.0), (0.0, 1.0), (1.0, None), (1.0,))] == [None] * 4


def test_control_variates_are_a_regression():
    rng = RNG(5)
    c, d = rng.integers(-9, 10, 60), rng.integers(0, 5, 60)
    y = 3 * c - 2 * d + rng.integers(-4, 5, 60)
    j = Joint.from_blocks([y, c, d, np.ones(60, int)])
    got = control_variates(j, (0, 3), [(1, 3), (2, 3)], [0.0, 2.0])
    design = np.column_stack([np.ones(60), c, d - 2.0])
    beta, rss, *_ = np.linalg.lstsq(design, y, rcond=None)
    se = np.sqrt(rss[0] / 57 * np.linalg.inv(design.T @ design)[0, 0])
    assert got.estimate.estimate == pytest.approx(beta[0])
    assert got.estimate.se == pytest.approx(se)
    assert got.coefficients == pytest.approx(tuple(beta[1:]))
    assert got.estimate.df == 57
    assert got.factor == pytest.approx(mean(Moments.from_blocks(y)).se ** 2 / se**2)


def test_useless_controls_are_dropped():
    rng = RNG(6)
    c = rng.integers(-9, 10, 60)
    y = c + rng.integers(-4, 5, 60)
    columns = [y, c, 2 * c, np.full(60, 7), np.ones(60, int)]
    j = Joint.from_blocks(columns)
    both = control_variates(j, (0, 4), [(1, 4), (2, 4), (3, 4)], [0, 0, 7])
    one = control_variates(j, (0, 4), [(1, 4)], [0])
    assert both.estimate.estimate == pytest.approx(one.estimate.estimate)
    assert both.estimate.se == pytest.approx(one.estimate.se)
    assert "2 of 3" in both.estimate.note
    with pytest.raises(ValueError, match="one known mean"):
        control_variates(j, (0, 4), [(1, 4)], [])


@pytest.mark.parametrize(
    ("top", "bottom", "shape"), [(2.0, 5.0, "bounded"), (5.0, 0.5, "complement"), (0.5, 0.5, "line")]
)
def test_fieller_is_the_inverted_t_test(top, bottom, shape):
    va, vb, cab, df = 1.0, 0.8, 0.3, 30
    got = fieller_set(top, bottom, va, vb, cab, df)
    assert got.shape == shape
    t = stats.t.ppf(0.975, df)
    for r in np.linspace(-40, 40, 4001):
        accepted = abs(top - r * bottom) <= t * np.sqrt(va - 2 * r * cab + r * r * vb)
        assert got.contains(r) == accepted
    if shape == "bounded":
        assert (got.as_estimate().low, got.as_estimate().method) == (got.low, "fieller")
    else:
        assert got.as_estimate().low is None
        assert shape in got.as_estimate().note


def test_fieller_special_cases():
    assert fieller_set(1, 0, 0, 0, 0, 9).shape == "empty"
    assert fieller_set(0, 0, 1, 0, 0, 9).shape == "line"
    point = fieller_set(3, 2, 0, 0, 0, 9)
    assert (point.shape, point.low, point.high, point.note) == ("bounded", 1.5, 1.5, "zero variance")
    t2 = stats.t.ppf(0.975, 9) ** 2
    edge = fieller_set(9, 2, 0.1, 4 / t2, 0, 9)  # the denominator just significant: one limit runs away
    assert edge.shape in ("ray", "bounded", "complement")
    assert edge.contains(1e6)
    assert not edge.contains(0)
    assert len(fieller_set(5, 0.5, 1, 0.8, 0.3, 30).within(-1e9, 1e9)) == 2
    assert fieller_set(2, 5, 1, 0.8, 0.3, 30).within(50, 60) == ()


def test_fieller_of_blocks_matches_its_parts():
    rng = RNG(7)
    q = rng.integers(0, 4, 80)
    d = 2 * q + rng.integers(-3, 4, 80)
    got = fieller(Joint.from_blocks([d, q, np.ones(80, int)]), (0, 2), (1, 2))
    cov = np.cov(d, q) / 80
    ref = fieller_set(d.mean(), q.mean(), cov[0, 0], cov[1, 1], cov[0, 1], 79)
    assert (got.low, got.high) == pytest.approx((ref.low, ref.high))


def test_equivalence_is_two_one_sided_tests():
    x = RNG(8).normal(0.1, 1, 100)
    e = effect(float(x.mean()), float(x.std(ddof=1) / 10))
    sides = [
        stats.ttest_1samp(x, -0.3, alternative="greater").pvalue,
        stats.ttest_1samp(x, 0.3, alternative="less").pvalue,
    ]
    assert equivalence_p(e, 0.3) == pytest.approx(max(sides))


def test_three_verdicts():
    assert verdict(effect(5.0, 1.0), 0.5).verdict == "different"
    assert verdict(effect(0.1, 0.1), 0.5).verdict == "equivalent"
    assert verdict(effect(0.6, 1.0), 0.5).verdict == "undecided"
    small = verdict(effect(0.2, 0.01), 0.5)
    assert small.verdict == "equivalent"
    assert "not 0" in small.note
    for epsilon in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="epsilon"):
            verdict(effect(0.2, 0.01), epsilon)


def test_equal_blocks_prove_little():
    def same(value, blocks):
        return mean(Moments.from_blocks([value] * blocks))

    assert p_value(same(0, 5)) == 1.0
    assert p_value(same(3, 2)) == 0.5
    assert p_value(same(3, 10)) == 2**-9
    assert verdict(same(0, 49), 1.0).verdict == "undecided"
    assert verdict(same(0, 50), 1.0).verdict == "equivalent"
    assert verdict(same(3, 50), 1.0).verdict == "different"


def test_holm_and_benjamini_hochberg():
    p = [0.01, 0.04, 0.03, 0.005, 0.9]
    assert holm(p) == pytest.approx((0.04, 0.09, 0.09, 0.025, 0.9))
    assert benjamini_hochberg(p) == pytest.approx(tuple(stats.false_discovery_control(p)))
    assert holm([0.01, None, 0.02]) == pytest.approx((0.02, None, 0.02))
    assert holm([]) == ()
    assert benjamini_hochberg([None]) == (None,)
    with pytest.raises(ValueError, match="p values"):
        holm([float("nan")])


def test_sup_t_between_its_limits():
    rng = RNG(9)
    independent = sup_t_critical(np.eye(5), 10**7, rng, draws=100_000)
    assert independent == pytest.approx(sidak_critical(5, 10**7), rel=0.01)
    assert sup_t_critical(np.ones((5, 5)), 30, rng) == pytest.approx(stats.t.ppf(0.975, 30), rel=0.02)
    half = sup_t_critical(np.full((2, 2), 0.5) + 0.5 * np.eye(2), 10**7, rng, draws=200_000)
    box = stats.multivariate_normal(cov=[[1, 0.5], [0.5, 1]])
    root = optimize.brentq(
        lambda c: box.cdf([c, c]) - 2 * box.cdf([c, -c]) + box.cdf([-c, -c]) - 0.95, 1.9, 2.4, xtol=1e-4
    )
    assert half == pytest.approx(root, rel=0.005)


def test_sup_t_is_the_studentised_maximum_modulus():
    """Five independent numerators over one estimated sd, by integration over the sd."""
    critical = sup_t_critical(np.eye(5), 5, RNG(13), draws=200_000)
    square = np.linspace(1e-6, 40, 40_001)
    inner = (2 * stats.norm.cdf(critical * np.sqrt(square / 5)) - 1) ** 5
    inside = np.trapezoid(inner * stats.chi2.pdf(square, 5), square)
    assert inside == pytest.approx(0.95, abs=0.002)


def test_bands_are_multiples_of_the_standard_errors():
    rng = RNG(10)
    base = rng.integers(0, 100, 200)
    columns = [base + rng.integers(-9, 10, 200) for _ in range(4)]
    j = Joint.from_blocks([*columns, np.ones(200, int)])
    metrics = [(k, 4) for k in range(4)]
    sidak, sup = bands(j, metrics), bands(j, metrics, rng=RNG(0))
    assert {e.method for e in sidak} == {"sidak"}
    assert {e.method for e in sup} == {"sup-t"}
    for e, f in zip(sidak, sup, strict=True):
        assert (e.high - e.estimate) / e.se == pytest.approx(sidak_critical(4, 199))
        assert e.low < f.low < f.high < e.high  # highly correlated: sup-t gains much
    assert bands(j, metrics, rng=RNG(0)) == sup
    against = bands(j, metrics[1:], baseline=(0, 4), rng=RNG(0))
    assert against[0].estimate == pytest.approx(float(np.mean(columns[1] - columns[0])))
    gaps = np.cov(np.array(columns[1:]) - columns[0])
    multiple = (against[0].high - against[0].estimate) / against[0].se
    assert multiple == pytest.approx(sup_t_critical(gaps, 199, RNG(1)), rel=0.01)
    alone = bands(j, metrics, baseline=(0, 4), rng=RNG(0))  # the baseline against itself: 0, flagged
    assert (alone[0].estimate, alone[0].se) == (0.0, 0.0)
    assert "zero variance" in alone[0].note


def test_bootstrap_is_joint_and_seeded():
    x = RNG(11).integers(0, 50, 300)
    data = np.column_stack([x, 100 - x, np.ones(300)])

    def shares(sums):
        return [sums[0] / sums[2], sums[1] / sums[2], (sums[0] + sums[1]) / sums[2], max(sums[:2])]

    first = bootstrap(data, shares, RNG(0))
    assert first == bootstrap(data, shares, RNG(0)) != bootstrap(data, shares, RNG(1))
    assert first[0].low + first[1].high == pytest.approx(100)
    assert (first[2].low, first[2].high, "zero variance" in first[2].note) == (100, 100, True)
    t = mean(Moments.from_blocks(x))
    assert first[0].se == pytest.approx(t.se, rel=0.1)
    partly = bootstrap(data[:60, :1], lambda s: s[0] / 0.0, RNG(0))[0]
    assert partly.estimate is None
    assert partly.low is None
    assert "undefined" in partly.note


def test_anytime_multiplier_solves_the_mixture_integral():
    """Bayes factor of the t statistic, by numerical integration over the effect size."""
    blocks, tuned, level = 60, 500, 0.95
    m = anytime_multiplier(blocks, level, tuned)
    g = (-2 * np.log(0.05) + np.log(-2 * np.log(0.05)) + 1) / tuned
    delta = np.linspace(-8, 8, 16001) * np.sqrt(g)
    weight = stats.norm.pdf(delta, 0, np.sqrt(g)) * (delta[1] - delta[0])
    alternative = (stats.nct.pdf(m, blocks - 1, delta * np.sqrt(blocks)) * weight).sum()
    assert alternative / stats.t.pdf(m, blocks - 1) == pytest.approx(1 / (1 - level), rel=1e-3)


def test_anytime_multiplier_limits():
    assert anytime_multiplier(1) is None
    assert anytime_multiplier(2) is None
    wide = [anytime_multiplier(b) for b in (100, 1000, 10**4, 10**9)]
    assert all(w is not None and 2.5 < w < 6 for w in wide)
    assert anytime_multiplier(1000, tuned=1000) < anytime_multiplier(1000, tuned=20)
    assert anytime_multiplier(1000, tuned=1000) < anytime_multiplier(1000, tuned=10**6)
    g = (-2 * np.log(0.05) + np.log(-2 * np.log(0.05)) + 1) / 1000
    n = 10**7
    asymptotic = np.sqrt(2 * (n * g + 1) / (n * g) * np.log(np.sqrt(n * g + 1) / 0.05))
    assert anytime_multiplier(n) == pytest.approx(asymptotic, rel=1e-5)


def test_log_likelihood_ratio_by_maximising_the_variance():
    x = RNG(12).normal(0.3, 2, 200)
    e = effect(float(x.mean()), float(x.std(ddof=1) / 200**0.5), 199)

    def fit(mu):
        return stats.norm.logpdf(x, mu, np.sqrt(np.mean((x - mu) ** 2))).sum()

    assert log_likelihood_ratio(e, 0.0, 0.5) == pytest.approx(fit(0.5) - fit(0.0))
    assert log_likelihood_ratio(e, -0.5, 0.0) == pytest.approx(fit(0.0) - fit(-0.5))
    assert sprt_bounds(0.05, 0.1) == pytest.approx((np.log(0.1 / 0.95), np.log(0.9 / 0.05)))
    for bad in ((0.0, 0.1), (0.5, 0.5)):
        with pytest.raises(ValueError, match=r"level|alpha"):
            sprt_bounds(*bad)
    with pytest.raises(ValueError, match="increasing"):
        log_likelihood_ratio(e, 1.0, 0.0)
