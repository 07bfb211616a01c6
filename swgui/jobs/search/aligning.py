"""Rows of a list of hits aligned, some hundred at a time, over all cores."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.regions import Regions
from swgui.core.hits.results import HitColumns, HitList, SearchResult
from swgui.core.query_range import positions_within
from swgui.core.texts import decoded
from swgui.engines.native import Subjects
from swgui.engines.traceback import align_many

AT_ONCE: Final = 256  # hits aligned together
CELLS_AT_ONCE: Final = 2_000_000_000  # of query and whole subjects, unless one alone has more


def align_rows(listed: HitList, rows: NDArray[np.int64], threads: int = 0) -> Iterator[AlignedColumns]:
    """Yield the best alignments of the rows, some hundred at a time, in their order; none where the score is 0.

    The next rows are aligned while the last are looked at.

    Parameters
    ----------
    rows : ndarray, shape=(k,), dtype=int64
        Positions in ``listed.columns``.
    threads : int
        0 for all cores. Below 0 as for `in_pieces`, and 1: the next rows are aligned when they are asked for.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    lengths = listed.result.searched.lengths[listed.columns.db_index[rows]].astype(np.int64)
    parts = _cut(rows, lengths * len(listed.query.query.residues))
    if len(parts) < 2 or threads < 0 or threads == 1:
        for part in parts:
            yield _align(listed, part, threads)
        return
    with ThreadPoolExecutor(1, thread_name_prefix="swgui-align") as ahead:
        running = ahead.submit(_align, listed, parts[0])
        for part in parts[1:]:
            done = running.result()
            running = ahead.submit(_align, listed, part)
            yield done
        yield running.result()


def _cut(rows: NDArray[np.int64], cells: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut rows into parts that are aligned together."""
    parts, start = [], 0
    sums = np.concatenate([[0], np.cumsum(cells)])
    while start < len(rows):
        most = int(np.searchsorted(sums, sums[start] + CELLS_AT_ONCE, side="right")) - 1
        end = min(max(most, start + 1), start + AT_ONCE)
        parts.append(rows[start:end])
        start = end
    return parts


def _align(listed: HitList, rows: NDArray[np.int64], threads: int = 0) -> AlignedColumns:
    """Align some rows."""
    result, hits = listed.result, listed.columns
    parts, order, aligned = [AlignedColumns.of([None])], np.zeros(len(rows), dtype=np.int64), 1
    scores, strands, db_index = hits.scores[rows], hits.strands[rows], hits.db_index[rows]
    for strand in np.unique(strands).tolist():
        places = np.flatnonzero((strands == strand) & (scores > 0))
        query = result.encoded_query(listed.query_index, strand)
        names = decoded(result.database.ids, db_index[places])
        subjects = Subjects.of(result.searched, db_index[places], strands[places])
        known = _known(result, hits.take(rows[places]), len(listed.query.query.residues), strand)
        found = align_many(query, subjects, result.scheme, scores[places], known=known, names=names, threads=threads)
        parts.append(found.columns())
        order[places] = aligned + np.arange(len(places))
        aligned += len(places)
    return AlignedColumns.join(parts).take(order)


def _known(result: SearchResult, hits: HitColumns, length: int, strand: int) -> Regions | None:
    """Return where the alignments of hits lie in a whole query of so many letters, if the search found out."""
    part = result.query_range
    if hits.regions is None or part is None:
        return hits.regions
    return hits.regions.moved(positions_within(part, length, strand).start, 0)
