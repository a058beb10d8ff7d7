"""Nothing is NaN or infinite and nothing warns with 0, 1 or 2 blocks, whatever they hold."""

import dataclasses
import math

import numpy as np
import pytest

from sim.stats import (
    BoundedSequence,
    Joint,
    Moments,
    Sprt,
    bands,
    bootstrap,
    confidence_sequence,
    control_variates,
    difference,
    fieller,
    holm,
    mean,
    metric_mean,
    naive_variance,
    p_value,
    pairing_factor,
    proportion,
    verdict,
)

pytestmark = pytest.mark.slow

pytestmark = pytest.mark.filterwarnings("error")

CASES = {
    "no block": [],
    "empty block": [(0, 0, 0)],
    "one zero": [(0, 0, 2)],
    "one": [(1, 2, 2)],
    "two equal": [(1, 1, 2), (1, 1, 2)],
    "two full": [(2, 2, 2), (2, 2, 2)],
    "two zero": [(0, 0, 2), (0, 0, 2)],
    "two": [(1, 2, 2), (0, 1, 2)],
    "two opposite": [(0, 2, 2), (2, 0, 2)],
    "one used": [(1, 0, 2), (0, 0, 0)],
    "varying": [(1, 1, 1), (2, 0, 5)],
}


def flat(value):
    """Every number inside nested results."""
    if dataclasses.is_dataclass(value):
        for f in dataclasses.fields(value):
            yield from flat(getattr(value, f.name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from flat(item)
    elif isinstance(value, int | float | np.number):
        yield value


@pytest.mark.parametrize("name", CASES)
def test_every_result_is_finite(name):
    rows = CASES[name]
    a, b, n = (np.array([row[k] for row in rows], dtype=int) for k in range(3))
    m = Moments.from_blocks(a, n, squares=a * a)
    j = Joint.from_blocks([a, b, n])
    d = difference(j, (0, 2), (1, 2))
    test = Sprt(0.0, 0.1)
    results = [
        mean(m), proportion(m), metric_mean(j, (0, 2)), naive_variance(m), d, p_value(d), p_value(d, 0.3),
        verdict(d, 0.1), pairing_factor(j, (0, 2), (1, 2)), control_variates(j, (0, 2), [(1, 2)], [0.5]),
        fieller(j, (0, 2), (1, 2)), fieller(j, (0, 2), (1, 2)).as_estimate(), bands(j, [(0, 2), (1, 2)]),
        bands(j, [(0, 2), (1, 2)], rng=np.random.default_rng(0)), bands(j, [(0, 2)], baseline=(1, 2)),
        holm([p_value(d), p_value(mean(m))]), confidence_sequence(m), confidence_sequence(m, first=1),
        test.update(m), test.trace, test.update(m),
        bootstrap(np.column_stack([a, n]), lambda s: s[0] / s[1], np.random.default_rng(0), draws=50),
    ]  # fmt: skip
    numbers = list(flat(results))
    assert len(numbers) > 50
    assert all(math.isfinite(value) for value in numbers)


@pytest.mark.parametrize("name", CASES)
def test_reasons_are_given(name):
    rows = CASES[name]
    m = Moments.from_blocks([row[0] for row in rows], [row[2] for row in rows])
    for e in (mean(m), proportion(m), confidence_sequence(m)):
        if m.used == 0:
            assert e.estimate is None
            assert e.note.startswith("no block")
        elif m.used == 1:
            assert e.estimate is not None
            assert e.low is None
            assert e.se is None
            assert e.note.startswith("one block")
        if e.low is None or e.high is None:
            assert e.note
            assert e.half_width is None
        else:
            assert e.low <= e.estimate <= e.high
            assert e.low < e.high


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e70])
def test_extreme_units(scale):
    x = np.array([1.0, 2.0, 4.0]) * scale
    j = Joint.from_blocks([x, x[::-1], [1, 1, 1]])
    for result in (mean(Moments.from_blocks(x)), difference(j, (0, 2), (1, 2)), fieller(j, (0, 2), (1, 2))):
        assert all(math.isfinite(value) for value in flat(result))


def test_zero_variance_is_flagged():
    few, many = mean(Moments.from_blocks([7] * 49)), mean(Moments.from_blocks([7] * 50))
    assert few.low is None
    assert "zero variance" in few.note
    assert (many.low, many.high, many.se) == (7, 7, 0)
    assert many.note == "zero variance"
    identical = Joint.from_blocks([[1, 2, 3], [1, 2, 3], [1, 1, 1]])
    assert "zero variance" in difference(identical, (0, 2), (1, 2)).note
    assert "zero variance" in confidence_sequence(Moments.from_blocks([7] * 500)).note


def test_sequential_procedures_wait_for_information():
    """Blocks that are nearly all alike say nothing about the rest, however many."""
    rare = Moments.from_blocks([0] * 5000 + [1] * 10)
    assert confidence_sequence(rare).low is None
    assert "10 blocks" in confidence_sequence(rare).note
    assert Sprt(0.0, 0.1).update(rare).decision == "undecided"
    assert Sprt(0.0, 0.1).update(Moments.from_blocks([0] * 5000)).decision == "undecided"
    assert Sprt(0.0, 0.1).update(Moments.from_blocks([1] * 29)).decision == "undecided"
    assert Sprt(0.0, 0.1).update(Moments.from_blocks([1] * 5000)).decision == "accept"


def test_bounded_sequence_guards():
    s = BoundedSequence(0, 1)
    assert s.update(Moments()).estimate is None
    one = s.update(Moments.from_blocks([1], 2))
    assert one.low is None
    assert one.note.startswith("one block")
    two = s.update(Moments.from_blocks([1], 2))
    assert (two.low, two.high) == (0.0, 1.0)
    for bad in (
        Moments.from_blocks([1], 3),
        Moments.from_blocks([1, 1], [1, 3]),
        Moments.from_blocks([5], 2),
    ):
        with pytest.raises(ValueError, match=r"observations|outside"):
            s.update(bad)
    with pytest.raises(ValueError, match="increasing"):
        BoundedSequence(1, 0)
    with pytest.raises(ValueError, match="level"):
        mean(Moments.from_blocks([1, 2]), level=1.0)
