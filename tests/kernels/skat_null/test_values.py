"""Skat Null: figures that are known exactly, or from elsewhere, and the worked examples."""

from __future__ import annotations

from math import comb
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import rng
from kernels.bits import count
from kernels.skat_null import play as kernel
from kernels.skat_null.holdings import BEST_AWAY, BEST_KEPT, CHANCES
from kernels.skat_null.rules import HAND_FILTER, RANKS, complete, encode
from kernels.skat_null.state import DECK, STATE, VIEW, deal, deal_fitting, set_rules
from kernels.skat_null.strategies import gaps
from tests.kernels.playing import near, play

U = np.uint64
GAME = "skat-null"


@numba.njit
def deals(states: Any, seat: int, must: Any, never: Any, hands: Any) -> None:
    state = states[0]
    for i in range(hands.shape[0]):
        rng.start(state.shuffle, U(9), i, 0, rng.SHUFFLE, 0)
        if must | never:
            deal_fitting(state, seat, must, never)
        else:
            deal(state)
        for k in range(3):
            hands[i, k] = state.hands[k]
        hands[i, 3] = state.skat


def dealt(n: int, seat: int = 0, hand_filter: str | None = None) -> NDArray[np.uint64]:
    """n deals: three hands and the skat as bit masks."""
    must, never = HAND_FILTER.masks(HAND_FILTER.parse(hand_filter))
    hands = np.zeros((n, 4), np.uint64)
    deals(np.zeros(1, STATE), seat, U(must), U(never), hands)
    assert (hands.sum(axis=1) == DECK).all()
    assert (np.bitwise_or.reduce(hands, axis=1) == DECK).all()
    assert (np.bitwise_count(hands) == [10, 10, 10, 2]).all()
    return hands


@pytest.mark.parametrize(("wanted", "exact"), [(1, 0.090909), (2, 0.177489), (5, 0.411255), (10, 0.714286)])
def test_wanted_cards_in_the_skat(wanted: int, exact: float) -> None:
    """From the declarer's seat any `wanted` of the 22 unseen cards: here the lowest ones."""
    found = []
    for own, *_, skat in dealt(60_000).tolist():
        unseen = [card for card in range(32) if not own >> card & 1][:wanted]
        found.append(any(skat >> card & 1 for card in unseen))
    value = 1 - comb(22 - wanted, 2) / comb(22, 2)
    assert abs(value - exact) < 1e-6
    near(np.array(found, float), value)


def test_every_card_goes_everywhere_alike() -> None:
    for hand_filter, seat in ((None, 0), ("C7", 1)):
        n = 60_000
        hands = dealt(n, seat, hand_filter)
        where = (hands[:, :, None] >> np.arange(32, dtype=np.uint64) & U(1)).mean(axis=0)
        expected = np.array([10, 10, 10, 2])[:, None] / 32 * np.ones(32)
        if hand_filter:  # C7 is fixed; of the others 9 of 31 are in that hand
            expected = np.array([10, 10, 10, 2])[:, None] / 31 * np.ones(32)
            expected[seat] = 9 / 31
            expected[:, 0] = np.arange(4) == seat
        error = np.sqrt(expected * (1 - expected) / n)
        assert (abs(where - expected) <= 5 * error).all()


def test_conditional_deals_are_uniform() -> None:
    """Two clubs are fixed, one is excluded, eight cards are drawn from 29: each of the other cards equally often."""
    n = 40_000
    for seat in range(3):
        hands = dealt(n, seat, "C7 C8 !CA")
        own = hands[:, seat]
        member = (own[:, None] >> np.arange(32, dtype=np.uint64) & U(1)).astype(float)
        assert member[:, :2].all()
        assert not member[:, 7].any()
        free = np.delete(member, [0, 1, 7], axis=1)
        p, both = 8 / 29, 8 * 7 / (29 * 28)
        assert (abs(free.mean(axis=0) - p) < 5 * np.sqrt(p * (1 - p) / n)).all()
        pairs = (free.T @ free / n)[np.triu_indices(29, 1)]
        assert (abs(pairs - both) < 5 * np.sqrt(both * (1 - both) / n)).all()
        rest = DECK ^ own
        skat = hands[:, 3]
        assert (skat & ~rest == 0).all()
        near((skat >> U(7) & U(1)).astype(float), 2 / 22)
        near((hands[:, (seat + 1) % 3] >> U(7) & U(1)).astype(float), 10 / 22)


