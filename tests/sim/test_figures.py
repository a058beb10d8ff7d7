"""Figures: well-formed, the same bytes every time, nothing cut off, and in words what they show."""

import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from sim.errors import RunError, UsageError
from sim.report import figures
from sim.report.document import Figure
from sim.report.figures import canvas, numbers, spread, svg

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
MINUS = "\N{MINUS SIGN}"
LONG = ["solid:risk=4", "heuristic:declare=safe;defend=random", "solid:greed=1.25;spite=0.1;risk=14", "mine.py:lowest"]
TWELVE = [*LONG, *(f"strategy-{letter}" for letter in "abcdefgh")]
NONE = (None, None, None)


def leads(labels):
    verdicts = itertools.cycle(["different", "undecided", "equivalent", "different"])
    values = [(0.31 - 0.09 * i, 0.30 - 0.09 * i, 0.32 - 0.09 * i) for i in range(len(labels))]
    return [(label, *value, verdict) for label, value, verdict in zip(labels, values, verdicts, strict=False)]


def pairs(labels):
    cells = {}
    for i, j in itertools.combinations(range(len(labels)), 2):
        verdict = ("different", "equivalent", "undecided")[(i + j) % 3]
        cells[labels[i], labels[j]] = (0.031 * (j - i), verdict)
        cells[labels[j], labels[i]] = (-0.031 * (j - i), verdict)
    return cells


def scores(labels):
    return {label: (np.arange(40, 90 + i), np.arange(50 + i, 0, -1)) for i, label in enumerate(labels)}


def seats(labels, count=4):
    return [(label, seat, 0.01 * (seat - i), 0.01 * (seat - i) - 0.004, 0.01 * (seat - i) + 0.004)
            for i, label in enumerate(labels) for seat in range(count)]  # fmt: skip


def chances(count=21):
    times = np.linspace(0, 1, count)
    quantiles = {q: np.clip(0.25 + (q - 0.5) / 2 + 0.75 * times, 0, 1) for q in (0.05, 0.25, 0.5, 0.75, 0.95)}
    return times, quantiles, 0.25 + 0.75 * times, [0.25 + 0.75 * times**2], 0.25


def same(values):
    return dict.fromkeys(chances()[1], values)


def curves(labels, values):
    return {label: ([0.02 * v + 0.01 * i for v in values], [0.02 * v for v in values], [0.03 * v for v in values])
            for i, label in enumerate(labels)}  # fmt: skip


def weights(labels):
    kinds = ("equilibrium", "alpharank")
    return [(label, kind, 0.25, 0.187, 0.294) for label in labels for kind in kinds]


