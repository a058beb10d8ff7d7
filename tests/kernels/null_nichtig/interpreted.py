"""A round of Null & Nichtig played by the kernel's own code, interpreted, up to one decision.

So the deal and the choices can be put in from outside, and what a strategy is shown can be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import pytest

from kernels.null_nichtig import play as kernel
from kernels.null_nichtig.rules import complete, encode
from kernels.null_nichtig.state import STATE, VIEW, set_rules
from kernels.null_nichtig.strategies import STRATEGIES

Chooser = Callable[[Any], int]
compiled = kernel.decide


class Stop(Exception):
    """Ends a round at the decision that was waited for."""


@numba.njit
def choose(views: Any, code: int) -> int:
    return int(compiled(views[0], views[1], code, None))


def choice(views: Any, name: str, **params: float) -> int:
    """What a strategy answers to the first view, with its default parameters but those given."""
    code = [strategy.name for strategy in STRATEGIES].index(name)
    for k, parameter in enumerate(STRATEGIES[code].parameters):
        views["params"][0, int(views["seat"][0]), k] = params.get(parameter.name, parameter.default)
    return choose(views.view(VIEW), code)


def as_set(cards: Sequence[int]) -> tuple[int, int]:
    """Cards (zeros at most twice) as the kernel's two words."""
    return sum(1 << card for card in set(cards)), sum(1 << card for card in set(cards) if list(cards).count(card) == 2)


def cards_of(hand: Any, twins: Any) -> list[int]:
    """The cards of two words, equal zeros twice."""
    return [card for card in range(60) for _ in range((int(hand) >> card & 1) + (int(twins) >> card & 1))]


class Round:
    """One round with these hands. `choices` are called in turn with the view, the last one again and again."""

    def __init__(self, patch: pytest.MonkeyPatch, rules: dict[str, Any]) -> None:
        self.patch = patch
        self.views: Any = np.zeros(2, VIEW).view(np.recarray)
        self.states: Any = np.zeros(1, STATE).view(np.recarray)
        set_rules.py_func(self.views[0], encode(complete(rules)))
        for name in ("ask", "lay_starters", "play_trick"):
            function = getattr(kernel, name)
            patch.setattr(kernel, name, getattr(function, "py_func", function))

    def play(self, hands: Sequence[Sequence[int]], first: int, decide: Chooser) -> bool:
        """Plays until the end or until `decide` raises `Stop`; whether it ended, without an illegal choice."""
        for seat, cards in enumerate(hands):
            self.states[0]["hands"][seat], self.states[0]["twins"][seat] = as_set(cards)
        self.patch.setattr(kernel, "decide", lambda view, own, code, users: np.int64(decide(view)))
        try:
            view, own, state = self.views[0], self.views[1], self.states[0]
            return bool(kernel.play_round.py_func(view, own, state, first, None, None, None))
        except Stop:
            return False
