"""The folder of a balance report: index.html, report.md, report.json, figures/, data/."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.analysis.balance import Balance
from sim.errors import RunError, UsageError
from sim.games import find_game
from sim.report import figures
from sim.report.balance import of_balance
from sim.report.document import Document
from sim.report.formats import grouped, render

#: in `data`: the options that a report was begun with
ASKED = "asked.json"
PAGES = {"index.html": "html", "report.md": "markdown", "report.json": "json"}


@dataclass(frozen=True)
class Folder:
    """Where a report goes; `data` keeps what is played, so that an interrupted report goes on.

    With `overwrite` an old report stays until the new one is whole: what is played lies beside what was played for it,
    and pages and figures are replaced one by one. `asked` is what decides the numbers, as JSON.
    """

    path: Path
    figures: Path
    asked: str = "{}"

    @property
    def data(self) -> Path:
        return self.path / "data"

    @classmethod
    def make(
        cls,
        game: str,
        out: Path | None,
        pictures: Path | None,
        *,
        asked: Mapping[str, Any] | None = None,
        resume: bool = False,
        overwrite: bool = False,
    ) -> Folder:
        """A folder to report into; `asked` is what decides the report's numbers. Raises `UsageError` for an existing
        one without `resume` or `overwrite`, one that is no report, and one that was begun with another `asked`;
        `RunError` for one that cannot be made.
        """
        find_game(game)
        if resume and overwrite:
            raise UsageError("resume and overwrite exclude each other")
        path = out or Path("results") / f"balance-{game}-{time.strftime('%Y%m%d-%H%M%S')}"
        if path.exists():
            if not path.is_dir():
                raise UsageError(f"out: {path} is a file; a folder is expected")
            inside = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
            known = {*PAGES, "figures", "data"}
            if inside and not (resume or overwrite):
                raise UsageError(f"out: {path} exists; use --resume to go on in it or --overwrite to replace it")
            if not inside <= known:
                strange = ", ".join(sorted(inside - known)[:3])
                raise UsageError(f"out: {path} holds what no balance report does ({strange}); name another folder")
        text = json.dumps(dict(asked or {}), sort_keys=True, default=str)
        made = cls(path, pictures or path / "figures", text)
        try:
            made.data.mkdir(parents=True, exist_ok=True)
            before = _asked(made.data / ASKED)
            if before is None:
                _write(made.data / ASKED, text)
            elif resume and before != json.loads(text):
                raise UsageError(f"resume: {path} was begun with other options ({_differing(before, text)})")
        except OSError as error:
            raise RunError(f"out: cannot write {path}: {error.strerror}") from None
        return made

    def drop_if_empty(self) -> None:
        """Removes what `make` made, if nothing has come into it."""
        if self.data.is_dir() and [entry.name for entry in self.data.iterdir()] == [ASKED]:
            (self.data / ASKED).unlink()
        for folder in (self.data, self.path):
            with suppress(OSError):
                folder.rmdir()

    def write(self, found: Balance) -> Document:
        """Writes the report: every file appears only when whole. Raises `RunError` if that is not possible."""
        document = of_balance(found)
        document.figure_folder = os.path.relpath(self.figures, self.path)
        try:
            self.figures.mkdir(parents=True, exist_ok=True)
            figures.write(document.figures, self.figures)
            for name, kind in PAGES.items():
                _write(self.path / name, render([document], kind))
            _write(self.data / ASKED, self.asked)
        except OSError as error:
            raise RunError(f"out: cannot write {error.filename or self.path}: {error.strerror}") from None
        return document

    def told(self, document: Document) -> str:
        """The verdict in words, and where the rest is."""
        lines = [document.title, ""]
        for group, sentences in grouped(document.summary).items():
            lines += [*([f"{group}:"] if group else []), *(f"- {one.text}" for one in sentences), ""]
        lines += [f"note: {note}" for note in document.notes]
        return "\n".join([*lines, "", f"The report: {self.path / 'index.html'}"]) + "\n"


def _write(path: Path, text: str) -> None:
    """Writes a file that appears only when whole."""
    fresh = path.with_name(f".{path.name}.tmp")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _asked(path: Path) -> dict[str, Any] | None:
    """The options a report was begun with; None if they are not known, as in a file cut short."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _differing(before: dict[str, Any], text: str) -> str:
    """The options in which they differ from those in a text."""
    now = json.loads(text)
    return ", ".join(sorted(key for key in {*before, *now} if before.get(key) != now.get(key)))
