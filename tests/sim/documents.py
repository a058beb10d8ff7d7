"""A document with everything that a document can have, hostile words included."""

import math

import pandas as pd

from sim.report.document import Document, Figure, Sentence, Table

HOSTILE = "<script>alert('x')</script> & \"quoted\" </style> {{ 7 * 7 }}"
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 60" role="img" aria-labelledby="{0}-title">'
    '<title id="{0}-title">{0}</title>'
    '<rect width="200" height="60" fill="var(--figure-paper, #fff)"/>'
    '<path d="M10 50H190" stroke="var(--figure-grid, #ccc)"/>'
    '<text x="20" y="30" font-size="12" fill="var(--figure-ink, #222)">words of {0}</text></svg>'
)


def estimate(value, half, **keys):
    """A row of a long table."""
    low, high = (None, None) if half is None or value is None else (value - half, value + half)
    return {"unit": "points", "estimate": value, "low": low, "high": high, "n": 10, "note": "", **keys}


def long_table(section=""):
    """Metrics by strategy: ties, an estimate that is missing, one without an interval, one with a remark."""
    values = {"b": 3.25, "a": 10.125, "d": 3.25, "c": None, "e": -7.5, "f": 3.25}
    rows = [
        estimate(value, None if name == "e" else 0.5, strategy=name, metric=metric)
        for metric in ("score", "gain")
        for name, value in values.items()
        if (name, metric) != ("d", "gain")
    ]
    rows[1]["note"] = "zero variance"
    rows[2]["unit"] = "points"
    return Table("means", pd.DataFrame(rows, dtype=object), ["strategy"], section=section)


def pairs_table(section=""):
    """Words in the place of values, a row for a row."""
    frame = pd.DataFrame(
        {
            "a": ["x", "x", "y"],
            "b": ["y", "z", "z"],
            "estimate": [0.12345678, -1234.5678, 0.5],
            "share": [0.31949, 0.5, 1.0],
            "p": [0.0000123, 0.04, None],
            "verdict": ["different", "undecided", "equivalent"],
        }
    )
    prose = pd.DataFrame(
        {
            "A": ["x", "x", "y"],
            "B": ["y", "z", "z"],
            "A - B": ["0.1235 ±0.0100", "-1,234.57 [-1,300.00, -1,200.00]", "0.5 (no interval)"],
            "part": ["31.9%", "50.0%", "100.0%"],
            "p": ["< 0.0001", "0.0400", "-"],
            "verdict": ["x is better", "undecided", "equivalent within ±0.6"],
        }
    )
    return Table("pairs", frame, ["a", "b"], prose, section)


def plain_table(section=""):
    """Values as they are, one of them no number."""
    frame = pd.DataFrame({"name": ["one", HOSTILE], "size": [1, 20], "mean": [0.5, math.nan], "sure": [True, False]})
    return Table("sizes", frame, ["name"], section=section)


def picture(name, section=""):
    """A figure."""
    return Figure(name, f"Figure {name}", f"In words: {name} & <b>co</b>, [all of it].", PICTURE.format(name), section)


def everything():
    """Sections with figures and tables of all kinds, a verdict, notes, facts."""
    return Document(
        title=f"Everything {HOSTILE}",
        facts=[("rules", "default"), (f"hostile {HOSTILE}", HOSTILE), ("long", "word" * 60)],
        notes=["mind the gap", HOSTILE],
        tables=[plain_table(), long_table("Strategies"), pairs_table("Strategies"), plain_table("Sizes, again")],
        summary=[
            Sentence(f"a leads by 6.9 points {HOSTILE}", "means"),
            Sentence("the seats are even", "seats"),
            Sentence("sizes differ", "sizes"),
        ],
        figures=[picture("seats", "Seats"), picture("leads", "Strategies")],
        lead={"Seats": "The same strategy everywhere.", "Strategies": f"All of them. {HOSTILE}"},
    )
