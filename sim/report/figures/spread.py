"""How something is spread: scores over games, advantages over seats, masses over strategies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from sim.errors import UsageError
from sim.report.document import Figure
from sim.report.figures.canvas import (
    BLUE,
    COLOURS,
    MARKERS,
    OCHRE,
    SMALL,
    WIDTH,
    Sheet,
    bare,
    column,
    drawing,
    filled,
    handle,
    legend_height,
    nothing,
    text_height,
    text_width,
)
from sim.report.figures.numbers import (
    choose,
    difference,
    gap,
    known,
    level,
    limits,
    number,
    plain,
    same_length,
    scaled,
    told,
)
from sim.report.figures.svg import GRID, INK

Histogram = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]
_BINS = 110
_ROW = 52.0


def distributions(
    name: str, title: str, histograms: Mapping[str, Histogram], unit: str, also: Sequence[Histogram] = ()
) -> Figure:
    """Distributions of whole numbers, one above the other over one axis, with mean and middle 90 %.

    `histograms[label]` is (values, counts), integer arrays of one length: how many games ended with each value. Areas
    are shares of the label's games, so that labels of unlike size compare; heights have one scale unless one peak is
    six times another's, then each its own, which the figure says. Axis and heights are as if the histograms of `also`
    were drawn too, so that two figures compare. Raises `UsageError` for lists of unequal length, negative counts or an
    unfit name.
    """
    if not histograms:
        return nothing(name, title, "No games were counted.")
    cleaned = {label: _histogram(label, *pair) for label, pair in histograms.items()}
    moments = {label: _summary(*pair) for label, pair in cleaned.items()}
    others = [_histogram("also", *pair) for pair in also]
    edges = _edges([values for values, _ in [*cleaned.values(), *others]])

    def share_of(values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.histogram(values, edges, weights=counts)[0] / max(1, counts.sum()))

    shares = {label: share_of(*pair) for label, pair in cleaned.items()}
    seen = [*shares.values(), *(share_of(*pair) for pair in others)]
    peaks = [float(share.max()) for share in seen if share.any()]
    own = bool(peaks) and max(peaks) > 6 * min(peaks)
    with drawing():
        labels, left = column(list(histograms), 150)
        texts, beside = (
            [f"mean {number(one[0], 1)}" if one else "no games" for one in some]
            for some in (moments.values(), [_summary(*pair) for pair in others])
        )
        right = max((text_width(text) for text in [*texts, *beside]), default=0)
        heights = [max(_ROW, text_height(label) + 8) for label in labels]
        total = sum(heights) + 4
        key = ["mean", "middle 90 % of the games"]
        note = "heights: each to its own peak" if own else ""
        sheet = Sheet(6 + total + 46 + legend_height(key) + text_height("", SMALL) * bool(note) + 4)
        top = 6.0
        width = WIDTH - left - right - 24
        for index, (label, text) in enumerate(zip(histograms, texts, strict=True)):
            middle = top + heights[index] / 2
            sheet.text(left, middle, labels[index], ha="right", va="center")
            sheet.text(WIDTH - right, middle, text, va="center")
            axes = sheet.axes(left + 12, top, width, heights[index] - 2)
            axes.set_xlim(edges[0], edges[-1])
            peak = float(shares[label].max()) if own else max(peaks, default=1.0)
            axes.set_ylim(-0.22 * (peak or 1), 1.05 * (peak or 1))
            axes.set_axis_off()
            axes.axhline(0, color=GRID, linewidth=0.9)
            one = moments[label]
            if one:
                axes.stairs(shares[label], edges, fill=True, color=BLUE, alpha=0.5, linewidth=0)
                axes.stairs(shares[label], edges, color=BLUE, linewidth=0.9)
                axes.plot(one[1:], [-0.1 * peak] * 2, color=INK, linewidth=2.2, solid_capstyle="butt")
                axes.plot([one[0]], [-0.1 * peak], clip_on=False, linestyle="none", **filled("D", INK, 5.5))
            top += heights[index]
        foot = sheet.axes(left + 12, 6, width, total)
        foot.set_xlim(edges[0], edges[-1])
        foot.set_yticks([])
        bare(foot, "left")
        foot.grid(axis="x", linewidth=0.7)
        foot.set_zorder(-1)
        foot.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        foot.set_xlabel(unit)
        handles = [handle(filled("D", INK, 5.5)), handle({"color": INK}, "-", 2.2)]
        sheet.legend(handles, key, 6 + total + 42)
        if note:
            sheet.text(0, sheet.height - text_height("", SMALL) - 2, note, SMALL)
        return sheet.finish(name, title, _spread_alt(moments, unit))


def _histogram(label: str, values: Any, counts: Any) -> Histogram:
    same_length(label, values, counts)
    values, counts = np.asarray(values, np.int64), np.asarray(counts, np.int64)
    if (counts < 0).any():
        raise UsageError(f"{label}: a count below 0; counts are 0 or more")
    order = np.argsort(values[counts > 0], kind="stable")
    return values[counts > 0][order], counts[counts > 0][order]


def _summary(values: NDArray[Any], counts: NDArray[Any]) -> tuple[float, float, float] | None:
    """Mean and the values between which the middle 90 % of the games lie."""
    if not len(values):
        return None
    passed = np.cumsum(counts)
    low, high = (values[np.searchsorted(passed, share * passed[-1])] for share in (0.05, 0.95))
    return float(np.dot(values, counts) / passed[-1]), float(low), float(high)


def _edges(lists: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Edges of bins that all share; their width is a multiple of the step at which values can lie.

    A bin stays empty at either end, more where there are few, so that a single value is a bar and not a field.
    """
    values = np.unique(np.concatenate([*lists, np.zeros(0, np.int64)]))
    if not len(values):
        return np.array([-0.5, 0.5])
    step = int(np.gcd.reduce(np.diff(values))) if len(values) > 1 else 1
    width = step * math.ceil((int(values[-1] - values[0]) // step + 1) / _BINS)
    count = int(values[-1] - values[0]) // width + 1
    air = max(1, (12 - count) // 2)
    edges: NDArray[np.float64] = values[0] - step / 2 + width * np.arange(-air, count + air + 1, dtype=np.float64)
    return edges


def _spread_alt(moments: dict[str, tuple[float, float, float] | None], unit: str) -> str:
    words = [
        f"{label} mean {number(one[0], 1)}, middle 90 % from {plain(one[1])} to {plain(one[2])}"
        if one
        else f"{label} without games"
        for label, one in moments.items()
    ]
    return f"Distributions, in {unit}: {'; '.join(words)}."


SeatRow = tuple[str, int, float | None, float | None, float | None]


def seat_dots(name: str, title: str, rows: Sequence[SeatRow], unit: str, also: Sequence[float | None] = ()) -> Figure:
    """What a seat is worth: dots with intervals around 0 by seat, the strategies side by side.

    `rows` holds (strategy, seat, estimate, low, high); strategies keep the order of their first row, seats go up.
    The axis holds the values of `also`, too, so that figures compare. Raises `UsageError` for an unfit name.
    """
    if not rows:
        return nothing(name, title, "No seat was measured.")
    shown = difference(unit)
    strategies = list(dict.fromkeys(row[0] for row in rows))
    seats = sorted({row[1] for row in rows})
    with drawing():
        height = 190.0
        held = [value for row in rows for value in row[2:5]] + list(also)
        low, high = limits([scaled(value, shown) for value in held], 0)
        key = strategies if len(strategies) > 1 else []
        sheet = Sheet(22 + height + 24 + (12 + legend_height(key)) * bool(key))
        sheet.text(0, 0, f"{shown.name}, 0: no advantage" + (f" ({strategies[0]})" if len(strategies) == 1 else ""))
        axes = sheet.axes(44, 22, WIDTH - 46, height)
        axes.set_xlim(-0.5, len(seats) - 0.5)
        axes.set_ylim(low, high)
        axes.grid(axis="y", linewidth=0.7)
        axes.set_xticks(range(len(seats)), [f"seat {seat}" for seat in seats])
        bare(axes, "left", "bottom")
        axes.axhline(0, color=INK, linewidth=1.1)
        for border in range(1, len(seats)):
            axes.axvline(border - 0.5, color=GRID, linewidth=0.7, zorder=0.5)
        apart = 0.76 / max(3, len(strategies))
        size = 7.0 if len(strategies) * len(seats) <= 30 else 5.5
        looks = [filled(MARKERS[i % len(MARKERS)], COLOURS[i % len(COLOURS)], size) for i in range(len(strategies))]
        for strategy, seat, *values in rows:
            index = strategies.index(strategy)
            place = seats.index(seat) + apart * (index - (len(strategies) - 1) / 2)
            estimate, bottom, top = (gap(value, shown) for value in values)
            axes.plot([place, place], [bottom, top], color=looks[index]["color"], linewidth=2)
            axes.plot([place], [estimate], linestyle="none", clip_on=False, **looks[index])
        sheet.legend([handle(look, "-") for look in looks] if key else [], key, 22 + height + 34)
        return sheet.finish(name, title, _seats_alt(strategies, rows, shown))


def _seats_alt(strategies: list[str], rows: Sequence[SeatRow], shown: Any) -> str:
    words = []
    for strategy in strategies:
        own = sorted((row for row in rows if row[0] == strategy), key=lambda row: row[1])
        if len(strategies) > 3:  # the best and the worst seat say what matters
            own = sorted((row for row in own if known(row[2]) is not None), key=lambda row: row[2] or 0)
            own = list(dict.fromkeys([*own[-1:], *own[:1]]))
        told_seats = [f"seat {row[1]} {told(*row[2:5], shown, sign=True)}" for row in own]
        words.append(f"{strategy} {', '.join(told_seats) or 'without estimates'}")
    which = "best and worst seat" if len(strategies) > 3 else "by seat"
    return f"Advantage {which}, in {shown.name}: {'; '.join(words)}."


MassRow = tuple[str, str, float | None, float | None, float | None]
_KINDS = {"equilibrium": "equilibrium", "alpharank": "\N{GREEK SMALL LETTER ALPHA}-rank"}


def masses(name: str, title: str, rows: Sequence[MassRow]) -> Figure:
    """Shares of the strategies in the meta-game: bars from 0 to 100 % with intervals, grouped by strategy.

    `rows` holds (strategy, kind, estimate, low, high), kind "equilibrium" or "alpharank", masses from 0 to 1. Raises
    `UsageError` for another kind or an unfit name.
    """
    for row in rows:
        choose("kind", row[1], _KINDS)
    if not rows:
        return nothing(name, title, "No strategy was measured.")
    shown = level("share")
    strategies = list(dict.fromkeys(row[0] for row in rows))
    kinds = [kind for kind in _KINDS if any(row[1] == kind for row in rows)]
    held = {(row[0], row[1]): row[2:5] for row in rows}
    texts = {key: told(*values, shown) for key, values in held.items()}
    bar = 16.0
    with drawing():
        labels, left = column(strategies, 170)
        right = max((text_width(text, SMALL) for text in texts.values()), default=0)
        heights = [max(bar * len(kinds), text_height(label)) + 12 for label in labels]
        total = sum(heights)
        key = [_KINDS[kind] for kind in kinds]
        sheet = Sheet(4 + total + 46 + legend_height(key) + 4)
        axes = sheet.axes(left + 12, 4, WIDTH - left - right - 30, total)
        axes.set_xlim(0, 100)
        axes.set_ylim(total, 0)
        axes.set_yticks([])
        axes.set_xticks(range(0, 101, 20))
        axes.grid(axis="x", linewidth=0.7)
        bare(axes, "bottom")
        axes.set_xlabel("mass, %")
        looks: dict[str, dict[str, Any]] = {
            "equilibrium": {"facecolor": BLUE},
            "alpharank": {"facecolor": "none", "hatch": "////"},
        }
        for look, colour in zip(looks.values(), (BLUE, OCHRE), strict=True):
            look |= {"edgecolor": colour, "linewidth": 1.2}
        top = 0.0
        for strategy, label, height in zip(strategies, labels, heights, strict=True):
            sheet.text(left, 4 + top + height / 2, label, ha="right", va="center")
            for index, kind in enumerate(kinds):
                if (strategy, kind) not in held:
                    continue
                middle = top + height / 2 + bar * (index - (len(kinds) - 1) / 2)
                estimate, low, high = (scaled(value, shown) for value in held[strategy, kind])
                if estimate is not None:
                    axes.add_patch(Rectangle((0, middle - 5.5), estimate, 11, **looks[kind]))
                if low is not None and high is not None and high > low:
                    axes.plot([low, high], [middle] * 2, color=INK, linewidth=1.6, marker="|", clip_on=False)
                sheet.text(WIDTH - right, 4 + middle, texts[strategy, kind], SMALL, va="center")
            top += height
        sheet.legend([Rectangle((0, 0), 1, 1, **looks[kind]) for kind in kinds], key, 4 + total + 46)
        return sheet.finish(name, title, _masses_alt(strategies, kinds, texts))


def _masses_alt(strategies: list[str], kinds: list[str], texts: dict[tuple[str, str], str]) -> str:
    words = [
        f"{_KINDS[kind]}: " + ", ".join(f"{name} {texts[name, kind]}" for name in strategies if (name, kind) in texts)
        for kind in kinds
    ]
    return f"Masses with intervals; {'; '.join(words)}."
