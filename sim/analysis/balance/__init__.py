"""`sim.balance`: every metric of the balance of a game, and of a variant of it on the same cards."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from sim.analysis.balance.budget import FULL, QUICK, Budget
from sim.analysis.balance.compare import changes_frame, metrics_frame
from sim.analysis.balance.question import Question, ask, flag, plain, refused
from sim.analysis.balance.variant import STAGES, Player, Variant, measured
from sim.analysis.sealed import make_folder
from sim.engine import Engine
from sim.games import Game
from sim.play import MOST_THREADS, prepare

__all__ = ["FULL", "QUICK", "Balance", "Budget", "Question", "Variant", "answer", "ask", "balance"]


@dataclass
class Balance:
    """What `balance` finds.

    variants   the game as asked for, and `against` beside it if there is one
    reference  the strategy that plays where all seats play alike
    frame      one row per variant, metric and subject: variant, section, metric, subject, unit, estimate, low, high, n,
               blocks, method, note, null, epsilon, p, p_adjusted (Holm within a metric), verdict ("different",
               "equivalent", "undecided"; "" where a metric has no value at which there is nothing to report)
    changes    one row per metric and subject: second variant less the first, paired by block: section, metric,
               subject, unit, estimate, low, high, n, blocks, method, note, before, before_low, before_high, after,
               after_low, after_high (the two variants' own values), epsilon, p, p_adjusted (Benjamini-Hochberg over
               all), verdict; empty without a second variant
    question   what was asked
    """

    game: Game
    names: tuple[str, ...]
    reference: str
    variants: tuple[Variant, ...]
    budget: Budget
    quick: bool
    seed: int
    level: float
    frame: pd.DataFrame
    changes: pd.DataFrame
    question: Question


def balance(
    game: str,
    *,
    players: int | None = None,
    rules: Mapping[str, Any] | None = None,
    strategies: str | Sequence[str] | None = None,
    against: Mapping[str, Any] | None = None,
    reference: str | None = None,
    study: str | None = None,
    quick: bool = False,
    budget: Budget | None = None,
    seed: int = 1,
    level: float = 0.95,
    threads: int | None = None,
    cache: str | Path | None = None,
    progress: bool = False,
) -> Balance:
    """Measures the balance of a game under `rules`, and under those with `against` over them on the same blocks.

    strategies  the ladder; default: the game's own (with `quick` its fast part)
    reference   the one of them that plays in all seats where seats, courses and decisions are measured; default: the
                strongest by Plackett-Luce (among the fast ones, if the ladder is the game's own)
    study       KEY=FROM:TO:STEP, the numeric rule that is looked at in depth; default: the game's usual one
    budget      how much is played; `quick` takes a tenth of the usual, with wider intervals
    cache       a folder in which all that is played is kept; a second call takes it from there
    Raises `UsageError` naming the key, `RunError` if a strategy fails.
    """
    question = ask(
        game, players=players, rules=rules, strategies=strategies, against=against, reference=reference, study=study,
        quick=quick, budget=budget, seed=seed, level=level,
    )  # fmt: skip
    return answer(question, threads=threads, cache=cache, progress=progress)


def answer(
    question: Question, *, threads: int | None = None, cache: str | Path | None = None, progress: bool = False
) -> Balance:
    """Plays what a question asks for; arguments and errors as those of `balance`."""
    threads, shown = plain(threads), flag("progress", progress)
    whole = isinstance(threads, int) and not isinstance(threads, bool)
    if threads is not None and not (whole and 1 <= threads <= MOST_THREADS):
        raise refused("threads", threads, f"an integer from 1 to {MOST_THREADS}")
    if cache is not None and not (isinstance(cache, str | Path) and str(cache)):
        raise refused("cache", cache, "the name of a folder")
    home = Path(cache) if cache is not None else None
    if home is not None:
        make_folder("cache", home)
    bases, amount, level = question.bases, question.budget, question.level
    for engine in (Engine(one, labels) for one in bases.values() for labels in ((), question.names)):
        prepare(engine, shown, rollouts=True)  # a ladder with a user's functions has a kernel of its own
    announce = _announcer(len(STAGES) * len(bases) + (question.rule is not None), shown)
    reference = question.reference
    variants: list[Variant] = []
    for name, one in bases.items():
        player = Player(name, one, question.names, amount, level, threads, home, shown, announce)
        studied = (question.rule, list(question.values)) if question.rule is not None and not variants else None
        variants.append(measured(player, reference, question.candidates, studied))
        reference = variants[0].reference
    assert reference is not None
    return Balance(
        question.game,
        question.names,
        reference,
        tuple(variants),
        amount,
        question.quick,
        question.seed,
        level,
        metrics_frame(variants, level),
        changes_frame(variants, level),
        question,
    )


def _announcer(stages: int, shown: bool) -> Callable[[str], None]:
    """A function that says on stderr which of all stages begins; silent unless `shown`."""
    numbers = count(1)

    def announce(stage: str) -> None:
        number = next(numbers)
        if shown:
            print(f"nullsim: [{number}/{stages}] {stage}", file=sys.stderr, flush=True)

    return announce