SETS = {"points": [(None, -17.25), (-4, -4), (-2, None)], "rounds": [(None, None)], "games": []}
MAKERS = {
    "forest": lambda name, title, labels: figures.forest(name, title, leads(labels), "share", "lead over the others"),
    "heat": lambda name, title, labels: figures.heat_map(name, title, labels, pairs(labels), "share"),
    "scores": lambda name, title, labels: figures.distributions(name, title, scores(labels), "points"),
    "seats": lambda name, title, labels: figures.seat_dots(name, title, seats(labels), "share"),
    "ribbon": lambda name, title, labels: figures.ribbon(name, title, *chances()),
    "sweep": lambda name, title, labels: figures.sweep_bands(
        name, title, "no_trick_penalty", [-20, -10, -5, 0], curves(labels, [-20, -10, -5, 0]), "share", 0, SETS
    ),
    "masses": lambda name, title, labels: figures.masses(name, title, weights(labels)),
}
#: Data that is thin, missing or flat; none of it may fail.
HARD = {
    "forest-none": lambda: figures.forest("a", "", [], "points", ""),
    "forest-words": lambda: figures.forest(
        "a", "", leads(TWELVE), "share", "mean lead over all others in the same games"
    ),
    "forest-flat": lambda: figures.forest("a", "", [("solid", 0.0, 0.0, 0.0, "equivalent")], "points", ""),
    "forest-unknown": lambda: figures.forest("a", "", [("solid", *NONE, "undecided")], "points", "lead"),
    "forest-nan": lambda: figures.forest("a", "", [("s", 1.0, np.nan, np.nan, "undecided")], "points", "lead"),
    "heat-none": lambda: figures.heat_map("a", "", [], {}, "points"),
    "heat-one": lambda: figures.heat_map("a", "", ["solid"], {}, "points"),
    "heat-partly": lambda: figures.heat_map("a", "", ["s", "t", "u"], {("t", "s"): (None, "undecided")}, "points"),
    "heat-zero": lambda: figures.heat_map("a", "", ["s", "t"], {("s", "t"): (0.0, "equivalent")}, "points"),
    "scores-none": lambda: figures.distributions("a", "", {}, "points"),
    "scores-empty": lambda: figures.distributions("a", "", {"solid": (np.zeros(0, int), np.zeros(0, int))}, "points"),
    "scores-point": lambda: figures.distributions("a", "", {"solid": (np.array([7]), np.array([9]))}, "points"),
    "scores-wide": lambda: figures.distributions("a", "", {"solid": (np.array([0, 10**6]), np.array([1, 1]))}, "x"),
    "seats-none": lambda: figures.seat_dots("a", "", [], "share"),
    "seats-one": lambda: figures.seat_dots("a", "", [("solid", 0, 0.0, 0.0, 0.0)], "share"),
    "seats-unknown": lambda: figures.seat_dots("a", "", [("solid", 0, *NONE), ("solid", 1, 0.1, None, None)], "share"),
    "seats-six": lambda: figures.seat_dots("a", "", seats(TWELVE, 6), "share"),
    "ribbon-none": lambda: figures.ribbon("a", "", [], same([]), [], [], 0.25),
    "ribbon-one": lambda: figures.ribbon("a", "", [0.5], same([0.4]), [0.4], [], 1 / 3),
    "sweep-none": lambda: figures.sweep_bands("a", "", "rule", [], {}, "points", None, {}),
    "sweep-words": lambda: figures.sweep_bands("a", "", "word " * 40, np.arange(2), curves(["s"], [1, 2]), "", 0, {}),
    "sweep-one": lambda: figures.sweep_bands("a", "", "rule", [3], {"s": ([0.0], [0.0], [0.0])}, "points", 3, {}),
    "sweep-unknown": lambda: figures.sweep_bands(
        "a", "", "rule", [3, 1], {"s": ([None, 1], [None, 0], [None, 2]), "t": ([None] * 2,) * 3}, "points", 9, SETS
    ),
    "sweep-many": lambda: figures.sweep_bands("a", "", "x", range(30), curves(TWELVE, range(30)), "share", 4, {}),
    "masses-none": lambda: figures.masses("a", "", []),
    "masses-unknown": lambda: figures.masses("a", "", [("solid", "alpharank", *NONE)]),
}


@pytest.fixture(scope="module")
def drawn():
    return {(kind, count): make(f"{kind}-{count}", "A title", TWELVE[:count])
            for kind, make in MAKERS.items() for count in (1, 4, 12)}  # fmt: skip


