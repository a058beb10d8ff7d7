"""Tournaments: planted strengths are found, ties and cycles are told, nothing is NaN, line-ups are as asked."""

import numpy as np
import pytest

import sim
from sim.analysis.lineups import by_block
from sim.analysis.objectives import objective
from sim.analysis.strength import chain, places, plackett_luce, rungs
from sim.analysis.symmetric import multisets
from sim.analysis.tournament import evaluate, line_ups_of
from sim.errors import UsageError
from tests.analysis.planted import GAME, drawn

pytestmark = pytest.mark.slow

GAMES = objective(GAME, "games")
STRENGTHS = np.array([4.0, 2.0, 1.0, 1.0])
NAMES = ("best", "good", "poor", "alike")


def mixed(strategies, seats):
    return [counts for counts in multisets(strategies, seats) if max(counts) < seats]


def halves(strategies, seats=4):
    return line_ups_of(GAME, [f"random{k}" for k in range(strategies)], seats)[1]


def play(strengths, blocks, seed, line_ups=None, **more):
    rng = np.random.default_rng(seed)
    line_ups = line_ups or halves(len(strengths))
    played = drawn(NAMES[: len(strengths)], line_ups, blocks, rng, lambda counts: strengths, **more)
    return evaluate(played, len(strengths), GAMES, "plackett-luce", epsilon=0.01, draws=200)


def values(frame):
    return [value for row in frame.to_dict("records") for value in row.values()]


def nothing_is_nan(found):
    every = values(found.pairs) + values(found.ranking) + values(found.tables)
    assert not any(isinstance(value, float) and not np.isfinite(value) for value in every)


def pick(found, strategy, metric):
    frame = found.ranking
    return frame[(frame["strategy"] == strategy) & (frame["metric"] == metric)].iloc[0]


def test_planted_strengths_are_found():
    found = play(STRENGTHS, 1500, 1, mixed(4, 4))
    for name, truth in zip(NAMES, STRENGTHS / STRENGTHS.sum(), strict=True):
        row = pick(found, name, "strength")
        assert row["estimate"] == pytest.approx(truth, abs=0.006)
        assert row["high"] - row["low"] < 0.02
    assert pick(found, "best", "place")["estimate"] == 1
    assert pick(found, "good", "place")["high"] == 2
    assert pick(found, "alike", "place")["low"] <= 3
    assert pick(found, "best", "rung")["estimate"] == pytest.approx(np.log(4) / np.log(1.5), abs=0.1)
    assert found.ladder[:2] == ("best", "good")
    assert found.rungs.estimate == 2


def test_verdicts_of_pairs():
    found = play(STRENGTHS, 3000, 2)
    said = {(row["a"], row["b"]): row for row in found.pairs.to_dict("records")}
    assert said["best", "good"]["better"] == "best"
    assert said["best", "good"]["estimate"] == pytest.approx(4 / 12 - 2 / 12, abs=0.01)
    assert said["best", "good"]["part"] == pytest.approx(2 / 3, abs=0.01)
    assert said["poor", "alike"]["verdict"] == "equivalent"
    assert said["poor", "alike"]["better"] is None
    assert all(row["p_adjusted"] >= row["p"] for row in said.values())


def test_intervals_of_planted_strengths_cover():
    """Joint bootstrap over blocks of different luck: 95 % intervals of a strength, over 150 tournaments."""
    truth = (STRENGTHS / STRENGTHS.sum())[0]
    hits = 0
    for seed in range(150):
        row = pick(play(STRENGTHS, 80, seed), "best", "strength")
        hits += row["low"] <= truth <= row["high"]
    assert 0.88 <= hits / 150 <= 0.99


def test_equal_strategies_are_seldom_called_different():
    """Holm keeps the chance of any false verdict among six pairs near 5 %."""
    wrong = sum((play(np.ones(4), 60, seed).pairs["verdict"] == "different").any() for seed in range(150))
    assert wrong / 150 < 0.1


def test_a_cycle_has_no_order():
    beats = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])

    def chances(counts):
        who = np.flatnonzero(counts)
        p = np.ones(3)
        if len(who) == 2:
            p[who[0]] += 0.5 * beats[who[0], who[1]]
            p[who[1]] += 0.5 * beats[who[1], who[0]]
        return p

    played = drawn(NAMES[:3], halves(3), 2000, np.random.default_rng(3), chances)
    found = evaluate(played, 3, GAMES, "plackett-luce", epsilon=0.01, draws=300)
    assert (found.pairs["verdict"] == "different").all()
    for name in NAMES[:3]:
        place = pick(found, name, "place")
        assert place["low"] == 1
        assert place["high"] == 3
        assert pick(found, name, "strength")["estimate"] == pytest.approx(1 / 3, abs=0.02)


