"""The sheet that figures are drawn on: measures in points from the top left, palette, legends, labels that fit."""

from __future__ import annotations

import io
import itertools
import re
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unicodedata import east_asian_width

import matplotlib as mpl
import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import TextToPath

from sim.report.document import Figure
from sim.report.figures.svg import GRID, INK, PAPER, check_name, finish, printable

#: Width of every figure and size of its text, in points: a phone shows the whole width in about 350 pixels.
WIDTH, SIZE, SMALL = 480.0, 11.0, 10.0
LINE = 1.25  # of the text's size

#: After Okabe & Ito (2008), the light ones darkened: contrast of 3 and more on white and on near black alike.
BLUE, VERMILLION, GREEN, PINK, OCHRE, SLATE = "#0072b2", "#d55e00", "#009e73", "#b8629a", "#a87900", "#7a8087"
COLOURS = (BLUE, VERMILLION, GREEN, PINK, OCHRE, SLATE)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", ">", "p", "h")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (7, 1.6, 1.2, 1.6)), (0, (1.4, 1.4)), (0, (9, 2)))

_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with Matplotlib; wider than what a page will take, so that all fits
    "font.size": SIZE,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.labelsize": SIZE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.use_mathtext": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "hatch.linewidth": 1.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "nullsim",
    "svg.id": None,
}
_LOCK = threading.RLock()  # Matplotlib's settings are global


@contextmanager
def drawing() -> Iterator[None]:
    """Within it the style is ours, whatever the user's settings; one thread draws at a time."""
    with _LOCK, mpl.rc_context(), warnings.catch_warnings():
        # Text is only measured here; the viewer has fonts for it.
        warnings.filterwarnings(
            "ignore", r"Glyph \d+ .* missing from|Matplotlib currently does not support .* natively"
        )
        style.use(["default", _STYLE])
        yield


class Sheet:
    """A drawing of WIDTH by `height` points. All positions are points from the top left."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.drawing = Drawing(figsize=(WIDTH / 72, height / 72), facecolor="none")

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes whose frame is this rectangle."""
        bottom = self.height - top - height
        return self.drawing.add_axes((left / WIDTH, bottom / self.height, width / WIDTH, height / self.height))

    def text(
        self, x: float, y: float, words: str, size: float = SIZE, ha: str = "left", va: str = "top", box: bool = False
    ) -> None:
        """Lines of text, aligned to x as `ha` says (left, center, right) and to y as `va` says (top, center, bottom).

        With `box` it stands on paper, free of what is drawn behind it. Every line is a text of its own, so that the
        viewer aligns it, whose font may be narrower than the one measured.
        """
        lines = printable(words).split("\n")
        top = y - {"top": 0, "center": 0.5, "bottom": 1}[va] * len(lines) * LINE * size
        for index, line in enumerate(lines):
            middle = top + (index + 0.5) * LINE * size
            paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5} if box else None
            self.drawing.text(x / WIDTH, 1 - middle / self.height, line, fontsize=size, ha=ha, va="center", bbox=paper)

    def legend(self, handles: Sequence[Any], labels: Sequence[str], top: float, left: float = 0) -> None:
        """A legend in as many columns as fit between `left` and the right edge."""
        wrapped, columns, _ = _legend(labels, left)
        self.drawing.legend(
            handles,
            wrapped,
            loc="upper left",
            bbox_to_anchor=(left / WIDTH, 1 - top / self.height),
            ncols=columns,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
            handlelength=_HANDLE / SIZE,
            handletextpad=0.6,
            columnspacing=1.4,
            labelspacing=0.4,
        )

    def finish(self, name: str, title: str, alt: str) -> Figure:
        """The sheet as a figure."""
        check_name(name)
        file = io.StringIO()
        self.drawing.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        return Figure(name, title, alt, finish(file.getvalue(), name, title, alt))