def texts(figure):
    """(words, left, right, top, bottom) of every text, at most: measured with a wide font."""
    boxes = []
    for element in ElementTree.fromstring(figure.svg).iter(f"{SVG}text"):
        x, y = float(element.get("x", "nan")), float(element.get("y", "nan"))
        if "transform" in element.attrib:  # in a legend: placed by its left end
            x, y = map(float, re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform")).groups())
        size = float(element.get("font-size").removesuffix("px"))
        with canvas.drawing():
            width = canvas.text_width(element.text, size)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
        boxes.append((element.text, left, left + width, y - 0.73 * size, y + 0.05 * size))
    return boxes


def check(figure):
    root = ElementTree.fromstring(figure.svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert {element.get("id") for element in root[:2]} == set(root.get("aria-labelledby").split())
    assert [element.text or "" for element in root[:2]] == [svg.printable(figure.title), svg.printable(figure.alt)]
    assert figure.alt.endswith(".")
    assert "nan" not in re.sub("[a-z]nan|nan[a-z]", "", figure.svg.lower())
    assert not any("style" in element.attrib or element.tag.endswith("style") for element in root.iter())
    _, _, width, height = map(float, root.get("viewBox").split())
    boxes = texts(figure)
    assert boxes
    for words, left, right, top, bottom in boxes:
        assert -0.1 <= left <= right <= width + 0.1, words
        assert 0 <= top <= bottom <= height, words
    for one, other in itertools.combinations(boxes, 2):
        apart = one[2] <= other[1] or other[2] <= one[1] or one[4] <= other[3] or other[4] <= one[3]
        assert apart, (one, other)


def test_every_figure_is_whole_and_nothing_is_cut_or_covered(drawn):
    for figure in drawn.values():
        check(figure)


@pytest.mark.parametrize("case", HARD)
def test_thin_data(case):
    check(HARD[case]())


def test_the_same_bytes_in_any_thread_and_under_any_settings(drawn):
    with ThreadPoolExecutor(4) as pool:
        jobs = {key: pool.submit(MAKERS[key[0]], f"{key[0]}-{key[1]}", "A title", TWELVE[: key[1]]) for key in drawn}
        assert {key: job.result() for key, job in jobs.items()} == drawn
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 30, "axes.edgecolor": "red", "svg.hashsalt": "other"}):
        assert MAKERS["forest"]("forest-4", "A title", LONG) == drawn["forest", 4]
        assert mpl.rcParams["font.size"] == 30


def test_ids_are_the_figures_own_and_references_lead_to_them(drawn):
    seen = set()
    for figure in drawn.values():
        ids = re.findall(r' id="([^"]+)"', figure.svg)
        assert all(one.startswith(f"{figure.name}--") for one in ids)
        assert len(set(ids)) == len(ids)
        assert not seen & set(ids)
        seen |= set(ids)
        used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', figure.svg)
        assert {first or second for first, second in used} == set(ids) - {
            f"{figure.name}--title",
            f"{figure.name}--desc",
        }


def test_the_page_rules_neutral_colours_and_width(drawn):
    for figure in drawn.values():
        bare = re.sub(r"var\(--figure-(ink|grid|paper), #[0-9a-f]{6}\)", "", figure.svg)
        assert not re.search('(fill|stroke)="(#222222|#c8cdd3|#ffffff|#000000|black|white)"', bare)
        assert "--figure-ink" in figure.svg
        assert re.search(r'<svg [^>]*width="100%"', figure.svg)
        assert not re.search(r"<svg [^>]*height=", figure.svg)


def test_data_colours_are_legible_on_white_and_on_black():
    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))  # WCAG 2.1, relative luminance

    for colour in canvas.COLOURS:
        assert 1.05 / (light(colour) + 0.05) >= 3
        assert (light(colour) + 0.05) / (light("#14171a") + 0.05) >= 3


def test_forest_in_words_and_marks():
    rows = [
        ("solid", 0.3111, 0.3043, 0.3179, "different"),
        ("dodge", -0.145, -0.16, -0.12, "different"),
        ("duck", 0.001, -0.004, 0.006, "equivalent"),
        ("lost", None, None, None, "undecided"),
        ("random", 0.02, None, None, "undecided"),
    ]
    figure = figures.forest("leads", "Leads", rows, "share", "lead")
    assert figure == Figure("leads", "Leads", figure.alt, figure.svg)
    assert figure.alt == (
        "Lead, in percentage points, with intervals: solid +31.11 ±0.68; dodge -14.5 (-16.0 to -12.0); "
        "duck +0.10 ±0.50, equivalent; lost no estimate; random +2.00 (no interval), undecided."
    ).replace("-", MINUS)
    words = [text[0] for text in texts(figure)]
    for shown in ("+31.11 ±0.68", "+0.10 ±0.50 =", "no estimate ?", "+2.00 (no interval) ?", "equivalent to 0 (=)"):
        assert shown in words
    assert "+3.1" in figures.forest("a", "", [("s", 3.1, 3, 3.2, "different")], "points", "").alt


