"""Result folders that are damaged, mixed up or made by hand: named in one line, and never counted."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sim
from sim import loading, store
from sim.errors import UsageError
from sim.report.document import of_result
from sim.report.run_figures import score_counts

pytestmark = pytest.mark.slow

LINE_UP = ["dodge", "random", "random", "random"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Finished runs of three parts each, by name."""
    home = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "PART_ROWS", 160)  # of 16 a block
        for name, more in {
            "games": {},
            "seed": {"seed": 2},
            "longer": {"blocks": 45},
            "rounds": {"record": "rounds"},
            "none": {"record": "none"},
        }.items():
            sim.run("null-nichtig", strategies=LINE_UP, out=home / name, **{"blocks": 25, **more})
    return home


@pytest.fixture
def folder(made, tmp_path):
    """A copy of one of them to damage."""

    def copied(name):
        shutil.copytree(made / name, tmp_path / name)
        return tmp_path / name

    return copied


def read_all(path):
    """All that reads a result folder."""
    result = sim.load(path)
    of_result(result, [["strategy"], ["led_first"]])
    score_counts(result)
    result.to_pandas("rounds" if result.scenario.record == "rounds" else "games")


WRONG = {
    "seatings": [[[0, 1]], "x", [[0, 0, 0, 0]] * 4, [1], None],
    "design": ["rotate", 3],
    "blocks_done": [-5, 24, 26, 1.5, True, "25", None],
    "games": [-1, 99, 1e3, None],
    "truncated": [-1, 1, 101, "0"],
    "passed": [-1, 1, 101, []],
    "status": ["bogus", 1, None],
    "wall_seconds": [-1.0, float("nan"), "1"],
    "parts": [0, "10", 9],
    "kernels": [3, "other"],
    "nullsim": [None],
    "game_version": ["1"],
    "files": [[], {"x": 1}],
    "target_error_reached": ["yes"],
    "scenario": [[], {}, 3],
}


@pytest.mark.parametrize("key", WRONG)
def test_every_field_of_run_json_is_checked(folder, key):
    path = folder("games")
    info = json.loads((path / "run.json").read_text())
    for value in WRONG[key]:
        (path / "run.json").write_text(json.dumps({**info, key: value}))
        with pytest.raises(UsageError) as told:
            sim.load(path)
        assert len(str(told.value).splitlines()) == 1
        assert key in str(told.value)
    if key != "target_error_reached":
        del info[key]
        (path / "run.json").write_text(json.dumps(info))
        with pytest.raises(UsageError, match=rf"run\.json is broken: {key}: field required"):
            sim.load(path)


@pytest.mark.parametrize("content", ["[]", "{", "", "[" * 100_000, '{"format": 1}'])
def test_what_is_no_run_json_is_named(folder, content):
    path = folder("games")
    (path / "run.json").write_text(content)
    with pytest.raises(UsageError, match=r"run\.json"):
        sim.load(path)


def test_a_scenario_that_cannot_be_played_is_named(folder):
    path = folder("games")
    info = json.loads((path / "run.json").read_text())
    for key, value in [("game", []), ("strategies", 3), ("seed", "x"), ("rules", {"rounds": []}), ("blocks", 0)]:
        (path / "run.json").write_text(json.dumps({**info, "scenario": {**info["scenario"], key: value}}))
        with pytest.raises(UsageError, match=rf"run\.json is broken: scenario: .*{key[:4]}"):
            sim.load(path)


def part(path, number, kind="games"):
    return path / kind / f"part-{number:06d}.parquet"


@pytest.mark.parametrize(
    ("name", "target", "told"),
    [
        ("games", 1, "blocks 0 to 10, which are not those of its number"),  # under another number
        ("games", 7, "blocks 0 to 10, which are not those of its number"),
        ("seed", 1, "of another run: it was played with another seed"),
        ("rounds", 0, "of another run: it was played with another record"),
    ],
)
def test_a_part_in_another_place_is_not_counted(made, folder, name, target, told):
    path = folder("games")
    shutil.copy(part(made / name, 0 if name == "games" else target), part(path, target))
    with pytest.raises(UsageError, match=rf"part-00000{target}\.parquet is .*{told}"):
        sim.load(path)


