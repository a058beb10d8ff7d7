"""Skat Null: the rule options, and the row of integers a kernel sees."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernels.options import Choice, Flag, Number, Option, OptionError, Subset, parse_all

PLAYERS = 3
SUITS = "CSHD"
#: from the lowest to the highest; the index of a card is 8 * suit + rank, in these orders
RANKS = "789TJQKA"
HAND = 10

#: what a contract is worth; those with "hand" are played without the skat
VALUES = {"null": 23, "null-hand": 35, "null-ouvert": 46, "null-ouvert-hand": 59}
BIDS = (18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 45, 46, 48, 50, 54, 55, 59)

#: who may declare -> the seat, where it is a fixed one
DECLARERS = {"best": None, "forehand": 0, "middlehand": 1, "rearhand": 2, "rotate": None, "random": None}

_HOLDS = re.compile(rf"(!?)([{SUITS}])([{RANKS}])")
_EXACTLY = re.compile(rf"([{SUITS}])=(-|[{RANKS}]+)")


@dataclass(frozen=True)
class HandFilter(Option):
    """Conditions on the declarer's hand, as text. Parsed to a normal form: equal conditions, equal text."""

    def allowed(self) -> str:
        return "terms such as C7 (holds it), !C8 (does not), C=79J (just these clubs), C=- (no club); or none"

    def parse(self, value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.refuse(value)
        text = value.strip().upper().replace("10", "T")
        if text in ("", "NONE"):
            return None
        must, never = self._masks(text)
        if must.bit_count() > HAND:
            raise self._wrong(f"demands {must.bit_count()} cards of a hand of {HAND}")
        possible = len(SUITS) * len(RANKS) - never.bit_count()
        if possible < HAND:
            raise self._wrong(f"leaves only {possible} cards for a hand of {HAND}")
        return " ".join(_terms(must, never))

    def _wrong(self, problem: str) -> OptionError:
        return OptionError(self.name, problem, self.allowed())

    def _masks(self, text: str) -> tuple[int, int]:
        """The cards demanded and the cards excluded; no card may be named twice."""
        must = never = named = fixed = 0
        for term in text.split():
            if match := _HOLDS.fullmatch(term):
                unwanted, suit, ranks = match.groups()
            elif match := _EXACTLY.fullmatch(term):
                (suit, ranks), unwanted = match.groups(), ""
            else:
                raise self._wrong(f"{term} is no condition")
            cards = [_card(suit, rank) for rank in ranks if rank != "-"]
            for card in cards:
                if named & card:
                    raise self._wrong(f"{term} names a card that is already named")
                named |= card
            if "=" in term:
                whole = sum(_card(suit, rank) for rank in RANKS)
                if fixed & whole:
                    raise self._wrong(f"{term} fixes a suit that is already fixed")
                fixed |= whole
                never |= whole & ~sum(cards)
            if unwanted:
                never |= sum(cards)
            else:
                must |= sum(cards)
            if must & never:
                raise self._wrong(f"{term} contradicts another condition")
        return must, never

    def masks(self, value: str | None) -> tuple[int, int]:
        """A parsed value as two 32-bit masks: the cards the hand must hold, and must not hold."""
        return (0, 0) if value is None else self._masks(value)


def _card(suit: str, rank: str) -> int:
    """The bit of a card."""
    return 1 << (len(RANKS) * SUITS.index(suit) + RANKS.index(rank))


def _terms(must: int, never: int) -> list[str]:
    """The shortest terms for two masks, in the order of the cards."""
    terms = []
    for suit in SUITS:
        held = [rank for rank in RANKS if must & _card(suit, rank)]
        lacking = [rank for rank in RANKS if never & _card(suit, rank)]
        if len(held) + len(lacking) == len(RANKS):
            terms.append(f"{suit}={''.join(held) or '-'}")
        else:
            terms += [f"{suit}{rank}" for rank in held] + [f"!{suit}{rank}" for rank in lacking]
    return terms


HAND_FILTER = HandFilter("hand_filter", None, "conditions on the declarer's ten dealt cards (not with declarer best)")

OPTIONS = (
    Number("players", PLAYERS, "number of players (fixed)", values=(PLAYERS,)),
    Choice(
        "declarer",
        "best",
        "who may declare: who expects most, a fixed seat, one by turns, or one by lot",
        values=tuple(DECLARERS),
    ),
    Subset("contracts", tuple(VALUES), "the contracts to choose from", values=tuple(VALUES)),
    Number("bid", 18, "the bid to hold: a contract worth less may not be chosen", values=BIDS),
    Flag("must_declare", False, "whether the declarer may not pass (not with declarer best)"),
    Choice(
        "scoring",
        "plain",
        "seeger-fabian: also 50 for a declarer who wins, -50 for one who loses and then 40 for each defender",
        values=("plain", "seeger-fabian"),
    ),
    Choice(
        "loss",
        "double",
        "what a lost game costs: double its value; pre-1999: Hand games only their value",
        values=("double", "pre-1999"),
    ),
    Flag("stop_on_loss", True, "whether play stops after the declarer's first trick"),
    HAND_FILTER,
)

_COMMON = tuple(option for option in OPTIONS if option is not HAND_FILTER)

#: what a kernel sees: one int64 per option in the order of OPTIONS, but two masks for the hand filter
Rules = namedtuple("Rules", [*(option.name for option in _COMMON), "hand_must", "hand_not"])  # type: ignore[misc]


def playable(values: Mapping[str, Any]) -> list[str]:
    """The contracts that the bid allows."""
    return [name for name in values["contracts"] if VALUES[name] >= values["bid"]]


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values.

    Raises `OptionError` naming the option for unknown keys, values out of range and options that do not go
    together.
    """
    values = parse_all(OPTIONS, given)
    for name in ("must_declare", "hand_filter"):
        if values["declarer"] == "best" and values[name]:
            raise OptionError(
                name,
                "not with declarer best",
                "with declarer " + ", ".join(other for other in DECLARERS if other != "best"),
            )
    if values["must_declare"] and not playable(values):
        raise OptionError(
            "must_declare", f"none of the contracts is worth the bid of {values['bid']}", "with a lower bid"
        )
    return values


def encode(values: Mapping[str, Any]) -> Rules:
    """The completed options as the integers a kernel sees."""
    must, never = HAND_FILTER.masks(values["hand_filter"])
    return Rules(*(option.encode(values[option.name]) for option in _COMMON), must, never)  # type: ignore[call-arg]