@pytest.mark.parametrize("blocks", [0, 1, 2, 3])
@pytest.mark.parametrize("by", ["plackett-luce", "edge"])
@pytest.mark.parametrize("strengths", [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
def test_nothing_is_nan(blocks, by, strengths):
    strengths = np.array(strengths)
    line_ups = mixed(len(strengths), 4)

    def chances(counts):
        return strengths if (strengths * counts).sum() > 0 else np.ones(len(strengths))

    played = drawn(NAMES[: len(strengths)], line_ups, blocks, np.random.default_rng(1), chances)
    found = evaluate(played, len(strengths), GAMES, by, epsilon=0.01, draws=100)
    nothing_is_nan(found)
    assert len(found.pairs) == len(strengths) * (len(strengths) - 1) / 2
    if blocks == 0:
        assert found.pairs["estimate"].isna().all()
        assert found.ladder == ()
        assert "no block" in found.rungs.note
    if blocks < 2:
        assert found.ranking["low"].isna().all()
        assert (found.pairs["verdict"] == "undecided").all()


# --- the model


def test_plackett_luce_recovers_exact_shares():
    seats = np.array(multisets(4, 5))
    truth = np.array([0.5, 0.3, 0.15, 0.05])
    wins = truth / (seats @ truth)[:, None] * (seats > 0)
    found = plackett_luce(seats, wins[None], np.full((1, len(seats)), 1e9))
    assert found[0] == pytest.approx(truth, rel=1e-4)


def test_plackett_luce_of_one_who_always_wins_is_finite():
    seats = np.array([[2, 2]])
    found = plackett_luce(seats, np.array([[[0.5, 0.0]]]), np.array([[100.0]]))
    assert 0.99 < found[0, 0] < 1
    assert found[0].sum() == pytest.approx(1)


def test_places_and_chains():
    assert places(np.array([[3.0, 1.0, 3.0, 2.0]]))[0].tolist() == [1, 4, 1, 3]
    parts = np.full((3, 3), 0.5)
    parts[0, 2], parts[2, 0] = 0.7, 0.3
    scores = np.array([3.0, 2.0, 1.0])
    assert chain(scores, parts) == [0, 2]
    parts[0, 1] = parts[1, 2] = 0.6
    assert chain(scores, parts) == [0, 1, 2]
    many = np.random.default_rng(1).uniform(0.3, 0.9, size=(50, 5, 5))
    order = np.random.default_rng(2).normal(size=(50, 5))
    expected = [len(chain(s, p)) - 1 for s, p in zip(order, many, strict=True)]
    assert rungs(order, many).tolist() == expected


def test_values_by_block_have_the_ratio_as_mean():
    tops, bottoms = np.array([[2.0], [0.0], [9.0]]), np.array([[1.0], [0.0], [3.0]])
    assert by_block(tops, bottoms).mean() == pytest.approx(11 / 4)
    assert by_block(tops, np.full((3, 1), 2.0)).ravel().tolist() == [1.0, 0.0, 4.5]
    assert (by_block(tops * 0, bottoms * 0) == 0).all()


# --- line-ups


def test_line_ups():
    names = ["random", "dodge", "solid"]
    assert line_ups_of(GAME, names, 4)[1] == [(2, 2, 0), (2, 0, 2), (0, 2, 2)]
    assert line_ups_of(GAME, names[:2], 5)[1] == [(2, 3), (3, 2)]
    assert line_ups_of(GAME, names[:2], 4, field="solid") == (names, [(1, 1, 2)])
    assert line_ups_of(GAME, names[:2], 4, field="solid,random") == (names, [(2, 1, 1)])
    assert len(line_ups_of(GAME, names, 4, "all")[1]) == 12
    assert len(line_ups_of(GAME, names, 4, "all", different=2)[1]) == 9


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"strategies": "random"}, "strategies: name at least 2; given: random"),
        ({"strategies": "random,random"}, "random is named twice"),
        ({"strategies": "random,nobody"}, "no strategy nobody"),
        ({"strategies": "random,dodge", "line_ups": "some"}, "allowed: pairs, all"),
        ({"strategies": "random,dodge", "field": "random,dodge,random"}, "field: 3 named for the 2 seats"),
        ({"strategies": "random,dodge", "line_ups": "all", "field": "dodge"}, "field: it goes with line_ups=pairs"),
        ({"strategies": "random,dodge", "line_ups": "all", "different": 1}, "allowed: an integer from 2 to 4"),
        ({"strategies": "random,dodge", "different": 2}, "different: it goes with line_ups=all"),
        ({"strategies": "random,dodge", "objective": "fun"}, "objective: fun is not measured in null-nichtig"),
        ({"strategies": "random,dodge", "ranking": "elo"}, "allowed: plackett-luce, edge"),
        ({"strategies": "random,dodge", "epsilon": 0.0}, "epsilon"),
        ({"strategies": "random,dodge", "level": 1.0}, "level"),
        ({"strategies": "random,dodge", "draws": 1}, "draws"),
        ({"strategies": "random,dodge", "blocks": 0}, "blocks: 0 is not allowed"),
        ({"strategies": "random,dodge", "players": 9}, "players"),
        ({"strategies": "random,dodge", "threads": 0}, "threads"),
    ],
)
def test_mistakes_are_named(arguments, said):
    with pytest.raises(UsageError, match=said.replace("(", "\\(")):
        sim.tournament("null-nichtig", **arguments, cache=None)


def test_of_a_game(tmp_path):
    found = sim.tournament("null-nichtig", "dodge,random", blocks=300, cache=tmp_path, draws=100, players=3)
    nothing_is_nan(found)
    again = sim.tournament("null-nichtig", "dodge,random", blocks=300, cache=tmp_path, draws=100, players=3, threads=1)
    assert again.pairs.equals(found.pairs)
    assert again.ranking.equals(found.ranking)
    shares = found.tables.assign(total=found.tables["estimate"] * found.tables["seats"])
    assert shares.groupby("line_up")["total"].sum().tolist() == pytest.approx([1.0, 1.0])
    lead = found.pairs.iloc[0]
    assert lead["mean_a"] - lead["mean_b"] == pytest.approx(lead["estimate"])
