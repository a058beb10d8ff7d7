"""The numbers of a balance report, made a second time from raw games and rollouts with plain numpy."""

import json
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

from sim.analysis import tune
from sim.analysis.balance import Budget, balance, response
from sim.analysis.balance.question import studied
from sim.analysis.balance.slopes import allowed
from sim.analysis.balance.variant import course_measures
from sim.analysis.samples import sample
from sim.analysis.trajectories import Courses
from sim.engine import Engine
from sim.games import GAMES
from sim.report.balance import of_balance
from sim.report.formats import render
from sim.rollouts import Rollouts
from sim.scenario import scenario

pytestmark = pytest.mark.slow

SMALL = Budget(
    line_up_games=60 * 27, self_games=300, courses=10, rollouts=8, moments=5, decisions=8, tries=6, luck_blocks=60,
    response_blocks=60, search_blocks=300, study_blocks=40, break_even_blocks=60, slope_games=200, draws=100,
)  # fmt: skip
BLOCKS, SEED, SEATS = 60, 3, 3
NAMES, PENALTY = ("random", "duck", "solid"), {"no_trick_penalty": -10}


@pytest.fixture(scope="module")
def report():
    return balance(
        "null-nichtig", players=SEATS, strategies=NAMES, against=PENALTY, reference="solid", budget=SMALL, seed=SEED,
        study="no_trick_penalty=-10,0", threads=2,
    )  # fmt: skip


def played(line_up, rules, seatings, blocks, first=0, record="games"):
    """Win shares and scores float64[blocks, seatings, seats] of a line-up, who sat where, and the chunk."""
    one = scenario(
        game="null-nichtig", players=SEATS, rules=rules, strategies=list(line_up), blocks=1, seed=SEED,
        seatings=seatings, record=record,
    )  # fmt: skip
    engine = Engine(one)
    chunk = engine.play(first, first + blocks)
    columns = [column.name for column in engine.game.game_columns]
    wins, scores = (
        chunk.games[columns.index(name)].reshape(blocks, *engine.seatings.shape).astype(float)
        for name in ("win60", "score")
    )
    return wins / 60, scores, np.array([player.label for player in engine.players])[engine.seatings], chunk


def interval(values):
    """Mean and t interval over blocks."""
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return values.mean(), values.mean() - half, values.mean() + half


def told(report, variant, metric, subject):
    rows = report.frame[(report.frame["metric"] == metric) & (report.frame["subject"] == subject)]
    row = rows[rows["variant"] == report.variants[variant].name].iloc[0]
    return row["estimate"], row["low"], row["high"]


def changed(report, metric, subject):
    rows = report.changes[(report.changes["metric"] == metric) & (report.changes["subject"] == subject)]
    return tuple(rows.iloc[0][key] for key in ("estimate", "low", "high"))


def tables(rules):
    """{line-up: {strategy: mean win share by block}} of all multisets."""
    found = {}
    for line_up in combinations_with_replacement(NAMES, SEATS):
        wins, _, who, _ = played(line_up, rules, "orbit", BLOCKS)
        found[line_up] = {
            name: (wins * (who == name)).sum(axis=(1, 2)) / (who == name).sum() for name in dict.fromkeys(line_up)
        }
    return found


@pytest.fixture(scope="module")
def mixed():
    return [tables(rules) for rules in ({}, PENALTY)]


def edge(found, a, b):
    return np.mean([one[a] - one[b] for one in found.values() if a in one and b in one], axis=0)


def lead(found, name):
    gaps = []
    for line_up, one in found.items():
        others = [seat for seat in line_up if seat != name]
        if name in one and others:
            gaps.append(one[name] - np.mean([one[other] for other in others], axis=0))
    return np.mean(gaps, axis=0)


def test_leads_and_edges_are_paired_block_means(report, mixed):
    for variant, found in enumerate(mixed):
        for name in NAMES:
            assert told(report, variant, "lead", name) == pytest.approx(interval(lead(found, name)), abs=1e-9)
        for subject in report.frame.loc[report.frame["metric"] == "edge", "subject"].unique():
            mine = interval(edge(found, *subject.split(" v ")))
            assert told(report, variant, "edge", subject) == pytest.approx(mine, abs=1e-9)


