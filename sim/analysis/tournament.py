"""`sim.tournament`: every match-up of some strategies, a ranking, and the rungs of 60 % between best and worst."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.analysis.lineups import Played, base_scenario, members, names_of, play_all, ratios
from sim.analysis.objectives import Objective, objective
from sim.analysis.samples import CACHE
from sim.analysis.sides import seats_of
from sim.analysis.strength import RUNG_LOG_ODDS, chain, places, plackett_luce, rungs
from sim.analysis.symmetric import Counts, Floats, multisets
from sim.errors import UsageError
from sim.games import find_game
from sim.scenario import Scenario, check_level
from sim.stats import RARE, Estimate, bootstrap, equivalence_p, holm, p_value
from sim.stats.estimate import ZERO_VARIANCE

LINE_UPS = ("pairs", "all")
RANKINGS = ("plackett-luce", "edge")
ESTIMATE = ("estimate", "low", "high", "n", "blocks", "method", "note")


@dataclass
class Tournament:
    """What `tournament` finds. Values are in units of the objective's metric; None, never NaN, for what there is not.

    pairs      one row per pair: a, b, line_ups (how many hold both), mean_a, mean_b (per seat there), estimate (the
               lead of a over b, paired by block), low, high, n, blocks, method, note, p, p_adjusted, p_equivalent,
               p_equivalent_adjusted (Holm over the pairs), epsilon, verdict (by the adjusted ones), better (None
               unless different), part (what a wins of what a and b win between them)
    ranking    long form by strategy, in order: metrics place, lead (own minus the others at the table), strength
               (Plackett-Luce, summing to 1), rung (above the weakest), and the mean of the objective
    tables     long form by line_up and strategy: the mean of the objective
    rungs      steps of the longest ladder of 60 %; `ladder` names its strategies from strong to weak
    leads      by strategy: its lead over the others at the table, by block, float64[B]; `gaps` the same by pair of
               numbers of strategies: the lead of one over the other
    resamples  float64[draws, 3 K + 1]: place, strength and rung of the K strategies and rungs in each draw of the
               bootstrap; None without draws
    """

    scenario: Scenario
    objective: Objective
    ranked_by: str
    labels: tuple[str, ...]
    line_ups: tuple[tuple[str, ...], ...]
    blocks: int
    games: int
    epsilon: float
    level: float
    draws: int
    pairs: pd.DataFrame
    ranking: pd.DataFrame
    tables: pd.DataFrame
    rungs: Estimate
    ladder: tuple[str, ...]
    leads: dict[str, Floats]
    gaps: dict[tuple[int, int], Floats]
    resamples: Floats | None


def tournament(
    game: str,
    strategies: str | Sequence[str],
    *,
    line_ups: str = "pairs",
    field: str | Sequence[str] | None = None,
    different: int | None = None,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    blocks: int | None = None,
    games: int | None = None,
    seed: int = 1,
    seatings: str = "orbit",
    objective: str = "games",
    ranking: str | None = None,
    epsilon: float | None = None,
    level: float = 0.95,
    draws: int = 1000,
    threads: int | None = None,
    cache: str | Path | None = CACHE,
    progress: bool = False,
) -> Tournament:
    """Plays every line-up on the same blocks, `blocks` each (or `games` games each).

    `line_ups="pairs"`: every two strategies share a table half and half (with an odd number of seats once with either
    in the majority), or sit once each in `field`, the strategies of the other seats. `"all"`: every multiset of at
    most `different` strategies. `objective`: games (win share), points or rounds, where the game has it. `ranking`:
    plackett-luce (default for games) or edge, the mean lead over the others at the table. `epsilon`: the lead that
    does not matter. Raises `UsageError` naming the key.
    """
    row = find_game(game)
    names = names_of(row, strategies, least=2)
    goal = _objective(row, objective)
    seats = seats_of(game, players, dict(rules or {}))
    labels, wanted = line_ups_of(row, names, seats, line_ups, field, different)
    by = ranking or ("plackett-luce" if objective == "games" else "edge")
    if by not in RANKINGS:
        raise UsageError(f"ranking: {by} is not allowed; allowed: {', '.join(RANKINGS)}")
    bound = goal.epsilon if epsilon is None else epsilon
    check_numbers(level=level, draws=draws, epsilon=bound)
    base = base_scenario(
        row, names[0], blocks=blocks, games=games, players=players, rules=dict(rules or {}), seed=seed,
        seatings=seatings,
    )  # fmt: skip
    metrics = [goal.metric] if goal.name == "games" else [goal.metric, _objective(row, "games").metric]
    played = play_all(
        base, labels, wanted, metrics, base.blocks, threads=threads, progress=progress,
        cache=Path(cache) if cache is not None else None,
    )  # fmt: skip
    return evaluate(played, len(names), goal, by, epsilon=bound, level=level, draws=draws)


_objective = objective


def check_numbers(**given: float) -> None:
    """Raises `UsageError` for what is no level, fewer than 100 draws or an epsilon that is not positive."""
    check_level(given.get("level", 0.95))
    if not 100 <= given.get("draws", 1000) <= 100_000:
        raise UsageError(f"draws: {given['draws']} is not allowed; allowed: an integer from 100 to 100000")
    if not 0 < given.get("epsilon", 1.0) < float("inf"):
        raise UsageError(f"epsilon: {given['epsilon']} is not allowed; allowed: a number above 0")


def line_ups_of(
    game: Any,
    names: Sequence[str],
    seats: int,
    kind: str = "pairs",
    field: str | Sequence[str] | None = None,
    different: int | None = None,
) -> tuple[list[str], list[Counts]]:
    """All strategies that play (the ranked ones first) and the line-ups as counts of them."""
    if kind not in LINE_UPS:
        raise UsageError(f"line_ups: {kind} is not allowed; allowed: {', '.join(LINE_UPS)}")
    if kind == "all":
        if field is not None:
            raise UsageError("field: it goes with line_ups=pairs; with all the strategies are each other's field")
        most = min(seats, len(names)) if different is None else different
        if not 2 <= most <= seats:
            raise UsageError(f"different: {most} is not allowed; allowed: an integer from 2 to {seats}")
        sets = multisets(len(names), seats)
        return list(names), [counts for counts in sets if 2 <= sum(count > 0 for count in counts) <= most]
    if different is not None:
        raise UsageError("different: it goes with line_ups=all")
    others = [] if field is None else names_of(game, field, "field")
    if others:
        if len(others) == 1:
            others *= seats - 2
        if len(others) != seats - 2 or seats < 3:
            raise UsageError(
                f"field: {len(others)} named for the {seats - 2} seats besides the pair; "
                "give one for each, or one for all"
            )
    labels = list(dict.fromkeys([*names, *others]))
    found = []
    for i, j in combinations(range(len(names)), 2):
        if others:
            mixes = [[i, j, *(labels.index(one) for one in others)]]
        else:
            mixes = [[i] * ((seats + extra) // 2) + [j] * ((seats + 1 - extra) // 2) for extra in range(1 + seats % 2)]
        found += [tuple(mix.count(k) for k in range(len(labels))) for mix in mixes]
    return labels, list(dict.fromkeys(found))


def evaluate(
    played: Played, ranked: int, goal: Objective, by: str, *, epsilon: float, level: float = 0.95, draws: int = 1000
) -> Tournament:
    """The tournament's answers from what was played; the first `ranked` labels are the strategies that compete."""
    gaps = {(i, j): _gap(played, i, j) for i, j in combinations(range(ranked), 2)}
    pairs = _pairs(played, gaps, goal, epsilon, level)
    point, estimates, resamples = _Statistic(played, ranked, goal, by).estimates(level, draws)
    order = sorted(range(ranked), key=lambda k: (point["place"][k], k)) if point else list(range(ranked))
    ladder = [played.labels[k] for k in chain(-point["place"], point["parts"])] if point else []
    return Tournament(
        played.scenario,
        goal,
        by,
        played.labels[:ranked],
        tuple(members(played.labels, counts) for counts in played.line_ups),
        played.blocks,
        played.games,
        epsilon,
        level,
        draws,
        pairs,
        _ranking(played, order, goal, estimates, level),
        _tables(played, goal, level),
        estimates["rungs"][0],
        tuple(ladder),
        {played.labels[k]: _lead(played, k) for k in range(ranked) if played.holding(k)},
        {pair: gap for pair, gap in gaps.items() if gap is not None},
        resamples,
    )


