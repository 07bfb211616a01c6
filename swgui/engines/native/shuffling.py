"""Shuffled copies of stretches of subjects, scored against stretches of one query."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.score_profile import PositionGaps
from swgui.core.statistics.copies import copies
from swgui.engines.native.library import NARROW_SYMBOLS
from swgui.engines.native.scoring import checked, pointer, pointers, query_arguments, scores, usable
from swgui.engines.native.subjects import Subjects, in_pieces

# What a job consists of: rows of the query, residues of the subjects, which copies.
JOB: Final = ("row", "rows", "start", "length", "kind", "width", "number", "count")
SIDE_BY_SIDE: Final = 16  # copies of a stretch that take no longer than one


def shuffled_scores(
    profile: NDArray[np.int16],
    codes: NDArray[np.uint8],
    jobs: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    seed: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Callable[[], None] = lambda: None,
) -> NDArray[np.int32]:
    """Score copies of stretches of subjects, on all cores.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Of the whole query.
    codes : ndarray, dtype=uint8
        In which the stretches lie.
    jobs : ndarray, shape=(k, 8), dtype=int64
        As `JOB` names them: ``rows`` rows of the query from ``row`` on against copies ``number`` ...
        ``number + count - 1`` of ``length`` residues from ``start`` on (`swgui.core.statistics.copies`).
    gap_first, gap_extend : int
        Gap costs, ``gap_extend <= gap_first``.
    seed : int
        0 or more.
    gaps : PositionGaps, optional
        Costs by position of the whole query instead.
    threads : int
        0 for all cores; 1 keeps the work in the calling thread.
    check : callable
        Called every few milliseconds of work; may raise to give up.

    Returns
    -------
    ndarray, dtype=int32
        The scores of all copies, job by job.
    """
    ends = np.cumsum(jobs[:, JOB.index("count")])
    found = np.zeros(int(ends[-1]) if len(jobs) else 0, dtype=np.int32)
    given = np.column_stack([jobs, ends - jobs[:, JOB.index("count")]]).astype(np.int64)
    cells = given[:, 1] * given[:, 3] * given[:, 7]
    order = np.argsort(-cells, kind="stable")  # of like size side by side
    given = np.ascontiguousarray(given[order])
    compiled = usable(profile) and profile.shape[1] <= NARROW_SYMBOLS
    if compiled:
        query = query_arguments(profile, gap_first, gap_extend, gaps)
        call = query.function("shuffles", *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, ctypes.c_void_p)

    def work(piece: slice) -> None:
        part = given[piece]
        if compiled:
            checked(call(*query.given, *pointers(codes, part), len(part), seed, pointer(found)))
            return
        for job in part:
            found[job[-1] : job[-1] + job[-2]] = _one(profile, codes, job, gap_first, gap_extend, seed, gaps)

    in_pieces(cells[order] // SIDE_BY_SIDE, work, threads=threads, check=check)
    return found


def _one(
    profile: NDArray[np.int16],
    codes: NDArray[np.uint8],
    job: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    seed: int,
    gaps: PositionGaps | None,
) -> NDArray[np.int64]:
    """Return the scores of one job, of copies made in NumPy."""
    row, rows, start, length, kind, width, number, count, _ = job.tolist()
    block = copies(codes[start : start + length], kind, width, np.arange(number, number + count), seed)
    some = Subjects.packed(block.ravel(), np.arange(count + 1) * length)
    own = gaps.take(slice(row, row + rows)) if gaps is not None else None
    return scores(profile[row : row + rows], some, gap_first, gap_extend, gaps=own, threads=1)
