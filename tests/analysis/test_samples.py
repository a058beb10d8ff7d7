"""Sampled blocks: the numbers of a run, kept once, whatever the threads, cuts and order of the line-up."""

import numpy as np
import pytest

import sim
from sim.analysis import blocks
from sim.analysis.samples import CACHE, Naive, Series, common, joint, sample
from sim.errors import RunError, UsageError
from sim.games import GAMES
from sim.scenario import scenario
from sim.stats import Joint


def made(**values):
    return scenario(**{"game": "null-nichtig", "strategies": "dodge,random,random,random", "blocks": 1, **values})


def files(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


def same(one, other):
    return all((getattr(one, name) == getattr(other, name)).all() for name in ("x", "n", "squares", "rows"))


@pytest.mark.parametrize("game", GAMES)
def test_sums_are_those_of_a_run(game):
    one = sample(scenario(game=game, blocks=1), 50, cache=None)
    result = sim.run(game, blocks=50, record="none")
    for metric in GAMES[game].metrics:
        mine, theirs = one.series(metric.name, 0).moments(), result.summary.group(metric, slot=0)
        assert (mine.x, mine.n, mine.xx, mine.xn, mine.nn, mine.seen) == (
            theirs.x, theirs.n, theirs.xx, theirs.xn, theirs.nn, theirs.seen,
        )  # fmt: skip


def test_threads_cuts_and_the_cache_leave_no_trace(tmp_path):
    whole = sample(made(), 300, cache=None, threads=1)
    assert same(sample(made(), 300, cache=None, threads=3), whole)
    sample(made(), 50, first=100, cache=tmp_path)
    sample(made(), 120, cache=tmp_path)
    assert same(sample(made(), 300, cache=tmp_path), whole)
    before = files(tmp_path)
    assert same(sample(made(), 300, cache=tmp_path), whole)
    assert same(sample(made(), 60, first=90, cache=tmp_path), whole.cut(90, 150))
    assert files(tmp_path) == before


def test_what_is_kept_is_not_played_again(tmp_path, monkeypatch):
    sample(made(), 100, cache=tmp_path)

    def fail(*args):
        raise AssertionError("played")

    monkeypatch.setattr(blocks, "_sums", fail)
    sample(made(blocks=7, record="none", target_error=0.1), 100, cache=tmp_path)
    with pytest.raises(AssertionError):
        sample(made(seed=2), 100, cache=tmp_path)


def test_orders_of_a_line_up_share_their_blocks(tmp_path):
    one = sample(made(), 40, cache=tmp_path)
    other = sample(made(strategies="random,random,dodge,random"), 40, cache=tmp_path)
    assert len(files(tmp_path)) == 1
    assert other.labels == ("random", "dodge")
    assert (other.x[:, ::-1] == one.x).all()
    fixed = [
        sample(made(strategies=names, seatings="fixed"), 40, cache=tmp_path)
        for names in ("dodge,random,random,random", "random,dodge,random,random")
    ]
    assert (fixed[0].x[:, 0] != fixed[1].x[:, 1]).any()


DAMAGED = pytest.warns(UserWarning, match="is damaged; what it held is played anew")


def test_a_broken_or_foreign_file_is_played_anew(tmp_path):
    whole = sample(made(), 40, cache=tmp_path)
    (file,) = files(tmp_path)
    kept = file.read_bytes()
    file.write_bytes(kept[:300])
    with DAMAGED:
        assert same(sample(made(), 40, cache=tmp_path), whole)
    assert file.read_bytes() == kept
    sample(made(seed=2), 40, cache=tmp_path)
    other = next(path for path in files(tmp_path) if path != file)
    file.write_bytes(other.read_bytes())
    with DAMAGED:
        assert same(sample(made(), 40, cache=tmp_path), whole)
    file.rename(file.with_name(other.name)).write_bytes(other.read_bytes())  # whole, but of another scenario
    assert same(sample(made(), 40, cache=tmp_path), whole)


def test_no_flipped_bit_is_believed(tmp_path):
    whole = sample(made(), 40, cache=tmp_path)
    (file,) = files(tmp_path)
    kept = file.read_bytes()
    for place in range(0, len(kept), len(kept) // 60):
        spoilt = bytearray(kept)
        spoilt[place] ^= 1 << place % 8
        file.write_bytes(spoilt)
        with DAMAGED:
            assert same(sample(made(), 40, cache=tmp_path), whole)
        assert file.read_bytes() == kept


def test_an_interrupted_sample_keeps_what_was_played(tmp_path, monkeypatch):
    real = blocks._sums

    def stopping(engine, columns, first, last):
        if first >= 50:
            raise KeyboardInterrupt
        return real(engine, columns, first, last)

    with monkeypatch.context() as patch:
        patch.setattr(blocks, "_sums", stopping)
        with pytest.raises(KeyboardInterrupt):
            sample(made(), 5000, cache=tmp_path, threads=1)
    (file,) = files(tmp_path)
    assert int(file.stem.split("-")[2]) >= 50
    assert same(sample(made(), 5000, cache=tmp_path), sample(made(), 5000, cache=None))


def test_failures_are_named(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="no strategy nobody"):
        sample(made(strategies="nobody"), 1, cache=tmp_path)
    with pytest.raises(UsageError, match="threads: 0"):
        sample(made(), 1, cache=tmp_path, threads=0)
    with pytest.raises(UsageError, match="no metric nose; metrics: win_share"):
        sample(made(), 1, cache=None).series("nose")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot write"):
        sample(made(), 1, cache=tmp_path / "file")
    assert str(CACHE) == "results/cache"


def test_no_blocks():
    none = sample(made(), 0, cache=None)
    assert none.x.shape == (0, 2, len(GAMES["null-nichtig"].metrics))
    assert none.series("score").moments().ratio is None
    assert none.naive("score", 0) == Naive()
    assert Naive().variance is None


def test_common_blocks():
    one, other = sample(made(), 30, cache=None), sample(made(), 30, first=20, cache=None)
    cut = common(one, other)
    assert [(part.first, part.blocks) for part in cut] == [(20, 10), (20, 10)]
    assert same(*cut)
    apart = common(one, sample(made(), 5, first=40, cache=None))
    assert [part.blocks for part in apart] == [0, 0]


def test_naive_variance_is_that_of_single_games():
    result = sim.run("null-nichtig", strategies="dodge,random,random,random", blocks=200)
    rows = result.to_pandas()
    one = sample(made(), 200, cache=None)
    for slot, label in enumerate(one.labels):
        for name, column in (("score", "score"), ("score_per_round", "score"), ("win_share", "win_share")):
            values = rows.loc[rows["strategy"] == label, column] / (4 if name == "score_per_round" else 1)
            expected = values.var() / len(values)
            assert one.naive(name, slot).variance == pytest.approx(expected, rel=1e-5)
    halves = one.cut(0, 50).naive("score", 0) + one.cut(50, 200).naive("score", 0)
    assert halves.variance == pytest.approx(one.naive("score", 0).variance)
    varying = sample(made(rules={"target": 60}), 50, cache=None)
    assert varying.naive("score_per_round", 0) is None
    assert varying.naive("score", 0) is not None


@pytest.mark.parametrize("size", [100, 2**40])
def test_joint_is_exact(size):
    rng = np.random.default_rng(1)
    series = [Series(rng.integers(-size, size, 50), rng.integers(0, 5, 50), scale) for scale in (1, 60, 7)]
    mine, pairs = joint(series)
    columns = [column for one in series for column in (one.x, one.n)]
    assert mine == Joint.from_blocks(columns, [1, 1, 60, 1, 7, 1])
    assert pairs == [(0, 1), (2, 3), (4, 5)]
    with pytest.raises(ValueError, match="equally long"):
        joint([series[0], Series(np.zeros(3, int), np.ones(3, int))])
