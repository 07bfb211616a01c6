"""Scores and regions of one query against many subjects."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.errors import Stopped
from swgui.core.hits.regions import Regions
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.scoring import profile_bound
from swgui.core.stretches import Subjects
from swgui.engines.native import library
from swgui.engines.native.stopping import NEVER, stop_flag
from swgui.engines.native.subjects import ALONE, dealt_out, in_parallel, in_pieces

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_NOTHING = ctypes.c_char * 0
QUERY: Final = (_POINTER, _LONG, _LONG, _INT, _INT)  # profile, rows, symbols, gap_first, gap_extend
TRACKS: Final = (_POINTER, _LONG, _LONG, _POINTER, _LONG, _INT, _INT)  # the same with profile and symbols of letters
POSITIONS: Final = (_POINTER, _LONG, _LONG, *[_POINTER] * 4)  # profile, rows, symbols, columns of `PositionGaps`


def scores(
    profile: NDArray[np.int16],
    subjects: Subjects,
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> NDArray[np.int64]:
    """Score one query, or a stretch of one, against many subjects.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Rows of a matrix or of a position-specific query.
    gap_first, gap_extend : int
        Costs of the first and of each other residue of a gap, ``0 <= gap_extend <= gap_first``.
    gaps : PositionGaps, optional
        Costs by position instead.
    threads : int
        0 for all cores; 1 keeps the work in the calling thread.

    Returns
    -------
    ndarray, shape=(k,), dtype=int64
    """
    if not usable(profile):
        from swgui.engines.rowscan import local_scores  # here, as below: for scores beyond the range of the library

        codes = np.concatenate([np.zeros(0, np.uint8), *(subjects[k] for k in range(len(subjects)))])
        offsets = np.concatenate([[0], np.cumsum(subjects.lengths)])
        found = local_scores(profile, codes, offsets, gap_first, gap_extend, gaps=gaps)
        assert found is not None  # without a stop
        return found
    scorer = Scorer(profile, gap_first, gap_extend, gaps)
    order = np.argsort(-subjects.lengths, kind="stable")  # of like length side by side
    out = np.zeros(len(subjects), dtype=np.int32)

    with stop_flag(check) as stop:

        def work(piece: slice) -> None:
            scorer.score_into(out, subjects, order[piece], stop)

        in_pieces(subjects.lengths[order] * len(profile), work, threads=threads, check=check)
    return out.astype(np.int64)


class Scorer:
    """A query that is scored against many subjects, some at a time; may be used by several threads at once.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        One of which `usable` says so.
    """

    def __init__(
        self, profile: NDArray[np.int16], gap_first: int, gap_extend: int, gaps: PositionGaps | None = None
    ) -> None:
        self._query = query_arguments(profile, gap_first, gap_extend, gaps)
        self._call = self._query.function("scores", *[_POINTER] * 4, _LONG, *[_POINTER] * 2)

    def scores(self, subjects: Subjects, stop: NDArray[np.int32] = NEVER) -> NDArray[np.int32]:
        """Score subjects in this thread, in one call, unless `stop`, shape (1,), becomes other than 0 (`Stopped`)."""
        out = np.zeros(len(subjects), dtype=np.int32)
        self.score_into(out, subjects, np.argsort(-subjects.lengths, kind="stable"), stop)
        return out

    def score_into(
        self, out: NDArray[np.int32], subjects: Subjects, numbers: NDArray[np.int64], stop: NDArray[np.int32]
    ) -> None:
        """Score some of the subjects, given longest first, in this thread, in one call."""
        arrays = pointers(subjects.codes, subjects.starts, subjects.lengths, numbers)
        checked(self._call(*self._query.given, *arrays, len(numbers), *pointers(out, stop)))


class TrackScorer:
    """A query in two tracks that is scored against many subjects; may be used by several threads at once.

    Parameters
    ----------
    profiles : tuple of ndarray, shape=(m, symbols), dtype=int16
        Scores against residues and against letters, whose sums score. `usable` says so of the sums.
    """

    def __init__(self, profiles: tuple[NDArray[np.int16], NDArray[np.int16]], gap_first: int, gap_extend: int) -> None:
        self._profiles = tuple(np.ascontiguousarray(profile, dtype=np.int16) for profile in profiles)
        (rows, symbols), letters = self._profiles[0].shape, self._profiles[1].shape[1]
        given = pointer(self._profiles[0]), rows, symbols, pointer(self._profiles[1]), letters, gap_first, gap_extend
        self._given = given
        kinds = _POINTER, _LONG, _LONG, _POINTER, _LONG, _INT, _INT, *[_POINTER] * 5, _LONG, _POINTER
        self._call = library.function("track_scores", *kinds)

    def scores(self, residues: Subjects, letters: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Score subjects in this thread, in one call.

        Parameters
        ----------
        letters : ndarray, dtype=uint8
            As many as there are codes of residues, and at the same places.
        """
        out, order = np.zeros(len(residues), dtype=np.int32), np.argsort(-residues.lengths, kind="stable")
        arrays = pointers(residues.codes, np.ascontiguousarray(letters), residues.starts, residues.lengths, order)
        checked(self._call(*self._given, *arrays, len(order), pointer(out)))
        return out


