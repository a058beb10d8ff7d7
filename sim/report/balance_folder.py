"""The folder of a balance report: index.html, report.md, report.json, figures/, data/."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernels.options import show
from sim.analysis.balance import Balance, Question
from sim.analysis.sealed import make_folder, naming
from sim.errors import RunError, UsageError
from sim.files import write_together
from sim.report import figures
from sim.report.balance import of_balance
from sim.report.document import Document
from sim.report.formats import render

#: in `data`: what a report was begun with
ASKED = "asked.json"
#: where its figures are, seen from the report: told there too, and nothing that two reports must agree in
FIGURES = "--figures"
PAGES = {"index.html": "html", "report.md": "markdown", "report.json": "json"}
#: files that were being written when their process was killed: of the report, of its data, of its figures
LEFT_PAGES = re.compile(r"\.(index\.html|report\.md|report\.json)\.\d+\.tmp")
LEFT_DATA = re.compile(r"\..+\.(parquet|json)(\.\d+\.tmp)+")
LEFT_FIGURES = re.compile(r"\.[a-z0-9-]+\.svg\.\d+\.tmp")
#: so many differences are told
TOLD = 3


@dataclass(frozen=True)
class Folder:
    """Where a report goes; `data` keeps what is played, so that an interrupted report goes on.

    With `overwrite` an old report stays until the new one is whole: what is played lies beside what was played for it,
    and its pages, figures and what it was begun with are replaced together. `asked`: what the new one is begun with;
    `new`: the folders that were made for it.
    """

    path: Path
    figures: Path
    asked: str
    new: list[Path] = field(default_factory=list)

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def page(self) -> Path:
        return self.path / "index.html"

    @classmethod
    def make(
        cls,
        question: Question,
        out: Path | None = None,
        pictures: Path | None = None,
        *,
        resume: bool = False,
        overwrite: bool = False,
    ) -> Folder:
        """A folder to report into. Raises `UsageError` for an existing one without `resume` or `overwrite`, one that is
        no report, one that was begun with another question, and one (or a folder for pictures) that cannot be written.
        """
        if resume and overwrite:
            raise UsageError("resume and overwrite exclude each other")
        path = out or Path("results") / f"balance-{question.game.id}-{time.strftime('%Y%m%d-%H%M%S')}"
        with naming("out", path):
            if path.exists():
                _check_old(path, resume or overwrite)
        places = [path / "data", pictures or path / "figures"]
        before = _asked(path / "data" / ASKED)
        if pictures is not None:
            _check_pictures(pictures, path, before, overwrite)
        with naming("out", path):
            asked = {**question.told, FIGURES: os.path.relpath(os.path.realpath(places[1]), os.path.realpath(path))}
        made = cls(path, places[1], json.dumps(asked, indent=1))
        try:
            for key, place in zip(("out", "figures"), places, strict=True):
                made._make(key, place)
            with naming("out", path):
                if resume:
                    _check_same(path, before, json.loads(made.asked))
                if not made.page.exists():
                    write_together({made.data / ASKED: made.asked})
                made._tidy()
        except UsageError:
            made.undo()
            raise
        return made

    def _make(self, key: str, place: Path) -> None:
        """Makes a folder and remembers what is new."""
        with naming(key, place):
            missing = [folder for folder in (place, *place.parents) if not folder.exists()]
        self.new.extend(reversed(missing))
        make_folder(key, place)

    def _tidy(self) -> None:
        """Removes what a killed process left half written."""
        places = ((self.path, LEFT_PAGES), (self.data, LEFT_DATA), (self.figures, LEFT_FIGURES))
        for place, left in places:
            for file in place.rglob(".*") if place is self.data else place.glob(".*"):
                if left.fullmatch(file.name) and file.is_file():
                    file.unlink(missing_ok=True)

    def undo(self) -> None:
        """Takes back what `make` did; what was played since stays."""
        with suppress(OSError, ValueError):
            if not self.page.exists() and [entry.name for entry in self.data.iterdir()] == [ASKED]:
                (self.data / ASKED).unlink()
        for folder in reversed(self.new):
            with suppress(OSError, ValueError):
                folder.rmdir()

    def write(self, found: Balance) -> Document:
        """Writes the report: no file is replaced before all are written. Raises `RunError` if that is not possible."""
        document = of_balance(found)
        document.figure_folder = os.path.relpath(self.figures, self.path)
        texts = {self.figures / name: text for name, text in figures.texts(document.figures).items()}
        texts |= {self.path / name: render([document], kind) for name, kind in PAGES.items()}
        try:
            write_together({**texts, self.data / ASKED: self.asked})
        except OSError as error:
            raise RunError(f"out: cannot write {error.filename or self.path}: {error.strerror}") from None
        return document


def _check_old(path: Path, wanted: bool) -> None:
    """Raises `UsageError` for a file, a folder that holds anything but a report, and a report that is not `wanted`."""
    if not path.is_dir():
        raise UsageError(f"out: {path} is a file; a folder is expected")
    inside = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
    known = {*PAGES, "figures", "data"}
    if inside and not wanted:
        raise UsageError(f"out: {path} exists; use --resume to go on in it or --overwrite to replace it")
    if not inside <= known:
        strange = ", ".join(sorted(inside - known)[:3])
        raise UsageError(f"out: {path} holds what no balance report does ({strange}); name another folder")


def _check_pictures(pictures: Path, path: Path, before: Mapping[str, Any] | None, overwrite: bool) -> None:
    """Raises `UsageError` for a folder of pictures within the report's own, other than the usual one, for one that is
    itself a report's or a run's, and for one that is not empty, unless it is that of the report as it was begun.
    """
    with naming("figures", pictures):
        place, home = (Path(os.path.realpath(folder)) for folder in (pictures, path))
        inside = {entry.name for entry in place.iterdir()} if place.is_dir() else set()
        own = place == home / "figures" or os.path.relpath(place, home) == (before or {}).get(FIGURES)
        if inside & {*PAGES, "run.json"} or (inside and not own and not overwrite):
            raise UsageError(f"figures: {pictures} is not empty; allowed: an empty or new folder")
        if place != home / "figures" and place.is_relative_to(home):
            raise UsageError(
                f"figures: {pictures} lies in the report's folder; allowed: {path / 'figures'} or a folder elsewhere"
            )


def _check_same(path: Path, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Raises `UsageError` with the first differences between what a report was begun with and what is asked for, and
    for a finished report of which it is not known. One that was cut short goes on, since it shows nothing yet.
    """
    if before is None:
        if any((path / name).exists() for name in PAGES):
            raise UsageError(
                f"resume: {path / 'data' / ASKED} is missing or broken, so that it is not known what the report was "
                "begun with; use --overwrite to replace it"
            )
        return
    differences = [
        f"{key}: begun with {show(before.get(key))}, asked for {show(now.get(key))}"
        for key in {**now, **before}
        if before.get(key) != now.get(key) and key != FIGURES
    ]
    if differences:
        more = f"; and {len(differences) - TOLD} more" if len(differences) > TOLD else ""
        raise UsageError(f"resume: {path} is another report: {'; '.join(differences[:TOLD])}{more}")


def _asked(path: Path) -> dict[str, Any] | None:
    """What a report was begun with; None if that is not known, as in a file cut short."""
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    return None
