"""How long a search takes from where its scoring begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from swgui.core.engines import EngineOptions
from swgui.core.words import count, giga_cells
from swgui.jobs.forecast import Forecast
from swgui.jobs.search.estimate import remembered, shift_times


@dataclass(frozen=True, slots=True)
class Scanned:
    """The work of a search.

    Parameters
    ----------
    queries : int
    lengths : sequence of int
        Of the queries, each as often as it has strands or frames.
    subjects, residues : int
        Of the database.
    shifts : bool
        Whether its reading may shift.
    """

    queries: int
    lengths: Sequence[int]
    subjects: int
    residues: int
    engine: str
    options: EngineOptions
    shifts: bool = False

    @property
    def cells(self) -> int:
        """Cells of the matrices."""
        return sum(self.lengths) * self.residues


def search_forecast(scanned: Scanned) -> Forecast:
    """Return the comparison of a search, and its time by measurements of the engine."""
    known = remembered(scanned.engine, scanned.options)
    seconds = None
    if known is not None:
        seconds = known.seconds(scanned.lengths, scanned.residues)
        seconds *= shift_times(scanned.engine) if scanned.shifts else 1
    queries, subjects = count(scanned.queries, "query", "queries"), count(scanned.subjects, "sequence")
    return Forecast(f"{queries} against {subjects}, {giga_cells(scanned.cells)}", seconds, scanned.cells)