def regions(
    profile: NDArray[np.int16],
    subjects: Subjects,
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    known: NDArray[np.integer] | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> Regions:
    """Find the best local alignment of one query with each of many subjects, without its path.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Rows of a matrix or of a position-specific query.
    gap_first, gap_extend : int
        Costs of the first and of each other residue of a gap, ``0 <= gap_extend <= gap_first``.
    known : ndarray, shape=(k,), optional
        What the subjects score, as a search found it: saves most of the time. One that is too high is found out, and
        the region is that of the best; one that is too low may give a region that scores as little.
    """
    if not usable(profile):
        out = np.zeros((len(subjects), 5), dtype=np.int64)

        def find(piece: slice) -> None:
            for number in range(piece.start, piece.stop):
                out[number] = _region(profile, subjects[number], gap_first, gap_extend, gaps)

        in_pieces(subjects.lengths * len(profile) * 2, find, threads=threads, check=check)
        return Regions(*np.ascontiguousarray(out.T))
    if known is None and gaps is None and len(subjects) > ALONE and library.lanes():
        known = scores(profile, subjects, gap_first, gap_extend, threads=threads, check=check)
    ends = np.full((len(subjects), 5), -1, dtype=np.int32)
    if known is not None:
        ends[:, 0] = known
    query = query_arguments(profile, gap_first, gap_extend, gaps)
    call = query.function("regions", *[_POINTER] * 4, _LONG, *[_POINTER] * 2)
    arrays = pointers(subjects.codes, subjects.starts, subjects.lengths)
    order = np.argsort(-subjects.lengths, kind="stable")
    pieces = dealt_out(order, int(subjects.lengths.sum()) * len(profile), threads)
    with stop_flag(check) as stop:

        def work(part: NDArray[np.int64]) -> None:
            checked(call(*query.given, *arrays, pointer(part), len(part), *pointers(ends, stop)))

        in_parallel(pieces, work, threads=threads, check=check)
    return Regions(*np.ascontiguousarray(ends.T, dtype=np.int64))


def regions_each(
    profile: NDArray[np.int16],
    begins: NDArray[np.int64],
    of: NDArray[np.int64],
    subjects: Subjects,
    gap_first: int,
    gap_extend: int,
    *,
    known: NDArray[np.integer] | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> Regions:
    """Find the best local alignments of many pairs of several queries, without their paths. Needs the library.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Profiles of all queries, concatenated. `usable` is True for each of them.
    begins : ndarray, shape=(q + 1,), dtype=int64
        The row with which each begins; the last is `m`.
    of : ndarray, shape=(k,), dtype=int64
        The query of each pair; ranges are counted from its first row.
    subjects : Subjects
        k of them.
    known, threads : optional
        As of `regions`.
    """
    order = np.lexsort((-subjects.lengths, of))
    pairs = np.searchsorted(of[order], np.arange(len(begins)))
    residues = np.concatenate([[0], np.cumsum(subjects.lengths[order])])[pairs]
    ends = np.full((len(subjects), 5), -1, dtype=np.int32)
    if known is not None:
        ends[:, 0] = known
    kept, first_rows = np.ascontiguousarray(profile, dtype=np.int16), np.ascontiguousarray(begins, dtype=np.int64)
    costs = kept.shape[1], gap_first, gap_extend
    kinds = *[_POINTER] * 3, _LONG, _LONG, _INT, _INT, *[_POINTER] * 6
    call = library.function("regions_each", *kinds, symbols=kept.shape[1])
    with stop_flag(check) as stop:

        def work(piece: slice) -> None:
            queries = pointers(kept, first_rows[piece.start :], pairs[piece.start :])
            arrays = pointers(subjects.codes, subjects.starts, subjects.lengths, order, ends, stop)
            checked(call(*queries, piece.stop - piece.start, *costs, *arrays))

        in_pieces(np.diff(first_rows) * np.diff(residues), work, threads=threads, check=check)
    return Regions(*np.ascontiguousarray(ends.T, dtype=np.int64))


def _region(
    profile: NDArray[np.int16],
    subject: NDArray[np.uint8],
    gap_first: int,
    gap_extend: int,
    gaps: PositionGaps | None,
) -> tuple[int, int, int, int, int]:
    """Find one region in NumPy."""
    from swgui.engines.rowscan import local_end

    last = local_end(profile, subject, gap_first, gap_extend, gaps=gaps)
    rows, columns = last.query_end, last.subject_end
    back = None if gaps is None else gaps.take(slice(rows)).reversed()
    first = local_end(profile[:rows][::-1], subject[:columns][::-1], gap_first, gap_extend, gaps=back)
    return last.score, rows - first.query_end, rows, columns - first.subject_end, columns


def usable(profile: NDArray[np.int16]) -> bool:
    """Return True if the library can count up to the scores of this profile, shape (m, symbols)."""
    return countable(profile.shape[1], profile_bound(profile))


def countable(symbols: int, bound: int) -> bool:
    """Return True if the library knows so many symbols, and can count up to a score."""
    return symbols <= library.WIDE_SYMBOLS and 0 < bound <= library.SCORE_BOUND


class Query(msgspec.Struct, frozen=True):
    """A query as functions of the library take it: their first arguments; keeps its arrays alive."""

    arrays: tuple[NDArray[np.int16], ...]
    given: tuple[Any, ...]

    def function(self, name: str, *others: Any) -> Any:
        """Bind a function that takes the query and other arguments, or its twin for two tracks or costs by position."""
        if len(self.arrays) == 1:
            return library.function(name, *QUERY, *others, symbols=self.arrays[0].shape[1])
        if len(self.arrays) == 2:
            symbols = self.arrays[0].shape[1] * self.arrays[1].shape[1]
            return library.function(f"track_{name}", *TRACKS, *others, symbols=symbols)
        return library.function(f"position_{name}", *POSITIONS, *others)


def query_arguments(
    profile: NDArray[np.int16] | TrackProfile, gap_first: int, gap_extend: int, gaps: PositionGaps | None = None
) -> Query:
    """Return the first arguments of a call (`QUERY`, `TRACKS` or `POSITIONS`) for a profile of shape (m, symbols)."""
    if isinstance(profile, TrackProfile):
        if gaps is None:
            residues, letters = tables = tuple(np.ascontiguousarray(table, dtype=np.int16) for table in profile.tables)
            given = pointer(residues), *residues.shape, pointer(letters), letters.shape[1], gap_first, gap_extend
            return Query(tables, given)
        profile = profile.sums()
    kept = np.ascontiguousarray(profile, dtype=np.int16)
    if gaps is None:
        return Query((kept,), (pointer(kept), *kept.shape, gap_first, gap_extend))
    return Query((kept, *gaps.columns), (pointer(kept), *kept.shape, *pointers(*gaps.columns)))


def pointer(array: NDArray[Any]) -> int:
    """Return the address of an array of any shape; it must be C-contiguous and outlive the call."""
    flags = array.flags
    assert flags.c_contiguous
    if flags.writeable:
        return ctypes.addressof(_NOTHING.from_buffer(array.data))  # in less than half the time of `array.ctypes`
    return int(array.ctypes.data)


def pointers(*arrays: NDArray[Any]) -> tuple[int, ...]:
    """Return pointers to several arrays."""
    return tuple([pointer(array) for array in arrays])


def checked(status: int) -> None:
    """Turn the return value of a call into an error.

    Raises
    ------
    MemoryError
        If there was none left.
    Stopped
        If its flag was set.
    ValueError
        If a subject has a code that the profile has no scores for, as in a damaged file.
    """
    if status == -1:
        raise MemoryError("The compiled library has no memory for this query.")
    if status == -5:
        raise Stopped("A compiled call was stopped.")
    if status:
        raise ValueError("A subject has a residue that is not in the alphabet.")
