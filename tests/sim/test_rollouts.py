"""Rollouts of every game that has them: the game itself up to a decision, any legal move there, then common cards."""

import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kernels import rollout
from sim.engine import Engine
from sim.errors import RunError
from sim.games import GAMES
from sim.rollouts import ONLOOKER, Rollouts
from sim.scenario import scenario
from sim.strategies import covers, table
from tests.kernels.playing import near

NAMES = [game.id for game in GAMES.values() if game.decisions]

#: by game: a strategy that draws no lots; in Núlla one that can also go on with a chain that somebody else began
STEADY = {
    "null-nichtig": "solid",
    "nil": "duck",
    "skat-null": "heuristic",
    "nulla": "chain",
    "norwegian-null": "greedy-discard",
}
#: rules under which every deal is played and every kind of decision comes up
RULES = {"skat-null": {"declarer": "forehand", "must_declare": True}}
SCORE, WIN60 = 0, 4


def made(game, *strategies, **values):
    """Rollouts of a game at its smallest table; the strategies named are repeated round the table."""
    seats = values.pop("players", GAMES[game].seats[0])
    line_up = [strategies[seat % len(strategies)] for seat in range(seats)]
    values = {"seatings": "fixed", "record": "none", "seed": 5, "rules": RULES.get(game, {})} | values
    return Rollouts(Engine(scenario(game=game, players=seats, strategies=line_up, **values)))


def built_in(game):
    return [row.name for row in table(GAMES[game]) if all(covers(row, part) for part in range(len(GAMES[game].parts)))]


@pytest.mark.parametrize("game", NAMES)
def test_without_a_branching_it_is_the_game(game):
    names = built_in(game)
    for first, name in enumerate(names):
        for seats in GAMES[game].seats:
            one = made(game, name, *names[first + 1 :], *names[:first], players=seats, seatings="orbit")
            for block in range(2):
                rows, decisions = one.game(block)
                assert (rows == one.engine.play(block, block + 1).games[:, :seats]).all()
                assert (one.outcomes(block, decisions, 2) == rows[:, None]).all()
                assert decisions > 0


@pytest.mark.parametrize("game", NAMES)
def test_decisions_are_described(game):
    one = made(game, STEADY[game], "random")
    kinds = set()
    for block in range(12):
        rows, decisions = one.game(block)
        for at in range(decisions):
            found = one.decision(block, at)
            assert found.at == at
            assert 0 <= found.seat < rows.shape[1]
            assert len(set(found.moves)) == len(found.moves) > 0
            kinds.add(found.kind)
        assert (one.game(block)[0] == rows).all()
    assert kinds == set(range(len(GAMES[game].decisions)))


def also_legal(game, kind, moves):
    """Moves that are legal and not listed, for they say the same in another way; None: not only those listed."""
    kind = GAMES[game].decisions[kind]
    if game == "nulla":
        blind = {32 + swaps for swaps in range(7)} if kind == "draw or take" else set()
        return blind | {-move for move in moves}
    if game == "skat-null" and kind in ("declare", "lay away"):
        return None
    return set()


