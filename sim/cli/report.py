"""nullsim report DIR..."""

from __future__ import annotations

from pathlib import Path

import click

from sim.cli.options import emit, keep_out, page_options

#: what stands in a result folder
OWN = ("run.json", "summary.parquet", "games", "rounds")


@click.command("report")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option(
    "--by",
    multiple=True,
    metavar="KEY,...",
    help="Group by strategy, seat or another column of labels; repeatable [default: strategy, then seat].",
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; repeatable.")
@page_options
def command(
    folders: tuple[Path, ...], by: tuple[str, ...], metrics: tuple[str, ...], kind: str, output: Path | None
) -> None:
    """Tables with intervals from result folders; as html one page, with figures.

    \b
    nullsim report results/null-nichtig-20261130-120000-000000 --by strategy,seat
    nullsim report results/null-nichtig-20261130-120000-000000 --format html --output report.html
    """
    from sim.report.document import of_result
    from sim.result import load

    groups = [[key.strip() for key in group.split(",") if key.strip()] for group in by] or [["strategy"], ["seat"]]
    documents = []
    for number, folder in enumerate(folders, 1):
        if output is not None:
            keep_out(output, folder, OWN)
        result = load(folder)
        document = of_result(result, groups, list(metrics) or None)
        if len(folders) > 1:
            document.facts.insert(0, ("folder", str(folder)))
        if kind == "html":
            from sim.report.run_figures import figures_of

            document.figures = figures_of(result, metrics or None, f"run-{number}-" if len(folders) > 1 else "")
        documents.append(document)
    emit(documents, kind, output)
