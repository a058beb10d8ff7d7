"""Self-play: the metrics on games made by hand, on games that are known exactly, and whatever the threads."""

import numpy as np
import pytest

import sim
from sim.analysis.measures import change
from sim.analysis.selfplay import METRICS, PART, Rows, lead_changes, reduce, rows_of, running_totals, selfplay
from sim.engine import Engine
from sim.errors import RunError, UsageError
from sim.games import GAMES
from sim.scenario import scenario


def by_hand(games, *, low=False, sides=None, cards=None, win60=None, led=None):
    """Rows of games given as lists of rounds of scores by seat; winners have the best total unless given."""
    seats = len(games[0][0])
    rounds = {"score": np.array([scores for game in games for scores in game])}
    for name, values in (("cards", cards), ("led", led)):
        if values is not None:
            rounds[name] = np.array([value for game in values for value in game])
    total = np.array([np.sum(game, axis=0) for game in games])
    sides = sides or seats
    side = total.reshape(len(games), -1, sides).sum(axis=1)
    won = side == (side.min if low else side.max)(axis=1, keepdims=True)
    if win60 is None:
        win60 = np.tile(np.where(won, 60 // won.sum(axis=1, keepdims=True), 0), seats // sides)
    columns = {
        "score": total,
        "win60": np.asarray(win60),
        "tricks": np.ones_like(total),
        "truncated": np.zeros_like(total),
    }
    return Rows(columns, rounds, np.array([len(game) for game in games]), sides, low)


def of(rows, name, opened=True):
    return reduce(rows, opened)[name].tolist()


def test_a_leader_that_never_changes():
    rows = by_hand([[[5, 1, 0], [0, 3, 1], [1, 1, 1]], [[1, 2, 3]]])
    assert of(rows, "lead_changes") == [0, 0]
    assert of(rows, "gap") == [1, 1]
    assert of(rows, "tied") == [0, 0]
    assert of(rows, "round_1") == [3600, 3600]
    assert of(rows, "rounds") == [3, 1]


def test_the_set_of_leaders_changes_when_one_joins():
    rows = by_hand([[[3, 0, 0], [0, 3, 1], [1, 1, 0], [0, 2, 0]]])  # {0}, {0, 1}, {0, 1}, {1}
    assert of(rows, "lead_changes") == [2]
    assert of(rows, "round_1") == [0]


def test_two_rounds_and_shared_places():
    rows = by_hand([[[4, 4, 1], [0, 0, 3]], [[4, 2, 0], [0, 2, 3]]])  # all at 4, then 4 4 3
    assert of(rows, "tied") == [1, 1]
    assert of(rows, "gap") == [0, 0]
    assert of(rows, "lead_changes") == [1, 1]
    assert of(rows, "round_1") == [30 * (20 + 20), 60 * 30]  # two winners of round 1, each a third; one, a half


def test_where_less_is_better():
    games = [[[3, 1, 2], [0, 3, 2]]]  # totals 3 4 4; leaders {1}, {0}
    rows = by_hand(games, low=True)
    assert of(rows, "gap") == [1]
    assert of(rows, "lead_changes") == [1]
    assert of(rows, "round_1") == [0]
    assert of(by_hand(games), "round_1") == [0]
    assert of(by_hand([[[1, 3, 2], [1, 3, 2]]], low=True), "round_1") == [3600]


def test_teams_count_together():
    """Seats 0 and 2 against 1 and 3: 6 to 5, then 7 to 9; the best seat is on the losing side."""
    rows = by_hand([[[6, 1, 0, 4], [1, 2, 0, 2]]], sides=2)
    assert running_totals(rows).tolist() == [[6, 5], [7, 9]]
    assert of(rows, "gap") == [2]
    assert of(rows, "lead_changes") == [1]
    assert of(rows, "round_1") == [0]
    assert of(rows, "tied") == [0]
    assert of(rows, "win60") == [[0, 60, 0, 60]]
    drawn = by_hand([[[1, 1, 0, 0]]], sides=2)
    assert of(drawn, "tied") == [1]
    assert of(drawn, "round_1") == [30 * (30 + 30)]


def test_cards_left_are_the_running_total():
    """Hands of 2 2 2, then 1 2 2, then 1 1 2, at last 0 1 2."""
    rows = by_hand(
        [[[9, 10, 11], [5, 4, 6], [1, 2, 3]]], low=True, cards=[[[2, 2, 2], [1, 2, 2], [1, 1, 2]]], win60=[[60, 0, 0]]
    )
    rows.games["score"][:] = [[0, 1, 2]]
    rows.rounds["won"] = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    assert running_totals(rows).tolist() == [[-1, -2, -2], [-1, -1, -2], [0, -1, -2]]
    assert of(rows, "lead_changes") == [2]
    assert of(rows, "gap") == [1]
    assert of(rows, "round_1") == [3600]


def test_what_leading_costs():
    games = [[[1, 2, 3], [6, 0, 0]], [[0, 3, 3]]]
    led = [[[0, 1, 0], [1, 0, 0]], [[1, 0, 0]]]
    rows = by_hand(games, led=led)
    assert of(rows, "lead_gap") == [2 * 2 - 4 + 2 * 6 - 0, 0 - 6]  # in halves of a point
    assert of(rows, "leads") == [2, 1]
    seat_0 = by_hand(games)
    assert of(seat_0, "lead_gap") == [2 * 1 - 5, 0 - 6]  # the first round alone
    assert of(seat_0, "leads") == [1, 1]
    assert "lead_gap" not in reduce(seat_0, False)


@pytest.mark.parametrize(("game", "sign"), [("null-nichtig", -1), ("nulla", 1)])
def test_the_cost_of_leading_is_above_0_where_the_leader_does_worse(game, sign):
    """In Null & Nichtig many points are good, in Núlla few."""
    found = selfplay(scenario(game=game), 60)
    gap = found.sums["lead_gap"].sum() / found.sums["leads"].sum() / (found.scenario.seats - 1)
    assert gap != 0
    assert known(found, "first_lead_cost").estimate == pytest.approx(sign * gap)


def test_games_do_not_run_into_each_other():
    totals = np.array([[1, 0], [0, 1], [1, 0], [2, 0]])
    assert lead_changes(totals, np.array([0, 1, 2])).tolist() == [0, 0, 0]
    assert lead_changes(totals, np.array([0, 2])).tolist() == [1, 0]
    assert lead_changes(totals, np.array([0])).tolist() == [2]


def known(game, metric):
    """A metric of any game by name and subject, as an estimate."""
    found = {(one.metric, one.subject): one for one in game.measures(draws=200)}
    return found[metric, ""].value if isinstance(metric, str) else found[metric].value


def near(value, expected, errors=5.0):
    assert value.se > 0
    assert abs(value.estimate - expected) < errors * value.se, (value, expected)


KINGS = {"players": 3, "null_pick": "fixed", "null_rank": "K"}

#: three players who never change a card, the king being null: exact, by going through the 13 ranks for the chances of a
#: round by hand sizes, and through the sizes for those of the game
STANDING = {
    "rounds": 6.19480248,
    "lead_changes": 1.62435762,
    "snowball": 0.38066157,
    "tie_rate": 0.00149410,
    "closeness": 3.96790669,
    "first_lead_cost": 0.0,
    **{("seat_advantage", f"seat {seat}"): 0.0 for seat in range(3)},
}


@pytest.fixture(scope="module")
def standing():
    return selfplay(scenario(game="norwegian-null", rules=KINGS, strategies=["stand"]), 40_000)


@pytest.mark.parametrize("metric", STANDING, ids=str)
def test_games_in_which_nobody_changes_a_card(standing, metric):
    near(known(standing, metric), STANDING[metric])


def test_who_alone_wins_the_first_round():
    one = scenario(game="norwegian-null", rules=KINGS, strategies=["stand"], seatings="fixed", record="rounds")
    rows = rows_of(one.row, one, Engine(one).play(0, 40_000))
    alone = rows.rounds["won"][rows.starts].sum(axis=1) == 1
    assert 1 - alone.mean() == pytest.approx(0.04434775, abs=5 * np.sqrt(0.0443 * 0.9557 / 40_000))
    shares = reduce(rows, True)["round_1"][alone] / 3600
    assert abs(shares.mean() - 0.72570035) < 5 * shares.std() / np.sqrt(alone.sum())


def test_who_moves_at_random_has_the_same_chance_in_every_seat():
    found = selfplay(scenario(game="null-nichtig", strategies=["random"]), 20_000)
    seats = [known(found, ("seat_advantage", f"seat {seat}")) for seat in range(4)]
    assert sum(one.estimate for one in seats) == pytest.approx(0, abs=1e-12)
    assert all(abs(one.estimate) < 0.02 for one in seats)
    assert known(found, "rounds").estimate == 4
    assert known(found, "tricks").estimate == 40


CASES = {
    "null-nichtig": {},
    "null-nichtig teams": {"players": 6, "teams": "3x2", "target": 100},
    "nil": {},
    "nil pool": {"scoring": "pool", "max_deals": 20},
    "skat-null": {"declarer": "rotate", "must_declare": True},
    "nulla": {"players": 3, "max_turns": 9},
    "norwegian-null": {"max_turns": 7},
}


@pytest.mark.parametrize("case", CASES)
def test_sums_are_those_of_a_run(case):
    """Against the stored rows of a run, metric by metric, with pandas."""
    name, rules = case.split()[0], CASES[case]
    found = selfplay(scenario(game=name, rules=rules), 300)
    result = sim.run(name, rules=rules, blocks=300, seatings="fixed", record="rounds")
    games, low = result.to_pandas(), GAMES[name].metrics[1].low
    by_seat = games.groupby("seat")["win_share"].mean()
    sides = games["team"].nunique()
    for seat, share in by_seat.items():
        assert known(found, ("seat_advantage", f"seat {seat}")).estimate == pytest.approx(share - 1 / sides, abs=1e-6)
    each = games.groupby("block")
    assert known(found, "rounds").estimate == pytest.approx(each["rounds"].first().mean())
    assert known(found, "truncated_share").estimate == pytest.approx(each["truncated"].first().mean())
    length = "turns" if "turns" in games else "tricks"
    assert known(found, length).estimate == pytest.approx(each[length].sum().mean())
    values, counts = found.scores
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == games["score"].value_counts().to_dict()
    if name == "skat-null":
        return
    side = games.groupby(["block", "team"])[["score", "rank"]].agg({"score": "sum", "rank": "first"}).reset_index()
    ties = side[side["rank"] == 1].groupby("block").size() > 1
    assert known(found, "tie_rate").estimate == pytest.approx(ties.mean())
    ordered = side.sort_values(["block", "score"], ascending=[True, low]).groupby("block")["score"]
    gap = ordered.nth(0).to_numpy() - ordered.nth(1).to_numpy()
    assert known(found, "closeness").estimate == pytest.approx(np.sqrt((gap.astype(float) ** 2).mean()))


@pytest.mark.parametrize("case", ["null-nichtig teams", "norwegian-null"])
def test_threads_and_cuts_leave_no_trace(case, monkeypatch):
    one = scenario(game=case.split()[0], rules=CASES[case])
    whole = selfplay(one, 400, threads=1)
    monkeypatch.setattr("sim.analysis.selfplay.PART", 37)
    cut = selfplay(one, 400, threads=3)
    pieces = selfplay(one, 150), selfplay(one, 250, first=150)
    for name, column in whole.sums.items():
        assert (column == cut.sums[name]).all()
        assert (column == np.concatenate([piece.sums[name] for piece in pieces])).all()
    assert all((a == b).all() for a, b in zip(whole.scores, cut.scores, strict=True))
    assert whole.scores[1].sum() == 400 * one.seats == sum(piece.scores[1].sum() for piece in pieces)


def test_games_of_one_round_say_so():
    for name, rules in (("nulla", {}), ("skat-null", {}), ("null-nichtig", {"rounds": 1})):
        found = selfplay(scenario(game=name, rules=rules), 30)
        for metric in ("lead_changes", "snowball"):
            one = known(found, metric)
            assert (one.estimate, one.note) == (None, "every game has one round")


def test_who_started_must_be_known():
    for name, rules, there in (
        ("nulla", {}, True),
        ("nulla", {"first_dealer": "random"}, False),
        ("nulla", {"first_player": "random"}, False),
        ("norwegian-null", {"first_player": "random"}, True),
        ("norwegian-null", {"first_dealer": "random"}, False),
        ("null-nichtig", {"first_dealer": "random"}, True),
        ("nil", {}, True),
        ("skat-null", {}, True),
    ):
        one = known(selfplay(scenario(game=name, rules=rules), 60), "first_lead_cost")
        assert (one.estimate is not None) == there
        assert there or one.note == "who starts is decided by lot and not recorded"


def test_skat_sets_the_declarer_against_the_defenders():
    """Middlehand must declare: won +23 and +50, lost -46 - 50 and 40 for each defender."""
    rules = {"declarer": "middlehand", "must_declare": True, "contracts": "null", "scoring": "seeger-fabian"}
    found = selfplay(scenario(game="skat-null", rules=rules), 500)
    won = found.sums["win60"][:, 1] == 60
    assert 0 < won.sum() < 500
    assert found.sums["gap"].tolist() == np.where(won, 73, 96 + 40).tolist()
    assert found.sums["lead_gap"].tolist() == np.where(won, -73, 40 + 40 - (40 - 96)).tolist()
    assert known(found, "tie_rate").note == "declarer and defenders cannot tie"
    assert known(found, "passed_in_share").estimate == 0
    passed = selfplay(scenario(game="skat-null"), 50)  # `random` never declares of itself
    assert known(passed, "passed_in_share").estimate == 1
    assert known(passed, "closeness").estimate is None
    assert known(passed, ("seat_advantage", "seat 0")).estimate is None


def test_deals_passed_in_are_no_disadvantage():
    found = selfplay(scenario(game="skat-null", strategies=["heuristic"]), 2000)
    games = sim.run("skat-null", strategies=["heuristic"], blocks=2000, seatings="fixed").to_pandas()
    played = games[games["role"] != "none"]
    assert 0 < len(played) < len(games)
    shares = played.groupby("seat")["win_share"].mean()
    seats = [known(found, ("seat_advantage", f"seat {seat}")) for seat in range(3)]
    assert [one.estimate for one in seats] == pytest.approx([share - 1 / 3 for share in shares], abs=1e-6)
    assert {one.n for one in seats} == {len(played) // 3}
    assert known(found, "passed_in_share").estimate == pytest.approx(1 - len(played) / len(games))


def test_two_rule_sets_on_common_blocks():
    """What the rounds of a game change, paired; the same rules twice change nothing."""
    short, long = (selfplay(scenario(game="null-nichtig", rules={"rounds": n}), 2000) for n in (2, 4))
    before = {(one.metric, one.subject): one for one in short.measures(draws=300)}
    after = {(one.metric, one.subject): one for one in long.measures(draws=300)}
    assert list(before) == list(after)
    changes = {key: change(after[key], before[key]) for key in before}
    assert changes["rounds", ""].estimate == 2
    assert changes["closeness", ""].method == "bootstrap"
    for name in ("closeness", "lead_changes"):
        assert changes[name, ""].low > 0
    assert changes["snowball", ""].high < 0
    same = [change(one, one) for one in short.measures(draws=300)]
    assert all(one.estimate == 0 for one in same)


def test_without_blocks_there_is_nothing():
    for name in GAMES:
        found = selfplay(scenario(game=name), 0)
        assert all(one.value.estimate is None and one.value.note for one in found.measures())
        assert len(found.scores[0]) == 0


def test_metrics_are_explained():
    found = selfplay(scenario(game="null-nichtig"), PART + 1)
    assert {one.metric for one in found.measures(draws=100)} <= set(METRICS)
    assert all(title and meaning and unit for title, meaning, unit in METRICS.values())


def test_bad_input():
    with pytest.raises(UsageError, match=r"strategies: self-play .* dodge, random"):
        selfplay(scenario(game="null-nichtig", strategies="dodge,random,random,random"), 5)
    with pytest.raises(UsageError, match="threads: 0"):
        selfplay(scenario(game="nil"), 5, threads=0)
    with pytest.raises(UsageError, match="no strategy nobody"):
        selfplay(scenario(game="nil", strategies="nobody"), 5)


def test_a_strategy_that_fails_is_named(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text("def bad(view):\n    return 99\n")
    with pytest.raises(RunError, match=r"illegal move \(99\) in block 3"):
        selfplay(scenario(game="null-nichtig", strategies=f"{file}:bad"), 5, first=3)
