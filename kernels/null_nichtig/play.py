"""Null & Nichtig: the kernel that plays a range of blocks."""

from __future__ import annotations

import numpy as np

from kernels import rng, rollout
from kernels.compile import device, entry, unlikely
from kernels.null_nichtig.cards import CARDS, EMPTY, strength, with_card
from kernels.null_nichtig.rules import TABLE, TEAMS
from kernels.null_nichtig.state import (
    LAY,
    LEAST,
    PLAY,
    SEATS,
    clear_table,
    collect,
    deal,
    deal_anew,
    lay_starters_open,
    next_leader,
    note_undealt,
    score_round,
    set_rules,
)
from kernels.null_nichtig.strategies import BLIND, STRATEGIES
from kernels.strategy import decider
from kernels.table import ILLEGAL, TOO_LARGE, note, on_from, rank_of, stop, take_seats, too_large, write_game

decide = decider([strategy.function for strategy in STRATEGIES], favour_first=True)

U = np.uint64

#: by number of players: cards dealt to each, starters laid by each; by layout: number of teams
EACH = np.array([TABLE.get(n, (0, 0, 0))[0] for n in range(SEATS + 1)], np.int64)
STARTERS = np.array([TABLE.get(n, (0, 0, 0))[1] for n in range(SEATS + 1)], np.int64)
TEAM_COUNT = np.array([teams for _, teams in TEAMS.values()], np.int64)
#: by number of winners: the share of the win of each, in sixtieths
WIN60 = np.array([0] + [60 // winners for winners in range(1, SEATS + 1)], np.int64)

SEQUENTIAL = 1


#: kinds of decisions, as the game's row names them
STARTER, LEAD, FOLLOW = 0, 1, 2


@device
def ask(view, own, state, seat, phase, users, branch):
    """The seat's choice, taken from its hand; -1 (and the value in `state.illegal`) if it holds no such card."""
    if branch is not None and rollout.decision(view, view.round, view.players, branch):
        deal_anew(state, branch, view.players)
    hand = state.hands[U(seat)]
    twins = state.twins[U(seat)]
    view.seat = seat
    view.hand = hand
    view.twins = twins
    if branch is None or branch.due == 0 or branch.move == rollout.FREE:
        card = decide(view, own, state.codes[U(seat)], users)
    elif branch.move == rollout.LIST:
        branch.seat = seat
        branch.kind = STARTER if phase == LAY else FOLLOW if view.position > 0 else LEAD
        rollout.list_cards(branch, hand)
        return -1
    else:
        card = branch.move
    bit = U(1) << U(card & 63)
    if unlikely(U(card) >= U(CARDS) or hand & bit == U(0)):
        state.illegal = card
        return -1
    state.hands[U(seat)] = hand ^ (bit & ~twins)
    state.twins[U(seat)] = twins & ~bit
    return card


@device
def lay_starters(view, own, state, first, users, branch, log):
    """Every seat lays its starters, from the leader clockwise; False if a seat made an illegal choice."""
    players = view.players
    starters = STARTERS[players]
    view.leader = first
    view.phase = LAY
    for i in range(players):
        seat = on_from(first, i, players)
        laid = EMPTY
        for k in range(starters):
            view.position = k
            view.laid = laid
            card = ask(view, own, state, seat, LAY, users, branch)
            if card < 0:
                return False
            laid = with_card(laid, k, card)
            note(log, card)
        if view.starter_selection == SEQUENTIAL:
            lay_starters_open(view, seat, laid)
        state.laid[seat] = laid
    if view.starter_selection != SEQUENTIAL:
        for seat in range(players):
            lay_starters_open(view, seat, state.laid[seat])
    view.laid = EMPTY
    return True


@device
def play_trick(view, own, state, leader, users, branch, log):
    """One trick; returns its winner, or -1 if a seat made an illegal choice."""
    players = view.players
    view.leader = leader
    view.leaders[U(view.trick)] = leader
    cards = EMPTY
    strongest = np.int64(-1)
    seat = leader
    for place in range(players):
        view.position = place
        view.cards = cards
        view.strongest = strongest
        card = ask(view, own, state, seat, PLAY, users, branch)
        if card < 0:
            return -1
        cards = with_card(cards, place, card)
        strongest = max(strongest, strength(card, place))
        note(log, card)
        seat += 1
        if seat == players:
            seat = 0
    return collect(view, state, cards, strongest, leader, players)


@device
def play_round(view, own, state, first, users, branch, log):
    """One round from the starters to its score; False if a seat made an illegal choice."""
    players = view.players
    clear_table(view)
    if log is not None:
        note(log, first)
        for seat in range(players):
            note(log, state.hands[seat])
            note(log, state.twins[seat])
    if not lay_starters(view, own, state, first, users, branch, log):
        return False
    leader = first
    view.phase = PLAY
    for trick in range(EACH[players] - STARTERS[players]):
        view.trick = trick
        leader = play_trick(view, own, state, leader, users, branch, log)
        if leader < 0:
            return False
    score_round(view, state, players)
    return True


@device
def side_of(seat, sides):
    """The side (team, or the seat itself) a seat belongs to: seats of a team sit `sides` apart."""
    while seat >= sides:
        seat -= sides
    return seat


@device
def share_round(view, state):
    """Adds the round just scored to the shares of rounds won: 60 / number of winning sides for each of theirs."""
    players = view.players
    sides = TEAM_COUNT[view.teams]
    if sides > 0:
        share_round_of_teams(view, state, sides)
        return
    best = LEAST
    winners = 0
    for seat in range(players):
        score = state.points[U(seat)]
        winners = 1 if score > best else winners + (score == best)
        best = max(best, score)
    for seat in range(players):
        state.all_wins[U(seat)] += WIN60[U(winners)] * (state.points[U(seat)] == best)


@device
def share_round_of_teams(view, state, sides):
    """As `share_round`, for a game of teams."""
    players = view.players
    for side in range(SEATS):
        state.side_totals[side] = 0
    for seat in range(players):
        state.side_totals[U(side_of(seat, sides))] += state.points[U(seat)]
    best = state.side_totals[0]
    for side in range(1, sides):
        best = max(best, state.side_totals[U(side)])
    winners = 0
    for side in range(sides):
        winners += state.side_totals[U(side)] == best
    for seat in range(players):
        won = state.side_totals[U(side_of(seat, sides))] == best
        state.all_wins[U(seat)] += WIN60[U(winners)] * won


@device
def write_rows(view, state, games, row, truncated):
    """Fills the game's rows: one per seat."""
    players = view.players
    teams = TEAM_COUNT[view.teams]
    sides = teams if teams > 0 else players
    for side in range(sides):
        state.side_totals[side] = 0
    for seat in range(players):
        state.side_totals[side_of(seat, sides)] += view.totals[seat]
    winners = 0
    for side in range(sides):
        state.side_ranks[side] = rank_of(state.side_totals, side, sides)
        winners += state.side_ranks[side] == 1
    last = 1
    for side in range(sides):
        last = max(last, state.side_ranks[side])
    for seat in range(players):
        rank = state.side_ranks[side_of(seat, sides)]
        lost = rank == last and last > 1
        write_game(
            games,
            row + seat,
            view.totals[seat],
            state.all_tricks[seat],
            state.trickless[seat],
            rank,
            WIN60[winners] if rank == 1 else 0,
            lost,
            view.round,
            truncated,
        )
        games[8, row + seat] = state.all_base[seat]
        games[9, row + seat] = seat == state.first_leader
        games[10, row + seat] = state.all_wins[seat]


@device
def write_round(view, state, rounds, row, first):
    """Fills the rows of the round just scored: one per seat."""
    for seat in range(view.players):
        rounds[0, row + seat] = view.round
        rounds[1, row + seat] = state.points[seat]
        rounds[2, row + seat] = view.taken[seat]
        rounds[3, row + seat] = state.base[seat]
        rounds[4, row + seat] = seat == first


@device
def take_places(view, state, lineup, seating):
    """Puts the strategies of one seating into their seats, and notes what they have no use for."""
    take_seats(view, state, lineup, seating, view.players)
    state.blind = 1
    for seat in range(view.players):
        state.blind &= U(state.codes[seat]) < U(BLIND)  # a user's function has a code below 0


@device
def begin_game(view, state, seed, block, branch):
    """Clears what is kept of a game; returns the seat that leads the first trick."""
    for seat in range(SEATS):
        view.totals[seat] = 0
        state.all_tricks[seat] = 0
        state.all_base[seat] = 0
        state.trickless[seat] = 0
        state.all_wins[seat] = 0
    view.round = 0
    state.first_leader = 0
    if view.first_dealer == 1:
        rollout.start(state.lots, seed, block, 0, rng.LOTS, 0, branch)
        state.first_leader = rng.below(state.lots, view.players)
    return state.first_leader


@device
def begin_round(view, state, seed, block, branch):
    """Deals, and starts the seats' streams."""
    players = view.players
    rollout.start(state.shuffle, seed, block, view.round, rng.SHUFFLE, 0, branch)
    deal(state, players, EACH[players])
    if branch is not None:
        note_undealt(state, branch, players)
    if state.draws:
        rollout.start_seats(view.lots, seed, block, view.round, players, branch)


@device
def end_round(view, state, seed, block, first, branch, log):
    """Counts the round just scored; returns the seat that leads the next."""
    players = view.players
    if log is not None:
        for seat in range(players):
            note(log, state.points[seat])
    share_round(view, state)
    if view.lead_tie == 1:
        rollout.start(state.lots, seed, block, view.round, rng.LOTS, 1, branch)
    view.round += 1
    return next_leader(view, state, first, players)


@entry
def play(first, last, seed, rules, lineup, users, views, states, games, rounds, log, status, branches):
    """Plays the blocks first..last-1 under every seating, as described in `kernels.table`."""
    view = views[0]
    own = views[1]
    state = states[0]
    branch = rollout.branch_of(branches)
    set_rules(view, rules)
    players = rules.players
    seatings = lineup.seatings.shape[0]
    row = 0
    round_row = np.int64(0)
    wanted = rounds.shape[1] > 0
    for number in range(first, last):
        block = rollout.begin_game(branches, number)
        for seating in range(seatings):
            if number == first or seatings > 1:
                take_places(view, state, lineup, seating)
            leader = begin_game(view, state, seed, block, branch)
            truncated = False
            ended = False
            while not ended:
                if wanted and round_row + players > rounds.shape[1]:
                    return number - first
                begin_round(view, state, seed, block, branch)
                if not play_round(view, own, state, leader, users, branch, log):
                    stop(status, ILLEGAL, block, seating, view.round, view.seat, state.illegal)
                    return number - first
                if wanted:
                    write_round(view, state, rounds, round_row, leader)
                    round_row += players
                leader = end_round(view, state, seed, block, leader, branch, log)
                if view.target == 0:
                    ended = view.round >= view.rounds
                else:
                    ended = state.most >= view.target
                    if not ended and view.round >= view.max_rounds:
                        ended = True
                        truncated = True
            if too_large(view.totals, players):
                stop(status, TOO_LARGE, block, seating, view.round, 0, 0)
                return number - first
            write_rows(view, state, games, row, truncated)
            row += players
        status[6] = round_row
    return last - first
