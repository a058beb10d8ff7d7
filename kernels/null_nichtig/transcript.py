"""Null & Nichtig: the kernel's log of moves as the rounds of a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernels.null_nichtig.rules import COLOURS, HIGHEST, TABLE


def card_name(card: int) -> str:
    """The name of card rank * 5 + colour: colour letter and rank, such as Y9."""
    return f"{COLOURS[card % 5]}{card // 5}"


def names(cards: int, twins: int) -> list[str]:
    """The names of a set of cards, lowest first."""
    return [
        card_name(card)
        for card in range(5 * (HIGHEST + 1))
        for _ in range((cards >> card & 1) + (twins >> card & 1 if card < 5 else 0))
    ]


def decode(log: Sequence[int], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rounds of one game from the kernel's log.

    Per round the log holds the leader, each seat's hand (cards, twins), the starters in the order they were chosen,
    the cards in the order they were played, and each seat's points.
    """
    players = rules["players"]
    each, starters, _ = TABLE[players]
    values = iter(log)
    return [_round(values, leader, players, each, starters) for leader in values]


def _round(values: Iterator[int], leader: int, players: int, each: int, starters: int) -> dict[str, Any]:
    """One round; of a game that stopped in its middle what there is, without scores."""
    moves: list[dict[str, Any]] = []
    record: dict[str, Any] = {"dealer": (leader - 1) % players, "deal": {}, "moves": moves}
    try:
        hands = [names(next(values), next(values)) for _ in range(players)]
        undealt = names(2**60 - 1, 31)
        for hand in hands:
            for card in hand:
                undealt.remove(card)
        record["deal"] = {"hands": hands, "undealt": undealt}
        for k in range(players):
            laid = [card_name(next(values)) for _ in range(starters)]
            moves.append({"seat": (leader + k) % players, "starters": laid})
        seat = leader
        for _ in range(each - starters):
            trick = []
            for k in range(players):
                trick.append(next(values))
                moves.append({"seat": (seat + k) % players, "play": card_name(trick[-1])})
            best = max(range(players), key=lambda k: (trick[k] // 5, -k))
            seat = (seat + best) % players
        record["scores"] = [next(values) for _ in range(players)]
    except StopIteration:
        pass
    return record
