"""What a balance report's sections are about, and its words in plain words."""

from __future__ import annotations

from sim.analysis.balance import Balance
from sim.analysis.balance.metrics import (
    CHOICE,
    COURSE,
    DECISIONS,
    LENGTH,
    LUCK,
    RESPONSE,
    RULES,
    SEATS,
    SLOPES,
    STRATEGIES,
)
from sim.report.balance_tables import CHANGES, GAME_RULES
from sim.report.balance_words import less_is_better
from sim.report.document import Term

_LEADS = {
    GAME_RULES: "What was played. Options that are not at their default for this number of players come first.",
    STRATEGIES: "Who is stronger, by games won and by points, when every mix of the ladder plays on the same cards. An "
    "edge of A v B above 0 means that A does better than B at the same tables{low}. Final scores of a strategy against "
    "itself say what games look like, not who is stronger.",
    SEATS: "What the place at the table is worth when all play alike; seat 0 starts unless the rules say otherwise. "
    "First-lead cost: above 0 it costs points to lead first, below 0 it pays.",
    COURSE: "How a game unfolds with {reference} in all seats; ties, closeness, lead changes and snowball also with "
    "each other strategy against itself.",
    LENGTH: "How long games are with {reference} in all seats, and with each other strategy against itself.",
    LUCK: "What decides a game when every seat draws its strategy from the ladder by lot. The four parts add up to the "
    "whole variance.",
    CHOICE: "Which strategies survive when everybody may choose among the ladder. Equilibrium and alpha-rank are two "
    "answers, and neither is a ranking: a strategy that leads over all tables may hold nothing of them, if it lives on "
    "opponents whom nobody would choose to play.",
    DECISIONS: "How much hangs on a choice: the best move against a move at random, {reference} in all seats and for "
    "the rest of the game.",
    RESPONSE: "What one player can gain by playing something else at a table where all others play {reference}: the "
    "best answer found among the ladder and its parameters, so at least this much, perhaps more.",
    RULES: "One rule over its values, and where two strategies do equally well.",
    SLOPES: "What one unit more of a numeric rule changes, from values on either side on the same cards.",
}


#: of edges, where few points are good
_LOW = "; in points it is the other way round, for few points are good here"


def lead_of(section: str, found: Balance) -> str:
    """The sentences under a section's heading."""
    if section == CHANGES:
        changes = found.changes
        known, differ = int(changes["estimate"].notna().sum()), int((changes["verdict"] == "different").sum())
        return (
            f"{known} numbers under both rule sets; {differ} differ. A change is that of {found.variants[1].name} less "
            f"that of {found.variants[0].name}, paired on the same cards."
        )
    text = _LEADS[section].format(reference=found.reference, low=_LOW if less_is_better(found.game) else "")
    if section == GAME_RULES and len(found.variants) > 1:
        first, second = (variant.name for variant in found.variants)
        text += f" First variant: {first}; second variant: {second}. Options in which they differ stand at the top."
    return text


