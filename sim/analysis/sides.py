"""Two strategies, or two rule sets, on common blocks: their line-ups and the sums that compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim.analysis.samples import Naive, Sample, Series, joint
from sim.errors import UsageError
from sim.scenario import Scenario, scenario
from sim.stats import (
    RARE,
    Estimate,
    Joint,
    anytime,
    difference,
    metric_mean,
    pairing_factor,
    variance_reduction,
)

A, B = (0, 1), (2, 3)  #: the columns of the two sides in a contrast's sums

Field = str | Sequence[str]
#: A and B one after the other in the same seat of a field, or both at the same table
VERSUS = ("seat", "table")


def seats_of(game: str, players: int | None, rules: Mapping[str, Any]) -> int:
    """How many play under these rules. Raises `UsageError` as a scenario does."""
    return scenario(game=game, players=players, rules=dict(rules)).seats


def line_up(heads: Sequence[str], field: Field, seats: int) -> list[str]:
    """Some strategies and those of the other seats: one name for all of them, or one for each."""
    others = [part.strip() for part in field.split(",")] if isinstance(field, str) else list(field)
    rest = seats - len(heads)
    if len(others) == 1:
        others *= rest
    if len(others) != rest:
        raise UsageError(f"field: {len(others)} named for {rest} other seats; give one for each, or one for all")
    return [*heads, *others]


def in_field(
    game: str, heads: Sequence[str], field: Field, *, players: int | None, rules: Mapping[str, Any], **more: Any
) -> Scenario:
    """The scenario in which some strategies sit in a field."""
    names = line_up(heads, field, seats_of(game, players, rules))
    return scenario(game=game, players=players, rules=dict(rules), strategies=names, **more)


def check_versus(versus: str) -> None:
    """Raises `UsageError` for what is no way to set A against B."""
    if versus not in VERSUS:
        raise UsageError(f"versus: {versus} is not allowed; allowed: {', '.join(VERSUS)}")


@dataclass(frozen=True)
class Contrast:
    """Sums over common blocks of a metric on two sides: all that a comparison needs, and mergeable.

    differing  blocks in which the sides differ at all
    naive      what single games would tell if they were independent, by side; None where that is undefined
    """

    joint: Joint
    differing: int
    naive: tuple[Naive | None, Naive | None] = (None, None)

    @classmethod
    def of(cls, a: Series, b: Series, naive: tuple[Naive | None, Naive | None] = (None, None)) -> Contrast:
        """The sums of two series over the same blocks."""
        gap = a.x * b.n * b.scale - b.x * a.n * a.scale
        return cls(joint([a, b])[0], int(np.count_nonzero(gap)), naive)

    @classmethod
    def between(cls, a: Sample, b: Sample, metric: str, slots: tuple[int, int]) -> Contrast:
        """A strategy of one sample against one of another on the same blocks."""
        naive = (a.naive(metric, slots[0]), b.naive(metric, slots[1]))
        return cls.of(a.series(metric, slots[0]), b.series(metric, slots[1]), naive)

    def __add__(self, other: Contrast) -> Contrast:
        naive = [
            None if mine is None or theirs is None else mine + theirs
            for mine, theirs in zip(self.naive, other.naive, strict=True)
        ]
        return Contrast(self.joint + other.joint, self.differing + other.differing, (naive[0], naive[1]))

    def difference(self, level: float, sequential: bool = False) -> Estimate:
        """A minus B, paired by block: a t interval, or one that is valid however often one looks."""
        effect = difference(self.joint, A, B, level)
        if sequential:
            return anytime(effect, level, informative=self.differing)
        if effect.low is not None and 0 < self.differing < RARE and not effect.note:
            return replace(effect, note=f"only {self.differing} blocks differ")
        return effect

    def means(self) -> tuple[float | None, float | None]:
        """The two sides' own means."""
        return metric_mean(self.joint, A).estimate, metric_mean(self.joint, B).estimate

    def pairing(self) -> float | None:
        """What common blocks gain over two separate sets of as many blocks."""
        return pairing_factor(self.joint, A, B)

    def gain(self) -> float | None:
        """What common blocks and seatings gain over as many independent games of each side."""
        variances = [one.variance if one is not None else None for one in self.naive]
        return variance_reduction(self.joint.contrast([A, B], [1, -1])[1], *variances)
