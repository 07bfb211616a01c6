"""How long a comparison of all pairs takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swgui.core.errors import SwguiError
from swgui.core.words import count, giga_cells
from swgui.engines.registry import resolve
from swgui.jobs.forecast import Forecast
from swgui.jobs.search.estimate import remembered

if TYPE_CHECKING:
    from swgui.jobs.network.all_against_all import AllAgainstAll


def comparison_forecast(compared: AllAgainstAll) -> Forecast:
    """Return the number of pairs, and the time by measurements of the device."""
    queries, subjects, times = compared.queries, compared.subjects, compared.times
    try:
        known = remembered(resolve(compared.engine)[0], compared.options)
    except (SwguiError, IndexError):  # the comparison reports the missing engine
        known = None
    seconds = known.seconds(queries.lengths.tolist() * times, subjects.residues) if known is not None else None
    pairs = len(queries) * len(subjects)
    if compared.one_set:
        pairs = len(queries) * (len(queries) - 1) // 2
        seconds = seconds / 2 if seconds is not None else None
    work = f"{count(pairs, 'pair')} of sequences, {giga_cells(compared.cells)}"
    return Forecast(work, seconds, compared.cells)
