"""Pictures of a report, as SVG that stands in a page or in a file of its own.

Every function takes plain values and returns a `Figure`. Numbers with the unit "share" are given as shares (0 to 1)
and shown in percent, or in percentage points where they are differences; other units are shown as they are. None (or
NaN) is a number that is not known: it is said, not drawn.
"""

from sim.report.figures.courses import ribbon, sweep_bands
from sim.report.figures.edges import heat_map
from sim.report.figures.forest import Panel, forest, panels
from sim.report.figures.spread import distributions, masses, seat_dots
from sim.report.figures.svg import texts, write

__all__ = [
    "Panel",
    "distributions",
    "forest",
    "heat_map",
    "masses",
    "panels",
    "ribbon",
    "seat_dots",
    "sweep_bands",
    "texts",
    "write",
]
