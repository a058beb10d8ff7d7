"""What Matplotlib draws, made fit for a page: small, restyled by the page, safe beside other pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from sim.errors import RunError, UsageError
from sim.files import write_together
from sim.report.document import Figure

#: Neutral colours: what the drawing uses, and the variable by which a page may replace it.
INK, GRID, PAPER = "#222222", "#c8cdd3", "#ffffff"
VARIABLES = {INK: "--figure-ink", GRID: "--figure-grid", PAPER: "--figure-paper"}
FONTS = "Helvetica, Arial, sans-serif"
_MARGIN = 8.0  # points around a figure in a file

_NAME = re.compile(r"[a-z][a-z0-9]*([-_.][a-z0-9]+)*")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_VARIABLE = re.compile(r"var\(--[a-z-]+, (#[0-9a-f]+)\)")
_LONG = re.compile(r"-?\d+\.\d{3,}")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not allowed in XML 1.0


def check_name(name: str) -> None:
    """Raises `UsageError` unless a figure's name can be a file name and an anchor."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"figure name: not {name!r}: lower-case letters and digits, parted by - or _ or .")


def finish(raw: str, name: str, title: str, alt: str) -> str:
    """Matplotlib's SVG as an element for a page.

    No style sheet and no style attributes (a page may forbid them), neutral colours as CSS variables with a fallback,
    ids only where something refers to them and after the figure's name and "--", which no name holds, title and
    description for screen readers, and no size but the view box: the page gives the width.
    """
    source = ElementTree.fromstring(raw)
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": source.attrib["viewBox"],
            "width": "100%",
            "role": "img",
            "aria-labelledby": f"{name}--title {name}--desc",
            "font-family": FONTS,
            "stroke-linejoin": "round",
        },
    )
    for tag, text in (("title", title), ("desc", alt)):
        child = ElementTree.SubElement(root, tag, {"id": f"{name}--{tag}"})
        child.text = printable(text)
    root.extend(source)
    _strip(root)
    _name_ids(root, name)
    for element in root.iter():
        element.tail = "\n"
    return ElementTree.tostring(root, encoding="unicode")


def printable(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _strip(element: ElementTree.Element) -> None:
    for child in list(element):
        child.tag = child.tag.rpartition("}")[2]
        _strip(child)
        unseen = child.tag == "path" and child.get("fill") == "none" and "stroke" not in child.attrib
        if child.tag in ("metadata", "style") or unseen or (child.tag in ("g", "defs") and not len(child)):
            element.remove(child)
    if element.tag not in ("text", "title", "desc"):
        element.text = "\n" if len(element) else None
    parts = [part.partition(":") for part in element.attrib.pop("style", "").split(";") if part.strip()]
    plain = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    plain |= {key.strip(): value.strip() for key, _, value in parts if key.strip() != "font-family"}
    if plain.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
        del plain["transform"]
    element.attrib.clear()
    for key, value in plain.items():
        if key in ("d", "x", "y", "transform"):  # a hundredth of a point is finer than any screen
            value = _LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), " ".join(value.split()))
        element.set(key, f"var({VARIABLES[value]}, {value})" if value in VARIABLES else value)


def _name_ids(root: ElementTree.Element, name: str) -> None:
    used: dict[str, str] = {}  # old id: new id, numbered in the order of use

    def renamed(old: str) -> str:
        return used.setdefault(old, f"{name}--{len(used) + 1}")

    own = {f"{name}--title", f"{name}--desc"}
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "href":
                element.set(key, "#" + renamed(value.removeprefix("#")))
            elif "url(#" in value:
                element.set(key, _REFERENCE.sub(lambda found: f"url(#{renamed(found[1])})", value))
    for element in root.iter():
        old = element.attrib.get("id")
        if old in used:
            element.set("id", used[old])
        elif old is not None and old not in own:
            del element.attrib["id"]


def standalone(figure: Figure) -> str:
    """The figure as an SVG file: with a size, on white paper, in plain colours, as not every viewer knows variables."""
    root = ElementTree.fromstring(_VARIABLE.sub(r"\1", figure.svg))
    width, height = (float(part) + 2 * _MARGIN for part in root.attrib["viewBox"].split()[2:])
    place = {"x": f"{-_MARGIN:g}", "y": f"{-_MARGIN:g}", "width": f"{width:g}", "height": f"{height:g}"}
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    root.attrib |= {"viewBox": " ".join(place.values()), "width": f"{width:g}pt", "height": f"{height:g}pt"}
    root.attrib = {"xmlns": "http://www.w3.org/2000/svg", **root.attrib}
    paper = ElementTree.Element("rect", {**place, "fill": PAPER})
    paper.tail = "\n"
    root.insert(2, paper)  # behind everything, after title and description
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def texts(figures: Sequence[Figure]) -> dict[str, str]:
    """The figures as files: NAME.svg and what stands in it. Raises `UsageError` for a name used twice or unfit."""
    names = [figure.name for figure in figures]
    for name in names:
        check_name(name)
        if names.count(name) > 1:
            raise UsageError(f"figure name: {name!r} is used twice; names must differ")
    return {f"{figure.name}.svg": standalone(figure) for figure in figures}


def write(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Writes every figure to `folder`/NAME.svg and returns the files; none is replaced before all are written.

    The folder is made if it is missing. Raises `UsageError` for a name used twice or unfit for a file, `RunError` if
    the disk does not take a file.
    """
    files = {folder / name: text for name, text in texts(figures).items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_together(files)
    except OSError as error:
        raise RunError(f"cannot write {error.filename or folder}: {error.strerror or error}") from None
    return list(files)
