"""Skat Null: the view, the hidden state, and what happens to them.

Cards are integers 8 * suit + rank, with the suits C S H D as 0..3 and the ranks 7..A as 0..7. Contracts are numbered
null 0, null-hand 1, null-ouvert 2, null-ouvert-hand 3. What a strategy is asked for depends on `view.phase`:

    DECLARE   whether it declares, with ten cards in `hand`: PASS, or `offer(choice, score)`, where choice is TAKE_SKAT
              or a Hand contract (1, 3), and score is the own score that the seat expects. Where several seats may
              declare, the one that expects most does (equal: forehand first); elsewhere the score is not looked at.
    LAY_AWAY  two different cards a and b of the twelve in `hand`, as `pair(a, b)`
    ANNOUNCE  the contract, 0 or 2, after two cards were laid away; not asked where only one is allowed
    PLAY      the declarer's card, one of `view.legal`
    DEFEND    a defender's card, one of `view.legal`

Contracts must be among `view.playable`; with `must_declare` PASS is no answer. Anything not allowed stops the run. The
parts of a strategy answer: `declare` DECLARE and ANNOUNCE, `skat` LAY_AWAY, `play` PLAY, `defend` DEFEND.

The public fields of the view are kept up to date move by move and shared by all seats; the private ones (`seat`,
`phase`, `hand`, `legal`, `away`) are filled in before a decision. `trick`, `tricks` and `leaders` are kept for users'
functions alone: no built-in strategy reads them. Hidden cards live in `STATE` only.
"""

from __future__ import annotations

import numpy as np

from kernels import deal as dealing
from kernels import hidden, rng
from kernels.bits import count
from kernels.compile import device
from kernels.skat_null.rows import ROWS
from kernels.skat_null.rules import HAND, PLAYERS, VALUES, Rules
from kernels.strategy import MAX_PARAMS, common_fields

U = np.uint64

#: phases; the first four are also the numbers of a strategy's parts
DECLARE, LAY_AWAY, PLAY, DEFEND, ANNOUNCE = 0, 1, 2, 3, 4
PARTS = 4
NULL, NULL_HAND, NULL_OUVERT, NULL_OUVERT_HAND = 0, 1, 2, 3
TAKE_SKAT = 0
#: sets of contracts: bit c for contract c
HAND_CONTRACTS = 0b1010
SKAT_CONTRACTS = 0b0101

#: the answer of a seat that does not declare
PASS = -(1 << 40)
#: expected scores that can be offered lie within this, in thousandths of a point
MOST = 10**9

BEST, ROTATE, RANDOM = 0, 4, 5  # values of the rule `declarer`; 1..3 name a seat

DECK = U((1 << 32) - 1)
CLUBS = U(255)  # the cards of suit s are CLUBS << 8 * s

POINTS = np.array(list(VALUES.values()), np.int64)

_RULES = [name if name != "declarer" else "may_declare" for name in Rules._fields]

VIEW = np.dtype(
    [
        *common_fields(PLAYERS),
        ("phase", np.int64),
        ("hand", np.uint64),  # own cards: bit c for card c
        ("legal", np.uint64),  # in PLAY and DEFEND: those that may be played
        ("away", np.uint64),  # the two cards the seat itself laid away
        ("declarer", np.int64),  # -1 before someone declares
        ("contract", np.int64),  # -1 before it is announced
        ("shown", np.uint64),  # the declarer's cards under Ouvert, those still held
        ("trick", np.int64),  # from 0
        ("position", np.int64),  # cards in the trick before this seat's: 0 leads
        ("suit", np.uint64),  # all cards of the suit led; the whole deck for the leader
        ("best", np.int64),  # the card that wins the trick so far, -1 for the leader
        ("winner", np.int64),  # the seat that played it, -1 for the leader
        ("leaders", np.int8, (HAND + 1,)),  # who led each trick so far, the current one included
        ("tricks", np.uint64, (HAND,)),  # byte i of tricks[t]: the card played i-th in trick t
        ("open", np.uint64),  # all cards played
        ("voids", np.int64),  # bit 4 * seat + suit: the seat did not follow that suit
        ("taken", np.int64, (PLAYERS,)),  # tricks taken
        ("playable", np.int64),  # the contracts that `contracts` and `bid` allow: bit c for contract c
        ("own_won", np.int64, (4,)),  # the declarer's points for each contract won
        ("own_lost", np.int64, (4,)),  # and lost
        *[(name, np.int64) for name in _RULES],  # the rules, encoded as in rules.py
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("shuffle", np.uint64, (4,)),  # the stream of the deal
        ("lots", np.uint64, (4,)),  # the stream of the rule's own lots
        ("dealt", np.uint64, (PLAYERS + 1,)),  # hands and skat of the block
        ("fresh", np.uint64, (PLAYERS, 4)),  # its seats' streams at their start
        ("hands", np.uint64, (PLAYERS,)),
        ("skat", np.uint64),
        ("away", np.uint64),  # what the declarer laid away
        ("twelve", np.uint64),  # the declarer's cards with the skat; kept for rollouts only
        ("lost", np.int64),  # whether the declarer has taken a trick
        ("codes", np.int64, (PLAYERS, PARTS)),  # by seat and part: what its decider is asked for
        ("numbers", np.int64, (PLAYERS, PARTS)),  # how many parameters it has
        ("params", np.float64, (PLAYERS, PARTS, MAX_PARAMS)),  # and which
        ("differ", np.int64, (PLAYERS,)),  # whether a seat's parts do not agree in them
        ("playing", np.int64, (PLAYERS,)),  # what each seat plays its cards by
        ("illegal", np.int64),  # what a strategy returned that is no move
        ("rows", ROWS),  # of deals that are yet to be written, in playing order
        ("hidden", hidden.HIDDEN),  # where rollouts deal cards anew
    ],
    align=True,
)


