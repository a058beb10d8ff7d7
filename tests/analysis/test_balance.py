"""The balance report: every metric once, verdicts, a variant beside it, words that say what the numbers say."""

import json
import re
import sys
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.analysis.balance import FULL, QUICK, Budget, ask, balance
from sim.analysis.balance.metrics import DEFINITIONS, SECTIONS
from sim.analysis.balance.response import same
from sim.analysis.balance.slopes import neighbours
from sim.engine import Engine
from sim.errors import RunError, UsageError
from sim.games import GAMES
from sim.report.balance import of_balance
from sim.report.balance_changes import change_sentences
from sim.report.balance_words import where
from sim.report.formats import render
from sim.scenario import scenario
from sim.strategies import parse
from tests.analysis.goldens import FOLDER, differences, script

pytestmark = pytest.mark.slow

goldens = script("goldens")


@pytest.fixture(scope="module")
def report():
    return goldens.golden_balance()


def test_the_golden_report(report):
    kept = json.loads((FOLDER / "balance.json").read_text(encoding="utf-8"))
    mine = json.loads(render([of_balance(report)], "json"), parse_constant=lambda word: pytest.fail(word))
    assert differences(mine, kept) == []


def test_differences_finds_them():
    assert differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-12, 2]}) == []
    assert differences({"a": [1.0, 2]}, {"a": [1.1, 2]}) == ["report.a[0]: 1.0 and 1.1"]
    assert differences({"a": 1}, {"b": 1}) != []
    assert differences([1], [1, 2]) != []
    assert differences("x", "y") != []


def test_every_metric_of_the_game_is_there_with_interval_n_and_verdict(report):
    frame = report.frame
    assert set(frame["metric"]) == set(DEFINITIONS) - {"passed_in_share", "turns"}
    assert set(frame["section"]) == set(SECTIONS)
    assert not frame.duplicated(["variant", "metric", "subject"]).any()
    for row in frame.to_dict("records"):
        assert (row["estimate"] is None) <= bool(row["note"])  # nothing is missing without a reason
        assert (row["verdict"] != "") == (row["null"] is not None and row["estimate"] is not None)
        if row["estimate"] is not None:
            assert row["n"] >= row["blocks"] > 0
            assert row["low"] is None or row["low"] <= row["estimate"] <= row["high"] or row["method"] == "bootstrap"


def test_what_comes_from_rollouts_says_so(report):
    for metric in ("decisiveness", "drama", "uncertainty", "calibration"):
        notes = report.frame.loc[report.frame["metric"] == metric, "note"]
        assert all("approximate: 16 rollouts" in note for note in notes)


def test_changes_are_those_of_the_two_variants(report):
    first, second = (variant.name for variant in report.variants)
    values = {(row["variant"], row["metric"], row["subject"]): row for row in report.frame.to_dict("records")}
    assert len(report.changes) == len(report.frame) / 2
    moved = 0
    for row in report.changes.to_dict("records"):
        old, new = (values[name, row["metric"], row["subject"]]["estimate"] for name in (first, second))
        if old is None or new is None:
            assert row["estimate"] is None
            continue
        assert (row["before"], row["after"]) == (old, new)
        assert row["estimate"] == pytest.approx(new - old, abs=1e-9)
        moved += row["estimate"] != 0
    assert moved > 20


def test_changes_are_paired_by_block(report):
    """On common cards the length of an interval is far below that of two separate samples."""
    rows = [row for row in report.changes.to_dict("records") if (row["metric"], row["subject"]) == ("lead", "solid")]
    own = report.frame[(report.frame["metric"] == "lead") & (report.frame["subject"] == "solid")]
    apart = np.hypot(*[(high - low) for low, high in zip(own["low"], own["high"], strict=True)])
    assert rows[0]["high"] - rows[0]["low"] < 0.9 * apart


def test_what_does_not_change_does_not(report):
    tricks = report.changes[report.changes["metric"].isin(["tricks", "rounds"])]
    assert (tricks["estimate"] == 0).all()
    assert (tricks["verdict"] == "equivalent").all()