def _lead(played: Played, k: int) -> Floats:
    """A strategy's lead over the others at its tables, by block."""
    held = played.holding(k)
    return np.asarray(np.mean([played.value(one, k) - played.others(one, k) for one in held], axis=0))


def _gap(played: Played, i: int, j: int) -> Floats | None:
    """The lead of i over j at the tables that hold both, by block; None if there are none."""
    held = played.holding(i, j)
    a, b = (np.mean([played.value(one, k) for one in held], axis=0) if held else None for k in (i, j))
    return None if a is None or b is None else np.asarray(a - b)


def _pairs(
    played: Played, gaps: Mapping[tuple[int, int], Floats | None], goal: Objective, epsilon: float, level: float
) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for (i, j), gap in gaps.items():
        held = played.holding(i, j)
        a = np.mean([played.value(one, i) for one in held], axis=0) if held else None
        b = np.mean([played.value(one, j) for one in held], axis=0) if held else None
        least = min(played.observations(i, held), played.observations(j, held))
        lead = played.estimate(gap, level, least)
        if gap is not None and lead.low is not None and not lead.note:
            differing = int(np.count_nonzero(gap))
            if differing < RARE:
                lead = replace(lead, note=f"only {differing} blocks differ")
        mean_a, mean_b = played.estimate(a, level).estimate, played.estimate(b, level).estimate
        win_a, win_b = (float(np.mean([ratios(played.batches[:, one, k, -1].sum(axis=0)) for one in held])) if held
                        else 0.0 for k in (i, j))  # fmt: skip
        rows.append(
            {
                "a": played.labels[i],
                "b": played.labels[j],
                "line_ups": len(held),
                "metric": goal.metric.name,
                "unit": goal.metric.unit,
                "mean_a": mean_a,
                "mean_b": mean_b,
                **{key: getattr(lead, key) for key in ESTIMATE},
                "p": p_value(lead),
                "p_equivalent": equivalence_p(lead, epsilon),
                "part": win_a / (win_a + win_b) if win_a + win_b > 0 else None,
            }
        )
    for key in ("p", "p_equivalent"):
        for row, value in zip(rows, holm([row[key] for row in rows]), strict=True):
            row[f"{key}_adjusted"] = value
    alpha = 1 - level
    for row in rows:
        same, differs = row["p_equivalent_adjusted"], row["p_adjusted"]
        row["epsilon"], row["better"] = epsilon, None
        if same is not None and same < alpha:
            row["verdict"] = "equivalent"
        elif differs is not None and differs < alpha:
            row["verdict"] = "different"
            row["better"] = row["a"] if row["estimate"] * goal.sign > 0 else row["b"]
        else:
            row["verdict"] = "undecided"
    return pd.DataFrame(rows, dtype=object)