def nothing(name: str, title: str, words: str) -> Figure:
    """The figure where there is nothing to draw: it says so; `words` is its description too."""
    with drawing():
        sheet = Sheet(3 * SIZE)
        sheet.text(0, SIZE, words)
        return sheet.finish(name, title, words)


_HANDLE = 26.0


def _legend(labels: Sequence[str], left: float = 0) -> tuple[list[str], int, float]:
    """Wrapped labels, number of columns and height in points of a legend."""
    if not labels:
        return [], 1, 0.0
    room = WIDTH - left
    wrapped = [wrap(label, room / 2 - _HANDLE - 24) for label in labels]
    widths = [text_width(label) + _HANDLE + 0.6 * SIZE for label in wrapped]
    for columns in range(len(labels), 0, -1):
        rows, more = divmod(len(labels), columns)  # Matplotlib fills columns one after the other, long ones first
        ends = [0, *np.cumsum([rows + (index < more) for index in range(columns)])]
        taken = sum(max(widths[start:end]) for start, end in itertools.pairwise(ends)) + 1.4 * SIZE * (columns - 1)
        if taken <= room:
            break
    heights = [((label.count("\n") + 1) * LINE + 0.4) * SIZE for label in wrapped]
    return wrapped, columns, max(sum(heights[start:end]) for start, end in itertools.pairwise(ends))


def legend_height(labels: Sequence[str], left: float = 0) -> float:
    """Height in points of `Sheet.legend`."""
    return _legend(labels, left)[2]


def text_width(words: str, size: float = SIZE) -> float:
    """Width in points of the widest line."""
    font = FontProperties(family="DejaVu Sans", size=size)
    measure = TextToPath()
    # Signs that the measuring font lacks are as wide as they are high in others; so, nearly, is a W.
    lines = "".join("W" if east_asian_width(sign) in "WF" else sign for sign in printable(words)).split("\n")
    return max(float(measure.get_text_width_height_descent(line, font, False)[0]) if line else 0.0 for line in lines)


def text_height(words: str, size: float = SIZE) -> float:
    """Height in points of its lines."""
    return (words.count("\n") + 1) * LINE * size


def wrap(label: str, width: float, size: float = SIZE) -> str:
    """The label in lines of at most `width` points, broken after : ; , / and spaces, or where it must be."""
    lines = [""]
    for piece in re.findall(r"[^:;,/ ]*[:;,/ ]|[^:;,/ ]+", " ".join(label.split())):
        if text_width(lines[-1] + piece.rstrip(), size) <= width:
            lines[-1] += piece
            continue
        lines.append("")
        for letter in piece:  # a piece may be wider than a line
            if lines[-1] and text_width(lines[-1] + letter, size) > width:
                lines.append("")
            lines[-1] += letter
    return "\n".join(line.rstrip() for line in lines if line.strip()) or " "


def column(labels: Sequence[str], most: float, size: float = SIZE) -> tuple[list[str], float]:
    """The labels wrapped to at most `most` points, and the width that they take."""
    wrapped = [wrap(label, most, size) for label in labels]
    return wrapped, max((text_width(label, size) for label in wrapped), default=0.0)


def hollow(marker: str, size: float = 7.0) -> dict[str, Any]:
    """A marker of which only the outline is inked."""
    return {"marker": marker, "markersize": size, "mfc": PAPER, "mec": INK, "mew": 1.6, "color": INK}


def filled(marker: str, colour: str, size: float = 7.0) -> dict[str, Any]:
    """A marker filled with a colour."""
    return {"marker": marker, "markersize": size, "mfc": colour, "mec": colour, "mew": 1.0, "color": colour}


def handle(look: dict[str, Any], linestyle: Any = "none", linewidth: float = 2.0) -> Line2D:
    """What stands for a marker or line in a legend."""
    return Line2D([], [], **{"linestyle": linestyle, "linewidth": linewidth, **look})


def bare(axes: Axes, *spines: str) -> None:
    """Takes away spines and the ticks' strokes."""
    for spine in spines:
        axes.spines[spine].set_visible(False)
    axes.tick_params(length=0)
