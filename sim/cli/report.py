"""nullsim report DIR..."""

from __future__ import annotations

from pathlib import Path

import click

from sim.cli.options import emit, output_options


@click.command("report")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option(
    "--by",
    multiple=True,
    metavar="KEY,...",
    help="Group by strategy, seat or another column of labels; repeatable [default: strategy, then seat].",
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; repeatable.")
@output_options
def command(
    folders: tuple[Path, ...], by: tuple[str, ...], metrics: tuple[str, ...], kind: str, output: Path | None
) -> None:
    """Tables with intervals from result folders.

    \b
    nullsim report results/null-nichtig-20261130-120000-000000 --by strategy,seat
    """
    from sim.report.document import of_result
    from sim.result import load

    groups = [[key.strip() for key in group.split(",") if key.strip()] for group in by] or [["strategy"], ["seat"]]
    documents = [of_result(load(folder), groups, list(metrics) or None) for folder in folders]
    emit(documents, kind, output)