class _Statistic:
    """Places, strengths and rungs as functions of the sums over blocks, for the joint bootstrap."""

    def __init__(self, played: Played, ranked: int, goal: Objective, by: str) -> None:
        self.played, self.ranked, self.goal, self.by = played, ranked, goal, by
        self.seats = np.array(played.line_ups, np.int64).reshape(len(played.line_ups), len(played.labels))
        mixed = (self.seats > 0).sum(axis=1) > 1
        self.both = (self.seats[:, :, None] > 0) & (self.seats[:, None, :] > 0) & mixed[:, None, None]

    def parts(self, sums: Floats) -> dict[str, Floats]:
        """place, strength, rung (D, K), parts (D, K, K) and rungs (D, 1) of sums (D, L, K, metrics, 2)."""
        k = self.ranked
        wins, value = ratios(sums[:, :, :, -1]), ratios(sums[:, :, :, 0])
        seats = self.seats.astype(np.float64)
        games = (sums[:, :, :, -1, 1].sum(axis=2)) / np.maximum(seats.sum(axis=1), 1)
        strength = plackett_luce(self.seats, wins, games)
        if self.by == "edge":
            total = (value * seats).sum(axis=2, keepdims=True)
            rest = seats.sum(axis=1)[:, None] - seats
            lead = value - (total - value * seats) / np.where(rest > 0, rest, 1.0)
            counted = (seats > 0) & (rest > 0)
            score = self.goal.sign * (lead * counted).sum(axis=1) / np.maximum(counted.sum(axis=0), 1)
        else:
            score = strength
        mine = np.einsum("dlk,lkj->dkj", wins, self.both.astype(np.float64))
        theirs = np.swapaxes(mine, 1, 2)
        part = np.where(mine + theirs > 0, mine / np.where(mine + theirs > 0, mine + theirs, 1.0), 0.5)[:, :k, :k]
        score = score[:, :k]
        rung = np.log(strength[:, :k] / strength[:, :k].min(axis=1, keepdims=True)) / RUNG_LOG_ODDS
        return {
            "place": places(score),
            "strength": strength[:, :k],
            "rung": rung,
            "rungs": rungs(score, part)[:, None],
            "parts": part,
        }

    def estimates(
        self, level: float, draws: int
    ) -> tuple[dict[str, Floats], dict[str, tuple[Estimate, ...]], Floats | None]:
        """The point values (empty without a block), the estimates of place, strength, rung and rungs, their draws."""
        played, sizes = self.played, {"place": self.ranked, "strength": self.ranked, "rung": self.ranked, "rungs": 1}

        def flat(sums: Floats) -> Floats:
            found = self.parts(sums)
            return np.concatenate([found[name] for name in sizes], axis=1)

        values, resamples = resampled(played, flat, level, draws)
        if not played.blocks:
            return {}, {name: values * size for name, size in sizes.items()}, None
        ends = np.cumsum([0, *sizes.values()])
        point = self.parts(played.batches.sum(axis=0, keepdims=True))
        return (
            {name: value[0] for name, value in point.items()},
            {name: values[start:end] for name, start, end in zip(sizes, ends[:-1], ends[1:], strict=True)},
            resamples,
        )


