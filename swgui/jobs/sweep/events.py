"""The event of a sweep, in addition to those of every run (`swgui.jobs.events`)."""

from __future__ import annotations

from swgui.core.sweep.grid import Cell
from swgui.jobs.events import Foretold, Found, Stage


class CellDone(Found, frozen=True, eq=False):
    """A cell was measured, or was found to be impossible or wrong; so many of the cells are done."""

    cell: Cell
    done: int
    total: int


SweepEvent = Stage | Foretold | CellDone
