"""All local alignments of one pair that share no aligned pair of residues, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, rescore
from swgui.core.errors import ScoreMismatch
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.native.grid import TOTAL_BOUND, Grid
from swgui.engines.simd.striped import profile_bound
from swgui.engines.traceback.alternatives import next_local


def all_local(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    least: int = 1,
    *,
    subject_id: str = "",
    check: Callable[[], None] = lambda: None,
) -> Iterator[Alignment]:
    """Yield the non-overlapping local alignments of Waterman and Eggert (1987), as `next_local` defines them.

    The first one is that of `align_local`. With the compiled library the matrix is computed once, and again only
    where an alignment was taken out of it; without, once for each alignment.

    Parameters
    ----------
    query : EncodedQuery
        With or without a position-specific profile.
    subject : ndarray, shape=(n,), dtype=uint8
    least : int
        The lowest score that is wanted; at least 1.
    subject_id : str
        Names the subject in an error.
    check : callable
        Called many times a second; may raise to give up.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up.
    MemoryError
    """
    least = max(least, 1)
    bound = profile_bound(query.scores(scheme))
    if not len(subject) or bound < least:
        return
    compiled = not native.problem() and bound <= TOTAL_BOUND
    found = _by_tiles if compiled else _one_by_one
    for alignment in found(query, subject, scheme, least, check):
        actual = rescore(alignment, query, subject, scheme)
        if actual != alignment.score:
            raise ScoreMismatch(subject_id, alignment.score, actual)
        yield alignment


def _by_tiles(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    least: int,
    check: Callable[[], None],
) -> Iterator[Alignment]:
    with Grid(query.scores(scheme), subject, scheme.gap_first, scheme.gap_extend, check=check) as grid:
        while (found := grid.next(least)) is not None:
            score, row, column, runs = found
            yield Alignment.from_runs(row, column, runs, score)


def _one_by_one(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    least: int,
    check: Callable[[], None],
) -> Iterator[Alignment]:
    previous: list[Alignment] = []
    while (alignment := next_local(query, subject, scheme, previous, check=check)).score >= least:
        previous.append(alignment)
        yield alignment