def test_changes_are_block_differences_even_where_ranks_turn(report, mixed):
    """The penalty turns the order of `duck` and `random`; their edge is compared all the same."""
    subject = next(s for s in ("duck v random", "random v duck") if (report.changes["subject"] == s).any())
    a, b = subject.split(" v ")
    before, after = (edge(found, a, b) for found in mixed)
    assert before.mean() * after.mean() < 0
    assert changed(report, "edge", subject) == pytest.approx(interval(after - before), abs=1e-9)
    keys = [set(zip(part["metric"], part["subject"], strict=True)) for _, part in report.frame.groupby("variant")]
    assert keys[0] == keys[1] == set(zip(report.changes["metric"], report.changes["subject"], strict=True))


def test_the_equilibrium_of_two_strategies_solved_by_hand(report, mixed):
    """`duck` and `solid` are all that survives: the share of `duck` at which both earn the same."""
    found = mixed[0]

    def gap(share):
        total = 0.0
        for ducks in range(SEATS):
            chance = comb(SEATS - 1, ducks) * share**ducks * (1 - share) ** (SEATS - 1 - ducks)
            with_duck = ("duck",) * (ducks + 1) + ("solid",) * (SEATS - 1 - ducks)
            with_solid = ("duck",) * ducks + ("solid",) * (SEATS - ducks)
            total += chance * (found[with_duck]["duck"].mean() - found[with_solid]["solid"].mean())
        return total

    share = told(report, 0, "equilibrium", "duck")[0]
    assert told(report, 0, "equilibrium", "random")[0] == 0
    if 0 < share < 1:
        assert share == pytest.approx(brentq(gap, max(0.0, share - 0.05), min(1.0, share + 0.05)), abs=1e-6)
    else:
        assert gap(share) * (1 if share else -1) >= 0


def rounds_of(chunk, name):
    columns = [column.name for column in GAMES["null-nichtig"].all_round_columns]
    return chunk.rounds[columns.index(name)].reshape(SMALL.self_games, -1, SEATS).astype(float)


@pytest.mark.parametrize("variant", [0, 1])
def test_self_play(report, variant):
    rules = [{}, PENALTY][variant]
    wins, scores, _, chunk = played(["solid"] * SEATS, rules, "fixed", SMALL.self_games, record="rounds")
    wins, scores = wins[:, 0], scores[:, 0]
    for seat in range(SEATS):
        mine = interval(wins[:, seat] - 1 / SEATS)
        assert told(report, variant, "seat_advantage", f"solid, seat {seat}") == pytest.approx(mine, abs=1e-9)
    ordered = np.sort(scores, axis=1)
    gap = ordered[:, -1] - ordered[:, -2]
    assert told(report, variant, "tie_rate", "solid")[0] == pytest.approx((gap == 0).mean())
    assert told(report, variant, "closeness", "solid")[0] == pytest.approx((gap**2).mean() ** 0.5)
    score, led = rounds_of(chunk, "score"), rounds_of(chunk, "led")
    total = score.cumsum(axis=1)
    leaders = total == total.max(axis=2, keepdims=True)
    turns = (leaders[:, 1:] != leaders[:, :-1]).any(axis=2).sum(axis=1)
    assert told(report, variant, "lead_changes", "solid") == pytest.approx(interval(turns.astype(float)), abs=1e-9)
    won = score[:, 0] == score[:, 0].max(axis=1, keepdims=True)
    mine = interval((wins * won).sum(axis=1) / won.sum(axis=1) - 1 / SEATS)
    assert told(report, variant, "snowball", "solid") == pytest.approx(mine, abs=1e-9)
    cost = (score * (1 - led)).sum(axis=2) / (SEATS - 1) - (score * led).sum(axis=2)
    assert told(report, variant, "first_lead_cost", "solid") == pytest.approx(interval(cost.mean(axis=1)), abs=1e-9)


def test_seat_changes_are_block_differences(report):
    before, after = (played(["solid"] * SEATS, rules, "fixed", SMALL.self_games)[0][:, 0, 1] for rules in ({}, PENALTY))
    assert changed(report, "seat_advantage", "solid, seat 1") == pytest.approx(interval(after - before), abs=1e-9)


