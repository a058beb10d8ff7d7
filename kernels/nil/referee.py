"""Nil, refereed: a transcript checked and scored from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from kernels.nil.rules import HAND, PLAYERS, RANKS, SUITS
from kernels.transcript import (
    Judgement,
    RoundReader,
    Say,
    check_over,
    first_starters,
    numbers,
    quiet,
    say_cards,
    where,
)

PACK = Counter(suit + rank for suit in SUITS for rank in RANKS)


def judge(rules: Mapping[str, Any], rounds: list[dict[str, Any]], say: Say = quiet) -> Judgement:
    """Check and score the rounds of a game under completed rules; raises `Foul`."""
    if rules["scoring"] == "pool":
        result = _pool_game(rules, rounds, say)
    else:
        result = Judgement()
        starters = first_starters(rules, PLAYERS)
        for number in range(1, rules["deals"] + 1):
            reader, tricks, starters = _hand(rounds, number, starters, range(PLAYERS), say)
            _book(reader, result, payments(rules["scoring"], tricks), say)
        _rank(result)
    check_over(rounds, len(result.scores))
    say(f"the game ends: totals {numbers(result.totals)}; won by {numbers(result.winners)}")
    return result


def payments(scoring: str, tricks: list[int]) -> list[int]:
    """What a hand brings each seat under `award` or `transfer`."""
    nils = where(tricks, 0)
    if not nils:
        return [1 if scoring == "award" else 0] * PLAYERS
    lucky = nils if len(nils) < 3 else where(tricks, max(tricks))  # with three nils: the one with all tricks
    gain, others = (1 if len(nils) == 2 else 3), (-1 if scoring == "transfer" else 0)
    return [gain if seat in lucky else others for seat in range(PLAYERS)]


def _pool_game(rules: Mapping[str, Any], rounds: list[dict[str, Any]], say: Say) -> Judgement:
    """A game for the pool. After two nils who cannot split it, further hands decide between those two."""
    result = Judgement()
    starters = first_starters(rules, PLAYERS)
    pool, rivals = 0, list[int]()
    taker: int | None = None
    over = False
    while not over:
        number = len(result.scores) + 1
        reader, tricks, starters = _hand(rounds, number, starters, rivals or range(PLAYERS), say)
        scores = [0] * PLAYERS
        if rivals:
            if any(tricks[seat] for seat in rivals):
                taker = next(seat for seat in rivals if not tricks[seat])
        else:
            nils = where(tricks, 0)
            if not nils:
                scores = [-taken for taken in tricks]
            elif len(nils) == 2:
                if pool and pool % 2 == 0:
                    scores = [pool // 2 if seat in nils else 0 for seat in range(PLAYERS)]
                    over = True
                else:
                    rivals = nils
            else:
                taker = nils[0] if len(nils) == 1 else where(tricks, max(tricks))[0]
        if taker is not None:
            scores[taker] = pool
            over = True
        _book(reader, result, scores, say)
        pool -= sum(scores)
        say(f"  the pool holds {pool}" + (f", for {numbers(rivals)} to decide" if rivals and not over else ""))
        if not over and number == rules["max_deals"]:
            result.truncated = over = True
    _rank(result)
    if taker is not None and not any(result.totals):  # a perfect game: decided while the pool was empty
        result.winners = [taker]
        result.losers = [seat for seat in range(PLAYERS) if seat != taker]
    return result


def _hand(
    rounds: list[dict[str, Any]], number: int, starters: Collection[int], racing: Collection[int], say: Say
) -> tuple[RoundReader, list[int], Collection[int]]:
    """Play one hand: its reader, the tricks per seat, and who starts the next one.

    `racing` are the seats whose tricks stop the hand: all four must have one, of two rivals one of them.
    """
    reader = RoundReader(rounds, number, PLAYERS, ("hands",))
    hands = reader.dealt_lists(PACK.copy(), "hands", [HAND] * PLAYERS)
    starter = leader = reader.starter(starters)
    say(f"round {number}: seat {(leader - 1) % PLAYERS} deals, seat {leader} leads")
    say_cards(say, "holds", hands)
    needed = PLAYERS if len(racing) == PLAYERS else 1
    tricks = [0] * PLAYERS
    while hands[0] and sum(tricks[seat] > 0 for seat in racing) < needed:
        leader, line = reader.suit_trick(hands, leader, RANKS)
        tricks[leader] += 1
        say(f"  trick {sum(tricks)}: {line}")
    return reader, tricks, [(starter + 1) % PLAYERS]


def _book(reader: RoundReader, result: Judgement, scores: list[int], say: Say) -> None:
    reader.finish(scores)
    result.add(scores)
    say(f"round {reader.number} ends: points {numbers(scores)}")


def _rank(result: Judgement) -> None:
    """Most points win, fewest lose; nobody loses where all are equal."""
    most, fewest = max(result.totals), min(result.totals)
    result.winners = where(result.totals, most)
    result.losers = where(result.totals, fewest) if fewest < most else []
