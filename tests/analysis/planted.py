"""Line-ups whose truth is known: played by drawing winners, not by playing cards."""

from __future__ import annotations

import numpy as np

from sim.analysis.lineups import Played, gather
from sim.games import GAMES
from sim.scenario import scenario

GAME = GAMES["null-nichtig"]
WIN_SHARE, SCORE = GAME.metrics[0], GAME.metrics[1]


def base(players=4):
    return scenario(game="null-nichtig", players=players, strategies="random", blocks=1)


def drawn(labels, line_ups, blocks, rng, chances, games=12, spread=0.0):
    """`Played` in which a seat of strategy k wins a game of line-up m with chance chances(m)[k]; with `spread` the
    blocks differ in luck."""
    sums = []
    for counts in line_ups:
        seats = np.array(counts)
        p = np.clip(np.asarray(chances(counts), float) * seats, 0, None)
        if spread:
            lucky = rng.gamma(1 / spread, spread, size=(blocks, len(labels))) * p
            lucky /= lucky.sum(axis=1, keepdims=True)
            wins = np.array([rng.multinomial(games, row) for row in lucky]).reshape(blocks, len(labels))
        else:
            wins = rng.multinomial(games, p / p.sum(), size=blocks)
        sums.append(
            {
                k: (wins[:, [k]].astype(float), np.full((blocks, 1), float(games * seats[k])))
                for k in range(len(labels))
                if seats[k]
            }
        )
    total = games * blocks * len(line_ups)
    return gather(base(sum(line_ups[0])), labels, line_ups, [WIN_SHARE], blocks, total, sums)


def exact(labels, shape, payoff, blocks, rng, noise=0.1, metric=SCORE) -> Played:
    """`Played` of all line-ups where strategy k earns payoff(k, counts) plus noise by block."""
    sums = []
    for counts in shape.line_ups:
        sums.append(
            {
                k: (
                    (payoff(k, counts) + noise * rng.normal(size=(blocks, 1))) * counts[k],
                    np.full((blocks, 1), float(counts[k])),
                )
                for k in range(len(labels))
                if counts[k]
            }
        )
    games = blocks * len(shape.line_ups)
    return gather(base(max(3, shape.players)), labels, shape.line_ups, [metric], blocks, games, sums)
