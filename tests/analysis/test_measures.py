"""Measures: means less a known number, functions of block sums, and changes that are paired by block."""

import numpy as np
import pytest

from sim.analysis.measures import (
    COLUMNS,
    Measure,
    batch_edges,
    batch_sums,
    change,
    frame,
    missing,
    of_draws,
    of_series,
    resample,
    shifted,
)
from sim.analysis.samples import Series
from sim.stats import Estimate, Joint, bootstrap, difference, mean, proportion
from tests.stats.simulate import covered, inside

pytestmark = pytest.mark.slow

RNG = np.random.default_rng


def series(seed, blocks=400, count=1):
    return Series(RNG(seed).integers(0, 61, blocks), np.full(blocks, count), 60)


def roots(sums):
    return np.sqrt(sums[:, :1] / sums[:, 1:])


def drawn(x, seed=1, draws=1000, origin=None, metric="spread"):
    """The root of a mean square as a measure."""
    rows = batch_sums(np.column_stack([x.astype(float) ** 2, np.ones(len(x))]))
    point = float(roots(rows.sum(axis=0, keepdims=True))[0, 0])
    found = resample(rows, roots, seed, draws)
    one = None if found is None else found[:, 0]
    return of_draws(metric, "", "points", point, one, n=len(x), blocks=len(x), origin=origin)


def test_a_mean_less_a_known_number():
    one = series(1)
    plain, less = of_series("m", "s", "share", one), of_series("m", "s", "share", one, offset=0.25)
    assert plain.value == mean(one.moments())
    for name in ("estimate", "low", "high"):
        assert getattr(less.value, name) == getattr(plain.value, name) - 0.25
    assert (less.value.se, less.value.n) == (plain.value.se, plain.value.n)
    never = of_series("m", "", "share", Series(np.zeros(30, int), np.ones(30, int)), proportion=True, offset=0.5)
    bound = proportion(Series(np.zeros(30, int), np.ones(30, int)).moments())
    assert never.value == shifted(bound, 0.5)
    assert (never.value.low, never.value.method) == (-0.5, "exact-bound")


def test_a_change_is_paired_by_block():
    """The blocks' luck is common: the paired interval is far shorter than those of the two means suggest."""
    rng = RNG(2)
    luck = rng.integers(-50, 51, 500)
    old = of_series("m", "", "points", Series(luck, np.ones(500, int)), offset=1.0)
    new = of_series("m", "", "points", Series(luck + rng.integers(0, 3, 500), np.ones(500, int)), offset=0.5)
    found = change(new, old)
    sums = Joint.from_blocks([new.series.x, new.series.n, old.series.x, old.series.n])
    expected = difference(sums, (0, 1), (2, 3))
    assert found.estimate == pytest.approx(expected.estimate + 0.5)
    assert found.half_width == pytest.approx(expected.half_width)
    assert found.half_width < old.value.half_width / 10
    assert change(new, new).estimate == 0
    assert change(old, new).estimate == pytest.approx(-found.estimate)


def test_a_change_of_functions_is_paired_by_draw():
    rng = RNG(3)
    x = rng.normal(size=900)
    old, new = drawn(x), drawn(2 * x)
    found = change(new, old)
    assert found.estimate == pytest.approx(old.value.estimate)
    assert (found.low, found.high) == pytest.approx((old.value.low, old.value.high))
    assert found.method == "bootstrap"
    assert found.n == 900


def test_intervals_of_functions_hold_the_truth():
    """Roots of mean squares of 300 blocks, and their changes when the blocks' luck is common; all replications are
    columns of one resampling."""
    rng, blocks, runs = RNG(4), 300, 1000
    common, own = rng.normal(size=(1, blocks, runs)), rng.normal(size=(2, blocks, runs))
    x = common + own * np.array([1, 2]).reshape(2, 1, 1)
    point = np.sqrt((x**2).mean(axis=1))
    draws = [resample(one**2, lambda sums: np.sqrt(sums / blocks), 4, 1000) for one in x]
    old, new = (
        [of_draws("m", "", "points", point[k, j], draws[k][:, j], n=blocks, blocks=blocks) for j in range(runs)]
        for k in range(2)
    )
    bounds = (0.92, 0.97)  # standard error 0.7 %; the bootstrap is a little short
    assert inside(covered((one.value for one in old), np.sqrt(2)), bounds)
    assert inside(covered(map(change, new, old), np.sqrt(5) - np.sqrt(2)), bounds)


