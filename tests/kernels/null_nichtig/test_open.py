"""What lies open is kept up for the strategies that take account of it, and only those; who does not look may not."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.null_nichtig.state import LAY, PLAY
from kernels.null_nichtig.strategies import BLIND, STRATEGIES
from sim.engine import Engine
from sim.scenario import scenario
from tests.kernels.null_nichtig.interpreted import choice
from tests.kernels.null_nichtig.test_strategies import view

NAMES = [strategy.name for strategy in STRATEGIES]

#: counts what lies open from the starters and the earlier tricks, and makes an illegal move if the view says otherwise
LOOKS = """
    import numpy as np

    def looks(view):
        one = np.uint64(1)
        seen = twins = np.uint64(0)
        for line in range(view.players + view.trick):
            cards = view.starters[line] if line < view.players else view.tricks[line - view.players]
            for k in range(8):
                card = (cards >> np.uint64(8 * k)) & np.uint64(63)
                if card < np.uint64(60):
                    twins |= seen & (one << card)
                    seen |= one << card
        if seen != view.open or twins != view.open_twins:
            return -1
        for card in range(60):
            if (view.hand >> np.uint64(card)) & one:
                return card
        return -1
"""


@pytest.mark.parametrize("others", [["random", "dodge", "duck"], ["solid", "random", "solid", "duck", "random"]])
def test_what_lies_open_is_right_for_who_looks(tmp_path: Path, others: list[str]) -> None:
    """Under every seating: a player who looks may follow a seating without one in the same seats."""
    file = tmp_path / "own.py"
    file.write_text(textwrap.dedent(LOOKS))
    players = len(others) + 1
    rules = {"players": players, "starter_selection": "sequential"}
    engine = Engine(scenario(game="null-nichtig", rules=rules, strategies=[f"{file}:looks", *others], seed=3))
    assert (engine.play(0, 40).games[7] == 0).all()


@pytest.mark.parametrize("phase", [LAY, PLAY])
@pytest.mark.parametrize("name", NAMES[:BLIND])
def test_the_blind_do_not_look(name: str, phase: int) -> None:
    answers = set()
    for seen, twins in ((0, 0), (2**60 - 1, 31), (0x5A5A5A5A5A5A5A5, 9)):
        views = shown(seen, twins)
        views["phase"][0] = phase
        answers.add(choice(views, name))
    assert len(answers) == 1


def test_solid_looks() -> None:
    """It plays a nine that may be overtaken, or not, as the higher cards lie open or do not."""
    higher = sum(1 << card for card in range(50, 60))
    assert choice(shown(0, 0), "solid", greed=0.0, risk=100.0) != choice(
        shown(higher, 0), "solid", greed=0.0, risk=100.0
    )


def shown(seen: int, twins: int) -> Any:
    """A view to lead from, with these cards open."""
    views = view("B0 B0 G3 P5 R7 Y9", "")
    views["open"][0], views["open_twins"][0] = np.uint64(seen), np.uint64(twins)
    return views