@pytest.mark.parametrize("game", NAMES)
def test_what_is_listed_is_legal_and_nothing_else(game):
    one = made(game, STEADY[game])
    kinds = set()
    for block in range(3):
        decisions = one.game(block)[1]
        for at in sorted({0, 1, 2, decisions // 3, decisions // 2, decisions - 1}):
            found = one.decision(block, at)
            kinds.add(found.kind)
            for move in found.moves:
                rows = one.outcomes(block, at, 3, observer=found.seat, move=move)
                assert rows.shape == (len(GAMES[game].game_columns), 3, GAMES[game].seats[0])
            legal = also_legal(game, found.kind, found.moves)
            if legal is None:
                continue
            for move in set(range(-70, 80)) - set(found.moves):
                if move in legal:
                    one.outcomes(block, at, 1, observer=found.seat, move=move)
                else:
                    with pytest.raises(RunError, match="illegal"):
                        one.outcomes(block, at, 1, observer=found.seat, move=move)
    assert len(kinds) > 1


@pytest.mark.parametrize("game", NAMES)
def test_a_rollout_depends_on_its_number_alone(game):
    one = made(game, STEADY[game], "random")
    at = one.game(7)[1] // 2
    for observer in (ONLOOKER, 0):
        whole = one.outcomes(7, at, 40, observer=observer)
        parts = [one.outcomes(7, at, count, observer=observer, first=first) for first, count in ((13, 27), (0, 13))]
        assert (whole == np.concatenate(parts[::-1], axis=1)).all()
        assert len(np.unique(whole[SCORE], axis=0)) > 1

        def again(block, engine=one.engine, observer=observer):
            return Rollouts(engine).outcomes(block, at, 40, observer=observer)

        with ThreadPoolExecutor(3) as pool:
            together = list(pool.map(again, [7, 8, 7, 9, 7]))
        assert all((whole == together[k]).all() for k in (0, 2, 4))
        assert (whole != together[1]).any()
    other = made(game, STEADY[game], "random", seed=6)
    assert (other.outcomes(7, at, 40) != one.outcomes(7, at, 40)).any()


@pytest.mark.parametrize("game", NAMES)
def test_moves_are_compared_on_common_cards(game):
    """A strategy that draws no lots makes the same move in every rollout that keeps what it knows.

    Not so to declare in Skat: a move that is forced there outbids the other seats.
    """
    one = made(game, STEADY[game], "random")
    compared = 0
    for block in range(4):
        every = [one.decision(block, at) for at in range(one.game(block)[1])]
        steady = [found for found in every if found.seat % 2 == 0 and GAMES[game].decisions[found.kind] != "declare"]
        for found in steady[:: 1 + len(steady) // 9]:
            free = one.outcomes(block, found.at, 30, observer=found.seat)
            forced = [one.outcomes(block, found.at, 30, observer=found.seat, move=move) for move in found.moves]
            assert any((free == rows).all() for rows in forced)
            compared += len(forced) > 1 and any((free != rows).any() for rows in forced)
    assert compared > 5


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("at", [0, 5, 20])
@pytest.mark.parametrize("seat", [False, True])
def test_outcomes_have_the_means_of_games(game, at, seat):
    """Who plays at random gives nothing away: given what is known, hidden cards dealt anew are as good as the true."""
    one = made(game, "random")
    differences = []
    for block in range(700):
        observer = ONLOOKER
        if seat and at < one.game(block)[1]:
            observer = one.decision(block, at).seat
        own = one.game(block)[0].astype(float)
        rows = one.outcomes(block, at, 1, observer=observer)[:, 0].astype(float)
        columns = [rows[k] - own[k] for k in (SCORE, WIN60)]
        differences.append([*columns, rows[SCORE] ** 2 - own[SCORE] ** 2])
    values = np.array(differences)
    assert values.any(axis=(0, 2)).all()
    for kind in range(values.shape[1]):
        for place in range(values.shape[2]):
            if values[:, kind, place].any():  # defenders of Skat may have no score
                near(values[:, kind, place], 0.0)


@pytest.mark.parametrize("game", [name for name in NAMES if len(GAMES[name].parts) == 1])
def test_functions_of_users_play_rollouts(game, tmp_path):
    name = "duck" if game == "null-nichtig" else STEADY[game]  # one without parameters: a function would not see them
    function = name.replace("-", "_")
    text = f"""
        from kernels.{game.replace("-", "_")}.strategies import {function}

        def same(view):
            return {function}(view)
        """
    (tmp_path / "mine.py").write_text(textwrap.dedent(text), encoding="utf-8")
    theirs, ours = made(game, f"{tmp_path}/mine.py:same", "random"), made(game, name, "random")
    for block in range(3):
        decisions = ours.game(block)[1]
        assert theirs.game(block)[1] == decisions
        for at in (0, decisions // 2, decisions - 1):
            found = ours.decision(block, at)
            assert theirs.decision(block, at) == found
            for move in (rollout.FREE, found.moves[-1]):
                for observer in (ONLOOKER, found.seat):
                    if move == rollout.FREE or observer == found.seat:
                        rows = [one.outcomes(block, at, 20, observer=observer, move=move) for one in (theirs, ours)]
                        assert (rows[0] == rows[1]).all()


def test_blocks_and_rollouts_without_a_stream_are_refused():
    one = made("null-nichtig", "random")
    one.outcomes(2**44 - 1, 3, 1, first=2**20 - 1)
    for block, first in ((2**44, 0), (-1, 0), (0, 2**20)):
        with pytest.raises(ValueError, match="stream"):
            one.outcomes(block, 3, 1, first=first)
