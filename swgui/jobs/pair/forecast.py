"""How long the alignment of a pair takes."""

from __future__ import annotations

from swgui.core.words import giga_cells
from swgui.jobs.forecast import Forecast
from swgui.jobs.pair.events import PairStarted


def pair_forecast(started: PairStarted) -> Forecast:
    """Return the cells of all strands, and the time by measurements of the device."""
    plan, times = started.plan, len(started.strands)
    cells = plan.cells * times
    return Forecast(giga_cells(cells), None if plan.seconds is None else plan.seconds * times, cells)
