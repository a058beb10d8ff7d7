"""Hidden cards dealt anew where not every hand can hold every card: exactly uniform over the deals that are open.

A hand that did not follow lacks a suit; a rule may say what a hand holds or does not. Cards that some pile cannot take
are dealt one by one, each by lot in proportion to the number of ways to deal the rest; the others then fill what room
is left. The ways are counted from the last of those cards back, for every room that may be left. The counts are the
same for all rollouts from one decision, and are kept between them.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from kernels import deal, rng
from kernels.bits import count, kth_bit
from kernels.compile import device, outlined

U = np.uint64

#: piles: hands and what lies face down; the most cards in all, and in one of them
PILES, MOST_CARDS, MOST_IN_PILE = 4, 52, 13
LAST = PILES - 1

HIDDEN = np.dtype(
    [
        ("piles", np.uint64, (PILES,)),  # sets of cards; their sizes stay
        ("barred", np.uint64, (PILES,)),  # cards that a pile cannot take
        ("marked", np.uint64),  # cards to be counted in those piles of which `within` (bit k for pile k) is the set
        ("within", np.int64),
        ("weights", np.float64, (3,)),  # by their number: how likely a deal is; those with more than two are barred
        # of the piles to be dealt, in the order of dealing
        ("size", np.int64, (PILES,)),
        ("step", np.int64, (PILES,)),  # what one card less in a pile is in an index of `ways`
        ("room", np.int64, (PILES,)),
        ("pool", np.uint64),
        ("special", np.uint64),  # cards that not every pile can take, and the marked ones
        ("known", np.uint64, (14,)),  # what `ways` were counted for
        ("ways", np.float64, ((MOST_CARDS + 1) * (MOST_IN_PILE + 1) ** (PILES - 1),)),
    ],
    align=True,
)

#: 1 / n!
INVERSE = np.array([1 / factorial(n) for n in range(MOST_CARDS + 1)])


@device
def deal_anew(hidden, fixed, stream):
    """Deals the cards of `hidden.piles` anew, but for the piles in `fixed` (bit k for pile k).

    Whatever `barred` and `marked` leave open is equally likely, or as likely as `weights` say.
    """
    hidden.pool = U(0)
    some = U(0)
    for pile in range(PILES):
        hidden.size[pile] = 0
        if (fixed >> pile) & 1 == 0 and hidden.piles[pile] != U(0):
            hidden.size[pile] = count(hidden.piles[pile])
            hidden.pool |= hidden.piles[pile]
            some |= hidden.barred[pile]
            hidden.piles[pile] = U(0)
    marked = hidden.pool & hidden.marked
    hidden.special = (hidden.pool & some) | marked
    number = count(hidden.special)
    if number > 0:
        hidden.step[0] = 1
        for pile in range(LAST):
            hidden.step[pile + 1] = hidden.step[pile] * (hidden.size[pile] + 1)
        if is_new(hidden):
            count_ways(hidden)
    place = 0
    for pile in range(PILES):
        hidden.room[pile] = hidden.size[pile]
        if pile < LAST:
            place += hidden.size[pile] * hidden.step[pile]
    for i in range(number):
        after = (i + 1) * hidden.step[LAST] + place
        bit = nth(hidden, i)
        total = 0.0
        for pile in range(PILES):
            if takes(hidden, pile, bit):
                total += hidden.ways[after - step_of(hidden, pile)]
        lot = rng.unit(stream) * total
        chosen = -1
        for pile in range(PILES):
            if takes(hidden, pile, bit):
                ways = hidden.ways[after - step_of(hidden, pile)]
                if ways > 0.0 and (chosen < 0 or lot >= 0.0):
                    chosen = pile
                lot -= ways
        hidden.piles[chosen] |= bit
        hidden.room[chosen] -= 1
        place -= step_of(hidden, chosen)
    rest = hidden.pool & ~hidden.special
    for pile in range(PILES):
        if (fixed >> pile) & 1 == 0:
            cards = deal.some(rest, hidden.room[pile], stream)
            hidden.piles[pile] |= cards
            rest ^= cards


@device
def takes(hidden, pile, bit):
    """Whether a pile has room for a card and can hold it."""
    return hidden.room[pile] > 0 and hidden.barred[pile] & bit == U(0)


@device
def step_of(hidden, pile):
    """How much further back in `ways` one card less of room in a pile lies; the room of the last follows."""
    return hidden.step[pile] if pile < LAST else 0


@device
def nth(hidden, i):
    """The i-th special card to be dealt, as a bit: first the marked ones, then the others."""
    marked = hidden.pool & hidden.marked
    marks = count(marked)
    return kth_bit(marked, i) if i < marks else kth_bit(hidden.special & ~marked, i - marks)


@device
def is_new(hidden):
    """Whether `ways` were counted for something else than what is to be dealt now; notes what it is."""
    changed = _note(hidden.known, 0, hidden.pool) | _note(hidden.known, 1, hidden.marked)
    changed |= _note(hidden.known, 2, U(hidden.within))
    for k in range(3):
        changed |= _note(hidden.known, 3 + k, U(hidden.weights[k]))
    for pile in range(PILES):
        changed |= _note(hidden.known, 6 + pile, U(hidden.size[pile]))
        changed |= _note(hidden.known, 10 + pile, hidden.barred[pile])
    return changed


@device
def _note(known, k, value):
    changed = known[k] != value
    known[k] = value
    return changed


@outlined
def count_ways(hidden):
    """Fills `ways`: by number of special cards dealt and room left, the ways to deal the rest, up to a factor."""
    number, marks, total = count(hidden.special), count(hidden.pool & hidden.marked), count(hidden.pool)
    size, room, places = hidden.size, hidden.room, hidden.step[LAST]
    for i in range(number, -1, -1):
        bit = nth(hidden, i) if i < number else U(0)
        for place in range(places):
            left = place
            room[LAST] = total - i
            for pile in range(LAST):
                room[pile] = left % (size[pile] + 1)
                left //= size[pile] + 1
                room[LAST] -= room[pile]
            found = 0.0
            if 0 <= room[LAST] <= size[LAST]:
                if i == number:  # cards that all can take are left: (sum of the rooms)! / product of room!
                    found = 1.0
                    for pile in range(PILES):
                        found *= INVERSE[room[pile]]
                else:
                    for pile in range(PILES):
                        if takes(hidden, pile, bit):
                            found += hidden.ways[(i + 1) * places + place - step_of(hidden, pile)]
                if i == marks and marks > 0:  # all that have been dealt so far are marked
                    inside = 0
                    for pile in range(PILES):
                        if (hidden.within >> pile) & 1:
                            inside += size[pile] - room[pile]
                    found *= hidden.weights[inside] if inside < 3 else 0.0
            hidden.ways[i * places + place] = found
