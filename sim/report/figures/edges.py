"""Leads with their verdicts: a forest of them, and the matrix of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.patches import Rectangle

from sim.report.document import Figure
from sim.report.figures.canvas import (
    BLUE,
    SIZE,
    SMALL,
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
from sim.report.figures.numbers import choose, difference, digits_for, gap, known, limits, listed, number, scaled, told
from sim.report.figures.svg import GRID, INK

#: Verdicts with the mark that follows the number.
MARKS = {"different": "", "equivalent": " =", "undecided": " ?"}

ForestRow = tuple[str, float | None, float | None, float | None, str]


def forest(name: str, title: str, rows: Sequence[ForestRow], unit: str, xlabel: str) -> Figure:
    """Leads as dots with intervals around 0, one row each, from the top in the order given.

    `rows` holds (label, estimate, low, high, verdict) with verdict "different", "equivalent" or "undecided" (of 0);
    `xlabel` says what is measured, the unit is added. Raises `UsageError` for another verdict or an unfit name.
    """
    for row in rows:
        choose("verdict", row[4], MARKS)
    if not rows:
        return nothing(name, title, "Nothing was measured.")
    shown = difference(unit)
    texts = [told(row[1], row[2], row[3], shown, sign=True) + MARKS[row[4]] for row in rows]
    with drawing():
        labels, left = column([row[0] for row in rows], 170)
        right = max(map(text_width, texts))
        heights = [max(text_height(label), 1.5 * SIZE) + 9 for label in labels]
        looks = [_look(row) for row in rows]
        legend = list(dict.fromkeys(look for look in looks if look))
        total = sum(heights)
        width = WIDTH - left - right - 28
        below = wrap(", ".join(filter(None, [xlabel, shown.name])), width)
        foot = 4 + total + 18 + text_height(below) + 10
        sheet = Sheet(foot + legend_height(legend) + 4)
        axes = sheet.axes(left + 12, 4, width, total)
        low, high = limits([scaled(value, shown) for row in rows for value in row[1:4]], 0)
        axes.set_xlim(low, high)
        axes.set_ylim(total, 0)
        axes.grid(axis="x", linewidth=0.7)
        axes.axvline(0, color=INK, linewidth=1.1)
        axes.set_yticks([])
        bare(axes, "left", "bottom")
        sheet.text(left + 12 + width / 2, 4 + total + 18, below, ha="center")
        middle = 0.0
        for row, label, text, height, look in zip(rows, labels, texts, heights, looks, strict=True):
            middle += height / 2
            sheet.text(left, 4 + middle, label, ha="right", va="center")
            sheet.text(WIDTH - right, 4 + middle, text, va="center")
            if look:
                axes.plot([gap(value, shown) for value in row[2:4]], [middle] * 2, color=_LOOKS[look]["mec"], lw=2.2)
                axes.plot([gap(row[1], shown)], [middle], linestyle="none", clip_on=False, **_LOOKS[look])
            middle += height / 2
        sheet.legend([handle(_LOOKS[look], "-") for look in legend], legend, foot)
        return sheet.finish(name, title, _forest_alt(rows, texts, xlabel, shown.name))


_LOOKS: dict[str, dict[str, Any]] = {
    "above 0": filled(">", BLUE, 8),
    "below 0": filled("<", VERMILLION, 8),
    "equivalent to 0 (=)": hollow("s"),
    "undecided (?)": hollow("o"),
}


def _look(row: ForestRow) -> str:
    if known(row[1]) is None:
        return ""
    other = {"equivalent": "equivalent to 0 (=)", "undecided": "undecided (?)"}
    return other.get(row[4], "below 0" if (row[1] or 0) < 0 else "above 0")


def _forest_alt(rows: Sequence[ForestRow], texts: list[str], xlabel: str, unit: str) -> str:
    words = []
    for row, text in zip(rows, texts, strict=True):
        sure = row[4] == "different" or known(row[1]) is None
        words.append(f"{row[0]} {text.removesuffix(MARKS[row[4]])}" + ("" if sure else f", {row[4]}"))
    head = xlabel[:1].upper() + xlabel[1:] or "Estimates"
    return f"{head}, in {unit}, with intervals: {'; '.join(words)}."


Cells = Mapping[tuple[str, str], tuple[float | None, str]]


def heat_map(name: str, title: str, labels: Sequence[str], cells: Cells, unit: str) -> Figure:
    """The matrix of pairs, numbers in the cells; colours by sign and size.

    `labels` are rows and columns in this order; `cells[row, column]` is (estimate, verdict): how much the row is above
    the column, verdict as in `forest`. Undecided cells are hatched and bear "?", equivalent ones "="; a pair without a
    cell stays empty. Raises `UsageError` for another verdict, a cell of an unknown label or an unfit name.
    """
    for (row, col), (_, verdict) in cells.items():
        choose("verdict", verdict, MARKS)
        choose("row", row, labels)
        choose("column", col, labels)
    if not labels or not cells:
        return nothing(name, title, "No pair was measured.")
    shown = difference(unit)
    values = {key: scaled(cell[0], shown) for key, cell in cells.items()}
    largest = max((abs(value) for value in values.values() if value is not None), default=0.0)
    with drawing():
        grid = _Grid(labels, values, {key: cell[1] for key, cell in cells.items()}, largest)
        sheet = Sheet(grid.top + grid.height * len(labels) + 12 + legend_height(_KEY) + text_height("") + 6)
        grid.draw(sheet)
        below = grid.top + grid.height * len(labels) + 10
        sheet.text(
            0,
            below,
            f"lead of the row over the column, {shown.name}" + ("" if grid.named else "; columns by number"),
            SMALL,
        )
        handles = [
            Rectangle((0, 0), 1, 1, facecolor=BLUE, alpha=0.55),
            Rectangle((0, 0), 1, 1, facecolor=VERMILLION, alpha=0.55),
            Rectangle((0, 0), 1, 1, facecolor="none", edgecolor=GRID),
            Rectangle((0, 0), 1, 1, facecolor="none", edgecolor=GRID, hatch=_HATCH),
        ]
        sheet.legend(handles, _KEY, below + text_height(""))
        return sheet.finish(name, title, _matrix_alt(labels, cells, values, grid.digits, shown.name))


_KEY = ["+ row ahead", "\N{MINUS SIGN} column ahead", "= equivalent", "? undecided"]
_HATCH = "////"


class _Grid:
    """Where the cells stand and what is written in them, at a size that fits."""

    def __init__(
        self,
        labels: Sequence[str],
        values: dict[tuple[str, str], float | None],
        verdicts: dict[tuple[str, str], str],
        largest: float,
    ) -> None:
        self.labels, self.values, self.verdicts, self.largest = labels, values, verdicts, largest
        for self.named in (True, False):
            rows = labels if self.named else [f"{label}  ({index + 1})" for index, label in enumerate(labels)]
            self.rows, taken = column(rows, 150)
            self.left = taken + 8
            self.width = min(110.0, (WIDTH - self.left - 2) / len(labels))
            self.heads = [wrap(label, self.width - 4, SMALL) for label in labels]
            pieces = [len(label.split()) + sum(map(label.count, ":;,/")) for label in labels]
            if (
                all(head.count("\n") <= piece for head, piece in zip(self.heads, pieces, strict=True))
                and len(labels) < 9
            ):
                break
        else:
            self.heads = [f"({index + 1})" for index in range(len(labels))]
        self.top = max(text_height(head, SMALL) for head in self.heads) + 6
        self._fit()
        lines = 2 if self.stacked else 1
        self.height = max(30.0, 1.25 * lines * self.size + 8, *(text_height(row) + 6 for row in self.rows))

    def _fit(self) -> None:
        """The most digits and the largest type at which every cell's text fits, on two lines if it must be."""
        best = digits_for(self.largest)
        tries = [(best, False, SIZE), (best, False, SMALL), (best, True, SMALL), (max(0, best - 1), True, SMALL)]
        for self.digits, self.stacked, self.size in [*tries, (max(0, best - 1), True, 8.0)]:
            if max(text_width(self.written(key), self.size) for key in self.values) <= self.width - 3:
                return

    def written(self, key: tuple[str, str]) -> str:
        """What stands in a cell."""
        value = self.values[key]
        if value is None:
            return "-"
        mark = MARKS[self.verdicts[key]]
        return number(value, self.digits, sign=True) + (mark.replace(" ", "\n") if self.stacked else mark)

    def draw(self, sheet: Sheet) -> None:
        """Headings, cells and what is written in them."""
        count = len(self.labels)
        axes = sheet.axes(self.left, self.top, self.width * count, self.height * count)
        axes.set_xlim(0, count)
        axes.set_ylim(count, 0)
        axes.set_axis_off()
        for index, (row, head) in enumerate(zip(self.rows, self.heads, strict=True)):
            sheet.text(self.left - 8, self.top + (index + 0.5) * self.height, row, ha="right", va="center")
            sheet.text(self.left + (index + 0.5) * self.width, self.top - 4, head, SMALL, ha="center", va="bottom")
        for i, row in enumerate(self.labels):
            for j, col in enumerate(self.labels):
                place = Rectangle((j, i), 1, 1, facecolor="none", edgecolor=GRID, linewidth=0.9)
                axes.add_patch(place)
                if (row, col) not in self.values:
                    if row == col:
                        place.set(facecolor=GRID, alpha=0.5)
                    continue
                value, undecided = self.values[row, col], self.verdicts[row, col] == "undecided"
                if value is not None and undecided:
                    place.set_hatch(_HATCH)
                elif value is not None and self.verdicts[row, col] == "different":
                    strength = 0.08 + 0.52 * abs(value) / (self.largest or 1)
                    fill = BLUE if value >= 0 else VERMILLION
                    axes.add_patch(Rectangle((j, i), 1, 1, facecolor=fill, alpha=strength, linewidth=0))
                x, y = self.left + (j + 0.5) * self.width, self.top + (i + 0.5) * self.height
                sheet.text(x, y, self.written((row, col)), self.size, ha="center", va="center", box=undecided)


