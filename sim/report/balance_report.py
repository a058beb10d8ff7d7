"""`sim.balance`: what is measured, with its verdict in words and its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from sim.analysis import balance as analysis
from sim.analysis.balance import Balance
from sim.analysis.balance.question import flag, refused
from sim.report.balance import of_balance
from sim.report.balance_folder import Folder
from sim.report.document import Document
from sim.report.formats import grouped

P = ParamSpec("P")


@dataclass(repr=False)
class Report(Balance):
    """What `sim.balance` returns: the numbers of a `Balance`, in words, and as a folder with a page."""

    def __repr__(self) -> str:
        variants = " against ".join(variant.name for variant in self.variants)
        return f"<Report {self.game.id}: {variants}; {len(self.frame)} numbers; .verdict(), .write(folder)>"

    def verdict(self) -> str:
        """The verdict in words."""
        return told(of_balance(self))

    def write(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Writes the report, as `nullsim balance` does, and returns its page, `folder`/index.html.

        Raises `UsageError` for a folder that exists, unless it is a report and `overwrite` is set, `RunError` if the
        disk does not take it.
        """
        if not (isinstance(folder, str | Path) and str(folder)):
            raise refused("folder", folder, "the name of a folder")
        place = Folder.make(self.question, Path(folder), overwrite=flag("overwrite", overwrite))
        try:
            place.write(self)
        except BaseException:
            place.undo()
            raise
        return place.page


def told(document: Document) -> str:
    """A report's verdict in words and its notes."""
    lines = [document.title, ""]
    for group, sentences in grouped(document.summary).items():
        lines += [*([f"{group}:"] if group else []), *(f"- {one.text}" for one in sentences), ""]
    return "\n".join([*lines, *(f"note: {note}" for note in document.notes)]) + "\n"


def _reported(function: Callable[P, Balance]) -> Callable[P, Report]:
    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> Report:
        return Report(**vars(function(*arguments, **named)))

    return call


balance = _reported(analysis.balance)
