"""Estimates as dots with intervals, one row each: a forest, and several of them with an axis each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sim.report.document import Figure
from sim.report.figures.canvas import (
    BLUE,
    SIZE,
    VERMILLION,
    WIDTH,
    Sheet,
    bare,
    column,
    drawing,
    filled,
    handle,
    hollow,
    legend_height,
    nothing,
    text_height,
    text_width,
    wrap,
)
from sim.report.figures.numbers import Unit, choose, difference, gap, known, level, limits, scaled, told
from sim.report.figures.svg import INK

#: Verdicts with the mark that follows the number.
MARKS = {"different": "", "equivalent": " =", "undecided": " ?"}

ForestRow = tuple[str, float | None, float | None, float | None, str]
#: (heading, rows under it); "" for rows under none
Group = tuple[str, Sequence[ForestRow]]


@dataclass(frozen=True)
class Panel:
    """Estimates of one unit over an axis of their own.

    `groups` hold rows (label, estimate, low, high, verdict) with verdict "different", "equivalent" or "undecided" (of
    0), or "" where nothing is held against 0. `xlabel` says what is measured, the unit is added; `level` that values
    are no differences, so that they have no sign and shares are percent. The axis holds 0.
    """

    unit: str
    groups: Sequence[Group]
    xlabel: str = ""
    level: bool = False

    @property
    def shown(self) -> Unit:
        return level(self.unit) if self.level else difference(self.unit)

    @property
    def rows(self) -> list[ForestRow]:
        return [row for _, rows in self.groups for row in rows]


def forest(
    name: str,
    title: str,
    rows: Sequence[ForestRow],
    unit: str,
    xlabel: str,
    beside: Sequence[Sequence[ForestRow]] = (),
) -> Figure:
    """Leads as dots with intervals around 0, one row each, from the top in the order given; see `panels`.

    Raises `UsageError` for another verdict or an unfit name.
    """
    for row in rows:
        choose("verdict", row[4], MARKS)
    own, *others = ([Panel(unit, [("", lines)], xlabel)] for lines in (rows, *beside))
    return panels(name, title, own, others)


def panels(
    name: str, title: str, shown: Sequence[Panel], beside: Sequence[Sequence[Panel]] = (), remark: str = ""
) -> Figure:
    """Panels one below the other, each with its axis, under one legend; `remark` ends the description.

    `beside` are the panels of other figures, as many and of the same units, that this one can be compared with: each
    axis has the same range and width. Raises `UsageError` for another verdict or an unfit name.
    """
    for panel in shown:
        for row in panel.rows:
            choose("verdict", row[4], ["", *MARKS])
    if not any(panel.rows for panel in shown):
        return nothing(name, title, " ".join(filter(None, ["Nothing was measured.", remark])))
    with drawing():
        every = [panel for one in (shown, *beside) for panel in one]
        left = column([row[0] for panel in every for row in panel.rows], 170)[1]
        right = max(text_width(_text(row, panel)) for panel in every for row in panel.rows)
        width = WIDTH - left - right - 28
        rows = [row for panel in shown for row in panel.rows]
        air = 9 if len(rows) < _MANY else 3
        groups = [[panel, *(one[k] for one in beside)] for k, panel in enumerate(shown) if panel.rows]
        plots = [_Plot(panel, same, width, air) for panel, *same in groups]
        legend = list(dict.fromkeys(look for look in map(_look, rows) if look))
        foot = 4 + sum(plot.total + plot.foot for plot in plots)
        sheet = Sheet(foot + legend_height(legend) + 4)
        top = 4.0
        for plot in plots:
            plot.draw(sheet, top, left, right)
            top += plot.total + plot.foot
        sheet.legend([handle(_LOOKS[look], "-") for look in legend], legend, foot)
        alt = [_alt(panel) for panel in shown if panel.rows]
        return sheet.finish(name, title, " ".join(filter(None, [*alt, remark])))


_MANY = 16  # rows from which on they stand closer
_HEAD = 1.9 * SIZE


class _Plot:
    """A panel with the places of its rows; `beside` are those whose range the axis holds too."""

    def __init__(self, panel: Panel, beside: Sequence[Panel], width: float, air: float) -> None:
        self.panel, self.beside, self.width = panel, beside, width
        self.below = wrap(", ".join(filter(None, [panel.xlabel, panel.shown.name])), width)
        self.foot = 18 + text_height(self.below) + 10
        self.lines: list[tuple[ForestRow, str, float]] = []  # row, label, middle
        self.heads: list[tuple[str, float]] = []
        self.total = 0.0
        for head, rows in panel.groups:
            if head and rows:
                self.heads.append((head, self.total + _HEAD / 2))
                self.total += _HEAD
            for row, label in zip(rows, column([row[0] for row in rows], 170)[0], strict=True):
                height = max(text_height(label), 1.5 * SIZE) + air
                self.lines.append((row, label, self.total + height / 2))
                self.total += height

    def draw(self, sheet: Sheet, top: float, left: float, right: float) -> None:
        """Axis, headings, labels, dots with intervals, and values in words."""
        panel, shown = self.panel, self.panel.shown
        axes = sheet.axes(left + 12, top, self.width, self.total)
        held = [value for one in (panel, *self.beside) for row in one.rows for value in row[1:4]]
        axes.set_xlim(*limits([scaled(value, shown) for value in held], 0))
        axes.set_ylim(self.total, 0)
        axes.grid(axis="x", linewidth=0.7)
        axes.axvline(0, color=INK, linewidth=1.1)
        axes.set_yticks([])
        bare(axes, "left", "bottom")
        sheet.text(left + 12 + self.width / 2, top + self.total + 18, self.below, ha="center")
        for head, middle in self.heads:
            sheet.text(0, top + middle, head, va="center", box=True)
        for row, label, middle in self.lines:
            sheet.text(left, top + middle, label, ha="right", va="center")
            sheet.text(WIDTH - right, top + middle, _text(row, panel), va="center")
            look = _look(row)
            if look:
                axes.plot([gap(value, shown) for value in row[2:4]], [middle] * 2, color=_LOOKS[look]["mec"], lw=2.2)
                axes.plot([gap(row[1], shown)], [middle], linestyle="none", clip_on=False, **_LOOKS[look])


_LOOKS: dict[str, dict[str, Any]] = {
    "above 0": filled(">", BLUE, 8),
    "below 0": filled("<", VERMILLION, 8),
    "equivalent to 0 (=)": hollow("s"),
    "undecided (?)": hollow("o"),
    "estimate with interval": filled("o", BLUE),
}


def _look(row: ForestRow) -> str:
    if known(row[1]) is None:
        return ""
    other = {
        "equivalent": "equivalent to 0 (=)",
        "undecided": "undecided (?)",
        "": "estimate with interval",
    }
    return other.get(row[4], "below 0" if (row[1] or 0) < 0 else "above 0")


def _text(row: ForestRow, panel: Panel) -> str:
    return told(row[1], row[2], row[3], panel.shown, sign=not panel.level) + MARKS.get(row[4], "")


_TOLD = 14  # rows that a description names one by one


def _alt(panel: Panel) -> str:
    counted = Counter(row[4] for row in panel.rows)
    words = []
    for head, rows in panel.groups:
        parts = []
        for row in rows:
            if len(panel.rows) > _TOLD and row[4] != "different":
                continue
            text = _text(row, panel).removesuffix(MARKS.get(row[4], ""))
            sure = row[4] in ("different", "") or known(row[1]) is None
            parts.append(f"{row[0]} {text}" + ("" if sure else f", {row[4]}"))
        if parts:
            words.append(": ".join(filter(None, [head, "; ".join(parts)])))
    xlabel = panel.xlabel[:1].upper() + panel.xlabel[1:] or "Estimates"
    heading = f"{xlabel}, in {panel.shown.name}, with intervals"
    if len(panel.rows) > _TOLD:
        heading += f" ({', '.join(f'{counted[one]} {one}' for one in MARKS if counted[one])})"
    return f"{heading}: {'; '.join(words)}." if words else f"{heading}."
