"""All local alignments of one pair that share no aligned pair of residues, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, rescore
from swgui.core.control import Check
from swgui.core.database import Residues
from swgui.core.errors import ScoreMismatch
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, bounds
from swgui.core.stretches import stack
from swgui.engines import native
from swgui.engines.native import grid
from swgui.engines.native.further import reach_again
from swgui.engines.native.grid import TOTAL_BOUND, Grid
from swgui.engines.traceback.boxes import Box, boxes, query_boxes

BULK_CELLS: Final = 50_000_000  # of a pair, a tenth of a second or less


def all_local(
    query: EncodedQuery,
    subject: Residues,
    scheme: ScoringScheme,
    least: int = 1,
    *,
    subject_id: str = "",
    check: Check = lambda: None,
) -> Iterator[Alignment]:
    """Yield the non-overlapping local alignments of Waterman and Eggert (1987), as `next_local` defines them.

    The first one is the result of `align_local`. With the compiled library the matrix is computed once, and again only
    around each alignment that is removed from it; without, once for each alignment. Only the parts of a long subject
    that can hold such alignments are computed (`boxes`).

    Parameters
    ----------
    query : EncodedQuery
        With or without a position-specific profile.
    subject : ndarray or Residues, shape=(n,), dtype=uint8
    least : int
        The lowest score that is wanted; at least 1.
    subject_id : str
        Names the subject in an error.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up.
    MemoryError
    """
    least = max(least, 1)
    part, before = without_unscoring_ends(query, scheme)
    if not len(subject) or part.bound(scheme) < least:
        return
    given = part, subject, scheme, least
    rows = query_boxes(*given, check=check)
    parts = boxes(*given, check=check) if rows is None else rows
    for local in _best_first(parts, lambda box: in_box(*given, box, check, of_query=rows is not None)):
        alignment = local
        if before:
            alignment = replace(local, query_start=local.query_start + before, query_end=local.query_end + before)
        region = subject[alignment.subject_start : alignment.subject_end]
        actual = rescore(alignment.on_region(), query, region, scheme)
        if actual != alignment.score:
            raise ScoreMismatch(subject_id, alignment.score, actual)
        yield alignment


def without_unscoring_ends(query: EncodedQuery, scheme: ScoringScheme) -> tuple[EncodedQuery, int]:
    """Return a query without the ends at which nothing scores above 0, and how many residues are before it.

    An alignment begins and ends with a pair that does, so these ends are in none.
    """
    if query.profile is None:
        return query, 0
    rows = np.flatnonzero(query.profile.max(axis=1, initial=0) > 0)
    first, last = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 0)
    return query.part(slice(first, last)), first


def has_second(
    queries: Sequence[EncodedQuery],
    of: NDArray[np.int64],
    subjects: native.Subjects,
    scheme: ScoringScheme,
    best: native.Paths,
    least: NDArray[np.int64],
    asked: NDArray[np.int64],
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> NDArray[np.bool_]:
    """Return a mask of the pairs with a second alignment with a score, without finding it.

    Parameters
    ----------
    queries : sequence of EncodedQuery
    of : ndarray, shape=(k,), dtype=int64
        The query of each pair.
    subjects : Subjects
        k of them.
    best : Paths
        The best alignment of each.
    least : ndarray, shape=(k,), dtype=int64
        The score of the second that is enough, at least 1.
    asked : ndarray, shape=(n,), dtype=int64
        The pairs that are looked at; their subjects are not empty.

    Returns
    -------
    ndarray, shape=(k,), dtype=bool
        Whether `all_local` has a second one; True as well for queries that a grid does not take (`fits_grid`), and
        False for pairs that are not looked at.
    """
    scoring = [without_unscoring_ends(query, scheme) for query in queries]
    parts, before = [part for part, _ in scoring], np.array([left for _, left in scoring], dtype=np.int64)
    fits = fit_grid(parts, scheme)[of[asked]]
    stacked, costs = stack(parts, scheme), (scheme.gap_first, scheme.gap_extend)
    moved = replace(best, regions=best.regions.moved(-before[of], 0))
    given = stacked.query.scores(scheme), stacked.spans(of), subjects, moved, least, asked[fits]
    told = reach_again(*given, *costs, gaps=stacked.query.gaps, threads=threads, check=check)
    told[asked[~fits]] = True
    return told


def _best_first(parts: Sequence[Box], open_box: Callable[[Box], Iterator[Alignment]]) -> Iterator[Alignment]:
    """Merge the alignments of boxes; none is opened before its best may be the next.

    In a tie the one that ends first in the subject, then in the query, comes first, as in one matrix.
    """
    # Unopened parts come before alignments with the same score.
    heap: list[tuple[int, int, int, int]] = [
        (-(1 << 62) if box.bound is None else -box.bound, -1, -1, index) for index, box in enumerate(parts)
    ]
    heapify(heap)
    opened: dict[int, tuple[Alignment, Iterator[Alignment]]] = {}
    while heap:
        index = heappop(heap)[-1]
        if index in opened:
            alignment, others = opened.pop(index)
            yield alignment
        else:
            others = open_box(parts[index])
        following = next(others, None)
        if following is not None:
            opened[index] = following, others
            heappush(heap, (-following.score, following.subject_end, following.query_end, index))


def in_box(
    query: EncodedQuery,
    subject: Residues,
    scheme: ScoringScheme,
    least: int,
    box: Box,
    check: Check,
    *,
    of_query: bool = False,
) -> Iterator[Alignment]:
    """Yield the alignments of part of the subject, or of the query, best first."""
    inside, before, left = slice(box.start, box.stop), 0, box.start
    if of_query:
        query, inside, before, left = query.part(inside), slice(0, len(subject)), box.start, 0
    search = _by_tiles if fits_grid(query, scheme) else one_by_one
    for local in search(query, subject[inside], scheme, least, check):
        if not box.start:
            yield local
            continue
        yield replace(
            local,
            query_start=local.query_start + before,
            query_end=local.query_end + before,
            subject_start=local.subject_start + left,
            subject_end=local.subject_end + left,
        )


def fits_grid(query: EncodedQuery, scheme: ScoringScheme) -> bool:
    """Return True if `Grid` accepts a query, so that it is computed by tiles."""
    return bool(fit_grid([query], scheme)[0])


def fit_grid(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> NDArray[np.bool_]:
    """Return a mask of the queries that `Grid` accepts, shape (k,)."""
    takes = np.array([grid.takes(query.gaps) for query in queries], dtype=np.bool_)
    return takes & (bounds(queries, scheme) <= TOTAL_BOUND)


def _by_tiles(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    least: int,
    check: Check,
) -> Iterator[Alignment]:
    costs = scheme.gap_first, scheme.gap_extend
    with Grid(query.scores(scheme), subject, *costs, gaps=query.gaps, check=check) as opened:
        while (path := opened.next(least)) is not None:
            score, row, column, runs = path
            yield Alignment.from_runs(row, column, runs, score)


def one_by_one(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    least: int,
    check: Check,
) -> Iterator[Alignment]:
    """Yield all local alignments that share no pair, each by a search of its own; arguments as of `all_local`."""
    from swgui.engines.traceback.alternatives import next_local  # here: the library does it else

    previous: list[Alignment] = []
    while (alignment := next_local(query, subject, scheme, previous, check=check)).score >= least:
        previous.append(alignment)
        yield alignment
