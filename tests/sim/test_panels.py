"""Panels of estimates, and figures of two variants that have one scale."""

import re

import numpy as np
import pytest

from sim.errors import UsageError
from sim.report import figures
from sim.report.figures import Panel
from tests.sim.test_figures import LONG, MINUS, TWELVE, check, pairs, seats, texts

pytestmark = pytest.mark.slow

WINS = Panel("share", [("by kind", [("lead", 0.02, 0.01, 0.03, ""), ("follow", 0.005, 0.0, 0.01, "")])], "gain")
POINTS = Panel("points", [("", [(LONG[1], 1.0, 0.5, 1.5, "different")]), ("none", [])], "change")
LEVEL = Panel("share", [("who wins", [("cards", 0.2, 0.18, 0.22, "")])], "share of the variance", True)


def many(count):
    verdicts = ("different", "equivalent", "undecided")
    return [(TWELVE[k % 12], 0.1 * k, 0.1 * k - 0.05, 0.1 * k + 0.05, verdicts[k % 3]) for k in range(count)]


@pytest.mark.parametrize(
    "shown",
    [
        [WINS],
        [WINS, POINTS, LEVEL],
        [Panel("points", [("first", many(9)), ("second", many(12))])],
        [Panel("points", [("", [("unknown", None, None, None, ""), ("alone", 1.0, None, None, "")])])],
        [Panel("points", [])],
        [],
    ],
)
def test_panels_are_whole_and_nothing_is_cut_or_covered(shown):
    check(figures.panels("a", "A title", shown))


def test_panels_in_words():
    figure = figures.panels("a", "", [WINS, POINTS, LEVEL], (), "Not drawn: 3.")
    assert figure.alt == (
        "Gain, in percentage points, with intervals: by kind: lead +2.0 ±1.0; follow +0.50 ±0.50. "
        f"Change, in points, with intervals: {LONG[1]} +1.00 ±0.50. "
        "Share of the variance, in %, with intervals: who wins: cards 20.0 ±2.0 %. Not drawn: 3."
    )
    words = [text[0] for text in texts(figure)]
    assert {"by kind", "who wins", "above 0", "estimate with interval", "gain, percentage points"} <= set(words)
    assert "none" not in words


def test_a_description_of_many_names_the_sure_ones():
    alt = figures.panels("a", "", [Panel("points", [("", many(18))], "change")]).alt
    assert "(6 different, 6 equivalent, 6 undecided)" in alt
    assert alt.count(";") == 5
    assert f"{MINUS}" not in alt


def test_a_verdict_may_be_left_out_but_not_invented():
    with pytest.raises(UsageError, match="verdict: not 'sure'"):
        figures.panels("a", "", [Panel("points", [("", [("s", 1, 0, 2, "sure")])])])


def test_figures_beside_each_other_have_one_scale():
    small = [("s", 1.0, 0.9, 1.1, "different")]
    large = [("a much longer name", -7.0, -8.0, -6.0, "different"), ("s", 1.0, 0.9, 1.1, "different")]
    together = [figures.forest("a", "", one, "points", "lead", [small, large]) for one in (small, large)]
    apart = [figures.forest("a", "", one, "points", "lead") for one in (small, large)]
    ticks = [axis(figure) for figure in together]
    assert ticks[0] == ticks[1]
    assert axis(apart[0]) != axis(apart[1])


def axis(figure, pattern=f"{MINUS}?[\\d.]+"):
    """The tick labels of the lower axis with their places."""
    return [(round(left + right), word) for word, left, right, *_ in texts(figure) if re.fullmatch(pattern, word)]


def test_seats_scores_and_matrices_of_two_variants_have_one_scale():
    near = seats(["solid"])
    far = [(name, seat, 10 * value, 9 * value, 11 * value) for name, seat, value, *_ in near]
    also = [value for row in (*near, *far) for value in row[2:]]
    height = [axis(figures.seat_dots("a", "", near, "share", more)) for more in ((), also)]
    assert height[1] == axis(figures.seat_dots("a", "", far, "share", also)) != height[0]

    low, high = (np.arange(10), np.ones(10, int)), (np.arange(200, 230), np.ones(30, int))
    one, other = (figures.distributions("a", "", {"s": pair}, "points", [low, high]) for pair in (low, high))
    assert axis(one) == axis(other) != axis(figures.distributions("a", "", {"s": low}, "points"))

    labels = ["s", "t", "u"]
    strong, weak = (
        re.findall(r'opacity="([\d.]+)"', figures.heat_map("a", "", labels, pairs(labels), "share", more).svg)
        for more in ((), [0.9])
    )
    assert min(map(float, weak)) < min(map(float, strong))
