"""What the built-in strategies of Null & Nichtig do with a view."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.null_nichtig import greedy, solid
from kernels.null_nichtig.referee import collect, stacked
from kernels.null_nichtig.rules import COLOURS, complete, encode
from kernels.null_nichtig.state import LAY, PLAY, VIEW, set_rules
from kernels.null_nichtig.transcript import card_name
from tests.kernels.null_nichtig.interpreted import as_set, cards_of, choice
from tests.kernels.playing import near, play, rotations

PACK = [*range(60), *range(5)]
EMPTY = 0x3F3F3F3F3F3F3F3F


def cards(text: str) -> list[int]:
    """Cards by name."""
    return [5 * int(name[1:]) + COLOURS.index(name[0]) for name in text.split()]


def line(text: str) -> int:
    """A sequence of cards as a word."""
    return int.from_bytes(bytes(cards(text)).ljust(8, b"\x3f"), "little")


def tops(text: str) -> int:
    """Tops of piles as a word."""
    return sum(int(name[1:]) << 8 * COLOURS.index(name[0]) for name in text.split())


def view(hand: str, trick: str | None = None, seat: int = 0, **fields: Any) -> Any:
    """A view to play to `trick`, or to lay starters (None). `piles` are texts by seat; other options are rules."""
    names = set(VIEW.names or ())
    piles, laid, number = fields.pop("piles", {}), fields.pop("laid", ""), fields.pop("number", 0)
    taken = fields.pop("taken", {})
    rules = complete({name: value for name, value in fields.items() if name in names})
    views: Any = np.zeros(2, VIEW).view(np.recarray)
    set_rules.py_func(views[0], encode(rules))
    views["hand"][0], views["twins"][0] = as_set(cards(hand))
    views["seat"][0] = seat
    views["cards"][0], views["laid"][0] = line(trick or ""), line(laid)
    views["starters"][0] = EMPTY
    views["phase"][0] = LAY if trick is None else PLAY
    played = cards(trick or "")
    views["position"][0] = len(played if trick is not None else cards(laid))
    views["leader"][0] = (seat - len(played)) % rules["players"]
    views["strongest"][0] = max((card // 5 * 8 + 7 - i for i, card in enumerate(played)), default=-1)
    views["trick"][0] = number
    for owner, text in piles.items():
        views["tops"][0, owner] = tops(text)
    for owner, count in taken.items():
        views["taken"][0, owner] = count
    views["lots"][0, seat] = (1, 2, 3, 1)
    return views


def answer(name: str, views: Any, **params: float) -> str:
    return card_name(choice(views, name, **params))


# --- random and dodge


@pytest.mark.parametrize("phase", [LAY, PLAY])
def test_random_takes_every_card_alike(phase: int) -> None:
    """Both of two equal zeros, too."""
    views = view("B0 B0 G0 Y0 Y0 R7 Y11")
    views["phase"][0] = phase
    counts = Counter(answer("random", views) for _ in range(7000))
    assert set(counts) == {"B0", "G0", "Y0", "R7", "Y11"}
    for name, count in counts.items():
        share = 2000 if name in ("B0", "Y0") else 1000
        assert abs(count - share) < 5 * share**0.5


@pytest.mark.parametrize("name", ["dodge", "duck"])
def test_starters_of_those_who_dodge(name: str) -> None:
    hand = "B11 B10 G9 P9 R3 Y0"
    assert answer(name, view(hand)) == "B11"
    assert answer(name, view("B10 G9 P9 R3 Y0", laid="B11")) == "P9"  # of equals the last colour
    assert answer(name, view("B10 G9 R3 Y0", laid="B11 P9")) == "G9"
    assert answer(name, view("B9 B10 P8", laid="B11 P9")) == "B10"  # no other colour is left


def test_dodge_plays_its_lowest() -> None:
    assert answer("dodge", view("G3 P3 Y4 B11", "")) == "G3"
    assert answer("dodge", view("Y0 Y0 B1", "R9 B2")) == "Y0"


def test_duck_plays_its_highest_loser() -> None:
    assert answer("duck", view("B3 P7 Y8 R11", "G8 B1")) == "Y8"  # of equal numbers the first played wins
    assert answer("duck", view("P9 R11", "G8 B1")) == "P9"
    assert answer("duck", view("B3 P7 R11", "")) == "B3"


# --- solid


def test_solid_keeps_its_eleven() -> None:
    assert answer("solid", view("B11 G10 P10 R3 Y0")) == "P10"
    assert answer("solid", view("B11 G10 R3 Y0", laid="P10")) == "G10"
    assert answer("solid", view("B11 P9 G9", laid="P10 G10")) == "B11"  # nothing else in a fresh colour
    assert answer("solid", view("R11 R10 P9 G9", laid="P10 G10")) == "R10"


def test_solid_sheds_its_highest_loser() -> None:
    assert answer("solid", view("B0 G4 R7 Y11", "P9 P1 B3", piles={0: "B10 G10 P10"})) == "R7"


def test_solid_poisons_the_winner() -> None:
    """Of equal ranks the one that covers a high top; with spite, even one that is worth keeping."""
    piles = {1: "G11 R1", 0: "B10 P9 Y9"}
    assert answer("solid", view("G2 R2 B11", "P9 Y1 B3", piles=piles)) == "G2"
    assert answer("solid", view("G0 R8 B11", "P9 Y1 B3", piles=piles)) == "R8"
    assert answer("solid", view("G0 R8 B11", "P9 Y1 B3", piles=piles), spite=3) == "G0"
    # what is covered by cards stacked later harms nobody: Y5 comes on top of Y2
    assert answer("solid", view("R2 Y2", "Y5 P9 G1", piles={2: "R4 Y11", 0: "B9"})) == "R2"
    order = "play-order"
    assert answer("solid", view("R2 Y2", "Y5 P9 G1", piles={2: "R4 Y11", 0: "B9"}, stack_order=order)) == "Y2"


def test_solid_takes_a_rich_trick_late() -> None:
    """An 11 takes high cards into empty colours, but only when few tricks are left to spoil them."""
    rich = {"piles": {0: "B3"}, "players": 4}
    assert answer("solid", view("P11 Y0", "G10 R10 Y9", number=8, **rich)) == "P11"
    assert answer("solid", view("P11 Y0", "B0 G0 R1", number=8, piles={0: "B10 G10 R10"})) == "Y0"
    plain = {"piles": {0: "B3 P9 G8"}}
    assert answer("solid", view("P11 B8", "G9 R0 Y0", number=8, **plain)) == "P11"
    assert answer("solid", view("P11 Y0 Y1 Y2 Y3 Y4 Y5 Y6 Y7 B8", "G9 R0 Y0", number=0, **plain)) == "B8"
    # without greed there is no reason to
    assert answer("solid", view("P11 Y0 Y1", "G10 R10 Y9", number=2, **rich)) == "P11"
    assert answer("solid", view("P11 Y0 Y1", "G10 R10 Y9", number=2, **rich), greed=0) == "Y1"


def test_solid_minds_the_penalty() -> None:
    """A seat without a trick takes one in the end if that is cheaper than the penalty, and not if it has one."""
    piles = {0: "B10 G10 P10", 3: "B1"}
    trick = ("R11 Y1", "P10 B0 G0")
    assert answer("solid", view(*trick, number=8, piles=piles, no_trick_penalty=-100)) == "R11"
    assert answer("solid", view(*trick, number=8, piles=piles, no_trick_penalty=-100, taken={0: 1})) == "Y1"
    assert answer("solid", view(*trick, number=8, piles=piles)) == "Y1"


def test_solid_feeds_its_partner() -> None:
    """A partner's piles are as good as one's own: what is poison there among opponents is kept back."""
    trick, piles = "B10 B1", {1: "R10"}
    assert answer("solid", view("R8 Y0", trick, seat=3, piles=piles), greed=5, spite=5) == "R8"
    assert answer("solid", view("R8 Y0", trick, seat=3, piles=piles, teams="2x2"), greed=5, spite=5) == "Y0"
    assert answer("solid", view("R9 Y0", trick, seat=3, piles={}), greed=5, spite=5) == "Y0"
    assert answer("solid", view("R9 Y0", trick, seat=3, piles={}, teams="2x2"), greed=5, spite=5) == "R9"


def test_risk_makes_solid_count_on_being_overtaken() -> None:
    """A trick that would spoil its piles is led to without fear of taking it only if others surely overtake."""
    views = view("G5 Y9", "", number=8, piles={0: "B11 G11 P11 R11 Y11"})
    assert answer("solid", views.copy(), risk=0.0) == "Y9"  # it takes the trick with either: sheds the higher
    assert answer("solid", views.copy(), risk=1.0) == "G5"


def test_last_card_is_played_without_thought() -> None:
    for name in ("solid", "greedy"):
        assert answer(name, view("B0 B0", "R7 G1 P3", number=8)) == "B0"
        assert answer(name, view("Y11", "", number=9)) == "Y11"


# --- the last seat decides exactly: its choice against a reckoning with the referee's own piles


def changes(piles: list[dict[str, list[int]]], names: list[str], order: str, leader: int) -> tuple[int, int]:
    """Who takes the complete trick, and by how much the sum of that seat's tops changes."""
    values = [int(name[1:]) for name in names]
    best = values.index(max(values))
    winner = (leader + best) % len(names)
    own = {colour: list(pile) for colour, pile in piles[winner].items()}
    before = sum(pile[-1] for pile in own.values())
    for name in stacked(names, best, order):
        collect(own, name)
    return winner, sum(pile[-1] for pile in own.values()) - before


