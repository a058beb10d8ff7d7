"""Courses over an axis: winning chances over a game, metrics over the values of a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from sim.errors import UsageError
from sim.report.document import Figure
from sim.report.figures.canvas import (
    BLUE,
    COLOURS,
    DASHES,
    MARKERS,
    SMALL,
    VERMILLION,
    WIDTH,
    Sheet,
    bare,
    drawing,
    filled,
    handle,
    legend_height,
    nothing,
    text_height,
    text_width,
    wrap,
)
from sim.report.figures.numbers import Unit, gap, level, limits, listed, number, plain, same_length, scaled, told
from sim.report.figures.svg import GRID, INK

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_SURE = 0.8


def ribbon(
    name: str,
    title: str,
    times: ArrayLike,
    quantiles: Mapping[float, ArrayLike],
    mean: ArrayLike,
    paths: Sequence[ArrayLike],
    fair: float,
) -> Figure:
    """The eventual winner's estimated winning chance over the game: bands, median, mean and a few single games.

    `times` float[T] in 0..1 (share of the game), `quantiles` float[T] for 0.05, 0.25, 0.5, 0.75 and 0.95, `mean`
    float[T], `paths` a list of float[T], all chances in 0..1; `fair` is 1 / number of players. NaN leaves a gap. Raises
    `UsageError` for other quantiles, unequal lengths or an unfit name.
    """
    if set(quantiles) != set(_QUANTILES):
        raise UsageError(
            f"quantiles: not {listed([plain(one) for one in quantiles])}; needed: 0.05, 0.25, 0.5, 0.75, 0.95"
        )
    clock = 100 * np.asarray(times, np.float64)
    chances = {share: 100 * np.asarray(quantiles[share], np.float64) for share in _QUANTILES}
    average = 100 * np.asarray(mean, np.float64)
    games = [100 * np.asarray(path, np.float64) for path in paths]
    same_length("times", clock, average, *chances.values(), *games)
    if not np.isfinite(average).any():
        return nothing(name, title, "No winning chances were estimated.")
    with drawing():
        height = 220.0
        looks: dict[str, dict[str, Any]] = {
            "middle 90 %": {"facecolor": BLUE, "alpha": 0.25, "linewidth": 0},
            "middle half": {"facecolor": BLUE, "alpha": 0.38, "linewidth": 0},
            "median": {"color": INK, "linewidth": 2.4},
            "mean": {"color": VERMILLION, "linewidth": 2.2, "linestyle": DASHES[1]},
            "single games": {"color": INK, "linewidth": 0.8, "alpha": 0.6},
        }
        key = [label for label in looks if label != "single games" or games]
        sheet = Sheet(20 + height + 46 + legend_height(key) + 4)
        sheet.text(0, 0, "winning chance of the eventual winner, %")
        levels = [(100 * _SURE, "80 %"), (100 * fair, f"1/n = {number(100 * fair, 1).removesuffix('.0')} %")]
        right = max(text_width(text, SMALL) for _, text in levels) + 8
        axes = sheet.axes(32, 20, WIDTH - 32 - right, height)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        axes.set_yticks(range(0, 101, 20))
        axes.grid(linewidth=0.7)
        bare(axes, "left", "bottom")
        axes.set_xlabel("share of the game played, %")
        for low, high, label in ((0.05, 0.95, key[0]), (0.25, 0.75, key[1])):
            axes.fill_between(clock, chances[low], chances[high], **looks[label])
        for game in games:
            axes.plot(clock, game, **looks["single games"])
        for value, text in levels:
            axes.axhline(value, color=INK, linewidth=1.2, linestyle=DASHES[3])
            sheet.text(WIDTH - right + 6, 20 + height * (1 - value / 100), text, SMALL, va="center")
        lone: dict[str, Any] = {"marker": "o"} if len(clock) == 1 else {}
        axes.plot(clock, chances[0.5], **looks["median"], **lone)
        axes.plot(clock, average, **looks["mean"], **lone)
        handles = [
            Rectangle((0, 0), 1, 1, **look) if "facecolor" in look else handle(look, "-") for look in looks.values()
        ]
        sheet.legend(handles[: len(key)], key, 20 + height + 44)
        return sheet.finish(name, title, _ribbon_alt(clock, chances, average, len(games)))


def _ribbon_alt(
    clock: NDArray[np.float64], chances: dict[float, NDArray[np.float64]], mean: NDArray[np.float64], games: int
) -> str:
    seen = np.flatnonzero(np.isfinite(mean))
    half = seen[np.argmin(abs(clock[seen] - 50))]
    below = seen[mean[seen] < 100 * _SURE]
    if not len(below):
        sure = "it is 80 % or more throughout"
    elif below[-1] == seen[-1]:
        sure = "it does not stay above 80 %"
    else:
        sure = f"it is 80 % or more from {number(clock[seen[seen > below[-1]][0]], 0)} % of the game on"
    points = [f"{number(mean[at], 1)} % at {number(clock[at], 0)} %" for at in dict.fromkeys([seen[0], half, seen[-1]])]
    low, high = (number(chances[share][half], 1) for share in (0.25, 0.75))
    return (
        f"Estimated winning chance of the eventual winner by share of the game played: mean {listed(points)}; {sure}. "
        f"At {number(clock[half], 0)} % of the game the middle half of the games lies between {low} % and {high} %."
        + (f" {games} single game{'s' if games > 1 else ''} drawn as thin lines." if games else "")
    )


Line = tuple[Sequence[float | None], Sequence[float | None], Sequence[float | None]]
Set = Sequence[tuple[float | None, float | None]]
_BAR = 17.0


def sweep_bands(
    name: str,
    title: str,
    xlabel: str,
    values: Sequence[float],
    lines: Mapping[str, Line],
    unit: str,
    default: float | None,
    sets: Mapping[str, Set],
    against: float | None = None,
) -> Figure:
    """A metric over the values of a rule, one line with its band each, and the break-even sets beneath.

    `values` are numbers, length V; `lines[label]` is (estimates, lows, highs), each of length V; `default` is the value
    in force and `against` that of a second variant, None for none; `sets[label]` holds (low, high) pieces, None for an
    end without bound, and is empty when no value breaks even. Raises `UsageError` for unequal lengths or an unfit name.
    """
    for label, parts in lines.items():
        same_length(label, values, *parts)
    if not len(values) or not lines:
        return nothing(name, title, "No value was measured.")
    shown = level(unit)
    order = np.argsort(np.asarray(values, np.float64), kind="stable")
    at = np.asarray(values, np.float64)[order]
    drawn = {
        label: [np.array([gap(parts[i], shown) for i in order]) for parts in line] for label, line in lines.items()
    }
    with drawing():
        height, key = 200.0, list(lines)
        limit = limits(map(float, at), *(one for one in (default, against) if one is not None), pad=0.03)
        mark, place = _mark(default, limit)
        head = 22.0 if default is None or place - text_width(mark, SMALL) / 2 > text_width(shown.name) + 8 else 36.0
        words = [
            wrap(f"break-even, {label}: {_set_words(pieces)}", WIDTH - 70, SMALL) for label, pieces in sets.items()
        ]
        strip = sum(text_height(text, SMALL) + _BAR for text in words) + 8 * bool(sets)
        below = wrap(xlabel, WIDTH - 58)
        key += [f"second variant: {plain(against)}"] if against is not None else []
        sheet = Sheet(head + height + strip + 18 + text_height(below) + 12 + legend_height(key) + 4)
        sheet.text(0, 0, shown.name)
        axes = sheet.axes(48, head, WIDTH - 58, height)
        axes.set_xlim(limit)
        axes.set_ylim(*limits([float(one) for line in drawn.values() for part in line for one in part]))
        axes.grid(linewidth=0.7)
        bare(axes, "left", "bottom")
        if axes.get_ylim()[0] < 0 < axes.get_ylim()[1]:
            axes.axhline(0, color=INK, linewidth=1.1)
        looks = []
        for index, (estimate, low, high) in enumerate(drawn.values()):
            colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
            look = {**filled(marker, colour, 5.5), "linewidth": 1.8, "linestyle": DASHES[index % len(DASHES)]}
            looks.append(look)
            axes.fill_between(at, low, high, facecolor=colour, alpha=0.22 if len(lines) <= 4 else 0.12, linewidth=0)
            axes.plot(at, estimate, **look)
            if len(at) == 1:
                axes.plot([at[0]] * 2, [low[0], high[0]], color=colour, linewidth=1.8)
        bottom = axes
        if sets:
            bottom = _strip(sheet, sets, words, head + height + 8, axes)
            axes.tick_params(labelbottom=False)
        for one in dict.fromkeys((axes, bottom)):
            _ticks(one, at, WIDTH - 58)
        foot = head + height + strip + 18
        sheet.text(48 + (WIDTH - 58) / 2, foot, below, ha="center")
        if default is not None:
            for one in dict.fromkeys((axes, bottom)):
                one.axvline(default, color=INK, linewidth=1.4, linestyle=DASHES[1], zorder=1)
            sheet.text(place, head - 3, mark, SMALL, ha="center", va="bottom")
        if against is not None:
            looks.append({"color": INK, "linewidth": 1.4, "linestyle": DASHES[3]})
            for one in dict.fromkeys((axes, bottom)):
                one.axvline(against, **looks[-1], zorder=1)
        sheet.legend([handle(look) for look in looks], key, foot + text_height(below) + 12)
        return sheet.finish(name, title, _sweep_alt(values, lines, default, against, sets, shown, xlabel))


def _mark(default: float | None, limit: tuple[float, float]) -> tuple[str, float]:
    """What is written at the value in force, and where its middle stands."""
    if default is None:
        return "", 0.0
    text = f"in force: {plain(default)}"
    half = text_width(text, SMALL) / 2
    place = 48 + (WIDTH - 58) * (default - limit[0]) / (limit[1] - limit[0])
    return text, min(max(place, half), WIDTH - half)


def _ticks(axes: Axes, at: NDArray[np.float64], width: float) -> None:
    """Ticks at the values where all their labels fit, else wherever Matplotlib likes."""
    places = np.unique(at)
    low, high = axes.get_xlim()
    labels = [plain(float(place)) for place in places]
    room = np.diff(places).min(initial=np.inf) / (high - low) * width
    if len(places) and max(map(text_width, labels)) + 6 <= room:
        axes.set_xticks(places.tolist(), labels)
    else:
        axes.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))


def _strip(sheet: Sheet, sets: Mapping[str, Set], words: list[str], top: float, above: Axes) -> Axes:
    """The break-even sets as bars under the curves, each below its words; an arrow where it goes on."""
    heights = [text_height(text, SMALL) + _BAR for text in words]
    axes = sheet.axes(48, top, WIDTH - 58, sum(heights))
    low, high = above.get_xlim()
    axes.set_xlim(low, high)
    axes.set_ylim(sum(heights), 0)
    axes.set_yticks([])
    axes.grid(axis="x", linewidth=0.7)
    bare(axes, "left", "bottom")
    y = 0.0
    for pieces, text, height in zip(sets.values(), words, heights, strict=True):
        sheet.text(52, top + y + 4, text, SMALL, box=True)
        y += height
        for start, end in pieces:
            left = low if start is None else max(low, start)
            right = high if end is None else min(high, end)
            if right < left:  # outside of what is shown: the words say it
                continue
            axes.plot([left, right], [y - 6, y - 6], color=INK, linewidth=5, solid_capstyle="butt")
            for edge, goes_on, marker in ((left, left == low, "<"), (right, right == high, ">")):
                if goes_on:
                    axes.plot([edge], [y - 6], clip_on=False, linestyle="none", **filled(marker, INK, 8))
            if right - left < 0.005 * (high - low):
                axes.plot([(left + right) / 2], [y - 6], linestyle="none", **filled("D", INK, 6))
    axes.axhline(0, color=GRID, linewidth=0.9)
    return axes


def _set_words(pieces: Set) -> str:
    words = []
    for low, high in pieces:
        if low is None and high is None:
            words.append("any value")
        elif low is None or high is None:
            words.append(f"up to {_short(high)}" if low is None else f"from {_short(low)} on")
        else:
            words.append(_short(low) if low == high else f"{_short(low)} to {_short(high)}")
    return listed(words) or "none"


def _short(value: float | None) -> str:
    return plain(float(f"{value:.3g}")) if value is not None else ""


def _sweep_alt(
    values: Sequence[float],
    lines: Mapping[str, Line],
    default: float | None,
    against: float | None,
    sets: Mapping[str, Set],
    shown: Unit,
    xlabel: str,
) -> str:
    order = sorted(range(len(values)), key=lambda index: values[index])
    wanted = dict.fromkeys([*order[:1], *(i for i in order if values[i] == default), *order[-1:]])
    words = []
    for label, (estimates, lows, highs) in lines.items():
        points = [f"{told(estimates[i], lows[i], highs[i], shown)} at {plain(values[i])}" for i in wanted]
        best = [i for i in order if scaled(estimates[i], shown) is not None]
        span = ""
        if best:
            least, most = (pick(best, key=lambda i: estimates[i] or 0) for pick in (min, max))
            if least not in wanted or most not in wanted:
                span = f", least at {plain(values[least])}, most at {plain(values[most])}"
        words.append(f"{label} {', '.join(points)}{span}")
    text = f"By {xlabel}, in {shown.name}: {'; '.join(words)}."
    if default is not None:
        text += f" In force: {plain(default)}."
    if against is not None:
        text += f" Second variant: {plain(against)}."
    if sets:
        text += f" Break-even: {'; '.join(f'{label} {_set_words(pieces)}' for label, pieces in sets.items())}."
    return text
