"""`sim.metagame`: which strategies survive when everyone adapts: equilibrium, alpha-rank, dominance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis import alpharank
from sim.analysis.equilibrium import Equilibrium, all_equilibria, at, entropy, logit_equilibria
from sim.analysis.lineups import Played, base_scenario, members, names_of, play_all, ratios
from sim.analysis.objectives import Objective
from sim.analysis.objectives import objective as objective_of
from sim.analysis.samples import CACHE
from sim.analysis.sides import seats_of
from sim.analysis.symmetric import Floats, Shape, dominated, multisets
from sim.analysis.tournament import ESTIMATE, check_numbers, resampled, without_zero_variance
from sim.errors import UsageError
from sim.games import find_game
from sim.scenario import Scenario
from sim.stats import RARE, Estimate

#: more strategies than that make more supports than can be tried for all equilibria; one is computed all the same
MOST_FOR_ALL = 8
#: a strategy counts as dominated, or as not dominated, when that part of the bootstrap draws agrees
AGREED = 0.95


@dataclass
class Metagame:
    """What `metagame` finds about the symmetric game in which each player chooses one of the strategies.

    frame       long form by strategy: metrics equilibrium (share in the mix), gain (how much better a player does with
                the strategy than with the mix when the others play the mix), alpharank (mass)
    effective   exp(entropy) of the equilibrium mix and of the masses: {"equilibrium": ..., "alpharank": ...}
    payoff      what everybody earns in the equilibrium
    dominance   one row per strategy: strategy, verdict (dominated, not dominated, undecided), share (of the bootstrap
                draws in which iterated strict dominance removes it), estimated (whether it does in the table as it is)
    equilibria  all symmetric equilibria found in the table as estimated (empty if too many strategies)
    payoffs     one row per line-up and strategy: line_up, strategy, seats, metric, unit, estimate, low, high, ...
    resamples   float64[draws, 3 K + 3]: equilibrium, gain and alpharank of the K strategies, both effective numbers and
                the payoff in each draw of the bootstrap; None without draws
    """

    scenario: Scenario
    objective: Objective
    labels: tuple[str, ...]
    blocks: int
    games: int
    level: float
    draws: int
    alpha: float | None
    settled: bool
    population: int
    frame: pd.DataFrame
    effective: dict[str, Estimate]
    payoff: Estimate
    dominance: pd.DataFrame
    equilibrium: Equilibrium | None
    equilibria: tuple[Equilibrium, ...]
    payoffs: pd.DataFrame
    resamples: Floats | None


def metagame(
    game: str,
    strategies: str | Sequence[str],
    *,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    blocks: int | None = None,
    games: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    objective: str = "games",
    alpha: float | None = None,
    population: int = alpharank.POPULATION,
    level: float = 0.95,
    draws: int = 1000,
    threads: int | None = None,
    cache: str | Path | None = CACHE,
    progress: bool = False,
) -> Metagame:
    """Plays every multiset of the strategies on the same blocks and solves the game of choosing among them.

    `alpha`: selection strength of alpha-rank (default: so large that the masses no longer change), `population` its
    size. All intervals are percentiles of one bootstrap over blocks, jointly. Raises `UsageError` naming the key.
    """
    row = find_game(game)
    names = names_of(row, strategies, least=1)
    goal = objective_of(row, objective)
    seats = seats_of(game, players, dict(rules or {}))
    check_numbers(level=level, draws=draws)
    if alpha is not None and not 0 < alpha < float("inf"):
        raise UsageError(f"alpha: {alpha} is not allowed; allowed: a number above 0")
    if not seats <= population <= 1000:
        raise UsageError(f"population: {population} is not allowed; allowed: an integer from {seats} to 1000")
    base = base_scenario(
        row, names[0], blocks=blocks, games=games, players=players, rules=dict(rules or {}), seed=seed,
        seatings=seatings,
    )  # fmt: skip
    played = play_all(
        base, names, multisets(len(names), seats), [goal.metric], base.blocks, threads=threads, progress=progress,
        cache=Path(cache) if cache is not None else None,
    )  # fmt: skip
    return evaluate(played, goal, alpha=alpha, population=population, level=level, draws=draws)


def evaluate(
    played: Played,
    goal: Objective,
    *,
    alpha: float | None = None,
    population: int = alpharank.POPULATION,
    level: float = 0.95,
    draws: int = 1000,
) -> Metagame:
    """The answers from what was played: all multisets of the strategies, in the order of `multisets`."""
    shape = Shape(len(played.labels), sum(played.line_ups[0]))
    if played.line_ups != shape.line_ups:
        raise ValueError("every multiset of the strategies is needed, in order")
    k, kinds = shape.strategies, ("equilibrium", "gain", "alpharank")
    removed: list[Floats] = []  # rows of 0 and 1: the point's, then those of the draws
    equilibrium, everything, settled = None, tuple[Equilibrium, ...](), True
    if played.blocks:
        point = table_of(shape, played.batches.sum(axis=0, keepdims=True), goal.sign)[0]
        equilibrium = at(shape, point, logit_equilibria(shape, point[None])[0][0])
        if k <= MOST_FOR_ALL:
            rng = np.random.default_rng(played.scenario.seed)
            everything = all_equilibria(shape, point, rng, starts=64 if k <= 6 else 16)
        if alpha is None:
            alpha, settled = alpharank.settle(shape, point, population)

    def statistic(sums: Floats) -> Floats:
        tables = table_of(shape, sums, goal.sign)
        mixes, found = logit_equilibria(shape, tables)
        mixes = np.where(found[:, None], mixes, np.nan)
        value = shape.payoffs(tables, mixes)
        common = (value * mixes).sum(axis=1, keepdims=True)
        masses = alpharank.masses(shape, tables, float(alpha or 1.0), population).round(6)
        removed.extend(np.isin(np.arange(k), dominated(shape, table)).astype(np.float64) for table in tables)
        effective = np.exp([entropy(mixes), entropy(masses)]).T.round(9)
        return np.concatenate([mixes.round(9), value - common, masses, effective, goal.sign * common], axis=1)

    values, resamples = resampled(played, statistic, level, draws)
    if not played.blocks:
        values *= len(kinds) * k + 3
    values = tuple(replace(value, note=without_zero_variance(value)) for value in values)
    by_kind = {kind: values[i * k : (i + 1) * k] for i, kind in enumerate(kinds)}
    units = {"equilibrium": "share", "gain": goal.metric.unit, "alpharank": "share"}
    rows = [
        {
            "strategy": label,
            "metric": kind,
            "unit": units[kind],
            **{key: getattr(by_kind[kind][i], key) for key in ESTIMATE},
        }
        for i, label in enumerate(played.labels)
        for kind in kinds
    ]
    return Metagame(
        played.scenario,
        goal,
        played.labels,
        played.blocks,
        played.games,
        level,
        draws,
        alpha if played.blocks else None,
        settled,
        population,
        pd.DataFrame(rows, dtype=object),
        {"equilibrium": values[-3], "alpharank": values[-2]},
        values[-1],
        _dominance(played.labels, removed, played.blocks),
        equilibrium,
        everything,
        _payoffs(played, goal, level),
        resamples,
    )


def _dominance(labels: Sequence[str], removed: Sequence[Floats], blocks: int) -> pd.DataFrame:
    rows = []
    for i, label in enumerate(labels):
        share = float(np.mean([row[i] for row in removed[1:]])) if len(removed) > 1 else None
        verdict = "undecided"
        if share is not None and blocks >= RARE and not 1 - AGREED < share < AGREED:
            verdict = "dominated" if share >= AGREED else "not dominated"
        estimated = bool(removed[0][i]) if removed else None
        rows.append({"strategy": label, "verdict": verdict, "share": share, "estimated": estimated})
    return pd.DataFrame(rows, dtype=object)


def table_of(shape: Shape, sums: Floats, sign: int = 1) -> Floats:
    """(D, K, M): payoffs from sums (D, L, K, metrics, 2) over all line-ups; the larger the better."""
    value = sign * ratios(sums[:, :, :, 0])
    return value[:, shape.joined, np.arange(shape.strategies)[:, None]]


def _payoffs(played: Played, goal: Objective, level: float) -> pd.DataFrame:
    rows = []
    for one, counts in enumerate(played.line_ups):
        for k in sorted(played.values[one]):
            value = played.estimate(played.value(one, k), level, played.observations(k, [one]))
            rows.append(
                {
                    "line_up": ",".join(members(played.labels, counts)),
                    "strategy": played.labels[k],
                    "seats": counts[k],
                    "metric": goal.metric.name,
                    "unit": goal.metric.unit,
                    **{key: getattr(value, key) for key in ESTIMATE},
                }
            )
    return pd.DataFrame(rows, dtype=object)
