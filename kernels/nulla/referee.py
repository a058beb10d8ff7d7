"""Núlla, refereed: a transcript checked and scored from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kernels.nulla.rules import RANKS, SUITS
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
    """Check and score the one round of a game under completed rules; raises `Foul`."""
    seats, row = rules["players"], rules["row"]
    turned_up = ["discard"] if rules["initial_discard"] else []
    reader = RoundReader(rounds, 1, seats, ("rows", "secrets", "stock", *turned_up))
    pack = PACK.copy()
    rows = reader.dealt_lists(pack, "rows", [row] * seats)
    secrets = reader.dealt(pack, reader.deal["secrets"], "secrets", seats)
    discards = reader.dealt(pack, [reader.deal["discard"]], "discard", 1) if turned_up else []
    stock = reader.dealt(pack, reader.deal["stock"], "stock", pack.total())[::-1]
    by_lot = rules["first_player"] == "random"
    seat = reader.starter(range(seats) if by_lot else first_starters(rules, seats))
    say(f"round 1: seat {(seat - 1) % seats} deals, seat {seat} starts")
    for other in range(seats):
        say(f"  seat {other}: row {' '.join(rows[other])}, secret {secrets[other]}")
    if discards:
        say(f"  turned up: {discards[0]}")

    turns = 0
    while stock and turns < rules["max_turns"] * seats:
        _turn(rules, reader, seat, rows[seat], stock, discards, say)
        turns += 1
        seat = (seat + 1) % seats

    zero = rules["zero_rank"]
    scores = [sum(value(card, zero) for card in (*rows[other], secrets[other])) for other in range(seats)]
    say_cards(say, "reveals", [[*cards, secret] for cards, secret in zip(rows, secrets, strict=True)])
    reader.finish(scores)
    check_over(rounds, 1)
    result = Judgement(winners=where(scores, min(scores)), truncated=bool(stock))
    result.add(scores)
    say(f"the game ends: points {numbers(scores)}; won by {numbers(result.winners)}")
    return result


def value(card: str, zero_rank: str | None) -> int:
    """What a card counts."""
    return 0 if card[1] == zero_rank or card[1] in "JQK" else RANKS.index(card[1]) + 1


def _turn(
    rules: Mapping[str, Any],
    reader: RoundReader,
    seat: int,
    row: list[str],
    stock: list[str],
    discards: list[str],
    say: Say,
) -> None:
    """One turn: a card is held, goes down the row as a chain, and the last one held is discarded.

    The top of the stock and of the discards is their last card.
    """
    move = reader.turn(seat, "from", "card", "swaps", "discards")
    taken = move["from"] == "discard"
    held = reader.top(move, stock, discards)
    swaps = move["swaps"]
    if type(swaps) is not int or not 0 <= swaps <= len(row):
        raise reader.foul(f"a chain has 0 to {len(row)} swaps, not {swaps!r}")
    if taken and not swaps and rules["take_must_swap"]:
        raise reader.foul("a taken discard must go into slot 1")
    for slot in range(swaps):
        held, row[slot] = row[slot], held
    if move["discards"] != held:
        raise reader.foul(f"a chain of {swaps} swaps discards {held}, not {move['discards']!r}")
    discards.append(held)
    source = "takes" if taken else "draws"
    row_now = f"; row {' '.join(row)}" if swaps else ""
    say(f"  turn {reader.moves_read}: seat {seat} {source} {move['card']}, {swaps} swaps, discards {held}{row_now}")
