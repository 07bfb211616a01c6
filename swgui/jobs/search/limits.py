"""Limits of identity and coverage: the listed hits are aligned, and those below a limit left out."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check, checking
from swgui.core.errors import Stopped
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.translation.programs import shifting
from swgui.core.words import count
from swgui.jobs.events import Stage, run_to_end
from swgui.jobs.search.aligning import align_places
from swgui.jobs.search.listed_rows import ListedRows
from swgui.jobs.search.ranking import rerank


def keep_within(result: SearchResult, cancel: threading.Event) -> Generator[Stage, None, SearchResult]:
    """Align the listed hits and leave out those below the limits of identity and coverage.

    Returns
    -------
    SearchResult
        ``left_out`` counts them. If `cancel` was set, the hits not looked at stay, and the message says so.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    if not result.search.limits.minimums.needs_alignment:
        return replace(result, left_out=0)
    check = checking(cancel)
    total, looked_at, left_out = sum(len(query.hits) for query in result.queries), 0, 0
    queries = list(result.queries)
    for index, query in enumerate(result.queries):
        kept = np.ones(len(query.hits), dtype=bool)
        row = 0
        with suppress(Stopped):
            check()
            for aligned in align_rows(result.hit_list(index), np.arange(len(query.hits)), check=check):
                yield Stage("Aligning hits", looked_at, total)
                reached = aligned.reaching(result.search.limits.minimums, result.whole_length(index))
                kept[row : row + len(aligned)] = aligned.there & reached
                row += len(aligned)
                looked_at += len(aligned)
        left_out += int((~kept).sum())
        queries[index] = replace(query, hits=query.hits.take(kept))
    message = result.message
    if looked_at < total:
        unseen = f"{count(total - looked_at, 'hit')} could not be checked against the limits of identity and coverage"
        message = f"{message} {unseen}, because the search was stopped.".strip()
    return replace(result, queries=tuple(queries), left_out=left_out, message=message)


def move_limits(
    result: SearchResult, published: KarlinAltschul | None, limits: Limits, cancel: threading.Event
) -> SearchResult:
    """Return a result with other limits, as `rerank`, also of identity and coverage."""
    return run_to_end(keep_within(rerank(result, published, limits, cancel), cancel))


def align_rows(listed: HitList, rows: NDArray[np.int64], check: Check = lambda: None) -> Iterator[AlignedColumns]:
    """Yield the best alignments of rows of a list; as `align_places` otherwise.

    Parameters
    ----------
    rows : ndarray, shape=(k,), dtype=int64
        Positions in ``listed.columns``.
    """
    if shifting(listed.result.translation):
        from swgui.jobs.search.shifts.columns import best_columns  # here: few searches have frameshifts

        return best_columns(listed, rows, check)
    return align_places(ListedRows([listed], [rows]), np.arange(len(rows)), check=check)
