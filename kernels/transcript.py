"""Reading a transcript, and what a referee is: the words shared by every game's `referee.py`.

A referee is written from the rules alone, in plain Python, and shares nothing with the kernel of its game but
the option table: each checks the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

Say = Callable[[str], None]


def quiet(line: str) -> None:
    """Say nothing."""


class Foul(Exception):
    """A transcript that breaks the rules. `round` and `move` count from 1; None where none is to blame."""

    def __init__(self, problem: str, round: int | None = None, move: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.round, self.move = problem, round, move

    def __str__(self) -> str:
        where = [f"{name} {n}" for name, n in (("round", self.round), ("move", self.move)) if n is not None]
        return ", ".join(where) + (": " if where else "") + self.problem


@dataclass
class Judgement:
    """How a refereed game stands: points per round and seat, and its result."""

    scores: list[list[int]] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    truncated: bool = False
    losers: list[int] | None = None

    def add(self, scores: list[int]) -> None:
        """Book a round whose points count towards the totals."""
        self.scores.append(scores)
        self.totals = [sum(column) for column in zip(*self.scores, strict=True)]


class RoundReader:
    """One round of a transcript while it is read: checks shapes, hands out moves, knows where a foul was.

    `number` counts from 1; `deal_keys` are the keys of its deal. `moves_read` is the number of the move
    being judged, 0 during the deal. Every method raises `Foul`.
    """

    def __init__(self, rounds: Any, number: int, seats: int, deal_keys: Collection[str]) -> None:
        self.number, self.seats, self.moves_read = number, seats, 0
        if not isinstance(rounds, (list, tuple)):
            raise Foul("the rounds must be a list")
        if number > len(rounds):
            raise Foul("missing round: the game is not over", number)
        record = self._record(rounds[number - 1], "the round", ("deal", "moves"), ("dealer", "scores"))
        self.deal = self._record(record["deal"], "the deal", deal_keys)
        self.moves = self.items(record["moves"], "the moves")
        self._given = record

    def foul(self, problem: str) -> Foul:
        """A foul at the move being judged."""
        return Foul(problem, self.number, self.moves_read or None)

    def _record(self, value: Any, what: str, keys: Collection[str], more: Collection[str] = ()) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.foul(f"{what} must be an object, not {value!r}")
        for key in value:
            if key not in keys and key not in more:
                raise self.foul(f"{what} has an unknown key {key!r}; expected: {', '.join((*keys, *more))}")
        for key in keys:
            if key not in value:
                raise self.foul(f"{what} lacks {key!r}")
        return value

    def items(self, value: Any, what: str, count: int | None = None) -> list[Any]:
        """`value` as a list, of `count` items where that is given."""
        if not isinstance(value, (list, tuple)):
            raise self.foul(f"{what} must be a list, not {value!r}")
        if count is not None and len(value) != count:
            raise self.foul(f"{what} must be {count} long, not {len(value)}")
        return list(value)

    # --- the deal

    def dealt(self, pack: Counter[str], value: Any, what: str, count: int) -> list[str]:
        """A list of `count` cards of the deal, taken out of what is left of the pack."""
        cards = self.items(value, what, count)
        for card in cards:
            if not isinstance(card, str) or card not in pack:
                raise self.foul(f"{what}: {card!r} is no card of this game")
            if not pack[card]:
                raise self.foul(f"{what}: {card} is dealt too often")
            pack[card] -= 1
        return cards

    def dealt_lists(self, pack: Counter[str], key: str, sizes: Sequence[int]) -> list[list[str]]:
        """A list of cards for each seat."""
        lists = self.items(self.deal[key], key, self.seats)
        return [
            self.dealt(pack, cards, f"{key} of seat {seat}", size)
            for seat, (cards, size) in enumerate(zip(lists, sizes, strict=True))
        ]

    def starter(self, allowed: Collection[int], opening: int = 0) -> int:
        """The seat that starts the round: by its dealer, by the rules, or else by who made move `opening`.

        `allowed` are the seats that the rules (and a lot they call for) can have named.
        """
        names = " or ".join(str((seat - 1) % self.seats) for seat in sorted(allowed))
        if "dealer" in self._given:
            dealer = self._given["dealer"]
            if not self._is_seat(dealer):
                raise self.foul(f"the dealer must be a seat, not {dealer!r}")
            if (dealer + 1) % self.seats not in allowed:
                raise self.foul(f"seat {dealer} cannot be the dealer; by the rules it is {names}")
            return (dealer + 1) % self.seats
        seat = self.peek(opening).get("seat")
        if len(allowed) > 1 and self._is_seat(seat):
            if seat not in allowed:
                raise Foul(f"seat {seat} starts; by the rules the dealer is {names}", self.number, opening + 1)
            return seat
        return min(allowed)

    def _is_seat(self, value: Any) -> TypeGuard[int]:
        return type(value) is int and 0 <= value < self.seats

    # --- the moves

    def peek(self, index: int | None = None) -> dict[str, Any]:
        """The move with this index (default: the next one), unchecked; an empty one where there is none."""
        index = self.moves_read if index is None else index
        move = self.moves[index] if index < len(self.moves) else {}
        return move if isinstance(move, dict) else {}

    def take(self, *keys: str) -> dict[str, Any]:
        """The next move, which must have exactly these keys."""
        self.moves_read += 1
        if self.moves_read > len(self.moves):
            raise self.foul(f"missing move: expected {', '.join(keys)}")
        return self._record(self.moves[self.moves_read - 1], "the move", keys)

    def turn(self, allowed: int | Collection[int], *keys: str) -> dict[str, Any]:
        """The next move, with these keys beside "seat", by a seat whose turn it is."""
        allowed = (allowed,) if isinstance(allowed, int) else allowed
        move = self.take("seat", *keys)
        if not self._is_seat(move["seat"]):
            raise self.foul(f"{move['seat']!r} is no seat")
        if move["seat"] not in allowed:
            names = " or ".join(map(str, sorted(allowed)))
            raise self.foul(f"out of turn: seat {move['seat']} moves, the turn is {names}'s")
        return move

    def drop(self, seat: int, hand: list[str], card: Any) -> str:
        """Take the named card out of the seat's hand."""
        if not isinstance(card, str) or card not in hand:
            raise self.foul(f"seat {seat} does not hold {card!r} (any more)")
        hand.remove(card)
        return card

    def play(self, seat: int, hand: list[str]) -> str:
        """The next move, a card that `seat` plays from its hand."""
        return self.drop(seat, hand, self.turn(seat, "play")["play"])

    def top(self, move: Mapping[str, Any], stock: list[str], discards: list[str]) -> str:
        """The card that a move takes "from" stock or discards, taken off the end of that pile."""
        piles = {"stock": stock, "discard": discards}
        name = move["from"]
        if not isinstance(name, str) or name not in piles:
            raise self.foul(f"a card comes from stock or discard, not {name!r}")
        if not piles[name]:
            raise self.foul(f"there is no card to take: the {name} is empty")
        if move["card"] != piles[name][-1]:
            raise self.foul(f"the top card of the {name} is {piles[name][-1]}, not {move['card']!r}")
        return piles[name].pop()

    def suit_trick(self, hands: Sequence[list[str]], leader: int, ranks: str) -> tuple[int, str]:
        """A trick in which suit is followed and its highest card wins: the winner, and the trick in words.

        `ranks` runs from the lowest to the highest.
        """
        best, led, line = (-1, leader), "", []
        for seat in clockwise(leader, self.seats):
            card = self.play(seat, hands[seat])
            led = led or card[0]
            if card[0] == led:
                best = max(best, (ranks.index(card[1]), seat))
            elif any(other[0] == led for other in hands[seat]):
                raise self.foul(f"seat {seat} plays {card} and does not follow {led}")
            line.append(f"{seat} {card}")
        return best[1], f"{', '.join(line)}: seat {best[1]} wins"

    def finish(self, scores: list[int]) -> None:
        """The end of the round: no move may be left, and scores that are given must be these."""
        if len(self.moves) > self.moves_read:
            raise Foul("a move after the end of the round", self.number, self.moves_read + 1)
        self.moves_read = 0
        if "scores" in self._given:
            given = self.items(self._given["scores"], "the scores", self.seats)
            if given != scores or any(type(points) is not int for points in given):
                raise self.foul(f"the scores {given} do not follow; they are {scores}")