def positions(seed: int, order: str, teams: str) -> tuple[Any, Callable[[int, float, float, int], float]]:
    """A random view of the last seat, and the value of a card in it: (card, greed, spite, early) -> thousandths."""
    chosen = random.Random(seed)
    players = 4 if teams == "2x2" else chosen.choice([3, 4, 5])
    pack = chosen.sample(PACK, len(PACK))
    number = chosen.randrange(9)
    seat = chosen.randrange(players)
    leader = (seat + 1) % players
    played, hand = pack[: players - 1], pack[players - 1 : players + 9 - number]
    shown = {
        s: " ".join(f"{c}{chosen.randrange(12)}" for c in COLOURS if chosen.random() < 0.7) for s in range(players)
    }
    taken = {seat: chosen.randrange(2)}
    penalty = chosen.choice([0, -10, 40])
    views = view(
        " ".join(map(card_name, hand)),
        " ".join(map(card_name, played)),
        seat=seat,
        number=number,
        piles=shown,
        taken=taken,
        players=players,
        stack_order=order,
        teams=teams,
        no_trick_penalty=penalty,
    )
    piles = [{name[0]: [int(name[1:])] for name in shown[s].split()} for s in range(players)]

    def value(card: int, greed: float, spite: float, early: int) -> float:
        winner, change = changes(piles, [card_name(c) for c in (*played, card)], order, leader)
        left = 10 - number
        worth = solid.SHED * (card // 5)
        if winner == seat:
            bonus = 0 if taken[seat] else -1000 * penalty >> left - 1
            return worth + greed * 1000 * change + bonus - early * left
        partner = teams == "2x2" and (winner - seat) % 2 == 0
        return worth + (greed if partner else -spite) * 1000 * change

    return views, value


@pytest.mark.parametrize("teams", ["none", "2x2"])
@pytest.mark.parametrize("order", ["clockwise-from-winner", "winner-then-play-order", "play-order"])
def test_the_last_seat_decides_exactly(order: str, teams: str) -> None:
    chose: Counter[int] = Counter()
    for seed in range(150):
        views, value = positions(seed, order, teams)
        hand = sorted(set(cards_of(views["hand"][0], views["twins"][0])))
        for name, early in (("solid", solid.EARLY), ("greedy", greedy.EARLY)):
            for greed, spite in ((1.0, 0.1), (0.5, 0.4)):
                if name == "solid" and teams == "2x2":
                    continue  # with a partner who gains, more than the highest and the lowest of a colour may count
                best = max(hand, key=lambda card: (round(value(card, greed, spite, early)), card))
                found = choice(views.copy(), name, greed=greed, spite=spite)
                assert abs(value(found, greed, spite, early) - value(best, greed, spite, early)) <= 1, (seed, name)
                chose[found // 5] += 1
    assert len(chose) == 12


# --- strength


def edge(name: str, others: list[str], blocks: int, **rules: Any) -> NDArray[np.float64]:
    """Points a round that `name` has more than the mean of the others, per block of rotated seats."""
    seats = len(others) + 1
    turns = rotations(seats)
    played = play("null-nichtig", blocks, [name, *others], rules, seatings=turns)
    score = played.games["score"] / played.games["rounds"]
    own = np.stack([score[:, k, turn.index(0)] for k, turn in enumerate(turns)], axis=1)
    rest = (score.sum(axis=2) - own) / (seats - 1)
    return np.asarray((own - rest).mean(axis=1))


@pytest.mark.parametrize(
    ("name", "others", "least"),
    [
        ("solid", "random", 7.0),
        ("solid", "dodge", 1.0),
        ("dodge", "random", -1.0),
        ("greedy", "random", 6.0),
        ("greedy", "dodge", 0.5),
    ],
)
def test_who_is_stronger(name: str, others: str, least: float) -> None:
    values = edge(name, [others] * 3, 100 if name == "greedy" else 600)
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert values.mean() - 4 * error > least


@pytest.mark.parametrize("players", [3, 5, 6])
def test_solid_is_stronger_for_every_number_of_players(players: int) -> None:
    for others, least in (("random", 3.0), ("dodge", 0.8)):
        assert edge("solid", [others] * (players - 1), 300, players=players).mean() > least
    assert edge("dodge", ["solid"] * (players - 1), 300, players=players).mean() < -4


def test_an_edge_of_equals_is_nothing() -> None:
    near(edge("random", ["random"] * 3, 2000), 0)
