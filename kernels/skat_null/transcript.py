"""Skat Null: the kernel's log of moves as the rounds of a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernels.skat_null.rules import HAND, PLAYERS, RANKS, SUITS, VALUES

CONTRACTS = tuple(VALUES)


def card_name(card: int) -> str:
    """The name of card 8 * suit + rank: suit letter and rank, such as ST."""
    return SUITS[card // 8] + RANKS[card % 8]


def names(cards: int) -> list[str]:
    """The names of a set of cards."""
    return [card_name(card) for card in range(32) if cards >> card & 1]


def decode(log: Sequence[int], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rounds of one game, which is one deal, from the kernel's log.

    The log holds each seat's cards, the skat and the declarer (-1: passed in); the Hand contract, or 0, the two cards
    laid away and the contract; the cards in the order they were played; and each seat's points.
    """
    values = iter(log)
    hands = [names(next(values)) for _ in range(PLAYERS)]
    skat = names(next(values))
    declarer = next(values)
    moves: list[dict[str, Any]] = []
    if declarer < 0:
        moves.append({"passed_in": True})
    else:
        contract = next(values)
        if contract == 0:
            away = [card_name(next(values)) for _ in range(2)]
            contract = next(values)
            moves = [{"seat": declarer, "take_skat": True}, {"seat": declarer, "lay_away": away}]
        moves.append({"seat": declarer, "declare": CONTRACTS[contract]})
        moves += _tricks(values, declarer, bool(rules["stop_on_loss"]))
    return [
        {
            "dealer": PLAYERS - 1,
            "deal": {"hands": hands, "skat": skat},
            "moves": moves,
            "scores": [next(values) for _ in range(PLAYERS)],
        }
    ]


def _tricks(values: Iterator[int], declarer: int, stop_on_loss: bool) -> list[dict[str, Any]]:
    moves: list[dict[str, Any]] = []
    leader = 0
    for _ in range(HAND):
        trick = [next(values) for _ in range(PLAYERS)]
        moves += [{"seat": (leader + i) % PLAYERS, "play": card_name(card)} for i, card in enumerate(trick)]
        following = [i for i in range(PLAYERS) if trick[i] // 8 == trick[0] // 8]
        leader = (leader + max(following, key=lambda i: trick[i])) % PLAYERS
        if leader == declarer and stop_on_loss:
            break
    return moves
