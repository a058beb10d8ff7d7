"""Skat Null: the built-in strategies and their table.

A row has four functions, one for each part of a strategy (declare, skat, play, defend), None where it lacks the part.
"""

from __future__ import annotations

import numpy as np

from kernels.bits import count, highest, kth, lowest
from kernels.compile import device, outlined
from kernels.skat_null.holdings import BEST_AWAY, BEST_KEPT, CHANCES
from kernels.skat_null.state import (
    ANNOUNCE,
    CLUBS,
    DECK,
    HAND_CONTRACTS,
    NULL,
    NULL_HAND,
    NULL_OUVERT,
    NULL_OUVERT_HAND,
    PASS,
    SKAT_CONTRACTS,
    TAKE_SKAT,
    offer,
    pair,
)
from kernels.strategy import Parameter, Strategy, below, param
from kernels.tricks import under

U = np.uint64

#: a hand whose best eight cards win less often than this is not worth a closer look at what the skat may bring
HOPELESS = 0.1

#: 22 skats that stand for all 231: the k-th unseen card with the PARTNER[k]-th, so that each comes up twice. These
#: distances mix ranks and suits about as chance does: the mean chance comes out within .017 (rms, doubtful hands)
PARTNER = np.array([(k + (3 if k & 1 else 9)) % 22 for k in range(22)], np.int64)


@device
def held(cards, suit):
    """The ranks held in a suit, as an index 0..255."""
    return np.int64((cards >> U(8 * suit)) & CLUBS)


def _gaps():
    """uint8[256, 256]: by own and others' cards of a suit, how many of the own are gaps; see `gaps`."""
    own, others = np.arange(256)[:, None], np.arange(256)[None, :]
    found = np.zeros((256, 256), np.uint8)
    for rank in range(8):
        below = (1 << rank) - 1
        place = np.bitwise_count(own & below) + 1
        found += ((own >> rank) & 1 == 1) & (np.bitwise_count(others & below) >= place)
    return found


GAPS = _gaps()


@device
def gaps(own, others):
    """How many of the cards `own` in a suit lie above as many of `others` or more, counted from the lowest.

    The i-th lowest own card counts if the i-th lowest of the others is below it. Without gaps, and not on lead, the
    suit can never take a trick.
    """
    return np.int64(GAPS[own, others])


def _shares():
    """int64[9, 9]: by the others' cards below a card and all of them, the place of that share among all shares."""
    shares = [[below / all_ if all_ else 1.0 for all_ in range(9)] for below in range(9)]
    return 512 * np.unique(shares, return_inverse=True)[1].reshape(9, 9).astype(np.int64)


#: as the upper part of a key
SHARES = _shares()


@device
def chance(hand, seat, with_skat):
    """The declarer's winning chance with ten cards: the product over the suits."""
    result = 1.0
    for suit in range(4):
        result *= CHANCES[with_skat, seat, held(hand, suit)]
    return result


@device
def chance_kept(cards, seat, away):
    """The best chance of what is left of `cards` when `away` (1 or 2) of them are laid away."""
    c, s, h, d = held(cards, 0), held(cards, 1), held(cards, 2), held(cards, 3)
    best = BEST_KEPT[seat]
    c0, s0, h0, d0 = best[0, c], best[0, s], best[0, h], best[0, d]
    c1, s1, h1, d1 = best[1, c], best[1, s], best[1, h], best[1, d]
    black, red = c0 * s0, h0 * d0
    black1, red1 = max(c1 * s0, c0 * s1), max(h1 * d0, h0 * d1)
    if away == 1:
        return max(black1 * red, black * red1)
    black2 = max(c1 * s1, best[2, c] * s0, c0 * best[2, s])
    red2 = max(h1 * d1, best[2, h] * d0, h0 * best[2, d])
    return max(black2 * red, black1 * red1, black * red2)


@device
def expected(view, contract, kappa):
    """The declarer's expected score as a line: (score at chance 0, slope), for the chance of perfect open play.

    With cards hidden a share `kappa` of the games lost that way is won after all. Far below any score for a contract
    that may not be chosen.
    """
    if (view.playable >> contract) & 1 == 0:
        return -1e9, 0.0
    slope = np.float64(view.own_won[contract] - view.own_lost[contract])
    if contract >= NULL_OUVERT:
        return np.float64(view.own_lost[contract]), slope
    return view.own_lost[contract] + kappa * slope, (1.0 - kappa) * slope


