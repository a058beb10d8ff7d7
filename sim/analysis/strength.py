"""Strengths behind results of tables of several players: Plackett and Luce's model of who wins, and rungs of 60 %."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim.analysis.symmetric import Floats

#: a rung: to win that part of what two strategies win between them, and the odds that are the same thing
RUNG = 0.6
RUNG_LOG_ODDS = math.log(RUNG / (1 - RUNG))


def plackett_luce(
    seats: NDArray[np.int64], wins: Floats, games: Floats, *, rounds: int = 2000, tolerance: float = 1e-8
) -> Floats:
    """(D, K): strengths, summing to 1, with P(a seat of k wins) = strength[k] / sum of the table's strengths.

    seats (L, K): how many seats each strategy has in each line-up; wins (D, L, K): its share of the wins of one seat;
    games (D, L). Every line-up counts the same. Maximum likelihood by Hunter's minorisation (Annals of Statistics 32,
    2004), of the winners only, since a table's sums do not hold the order of the others; each line-up gets one more
    game, won by every seat alike, so that a strategy that never wins or loses has a strength too.
    """
    count = seats.sum(axis=1)
    total = (wins * seats).sum(axis=2, keepdims=True)
    shares = wins / np.where(total > 0, total, 1.0)
    shares = np.where(total > 0, shares, 1 / count[None, :, None])
    shares = (shares * games[..., None] + 1 / count[None, :, None]) / (games[..., None] + 1)
    won = (shares * seats).sum(axis=1)
    strength = np.full(won.shape, 1 / won.shape[1])
    plays = seats.sum(axis=0) > 0
    for _ in range(rounds):
        tables = strength @ seats.T
        new = np.where(plays, won / np.where(plays, (1 / tables) @ seats, 1.0), 0.0)
        new /= new.sum(axis=1, keepdims=True)
        change = float((np.abs(new - strength) / np.maximum(new, 1e-300)).max())
        strength = new
        if change < tolerance:
            break
    return strength


def places(scores: Floats) -> Floats:
    """(D, K): 1 for the largest score, and so on; equal ones share the better place."""
    return np.asarray(1.0 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2))


def chain(scores: Floats, parts: Floats) -> list[int]:
    """The longest ladder: strategies from strong to weak, each winning at least RUNG of what it and the next win.

    scores (K,) give the order; parts (K, K): what k wins of what k and j win between them.
    """
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    best: dict[int, list[int]] = {}
    for i, k in enumerate(order):
        before = [best[j] for j in order[:i] if parts[j, k] >= RUNG]
        best[k] = [*max(before, key=len, default=[]), k]
    return max(best.values(), key=len)


def rungs(scores: Floats, parts: Floats) -> Floats:
    """(D,): steps of the longest ladders for scores (D, K) and parts (D, K, K)."""
    order = np.argsort(-scores, axis=1, kind="stable")
    climbs = np.take_along_axis(np.take_along_axis(parts >= RUNG, order[:, :, None], axis=1), order[:, None, :], axis=2)
    length = np.zeros(scores.shape)
    for k in range(1, scores.shape[1]):
        length[:, k] = np.where(climbs[:, :k, k], length[:, :k] + 1, 0).max(axis=1)
    return np.asarray(length.max(axis=1))