def test_a_second_call_plays_nothing(tmp_path, monkeypatch):
    more = {"players": 3, "strategies": ["duck", "solid"], "budget": goldens.TINY, "cache": tmp_path}
    first = balance("null-nichtig", **more)
    call = Engine._call

    def idle(engine, first, last, *rest, **named):
        assert first == last, "played again"
        return call(engine, first, last, *rest, **named)

    monkeypatch.setattr(Engine, "_call", idle)
    again = balance("null-nichtig", **more)
    assert again.frame.equals(first.frame)
    assert differences(*(json.loads(render([of_balance(one)], "json")) for one in (first, again))) == []


def test_a_spoilt_file_is_played_again(tmp_path):
    more = {"players": 3, "strategies": ["duck", "solid"], "budget": goldens.TINY, "cache": tmp_path}
    first = balance("null-nichtig", **more)
    spoilt = list(tmp_path.glob("*.parquet"))
    for file in spoilt:
        file.write_bytes(b"PAR1")
    with pytest.warns(UserWarning, match="is damaged; what it held is played anew") as warned:
        assert balance("null-nichtig", **more).frame.equals(first.frame)
    assert len(warned) == len(spoilt)


def test_threads_leave_no_trace():
    more = {"players": 3, "strategies": ["duck", "solid"], "budget": goldens.TINY}
    one, two = (balance("null-nichtig", threads=threads, **more) for threads in (1, 2))
    assert one.frame.equals(two.frame)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_ladder_that_plays(game):
    row = GAMES[game]
    assert set(row.fast) <= set(row.ladder)
    found = balance(game, strategies=row.fast[-2:], budget=goldens.TINY, threads=2)
    document = of_balance(found)
    assert document.summary
    assert {one.section for one in document.tables} >= set(SECTIONS) - {"Exploitability"}
    json.loads(render([document], "json"), parse_constant=lambda word: pytest.fail(word))
    assert found.reference in row.fast[-2:]
    low = next(metric.low for metric in row.metrics if metric.name == "score")
    assert ("in points it is the other way round" in document.lead["Strategies"]) == low


def test_one_strategy_alone(tmp_path):
    found = sim.balance("null-nichtig", strategies="solid", budget=goldens.TINY)
    assert found.reference == "solid"
    assert not {"lead", "edge", "equilibrium"} & set(found.frame["metric"])
    verdict = found.verdict()
    assert all(one.text in verdict for one in of_balance(found).summary)
    page = found.write(tmp_path / "r")
    assert page == tmp_path / "r" / "index.html"
    assert "<svg" in page.read_text(encoding="utf-8")
    assert json.loads((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))["ladder"] == ["solid"]
    with pytest.raises(UsageError, match="exists"):
        found.write(tmp_path / "r")
    assert found.write(tmp_path / "r", overwrite=True) == page
    assert repr(found).startswith("<Report null-nichtig: default rules; ")


def test_the_reference_can_be_named():
    found = balance("null-nichtig", strategies="duck,solid", reference="duck", budget=goldens.TINY)
    assert found.variants[0].courses.scenario.strategies == ("duck",) * 4


def test_neighbours_of_rules():
    base = scenario(game="null-nichtig", strategies="solid", rules={"no_trick_penalty": -1000})
    assert neighbours(base) == [("rounds", 3, 5), ("no_trick_penalty", -1000, -999)]
    base = scenario(game="nulla", strategies="dp", rules={"row": 6})
    assert ("row", 5, 12) in neighbours(base)
    base = scenario(game="nulla", strategies="dp", rules={"row": 6, "players": 4})
    assert ("row", 5, 6) in neighbours(base)


def test_slopes_are_central_differences(report):
    slope = next(one for one in report.variants[0].slopes if one.rule == "rounds")
    assert (slope.low, slope.high) == (2, 4)
    found = {(one.metric, one.subject): one.value.estimate for one in slope.measures}
    assert found["rounds", ""] == 1
    assert found["tricks", ""] == 10


def test_every_answer_that_was_tried_has_its_gain(report):
    """Over the field's own strategy on the same blocks; more is better, and the best is what was chosen."""
    for variant in report.variants:
        for response in variant.responses.values():
            own, *others = response.candidates
            assert (own.spec, own.gain.value.estimate) == (variant.reference, 0)
            for one in others:
                assert one.gain.value.estimate == pytest.approx(one.mean - own.mean)
                assert one.gain.value.low <= one.gain.value.estimate <= one.gain.value.high
                assert one.gain.value.n > one.gain.value.blocks == goldens.TINY.response_blocks // 2
            assert max(others, key=lambda one: one.gain.value.estimate).spec == response.spec


