"""Variance components: planted ones are found, without bias and within their intervals, in games that were played."""

import numpy as np
import pytest

import sim
from sim.analysis.components import (
    METRICS,
    RANGE,
    Components,
    all_line_ups,
    block_sums,
    components,
    moments,
    random_line_ups,
    split,
)
from sim.analysis.measures import change
from sim.engine import Engine
from sim.errors import RunError, UsageError
from sim.scenario import scenario
from tests.stats.simulate import covered, inside

pytestmark = pytest.mark.slow

PARTS = ("strategy", "seat", "cards", "residual")
RNG = np.random.default_rng
SKILL = np.array([-1.0, 0.2, 0.8])  # by strategy; its mean is 0
SEAT = np.array([0.5, -0.5, 0.3, -0.3])
CARDS, NOISE, OTHERS = 1.5, 2.0, 0.6


def planted(rng, blocks, full, line_ups=8):
    """y (B, S, 4) and slots for three strategies: skill, seat, cards by block and seat, the mean skill of the others
    against one, and noise by game and seat."""
    if full:
        slots = np.broadcast_to(np.array(np.meshgrid(*[range(3)] * 4)).reshape(4, -1).T, (blocks, 81, 4))
    else:
        slots = rng.integers(0, 3, (blocks, line_ups, 4))
    own = SKILL[slots]
    y = 10 + own + SEAT + CARDS * rng.normal(size=(blocks, 1, 4)) + NOISE * rng.normal(size=slots.shape)
    return y - OTHERS * (own.sum(axis=2, keepdims=True) - own), slots


def truth(full):
    """In the order of PARTS. With all line-ups the mean noise of a block's line-ups cannot be told from cards."""
    mean_noise = NOISE**2 / 81 if full else 0.0
    others = 3 * OTHERS**2 * SKILL.var()
    return np.array([SKILL.var(), SEAT.var(), CARDS**2 + mean_noise, NOISE**2 - mean_noise + others])


def made(y, slots, full, strategies=3):
    sums = block_sums(y, slots, strategies, full)
    one = scenario(game="null-nichtig", blocks=1)
    labels = ("random", "dodge", "duck", "solid")[:strategies]
    return Components(one, labels, "score", "points", y.shape[1], full, 0, len(y), sums)


def found(one, kind="variance", draws=300):
    """{part: Estimate}."""
    by_name = {measure.metric: measure.value for measure in one.measures(draws=draws)}
    return {part: by_name[f"{part}_{kind}"] for part in PARTS}


@pytest.mark.parametrize("full", [False, True])
def test_planted_components_are_held(full):
    """Absolute and as shares, in 200 runs of 120 blocks; standard error of a coverage 1.5 %."""
    rng, expected = RNG(11), truth(full)
    runs = [made(*planted(rng, 120, full), full).measures(draws=300) for _ in range(200)]
    for first, values in ((1, expected / expected.sum()), (5, expected)):
        for j, value in enumerate(values, first):
            assert inside(covered((one[j].value for one in runs), value), (0.91, 0.99)), runs[0][j].metric


@pytest.mark.parametrize("full", [False, True])
def test_without_bias_from_few_blocks(full):
    """Means over 2000 runs of ten blocks; without the corrections strategy and seat would come out too large."""
    rng, expected = RNG(12), truth(full)
    rows = np.concatenate(
        [moments(block_sums(*planted(rng, 10, full), 3, full)).sum(axis=0, keepdims=True) for _ in range(2000)]
    )
    values = split(rows, 3, 4)
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert (np.abs(values[:, 5:].mean(axis=0) - expected) < 5 * error[5:]).all()
    assert abs(values[:, 0].mean() - expected.sum()) < 5 * error[0]
    uncorrected = split(rows, 3, 4, 0.0).mean(axis=0)
    assert uncorrected[6] > expected[1] + 5 * error[6]
    assert full or uncorrected[5] > expected[0] + 5 * error[5]  # all line-ups leave little of it to chance


