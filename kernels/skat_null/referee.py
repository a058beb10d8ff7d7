"""Skat Null, refereed: a transcript of one deal checked and scored from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kernels.skat_null.rules import DECLARERS, HAND, HAND_FILTER, PLAYERS, RANKS, SUITS, VALUES, playable
from kernels.transcript import Judgement, RoundReader, Say, check_over, numbers, quiet, say_cards

CARDS = [suit + rank for suit in SUITS for rank in RANKS]
SKAT = 2


def judge(rules: Mapping[str, Any], rounds: list[dict[str, Any]], say: Say = quiet) -> Judgement:
    """Check and score the one round of a game under completed rules; raises `Foul`."""
    reader = RoundReader(rounds, 1, PLAYERS, ("hands", "skat"))
    pack = Counter(CARDS)
    hands = reader.dealt_lists(pack, "hands", [HAND] * PLAYERS)
    skat = reader.dealt(pack, reader.deal["skat"], "the skat", SKAT)
    reader.starter((0,))  # forehand leads, so the dealer can only be rearhand
    say("round 1: seat 2 deals, seat 0 leads")
    say_cards(say, "holds", hands)
    say(f"  the skat: {' '.join(skat)}")

    fixed = DECLARERS[rules["declarer"]]
    candidates = [
        seat for seat in (range(PLAYERS) if fixed is None else (fixed,)) if _fits(hands[seat], rules["hand_filter"])
    ]
    if not candidates:
        raise reader.foul(f"the declarer's cards do not fit the hand filter {rules['hand_filter']}")

    result = Judgement()
    if "passed_in" in reader.peek():
        if reader.take("passed_in")["passed_in"] is not True:
            raise reader.foul("passed_in can only be true")
        if rules["must_declare"]:
            raise reader.foul("passed in, but the declarer must declare")
        scores = [0] * PLAYERS
        say("  passed in")
    else:
        declarer, contract = _declare(rules, reader, candidates, hands, skat, say)
        lost = _play(rules, reader, declarer, hands, say)
        scores = score(rules, declarer, contract, lost)
        result.winners = [seat for seat in range(PLAYERS) if (seat == declarer) != lost]
        say(f"seat {declarer} {'loses' if lost else 'wins'} {contract}")
    reader.finish(scores)
    result.add(scores)
    check_over(rounds, 1)
    say(f"the game ends: points {numbers(scores)}")
    return result


def _fits(hand: list[str], hand_filter: str | None) -> bool:
    must, never = HAND_FILTER.masks(hand_filter)
    own = sum(1 << CARDS.index(card) for card in hand)
    return own & must == must and not own & never


def _declare(
    rules: Mapping[str, Any],
    reader: RoundReader,
    candidates: list[int],
    hands: list[list[str]],
    skat: list[str],
    say: Say,
) -> tuple[int, str]:
    """The declaration: who declares and what. Without Hand the skat is changed for two cards."""
    with_skat = "take_skat" in reader.peek()
    allowed = [name for name in playable(rules) if name.endswith("-hand") != with_skat]
    choice = f"the rules allow {', '.join(allowed) or 'none'} {'with' if with_skat else 'without'} the skat"
    if with_skat:
        move = reader.turn(candidates, "take_skat")
        declarer = int(move["seat"])
        if move["take_skat"] is not True:
            raise reader.foul("take_skat can only be true")
        if not allowed:
            raise reader.foul(f"the skat is taken, but {choice}")
        hand = hands[declarer]
        hand += skat
        away = reader.items(reader.turn(declarer, "lay_away")["lay_away"], "the cards laid away", SKAT)
        for card in away:
            reader.drop(declarer, hand, card)
        say(f"  seat {declarer} takes the skat and lays away {' '.join(away)}")
        candidates = [declarer]
    move = reader.turn(candidates, "declare")
    declarer, contract = int(move["seat"]), move["declare"]
    if contract not in allowed:
        raise reader.foul(f"{contract!r} cannot be declared: {choice}")
    cards = f", open: {' '.join(hands[declarer])}" if "ouvert" in contract else ""
    say(f"  seat {declarer} declares {contract}{cards}")
    return declarer, contract


def _play(rules: Mapping[str, Any], reader: RoundReader, declarer: int, hands: list[list[str]], say: Say) -> bool:
    """The tricks; whether the declarer takes one and so loses."""
    leader, lost = 0, False
    for trick in range(1, HAND + 1):
        leader, line = reader.suit_trick(hands, leader, RANKS)
        say(f"  trick {trick}: {line}")
        lost = lost or leader == declarer
        if lost and rules["stop_on_loss"]:
            break
    return lost


def score(rules: Mapping[str, Any], declarer: int, contract: str, lost: bool) -> list[int]:
    """The points of a played deal, per seat."""
    own, each = VALUES[contract], 0
    if lost:
        own *= -1 if rules["loss"] == "pre-1999" and contract.endswith("-hand") else -2
    if rules["scoring"] == "seeger-fabian":
        own += -50 if lost else 50
        each = 40 if lost else 0
    return [own if seat == declarer else each for seat in range(PLAYERS)]