def test_fixed_hands() -> None:
    hands = dealt(50, 2, "C=789TJQKA S7 S8")
    assert (hands[:, 2] == 0x3FF).all()
    assert len(set(hands[:, 0].tolist())) == 50
    hands = dealt(50, 1, "C=- S=- H=789TJ")
    assert (hands[:, 1] & U(0xFFFF) == 0).all()
    assert (hands[:, 1] >> U(16) & U(0xFF) == 0x1F).all()


@numba.njit
def has_gaps(own: Any, others: Any) -> int:
    return gaps(own, others)


@numba.njit
def safe_hands(safe: Any) -> int:
    """The ten-card hands with four safe suits, out of all of them (and how many those are)."""
    found, hands = 0, 0
    cards = np.int64((1 << 10) - 1)
    while cards < np.int64(1) << 32:
        hands += 1
        found += safe[cards & 255] & safe[cards >> 8 & 255] & safe[cards >> 16 & 255] & safe[cards >> 24]
        low = cards & -cards  # the next larger number with as many bits
        ripple = cards + low
        cards = ripple | (((cards ^ ripple) >> 2) >> count(U(low - 1)))
    return found * 100_000_000 + hands


def test_safe_holdings() -> None:
    safe = np.array([has_gaps(U(own), U(255 ^ own)) == 0 for own in range(256)])
    lengths = np.bitwise_count(np.arange(256))
    assert [int(safe[lengths == length].sum()) for length in range(9)] == [1, 1, 2, 5, 14, 28, 20, 7, 1]
    assert safe_hands(safe.astype(np.int64)) == 46_864 * 100_000_000 + 64_512_240
    # the table of chances, which comes from elsewhere, is certain of the same holdings
    for table in CHANCES.reshape(6, 256):
        assert ((table == 1) == safe).all()


def test_gaps() -> None:
    def mask(ranks: str) -> np.uint64:
        return U(sum(1 << RANKS.index(rank) for rank in ranks))

    assert has_gaps(mask("79J"), mask("8TQKA")) == 0
    assert has_gaps(mask("9J"), mask("8TQKA")) == 2
    assert has_gaps(mask("7A"), mask("89")) == 1
    assert has_gaps(mask("7A"), mask("8")) == 0
    assert has_gaps(mask("A"), mask("7")) == 1
    assert has_gaps(mask(""), mask("7")) == 0


def test_tables_of_holdings() -> None:
    assert CHANCES.shape == (2, 3, 256)
    assert (CHANCES > 0).all()
    assert (CHANCES <= 1).all()
    for seat, away in ((0, 1), (1, 2), (2, 2)):
        for holding in (0b1, 0b10110, 0b11111111):
            cards = int(BEST_AWAY[seat, away, holding])
            if holding.bit_count() < away:
                assert (cards, BEST_KEPT[seat, away, holding]) == (0, 0)
                continue
            assert cards & ~holding == 0
            assert cards.bit_count() == away
            others = [holding ^ sub for sub in range(256) if sub & ~holding == 0 and sub.bit_count() == away]
            assert BEST_KEPT[seat, away, holding] == CHANCES[1, seat, holding ^ cards]
            assert BEST_KEPT[seat, away, holding] == max(CHANCES[1, seat, other] for other in others)


def test_random_play_of_null_by_forehand() -> None:
    rules = {"declarer": "forehand", "contracts": "null", "must_declare": True}
    won = play(GAME, 300_000, ["random"] * 3, rules).games["declarer_won"][:, 0, 0]
    assert abs(won.mean() - 0.0553) < 5 * np.sqrt(0.0553 * 0.9447 / won.size) + 0.0002


def test_who_wins_the_first_trick() -> None:
    """Uniformly random legal play of ten dealt cards."""
    rules = {"declarer": "rearhand", "contracts": "null-hand", "must_declare": True}
    won = []
    for part in range(8):
        log = np.array(play(GAME, range(part * 20_000, part * 20_000 + 20_000), ["random"] * 3, rules, log=True).log)
        place = 0
        while place < log.size:
            led, second, third = log[place + 6 : place + 9]
            won.append(not any(card >> 3 == led >> 3 and card > led for card in (second, third)))
            place += 6
            leader = 0
            for _ in range(10):
                cards = log[place : place + 3]
                best = max(range(3), key=lambda i: cards[i] if cards[i] >> 3 == cards[0] >> 3 else -1)
                leader = (leader + best) % 3
                place += 3
                if leader == 2:
                    break
            place += 3
    assert len(won) == 160_000
    near(np.array(won, float), 0.34811519)