def told(report, changes):
    """The verdict of a report in which some numbers are others: {(metric, subject): values}, in the first variant."""
    frame = report.frame.copy()
    for (metric, subject), values in changes.items():
        row = (
            (frame["variant"] == report.variants[0].name) & (frame["metric"] == metric) & (frame["subject"] == subject)
        )
        assert row.sum() == 1
        for key, value in values.items():
            frame.loc[row, key] = value
    planted = replace(report, frame=frame)
    return [one.text for one in of_balance(planted).summary if one.group == report.variants[0].name]


def test_leading_costs_or_pays_by_the_sign_of_the_number(report):
    key = ("first_lead_cost", report.reference)
    for estimate, words in ((1.5, "Leading first costs 1.50 points [1.00, 2.00] "), (-1.5, "Leading first pays 1.50")):
        values = {"estimate": estimate, "low": estimate - 0.5, "high": estimate + 0.5, "verdict": "different"}
        assert any(text.startswith(words) for text in told(report, {key: values}))
    assert not any("Leading first" in text for text in told(report, {key: {"verdict": "undecided"}}))


def test_a_strategy_that_leads_may_hold_nothing_of_the_equilibrium(report):
    best = report.variants[0].match_ups.order()[0]
    other = next(name for name in report.names if name != best)
    masses = {
        (kind, name): {"estimate": float(name == who), "low": float(name == who), "high": float(name == who)}
        for kind, who in (("equilibrium", other), ("alpharank", best))
        for name in report.names
    }
    (text,) = [text for text in told(report, masses) if "One strategy takes the equilibrium" in text]
    assert f"{other} has 100 %" in text
    assert f"; {best}, the strongest over all tables, has 0 % " in text
    assert f"; by alpha-rank {best} has most, 100 %" in text


def test_what_hangs_on_decisions_is_said_as_far_as_intervals_part(report):
    kinds = report.variants[0].importance.kinds
    apart = {("decision_wins", kind): {"estimate": 0.1 * k, "low": 0.1 * k - 0.01, "high": 0.1 * k + 0.01}
             for k, kind in enumerate(kinds)}  # fmt: skip
    assert any(f"measured most hangs on {kinds[-1]}: the best move gains 20.0 pp" in one for one in told(report, apart))
    apart["decision_wins", kinds[0]]["high"] = 0.5
    (text,) = [one for one in told(report, apart) if "kinds of decisions" in one]
    assert "matters most is undecided; the largest estimate is that of" in text


def test_who_loses_to_moves_at_random_is_named(report):
    def met(values):
        return [text for text in told(report, values) if text.startswith("Moves at random")]

    edges = report.frame.loc[report.frame["metric"] == "edge", "subject"].unique()
    pairs = [("edge", one) for one in edges if "random" in one.split(" v ")]
    assert len(pairs) == 2
    ahead = {key: {"estimate": 0.1 if key[1].startswith("random v") else -0.1, "verdict": "different"} for key in pairs}
    (text,) = met(ahead)
    assert {"duck", "solid"} == set(re.split(", | where", text.removeprefix("Moves at random do better than "))[:2])
    assert met({key: {**values, "verdict": "undecided"} for key, values in ahead.items()}) == []
    assert met({key: {**values, "estimate": -values["estimate"]} for key, values in ahead.items()}) == []


def test_an_answer_outside_the_ladder_is_called_so_and_other_aims_are_named(report):
    variant = report.variants[0]
    win, score = (
        {"estimate": 0.2, "low": 0.1, "high": 0.3, "verdict": verdict} for verdict in ("different", "equivalent")
    )
    keys = [(metric, report.reference) for metric in ("exploit_wins", "exploit_points")]
    responses = {goal: replace(one, spec="solid:greed=2") for goal, one in variant.responses.items()}
    planted = replace(report, variants=(replace(variant, responses=responses), *report.variants[1:]))
    (text,) = [one for one in told(planted, {keys[0]: win, keys[1]: score}) if "can be exploited" in one]
    assert "solid:greed=2 (tuned, not of the ladder), gains 20.0 pp [10.0, 30.0] of win share there." in text
    (text,) = [one for one in told(planted, {keys[0]: win, keys[1]: win}) if "can be exploited" in one]
    assert "; by points instead solid:greed=2 (tuned, not of the ladder) gains 0.20 " in text


