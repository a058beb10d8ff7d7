"""Sequential procedures keep their error rates under repeated looks."""

import numpy as np
import pytest

from sim.stats import (
    FEW,
    BoundedSequence,
    Moments,
    Sprt,
    anytime,
    anytime_multiplier,
    confidence_sequence,
    mean,
)
from tests.stats.simulate import REPLICATIONS, covered, sums_at_looks

pytestmark = pytest.mark.slow

RNG = np.random.default_rng
BLOCKS = 5000
SHAPE = (REPLICATIONS, BLOCKS)


def normal(rng):
    return np.rint(rng.normal(0, 50, SHAPE)).astype(np.int32), 0.0


def skewed(rng):
    return rng.geometric(0.2, SHAPE).astype(np.int32), 5.0


def ties(rng):
    return (rng.integers(-1, 2, SHAPE, dtype=np.int8) * (rng.random(SHAPE, dtype=np.float32) < 0.1)).astype(int), 0.0


def rare(rng):
    return (rng.random(SHAPE, dtype=np.float32) < 0.01).astype(np.int32), 0.01


def orbit(rng):
    chance = rng.beta(2, 4, SHAPE)
    return rng.binomial(6, chance), 2.0


@pytest.mark.parametrize("draw", [normal, skewed, ties, rare, orbit])
def test_confidence_sequence_under_a_hundred_looks(draw):
    """At most 5 % of the runs ever exclude the truth; the t interval, watched as often, does so far more."""
    x, truth = draw(RNG(201))
    count, value, se = sums_at_looks(x)
    seen = (x != 0).reshape(REPLICATIONS, 100, -1).sum(axis=2).cumsum(axis=1)
    missed = (x != 1).reshape(REPLICATIONS, 100, -1).sum(axis=2).cumsum(axis=1)
    multiplier = np.array([anytime_multiplier(int(c)) for c in count])
    shown = np.minimum(seen, missed) >= FEW
    outside = (np.abs(value - truth) > multiplier * se) & shown
    for r, k in [(0, 0), (0, 99), (1, 50), (7, 3)]:  # the vectorised looks are the function's
        e = confidence_sequence(Moments.from_blocks(x[r, : count[k]]))
        assert (e.low is not None) == shown[r, k]
        assert e.estimate == pytest.approx(value[r, k])
        if e.low is not None:
            assert e.half_width == pytest.approx(multiplier[k] * se[r, k])
    assert outside.any(axis=1).mean() <= 0.05
    watched = np.abs(value - truth) > 1.96 * se
    assert watched.any(axis=1).mean() > 0.2


def test_stopping_at_a_target_error():
    """The interval at the moment it is short enough still holds the truth."""
    x, truth = skewed(RNG(202))
    count, value, se = sums_at_looks(x)
    half = np.array([anytime_multiplier(int(c)) for c in count]) * se
    reached = half <= 0.35
    assert reached.any(axis=1).all()
    stop = reached.argmax(axis=1)
    rows = np.arange(REPLICATIONS)
    assert stop.min() < stop.max()
    assert (np.abs(value - truth)[rows, stop] <= half[rows, stop]).mean() >= 0.95


def test_confidence_sequence_of_ratios():
    """Counts that vary between blocks, 100 looks of 20 blocks each, through the public functions."""
    rng = RNG(203)
    runs = 400
    n = rng.integers(0, 6, (runs, 100, 20))
    x = rng.binomial(n, 0.2)
    wrong = 0
    for r in range(runs):
        total, excluded = Moments(), False
        for k in range(100):
            total = total + Moments.from_blocks(x[r, k], n[r, k])
            e = confidence_sequence(total)
            excluded |= e.low is not None and not e.low <= 0.2 <= e.high
        wrong += excluded
    assert wrong / runs <= 0.05


def test_bounded_sequence_under_a_hundred_looks():
    """Holds from the first blocks on, for a rare event too."""
    rng = RNG(204)
    wrong, widths = 0, []
    x = rng.binomial(2, 0.02, (REPLICATIONS, 100, 30))
    parts = [array.tolist() for array in (x.sum(2), (x * x).sum(2), (x > 0).sum(2), (x < 2).sum(2))]
    for run in zip(*parts, strict=True):
        sequence, excluded = BoundedSequence(0, 1), False
        for events, square, seen, missed in zip(*run, strict=True):
            e = sequence.update(Moments(30, 30, 60, events, square, 2 * events, 120, seen, missed))
            excluded |= not e.low <= 0.02 <= e.high
        wrong += excluded
        widths.append(e.half_width)
    assert wrong / REPLICATIONS <= 0.05
    assert np.mean(widths) < 0.012


