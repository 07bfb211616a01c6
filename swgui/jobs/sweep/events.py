"""What a sweep tells its listeners while it runs; the last event is `SweepEnded`."""

from __future__ import annotations

from dataclasses import dataclass

from swgui.core.sweep.grid import Cell, SweepResult
from swgui.jobs.stage import Stage


@dataclass(frozen=True, slots=True)
class CellDone:
    """A cell was measured, or was found to be impossible or wrong; so many of the cells are done."""

    cell: Cell
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class SweepEnded:
    """The sweep ended, completely or not; the last event."""

    result: SweepResult


SweepEvent = Stage | CellDone | SweepEnded
