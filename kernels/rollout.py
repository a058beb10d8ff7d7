"""Rollouts: a game played on from one of its decisions, with what an observer cannot see dealt anew.

A kernel that gets a record of BRANCH (None: it plays as ever, and all of this is compiled away) counts in `first` and
`last` not blocks but rollouts, all of the game of block `branch.block`. Each plays that game, card for card, up to the
decision number `branch.at` (from 0, all decisions of the game counted). There the cards that the observer cannot know
are dealt anew, uniformly among those places that what all have seen leaves open; the strategies then go on with fresh
streams, and later rounds are dealt afresh. So no state needs to be copied, and a rollout costs one game.

The streams of a rollout are a function of (seed, block, decision, number of the rollout): rollouts of the same number
from the same decision share their cards whatever move is made there, so moves are compared on common cards.
"""

from __future__ import annotations

import numpy as np

from kernels import rng
from kernels.bits import lowest
from kernels.compile import device

U = np.uint64

MOST_MOVES = 80

#: the observer who sees what lies open and nothing else
ONLOOKER = -1

#: `branch.move`: the strategy decides; the kernel lists what could be done and stops. Else the move that is made
FREE, LIST = -(2**61), -(2**61) + 1

#: purposes of rollouts' streams are those of games and this; DEAL_ANEW has a stream of its own
AFTER, DEAL_ANEW = 8, 7

#: number of a rollout and of the decision: both have their bits in a stream's key
MOST_ROLLOUTS, MOST_DECISIONS = 2**20, 2**24
BLOCK_BITS = 44

BRANCH = np.dtype(
    [
        ("block", np.int64),  # the game that is branched from
        ("at", np.int64),  # the decision before which it branches
        ("observer", np.int64),  # the seat whose knowledge is kept, or ONLOOKER
        ("move", np.int64),  # FREE, LIST or the move made at that decision
        ("seed", np.uint64),
        ("number", np.int64),  # of the rollout under way
        ("made", np.int64),  # decisions made in it
        ("on", np.int64),  # whether it has left the game it came from
        ("due", np.int64),  # whether the decision about to be made is the one
        ("stream", np.uint64, (4,)),  # what the hidden cards are dealt from
        ("deck", np.uint8, (65,)),  # room for dealing
        ("size", np.int64),
        # filled for LIST: who decides, what kind of decision it is (the game's row names the kinds), the moves
        ("seat", np.int64),
        ("kind", np.int64),
        ("listed", np.int64),
        ("moves", np.int64, (MOST_MOVES,)),
    ],
    align=True,
)


@device
def branch_of(branches):
    """The record of a kernel's last argument; None if that is None."""
    if branches is None:
        return None
    else:
        return branches[0]


@device
def begin_game(branches, number):
    """The block whose game is number `number` of the call; sets a rollout off, if that is what it is."""
    if branches is None:
        return number
    else:
        branch = branches[0]
        branch.number = number
        branch.made = 0
        branch.on = 0
        branch.due = 0
        branch.listed = 0
        return branch.block


@device
def start(stream, seed, block, round_, purpose, seat, branch):
    """As `rng.start`; beyond the branching a stream of the rollout's own."""
    if branch is None:
        rng.start(stream, seed, block, round_, purpose, seat)
    else:
        if branch.on == 0:
            rng.start(stream, seed, block, round_, purpose, seat)
        else:
            key = U(block) | (U(branch.number) << U(BLOCK_BITS))
            rng.start(stream, seed, key, (branch.at << 24) | (round_ & 0xFFFFFF), AFTER + purpose, seat)


@device
def start_seats(streams, seed, block, round_, seats, branch):
    """As `start` for the streams that the strategies of the seats 0..seats-1 draw from, rows of `streams`."""
    if branch is None:
        rng.start_seats(streams, seed, block, round_, rng.SEAT, seats)
    else:
        for seat in range(seats):
            start(streams[U(seat)], seed, block, round_, rng.SEAT, seat, branch)


@device
def decision(view, round_, seats, branch):
    """Counts a decision about to be made. True if hidden cards are to be dealt anew before it, from `branch.stream`.

    The seats' streams are fresh then. `branch.due` says whether it is the decision to branch at.
    """
    branch.due = branch.made == branch.at
    branch.made += 1
    if branch.due == 0 or branch.move == LIST:
        return False
    branch.on = 1
    start_seats(view.lots, branch.seed, branch.block, round_, seats, branch)
    start(branch.stream, branch.seed, branch.block, round_, DEAL_ANEW - AFTER, 0, branch)
    return True


@device
def list_move(branch, move):
    """Adds a move to the list."""
    branch.moves[branch.listed] = move
    branch.listed += 1


@device
def list_cards(branch, cards):
    """Adds a move for every card of a set."""
    while cards:
        list_move(branch, lowest(cards))
        cards &= cards - U(1)
