"""The tricks so far, which the kernels of Nil and Skat Null keep for users' functions alone."""

import inspect
import re
import textwrap

import pytest

from sim.engine import Engine
from sim.errors import RunError
from sim.games import GAMES
from sim.scenario import scenario

#: game -> seats, tricks, what is answered before play, rules
CASES = {
    "nil": (4, 13, "", {}),
    "skat-null": (
        3,
        10,
        """
        if view.phase == 0 or view.phase == 4:
            return 0
        if view.phase == 1:
            return highest(view.hand) * 32 + lowest(view.hand)
        """,
        {"declarer": "rotate", "must_declare": True, "stop_on_loss": False},
    ),
}

FUNCTION = """
import numpy as np
from kernels.bits import count, highest, lowest

def watching(view):
    {before}
    {wrong}
    cards = np.uint64(0)
    for trick in range({tricks}):
        played = {seats}
        if trick == view.trick:
            played = view.position
        if trick > view.trick:
            played = 0
            if view.tricks[trick] != 0:
                return -1
        for k in range(played):
            card = (view.tricks[trick] >> np.uint64(8 * k)) & np.uint64(255)
            cards |= np.uint64(1) << card
        if played < {seats} and view.tricks[trick] >> np.uint64(8 * played) != 0:
            return -2
    if cards != view.open:
        return -3
    if (view.leaders[view.trick] + view.position) % {seats} != view.seat:
        return -4
    taken = 0
    for trick in range(view.trick):
        taken += view.leaders[trick + 1] == view.seat
    if taken != view.taken[view.seat]:
        return -5
    return lowest(view.legal)
"""


def engine(game, tmp_path, wrong=""):
    seats, tricks, before, rules = CASES[game]
    before = textwrap.indent(textwrap.dedent(before), "    ").strip() or "pass"
    text = FUNCTION.format(seats=seats, tricks=tricks, before=before, wrong=wrong or "pass")
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    line_up = [f"{tmp_path}/mine.py:watching", *["random"] * (seats - 1)]
    return Engine(scenario(game=game, rules=rules, strategies=line_up, seatings="rotate", seed=3))


@pytest.mark.parametrize("game", CASES)
def test_users_functions_see_the_tricks_so_far(game, tmp_path):
    engine(game, tmp_path).play(0, 60)
    other = engine(game, tmp_path, "if view.tricks[0] != 0: return -6")  # so they are there to be seen
    with pytest.raises(RunError, match=r"illegal move \(-6\)"):
        other.play(0, 60)


@pytest.mark.parametrize("game", CASES)
def test_built_in_strategies_do_not_look_at_them(game):
    text = inspect.getsource(GAMES[game].module("strategies"))
    assert re.findall(r"view\.(trick|tricks|leaders)\b", text) == []
    assert "view.position" in text
