"""Logos of both profiles above and below an alignment on paper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit
from swgui.core.profiles.context import RESIDUES
from swgui.core.profiles.logo import Logo, logos_of
from swgui.io.export.rows import aligned_rows, span
from swgui.io.paper.marks import BLACK, PALE, Bar, Letter, Mark

LOWEST: Final = 0.5  # points of a letter that is drawn
_WIDTH: Final = 0.92  # of a letter, as a share of its column
_GAP: Final = "-"
# The colours of Okabe and Ito, as of the scheme `safe_7`, dark enough for letters on white.
_INKS: Final = {
    "AILMV": "#3A9BD6", "FWY": "#0072B2", "KRH": "#D55E00", "DE": "#C0608F", "STNQ": "#009E73", "GP": "#A89B00",
    "C": "#C68600",
}  # fmt: skip


def logos_of_hit(hit: Hit, of_query: QueryResult, result: SearchResult) -> tuple[Logo, Logo] | None:
    """Return the logos of query and subject in the columns of an alignment; None where no profiles were compared."""
    ends = span(hit)
    if ends is None or result.database.profiles is None:
        return None
    rows = aligned_rows(hit, result.scheme)
    sides = _positions(rows.query, ends.query_start), _positions(rows.subject, ends.subject_start)
    return logos_of(result.database, of_query.query.profile, hit.db_index, sides)


def _positions(row: str, first: int) -> NDArray[np.int64]:
    """Return the position of each residue of a row, from 1; 0 in gaps."""
    present = np.array([letter != _GAP for letter in row], dtype=np.bool_)
    return np.where(present, first - 1 + np.cumsum(present), 0)


def logo_marks(logo: Logo, columns: range, left: float, cell: float, height: float) -> Iterator[Mark]:
    """Yield the marks of some columns, from their upper left corner on.

    Parameters
    ----------
    left, cell, height : float
        Place of the first column, width of one, and height of all, in points.
    """
    yield Bar(left, height, cell * len(columns), 0.3, PALE)
    inks, inset = _inks(), cell * (1 - _WIDTH) / 2
    for place, column in enumerate(columns):
        bottom = height
        for residue, share in zip(*logo.heights(column), strict=True):
            high = share * height
            bottom -= high
            if high >= LOWEST:
                x = left + cell * place + inset
                yield Letter(x, bottom, cell * _WIDTH, high, RESIDUES[residue], inks[residue])


@cache
def _inks() -> list[str]:
    """Return the colour of each residue."""
    of = {residue: ink for residues, ink in _INKS.items() for residue in residues}
    return [of.get(residue, BLACK) for residue in RESIDUES]
