"""Null from Norway, refereed: a transcript checked and scored from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from kernels.norwegian_null.rules import NULL_RANKS, RANKS, SUITS
from kernels.transcript import (
    Judgement,
    RoundReader,
    Say,
    check_over,
    first_left_of,
    first_starters,
    numbers,
    quiet,
    where,
)

PACK = Counter(suit + rank for suit in SUITS for rank in RANKS)


def judge(rules: Mapping[str, Any], rounds: list[dict[str, Any]], say: Say = quiet) -> Judgement:
    """Check and score the rounds of a game under completed rules; raises `Foul`."""
    seats = rules["players"]
    result = Judgement(totals=[rules["cards"]] * seats)
    starters = first_starters(rules, seats)
    null: str | None = None
    over = False
    while not over:
        reader = RoundReader(rounds, len(result.scores) + 1, seats, ("null_rank", "hands", "secrets", "stock"))
        null = _null_rank(rules, reader, null)
        starter, hands, secrets, cut = _round(rules, reader, starters, result.totals, null, say)
        secret_values = [value(secret, null, rules["face_values"]) for secret in secrets]
        scores = [
            secret_values[seat] + sum(value(card, null, rules["face_values"]) for card in hands[seat])
            for seat in range(seats)
        ]
        reader.finish(scores)
        result.scores.append(scores)
        lowest, dropping = outcome(scores, secret_values, rules["round_tie"])
        result.totals = [size - (seat in dropping) for seat, size in enumerate(result.totals)]
        say(
            f"round {reader.number} ends: points {numbers(scores)}; "
            f"a card less for {numbers(dropping) or 'nobody'}: {numbers(result.totals)}"
        )

        out = min(result.totals) == 0
        result.truncated = cut or (not out and reader.number == rules["max_rounds"])
        over = out or result.truncated
        starters = range(seats)
        if rules["first_player"] == "rotate":
            starters = [(starter + 1) % seats]
        elif rules["first_player"] == "winner":
            starters = [first_left_of(starter, lowest, seats)]
    check_over(rounds, len(result.scores))
    result.winners = where(result.totals, min(result.totals))
    say(f"the game ends: cards {numbers(result.totals)}; won by {numbers(result.winners)}")
    return result


def _null_rank(rules: Mapping[str, Any], reader: RoundReader, last: str | None) -> str:
    """The round's null rank, checked against how it is picked; `last` is the round before's."""
    allowed: Collection[str] = NULL_RANKS
    pick = rules["null_pick"]
    if pick == "fixed" or (pick == "descending" and last is None):
        allowed = (rules["null_rank"],)
    elif pick == "descending" and last is not None:
        allowed = (NULL_RANKS[(NULL_RANKS.index(last) + 1) % len(NULL_RANKS)],)
    elif pick == "random-no-repeat":
        allowed = [rank for rank in NULL_RANKS if rank != last]
    null = reader.deal["null_rank"]
    if not isinstance(null, str) or null not in allowed:
        raise reader.foul(f"the null rank cannot be {null!r}; by the rules it is {' or '.join(allowed)}")
    return null


def outcome(scores: list[int], secrets: list[int], round_tie: str) -> tuple[list[int], list[int]]:
    """Who won a round, and who drops a card: `secrets` are the values of the secret cards."""
    lowest = where(scores, min(scores))
    if round_tie == "low-secret":
        least = min(secrets[seat] for seat in lowest)
        lowest = [seat for seat in lowest if secrets[seat] == least]
    dropping = [] if round_tie == "none-drop" and len(lowest) > 1 else lowest
    return lowest, dropping


def _round(
    rules: Mapping[str, Any],
    reader: RoundReader,
    starters: Collection[int],
    sizes: list[int],
    null: str,
    say: Say,
) -> tuple[int, list[list[str]], list[str], bool]:
    """Play one round: who started, the hands and secret cards at its end, and whether a limit cut it off."""
    seats = reader.seats
    pack = PACK.copy()
    hands = reader.dealt_lists(pack, "hands", sizes)
    secrets = reader.dealt(pack, reader.deal["secrets"], "secrets", seats)
    stock = reader.dealt(pack, reader.deal["stock"], "stock", pack.total())[::-1]
    starter = seat = reader.starter(starters)
    say(f"round {reader.number}: null is {null}; seat {(seat - 1) % seats} deals, seat {seat} starts")
    for other in range(seats):
        say(f"  seat {other}: hand {' '.join(hands[other])}, secret {secrets[other]}")
    laid: list[str] = []
    turns = 0
    while stock and turns < rules["max_turns"] * seats:
        _turn(rules, reader, seat, hands[seat], stock, laid, say)
        turns += 1
        seat = (seat + 1) % seats
    for other in range(seats):
        say(f"  seat {other} shows {' '.join(hands[other])}, secret {secrets[other]}")
    return starter, hands, secrets, bool(stock)


def _turn(
    rules: Mapping[str, Any],
    reader: RoundReader,
    seat: int,
    hand: list[str],
    stock: list[str],
    laid: list[str],
    say: Say,
) -> None:
    """One turn: a card from the stock or the face-up cards, exchanged for one of the hand or laid down."""
    move = reader.turn(seat, "from", "card", "replaces")
    taken = move["from"] == "discard"
    card = reader.top(move, stock, laid)
    source = f"  turn {reader.moves_read}: seat {seat} {'takes' if taken else 'draws'} {card}"
    if move["replaces"] is None:
        if taken and rules["take_must_swap"]:
            raise reader.foul("a taken card must be exchanged")
        laid.append(card)
        say(f"{source}, lays it down")
    else:
        laid.append(reader.drop(seat, hand, move["replaces"]))
        hand.append(card)
        say(f"{source}, lays down {laid[-1]}")


def value(card: str, null: str, face_values: str) -> int:
    """What a card counts."""
    if card[1] == null:
        return 0
    worth = RANKS.index(card[1]) + 1
    return min(worth, 10) if face_values == "10-10-10" else worth