def test_a_part_of_a_longer_run_is_not_counted(made, folder):
    path = folder("games")
    shutil.copy(part(made / "longer", 3), part(path, 3))
    with pytest.raises(UsageError, match="blocks 30 to 40, which are not those of its number"):
        sim.load(path)


@pytest.mark.parametrize("name", ["part-000001 (copy).parquet", "part-0000001.parquet", "part-1.parquet"])
def test_a_copy_of_a_part_is_not_counted_twice(folder, name):
    path = folder("games")
    shutil.copy(part(path, 1), path / "games" / name)
    with pytest.raises(UsageError, match="is no part of the run; move it elsewhere"):
        sim.load(path)


def test_rows_of_other_blocks_are_not_taken_for_a_parts(folder):
    path = folder("games")
    metadata = store.read_metadata(part(path, 1))
    for rows in (pq.read_table(part(path, 0)), pq.read_table(part(path, 1)).slice(16)):
        store.write_parquet(rows, part(path, 1), metadata)
        with pytest.raises(UsageError, match=r"part-000001\.parquet is broken: it does not hold the games of its bl"):
            sim.load(path)


@pytest.mark.parametrize("change", [{"blocks": 9}, {"games": 1}, {"games": "x"}, {"truncated": -1}, {"products": [[]]}])
def test_sums_that_are_not_those_of_the_part_are_named(folder, change):
    path = folder("games")
    metadata = store.read_metadata(part(path, 1))
    metadata["sums"].update(change)
    store.write_parquet(pq.read_table(part(path, 1)), part(path, 1), metadata)
    with pytest.raises(UsageError, match=r"part-000001\.parquet is broken: it does not hold the (sums|games) of its"):
        sim.load(path)


def test_a_flipped_bit_is_found(folder):
    """In the sums, which are in the footer; and in the rows, whose pages have checksums."""
    path = folder("games")
    file = part(path, 1)
    whole = file.read_bytes()
    sums = whole.index(b'"moments":[[[') + len(b'"moments":[[[') + 1
    file.write_bytes(whole[:sums] + bytes([whole[sums] ^ 1]) + whole[sums + 1 :])
    with pytest.raises(UsageError, match=r"part-000001\.parquet is broken: its metadata is not what was written"):
        read_all(path)
    file.write_bytes(whole)
    rows, told = sim.load(path).to_pandas(), []
    for place in range(4, whole.index(b"nullsim"), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            assert sim.load(path).to_pandas().equals(rows)  # what says nothing, such as an unused statistic
        except UsageError as error:
            told.append(str(error))
    assert len(told) > 10
    assert all("part-000001.parquet is broken" in line for line in told)


def test_a_damaged_part_is_named_whatever_is_asked_of_it(folder):
    path = folder("games")
    result, file = sim.load(path), part(path, 1)
    whole = file.read_bytes()
    for damaged in (whole[:500], b"", whole[:100] + bytes(2000) + whole[2100:]):
        file.write_bytes(damaged)
        for ask in (result.to_pandas, lambda: result.metrics(by=("led_first",)), lambda: read_all(path)):
            with pytest.raises(UsageError, match=r"part-000001\.parquet is broken"):
                ask()
    pq.write_table(pa.table({"block": [1]}), file)
    with pytest.raises(UsageError, match=r"part-000001\.parquet is broken: there is no column led_first"):
        result.metrics(by=("led_first",))


def test_what_cannot_be_grouped_by_is_refused(made):
    result = sim.load(made / "games")
    for by in (["block"], ["strategy", "block"], ["nose"], ["win60"]):
        with pytest.raises(
            UsageError, match=r"by: (block|nose|win60) is not allowed; allowed: seating, seat, strategy, "
        ):
            result.metrics(by=by)
    for name in store.stored_columns(result.scenario.row):
        if name != "block":
            assert len(result.metrics(by=[name]))
    with pytest.raises(UsageError, match="columns: nose is not allowed; allowed: block"):
        result.to_pandas(columns=["nose"])


def test_a_folder_without_anything_that_was_played_is_broken(folder):
    path = folder("games")
    shutil.rmtree(path / "games")
    with pytest.raises(UsageError, match="nothing is left of the 25 blocks that were played"):
        sim.load(path)
    path = folder("none")
    (path / "summary.parquet").unlink()
    with pytest.raises(UsageError, match="nothing is left of the 25 blocks that were played"):
        sim.load(path)


def test_sums_alone_must_be_those_of_the_run(made, folder):
    path = folder("none")
    info = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps({**info, "blocks_done": 20, "games": 80}))
    with pytest.raises(UsageError, match=r"summary\.parquet is broken: it holds 25 blocks, 20 were played"):
        sim.load(path)
    info["scenario"]["seed"] = 2
    (path / "run.json").write_text(json.dumps(info))
    with pytest.raises(UsageError, match=r"summary\.parquet is of another run: it was played with another seed"):
        sim.load(path)


