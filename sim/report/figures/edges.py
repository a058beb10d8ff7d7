"""Edges with their verdicts: the matrix of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from matplotlib.patches import Rectangle

from sim.report.document import Figure
from sim.report.figures.canvas import (
    BLUE,
    SIZE,
    SMALL,
    VERMILLION,
    WIDTH,
    Sheet,
    column,
    drawing,
    legend_height,
    nothing,
    text_height,
    text_width,
    wrap,
)
from sim.report.figures.forest import MARKS
from sim.report.figures.numbers import choose, difference, digits_for, listed, number, scaled
from sim.report.figures.svg import GRID

Cells = Mapping[tuple[str, str], tuple[float | None, str]]


def heat_map(
    name: str, title: str, labels: Sequence[str], cells: Cells, unit: str, also: Sequence[float | None] = ()
) -> Figure:
    """The matrix of pairs, numbers in the cells; colours by sign and size.

    `labels` are rows and columns in this order; `cells[row, column]` is (estimate, verdict): how much the row is above
    the column, verdict as in `forest`. Undecided cells are hatched and bear "?", equivalent ones "="; a pair without a
    cell stays empty. Colours are as strong as if the estimates of `also` were among the cells, so that figures compare.
    Raises `UsageError` for another verdict, a cell of an unknown label or an unfit name.
    """
    for (row, col), (_, verdict) in cells.items():
        choose("verdict", verdict, MARKS)
        choose("row", row, labels)
        choose("column", col, labels)
    if not labels or not cells:
        return nothing(name, title, "No pair was measured.")
    shown = difference(unit)
    values = {key: scaled(cell[0], shown) for key, cell in cells.items()}
    seen = [*values.values(), *(scaled(value, shown) for value in also)]
    largest = max((abs(value) for value in seen if value is not None), default=0.0)
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
