"""Rows of lists of hits aligned, some hundred at a time, over all cores."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.aligned import NUMBERS, AlignedColumns
from swgui.engines.traceback.many import QueryAlignments
from swgui.jobs.search.listed_rows import ListedRows
from swgui.jobs.search.subjects import work_of

CELLS_OF_BATCH: Final = 2_000_000_000  # of query and whole subjects, unless one alone has more
_Ints = NDArray[np.int64]


def align_places(
    listed: ListedRows, places: _Ints, threads: int = 0, check: Check = lambda: None
) -> Iterator[AlignedColumns]:
    """Yield the best alignments of places, some hundred at a time, in their order; none where the score is 0.

    The next ones are aligned while the caller handles the last.

    Parameters
    ----------
    threads : int
        0 for all cores. Below 0 as for `in_pieces`, and 1: the next ones are aligned on demand.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    parts = _cut(places, listed.cells(places), listed.batch)
    if len(parts) < 2 or threads < 0 or threads == 1:
        for part in parts:
            yield _align(listed, part, threads, check)
        return
    with ThreadPoolExecutor(1, thread_name_prefix="swgui-align") as ahead:  # one thread for all parts, one ahead
        running = ahead.submit(_align, listed, parts[0], threads, check)
        for part in parts[1:]:
            done = running.result()
            running = ahead.submit(_align, listed, part, threads, check)
            yield done
        yield running.result()


def _cut(places: _Ints, cells: _Ints, batch: int) -> list[_Ints]:
    """Cut places into parts that are aligned together."""
    parts, start = [], 0
    sums = np.concatenate([[0], np.cumsum(cells)])
    while start < len(places):
        most = int(np.searchsorted(sums, sums[start] + CELLS_OF_BATCH, side="right")) - 1
        end = min(max(most, start + 1), start + batch)
        parts.append(places[start:end])
        start = end
    return parts


def _align(listed: ListedRows, places: _Ints, threads: int, check: Check) -> AlignedColumns:
    """Align some places."""
    scored = np.flatnonzero(listed.hits.scores[places] > 0)
    if not len(scored):
        return AlignedColumns.of([None]).take(np.zeros(len(places), dtype=np.int64))
    work = work_of(listed.result.database.subject_kind)
    known, aligned = work.aligned(listed, places[scored], threads, check)
    return _in_places(listed, places, scored[known], aligned)


def _in_places(listed: ListedRows, places: _Ints, found: _Ints, aligned: QueryAlignments) -> AlignedColumns:
    """Return the alignments of places in their order; a place without one keeps the score of the search."""
    order = np.zeros(len(places), dtype=np.int64)
    order[found] = 1 + np.arange(len(found))
    lines = AlignedColumns.join([AlignedColumns.of([None]), aligned.columns()]).take(order)
    without = order == 0
    lines.numbers[NUMBERS.index("score"), without] = listed.hits.scores[places[without]]
    return lines