def resampled(
    played: Played, statistic: Callable[[Floats], Floats], level: float, draws: int
) -> tuple[tuple[Estimate, ...], Floats | None]:
    """Estimates of statistics of the sums over blocks, (D, L, K, metrics, 2) -> (D, M), and their draws (None: none).

    The draws hold the same blocks for every variant of equally many blocks and one seed.
    """
    kept: list[Floats] = []

    def keeping(sums: Floats) -> Floats:
        kept.append(statistic(sums))
        return kept[-1]

    rng = np.random.default_rng(played.scenario.seed)
    values = bootstrap(played.batches, keeping, rng, draws=draws, level=level, n=played.games, batched=True)
    if played.blocks:
        values = tuple(replace(one, blocks=played.blocks) for one in values)
    return values, np.concatenate(kept[1:]) if len(kept) > 1 else None


def _ranking(
    played: Played, order: list[int], goal: Objective, found: dict[str, tuple[Estimate, ...]], level: float
) -> pd.DataFrame:
    rows = []
    for k in order:
        held = played.holding(k)
        n = played.observations(k, held)
        own = np.mean([played.value(one, k) for one in held], axis=0) if held else None
        lead = np.mean([played.value(one, k) - played.others(one, k) for one in held], axis=0) if held else None
        for metric, unit, value in (
            ("place", "place", found["place"][k]),
            (goal.metric.name, goal.metric.unit, played.estimate(own, level, n)),
            ("lead", goal.metric.unit, played.estimate(lead, level, n)),
            ("strength", "share", found["strength"][k]),
            ("rung", "rungs", found["rung"][k]),
        ):
            values = {key: getattr(value, key) for key in ESTIMATE}
            if metric in ("place", "rung") and value.low == value.high:
                values["note"] = without_zero_variance(value)
            rows.append({"strategy": played.labels[k], "metric": metric, "unit": unit, **values})
    return pd.DataFrame(rows, dtype=object)


def without_zero_variance(value: Estimate) -> str:
    """The note of a bootstrap estimate that is not a mean: that all draws agree is no fault there."""
    return value.note.removeprefix(f"{ZERO_VARIANCE}; ").removeprefix(ZERO_VARIANCE)


def _tables(played: Played, goal: Objective, level: float) -> pd.DataFrame:
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
