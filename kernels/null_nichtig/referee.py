"""Null & Nichtig, refereed: a transcript checked and scored from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from kernels.null_nichtig.rules import COLOURS, HIGHEST, TABLE, TEAMS
from kernels.transcript import (
    Foul,
    Judgement,
    RoundReader,
    Say,
    check_over,
    clockwise,
    first_left_of,
    first_starters,
    numbers,
    quiet,
    say_cards,
    where,
)

#: every card with how often it is there; 0 is there twice
PACK = Counter({f"{colour}{n}": 2 if n == 0 else 1 for colour in COLOURS for n in range(HIGHEST + 1)})

Piles = dict[str, list[int]]


def judge(rules: Mapping[str, Any], rounds: list[dict[str, Any]], say: Say = quiet) -> Judgement:
    """Check and score the rounds of a game under completed rules; raises `Foul`."""
    seats, result = rules["players"], Judgement()
    leaders = first_starters(rules, seats)
    over = False
    while not over:
        reader = RoundReader(rounds, len(result.scores) + 1, seats, ("hands", "undealt"))
        leader, tops, tricks = _round(rules, reader, leaders, say)
        penalty = [0 if taken else rules["no_trick_penalty"] for taken in tricks]
        scores = [top + fine for top, fine in zip(tops, penalty, strict=True)]
        reader.finish(scores)
        result.add(scores)
        say(f"round {reader.number} ends: tricks {numbers(tricks)}; points {numbers(scores)}")

        if rules["target"] is None:
            over = reader.number == rules["rounds"]
        else:
            reached = max(result.totals) >= rules["target"]
            result.truncated = not reached and reader.number == rules["max_rounds"]
            over = reached or result.truncated
        basis = scores if rules["lead_score"] == "with-penalty" else tops
        leaders = where(basis, min(basis))
        if rules["lead_tie"] == "clockwise":
            leaders = [first_left_of(leader, leaders, seats)]
    check_over(rounds, len(result.scores))

    teams = TEAMS[rules["teams"]][1] or seats
    sums = [sum(result.totals[team::teams]) for team in range(teams)]
    result.winners = [seat for seat in range(seats) if sums[seat % teams] == max(sums)]
    say(f"the game ends: totals {numbers(result.totals)}; won by {numbers(result.winners)}")
    return result


def _round(
    rules: Mapping[str, Any], reader: RoundReader, leaders: Collection[int], say: Say
) -> tuple[int, list[int], list[int]]:
    """Play one round: its leader, and per seat the sum of the pile tops and the tricks taken."""
    seats = reader.seats
    dealt, starters, _ = TABLE[seats]
    pack = PACK.copy()
    hands = reader.dealt_lists(pack, "hands", [dealt] * seats)
    reader.dealt(pack, reader.deal["undealt"], "undealt", PACK.total() - dealt * seats)
    first_leader = leader = reader.starter(leaders, opening=seats)
    say(f"round {reader.number}: seat {(leader - 1) % seats} deals, seat {leader} leads")
    say_cards(say, "holds", hands)

    piles: list[Piles] = [{} for _ in range(seats)]
    waiting = clockwise(leader, seats)
    while waiting:
        if "play" in reader.peek():
            raise Foul("a card is played before all starters are laid", reader.number, reader.moves_read + 1)
        # laid at the same time, starters may be written down in any order
        move = reader.turn(waiting if rules["starter_selection"] == "simultaneous" else waiting[0], "starters")
        seat = move["seat"]
        waiting.remove(seat)
        for card in reader.items(move["starters"], "the starters", starters):
            collect(piles[seat], reader.drop(seat, hands[seat], card))
        say(f"  seat {seat} starts with {' '.join(move['starters'])}")

    tricks = [0] * seats
    for trick in range(1, dealt - starters + 1):
        order = clockwise(leader, seats)
        cards = [reader.play(seat, hands[seat]) for seat in order]
        values = [int(card[1:]) for card in cards]
        best = values.index(max(values))  # of equal cards the one played first
        leader = order[best]
        tricks[leader] += 1
        for card in stacked(cards, best, rules["stack_order"]):
            collect(piles[leader], card)
        line = ", ".join(f"{seat} {card}" for seat, card in zip(order, cards, strict=True))
        say(f"  trick {trick}: {line}: seat {leader} wins; its piles show {tops_text(piles[leader])}")
    return first_leader, [sum(pile[-1] for pile in own.values()) for own in piles], tricks


def stacked(cards: list[str], best: int, order: str) -> list[str]:
    """The cards of a trick (in the order played, the winner's at index `best`) in the order of stacking."""
    if order == "clockwise-from-winner":
        return cards[best:] + cards[:best]
    if order == "winner-then-play-order":
        return [cards[best], *cards[:best], *cards[best + 1 :]]
    return cards


def collect(piles: Piles, card: str) -> None:
    """Put a card on top of the pile of its colour."""
    piles.setdefault(card[0], []).append(int(card[1:]))


def tops_text(piles: Piles) -> str:
    """The top cards of someone's piles."""
    return " ".join(f"{colour}{piles[colour][-1]}" for colour in COLOURS if colour in piles)
