"""Read this first: the table of games.

A game is one row of GAMES and one folder of `kernels/`, which holds

    rules.py       OPTIONS, Rules, complete, encode                             light: no numba
    referee.py     judge: the rules a second time, in plain Python             light
    transcript.py  decode: a kernel's log of moves as a transcript's rounds    light
    state.py       VIEW, STATE and the rules as small compiled functions
    strategies.py  STRATEGIES: the table of built-in strategies
    play.py        play: the kernel

The row says what a kernel's result columns are called in the result folder and which metrics are made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from kernels.options import show
from sim.errors import UsageError


@dataclass(frozen=True)
class Column:
    """A result column as stored: its kernel column, Arrow type, labels for codes. Type "" : not stored."""

    name: str
    type: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Metric:
    """A reported quantity: the ratio of the block sums of two kernel columns ("games" counts rows).

    `scale` divides the top; `proportion` says that it is a share of events, so rare ones get a Wilson interval;
    `low` that less is better, where the metric is something to strive for.
    """

    name: str
    top: str
    bottom: str
    meaning: str
    unit: str
    scale: int = 1
    proportion: bool = False
    low: bool = False


COMMON = (
    Column("score", "int32"),
    Column("tricks", "int16"),
    Column("trickless_rounds", "int16"),
    Column("rank", "int8"),
    Column("win60", ""),
    Column("lost", "bool"),
    Column("rounds", "int16"),
    Column("truncated", "bool"),
)
COMMON_ROUND = (Column("round", "int16"), Column("score", "int32"), Column("tricks", "int16"))

WIN_SHARE = Metric(
    "win_share", "win60", "games", "share of the win: 1 / number of winners for a winner, else 0", "share", 60, True
)
SCORE = Metric("score", "score", "games", "mean score of a game", "points")

#: of the two games of drawing and exchanging
TURN_METRICS = (
    Metric("swaps_per_turn", "swaps", "turns", "mean cards exchanged in a turn", "swaps"),
    Metric("taken_share", "taken", "turns", "share of turns that take the top discard", "share", proportion=True),
    Metric("tie_rate", "tied", "games", "share of games that several win", "share", proportion=True),
    Metric("truncated_share", "truncated", "games", "share of games cut off by a limit", "share", proportion=True),
)


@dataclass(frozen=True)
class Game:
    """A row of the table.

    `unit` names what speed is counted in; `duel` the two strategies of its usual break-even. `objective` is what its
    players play for, "games" or "points"; `ladder` are the strategies of its balance report, weak to strong, `fast`
    those that a quick one leaves in; `study` is the rule, with its values, that a report looks at in depth. `decisions`
    names the kinds of decisions, in the kernel's order; `opening` the values of options under which seat 0 starts or
    leads the first round.
    """

    id: str
    title: str
    seats: tuple[int, ...]
    unit: str
    columns: tuple[Column, ...]
    round_columns: tuple[Column, ...]
    metrics: tuple[Metric, ...]
    parts: tuple[str, ...] = ("",)
    version: int = 1
    duel: tuple[str, ...] = ()
    objective: str = "games"
    ladder: tuple[str, ...] = ()
    fast: tuple[str, ...] = ()
    study: tuple[str, str] | None = None
    decisions: tuple[str, ...] = ()
    opening: tuple[tuple[str, str], ...] = (("first_dealer", "last-seat"),)

    def module(self, name: str) -> ModuleType:
        """A module of the game's folder, imported on first use: "rules", "referee", "state", "play", ..."""
        return import_module(f"kernels.{self.id.replace('-', '_')}.{name}")

    @property
    def game_columns(self) -> tuple[Column, ...]:
        """All kernel columns of `games`, in the kernel's order."""
        return COMMON + self.columns

    @property
    def all_round_columns(self) -> tuple[Column, ...]:
        """All kernel columns of `rounds`, in the kernel's order."""
        return COMMON_ROUND + self.round_columns