@outlined
def weigh(view, kappa, least, pass_below):
    """The best choice of a seat by expected score: the answer to DECLARE.

    Only what has a winning chance of at least `least` is chosen, unless the seat must declare; it passes if nothing
    is left or the best expects no more than `pass_below`. What the skat brings is averaged over 22 skats in which
    each unseen card comes up twice; a hopeless hand is taken as if it laid the skat away again.
    """
    if view.must_declare and view.playable & HAND_CONTRACTS == 0:
        return offer(TAKE_SKAT, 0.0)  # nothing to choose
    seat = view.seat
    hand = view.hand
    null, null_slope = expected(view, NULL, kappa)
    ouvert, ouvert_slope = expected(view, NULL_OUVERT, kappa)
    taken = chance(hand, seat, 1)
    score = max(null + null_slope * taken, ouvert + ouvert_slope * taken)
    if view.playable & SKAT_CONTRACTS and chance_kept(hand, seat, 2) >= HOPELESS:
        unseen = DECK ^ hand
        taken = 0.0
        score = 0.0
        for k in range(22):
            skat = (U(1) << U(kth(unseen, k))) | (U(1) << U(kth(unseen, PARTNER[k])))
            p = chance_kept(hand | skat, seat, 2)
            taken += p
            score += max(null + null_slope * p, ouvert + ouvert_slope * p)
        taken /= 22.0
        score /= 22.0

    kept = chance(hand, seat, 0)
    closed, slope = expected(view, NULL_HAND, kappa)
    closed += slope * kept
    shown, slope = expected(view, NULL_OUVERT_HAND, kappa)
    shown += slope * kept
    by_hand = max(closed, shown)
    hand_choice = NULL_OUVERT_HAND if shown > closed else NULL_HAND

    take_fits, hand_fits = taken >= least, kept >= least
    if view.must_declare and not (take_fits and view.playable & SKAT_CONTRACTS):
        take_fits = not (hand_fits and view.playable & HAND_CONTRACTS)
        hand_fits = hand_fits or take_fits
    score = score if take_fits else -1e9
    by_hand = by_hand if hand_fits else -1e9
    best = max(score, by_hand)
    if view.must_declare == 0 and (best <= pass_below or best < -1e8):
        return np.int64(PASS)
    return offer(TAKE_SKAT if score >= by_hand else hand_choice, best)


@device
def random_declare(view):
    """Passes; if it must declare, a uniformly random contract, of which the skat ones are chosen again later."""
    if view.phase == ANNOUNCE:
        return NULL if below(view, 2) == 0 else NULL_OUVERT
    if view.must_declare == 0:
        return PASS
    contract = kth(U(view.playable), below(view, count(U(view.playable))))
    return offer(contract if contract & 1 else TAKE_SKAT, 0.0)


@device
def random_skat(view):
    """Two uniformly random cards."""
    a = kth(view.hand, below(view, 12))
    return pair(a, kth(view.hand ^ (U(1) << U(a)), below(view, 11)))


@device
def random_card(view):
    """A uniformly random legal card."""
    return kth(view.legal, below(view, count(view.legal)))


@device
def heuristic_declare(view):
    """The contract of the highest expected score, if it is positive."""
    kappa = param(view, 0)
    if view.phase == ANNOUNCE:
        p = chance(view.hand, view.seat, 1)
        closed, closed_slope = expected(view, NULL, kappa)
        shown, shown_slope = expected(view, NULL_OUVERT, kappa)
        return NULL_OUVERT if shown + shown_slope * p > closed + closed_slope * p else NULL
    return weigh(view, kappa, 0.0, 0.0)


@device
def safe_declare(view):
    """The contract of the highest expected score among those that are won with a chance of at least `least`."""
    least = param(view, 0)
    if view.phase == ANNOUNCE:
        return NULL_OUVERT if chance(view.hand, view.seat, 1) >= least else NULL
    return weigh(view, 0.0, least, 0.0)


@device
def always_declare(view):
    """As heuristic_declare, but never passes."""
    if view.phase == ANNOUNCE:
        return heuristic_declare(view)
    return weigh(view, param(view, 0), 0.0, -1e8)


@device
def better(p, cards, other, other_cards):
    """The higher chance and its cards; the first of equals."""
    second = U(0) - U(p < other)  # in numbers, since a branch would be mispredicted
    return max(p, other), (cards & ~second) | (other_cards & second)


@device
def heuristic_skat(view):
    """The pair that leaves the best chance; of equal ones the one from the first suits, there the highest cards."""
    best, which = BEST_KEPT[view.seat], BEST_AWAY[view.seat]
    # the best chance and cards with 0, 1 and 2 cards laid away from the suits so far
    p0, p1, p2 = 1.0, 0.0, 0.0
    away1, away2 = U(0), U(0)
    for suit in range(4):
        own = held(view.hand, suit)
        shift = U(8 * suit)
        q0, q1, q2 = best[0, own], best[1, own], best[2, own]
        one, two = which[1, own] << shift, which[2, own] << shift
        p2, away2 = better(p2 * q0, away2, p1 * q1, away1 | one)
        p2, away2 = better(p2, away2, p0 * q2, two)
        p1, away1 = better(p1 * q0, away1, p0 * q1, one)
        p0 *= q0
    return pair(lowest(away2), highest(away2))