@pytest.mark.parametrize(
    ("answer", "pieces", "sides", "words"),
    [
        ("none", [], (-1, -1), "solid does better throughout"),
        ("none", [], (1, 1), "duck does better throughout"),
        ("none", [], (1, -1), "nowhere as well"),
        ("everywhere", [(None, None)], (0, 0), "as well everywhere, as far as was seen"),
        ("at", [(-3.5, -2.5)], (-1, 1), "as well at -3 [-3.5, -2.5] (below it solid does better, above it duck)"),
        ("within", [(None, -2.0), (1.0, 2.0)], (0, 1), "as well somewhere within up to -2 or 1 to 2"),
        ("within", [(None, None)], (0, 0), "perhaps as well anywhere (undecided)"),
    ],
)
def test_where_two_strategies_do_equally_well(answer, pieces, sides, words):
    record = {"answer": answer, "pieces": pieces, "sides": list(sides), "estimate": -3.0}
    assert where(record, ("duck", "solid")) == words


@pytest.mark.parametrize(
    ("piece", "places"),
    [((-4, -3), ("below", "above")), ((-20, -12), ("above", "above")), ((-12, -3), ("within", "above"))],
)
def test_the_second_variant_is_placed_by_the_break_even(report, piece, places):
    first, second = report.variants
    broken = first.study.break_even
    frame = broken.frame.copy()
    row = frame["objective"] == "games"
    for key, value in {"answer": "at", "estimate": sum(piece) / 2}.items():
        frame.loc[row, key] = value
    frame.loc[row, "pieces"] = [[piece]]
    study = replace(first.study, break_even=replace(broken, frame=frame))
    planted = replace(report, variants=(replace(first, study=study), second))
    (text,) = [one.text for one in change_sentences(planted) if "The second variant's" in one.text]
    assert f"no_trick_penalty=-10 lies {places[0]} " in text
    assert f"the first's 0 lies {places[1]} it." in text


def test_changes_are_told_from_the_first_to_the_second(report):
    texts = [one.text for one in change_sentences(report)]
    rows = report.changes[(report.changes["metric"] == "lead") & (report.changes["verdict"] == "different")]
    assert len(rows) > 0
    for row in rows.to_dict("records"):
        assert f"{row['subject']} from {100 * row['before']:.1f} to {100 * row['after']:.1f} pp (" in texts[0]
    assert f"{(report.changes['verdict'] == 'different').sum()} of the " in texts[-1]


def test_budgets():
    assert FULL.line_ups(625) == 600_000 // 625
    assert FULL.line_ups(4) == 20_000
    assert QUICK.line_ups(2401) == 60
    for name, value in vars(QUICK).items():
        assert value < vars(FULL)[name]
    assert replace(FULL, courses=1) == Budget(courses=1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"against": {"players": 5}}, "against: players"),
        ({"against": {"no_trick_penalty": 0}}, "against: the second variant"),
        ({"against": {"no_such": 1}}, "no_such"),
        ({"reference": "dodge", "strategies": "duck,solid"}, "reference: dodge is not in the ladder"),
        ({"reference": "nobody"}, "nobody"),
        ({"study": "no_trick_penalty"}, "study: no_trick_penalty is not allowed"),
        ({"study": "stack_order=a,b"}, "study: stack_order has no numbers"),
        ({"study": "no_trick_penalty=3"}, "holds no two values"),
        ({"level": 1.5}, "level"),
        ({"strategies": "duck,duck"}, "named twice"),
        ({"players": 9}, "players"),
        ({"players": 3.5}, "rule players: 3.5"),
        ({"rules": "rounds=3"}, "rules: rounds=3 is not allowed; allowed: a mapping"),
        ({"rules": {1: 2}}, "rules: .* allowed: a mapping"),
        ({"against": [1]}, "against: .* allowed: a mapping"),
        ({"against": {"rounds": 0}}, "against: rule rounds: 0"),
        ({"strategies": 5}, "strategies: names are expected"),
        ({"strategies": ["duck", 3]}, "strategies: names are expected"),
        ({"strategies": []}, "strategies: name at least 1"),
        ({"reference": ["duck"]}, "reference: .* allowed: random, "),
        ({"study": 3}, "study: 3 is not allowed"),
        ({"study": "nose=1,2"}, "study: rule nose"),
        ({"level": "high"}, "level: high is not allowed"),
        ({"level": True}, "level: True"),
        ({"quick": "yes"}, "quick: yes is not allowed; allowed: True, False"),
        ({"progress": 1}, "progress: 1"),
        ({"budget": {"courses": 3}}, "budget: .* allowed: a Budget"),
        ({"seed": "1"}, "seed"),
        ({"seed": -1}, "seed: -1"),
        ({"threads": 1.5}, "threads: 1.5 is not allowed; allowed: an integer from 1 to 256"),
        ({"threads": True}, "threads: True"),
        ({"cache": 5}, "cache: 5"),
        ({"cache": ""}, "cache: ''"),
        ({"cache": __file__}, "cache: .* is a file"),
        ({"cache": __file__ + "/x"}, "cache: cannot write"),
        ({"cache": "a\0b"}, "cache: cannot write"),
    ],
)
def test_one_line_for_every_mistake(given, told):
    with pytest.raises(UsageError, match=told):
        sim.balance("null-nichtig", **{"budget": goldens.TINY, **given})


