"""Shuffled copies of stretches of subjects, scored against stretches of one query."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.stretches import Subjects
from swgui.core.letters.tracks import TwoTracks
from swgui.core.profiles.score_profile import PositionGaps
from swgui.core.statistics.copies import copies, orders
from swgui.engines.native import library
from swgui.engines.native.library import NARROW_SYMBOLS
from swgui.engines.native.scoring import checked, pointer, pointers, query_arguments, scores, usable
from swgui.engines.native.subjects import in_pieces

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
    compiled = usable(profile) and profile.shape[1] <= NARROW_SYMBOLS
    if compiled:
        query = query_arguments(profile, gap_first, gap_extend, gaps)
        call = query.function("shuffles", *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, ctypes.c_void_p)

    def work(part: NDArray[np.int64], found: NDArray[np.int32]) -> None:
        if compiled:
            checked(call(*query.given, *pointers(codes, part), len(part), seed, pointer(found)))
            return
        for job in part:
            row, rows, start, length, kind, width, number, count, out = job.tolist()
            block = copies(codes[start : start + length], kind, width, np.arange(number, number + count), seed)
            own = gaps.take(slice(row, row + rows)) if gaps is not None else None
            found[out : out + count] = _scored(profile[row : row + rows], block, gap_first, gap_extend, own)

    return _in_pieces(jobs, work, threads, check)


def track_shuffled_scores(
    profile: NDArray[np.int16],
    symbols: NDArray[np.uint8],
    alphabet: TwoTracks,
    jobs: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    seed: int,
    *,
    threads: int = 0,
    check: Callable[[], None] = lambda: None,
) -> NDArray[np.int32]:
    """Do as `shuffled_scores` in two tracks: residue and letter of a position stay together.

    Random numbers are those of the residues alone.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Rows of a `TwoTrackMatrix`.
    symbols : ndarray
        Of `alphabet`, in which the stretches lie.
    """
    residues, letters = alphabet.split(symbols)
    tables = [np.ascontiguousarray(table) for table in alphabet.apart(profile)]
    compiled = usable(profile)
    if compiled:
        pointer_, long_, int_ = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
        kinds = (
            pointer_,
            long_,
            long_,
            pointer_,
            long_,
            int_,
            int_,
            pointer_,
            pointer_,
            pointer_,
            long_,
            long_,
            pointer_,
        )
        call = library.function("track_shuffles", *kinds)

    def work(part: NDArray[np.int64], found: NDArray[np.int32]) -> None:
        if compiled:
            (one, other), (rows, width) = pointers(*tables), tables[0].shape
            query = one, rows, width, other, tables[1].shape[1], gap_first, gap_extend
            checked(call(*query, *pointers(residues, letters, part), len(part), seed, pointer(found)))
            return
        for job in part:
            row, rows, start, length, kind, width, number, count, out = job.tolist()
            own = slice(start, start + length)
            block = symbols[own][orders(residues[own], kind, width, np.arange(number, number + count), seed)]
            found[out : out + count] = _scored(profile[row : row + rows], block, gap_first, gap_extend, None)

    return _in_pieces(jobs, work, threads, check)


def _in_pieces(
    jobs: NDArray[np.int64],
    work: Callable[[NDArray[np.int64], NDArray[np.int32]], None],
    threads: int,
    check: Callable[[], None],
) -> NDArray[np.int32]:
    """Have jobs scored, of like size one after the other; `work` is given some, each with where its scores go."""
    ends = np.cumsum(jobs[:, JOB.index("count")])
    found = np.zeros(int(ends[-1]) if len(jobs) else 0, dtype=np.int32)
    given = np.column_stack([jobs, ends - jobs[:, JOB.index("count")]]).astype(np.int64)
    cells = given[:, 1] * given[:, 3] * given[:, 7]
    order = np.argsort(-cells, kind="stable")
    given = np.ascontiguousarray(given[order])
    in_pieces(cells[order] // SIDE_BY_SIDE, lambda piece: work(given[piece], found), threads=threads, check=check)
    return found


def _scored(
    profile: NDArray[np.int16],
    block: NDArray[np.uint8],
    gap_first: int,
    gap_extend: int,
    gaps: PositionGaps | None,
) -> NDArray[np.int64]:
    """Score copies that were made in NumPy."""
    count, length = block.shape
    some = Subjects.packed(block.ravel(), np.arange(count + 1) * length)
    return scores(profile, some, gap_first, gap_extend, gaps=gaps, threads=1)
