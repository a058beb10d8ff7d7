"""Null & Nichtig: the rule options, and the row of integers a kernel sees."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from kernels.options import FIRST_DEALER, Choice, Integer, Number, OptionError, parse_all

COLOURS = "BGPRY"
HIGHEST = 11

#: players -> cards dealt to each, starters laid by each, rounds in a game unless set
TABLE = {3: (13, 3, 3), 4: (13, 3, 4), 5: (13, 3, 5), 6: (10, 2, 8)}

#: team layout -> (players, number of teams); seat s belongs to team s mod number of teams
TEAMS = {"none": (0, 0), "2x2": (4, 2), "3x2": (6, 3), "2x3": (6, 2)}

OPTIONS = (
    Number("players", 4, "number of players", values=(3, 4, 5, 6)),
    Integer(
        "rounds",
        None,
        "rounds in a game",
        low=1,
        high=1000,
        derived="3, 4, 5, 8 for 3, 4, 5, 6 players",
    ),
    Integer(
        "target",
        None,
        "play until a seat's own total reaches it, instead of a number of rounds",
        low=1,
        high=10000,
        none=True,
    ),
    Integer("max_rounds", 1000, "limit of a game with a target; a game it cuts is truncated", low=1, high=10**9),
    Integer(
        "no_trick_penalty",
        0,
        "points added to a player who takes no trick in a round",
        low=-1000,
        high=1000,
    ),
    Choice(
        "stack_order",
        "clockwise-from-winner",
        "order in which the winner stacks a trick on the colour piles",
        values=("clockwise-from-winner", "winner-then-play-order", "play-order"),
    ),
    Choice(
        "starter_selection",
        "simultaneous",
        "whether a later player sees the earlier players' starters when choosing",
        values=("simultaneous", "sequential"),
    ),
    Choice("teams", "none", "teams x size; opposite or alternate seats play together", values=tuple(TEAMS)),
    Choice(
        "lead_tie",
        "clockwise",
        "who leads when several have the fewest points: first from the left of the last leader, or by lot",
        values=("clockwise", "random"),
    ),
    Choice(
        "lead_score",
        "with-penalty",
        "whether the no-trick penalty counts for the fewest points",
        values=("with-penalty", "without-penalty"),
    ),
    FIRST_DEALER,
)


#: what a kernel sees: one int64 per option, in the order of OPTIONS
Rules = namedtuple("Rules", [option.name for option in OPTIONS])  # type: ignore[misc]


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values, defaults that depend on others filled in.

    Raises `OptionError` naming the option for unknown keys, values out of range and teams that do not fit.
    """
    values = parse_all(OPTIONS, given)
    if values["rounds"] is None:
        values["rounds"] = TABLE[values["players"]][2]
    if values["teams"] != "none" and TEAMS[values["teams"]][0] != values["players"]:
        fitting = [name for name, (players, _) in TEAMS.items() if players in (0, values["players"])]
        raise OptionError("teams", f"{values['teams']} does not fit {values['players']} players", ", ".join(fitting))
    return values


def encode(values: Mapping[str, Any]) -> Rules:
    """The completed options as the integers a kernel sees."""
    return Rules(*(option.encode(values[option.name]) for option in OPTIONS))
