"""Sums over blocks are exact, merge in any order, and refuse malformed input."""

from fractions import Fraction

import numpy as np
import pytest

from sim.stats import Joint, Moments, mean, metric_mean

pytestmark = pytest.mark.slow

RNG = np.random.default_rng


def test_sums_by_hand():
    m = Moments.from_blocks([0, 3, 2, 0], [0, 3, 4, 2])
    assert (m.blocks, m.used, m.n, m.x, m.xx, m.xn, m.nn, m.seen, m.missed) == (4, 3, 9, 5, 13, 17, 29, 2, 2)


def test_merging_equals_one_pass_whatever_the_cut():
    rng = RNG(1)
    x, n = rng.integers(0, 50, 300), rng.integers(1, 9, 300)
    whole = Moments.from_blocks(x, n, squares=x)
    parts = [Moments.from_blocks(x[s], n[s], squares=x[s]) for s in (slice(0, 7), slice(7, 200), slice(200, 300))]
    assert parts[2] + (Moments() + parts[0]) + parts[1] == whole
    a = Joint.from_blocks([x, n])
    assert Joint.from_blocks([x[:9], n[:9]]) + Joint.from_blocks([x[9:], n[9:]]) == a


def test_no_overflow_and_no_cancellation():
    """A mean of 10^15 with unit variance: floating-point sums of squares would lose every digit."""
    offset = 10**15
    x = np.array([offset - 1, offset, offset + 1] * 1000)
    assert mean(Moments.from_blocks(x)).se == pytest.approx(np.std([-1, 0, 1] * 1000, ddof=1) / 3000**0.5, rel=1e-12)
    assert metric_mean(Joint.from_blocks([x, np.ones(3000, int)]), (0, 1)) == mean(Moments.from_blocks(x))


def test_numpy_scalars_do_not_wrap():
    big = np.int64(3 * 10**9)
    m = Moments(blocks=big, used=big, n=big, x=big, xx=big, xn=big, nn=big, seen=big, missed=np.int64(0))
    assert m.variance == 0.0


def test_a_billion_games_from_moments_alone():
    blocks, size = 250_000_000, 4
    m = Moments(blocks, blocks, blocks * size, blocks * 2, blocks * 5, blocks * 8, blocks * 16, blocks, blocks)
    assert mean(m).estimate == 0.5
    assert mean(m).se == pytest.approx(0.25 / blocks**0.5)


def test_scale_keeps_fractions_exact():
    sixtieths = np.array([60, 30, 20, 0, 12] * 30)
    shares = mean(Moments.from_blocks(sixtieths, scale=60))
    plain = mean(Moments.from_blocks(sixtieths / 60))
    assert shares.estimate == pytest.approx(plain.estimate)
    assert shares.se == pytest.approx(plain.se)
    j = Joint.from_blocks([sixtieths, np.ones(150, int)], scales=[60, 1])
    assert j.ratio((0, 1)) == Fraction(int(sixtieths.sum()), 60 * 150)
    assert metric_mean(j, (0, 1)).se == pytest.approx(plain.se)


def test_float_constants_have_no_variance():
    assert Moments.from_blocks(np.full(1000, 0.1)).variance == 0.0
    j = Joint.from_blocks([np.full(1000, 0.1), np.full(1000, 0.3), np.ones(1000, int)])
    assert j.contrast([(0, 2), (1, 2)], [1, -1])[1] == 0.0


@pytest.mark.parametrize(
    ("message", "bad"),
    [
        ("finite", lambda: Moments.from_blocks([1.0, np.nan])),
        ("counts", lambda: Moments.from_blocks([1, 2], [1, -1])),
        ("counts", lambda: Moments.from_blocks([1, 2], [1.0, 1.0])),
        ("counts", lambda: Moments.from_blocks([1, 2], [1])),
        ("x = 0", lambda: Moments.from_blocks([1, 2], [0, 1])),
        ("one-dimensional", lambda: Moments.from_blocks([[1, 2]])),
        ("integers or floats", lambda: Moments.from_blocks(["a"])),
        ("scale", lambda: Moments.from_blocks([1], scale=0)),
        ("cannot merge scales", lambda: Moments.from_blocks([1]) + Moments.from_blocks([1], scale=60)),
        ("equally long", lambda: Joint.from_blocks([[1, 2], [1]])),
        ("equally long", lambda: Joint.from_blocks([])),
        ("different columns", lambda: Joint.from_blocks([[1]]) + Joint.from_blocks([[1]], scales=[2])),
    ],
)
def test_malformed_input_is_refused(message, bad):
    with pytest.raises(ValueError, match=message):
        bad()