def test_what_is_not_the_same_is_not_compared():
    one = of_series("m", "a", "share", series(1), origin=(1, 0, 400))
    for other in (
        of_series("m", "b", "share", series(1)),
        of_series("k", "a", "share", series(1)),
        of_series("m", "a", "points", series(1)),
        of_series("m", "a", "share", series(1, blocks=399)),
        of_series("m", "a", "share", series(1), origin=(2, 0, 400)),
        of_draws("m", "a", "share", 0.5, np.full(100, 0.5), n=400, blocks=400),
    ):
        with pytest.raises(ValueError, match=r"paired|other blocks|different measures"):
            change(other, one)
    x = RNG(5).normal(size=300)
    for other in (drawn(x, draws=999), drawn(x[:-1]), drawn(x, metric="other"), drawn(x, origin=(1, 5, 300))):
        with pytest.raises(ValueError, match=r"paired|other blocks|different measures"):
            change(other, drawn(x, origin=(1, 0, 300)))


def test_draws_are_one_column():
    with pytest.raises(ValueError, match="one-dimensional"):
        of_draws("m", "", "points", 1.0, np.ones((100, 1)), n=5, blocks=5)


def test_without_an_estimate_there_is_no_change():
    gone = missing("m", "s", "share", "nobody knows")
    there = of_series("m", "s", "share", series(1))
    for pair in ((gone, there), (there, gone), (gone, gone)):
        found = change(*pair)
        assert (found.estimate, found.low, found.note) == (None, None, "nobody knows")
    alone = Measure("m", "s", "share", Estimate(0.5, 0.4, 0.6, n=5, blocks=5))
    assert "nothing pairs them" in change(alone, alone).note


def test_none_one_and_two_blocks():
    nothing = of_draws("m", "", "points", float("nan"), None, n=0, blocks=0)
    assert nothing.value.estimate is None
    assert nothing.value.note == "no block: no estimate"
    empty = of_series("m", "", "points", Series(np.zeros(0, int), np.zeros(0, int)))
    assert (empty.value.estimate, empty.value.note) == (None, "no block: no estimate")
    one = drawn(np.array([3.0]))
    assert (one.value.estimate, one.value.low, one.value.note) == (3.0, None, "one block: no interval")
    assert change(one, one).note == "one block: no interval"
    two = drawn(np.array([3.0, 4.0]))
    assert two.draws.shape == (1000,)
    assert two.value.low == 3.0


def test_the_long_table():
    table = frame([of_series("m", "s", "share", series(1)), missing("k", "", "points", "nobody knows")])
    assert tuple(table.columns) == COLUMNS
    assert table["estimate"].tolist()[1] is None
    assert table["note"].tolist() == ["", "nobody knows"]
    assert len(frame([])) == 0
    with pytest.raises(ValueError, match="level"):
        frame([missing("k", "", "points", "nobody knows")], level=0.9)


@pytest.mark.parametrize("blocks", [1, 7, 500, 501, 12_345])
def test_batches_are_neighbours_of_equal_size(blocks):
    edges = np.append(batch_edges(blocks), blocks)
    sizes = np.diff(edges)
    assert len(sizes) == min(blocks, 500)
    assert sizes.min() >= 1
    assert np.ptp(sizes) <= 1
    x = RNG(6).normal(size=(blocks, 2))
    assert batch_sums(x).sum(axis=0) == pytest.approx(x.sum(axis=0))
    assert batch_sums(x)[0] == pytest.approx(x[: sizes[0]].sum(axis=0))


def test_resampling_is_that_of_the_bootstrap_and_the_same_for_all():
    rows = RNG(7).normal(size=(60, 2)) ** 2
    draws = resample(rows, roots, 9, 500)
    (found,) = bootstrap(rows, roots, RNG(9), draws=500, batched=True)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))
    assert resample(rows, lambda sums: sums, 9, 500).shape == (500, 2)
    assert (resample(rows, roots, 9, 500) == draws).all()
    assert (resample(rows, roots, 8, 500) != draws).any()
    assert resample(rows[:1], roots, 9, 500) is None