@pytest.mark.parametrize(
    ("amounts", "told"),
    [
        ({"courses": 0}, "budget: courses=0 is not allowed; allowed: an integer from 1"),
        ({"luck_blocks": 1.5}, "luck_blocks=1.5"),
        ({"self_games": "many"}, "self_games=many"),
        ({"decisions": True}, "decisions=True"),
        ({"rollouts": 3}, "rollouts=3 is not allowed; allowed: an even number from 2"),
        ({"draws": 99}, "draws=99 is not allowed; allowed: an integer from 100 to 100000"),
    ],
)
def test_budgets_that_cannot_be_played(amounts, told):
    with pytest.raises(UsageError, match=told):
        Budget(**amounts)


def test_numbers_of_numpy_are_numbers():
    mine = ask(
        "null-nichtig", players=np.int64(3), rules={"rounds": np.int32(2)}, seed=np.uint64(7), level=np.float64(0.9),
        quick=np.bool_(True), budget=Budget(courses=np.int64(5)),
    )  # fmt: skip
    same = ask("null-nichtig", players=3, rules={"rounds": 2}, seed=7, level=0.9, quick=True, budget=Budget(courses=5))
    assert mine == same
    assert json.dumps(mine.told) == json.dumps(same.told)


def test_bars_know_how_much_there_is(monkeypatch):
    told = {}

    @contextmanager
    def counting(player, amount):
        name = sys._getframe(2).f_code.co_name
        told[name] = [amount, 0]

        def count(blocks):
            told[name][1] += blocks

        yield count

    monkeypatch.setattr("sim.analysis.balance.variant.Player.bar", counting)
    balance("null-nichtig", players=3, strategies=["duck", "solid"], budget=goldens.TINY)
    assert set(told) >= {"selfplay", "responses", "slopes"}
    for amount, counted in told.values():
        assert 0.7 * amount <= counted <= amount


def test_kernels_are_compiled_before_the_first_stage(monkeypatch):
    calls = set()

    def noting(engine, first, last, *rest, branches=None):
        calls.add((last - first, branches is not None))
        return 0, 0

    def begins(player, stage):
        raise RunError(stage)

    monkeypatch.setattr(Engine, "_call", noting)
    monkeypatch.setattr("sim.analysis.balance.variant.Player.begins", begins)
    with pytest.raises(RunError, match="match-ups"):
        balance("null-nichtig", strategies=["duck", "solid"], budget=goldens.TINY)
    assert calls == {(0, False), (0, True)}


def test_a_tuned_copy_of_the_reference_is_no_answer():
    row = GAMES["nulla"]
    assert same(parse(row, "dp"), parse(row, "dp:memory=1"))
    assert not same(parse(row, "dp"), parse(row, "dp:memory=0.9"))
    assert not same(parse(row, "dp"), parse(row, "shift"))