def check_over(rounds: Sequence[Any], played: int) -> None:
    """Foul where rounds follow the end of the game."""
    if len(rounds) > played:
        raise Foul("a round after the end of the game", played + 1)


def first_starters(rules: Mapping[str, Any], seats: int) -> Collection[int]:
    """The seats that may start the first round."""
    return range(seats) if rules["first_dealer"] == "random" else (0,)


def clockwise(start: int, seats: int) -> list[int]:
    """All seats in clockwise order from `start`."""
    return [(start + step) % seats for step in range(seats)]


def first_left_of(seat: int, among: Collection[int], seats: int) -> int:
    """The first of `among` clockwise from the left of `seat`; `seat` itself comes last."""
    return next(other for other in clockwise((seat + 1) % seats, seats) if other in among)


def where(values: Iterable[int], value: int) -> list[int]:
    """The seats whose value is this one."""
    return [seat for seat, own in enumerate(values) if own == value]


def say_cards(say: Say, what: str, lists: Sequence[Sequence[str]]) -> None:
    """Tell what each seat has."""
    for seat, cards in enumerate(lists):
        say(f"  seat {seat} {what}: {' '.join(cards)}")


def numbers(values: Iterable[int]) -> str:
    """Numbers in a line of an account."""
    return " ".join(map(str, values))
