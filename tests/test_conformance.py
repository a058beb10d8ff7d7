"""What every game must keep, with every strategy: the referee agrees with the kernel, move by move and in the rows."""

import importlib.util
import json
from pathlib import Path

import pytest

from sim.engine import Engine
from sim.games import GAMES
from sim.play import play
from sim.scenario import scenario
from sim.strategies import covers, table
from sim.transcript import check, record, result_of

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("goldens", HERE.parent / "scripts" / "goldens.py")
goldens = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(goldens)


def whole(game):
    return [row.name for row in table(game) if all(covers(row, part) for part in range(len(game.parts)))]


CASES = [(game, name) for game in GAMES for name in whole(GAMES[game])]


@pytest.mark.parametrize(("game", "strategy"), CASES)
def test_the_referee_agrees_with_the_kernel(tmp_path, game, strategy):
    row = GAMES[game]
    for seats in row.seats:
        line_up = [strategy, *[whole(row)[0]] * (seats - 1)]
        wanted = scenario(game=game, rules={"players": seats}, strategies=line_up, blocks=3, seed=seats)
        rows = play(wanted, tmp_path / str(seats)).to_pandas()
        engine = Engine(wanted)
        for block in range(wanted.blocks):
            for seating in range(engine.games_per_block):
                data, stopped = record(engine, block, seating)
                assert stopped is None
                _, judged = check(json.loads(json.dumps(data)))
                mine = rows[(rows["block"] == block) & (rows["seating"] == seating)].sort_values("seat")
                assert judged.totals == mine["score"].tolist() or game == "norwegian-null"
                assert judged.truncated == bool(mine["truncated"].iloc[0])
                assert judged.winners == mine.loc[mine["win_share"] > 0, "seat"].tolist()
                assert len(data["rounds"]) == mine["rounds"].iloc[0]
                if judged.losers is not None:
                    assert judged.losers == mine.loc[mine["lost"], "seat"].tolist()
                assert mine["win_share"].sum() == pytest.approx(1 if judged.winners else 0) or game == "skat-null"


@pytest.mark.parametrize("game", GAMES)
def test_golden_transcripts(game):
    expected = (HERE / "goldens" / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()
    found = goldens.golden(game)
    assert len(found) == len(expected)
    for mine, golden in zip(found, expected, strict=True):
        assert json.loads(mine) == json.loads(golden)
    for golden in expected:
        data = json.loads(golden)
        _, judged = check(data)
        assert result_of(judged) == data["result"]
