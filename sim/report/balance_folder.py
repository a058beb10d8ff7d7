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
from sim.report import figures
from sim.report.balance import of_balance
from sim.report.document import Document
from sim.report.formats import render

#: in `data`: what a report was begun with
ASKED = "asked.json"
PAGES = {"index.html": "html", "report.md": "markdown", "report.json": "json"}
#: a file that was being written when its process was killed
LEFT_OVER = re.compile(r"\..+\.(parquet|json|html|md|svg)((\.\d+)?\.tmp)+")
#: so many differences are told
TOLD = 3


@dataclass(frozen=True)
class Folder:
    """Where a report goes; `data` keeps what is played, so that an interrupted report goes on.

    With `overwrite` an old report stays until the new one is whole: what is played lies beside what was played for it,
    and pages and figures are replaced one by one. `new`: the folders that were made for the report; `before`: what the
    folder's report was begun with until now, None if that is not known.
    """

    path: Path
    figures: Path
    new: list[Path] = field(default_factory=list)
    before: str | None = None

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
        if pictures is not None:
            _check_pictures(pictures, path)
        text = json.dumps(question.told, indent=1)
        made = cls(path, places[1], before=_asked(path / "data" / ASKED))
        try:
            for key, place in zip(("out", "figures"), places, strict=True):
                made._make(key, place)
            with naming("out", path):
                if resume and made.before is not None:
                    _check_same(path, json.loads(made.before), json.loads(text))
                _write(made.data / ASKED, text)
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
        for file in [*self.path.glob(".*"), *self.data.rglob(".*"), *self.figures.glob(".*")]:
            if LEFT_OVER.fullmatch(file.name) and file.is_file():
                file.unlink(missing_ok=True)

    def undo(self) -> None:
        """Takes back what `make` did; what was played since stays."""
        with suppress(OSError, ValueError):
            if self.before is not None:
                _write(self.data / ASKED, self.before)
            elif [entry.name for entry in self.data.iterdir()] == [ASKED]:
                (self.data / ASKED).unlink()
        for folder in reversed(self.new):
            with suppress(OSError, ValueError):
                folder.rmdir()

    def write(self, found: Balance) -> Document:
        """Writes the report: every file appears only when whole. Raises `RunError` if that is not possible."""
        document = of_balance(found)
        document.figure_folder = os.path.relpath(self.figures, self.path)
        try:
            figures.write(document.figures, self.figures)
            for name, kind in PAGES.items():
                _write(self.path / name, render([document], kind))
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


def _check_pictures(pictures: Path, path: Path) -> None:
    """Raises `UsageError` for a folder of pictures within the report's own, other than the usual one."""
    with naming("figures", pictures):
        place, home = (Path(os.path.realpath(folder)) for folder in (pictures, path))
        if place != home / "figures" and place.is_relative_to(home):
            raise UsageError(
                f"figures: {pictures} lies in the report's folder; allowed: {path / 'figures'} or a folder elsewhere"
            )


def _check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raises `UsageError` with the first differences between what a report was begun with and what is asked for."""
    differences = [
        f"{key}: begun with {show(before.get(key))}, asked for {show(now.get(key))}"
        for key in {**now, **before}
        if before.get(key) != now.get(key)
    ]
    if differences:
        more = f"; and {len(differences) - TOLD} more" if len(differences) > TOLD else ""
        raise UsageError(f"resume: {path} is another report: {'; '.join(differences[:TOLD])}{more}")


def _write(path: Path, text: str) -> None:
    """Writes a file that appears only when whole."""
    fresh = path.with_name(f".{path.name}.tmp")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _asked(path: Path) -> str | None:
    """What a report was begun with, as JSON; None if that is not known, as in a file cut short."""
    with suppress(OSError, ValueError):
        text = path.read_text(encoding="utf-8")
        if isinstance(json.loads(text), dict):
            return text
    return None
