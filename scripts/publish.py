"""Makes the reports of results/published: the balance of each game, and what -10 for taking no trick does.

python scripts/publish.py            all of them (half an hour or so on two cores)
python scripts/publish.py nil-quick  some of them, by name

A report is Markdown, JSON and figures; what is played for it is kept in results/cache, so that a second call is fast.
The numbers follow from the scenario, the seed and the version alone.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

from sim.analysis.balance import Balance, balance
from sim.games import GAMES
from sim.report import figures
from sim.report.balance import of_balance
from sim.report.formats import cell, render

ROOT = Path(__file__).parent.parent
FOLDER, CACHE = ROOT / "results" / "published", ROOT / "results" / "cache" / "published"

#: the study of the penalty leaves out `greedy`, and the report of Norwegian Null `dp-win`: their sampling would take
#: most of the time
STUDY: dict[str, Any] = {
    "game": "null-nichtig",
    "strategies": ["random", "dodge", "duck", "solid"],
    "against": {"no_trick_penalty": -10},
}
REPORTS: dict[str, dict[str, Any]] = {
    "nil-quick": {"game": "nil", "quick": True},
    **{game: {"game": game} for game in GAMES},
    "norwegian-null": {"game": "norwegian-null", "strategies": list(GAMES["norwegian-null"].fast)},
    **{f"no-trick-penalty-{players}": {**STUDY, "players": players} for players in (3, 4, 5, 6)},
}


def made(name: str, cache: Path | None = CACHE, progress: bool = False) -> Balance:
    """A report by name."""
    return balance(**REPORTS[name], cache=cache, progress=progress)


def write(name: str, found: Balance, folder: Path = FOLDER) -> None:
    """Writes a report's Markdown, JSON and figures."""
    place = folder / name
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    document = of_balance(found)
    for file, kind in (("report.md", "markdown"), ("report.json", "json")):
        (place / file).write_text(render([document], kind), encoding="utf-8")
    figures.write(document.figures, place / "figures")


def study_page(reports: dict[str, Balance]) -> str:
    """The -10 study for every number of players on one page."""
    lines = []
    for found in reports.values():
        players = found.variants[0].base.seats
        broken = found.variants[0].study
        assert broken is not None
        assert broken.break_even is not None
        rows = {record["objective"]: record for record in broken.break_even.frame.to_dict("records")}
        values = {(row["variant"], row["metric"], row["subject"]): row for row in found.frame.to_dict("records")}
        before, after = (variant.name for variant in found.variants)
        lines.append(
            [
                players,
                *(cell(values[name, "lead", "duck"]) for name in (before, after)),
                *(cell(values[name, "equilibrium", "duck"]) for name in (before, after)),
                *(
                    cell(rows[goal]) if rows[goal]["estimate"] is not None else rows[goal]["answer"]
                    for goal in ("points", "rounds", "games")
                ),
            ]
        )
    columns = ["players", "lead at 0", "lead at -10", "equilibrium at 0", "equilibrium at -10"]
    columns += ["breaks even by points", "by rounds", "by games"]
    links = [f"- [{found.variants[0].base.seats} players]({name}/report.md)" for name, found in reports.items()]
    first = next(iter(reports.values()))
    head = [
        "# Null & Nichtig: what -10 for taking no trick does",
        "",
        f"`duck` takes no trick if it can. Its lead in win share over its tables, its share in equilibrium of the "
        f"ladder {', '.join(first.names)}, and the penalty at which it does as well as `solid` at a table of `solid`. "
        f"Seed {first.seed}; made by `python scripts/publish.py`.",
        "",
    ]
    return "\n".join([*head, tabulate(lines, columns, tablefmt="pipe", disable_numparse=True), "", *links, ""])


def main(names: list[str]) -> None:
    """Makes the named reports, or all and the page of the study."""
    for name in names:
        if name not in REPORTS:
            sys.exit(f"publish: no report {name}; reports: {', '.join(REPORTS)}")
    found = {}
    for name in names or REPORTS:
        print(f"== {name}", file=sys.stderr, flush=True)
        found[name] = made(name, progress=True)
        write(name, found[name])
    study = {name: one for name, one in found.items() if name.startswith("no-trick-penalty")}
    if len(study) == 4:
        (FOLDER / "no-trick-penalty.md").write_text(study_page(study), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