@device
def heuristic_play(view):
    """The declarer's card.

    Leads the card least likely to win: the fewest of the unseen cards of its suit below it, by share; of equals the
    one that leaves fewest gaps in its suit, then the first suit, then the highest. Follows with the highest card
    under the best so far; where there is none as second player with the lowest, as last with the highest. Discards
    the top of the suit with most gaps (of equals the higher card, then the first suit).
    """
    hand = view.hand
    unseen = DECK & ~(view.open | hand | view.away)
    if view.position > 0 and view.legal & view.suit:
        low = under(view.legal, view.best)
        if low:
            return highest(low)
        return lowest(view.legal) if view.position == 1 else highest(view.legal)
    # keys in numbers, since branches would be mispredicted; their last bits are a card
    if view.position == 0:
        least = 1 << 20
        for suit in range(4):
            own = (hand >> U(8 * suit)) & CLUBS
            others = (unseen >> U(8 * suit)) & CLUBS
            above = others & ~((own & (U(0) - own)) - U(1))
            card = highest(own & ((above & (U(0) - above)) - U(1))) & 7  # as good as the lowest, and higher
            key = SHARES[count(others ^ above), count(others)] + 32 * gaps(own & ~(U(1) << U(card)), others)
            least = min(least, key + 8 * suit + card if own else 1 << 20)
        return least & 31
    most = -1
    for suit in range(4):
        own = (hand >> U(8 * suit)) & CLUBS
        top = highest(own) & 7
        key = (8 * gaps(own, (unseen >> U(8 * suit)) & CLUBS) + top) * 4 + 3 - suit
        most = max(most, key if own else -1)
    return ((3 - (most & 3)) << 3) + ((most >> 2) & 7)


@device
def heuristic_defend(view):
    """A defender's card.

    Leads its lowest card, avoiding suits that the declarer is known to lack. Follows before the declarer with the
    lowest card; after: with the highest card under a winning declarer, else the highest. Discards the top of its
    shortest suit (of equals the higher card, then the first suit).
    """
    hand = view.hand
    if view.position == 0:
        chosen = 1 << 20
        for suit in range(4):
            own = held(hand, suit)
            if view.contract >= NULL_OUVERT:
                lacks = held(view.shown, suit) == 0
            else:
                lacks = (view.voids >> (4 * view.declarer + suit)) & 1 == 1
            none = U(1 << 20)  # in numbers, since branches would be mispredicted
            chosen = min(chosen, lowest(U(own) | none) * 4 + suit + (32 if lacks else 0))
        return ((chosen & 3) << 3) + ((chosen >> 2) & 7)
    if view.legal & view.suit:
        steps = view.declarer - view.seat
        steps += 3 if steps < 0 else 0
        if steps < 3 - view.position:
            return lowest(view.legal)
        if view.winner == view.declarer:
            low = under(view.legal, view.best)
            if low:
                return highest(low)
        return highest(view.legal)
    chosen = -1
    for suit in range(4):
        own = (hand >> U(8 * suit)) & CLUBS
        key = ((16 - count(own)) * 8 + highest(own)) * 4 + 3 - suit
        chosen = max(chosen, key if own else -1)
    return ((3 - (chosen & 3)) << 3) + ((chosen >> 2) & 7)


KAPPA = Parameter(
    "kappa", 0.5, 0.0, 1.0, "share of the games lost against perfect open play that is still won with cards hidden"
)

STRATEGIES = (
    Strategy(
        "random",
        (random_declare, random_skat, random_card, random_card),
        "uniformly random; declares only if it must",
        draws=True,
    ),
    Strategy(
        "heuristic",
        (heuristic_declare, heuristic_skat, heuristic_play, heuristic_defend),
        "chances by suit from a table, declares what should gain; ducks as declarer, leads low as defender",
        (KAPPA,),
    ),
    Strategy(
        "safe",
        (safe_declare, None, None, None),
        "declares sure and nearly sure hands only",
        (Parameter("least", 0.95, 0.0, 1.0, "winning chance that it asks for"),),
    ),
    Strategy(
        "always",
        (always_declare, None, None, None),
        "declares whatever its hand, the contract that should lose least",
        (KAPPA,),
    ),
)
