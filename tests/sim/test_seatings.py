"""Designs: every arrangement once, or every place equally often in every seat and next to every other."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from sim.seatings import seatings


def test_fixed_is_the_line_up_itself():
    rows, name = seatings([0, 1, 0, 2], "fixed")
    assert rows.tolist() == [[0, 1, 0, 2]]
    assert name == "fixed"


def test_rotate_puts_every_place_in_every_seat_once():
    rows, name = seatings([0, 1, 2], "rotate")
    assert rows.tolist() == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    assert name == "rotate"


@pytest.mark.parametrize("slots", [[0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 1, 1, 1, 1]])
def test_orbit_holds_every_distinct_arrangement_once(slots):
    rows, name = seatings(slots, "orbit")
    assert name == "orbit"
    assert sorted(map(tuple, rows.tolist())) == sorted(set(permutations(slots)))


@pytest.mark.parametrize("seats", [5, 6])
def test_large_orbits_become_a_balanced_design(seats):
    rows, name = seatings(range(seats), "orbit")
    assert name == "williams"
    assert len(rows) == (2 * seats if seats % 2 else seats)
    for seat in range(seats):
        assert set(Counter(rows[:, seat].tolist()).values()) == {len(rows) // seats}
    neighbours = Counter((row[k], row[k + 1]) for row in rows.tolist() for k in range(seats - 1))
    assert len(neighbours) == seats * (seats - 1)
    assert len(set(neighbours.values())) == 1


def test_rows_are_small_integers():
    assert seatings([0, 1, 2], "orbit")[0].dtype == np.int8