_TOLD = 10  # pairs that a description names one by one


def _matrix_alt(
    labels: Sequence[str], cells: Cells, values: dict[tuple[str, str], float | None], digits: int, unit: str
) -> str:
    pairs = [(a, b) for i, a in enumerate(labels) for b in labels[i + 1 :]]
    seen = [(a, b) if (a, b) in cells else (b, a) for a, b in pairs if (a, b) in cells or (b, a) in cells]
    counts = Counter(cells[pair][1] for pair in seen)
    heading = listed([f"{counts[verdict]} {verdict}" for verdict in MARKS if counts[verdict]])
    ahead = [(a, b) if (values[a, b] or 0) >= 0 else (b, a) for a, b in seen if cells[a, b][1] == "different"]
    leads = {pair: abs(values.get(pair, values.get(pair[::-1])) or 0) for pair in ahead}
    words = [f"{a} over {b} by {number(leads[a, b], digits)}" for a, b in ahead]
    if len(seen) > _TOLD:
        largest = sorted(ahead, key=lambda pair: -leads[pair])[:3]
        words = [words[ahead.index(pair)] for pair in largest]
        wins = Counter(pair[0] for pair in ahead)
        scores = ", ".join(f"{label} {wins[label]}" for label in sorted(labels, key=lambda label: -wins[label]))
        rest = f" Others that each is clearly ahead of: {scores}."
    else:
        unsure = [pair for pair in seen if pair not in leads and pair[::-1] not in leads]
        told_pairs = [f"{a} against {b} {_lead(values[a, b], digits)}, {cells[a, b][1]}" for a, b in unsure]
        rest = f" {'; '.join(told_pairs)}." if told_pairs else ""
    most = "largest leads: " if len(seen) > _TOLD else ""
    first = f": {most}{', '.join(words)}" if words else ""
    return f"Of {len(seen)} pair{'s' * (len(seen) != 1)} {heading}, in {unit}{first}.{rest}"


def _lead(value: float | None, digits: int) -> str:
    return "without an estimate" if value is None else number(value, digits, sign=True)
