"""The verdict of a balance report in words: sentences made from its numbers, none of them saying more than those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.analysis.balance import Balance, Variant
from sim.analysis.balance.metrics import (
    LENGTH,
    SEATS,
    epsilon,
)
from sim.games import Game
from sim.report.document import Sentence
from sim.report.formats import cell

#: a strategy takes the equilibrium if even the low end of its mass is above the first; several are viable from the
#: second on
ALL, ALIVE = 0.9, 1.5

Row = Mapping[Any, Any]


def sentences(found: Balance) -> list[Sentence]:
    """Of each variant: dominance, choices, seats, luck and skill, course, length, decisions, exploitability, rule."""
    made: list[Sentence] = []
    for variant in found.variants:
        rows = _rows(found, variant)
        group = variant.name if len(found.variants) > 1 else ""
        ending = "-against" if variant is not found.variants[0] else ""
        told = [
            (_strongest(found, variant, rows), f"match-ups{ending}"),
            (_by_lot(found, rows), f"match-ups{ending}"),
            (_choice(variant, rows), f"choices{ending}"),
            (_seats(found, rows), f"seats{ending}"),
            (_leading(found, rows), f"{SEATS}: all numbers"),
            (_luck(variant, rows), f"luck{ending}"),
            (_course(found, rows), f"chances{ending}"),
            (_length(found, rows), f"{LENGTH}: all numbers"),
            (_decisions(found, rows), f"decisions{ending}"),
            (_response(found, variant, rows), f"responses{ending}"),
            (_rule(variant), f"rule{ending}"),
        ]
        made += [Sentence(capital(text), target, group) for text, target in told if text]
    return made


def capital(text: str) -> str:
    """The text with a capital letter first."""
    return text[:1].upper() + text[1:]


def _rows(found: Balance, variant: Variant) -> dict[str, list[Row]]:
    frame = found.frame[found.frame["variant"] == variant.name]
    rows: dict[str, list[Row]] = {}
    for record in frame.to_dict("records"):
        rows.setdefault(record["metric"], []).append(record)
    return rows


def amount(record: Row, sign: str = "+") -> str:
    """A difference with its interval: of shares in percentage points, of others in their unit."""
    share = record["unit"] == "share"
    scale, unit, digits = (100, "pp", 1) if share else (1, record["unit"], 2)
    value, low, high = (
        None if record[key] is None else round(scale * record[key], digits) + 0.0  # not -0.0
        for key in ("estimate", "low", "high")
    )
    if value is None:
        return "-"
    span = f" [{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]" if low is not None and high is not None else ""
    return f"{value:{sign}.{digits}f} {unit}{span}"


def _percent(record: Row) -> str:
    value, low, high = (None if record[key] is None else 100 * record[key] for key in ("estimate", "low", "high"))
    if value is None:
        return "-"
    if low is None or high is None:
        return f"{value:.0f} %"
    if low < high:
        return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
    return f"{value:.0f} % (in every {'resampling' if record['method'] == 'bootstrap' else 'game'})"


def _strongest(found: Balance, variant: Variant, rows: Mapping[str, list[Row]]) -> str:
    order, games = variant.match_ups.order(), found.game.objective == "games"
    if not order:
        return ""
    lead, edge, what = ("lead", "edge", "win share") if games else ("lead_points", "edge_points", "score")
    best, sign = order[0], -1 if less_is_better(found.game) and not games else 1
    standing: dict[str, str] = {}  # of the others, as the best met them
    for row in rows[edge]:
        a, b = row["subject"].split(" v ")
        if best in (a, b) and row["estimate"] is not None:
            ahead = sign * (1 if a == best else -1) * row["estimate"] > 0
            decided = row["verdict"] == "different"
            standing[b if a == best else a] = ("behind" if ahead else "ahead") if decided else "open"
    if all(row["estimate"] == 0 for row in rows[edge]):
        return f"the {len(order)} strategies of the ladder do equally well in every block that was played."
    above = next(row for row in rows[lead] if row["subject"] == best)
    side = "below" if above["estimate"] < 0 else "above"
    behind = [name for name, place in standing.items() if place == "behind"]
    beats = "each of the others" if len(behind) == len(standing) else f"{len(behind)} of the {len(standing)} others"
    parts = [
        f"{words} {', '.join(names)}"
        for place, words in (("open", "not shown to beat"), ("ahead", "beaten by"))
        if (names := [name for name, stands in standing.items() if stands == place])
    ]
    doubt = f" ({'; '.join(parts)})" if parts else ""
    return (
        f"the strongest of {len(order)} strategies is {best}: its {what} is {size(above)} {side} that "
        f"of the others at its tables, and it does better than {beats} where they meet{doubt}."
    )


def _by_lot(found: Balance, rows: Mapping[str, list[Row]]) -> str:
    """Which strategies do worse than moves at random."""
    edge = "edge" if found.game.objective == "games" else "edge_points"
    sign = -1 if less_is_better(found.game) and found.game.objective != "games" else 1
    worse = []
    for row in rows.get(edge, []):
        a, b = row["subject"].split(" v ")
        turned = sign if a == "random" else -sign
        if "random" in (a, b) and row["verdict"] == "different" and turned * row["estimate"] > 0:
            worse.append(b if a == "random" else a)
    return f"moves at random do better than {', '.join(worse)} where they meet." if worse else ""


def less_is_better(game: Game) -> bool:
    """Whether few points are good."""
    return next(metric.low for metric in game.metrics if metric.name == "score")


def _choice(variant: Variant, rows: Mapping[str, list[Row]]) -> str:
    if "equilibrium" not in rows or all(row["estimate"] == 0 for row in rows["edge"]):
        return ""
    top = max(rows["equilibrium"], key=lambda row: row["estimate"] or 0.0)
    viable = next(row for row in rows["viable"] if row["subject"] == "equilibrium")
    if top["estimate"] is None:
        return ""
    more = _otherwise(variant.match_ups.order()[0], top["subject"], rows)
    as_mixed = f"it is as mixed as {cell(viable)} equally common strategies would be"
    if top["low"] is not None and top["low"] > ALL:
        return (
            f"one strategy takes the equilibrium where all may choose among the ladder: {top['subject']} has "
            f"{_percent(top)} of it{more}."
        )
    if viable["low"] is not None and viable["low"] > ALIVE:
        return (
            f"no strategy takes all where all may choose among the ladder: {top['subject']} has the largest part of "
            f"the equilibrium, {_percent(top)}; {as_mixed}{more}."
        )
    return (
        f"whether one strategy takes all is undecided: {top['subject']} has {_percent(top)} of the equilibrium; "
        f"{as_mixed}{more}."
    )


def _otherwise(best: str, chosen: str, rows: Mapping[str, list[Row]]) -> str:
    """Where equilibrium, alpha-rank and the tables name different strategies."""
    parts = []
    if best != chosen:
        own = next(row for row in rows["equilibrium"] if row["subject"] == best)
        parts.append(f"; {best}, the strongest over all tables, has {_percent(own)} of it")
    known = [row for row in rows["alpharank"] if row["estimate"] is not None]
    if known:
        ranked = max(known, key=lambda row: row["estimate"])
        if ranked["subject"] != chosen:
            parts.append(f"; by alpha-rank {ranked['subject']} has most, {_percent(ranked)}")
    return "".join(parts)


def _seats(found: Balance, rows: Mapping[str, list[Row]]) -> str:
    own = [row for row in rows["seat_advantage"] if row["subject"].startswith(f"{found.reference}, ")]
    known = [row for row in own if row["estimate"] is not None]
    if not known:
        return ""
    bound = 100 * (epsilon("share") or 0.0)
    off = [row for row in known if row["verdict"] == "different"]
    with_ = f"with {found.reference} in all seats"
    if off:
        worst = max(off, key=lambda row: abs(row["estimate"]))
        return (
            f"seats are not equal {with_}: {worst['subject'].split(', ')[1]} is furthest from a fair share, "
            f"by {amount(worst)}; {len(off)} of {len(own)} seats differ from it."
        )
    if all(row["verdict"] == "equivalent" for row in own):
        return f"seats are balanced {with_}: none is more than {bound:.0f} pp from a fair share."
    more = "; without --quick more games are played" if found.quick else ""
    return (
        f"whether a seat has an advantage {with_} is undecided: none is shown to, nor all to be within {bound:.0f} pp "
        f"of a fair share{more}."
    )


def _leading(found: Balance, rows: Mapping[str, list[Row]]) -> str:
    own = next((row for row in rows["first_lead_cost"] if row["subject"] == found.reference), None)
    if own is None or own["verdict"] != "different":
        return ""
    does = "costs" if own["estimate"] > 0 else "pays"
    return f"leading first {does} {size(own)} against what the other seats get ({found.reference} in all seats)."


def size(record: Row) -> str:
    """A difference without its sign: of one below 0 the interval turned over."""
    if record["estimate"] >= 0:
        return amount(record, "")
    ends = {"low": record["high"], "high": record["low"]}
    turned = {key: None if value is None else -value for key, value in ends.items()}
    return amount({**record, "estimate": -record["estimate"], **turned}, "")


def _luck(variant: Variant, rows: Mapping[str, list[Row]]) -> str:
    if all(row["estimate"] == 0 for row in rows.get("edge", [])):
        return ""  # without a choice that matters the cards are all there is
    of = {
        "strategy": "the strategy",
        "seat": "the seat",
        "cards": "the seat's own cards",
        "residual": "all the rest (who the opponents are, their cards, how these go together)",
    }
    parts = {
        name: next(row for row in rows[f"{name}_part"] if row["subject"] == "win_share")["estimate"] for name in of
    }
    if None in parts.values():
        return ""
    text = ", ".join(f"{round(100 * value, 1) + 0.0:.1f} % comes from {of[name]}" for name, value in parts.items())
    rungs = next((row for row in rows.get("rungs", []) if row["estimate"] is not None), None)
    ladder = (
        f"; skill has {rungs['estimate']:.0f} rung{'' if rungs['estimate'] == 1 else 's'} (on a rung the better "
        "strategy wins at least 60 % of what it and the next win)"
        if rungs is not None
        else ""
    )
    return f"of the variance of who wins, {text}{ladder}."


def _course(found: Balance, rows: Mapping[str, list[Row]]) -> str:
    first = {key: rows[key][0] for key in ("decisiveness", "drama", "uncertainty")}
    if first["decisiveness"]["estimate"] is None:
        return ""
    ties = next((row for row in rows["tie_rate"] if row["subject"] == found.reference), None)
    tied = f"; {_percent(ties)} of games end in a tie" if ties is not None and ties["estimate"] is not None else ""
    behind = amount({**first["drama"], "unit": "share"}, "")
    return (
        f"a game is decided after {_percent(first['decisiveness'])} of its length on average "
        f"({first['decisiveness']['n']:,} games); the eventual winner's chance is {behind} below the leader's, "
        f"averaged over the game{tied}."
    )


def _length(found: Balance, rows: Mapping[str, list[Row]]) -> str:
    parts = []
    for key in ("rounds", "tricks", "turns"):
        own = next((row for row in rows.get(key, []) if row["subject"] == found.reference), None)
        if own is not None and own["estimate"] is not None and (key != "rounds" or own["estimate"] > 1):
            parts.append(f"{own['estimate']:.4g} {key}")
    cut = next((row for row in rows["truncated_share"] if row["subject"] == found.reference), None)
    often = "none is cut off by a limit"
    if cut is not None and cut["estimate"]:
        often = f"{100 * cut['estimate']:.2g} % are cut off by a limit"
    passed = next((row for row in rows.get("passed_in_share", []) if row["subject"] == found.reference), None)
    if passed is not None and passed["estimate"]:
        often = f"{_percent(passed)} of deals are passed in, which count as 0 here; {often}"
    return f"a game has {' and '.join(parts)} on average ({found.reference}); {often}." if parts else ""


def _decisions(found: Balance, rows: Mapping[str, list[Row]]) -> str:
    games = found.game.objective == "games"
    known = [row for row in rows.get("decision_wins" if games else "decision_points", []) if row["low"] is not None]
    if len(known) < 2:
        return ""
    most = max(known, key=lambda row: row["estimate"])
    others = [row for row in known if row is not most]
    alone = all(row["high"] < most["low"] for row in others)
    gains = f"the best move gains {size(most)}{' of win share' if games else ''} over a move at random"
    if alone:
        return (
            f"of its {len(known)} kinds of decisions that could be measured most hangs on {most['subject']}: {gains}."
        )
    return (
        f"which of its {len(known)} kinds of decisions that could be measured matters most is undecided; the largest "
        f"estimate is that of {most['subject']}, where {gains}."
    )


def _response(found: Balance, variant: Variant, rows: Mapping[str, list[Row]]) -> str:
    metrics = {"games": ("exploit_wins", "win share"), "points": ("exploit_points", "score")}
    goal = found.game.objective
    (metric, what), own = metrics[goal], variant.reference
    gain, spec = rows[metric][0], variant.responses[goal].spec
    if gain["estimate"] is None:
        return ""
    answer = f"the best of all other answers that were tried, {_named(found, spec)},"
    more = ""
    for other, (name, of) in metrics.items():
        row = rows[name][0]
        if other != goal and row["verdict"] == "different" and row["estimate"] > 0:
            better = variant.responses[other].spec
            more = f"; by {other} instead {_named(found, better)} gains {size(row)} of {of}"
    if gain["verdict"] == "different" and gain["estimate"] > 0:
        return f"a table of {own} can be exploited: {answer} gains {size(gain)} of {what} there{more}."
    if gain["verdict"] == "different":
        return (
            f"nothing that was tried exploits a table of {own} by {goal}: {answer} loses {size(gain)} of {what}{more}."
        )
    if gain["verdict"] == "equivalent":
        return (
            f"a table of {own} is hard to exploit by {goal} with what was tried: {answer} gains {amount(gain)} of "
            f"{what}, within what does not matter{more}."
        )
    return f"whether a table of {own} can be exploited is undecided: {answer} gains {amount(gain)} of {what}{more}."


def _named(found: Balance, spec: str) -> str:
    """A strategy, and whether everybody may choose it."""
    return spec if spec in found.names else f"{spec} (tuned, not of the ladder)"


def _rule(variant: Variant) -> str:
    study = variant.study
    if study is None or study.break_even is None:
        return ""
    broken = study.break_even
    low, high = broken.bounds
    parts = [f"by {one['objective']} {where(one, broken.names)}" for one in broken.frame.to_dict("records")]
    return (
        f"one {broken.names[0]} at a table of {broken.names[1]}, {study.rule} from {low} to {high}: {'; '.join(parts)}."
    )


def where(record: Row, names: tuple[str, str]) -> str:
    """Where two strategies do equally well, as far as the confidence set tells, and who is ahead elsewhere."""
    ahead = [names[0] if side > 0 else names[1] if side < 0 else "" for side in record["sides"] or [0, 0]]
    if record["answer"] == "none":
        return f"{ahead[0]} does better throughout" if ahead[0] and ahead[0] == ahead[1] else "nowhere as well"
    if record["answer"] == "everywhere":
        return "as well everywhere, as far as was seen"
    pieces = []
    for low, high in record["pieces"] or []:
        if low is None and high is None:
            return "perhaps as well anywhere (undecided)"
        if low is None or high is None:
            pieces.append(f"up to {high:.3g}" if low is None else f"from {low:.3g} on")
        else:
            pieces.append(f"{low:.3g} to {high:.3g}")
    sides = f" (below it {ahead[0]} does better, above it {ahead[1]})" if all(ahead) and ahead[0] != ahead[1] else ""
    if record["answer"] == "at" and len(pieces) == 1 and record["estimate"] is not None:
        return f"as well at {record['estimate']:.3g} [{pieces[0].replace(' to ', ', ')}]{sides}"
    return f"as well somewhere within {' or '.join(pieces)}{sides}" if pieces else "where as well is undecided"