@pytest.fixture(scope="module")
def rollouts():
    one = scenario(
        game="null-nichtig", players=SEATS, strategies=["solid"] * SEATS, blocks=1, seed=SEED, seatings="fixed"
    )
    engine = Engine(one)
    return Rollouts(engine), [column.name for column in engine.game.game_columns]


def test_winning_chances_are_those_of_rollouts_by_block(report, rollouts):
    """The chances at every moment, and that decisiveness is a mean over games with an interval over games."""
    player, columns = rollouts
    win, decided = columns.index("win60"), []
    for block, game in enumerate(report.variants[0].courses.games):
        rows, count = player.game(block)
        moments = [k * count // SMALL.moments for k in range(SMALL.moments)]
        chances = np.array([player.outcomes(block, at, SMALL.rollouts)[win].mean(axis=0) / 60 for at in moments])
        np.testing.assert_allclose(game.chances, chances, atol=1e-12)
        np.testing.assert_array_equal(game.won, rows[win] / 60)
        doubtful = np.flatnonzero(chances[:, rows[win] > 0].sum(axis=1) <= 0.8)
        decided.append((doubtful[-1] + 1) / SMALL.moments if doubtful.size else 0.0)
    assert len(decided) == SMALL.courses
    assert told(report, 0, "decisiveness", "solid")[0] == pytest.approx(np.mean(decided))
    row = report.frame[report.frame["metric"] == "drama"].iloc[0]
    assert row["n"] == row["blocks"] == SMALL.courses


def test_importance_is_a_ratio_over_games(report, rollouts):
    """Every decision of the kind, one drawn by lot, every move on common cards, chosen and valued on other halves."""
    player, columns = rollouts
    half, found = SMALL.tries // 2, report.variants[0].importance
    wins, counts, quarter = np.zeros((3, SMALL.decisions, 3))
    for block in range(SMALL.decisions):
        decisions = [player.decision(block, at) for at in range(player.game(block)[1])]
        lots = np.random.default_rng([SEED, block])
        for kind in range(3):
            lot = lots.random()
            open_ = [one for one in decisions if one.kind == kind and len(one.moves) > 1]
            counts[block, kind] = len(open_)
            one = open_[int(lot * len(open_))]
            quarter[block, kind] = 4 * one.at // len(decisions)
            worth = []
            for move in one.moves:
                rows = player.outcomes(block, one.at, SMALL.tries, observer=one.seat, move=move)
                worth.append(rows[columns.index("win60"), :, one.seat] / 60)
            front, back = np.array(worth)[:, :half].mean(axis=1), np.array(worth)[:, half:].mean(axis=1)
            best = back[front.argmax()] - back.mean(), front[back.argmax()] - front.mean()
            wins[block, kind] = sum(best) / 2
    np.testing.assert_array_equal(found.open, counts)
    for kind, name in enumerate(found.kinds):
        ratio = (wins * counts)[:, kind].sum() / counts[:, kind].sum()
        residual = (wins[:, kind] - ratio) * counts[:, kind]
        error = residual.std(ddof=1) / SMALL.decisions**0.5 / counts[:, kind].mean()
        half_width = student.ppf(0.975, SMALL.decisions - 1) * error
        mine = (ratio, ratio - half_width, ratio + half_width)
        assert told(report, 0, "decision_wins", name) == pytest.approx(mine, abs=1e-9)
    for part, name in enumerate(("first quarter", "second quarter", "third quarter", "last quarter")):
        weights = counts * (quarter == part)
        assert told(report, 0, "part_wins", name)[0] == pytest.approx((wins * weights).sum() / weights.sum(), abs=1e-9)


def test_the_response_is_measured_where_nothing_was_chosen(monkeypatch):
    """The blocks of the gain are no blocks of search, choice or any other stage."""
    seen = []

    def noting(one, blocks, *, first=0, **more):
        seen.append((first, first + blocks))
        return sample(one, blocks, first=first, **more)

    for module in (tune, response):
        monkeypatch.setattr(module, "sample", noting)
    found = balance("null-nichtig", players=SEATS, strategies=["duck", "solid"], budget=SMALL, seed=SEED)
    fresh = (response.FRESH_FIRST, response.FRESH_FIRST + SMALL.response_blocks)
    assert seen.count(fresh) == 4  # before and after, by games and by points
    others = [span for span in seen if span != fresh]
    assert len(others) > 4
    assert all(last <= fresh[0] or first >= fresh[1] for first, last in others)
    largest = max(SMALL.self_games, SMALL.slope_games, found.variants[0].match_ups.blocks)
    assert largest < response.FRESH_FIRST
    answer = found.variants[0].responses["games"]
    gain = []
    for name in (answer.spec, found.reference):
        wins, _, who, _ = played([name, *[found.reference] * 2], {}, "orbit", SMALL.response_blocks, fresh[0])
        mine = who == name
        gain.append((wins * mine).sum(axis=(1, 2)) / mine.sum())
    assert told(found, 0, "exploit_wins", found.reference)[0] == pytest.approx((gain[0] - gain[1]).mean(), abs=1e-9)


def test_components_of_all_line_ups(report):
    """27 line-ups of a block: shares of strategy, seat and cards, each less its sampling error."""
    line_ups = np.array(list(np.ndindex(*(len(NAMES),) * SEATS)), np.int8)
    one = scenario(game="null-nichtig", players=SEATS, strategies=NAMES, blocks=1, seed=SEED, seatings="fixed")
    engine = Engine(one)
    column = [column.name for column in engine.game.game_columns].index("win60")
    blocks = SMALL.luck_blocks
    y = engine.seated(line_ups).play(0, blocks).games[column].reshape(blocks, len(line_ups), SEATS) / 60

    def spread(by_block):
        errors = np.cov(by_block.T) / blocks
        return by_block.mean(axis=0).var() - np.trace(errors) / len(errors) + errors.mean()

    own = np.array([(y * (line_ups == k)).sum(axis=(1, 2)) / (line_ups == k).sum() for k in range(len(NAMES))]).T
    by_seat = y.mean(axis=1)
    assert told(report, 0, "strategy_variance", "win_share")[0] == pytest.approx(spread(own), abs=1e-9)
    assert told(report, 0, "seat_variance", "win_share")[0] == pytest.approx(spread(by_seat), abs=1e-9)
    errors = np.trace(np.cov(by_seat.T)) / blocks / SEATS
    cards = (by_seat**2).mean() - (by_seat.mean(axis=0) ** 2).mean() + errors
    assert told(report, 0, "cards_variance", "win_share")[0] == pytest.approx(cards, abs=1e-9)


@pytest.mark.parametrize("rules", [{"rounds": 1}, {"target": 100}, {"teams": "2x2"}])
def test_rules_at_the_edge_give_no_nan(rules):
    found = balance("null-nichtig", players=4, rules=rules, strategies="duck,solid", budget=SMALL, seed=SEED, level=0.9)
    document = of_balance(found)
    parsed = json.loads(render([document], "json"), parse_constant=lambda word: pytest.fail(word))
    assert parsed["level"] == 0.9
    for record in found.frame.to_dict("records"):
        assert (record["estimate"] is None) <= bool(record["note"])
        assert record["low"] is None or record["low"] <= record["high"]


@pytest.mark.parametrize(("game", "players"), [(row.id, players) for row in GAMES.values() for players in row.seats])
def test_the_usual_study_can_be_played_with_any_number_of_players(game, players):
    base = scenario(game=game, players=players, strategies=GAMES[game].fast[0])
    rule, values = studied(base, None)
    assert len(values) > 1
    assert all(allowed(base, rule, value) for value in values)


def test_calibration_is_0_for_chances_that_are_right():
    """The true chance of each of three is a third at all times: 2000 games, 10 moments, 32 rollouts each."""
    rng, sides, moments, rollouts = np.random.default_rng(SEED), 3, 10, 32
    halves = rng.multinomial(rollouts // 2, [1 / sides] * sides, (2, 2000, moments)) * (2 / rollouts)
    won = np.eye(sides)[rng.integers(sides, size=2000)]
    found = Courses.of_arrays(
        scenario(game="null-nichtig", players=sides, strategies=["solid"] * sides, blocks=1),
        rollouts,
        {"first_half": halves[0], "second_half": halves[1], "entropy": np.zeros((2000, moments)), "won": won},
    )
    value = next(one.value for one in course_measures(found, "solid", 0.9999) if one.metric == "calibration")
    assert value.low < 0 < value.high
