"""Null & Nichtig: figures that are known exactly, by counting, must come out of the kernel."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import rng
from kernels.null_nichtig.rules import TABLE, complete
from kernels.null_nichtig.state import STATE, deal
from kernels.null_nichtig.transcript import decode
from tests.kernels.playing import near, play

GAME = "null-nichtig"


@numba.njit
def hands_of(states: Any, players: int, each: int, out: Any) -> None:
    state = states[0]
    for i in range(out.shape[0]):
        rng.start(state.shuffle, np.uint64(11), i, 0, rng.SHUFFLE, 0)
        deal(state, players, each)
        for seat in range(players):
            out[i, seat, 0] = state.hands[seat]
            out[i, seat, 1] = state.twins[seat]


def dealt(players: int, n: int) -> NDArray[np.int64]:
    """How often each card (0..59) is in each seat's hand, for n deals: [n, seats, 60]."""
    out = np.zeros((n, players, 2), np.uint64)
    hands_of(np.zeros(1, STATE), players, TABLE[players][0], out)
    bits = (out[..., None] >> np.arange(60, dtype=np.uint64) & np.uint64(1)).astype(np.int64)
    return bits[:, :, 0] + bits[:, :, 1]


@numba.njit
def count_cards(states: Any, players: int, each: int, n: int, counts: Any) -> None:
    state = states[0]
    for i in range(n):
        rng.start(state.shuffle, np.uint64(12), i, 0, rng.SHUFFLE, 0)
        deal(state, players, each)
        for seat in range(players):
            for card in range(60):
                bit = np.uint64(1) << np.uint64(card)
                counts[seat, card] += (state.hands[seat] & bit != 0) + (state.twins[seat] & bit != 0)


RANKS = np.arange(60) // 5


@pytest.mark.parametrize("players", [3, 4, 5])
def test_hands_of_thirteen(players: int) -> None:
    for seat, counts in enumerate(np.swapaxes(dealt(players, 20_000), 0, 1)):
        assert (counts.sum(axis=1) == 13).all(), seat
        near((counts[:, :5].sum(axis=1) == 0).astype(float), 0.08837321)
        sums = (counts * RANKS).sum(axis=1)
        near(sums, 66)
        near((sums - 66.0) ** 2, 11.784524**2)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_every_card_comes_to_every_seat_alike(players: int) -> None:
    each, many = TABLE[players][0], 1_000_000
    copies = np.where(np.arange(60) < 5, 2, 1)
    total = np.zeros((players, 60), np.int64)
    count_cards(np.zeros(1, STATE), players, each, many, total)
    expected = copies * each / 65
    assert (abs(total / many - expected) < 5.5 * np.sqrt(expected / many)).all()
    played = players * each / 65  # every card itself: in some hand or left over
    spread = np.sqrt(copies * played * (1 - played) / many)
    assert (abs(total.sum(axis=0) / many - copies * played) <= 5.5 * spread).all()

    n = 30_000
    counts = dealt(players, n)
    pairs = np.einsum("nsc,nsd->cd", counts[:, :, :12], counts[:, :, :12]) / (n * players)
    alike = np.outer(copies[:12], copies[:12]) * each * (each - 1) / (65 * 64)
    off = ~np.eye(12, dtype=bool)
    assert (abs(pairs - alike)[off] < 5.5 * np.sqrt(alike / n / players * 2)[off]).all()
    # equal zeros together: both in one hand
    both = (counts[:, :, :5] == 2).mean(axis=(0, 1))
    chance = each * (each - 1) / (65 * 64)
    assert (abs(both - chance) < 5.5 * np.sqrt(chance / n / players * 2)).all()


def tricks(players: int, rounds: int) -> NDArray[np.int64]:
    """Ranks played at random, in the order played: [rounds, tricks, players]."""
    rules = {"players": players, "rounds": 1000}
    found = []
    for block in range(rounds // 1000):
        played = play(GAME, range(block, block + 1), ["random"] * players, rules, log=True)
        for game in decode(played.log, complete(rules)):
            ranks = [int(move["play"][1:]) for move in game["moves"] if "play" in move]
            found.append(np.array(ranks).reshape(-1, players))
    return np.array(found)


@pytest.mark.parametrize(
    ("players", "chances", "highest"),
    [
        (3, [0.36622405, 0.33157814, 0.30219780], 8.281479),
        (4, [0.28238176, 0.25965046, 0.23873220, 0.21923557], 8.934819),
        (5, [], 9.368280),
        (6, [], 9.675942),
    ],
)
def test_tricks_at_random(players: int, chances: list[float], highest: float) -> None:
    ranks = tricks(players, 4000)
    winners = ranks.argmax(axis=2)  # of equal ranks the first
    near(ranks.max(axis=2).mean(axis=1), highest)
    for place, chance in enumerate(chances):
        near((winners == place).mean(axis=1), chance)


@pytest.mark.parametrize(("players", "mean", "sd"), [(4, 28.39384804, 3.042548), (6, 19.36470005, None)])
def test_best_starters_in_distinct_colours(players: int, mean: float, sd: float | None) -> None:
    rules = {"players": players, "rounds": 1000}
    sums = []
    for block in range(5):
        played = play(GAME, range(block, block + 1), ["dodge"] * players, rules, log=True)
        for game in decode(played.log, complete(rules)):
            laid = next(move["starters"] for move in game["moves"] if move.get("seat") == 0 and "starters" in move)
            assert len({card[0] for card in laid}) == len(laid)
            sums.append(sum(int(card[1:]) for card in laid))
    near(np.array(sums), mean)
    if sd is not None:
        near((np.array(sums) - mean) ** 2, sd**2)