def test_rounds_go_with_games(made, folder):
    path = folder("rounds")
    read_all(path)
    games = len(sim.load(path).to_pandas("rounds"))
    shutil.copy(
        part(path, 0, "rounds"), part(path, 9, "rounds")
    )  # of a run that was killed before its games were there
    assert len(sim.load(path).to_pandas("rounds")) == games
    shutil.copy(part(path, 0, "rounds"), part(path, 1, "rounds"))
    with pytest.raises(UsageError, match=r"rounds/part-000001\.parquet is broken"):
        sim.load(path)
    part(path, 1, "rounds").unlink()
    with pytest.raises(UsageError, match=r"rounds/part-000001\.parquet is missing"):
        sim.load(path)


def test_folders_from_before_there_were_digests_load(folder):
    path = folder("games")
    for number in range(3):
        table = pq.read_table(part(path, number))
        del table.schema.metadata[store.DIGEST]
        kept = {key: value for key, value in table.schema.metadata.items() if key != store.DIGEST}
        pq.write_table(table.replace_schema_metadata(kept), part(path, number))
    assert sim.load(path).summary.blocks == 25
    read_all(path)


def test_what_a_killed_run_was_writing_is_cleared_by_the_next(folder, monkeypatch):
    monkeypatch.setattr(store, "PART_ROWS", 160)
    path = folder("games")
    left = [path / ".run.json.1.tmp", path / "games" / ".part-000003.parquet.1.tmp"]
    for file in left:
        file.write_bytes(b"half")
    read_all(path)
    assert all(file.exists() for file in left)
    sim.run("null-nichtig", strategies=LINE_UP, blocks=45, out=path, resume=True)
    assert not any(file.exists() for file in left)
    assert sim.load(path).summary.blocks == 45


def test_a_run_is_not_resumed_to_fewer_blocks(folder, monkeypatch):
    monkeypatch.setattr(store, "PART_ROWS", 160)
    for name in ("games", "none"):
        path = folder(name)
        before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
        with pytest.raises(UsageError, match=r"resume: .* holds 25 blocks, which is more than blocks=12"):
            sim.run("null-nichtig", strategies=LINE_UP, blocks=12, record=name, out=path, resume=True)
        assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def test_a_run_being_made_longer_says_so_from_the_start(folder, monkeypatch):
    """Or else its new parts would be taken for those of another run, were it killed."""
    monkeypatch.setattr(store, "PART_ROWS", 160)
    path = folder("games")
    real = store.Folder.write_part

    def killed(self, number, chunk, summary):
        real(self, number, chunk, summary)
        copied = path.parent / "killed"
        if number == 3:
            shutil.copytree(path, copied)

    monkeypatch.setattr(store.Folder, "write_part", killed)
    sim.run("null-nichtig", strategies=LINE_UP, blocks=45, out=path, resume=True, threads=1)
    result = sim.load(path.parent / "killed")
    assert (result.info["status"], result.scenario.blocks) == ("running", 45)
    assert result.summary.blocks == 40


def test_info_has_the_fields_that_are_written(made):
    written = json.loads((made / "games" / "run.json").read_text())
    assert {*written, "target_error_reached"} == set(loading.Info.model_fields)
    assert set(store.PROVENANCE) <= set(written)
