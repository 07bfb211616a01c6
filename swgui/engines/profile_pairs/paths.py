"""Alignments of profiles: the path of a query with each of some targets, for the hits that are shown.

The scores of all pairs of columns are a profile whose symbols are the columns of targets; on it the compiled library
finds regions and paths as for sequences, by the rule of `swgui.engines.traceback`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Op
from swgui.core.control import Check
from swgui.core.hits.regions import Regions
from swgui.core.profiles.pairs import PairGaps, ProfileSet, column_scores
from swgui.core.stretches import Subjects
from swgui.engines.native.library import NARROW_SYMBOLS, WIDE_SYMBOLS
from swgui.engines.native.scoring import regions
from swgui.engines.native.tracing import LARGE, Paths, trace

MAX_CELLS: Final = 1 << 27  # scores that are kept at a time, two bytes each
ROWS: Final = 256  # of the query whose scores are computed at a time
_SWAPPED: Final = np.array([Op.MATCH, Op.DELETION, Op.INSERTION], dtype=np.uint8)  # kinds seen from the other profile


def pair_paths(
    query: ProfileSet,
    targets: ProfileSet,
    gaps: PairGaps,
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> Paths:
    """Align a profile with each of some targets.

    Parameters
    ----------
    query : ProfileSet
        One profile.
    targets : ProfileSet
        k of them, quantised with the same background.
    threads : int
        0 for all cores.
    check : callable
        May raise to give up.

    Returns
    -------
    Paths
        Scores in 1/32 bit, the same as `PairEngine.scores` finds. Status `LARGE`, without score and path, where both
        profiles have more than 8,192 columns, or their product is above 134 million.

    Raises
    ------
    EngineUnavailable
        If there is no compiled library.
    """
    parts = [Paths.of([])]
    for first, last, width in _batches(query, targets):
        check()
        some = targets.part(first, last)
        if int(some.offsets[-1]) <= width:
            parts.append(_aligned(query, some, gaps, threads, check))
        elif len(query.scales) <= _width(some):
            parts.append(_turned(_aligned(some, query, gaps, threads, check)))
        else:
            nothing = np.zeros(0, np.uint8), np.zeros(0, np.int32), np.zeros(2, np.int64)
            parts.append(Paths(Regions.unknown(1), *nothing, np.array([LARGE], dtype=np.int32)))
    return Paths.join(parts)


def _batches(query: ProfileSet, targets: ProfileSet) -> Iterator[tuple[int, int, int]]:
    """Yield ranges of targets that fit into one profile, or of one, and the columns that fit."""
    width, first = _width(query), 0
    while first < len(targets):
        fitting = int(np.searchsorted(targets.offsets, targets.offsets[first] + width, side="right")) - 1
        last = max(fitting, first + 1)
        yield first, last, width
        first = last


def _width(query: ProfileSet) -> int:
    """Return the number of columns that a query can be aligned with at a time."""
    return min(WIDE_SYMBOLS, MAX_CELLS // len(query.scales))


def _aligned(query: ProfileSet, targets: ProfileSet, gaps: PairGaps, threads: int, check: Check) -> Paths:
    rows, columns = len(query.scales), len(targets.scales)
    profile = np.empty((rows, columns), dtype=np.int16)
    for first in range(0, rows, ROWS):
        check()
        profile[first : first + ROWS] = column_scores(query, targets, slice(first, first + ROWS))
    codes: NDArray[np.uint8] = np.arange(columns, dtype=np.uint8 if columns <= NARROW_SYMBOLS else np.uint16)
    subjects = Subjects.packed(codes, targets.offsets)
    costs = gaps.first, gaps.extend
    found = regions(profile, subjects, *costs, threads=threads, check=check)
    return trace(profile, subjects, found, *costs, threads=threads, check=check)


def _turned(paths: Paths) -> Paths:
    """Return alignments as seen from the other profile."""
    score, query_start, query_end, start, end = paths.regions.columns
    corners = Regions(score, start, end, query_start, query_end)
    return Paths(corners, _SWAPPED[paths.ops], paths.lengths, paths.offsets, paths.status)