def test_forest_marks_stand_where_the_numbers_are():
    rows = [(str(value), value, value - 1, value + 1, "undecided") for value in (-10, 0, 10, 30)]
    figure = figures.forest("leads", "", rows, "points", "lead")
    root = ElementTree.fromstring(figure.svg)
    dots = [element for element in root.iter(f"{SVG}use") if element.get("fill") == "var(--figure-paper, #ffffff)"]
    x = [float(element.get("x")) for element in dots[:4]]  # then that of the legend
    scale = (x[3] - x[0]) / 40
    assert scale > 1
    np.testing.assert_allclose(np.diff(x), np.array([10, 10, 20]) * scale, atol=0.02)
    y = [float(element.get("y")) for element in dots[:4]]
    assert y == sorted(y)
    bars = re.findall(r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)"[^>]*stroke-width="2.2"', figure.svg)
    np.testing.assert_allclose([[float(bar[0]), float(bar[2])] for bar in bars], [[v - scale, v + scale] for v in x],
                               atol=0.02)  # fmt: skip


def test_heat_map_marks_what_is_not_sure():
    cells = {
        ("solid", "duck"): (0.022, "different"),
        ("duck", "solid"): (-0.022, "different"),
        ("solid", "dodge"): (0.004, "undecided"),
        ("dodge", "solid"): (-0.004, "undecided"),
        ("duck", "dodge"): (0.001, "equivalent"),
        ("dodge", "duck"): (-0.001, "equivalent"),
    }
    figure = figures.heat_map("pairs", "", ["solid", "duck", "dodge"], cells, "share")
    words = [text[0] for text in texts(figure)]
    for shown in ("+2.20", "-2.20", "+0.40 ?", "-0.40 ?", "+0.10 =", "-0.10 ="):
        assert shown.replace("-", MINUS) in words
    hatched = re.findall(r'fill="url\(#[^)]+\)"', figure.svg)
    assert len(hatched) == 2 + 1  # two cells and the legend
    coloured = re.findall(rf'fill="({canvas.BLUE}|{canvas.VERMILLION})"', figure.svg)
    assert len(coloured) == 2 + 2
    assert figure.alt == (
        "Of 3 pairs 1 different, 1 equivalent and 1 undecided, in percentage points: solid over duck by 2.20. "
        "solid against dodge +0.40, undecided; duck against dodge +0.10, equivalent."
    )


def test_heat_map_of_many_says_the_largest():
    labels = [f"s{i}" for i in range(9)]
    cells = {(a, b): (i - j, "different") for i, a in enumerate(labels) for j, b in enumerate(labels) if i != j}
    figure = figures.heat_map("pairs", "", labels, cells, "points")
    assert "largest leads: s8 over s0 by 8.00" in figure.alt
    assert "s8 8, s7 7" in figure.alt
    assert {"(1)", "(9)", "s0 (1)"} <= {text[0] for text in texts(figure)}
    assert len(figure.alt) < 400


def test_distributions_say_mean_and_middle():
    values, counts = np.array([30, 10, 20]), np.array([1, 2, 7])
    figure = figures.distributions("scores", "", {"solid": (values, counts)}, "points")
    assert figure.alt == "Distributions, in points: solid mean 19.0, middle 90 % from 10 to 30."
    assert "mean 19.0" in [text[0] for text in texts(figure)]
    assert "peak" not in figure.svg
    point = (np.array([20]), np.array([100]))
    flat = (np.arange(100), np.ones(100, int))
    both = figures.distributions("scores", "", {"point": point, "flat": flat}, "points")
    assert "heights: each to its own peak" in [text[0] for text in texts(both)]


@pytest.mark.parametrize(
    "values", [[5], [0, 1], [-59, -46, 0, 23], list(range(1000)), [0, 10**6], list(range(0, 3000, 10))]
)
def test_bins_hold_every_value_and_have_one_width(values):
    edges = spread._edges([np.array(values)])
    widths = np.diff(edges)
    np.testing.assert_allclose(widths, widths[0])
    step = np.gcd.reduce(np.diff(values)) if len(values) > 1 else 1
    assert widths[0] % step == 0
    assert 3 <= len(widths) <= 113
    shares = np.histogram(values, edges)[0]
    assert shares.sum() == len(values)
    assert shares[0] == shares[-1] == 0