def test_good_hands_are_won() -> None:
    """Of hands with a chance of half and more after laying away nine in ten are won against heuristic defenders."""
    least = ["safe:least=0.5", "heuristic", "heuristic", "heuristic"]
    games = play(GAME, 60_000, [least] * 3, {"contracts": "null"}).games
    declared = games["declared"].sum()
    assert declared > 1000
    assert 0.88 < games["won_declared"].sum() / declared < 0.97


@pytest.mark.parametrize(
    ("scoring", "loss", "contract", "won", "own", "other"),
    [
        ("plain", "double", "null", True, 23, 0),
        ("plain", "double", "null", False, -46, 0),
        ("plain", "double", "null-hand", False, -70, 0),
        ("plain", "pre-1999", "null-hand", False, -35, 0),
        ("plain", "pre-1999", "null", False, -46, 0),
        ("plain", "double", "null-ouvert-hand", False, -118, 0),
        ("plain", "pre-1999", "null-ouvert-hand", False, -59, 0),
        ("plain", "double", "null-ouvert-hand", True, 59, 0),
        ("seeger-fabian", "double", "null-ouvert", True, 96, 0),
        ("seeger-fabian", "double", "null-ouvert", False, -142, 40),
    ],
)
def test_scores(scoring: str, loss: str, contract: str, won: bool, own: int, other: int) -> None:
    rules = {"scoring": scoring, "loss": loss, "contracts": contract, "declarer": "forehand", "must_declare": True}
    strategies = [["heuristic"] * 4, ["random"] * 4, ["random"] * 4]
    games = play(GAME, 300, strategies, rules).games
    of_these = games["declarer_won"][:, 0, 0] == won
    assert of_these.sum() > 10
    assert (games["score"][of_these, 0] == [own, other, other]).all()


def worked(monkeypatch: pytest.MonkeyPatch, declarer: int, hands: list[str], cards: str) -> tuple[int, int]:
    """Whether the declarer loses null-hand when the first cards played are these, and the number of tricks."""
    views, states = np.zeros(2, VIEW).view(np.recarray), np.zeros(1, STATE).view(np.recarray)
    view, state = views[0], states[0]
    set_rules.py_func(view, encode(complete({})))
    view.declarer, view.contract = declarer, 1
    state.hands = [sum(1 << number(card) for card in hand.split()) for hand in hands]
    assert [int(hand).bit_count() for hand in state.hands] == [10] * 3
    turn = iter([number(card) for card in cards.split()])

    def decide(shown: Any, own: Any, code: Any, users: Any) -> int:
        legal = [card for card in range(32) if int(shown.legal) >> card & 1]
        card = next(turn, legal[0])
        assert card in legal
        return card

    monkeypatch.setattr(kernel, "ask", getattr(kernel.ask, "py_func", kernel.ask))
    monkeypatch.setattr(kernel, "decide", decide)
    assert kernel.play_tricks.py_func(view, views[1], state, None, None, None)
    return int(state.lost), int(view.taken.sum())


def number(card: str) -> int:
    return 8 * "CSHD".index(card[0]) + RANKS.index(card[1])


def test_worked_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = "S7 S8 S9 H7 H8 H9 D7 D8 D9", "SQ SK SA HQ HK HA DQ DK DA"
    third = "C9 C8 C7 CQ ST SJ HT HJ DT DJ"
    assert worked(monkeypatch, 1, [f"CT {high}", f"CJ {low}", third], "CT CJ C9") == (1, 1)
    # void in clubs any discard is legal and wins nothing
    third = third.replace("ST", "CA")
    assert worked(monkeypatch, 1, [f"CT {high}", f"ST {low}", third], "CT ST C9") == (0, 10)
    # three sevens
    clubs = "C7 C8 C9 CT CJ CQ CK CA"
    hands = [f"{clubs} SQ SK", "S7 S8 S9 H8 H9 D7 D8 D9 HA DA", "H7 ST SJ HT HJ HQ DT DJ DQ DK"]
    assert worked(monkeypatch, 0, hands, "C7 S7 H7") == (1, 1)