def test_of_nothing_but_noise():
    """All means 0, small ones negative as often as not; zero is held."""
    rng, held, values = RNG(13), [], []
    for _ in range(200):
        slots = rng.integers(0, 3, (60, 8, 4))
        one = found(made(rng.normal(size=slots.shape), slots, False), draws=200)
        held.append([one[part].low <= 0 <= one[part].high for part in PARTS[:3]])
        values.append([one[part].estimate for part in PARTS])
    values = np.array(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - [0, 0, 0, 1]) < 5 * error).all()
    assert ((values[:, :3] < 0).mean(axis=0) > 0.3).all()
    assert np.mean(held, axis=0).min() > 0.9  # standard error 1.5 %; from 60 blocks a bootstrap is a little short


def test_names_and_seats_do_not_matter():
    y, slots = planted(RNG(14), 50, False)
    plain = found(made(y, slots, False))
    renamed = found(made(y, np.array([2, 0, 1])[slots], False))
    order = [3, 1, 0, 2]
    moved = found(made(y[..., order], slots[..., order], False))
    for part in PARTS:
        for other in (renamed, moved):
            assert other[part].estimate == pytest.approx(plain[part].estimate, abs=1e-9)
            assert other[part].low == pytest.approx(plain[part].low, abs=1e-9)


def test_parts_add_up():
    one = made(*planted(RNG(15), 80, False), False)
    by_name = {measure.metric: measure for measure in one.measures()}
    assert list(by_name) == list(METRICS)
    assert {measure.unit for measure in by_name.values()} == {"points²", "share"}
    total = by_name["total_variance"].value.estimate
    assert sum(by_name[f"{part}_variance"].value.estimate for part in PARTS) == pytest.approx(total)
    assert sum(by_name[f"{part}_part"].value.estimate for part in PARTS) == pytest.approx(1)
    for part in PARTS:
        draws = by_name[f"{part}_variance"].draws / by_name["total_variance"].draws
        assert by_name[f"{part}_part"].draws == pytest.approx(draws)


def test_one_strategy_has_no_part():
    y = planted(RNG(16), 60, False)[0][:, :1]
    one = found(made(y, np.zeros(y.shape, int), True, strategies=1))
    assert (one["strategy"].estimate, one["strategy"].low, one["strategy"].high) == (0.0, 0.0, 0.0)
    assert one["strategy"].note.startswith("one strategy only")
    assert one["residual"].estimate == pytest.approx(0, abs=1e-9)
    assert one["cards"].estimate > 0


def test_too_few_blocks_and_constant_results():
    y, slots = planted(RNG(17), 1, False)
    for blocks, note in ((0, "no block"), (1, "one block")):
        one = made(y[:blocks], slots[:blocks], False)
        assert all(measure.value.estimate is None and note in measure.value.note for measure in one.measures())
    y, slots = planted(RNG(17), 60, False)
    flat = made(np.full(y.shape, 0.25), slots, False)
    assert {value.estimate for value in found(flat).values()} == {0.0}
    assert all(value.estimate is None and value.note.startswith("undefined") for value in found(flat, "part").values())
    unseen = made(y, slots, False, strategies=4)
    assert found(unseen)["strategy"].estimate is None


def test_line_ups():
    every = all_line_ups(3, 3)
    assert every.shape == (27, 3)
    assert len(np.unique(every, axis=0)) == 27
    assert all_line_ups(4, 3).shape == (64, 3)
    assert all_line_ups(3, 4) is None
    drawn = random_line_ups(3, 4, 1, 0)
    assert (drawn == random_line_ups(3, 4, 1, 0)).all()
    for other in (random_line_ups(3, 4, 1, 1), random_line_ups(3, 4, 2, 0)):
        assert (drawn != other).any()
    many = np.concatenate([random_line_ups(3, 4, 1, number) for number in range(40)]).reshape(-1, 4)
    for k in range(3):
        share = (many == k).mean(axis=0)
        assert (np.abs(share - 1 / 3) < 5 * np.sqrt(2 / 9 / len(many))).all()


def test_games_are_those_of_runs():
    """Every line-up of two strategies in three seats, against runs of each of them."""
    base = scenario(game="null-nichtig", players=3, rules={"no_trick_penalty": -10}, seed=7)
    names = ["solid", "dodge"]
    one = components(base, names, 40, threads=2)
    line_ups = all_line_ups(2, 3)
    values = {"win_share": [], "score": []}
    for line_up in line_ups:
        run = sim.run(
            "null-nichtig", players=3, rules={"no_trick_penalty": -10}, seed=7, seatings="fixed", blocks=40,
            strategies=[names[k] for k in line_up],
        ).to_pandas()  # fmt: skip
        for metric, column in values.items():
            column.append(run[metric].to_numpy().reshape(40, 3))
    for metric, columns in values.items():
        y = np.array(columns).transpose(1, 0, 2).astype(float)
        assert one[metric].sums == pytest.approx(block_sums(y, line_ups[None], 2, True), rel=1e-6)
        assert (one[metric].line_ups, one[metric].full, one[metric].labels) == (8, True, ("solid", "dodge"))
    assert found(one["win_share"], "part")["strategy"].low > 0.05


