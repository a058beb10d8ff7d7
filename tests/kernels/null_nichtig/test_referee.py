"""The referee of Null & Nichtig against games whose outcome is known by hand, and against fouls."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kernels.null_nichtig.referee import judge
from kernels.null_nichtig.rules import TABLE, complete
from tests.kernels.refereeing import Rounds, all_spoilt_are_fouls, bent, filled, foul

PACK = [f"{colour}{n}" for colour in "BGPRY" for n in (0, *range(12))]


def mirror(players: int, leader: int) -> dict[str, Any]:
    """A round in which seat s holds colour s, starts with 9 10 11 and all play alike: the leader takes all.

    Tops: the leader 8 in every colour played, the others 11.
    """
    hands = [[f"{colour}{n}" for n in (0, *range(12))] for colour in "BGPRY"]
    order = [(leader + step) % players for step in range(players)]
    moves = [{"seat": seat, "starters": hands[seat][10:]} for seat in order]
    moves += [{"seat": seat, "play": hands[seat][trick]} for trick in range(10) for seat in order]
    undealt = [card for hand in hands[players:] for card in hand]
    return {"dealer": order[-1], "deal": {"hands": hands[:players], "undealt": undealt}, "moves": moves}


def scripted(wanted: list[str], starters: list[str], first: str) -> tuple[Rounds, dict[str, Any]]:
    """One round of four players: these starters and this first trick, led by seat 0."""
    *hands, undealt = filled(PACK, wanted, [13] * 4 + [13])
    moves: list[dict[str, Any]] = []
    left = [list(hand) for hand in hands]
    for seat in range(4):
        laid = (
            starters[seat].split() if starters[seat] else [card for card in left[seat] if card not in first.split()][:3]
        )
        for card in laid:
            left[seat].remove(card)
        moves.append({"seat": seat, "starters": laid})
    for seat, card in enumerate(first.split()):
        left[seat].remove(card)
        moves.append({"seat": seat, "play": card})
    return [{"deal": {"hands": hands, "undealt": undealt}, "moves": moves}], complete({"rounds": 1})


def account(rules: dict[str, Any], rounds: Rounds) -> list[str]:
    """What the referee says of an unfinished game before it misses the next move."""
    lines: list[str] = []
    with pytest.raises(Exception, match="missing move"):
        judge(rules, rounds, lines.append)
    return lines


def played(rules: dict[str, Any], rounds: int, seed: int) -> tuple[Rounds, list[list[int]], list[list[int]]]:
    """A game of random legal moves, by an independent reckoning: the rounds, points and tricks per round."""
    rng = random.Random(seed)
    players = rules["players"]
    size, laid, _ = TABLE[players]
    game, points, taken = [], [], []
    leader = 0
    for _ in range(rounds):
        pack = rng.sample(PACK, len(PACK))
        hands = [pack[size * seat : size * (seat + 1)] for seat in range(players)]
        deal = {"hands": [list(hand) for hand in hands], "undealt": pack[size * players :]}
        first = leader
        moves: list[dict[str, Any]] = []
        tops: list[dict[str, int]] = [{} for _ in range(players)]
        tricks = [0] * players
        for step in range(players):
            seat = (leader + step) % players
            starters = [hands[seat].pop() for _ in range(laid)]
            tops[seat] = {card[0]: int(card[1:]) for card in starters}
            moves.append({"seat": seat, "starters": starters})
        while hands[0]:
            line = [((leader + step) % players, hands[(leader + step) % players].pop()) for step in range(players)]
            moves += [{"seat": seat, "play": card} for seat, card in line]
            win = max(range(players), key=lambda i: (int(line[i][1][1:]), -i))
            leader = line[win][0]
            order = {
                "clockwise-from-winner": line[win:] + line[:win],
                "winner-then-play-order": [line[win]] + [pair for pair in line if pair != line[win]],
                "play-order": line,
            }[rules["stack_order"]]
            tops[leader] |= {card[0]: int(card[1:]) for _, card in order}
            tricks[leader] += 1
        sums = [sum(own.values()) for own in tops]
        scores = [sums[s] + (0 if tricks[s] else rules["no_trick_penalty"]) for s in range(players)]
        game.append({"dealer": (first - 1) % players, "deal": deal, "moves": moves, "scores": scores})
        points.append(scores)
        taken.append(tricks)
        basis = scores if rules["lead_score"] == "with-penalty" else sums
        leader = first
        for _ in range(players):
            leader = (leader + 1) % players
            if basis[leader] == min(basis):
                break
    return game, points, taken


def test_example_of_the_document() -> None:
    rounds, rules = scripted(["B1 G1 R1 Y9", "P2", "Y0", "R6"], ["B1 G1 R1", "", "", ""], "Y9 P2 Y0 R6")
    assert account(rules, rounds)[-1].endswith("seat 0 wins; its piles show B1 G1 P2 R6 Y0")


@pytest.mark.parametrize(
    ("order", "tops"),
    [
        ("clockwise-from-winner", "B5 G1 P1 R3 Y1"),
        ("winner-then-play-order", "B1 G1 P1 R3 Y1"),
        ("play-order", "B1 G1 P1 R9 Y1"),
    ],
)
def test_stack_order(order: str, tops: str) -> None:
    rounds, rules = scripted(["R3", "B5", "R9 G1 P1 Y1", "B1"], ["", "", "G1 P1 Y1", ""], "R3 B5 R9 B1")
    assert account(rules | {"stack_order": order}, rounds)[-1].endswith(f"seat 2 wins; its piles show {tops}")


def test_of_equal_cards_the_first_wins() -> None:
    rounds, rules = scripted(["R11", "B11", "R0", "B0"], ["", "", "", ""], "R11 B11 R0 B0")
    assert "seat 0 wins" in account(rules, rounds)[-1]
    rounds, rules = scripted(["R0", "R11", "B11", "B0"], ["", "", "", ""], "R0 R11 B11 B0")
    assert "seat 1 wins" in account(rules, rounds)[-1]


def test_a_game_reckoned_by_hand() -> None:
    rules = complete({"players": 5, "rounds": 2})
    result = judge(rules, [mirror(5, 0), mirror(5, 1)])
    assert result.scores == [[40, 11, 11, 11, 11], [11, 40, 11, 11, 11]]
    assert (result.totals, result.winners, result.truncated) == ([51, 51, 22, 22, 22], [0, 1], False)
    fined = judge(rules | {"no_trick_penalty": -10}, [mirror(5, 0), mirror(5, 1)])
    assert fined.totals == [41, 41, 2, 2, 2]


def test_starters_are_piles_from_bottom_to_top() -> None:
    rounds = [mirror(5, 0)]
    rounds[0]["moves"][1]["starters"].reverse()
    assert judge(complete({"players": 5, "rounds": 1}), rounds).totals == [40, 9, 11, 11, 11]


def test_next_leader() -> None:
    two = {"players": 5, "rounds": 2}
    third_dealer = r"cannot be the dealer; by the rules it is 0$"
    foul(judge, complete(two), [mirror(5, 0), mirror(5, 3)], third_dealer, (2, None))
    judge(complete(two | {"lead_tie": "random"}), [mirror(5, 0), mirror(5, 3)])
    foul(judge, complete(two | {"lead_tie": "random"}), [mirror(5, 0), mirror(5, 0)], "cannot be", (2, None))
    # a fine of +100 makes the one who took all tricks the lowest, unless fines do not count
    fined = two | {"no_trick_penalty": 100}
    judge(complete(fined), [mirror(5, 0), mirror(5, 0)])
    judge(complete(fined | {"lead_score": "without-penalty"}), [mirror(5, 0), mirror(5, 1)])
    foul(judge, complete(fined), [mirror(5, 0), mirror(5, 1)], "cannot be", (2, None))


def test_first_dealer() -> None:
    one = {"players": 5, "rounds": 1}
    foul(judge, complete(one), [mirror(5, 2)], "cannot be the dealer; by the rules it is 4", (1, None))
    assert judge(complete(one | {"first_dealer": "random"}), [mirror(5, 2)]).winners == [2]


def test_dealer_left_out_is_inferred() -> None:
    for leader in range(5):
        game = mirror(5, leader)
        del game["dealer"]
        game["moves"][:5] = game["moves"][4::-1]  # starters may be written in any order of seats
        rules = complete({"players": 5, "rounds": 1, "first_dealer": "random"})
        assert judge(rules, [game]).winners == [leader]
    foul(judge, complete({"players": 5, "rounds": 1}), [game], "out of turn", (1, 6))


def test_target_and_limit() -> None:
    rules = {"players": 5, "target": 50}
    result = judge(complete(rules), [mirror(5, 0), mirror(5, 1)])
    assert (result.totals[0], result.truncated) == (51, False)
    foul(judge, complete(rules), [mirror(5, 0)], "missing round", (2, None))
    foul(judge, complete(rules | {"target": 40}), [mirror(5, 0), mirror(5, 1)], "after the end", (2, None))
    cut = judge(complete(rules | {"max_rounds": 1}), [mirror(5, 0)])
    assert (cut.winners, cut.truncated) == ([0], True)
    assert not judge(complete(rules | {"max_rounds": 1, "target": 40}), [mirror(5, 0)]).truncated
    assert not judge(complete(rules | {"target": None, "rounds": 1, "max_rounds": 1}), [mirror(5, 0)]).truncated


def test_a_target_is_a_seat_s_own_even_in_teams() -> None:
    rules = complete({"teams": "2x2", "target": 40, "max_rounds": 1})
    result = judge(rules, [mirror(4, 0)])
    assert (result.totals, result.winners, result.truncated) == ([32, 11, 11, 11], [0, 2], True)


@pytest.mark.parametrize(
    ("players", "teams", "sides"),
    [(6, "3x2", [[0, 3], [1, 4], [2, 5]]), (6, "2x3", [[0, 2, 4], [1, 3, 5]]), (4, "2x2", [[0, 2], [1, 3]])],
)
def test_teams(players: int, teams: str, sides: list[list[int]]) -> None:
    for seed in range(20):
        rules = complete({"players": players, "teams": teams, "rounds": 2})
        game, points, _ = played(rules, 2, seed)
        result = judge(rules, game)
        sums = [sum(row[seat] for row in points for seat in side) for side in sides]
        best = [side for side, total in zip(sides, sums, strict=True) if total == max(sums)]
        assert result.winners == sorted(seat for side in best for seat in side)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("order", ["clockwise-from-winner", "winner-then-play-order", "play-order"])
def test_random_games(players: int, order: str) -> None:
    for seed in range(8):
        rules = complete(
            {
                "players": players,
                "stack_order": order,
                "no_trick_penalty": -10,
                "lead_score": ("with-penalty", "without-penalty")[seed % 2],
                "starter_selection": ("simultaneous", "sequential")[seed % 2],
            }
        )
        game, points, _ = played(rules, rules["rounds"], seed)
        result = judge(rules, game)
        assert result.scores == points
        assert result.totals == [sum(column) for column in zip(*points, strict=True)]


def test_fouls() -> None:
    rules = complete({"players": 4, "rounds": 1})
    good = [mirror(4, 0)]

    def wrong(problem: str, at: tuple[Any, Any], *path: Any, to: Any) -> None:
        foul(judge, rules, bent(good, 0, *path, to=to), problem, at)

    wrong("does not hold 'G0'", (1, 5), "moves", 4, "play", to="G0")
    wrong("does not hold 'B11'", (1, 5), "moves", 4, "play", to="B11")  # laid as a starter
    wrong("does not hold 'B0'", (1, 13), "moves", 12, "play", to="B0")  # both zeros are played
    wrong("does not hold 'B11'", (1, 1), "moves", 0, "starters", to=["B9", "B11", "B11"])
    wrong("must be 3 long, not 2", (1, 1), "moves", 0, "starters", to=["B9", "B10"])
    wrong("out of turn: seat 2 moves, the turn is 1's", (1, 6), "moves", 5, "seat", to=2)
    wrong("out of turn", (1, 2), "moves", 1, "seat", to=0)
    wrong("before all starters", (1, 3), "moves", 2, to={"seat": 0, "play": "B0"})
    wrong("'Z1' is no card", (1, None), "deal", "undealt", 0, to="Z1")
    wrong("B5 is dealt too often", (1, None), "deal", "hands", 1, 0, to="B5")
    wrong("hands of seat 0 must be 13 long", (1, None), "deal", "hands", 0, to=["B0"])
    wrong(r"the scores .* do not follow; they are \[32, 11, 11, 11\]", (1, None), "scores", to=[32, 11, 11, 12])
    wrong("missing move", (1, 44), "moves", to=good[0]["moves"][:-1])
    wrong("a move after the end", (1, 45), "moves", to=good[0]["moves"] + [{"seat": 0, "play": "B0"}])
    wrong("unknown key 'deel'", (1, None), "deel", to=1)
    foul(judge, rules, [], "missing round", (1, None))
    foul(judge, rules, good * 2, "a round after the end of the game", (2, None))
    foul(judge, rules, "rounds", "must be a list", (None, None))  # type: ignore[arg-type]
    judge(rules, bent(good, 0, "scores", to=[32, 11, 11, 11]))


def test_sequential_starters_come_in_order() -> None:
    swapped = [mirror(4, 0)]
    moves = swapped[0]["moves"]
    moves[0], moves[1] = moves[1], moves[0]
    judge(complete({"rounds": 1}), swapped)
    foul(judge, complete({"rounds": 1, "starter_selection": "sequential"}), swapped, "out of turn", (1, 1))


def test_spoilt_transcripts() -> None:
    rules = complete({"rounds": 2})
    all_spoilt_are_fouls(judge, rules, played(rules, 2, 5)[0])