@device
def set_rules(view, rules):
    """Copies the rules into the view, and what follows from them."""
    view.players = rules.players
    view.may_declare = rules.declarer
    view.contracts = rules.contracts
    view.bid = rules.bid
    view.must_declare = rules.must_declare
    view.scoring = rules.scoring
    view.loss = rules.loss
    view.stop_on_loss = rules.stop_on_loss
    view.hand_must = rules.hand_must
    view.hand_not = rules.hand_not
    view.playable = 0
    for contract in range(4):
        value = POINTS[contract]
        if (rules.contracts >> contract) & 1 and value >= rules.bid:
            view.playable |= 1 << contract
        doubled = rules.loss == 0 or contract & 1 == 0
        view.own_won[contract] = value + 50 * rules.scoring
        view.own_lost[contract] = (-2 * value if doubled else -value) - 50 * rules.scoring


@device
def offer(choice, score):
    """The answer of a seat that declares: TAKE_SKAT or a Hand contract, and the own score it expects, in points."""
    return np.int64(np.rint(score * 1000.0)) * 4 + choice


@device
def pair(a, b):
    """The answer that lays away the cards a and b."""
    return a + 32 * b


@device
def deal(state):
    """Deals ten cards to every seat and two to the skat from the deal's stream."""
    stream = state.shuffle
    # coins that come up for 5 of 8 cards, since 20 of 32 are wanted
    coins = rng.word(stream)
    coins |= (coins >> U(32)) & rng.word(stream)
    two = dealing.resize(DECK, DECK & coins, 2 * HAND, stream)
    rest = DECK ^ two
    state.hands[0] = dealing.half(two, HAND, stream)
    state.hands[1] = two ^ state.hands[0]
    state.skat = dealing.few(rest, 2, stream)
    state.hands[2] = rest ^ state.skat


@device
def deal_fitting(state, seat, must, never):
    """As `deal`, given that `seat` holds the cards `must` and none of `never`: uniform over such deals."""
    stream = state.shuffle
    hand = must | dealing.some(DECK & ~must & ~never, HAND - count(must), stream)
    rest = DECK ^ hand
    left = dealing.half(rest, HAND, stream)
    rest ^= left
    skat = dealing.few(rest, 2, stream)
    state.skat = skat
    right = rest ^ skat
    for k in range(PLAYERS):
        if k == seat:
            state.hands[k] = hand
        elif k == seat + 1 or k == seat - 2:
            state.hands[k] = left
        else:
            state.hands[k] = right


@device
def deal_anew(view, state, seat, branch):
    """Deals all cards anew that `branch.observer` does not know, uniformly over what the rules leave open.

    What is known stays: the observer's hand, to the declarer also the skat it took and what it laid away, to all a
    hand shown under Ouvert, the suits that seats did not follow, and that the ten cards dealt to the declarer (while
    declaring: to `seat`, which is asked) fit the hand filter. What choices tell beyond this, as that somebody passed,
    took the skat or laid cards away for a reason, is not modelled.
    """
    lots = state.hidden  # its last pile is the skat, or what was laid away
    must, never = U(view.hand_must), U(view.hand_not)
    owner = view.declarer if view.declarer >= 0 else seat
    taken = view.declarer >= 0 and (view.contract < 0 or (SKAT_CONTRACTS >> view.contract) & 1 == 1)
    shown = view.contract >= NULL_OUVERT
    fixed = 1 << branch.observer if branch.observer >= 0 else 0
    if shown:
        fixed |= 1 << owner
    for k in range(PLAYERS):
        lots.piles[k] = state.hands[k]
        lots.barred[k] = U(0) if k == owner else must
        for suit in range(4):
            if (view.voids >> (4 * k + suit)) & 1:
                lots.barred[k] |= CLUBS << U(8 * suit)
    lots.marked = U(0)
    lots.within = 1 << owner | 1 << hidden.LAST
    if not taken:
        lots.piles[hidden.LAST] = state.skat
        lots.barred[hidden.LAST] = must
        lots.barred[owner] |= never
    elif branch.observer == owner:
        lots.piles[hidden.LAST] = U(0)
    else:
        # of the declarer's twelve cards the skat were two, with all that the filter excludes and none that it demands
        lots.piles[hidden.LAST] = state.away
        lots.barred[hidden.LAST] = U(0)
        lots.marked = never
        known = view.open | (state.hands[owner] if shown else U(0))
        found = count(state.twelve & never & known)
        for more in range(3):
            lots.weights[more] = skats(HAND + 2 - count(must) - found - more, 2 - found - more)
    hidden.deal_anew(lots, fixed, branch.stream)
    for k in range(PLAYERS):
        state.hands[k] = lots.piles[k]
    if not taken:
        state.skat = lots.piles[hidden.LAST]
    elif branch.observer != owner:
        state.away = lots.piles[hidden.LAST]


@device
def skats(cards, wanted):
    """How many ways there are to choose up to two of some cards; 0 if `wanted` is below 0."""
    if wanted < 0:
        return 0.0
    return (1.0, np.float64(cards), 0.5 * cards * (cards - 1))[wanted]