@pytest.mark.parametrize("players", [3, 4])
def test_threads_and_cuts_leave_no_trace(players):
    """With all line-ups (3 players) and with random ones (4)."""
    base, names = scenario(game="null-nichtig", players=players), "random,dodge,duck"
    whole = components(base, names, 50, threads=1)
    other = components(base, names, 50, threads=3)
    pieces = components(base, names, 21), components(base, names, 29, first=21)
    for metric, one in whole.items():
        assert one.full == (players == 3)
        assert (one.sums == other[metric].sums).all()
        assert (one.sums == np.concatenate([piece[metric].sums for piece in pieces])).all()
    assert pieces[1]["score"].first == 21
    assert 21 % RANGE


def test_rule_sets_are_compared_on_common_blocks():
    plain, fined = (
        components(scenario(game="null-nichtig", players=3, rules={"no_trick_penalty": p}), ["dodge", "solid"], 300)
        for p in (0, -30)
    )
    before, after = plain["score"].measures(), fined["score"].measures()
    changes = {new.metric: change(new, old) for new, old in zip(after, before, strict=True)}
    assert changes["strategy_part"].low > 0
    assert changes["strategy_part"].method == "bootstrap"
    with pytest.raises(ValueError, match="different measures"):
        change(before[0], fined["win_share"].measures()[0])


def test_every_game_can_be_split():
    for game, names in (
        ("nil", ["random", "duck"]),
        ("skat-null", ["random", "heuristic"]),
        ("nulla", ["random", "shift"]),
        ("norwegian-null", ["random", "greedy"]),
    ):
        one = components(scenario(game=game), names, 30)
        assert all(len(measures.measures(draws=100)) == 9 for measures in one.values())
        assert found(one["score"])["residual"].estimate > 0


def test_an_engine_takes_other_seatings():
    names = ["random", "dodge", "duck", "solid"]
    engine = Engine(scenario(game="null-nichtig", players=3, strategies=["random"], seatings="fixed"), names)
    rows = np.array([[3, 1, 0], [2, 2, 2]])
    seated = engine.seated(rows)
    whole = seated.play(5, 7).games.reshape(-1, 2, 2, 3)
    for k, row in enumerate(rows):
        alone = scenario(game="null-nichtig", players=3, strategies=[names[j] for j in row], seatings="fixed")
        assert (Engine(alone).play(5, 7).games.reshape(-1, 2, 3) == whole[:, :, k]).all()
    assert "--strategies solid,dodge,random --seed 1 --seatings fixed --block 6 --seating 0" in seated.replay(6, 0)
    assert engine.seatings.tolist() == [[0, 0, 0]]
    for bad in ([[0, 1]], [[0, 1, 4]], [[0, 1, -1]], [[0, 1, 256]], [0, 1, 2], np.zeros((0, 3), int)):
        with pytest.raises(ValueError, match="seatings"):
            engine.seated(np.array(bad))


def test_bad_input(tmp_path):
    base = scenario(game="null-nichtig")
    with pytest.raises(UsageError, match="no strategy nobody"):
        components(base, ["nobody"], 5)
    with pytest.raises(UsageError, match="solid is named twice"):
        components(base, ["solid", "solid"], 5)
    with pytest.raises(UsageError, match="threads: 0"):
        components(base, ["solid"], 5, threads=0)
    file = tmp_path / "bad.py"
    file.write_text("def bad(view):\n    return 99\n")
    with pytest.raises(RunError, match=r"illegal move \(99\) in block 0") as caught:
        components(base, ["random", f"{file}:bad"], 5, threads=1)
    text = str(caught.value)
    assert "--seatings fixed" in text
    assert text.endswith("--block 0 --seating 0")
    assert text.count("bad.py:bad") == 2  # line-up 1 of 16 has it in the last seat alone: who failed, and the replay