GAMES = {
    game.id: game
    for game in (
        Game(
            "null-nichtig",
            "Null & Nichtig (Reiner Stockhausen, 2006)",
            seats=(3, 4, 5, 6),
            unit="round",
            duel=("duck", "solid"),
            decisions=("starter", "lead", "follow"),
            ladder=("random", "dodge", "duck", "solid", "greedy"),
            fast=("random", "dodge", "duck", "solid"),
            study=("no_trick_penalty", "-20:0:2"),
            columns=(
                Column("base_score", "int32"),
                Column("led_first", "bool"),
                Column("round_wins60", ""),  # shares of rounds won, in sixtieths
            ),
            round_columns=(Column("base_score", "int32"), Column("led", "bool")),
            metrics=(
                WIN_SHARE,
                SCORE,
                Metric("score_per_round", "score", "rounds", "mean points of a round", "points"),
                Metric(
                    "round_win_share",
                    "round_wins60",
                    "rounds",
                    "share of a round's win: 1 / number of winners for a winner, else 0",
                    "share",
                    60,
                    True,
                ),
                Metric("tricks_per_round", "tricks", "rounds", "mean tricks taken in a round", "tricks"),
                Metric(
                    "trickless_rate",
                    "trickless_rounds",
                    "rounds",
                    "share of rounds without a trick",
                    "share",
                    proportion=True,
                ),
            ),
        ),
        Game(
            "nil",
            "Nil (published by F. Barraco)",
            seats=(4,),
            unit="deal",
            decisions=("lead", "follow", "discard"),
            ladder=("random", "duck", "switch"),
            fast=("random", "duck", "switch"),
            study=("deals", "1,2,3,5,10,20"),
            columns=(
                Column("nils", "int16"),
                Column("hands", ""),  # without redeals
                Column("no_nil_hands", ""),
                Column("tricks_played", ""),
            ),
            round_columns=(Column("nil", "bool"), Column("led", "bool"), Column("redeal", "bool")),
            metrics=(
                WIN_SHARE,
                SCORE,
                Metric("loser_share", "lost", "games", "share of games lost: fewest points", "share", proportion=True),
                Metric("score_per_deal", "score", "rounds", "mean points of a deal", "points"),
                Metric("nil_rate", "nils", "hands", "share of hands without a trick", "share", proportion=True),
                Metric(
                    "no_nil_rate",
                    "no_nil_hands",
                    "hands",
                    "share of hands in which everybody took a trick",
                    "share",
                    proportion=True,
                ),
                Metric("tricks_per_deal", "tricks_played", "rounds", "mean length of a deal", "tricks"),
            ),
        ),
        Game(
            "skat-null",
            "Null games of Skat",
            seats=(3,),
            unit="deal",
            decisions=(
                "declare",
                "lay away",
                "announce",
                *(f"{who} {does}" for who in ("declarer", "defender") for does in ("leads", "follows", "discards")),
            ),
            objective="points",  # a deal passed in is won by nobody, so a share of wins says little
            ladder=("random", "heuristic:declare=always", "heuristic:declare=safe", "heuristic"),
            fast=("random", "heuristic:declare=always", "heuristic:declare=safe", "heuristic"),
            study=("bid", "18,23,35,46,59"),
            columns=(
                Column("role", "string", ("declarer", "defender", "none")),
                Column("contract", "string", ("null", "null-hand", "null-ouvert", "null-ouvert-hand", "none")),
                Column("declarer_won", "bool"),
                Column("declared", ""),  # whether this seat did
                Column("won_declared", ""),
                Column("declarer_score", ""),
                Column("defended", ""),
                Column("defender_score", ""),
                Column("passed_in", ""),
                Column("declared_null", ""),
                Column("declared_null_hand", ""),
                Column("declared_null_ouvert", ""),
                Column("declared_null_ouvert_hand", ""),
            ),
            round_columns=(
                Column("role", "string", ("declarer", "defender", "none")),
                Column("contract", "string", ("null", "null-hand", "null-ouvert", "null-ouvert-hand", "none")),
                Column("declarer_won", "bool"),
            ),
            metrics=(
                WIN_SHARE,
                Metric("score", "score", "games", "mean score of a deal", "points"),
                Metric("declared_share", "declared", "games", "share of deals declared", "share", proportion=True),
                *(
                    Metric(
                        f"{contract.replace('-', '_')}_share",
                        f"declared_{contract.replace('-', '_')}",
                        "games",
                        f"share of deals declared as {contract}",
                        "share",
                        proportion=True,
                    )
                    for contract in ("null", "null-hand", "null-ouvert", "null-ouvert-hand")
                ),
                Metric(
                    "won_share", "won_declared", "declared", "share of the declared deals won", "share", proportion=True
                ),
                Metric("declarer_score", "declarer_score", "declared", "mean score as declarer", "points"),
                Metric("defender_score", "defender_score", "defended", "mean score as defender", "points"),
                Metric("passed_in_share", "passed_in", "games", "share of deals passed in", "share", proportion=True),
            ),
            parts=("declare", "skat", "play", "defend"),
            opening=(),
        ),
        Game(
            "nulla",
            "Núlla, also Flétta",
            seats=(2, 3, 4),
            unit="game",
            decisions=("draw or take", "chain"),
            opening=(("first_dealer", "last-seat"), ("first_player", "left-of-dealer")),
            ladder=("stand", "random", "first", "chain", "shift", "dp", "dp-win"),
            fast=("stand", "random", "first", "chain", "shift", "dp"),
            study=("row", "5,6,12"),
            columns=(
                Column("turns", "int32"),
                Column("swaps", "int32"),
                Column("taken", "int32"),
                Column("secret", "int8"),
                Column("tied", ""),
            ),
            round_columns=(
                Column("turns", "int32"),
                Column("swaps", "int32"),
                Column("taken", "int32"),
                Column("secret", "int8"),
            ),
            metrics=(
                WIN_SHARE,
                Metric("score", "score", "games", "mean total of row and secret card", "points", low=True),
                Metric("turns", "turns", "games", "mean turns of a game", "turns"),
                *TURN_METRICS,
            ),
        ),
        Game(
            "norwegian-null",
            "Null from Norway",
            seats=(3, 4, 5, 6),
            unit="game",
            decisions=("draw or take", "lay"),
            ladder=("stand", "random", "threshold", "greedy", "greedy-discard", "dp", "dp-win"),
            fast=("stand", "random", "threshold", "greedy", "greedy-discard", "dp"),
            study=("cards", "1:8"),
            columns=(
                Column("cards_left", "int8"),
                Column("rounds_won", "int16"),
                Column("turns", "int32"),
                Column("swaps", ""),
                Column("taken", ""),
                Column("tied", ""),
                Column("first_alone", ""),
                Column("first_alone_won", ""),
                Column("points", ""),
            ),
            round_columns=(
                Column("cards", "int8"),
                Column("won", "bool"),
                Column("turns", "int32"),
                Column("null_rank", "int8"),
            ),
            metrics=(
                WIN_SHARE,
                Metric("score", "score", "games", "mean cards left at the end of a game", "cards", low=True),
                Metric("points_per_round", "points", "rounds", "mean sum of hand and secret card", "points", low=True),
                Metric("rounds", "rounds", "games", "mean rounds of a game", "rounds"),
                Metric("round_win_rate", "rounds_won", "rounds", "share of rounds won", "share", proportion=True),
                Metric(
                    "snowball",
                    "first_alone_won",
                    "first_alone",
                    "share of games won (or shared) by who alone won the first round",
                    "share",
                    proportion=True,
                ),
                Metric("turns_per_round", "turns", "rounds", "mean turns of a round", "turns"),
                *TURN_METRICS,
            ),
        ),
    )
}


def find_game(name: Any) -> Game:
    """The row of a game by id; raises `UsageError` naming the games."""
    if not isinstance(name, str) or name not in GAMES:
        raise UsageError(f"game: no game {show(name)}; games: {', '.join(GAMES)}")
    return GAMES[name]
