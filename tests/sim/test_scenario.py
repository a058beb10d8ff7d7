"""Every way into a scenario ends in the same object, and every mistake is named with its key."""

import pytest

from sim.errors import UsageError
from sim.scenario import read_toml, scenario


def test_defaults():
    made = scenario(game="null-nichtig")
    assert made.strategies == ("random",) * 4
    assert made.blocks == 10_000
    assert (made.seed, made.seatings, made.record) == (1, "orbit", "games")
    assert made.rules["rounds"] == 4


def test_text_and_values_make_the_same_scenario():
    text = scenario(
        game="null-nichtig",
        players="5",
        rules={"no_trick_penalty": "-10"},
        strategies="dodge,random,random,random,random",
    )
    typed = scenario(
        game="null-nichtig",
        rules={"players": 5, "no_trick_penalty": -10},
        strategies=["dodge", *["random"] * 4],
    )
    assert text == typed


def test_games_are_rounded_up_to_whole_blocks():
    made = scenario(game="null-nichtig", strategies="dodge,random,random,random", games=10)
    assert made.blocks == 3  # four arrangements a block


def test_toml(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text('game = "null-nichtig"\nblocks = 7\n[rules]\nteams = "2x2"\n')
    assert scenario(**read_toml(file)).rules["teams"] == "2x2"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"game": "bridge"}, ("game", "null-nichtig")),
        ({"game": "null-nichtig", "players": 2}, ("players", "3, 4, 5, 6")),
        ({"game": "null-nichtig", "players": 7}, ("players", "5, 6")),
        ({"game": "null-nichtig", "players": 3, "rules": {"players": 4}}, ("players", "among the rules")),
        ({"game": "null-nichtig", "rules": {"penalty": 1}}, ("penalty", "no_trick_penalty")),
        ({"game": "null-nichtig", "rules": {"no_trick_penalty": 1001}}, ("no_trick_penalty", "-1000 to 1000")),
        ({"game": "null-nichtig", "rules": {"teams": "3x2"}}, ("teams", "2x2")),
        ({"game": "null-nichtig", "rules": 5}, ("rules",)),
        ({"game": "null-nichtig", "blocks": 0}, ("blocks", "from 1")),
        ({"game": "null-nichtig", "blocks": 1.5}, ("blocks", "integer")),
        ({"game": "null-nichtig", "blocks": "5"}, ("blocks", "integer")),
        ({"game": "null-nichtig", "games": 0}, ("games", "from 1")),
        ({"game": "null-nichtig", "games": 5, "blocks": 5}, ("games", "blocks")),
        ({"game": "null-nichtig", "target_error": True}, ("target_error", "above 0")),
        ({"game": "null-nichtig", "seed": -1}, ("seed", "from 0")),
        ({"game": "null-nichtig", "seed": 2**64}, ("seed", str(2**64 - 1))),
        ({"game": "null-nichtig", "seatings": "all"}, ("seatings", "rotate")),
        ({"game": "null-nichtig", "seatings": "all", "games": 5}, ("seatings", "rotate")),
        ({"game": "null-nichtig", "record": "all"}, ("record", "rounds")),
        ({"game": "null-nichtig", "block": 4}, ("block", "blocks")),
        ({"game": "null-nichtig", "strategies": "dodge,random"}, ("strategies", "4 players")),
        ({"game": "null-nichtig", "strategies": [1, 2, 3, 4]}, ("strategies", "names")),
    ],
)
def test_mistakes_are_named(values, words):
    with pytest.raises(UsageError) as caught:
        scenario(**values)
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text


@pytest.mark.parametrize("content", [b"game = ", b"\xff\xfe", None])
def test_broken_files_are_named(tmp_path, content):
    file = tmp_path / "s.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=r"s\.toml"):
        read_toml(file)