def test_seats_in_words():
    rows = [("solid", 1, 0.02, 0.01, 0.03), ("solid", 0, -0.02, -0.03, -0.01), ("duck", 0, 0.0, -0.01, 0.01)]
    figure = figures.seat_dots("seats", "", rows, "share")
    assert f"solid seat 0 {MINUS}2.0 ±1.0, seat 1 +2.0 ±1.0; duck seat 0 0.0 ±1.0." in figure.alt
    assert {"seat 0", "seat 1", "solid", "duck"} <= {text[0] for text in texts(figure)}
    many = figures.seat_dots("seats", "", seats(TWELVE), "share").alt
    assert f"solid:risk=4 seat 3 +3.00 ±0.40, seat 0 0.00 ±0.40; {LONG[1]} seat 3 +2.00" in many


def test_ribbon_in_words():
    figure = figures.ribbon("chances", "", *chances(101))
    assert figure.alt == (
        "Estimated winning chance of the eventual winner by share of the game played: mean 25.0 % at 0 %, 62.5 % at "
        "50 % and 100.0 % at 100 %; it is 80 % or more from 74 % of the game on. At 50 % of the game the middle half "
        "of the games lies between 50.0 % and 75.0 %. 1 single game drawn as thin lines."
    )
    assert {"80 %", "1/n = 25 %"} <= {text[0] for text in texts(figure)}


def test_sweep_in_words():
    values, line = [0, -10, -20], ([0.31, 0.09, 0.01], [0.30, 0.08, 0.0], [0.32, 0.10, 0.02])
    figure = figures.sweep_bands("sweep", "", "penalty", values, {"duck": line}, "share", -10, SETS)
    assert figure.alt == (
        "By penalty, in %: duck 1.0 ±1.0 % at -20, 9.0 ±1.0 % at -10, 31.0 ±1.0 % at 0. In force: -10. "
        "Break-even: points up to -17.2, -4 and from -2 on; rounds any value; games none."
    ).replace("-", MINUS).replace(f"Break{MINUS}", "Break-")
    words = [text[0] for text in texts(figure)]
    assert f"in force: {MINUS}10" in words
    assert "break-even, games: none" in words
    assert "in force" not in figures.sweep_bands("s", "", "x", values, {"duck": line}, "share", None, {}).svg
    both = figures.sweep_bands("sweep", "", "penalty", values, {"duck": line}, "share", -10, SETS, 0)
    assert "second variant: 0" in both.svg
    assert both.alt == figure.alt.replace(f"force: {MINUS}10.", f"force: {MINUS}10. Second variant: 0.")
    assert "second variant" not in figure.svg


def test_masses_in_words():
    rows = [("solid", "equilibrium", 0.692, 0.628, 0.757), ("solid", "alpharank", 1.0, 1.0, 1.0)]
    figure = figures.masses("masses", "", rows)
    assert "equilibrium: solid 69.2 % (62.8 to 75.7); \N{GREEK SMALL LETTER ALPHA}-rank: solid 100.0 %." in figure.alt


def test_strange_labels():
    label = '<b>&"$x_1^2$\x07\N{CJK UNIFIED IDEOGRAPH-7A7A}' + "w" * 100 + "\N{DEVANAGARI LETTER A}"
    figure = figures.forest("strange", label, [(label, 1, 0, 2, "different")], "points", label[:9])
    root = ElementTree.fromstring(figure.svg)
    assert root[0].text == label.replace("\x07", "\N{REPLACEMENT CHARACTER}")
    check(figure)
    assert "$x_1^2$" in "".join(text[0] for text in texts(figure))
    ElementTree.fromstring(svg.standalone(figure))