def glossary(found: Balance) -> list[Term]:
    """The words of the report, each with the sections that use it."""
    low = _LOW if less_is_better(found.game) else ""
    goal = "games won" if found.game.objective == "games" else "points"
    drawn = found.budget.draws
    return [
        Term(
            "win share",
            "1 for winning a game alone; winners who tie share it, so that each of two gets a half; 0 for the others.",
            (STRATEGIES,),
        ),
        Term("pp", "percentage points: 0.3 of a win share is 30 pp.", (STRATEGIES, CHANGES)),
        Term(
            "block",
            "one set of shuffled cards, played in every arrangement of the strategies over the seats. Strategies and "
            "variants are compared on the same blocks, and blocks, not games, are what intervals count.",
            (STRATEGIES, CHANGES),
        ),
        Term(
            "interval",
            f"the range that holds the true value in {found.level * 100:g} of 100 such reports: written after ±, or in "
            f"brackets. Bootstrap intervals come from {drawn} resamplings of the blocks.",
            (STRATEGIES,),
        ),
        Term(
            "verdict",
            "different: the number is not 0, chance being an unlikely reason. Equivalent: any difference is too small "
            "to matter (the bound stands beside it). Undecided: neither is shown; more games may tell. p values are "
            "adjusted for the number of questions asked at once.",
            (STRATEGIES, CHANGES),
        ),
        Term(
            "lead",
            "how far a strategy is above the mean of the others at its tables, over all mixed tables of the ladder.",
            (STRATEGIES,),
        ),
        Term(
            "edge",
            "how much better A does than B at the tables where both sit, on the same cards: win share of A less that "
            f"of B (or points). Above 0, A is ahead{low}.",
            (STRATEGIES,),
        ),
        Term(
            "strength",
            "one number for each strategy such that the chances to win a table are as the strengths of those who sit "
            "there. A model (Plackett-Luce): it cannot show that A beats B, B beats C and C beats A.",
            (STRATEGIES,),
        ),
        Term(
            "fair share",
            "1 divided by the number of players (or teams): what a seat wins if seats do not matter.",
            (SEATS,),
        ),
        Term(
            "winning chance",
            "the share of the win that a player may expect at a moment of the game, estimated by playing on from there "
            f"{found.budget.rollouts} times. A tie counts for each winner by its part; where several tie, the chance "
            "of the eventual winner is the sum of theirs.",
            (COURSE,),
        ),
        Term(
            "closeness",
            "a typical gap in points between first and second at the end. The smaller, the closer.",
            (COURSE,),
        ),
        Term(
            "decisiveness, drama, uncertainty, snowball",
            "when a game is decided (late: near 100 %); how far the eventual winner was behind on the way; how open "
            "the game is on average (1: anybody's game throughout); how much more than a fair share wins who won the "
            "first round.",
            (COURSE,),
        ),
        Term(
            "shares of the variance",
            "results differ between seats and games; how much of that is due to the strategy that plays, to the seat, "
            "to the cards, and to all the rest: opponents, lots, and how these go together. More strategy: more "
            "skill, among this ladder.",
            (LUCK,),
        ),
        Term(
            "rung",
            "a step of skill: of what two strategies win between them, the better wins at least 60 %. The number of "
            "rungs is that of the steps on the longest such ladder; 0 if no strategy is that much better than another.",
            (LUCK,),
        ),
        Term(
            "equilibrium",
            "a mix of strategies such that, when everybody draws from it, nobody does better by playing any one "
            f"strategy instead, all playing for {goal}. The mass of a strategy is how often it is drawn. There may be "
            "several such mixes; one is computed.",
            (CHOICE,),
        ),
        Term(
            "alpha-rank",
            "another answer, by evolution: players imitate what does better, and now and then one tries something "
            "else. The mass of a strategy is the part of the time in which it is what everybody plays. It can differ "
            "from the equilibrium, for it does not ask what is stable once reached, but what is reached and how "
            "easily it is left.",
            (CHOICE,),
        ),
        Term(
            "viable strategies, or strategies in effect",
            "how many equally common strategies would be as mixed: 1 if one is all that is played, 2 for half and "
            "half, less than 2 for a mix of 90 and 10.",
            (CHOICE,),
        ),
        Term(
            "open decision",
            "a moment at which a player has two moves or more. The others are forced and not counted.",
            (DECISIONS,),
        ),
        Term(
            "importance of a decision",
            "what the best move gains over a move drawn by lot, in win share or points of the player who decides, "
            f"averaged over open decisions of a kind. Each move is tried {found.budget.tries} times with the hidden "
            "cards dealt anew.",
            (DECISIONS,),
        ),
        Term(
            "exploitability",
            f"what the best answer gains against a table that all plays {found.reference}, over playing "
            f"{found.reference} too. Near 0: the strategy cannot be punished by anything that was tried. The answer is "
            "chosen on some blocks and measured on others, so that luck does not flatter it.",
            (RESPONSE,),
        ),
        Term(
            "break-even",
            "the value of a rule at which two strategies do equally well; on either side of it one of them pays more.",
            (RULES,),
        ),
    ]
