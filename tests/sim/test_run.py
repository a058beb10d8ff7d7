"""Runs: the same bytes whatever the threads and chunks; parts, interruption, resumption, sums."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import sim
from sim import runner, store
from sim.engine import Engine
from sim.errors import RunError, UsageError
from sim.games import GAMES
from sim.play import play
from sim.scenario import scenario


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(store, "PART_ROWS", 640)


def made(**values):
    values = {"game": "null-nichtig", "strategies": "dodge,random,random,random", "blocks": 100, **values}
    return scenario(**values)


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "run.json"
    }


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("record", ["games", "rounds", "none"])
def test_threads_and_chunks_leave_no_trace(tmp_path, game, record):
    wanted = scenario(game=game, blocks=100, record=record)
    seen = []
    for k, (threads, chunk) in enumerate([(1, None), (2, 7), (5, 1), (2, 100)]):
        play(wanted, tmp_path / str(k), threads=threads, chunk_blocks=chunk)
        seen.append(contents(tmp_path / str(k)))
    assert seen[0]
    assert all(other == seen[0] for other in seen[1:])


@pytest.mark.parametrize("game", GAMES)
def test_rows_have_the_promised_columns(tmp_path, game):
    rows = play(scenario(game=game, blocks=20), tmp_path / "r").to_pandas()
    seats = rows["seat"].nunique()
    common = [
        "block",
        "seating",
        "seat",
        "strategy",
        "team",
        "score",
        "tricks",
        "trickless_rounds",
        "rank",
        "win_share",
        "lost",
        "rounds",
        "truncated",
    ]
    assert set(common) <= set(rows.columns)
    kinds = {
        "block": "int64",
        "seating": "int16",
        "seat": "int8",
        "team": "int8",
        "score": "int32",
        "tricks": "int16",
        "trickless_rounds": "int16",
        "rank": "int8",
        "win_share": "float32",
        "lost": "bool",
        "rounds": "int16",
        "truncated": "bool",
    }
    assert {key: str(rows[key].dtype) for key in kinds} == kinds
    assert len(rows) == 20 * seats
    assert rows.groupby(["block", "seating"])["rank"].min().eq(1).all() or game == "skat-null"


@pytest.mark.parametrize("game", GAMES)
def test_sums_are_those_of_the_rows(tmp_path, game):
    result = play(scenario(game=game, blocks=200), tmp_path / "r")
    rows = result.to_pandas()
    by_seat = result.metrics(by=("seat",), names=("win_share",)).set_index("seat")["estimate"]
    assert np.allclose(by_seat, rows.groupby("seat")["win_share"].mean(), atol=1e-6)


def test_estimates_and_intervals_are_those_of_block_means(tmp_path):
    result = play(made(blocks=300), tmp_path / "r")
    rows = result.to_pandas()
    table = result.metrics(names=("score",)).set_index("strategy")
    for label in ("dodge", "random"):
        means = rows[rows["strategy"] == label].groupby("block")["score"].mean()
        assert table.loc[label, "estimate"] == pytest.approx(means.mean())
        from scipy import stats

        half = stats.t.ppf(0.975, len(means) - 1) * means.std(ddof=1) / np.sqrt(len(means))
        assert table.loc[label, "high"] - table.loc[label, "estimate"] == pytest.approx(half)


def test_edges_are_paired_by_block(tmp_path):
    result = play(made(blocks=300), tmp_path / "r")
    rows = result.to_pandas()
    mine = rows[rows["strategy"] == "dodge"].groupby("block")["score"].mean()
    others = rows[rows["strategy"] != "dodge"].groupby("block")["score"].mean()
    difference = mine - others
    edge = result.edges().query("strategy == 'dodge' and metric == 'score'").iloc[0]
    assert edge["estimate"] == pytest.approx(difference.mean())
    assert (edge["high"] - edge["low"]) / 2 == pytest.approx(1.96 * difference.std(ddof=1) / np.sqrt(300), rel=0.01)


def test_grouping_by_rows_agrees_with_grouping_by_sums(tmp_path):
    result = play(made(blocks=300), tmp_path / "r")
    from_rows = result.metrics(by=("strategy", "rank"), names=("win_share",))
    first = from_rows[from_rows["rank"] == 1]
    assert (first["estimate"] > 0).all()
    by_team = result.metrics(by=("team",), names=("score",))
    by_seat = result.metrics(by=("seat",), names=("score",))
    for column in ("estimate", "low", "high", "n", "blocks"):
        assert np.allclose(by_team[column], by_seat[column])


def test_unknown_columns_and_metrics_are_named(tmp_path):
    result = play(made(), tmp_path / "r")
    with pytest.raises(UsageError, match="by: nose is not allowed; allowed: seating"):
        result.metrics(by=("nose",))
    with pytest.raises(UsageError, match="no metric nose; metrics: win_share"):
        result.metrics(names=("nose",))
    none = play(made(record="none"), tmp_path / "n")
    with pytest.raises(UsageError, match="needs rows"):
        none.metrics(by=("team",))
    with pytest.raises(UsageError, match="record=none"):
        none.to_pandas()


def test_every_way_to_record_gives_the_same_sums(tmp_path):
    tables = [
        play(made(record=record), tmp_path / record).metrics(by=("strategy", "seat"))
        for record in ("games", "rounds", "none")
    ]
    pd.testing.assert_frame_equal(tables[0], tables[1])
    pd.testing.assert_frame_equal(tables[0], tables[2])


def test_rounds_add_up_to_games(tmp_path):
    result = play(made(record="rounds", rules={"target": 60, "no_trick_penalty": -10}), tmp_path / "r")
    games, rounds = result.to_pandas(), result.to_pandas("rounds")
    keys = ["block", "seating", "seat"]
    summed = rounds.groupby(keys)[["score", "tricks", "base_score"]].sum()
    merged = games.set_index(keys).sort_index()
    assert (summed["score"] == merged["score"]).all()
    assert (summed["tricks"] == merged["tricks"]).all()
    assert (summed["base_score"] == merged["base_score"]).all()
    assert (rounds.groupby(keys).size() == merged["rounds"]).all()
    assert (rounds.groupby(keys)["round"].max() == merged["rounds"] - 1).all()


def test_longer_runs_begin_with_the_same_games(tmp_path):
    short = play(made(blocks=30), tmp_path / "a").to_pandas()
    long = play(made(blocks=60), tmp_path / "b").to_pandas()
    pd.testing.assert_frame_equal(short, long[long["block"] < 30])


def test_seeds_differ(tmp_path):
    one, two = (play(made(seed=seed), tmp_path / str(seed)).to_pandas()["score"] for seed in (1, 2))
    assert (one != two).any()


def test_an_existing_folder_is_not_touched(tmp_path):
    play(made(), tmp_path / "r")
    before = contents(tmp_path / "r")
    with pytest.raises(UsageError, match="exists"):
        play(made(seed=2), tmp_path / "r")
    assert contents(tmp_path / "r") == before
    play(made(seed=2), tmp_path / "r", overwrite=True)
    assert contents(tmp_path / "r") != before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious").write_text("x")
    with pytest.raises(UsageError, match="no result folder"):
        play(made(), tmp_path / "other", overwrite=True)
    assert (tmp_path / "other" / "precious").exists()


def test_overwriting_keeps_the_old_run_until_the_new_one_has_something(tmp_path, monkeypatch):
    play(made(), tmp_path / "r")
    before = contents(tmp_path / "r")
    with monkeypatch.context() as patch:
        patch.setattr(runner._Run, "_task", lambda self, first, last: (_ for _ in ()).throw(RunError("stopped")))
        with pytest.raises(RunError, match="stopped"):
            play(made(seed=2), tmp_path / "r", overwrite=True)
    assert contents(tmp_path / "r") == before
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_missing_parts_are_told(tmp_path):
    from sim.report.document import of_result

    play(made(), tmp_path / "r")
    (tmp_path / "r" / "games" / "part-000001.parquet").unlink()
    document = of_result(sim.load(tmp_path / "r"), [["strategy"]])
    assert any("parts are missing: 60 of the 100 blocks" in note for note in document.notes)


def interrupt_after(monkeypatch, parts):
    """Makes Ctrl-C arrive once `parts` parts are written."""
    real, seen = store.Folder.write_part, []

    def write_part(self, number, chunk, sums):
        real(self, number, chunk, sums)
        seen.append(number)

    def settle(self, allowed):
        while self.writing:
            self.summary.merge(self.writing.popleft().result())
        if len(seen) >= parts:
            raise KeyboardInterrupt

    monkeypatch.setattr(store.Folder, "write_part", write_part)
    monkeypatch.setattr(runner._Run, "_settle", settle)


def test_an_interrupted_run_keeps_whole_parts_and_resumes_to_the_same_bytes(tmp_path, monkeypatch):
    play(made(), tmp_path / "whole")
    with monkeypatch.context() as patch:
        interrupt_after(patch, 1)
        with pytest.raises(runner.Interrupted):
            play(made(), tmp_path / "cut", chunk_blocks=10)
    info = json.loads((tmp_path / "cut" / "run.json").read_text())
    assert info["status"] == "interrupted"
    assert 0 < info["blocks_done"] < 100
    assert sim.load(tmp_path / "cut").summary.blocks == info["blocks_done"]
    play(made(), tmp_path / "cut", resume=True)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert sim.load(tmp_path / "cut").info["status"] == "done"


def test_a_lost_part_is_played_again(tmp_path):
    play(made(), tmp_path / "a")
    whole = contents(tmp_path / "a")
    (tmp_path / "a" / "games" / "part-000001.parquet").unlink()
    play(made(), tmp_path / "a", resume=True)
    assert contents(tmp_path / "a") == whole


def test_resuming_another_scenario_is_refused(tmp_path):
    play(made(), tmp_path / "a")
    with pytest.raises(UsageError, match="another seed"):
        play(made(seed=3), tmp_path / "a", resume=True)


def test_a_finished_run_can_be_made_longer(tmp_path):
    play(made(blocks=40), tmp_path / "a")
    play(made(blocks=100), tmp_path / "a", resume=True)
    play(made(blocks=100), tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_full_disk_fails_in_one_line_and_leaves_whole_parts(tmp_path, monkeypatch):
    real, count = store.pq.write_table, []

    def write_table(table, path, **more):
        count.append(path)
        if len(count) > 2:
            raise OSError(28, "No space left on device")
        real(table, path, **more)

    monkeypatch.setattr(store.pq, "write_table", write_table)
    with pytest.raises(RunError, match="No space left on device"):
        play(made(), tmp_path / "r", threads=1)
    files = sorted(path.name for path in (tmp_path / "r" / "games").iterdir())
    assert files == ["part-000000.parquet", "part-000001.parquet"]
    assert json.loads((tmp_path / "r" / "run.json").read_text())["status"] == "failed"


@pytest.mark.parametrize("damage", ["truncate", "foreign", "no_run", "bad_run"])
def test_broken_folders_are_named(tmp_path, damage):
    folder = tmp_path / "r"
    play(made(), folder)
    part = folder / "games" / "part-000000.parquet"
    if damage == "truncate":
        part.write_bytes(part.read_bytes()[:500])
    elif damage == "foreign":
        pd.DataFrame({"a": [1]}).to_parquet(part)
    elif damage == "no_run":
        (folder / "run.json").unlink()
    else:
        (folder / "run.json").write_text("{")
    with pytest.raises(UsageError, match=r"broken|not written by nullsim|no result folder"):
        sim.load(folder)


def test_scores_too_large_for_a_column_stop_the_run():
    with pytest.raises(RunError, match="does not fit"):
        sim.run(
            "null-nichtig",
            strategies="random",
            rules={"target": 10000, "max_rounds": 40000, "no_trick_penalty": -1000},
            blocks=2,
        )


def test_large_sums_are_exact(tmp_path):
    result = play(made(strategies="dodge", rules={"rounds": 1000, "no_trick_penalty": -1000}, blocks=3), tmp_path / "r")
    rows = result.to_pandas()
    joint = result.summary.group(GAMES["null-nichtig"].metrics[1], slot=0)
    sums = rows.groupby("block")["score"].sum().astype(object)
    assert joint.xx == sum(value * value for value in sums)


def test_temporary_results_go_with_the_result():
    result = sim.run("null-nichtig", blocks=5)
    path = result.path
    assert path.exists()
    del result
    assert not path.exists()


def test_a_copied_folder_loads(tmp_path):
    play(made(), tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    pd.testing.assert_frame_equal(sim.load(tmp_path / "a").win_shares(), sim.load(tmp_path / "b").win_shares())


def test_engine_is_a_pure_function_of_the_block():
    engine = Engine(made())
    whole, part = engine.play(0, 20), engine.play(13, 14)
    rows = engine.rows_per_block
    assert (whole.games[:, 13 * rows : 14 * rows] == part.games).all()