def test_files_stand_alone(tmp_path, drawn):
    paths = figures.write(list(drawn.values()), tmp_path / "new" / "figures")
    assert [path.name for path in paths] == [f"{figure.name}.svg" for figure in drawn.values()]
    assert sorted(paths) == sorted((tmp_path / "new" / "figures").iterdir())
    for path, figure in zip(paths, drawn.values(), strict=True):
        content = path.read_bytes()
        assert content.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
        assert b"var(" not in content
        root = ElementTree.fromstring(content)
        x, y, width, height = root.get("viewBox").split()
        assert (root.get("width"), root.get("height")) == (f"{width}pt", f"{height}pt")
        paper = root[2]
        assert [paper.get(key) for key in ("x", "y", "width", "height")] == [x, y, width, height]
        assert paper.get("fill") == "#ffffff"
        assert root[1].text == figure.alt


def test_files_that_cannot_be_written(tmp_path):
    figure = figures.masses("masses", "", [])
    with pytest.raises(UsageError, match="'masses' is used twice"):
        figures.write([figure, figure], tmp_path)
    with pytest.raises(UsageError, match=r"figure name: not '../up'"):
        figures.write([Figure("../up", "", "", figure.svg)], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot write"):
        figures.write([figure], tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.forest("a b", "", [], "points", ""), "figure name: not 'a b'"),
        (lambda: figures.forest("a", "", [("s", 1, 0, 2, "sure")], "points", ""), "verdict: not 'sure'; allowed: diff"),
        (lambda: figures.heat_map("a", "", ["s"], {("s", "t"): (1, "different")}, "points"), "column: not 't'"),
        (lambda: figures.heat_map("a", "", ["s"], {("s", "s"): (1, "")}, "points"), "verdict: not ''"),
        (lambda: figures.distributions("a", "", {"s": (np.arange(2), np.arange(3))}, ""), "s: lists of 2 and 3 values"),
        (lambda: figures.distributions("a", "", {"s": (np.arange(1), np.array([-1]))}, ""), "s: a count below 0"),
        (lambda: figures.masses("a", "", [("s", "nash", 0, 0, 0)]), "kind: not 'nash'; allowed: equilibrium, alpha"),
        (lambda: figures.ribbon("a", "", [0], {0.5: [0]}, [0], [], 0.5), "quantiles: not 0.5; needed: 0.05"),
        (lambda: figures.ribbon("a", "", [0], same([0]), [0, 1], [], 0.5), "times: lists of"),
        (
            lambda: figures.sweep_bands("a", "", "x", [0], {"s": ([1], [1], [])}, "", None, {}),
            "s: lists of 1, 1, 1 and",
        ),
    ],
)
def test_wrong_input(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_numbers():
    share, points = numbers.difference("share"), numbers.difference("points")
    assert numbers.number(-0.04, 1) == "0.0"
    assert numbers.number(0.04, 1, sign=True) == "0.0"
    assert numbers.number(-3, 0, sign=True) == f"{MINUS}3"
    assert numbers.told(0.5, 0.49, 0.51, share) == "50.0 ±1.0"
    assert numbers.told(0.01, 0.0, 0.05, numbers.level("share")) == "1.0 % (0.0 to 5.0)"
    assert numbers.told(1.5, 1.5, 1.5, points) == "1.5"
    assert numbers.told(float("nan"), None, None, points) == "no estimate"
    assert numbers.told(123.4, None, 130, points) == "123 (no interval)"
    assert numbers.told(-2, -2.004, -1.996, points, sign=True) == f"{MINUS}2.0000 ±0.0040"
    assert numbers.limits([], 0) == (-1, 1)
    assert numbers.limits([None, 5.0]) == (4.5, 5.5)
    assert numbers.listed([]) == ""
    assert numbers.listed(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize("label", [*TWELVE, "x" * 60, "", "a/b/c d e:f;g=h" * 5])
def test_wrapped_labels_fit_and_keep_their_letters(label):
    wrapped = canvas.wrap(label, 90)
    assert canvas.text_width(wrapped) <= 90
    assert wrapped.replace("\n", "").replace(" ", "") == label.replace(" ", "")


def test_matplotlib_waits_until_it_is_needed():
    code = "import sys, sim, sim.cli, sim.report.formats; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