def test_bounded_sequence_in_other_units():
    x = RNG(205).integers(-10, 31, (50, 40))
    points, unit = BoundedSequence(-10, 30), BoundedSequence(0, 1)
    for batch in x:
        p = points.update(Moments.from_blocks(batch))
        u = unit.update(Moments.from_blocks(batch + 10, scale=40))
    assert (p.low, p.high) == pytest.approx((u.low * 40 - 10, u.high * 40 - 10))


def test_bounded_sequence_by_hand():
    """Two batches: rate and prediction of the second come from the first alone."""
    first, second = np.array([0, 1, 1, 0, 1] * 20), np.array([1, 1, 0, 1] * 50)
    sequence = BoundedSequence(0, 1)
    sequence.update(Moments.from_blocks(first))
    got = sequence.update(Moments.from_blocks(second))
    guess = (0.5 + 60) / 101
    spread = (0.25 + ((first - guess) ** 2).sum()) / 101
    rates = [np.sqrt(2 * np.log(40) / (v * t * np.log(1 + t))) for v, t in ((0.25, 100), (spread, 300))]
    assert max(rates) < 0.5
    penalty = sum(
        (-np.log(1 - r) - r) * ((x - m) ** 2).sum()
        for r, x, m in zip(rates, (first, second), (0.5, guess), strict=True)
    )
    weight = rates[0] * 100 + rates[1] * 200
    centre = (rates[0] * 60 + rates[1] * 150) / weight
    half = (np.log(40) + penalty) / weight
    assert (got.low, got.high) == pytest.approx((centre - half, centre + half))
    assert got.estimate == pytest.approx(0.7)


def test_anytime_widens_the_fixed_time_interval():
    e = mean(Moments.from_blocks(RNG(206).integers(0, 9, 400)))
    wide = anytime(e)
    assert (wide.method, wide.estimate, wide.n) == ("cs", e.estimate, e.n)
    assert wide.low < e.low < e.high < wide.high


def sprt_shares(draw, effect0, effect1, alpha, beta, batch=20, looks=150, runs=REPLICATIONS):
    """Shares of accepted, rejected and undecided runs, and the mean number of blocks used."""
    decisions, blocks = [], []
    for _ in range(runs):
        test = Sprt(effect0, effect1, alpha, beta)
        x = draw((looks, batch))
        for row in x:
            state = test.update(Moments.from_blocks(row))
            if test.decided:
                break
        decisions.append(state.decision)
        blocks.append(test.total.blocks)
    share = {d: decisions.count(d) / runs for d in ("accept", "reject", "undecided")}
    return share, float(np.mean(blocks))


def noise_normal(rng, mu):
    return lambda shape: np.rint(rng.normal(mu * 100, 100, shape)).astype(int)


def noise_ties(rng, mu):
    """-100, 0 or 100 with seven in ten equal."""
    p = [0.15 - mu / 2, 0.7, 0.15 + mu / 2]
    return lambda shape: rng.choice(np.array([-100, 0, 100]), shape, p=p)


@pytest.mark.parametrize("noise", [noise_normal, noise_ties])
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.1)])
def test_sprt_error_rates(noise, alpha, beta):
    gap = 25 if noise is noise_normal else 14
    slack = 3 * np.sqrt(alpha * (1 - alpha) / 1000)
    null, used0 = sprt_shares(noise(RNG(207), 0.0), 0, gap, alpha, beta, runs=1000)
    assert null["accept"] <= alpha + slack
    assert null["undecided"] < 0.01
    alternative, used1 = sprt_shares(noise(RNG(208), gap / 100), 0, gap, alpha, beta, runs=1000)
    assert alternative["reject"] <= beta + 3 * np.sqrt(beta * (1 - beta) / 1000)
    assert alternative["accept"] > 1 - beta - 0.03
    assert max(used0, used1) < 400  # a fixed test of the same errors takes more


def test_sprt_far_outside_its_bounds_and_between_them():
    far, used = sprt_shares(noise_normal(RNG(209), -0.3), 0, 25, 0.05, 0.05, runs=300)
    assert far["accept"] == 0
    assert used < 100
    middle, _ = sprt_shares(noise_normal(RNG(210), 0.125), 0, 25, 0.05, 0.05, looks=3, runs=300)
    assert middle["undecided"] > 0.5


def test_sprt_trace_and_first_decision_stands():
    test = Sprt(0, 25)
    up, down = Moments.from_blocks([20, 60] * 40), Moments.from_blocks([-90, -50] * 400)
    first = test.update(up)
    assert first.decision == "accept"
    assert first.llr >= first.upper
    assert test.update(down) == first
    assert [blocks for blocks, _ in test.trace] == [80, 880]
    assert test.trace[1][1] < first.lower


def test_covered_can_fail():
    """The yardstick itself: a wrong truth and missing intervals are counted as misses."""
    good = [mean(Moments.from_blocks(x)) for x in RNG(211).integers(-5, 6, (50, 40))]
    assert covered(good, 3.0) == 0.0
    assert covered([mean(Moments.from_blocks([1]))], 1.0) == 0.0
