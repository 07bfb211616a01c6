"""Whether many subjects hold more than their best alignment, and all of it: a few calls for all of them."""

from __future__ import annotations

import ctypes
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.regions import Regions
from swgui.core.ranges import concatenated_ranges
from swgui.core.score_profile import PositionGaps
from swgui.core.stretches import Subjects
from swgui.engines import host
from swgui.engines.native.grid import by_row_each, rest_scores, tiles_of
from swgui.engines.native.library import function
from swgui.engines.native.scoring import checked, pointer, pointers, query_arguments, scores
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import dealt_out, in_parallel
from swgui.engines.native.tracing import Paths

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_UNKNOWN: Final = 2  # scores of 8 bits do not tell: the grid does
PORTIONS: Final = 8  # of each thread, about: so that all end at about the same time
SLOWER: Final = 64  # to find alignments takes as long as so many scores
_Part = tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int32]]


def reach_again(
    profile: NDArray[np.int16],
    spans: NDArray[np.int64],
    subjects: Subjects,
    paths: Paths,
    least: NDArray[np.int64],
    asked: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> NDArray[np.bool_]:
    """Return a mask of pairs that score enough without the aligned residues of an alignment of each.

    Further parameters are those of `rest_scores`:

    Parameters
    ----------
    least : ndarray, shape=(k,), dtype=int64
        The score that is enough.
    asked : ndarray, shape=(n,), dtype=int64
        The pairs that are looked at; their subjects are not empty.

    Returns
    -------
    ndarray, shape=(k,), dtype=bool
        Where `rest_scores` is at least `least`; False for pairs that are not looked at.

    Raises
    ------
    MemoryError
    """
    told = np.zeros(len(subjects), dtype=np.uint8)
    told[asked] = _UNKNOWN
    if gaps is None:
        ask_bytes(profile, spans, subjects, paths, least, asked, (gap_first, gap_extend), told, threads, check)
    left = np.flatnonzero(told == _UNKNOWN)
    if len(left):
        some = spans[left], subjects.take(left), paths.take(left)
        rest = rest_scores(profile, *some, gap_first, gap_extend, gaps=gaps, threads=threads, check=check)
        told[left] = rest >= least[left]
    return np.asarray(told == 1)


def ask_bytes(
    profile: NDArray[np.int16],
    spans: NDArray[np.int64],
    subjects: Subjects,
    paths: Paths,
    least: NDArray[np.int64],
    asked: NDArray[np.int64],
    costs: tuple[int, int],
    told: NDArray[np.uint8],
    threads: int,
    check: Check,
) -> None:
    """Compute what scores of 8 bits tell, into `told`, shape (k,); the others as of `reach_again`."""
    scores = np.ascontiguousarray(profile, dtype=np.int16)
    behind = _LONG, _INT, _INT, *[_POINTER] * 4, _LONG, *[_POINTER] * 6
    call = function("further_reached", _POINTER, _POINTER, *behind, symbols=scores.shape[1])
    corners = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1).astype(np.int64)
    kept = corners, paths.offsets, paths.ops, paths.lengths, np.ascontiguousarray(least), told
    queries = scores, np.ascontiguousarray(spans)
    arrays = pointers(subjects.codes, subjects.starts, subjects.lengths)

    def work(part: NDArray[np.int64]) -> None:
        own = part[np.argsort(spans[part, 0], kind="stable")]
        given = *pointers(*queries), scores.shape[1], *costs, *arrays, pointer(own), len(own)
        checked(call(*given, *pointers(*kept)))

    order = asked[np.argsort(-subjects.lengths[asked], kind="stable")]
    pieces = dealt_out(order, int((subjects.lengths[asked] * spans[asked, 1]).sum()), threads)
    in_parallel(pieces, work, threads=threads, check=check)


def find_all(
    profile: NDArray[np.int16],
    spans: NDArray[np.int64],
    subjects: Subjects,
    least: NDArray[np.int64],
    most: int,
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> tuple[NDArray[np.int64], Paths]:
    """Find all alignments of many subjects that share no aligned pair of residues, as `Grid` gives them.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        As for `Grid`, and the gap costs too; of several queries those of all, concatenated.
    spans : ndarray, shape=(k, 2), dtype=int64
        The first row of each subject's query, and its rows.
    subjects : Subjects
        k of them, none empty.
    least : ndarray, shape=(k,), dtype=int64
        The lowest score that is wanted of each, at least 1.
    most : int
        Alignments of a subject.

    Returns
    -------
    (ndarray, shape=(n,), dtype=int64; Paths)
        The subject of each alignment, ascending, and the alignments, the best of a subject first.

    Raises
    ------
    MemoryError
    """
    portions = _portions(subjects.lengths * spans[:, 1], spans[:, 0], threads)
    with stop_flag(check) as stop:
        costs = gap_first, gap_extend
        finder = _Finder(profile, spans, subjects, portions, least, most, costs, by_row_each(gaps, spans), stop)
        in_parallel(range(portions.threads), finder.find, threads=threads, check=check)
    return _in_order(finder.found)


def reached_columns(
    profile: NDArray[np.int16],
    subjects: Subjects,
    least: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    backwards: bool = False,
    threads: int = 0,
    check: Check = lambda: None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find which residues of subjects alignments with a score can end at, or begin at.

    Parameters
    ----------
    least : ndarray, shape=(k,), dtype=int64
        The score of each subject, at least 1.
    backwards : bool
        Whether all is read from the ends: residues are counted from there, and alignments begin at them.

    Returns
    -------
    (ndarray, ndarray), shape=(k,), dtype=int64
        Half-open ranges of residues, perhaps somewhat wider; empty where none is.
    """
    if gaps is not None:
        given = profile, subjects, gap_first, gap_extend
        enough = scores(*given, gaps=gaps, threads=threads, check=check) >= least
        return np.zeros(len(subjects), dtype=np.int64), np.where(enough, subjects.lengths, 0)
    columns = np.zeros((len(subjects), 2), dtype=np.int64)
    query = query_arguments(profile, gap_first, gap_extend)
    call = query.function("reached_columns", *[_POINTER] * 4, _LONG, _POINTER, _INT, *[_POINTER] * 2)
    arrays, wanted = pointers(subjects.codes, subjects.starts, subjects.lengths), np.ascontiguousarray(least)
    with stop_flag(check) as stop:

        def work(part: NDArray[np.int64]) -> None:
            given = *query.given, *arrays, pointer(part), len(part)
            checked(call(*given, pointer(wanted), int(backwards), *pointers(columns, stop)))

        order = np.argsort(-subjects.lengths, kind="stable")
        pieces = dealt_out(order, int(subjects.lengths.sum()) * len(profile), threads)
        in_parallel(pieces, work, threads=threads, check=check)
    return np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1])


class _Portions(msgspec.Struct, frozen=True, eq=False):
    """Subjects in portions, the longest first, of which each of some threads takes the next as soon as it is free.

    To hand over a piece of work, Python's lock goes from thread to thread, which takes as long as to do the work.
    """

    numbers: NDArray[np.int64]  # subjects, those of a portion together
    begins: NDArray[np.int64]  # where each of p portions begins, and the last one ends, shape (p + 1,)
    threads: int


def _portions(cells: NDArray[np.int64], queries: NDArray[np.int64], threads: int) -> _Portions:
    """Return subjects in portions of one query each; parameters as of `dealt_out`, which says how many threads help.

    Parameters
    ----------
    cells, queries : ndarray, shape=(k,), dtype=int64
        What each subject costs, and its query.
    """
    takers = len(dealt_out(np.arange(len(cells)), SLOWER * int(cells.sum()), threads))
    takers = min(takers, abs(threads) or host.usable_cores())
    order = np.lexsort((-cells, queries))
    sums = np.cumsum(cells[order])
    enough = max(int(cells.sum()) // (PORTIONS * max(takers, 1)), 1)
    first = (np.diff(queries[order], prepend=-1) != 0) | (np.diff(sums // enough, prepend=-1) > 0)
    begins = np.append(np.flatnonzero(first), len(order))
    of = np.argsort(-np.diff(np.append(0, sums)[begins]), kind="stable")  # portions, the longest first
    sizes = np.diff(begins)[of]
    numbers = order[concatenated_ranges(begins[of], sizes)]
    return _Portions(numbers, np.append(0, np.cumsum(sizes)), takers)


class _Finder:
    """Finds the alignments of subjects, each thread those of some; parameters as for `find_all`, costs by row.

    Attributes
    ----------
    found : list of tuple
        Heads, ops and lengths of each call as ``further_take`` gives them.
    """

    def __init__(
        self,
        profile: NDArray[np.int16],
        spans: NDArray[np.int64],
        subjects: Subjects,
        portions: _Portions,
        least: NDArray[np.int64],
        most: int,
        costs: tuple[int, int],
        by_position: NDArray[np.int16] | None,
        stop: NDArray[np.int32],
    ) -> None:
        self.found: list[_Part] = []
        self._stop = stop
        tiles = tiles_of(spans[:, 1], subjects.lengths)
        self._scores = np.ascontiguousarray(profile, dtype=np.int16), np.ascontiguousarray(spans, dtype=np.int64)
        self._sequences = subjects.codes, subjects.starts, subjects.lengths
        self._portions, self._taken = (portions.numbers, portions.begins), np.zeros(1, dtype=np.int64)
        self._costs, self._by_position, self._most = costs, by_position, most
        self._wanted = tiles, np.ascontiguousarray(least, dtype=np.int64)
        behind = _POINTER, _INT, _INT, *[_POINTER] * 3, _LONG, *[_POINTER] * 3
        kinds, symbols = (_POINTER, _POINTER, _LONG, *[_POINTER] * 5, _LONG, *behind), profile.shape[1]
        self._find = function("further_find", *kinds, symbols=symbols)
        self._take = function("further_take", *[_POINTER] * 4, symbols=symbols)
        self._close = function("further_close", _POINTER, symbols=symbols)

    def find(self, _: int) -> None:
        """Find those of subjects that no other thread has taken, in this thread."""
        handle, sizes = ctypes.c_void_p(), np.zeros(2, dtype=np.int64)
        place = pointer(self._by_position) if self._by_position is not None else None
        before = *pointers(*self._scores), self._scores[0].shape[1], *pointers(*self._sequences, *self._portions)
        shared = len(self._portions[1]) - 1, pointer(self._taken)
        behind = *shared, *self._costs, place, *pointers(*self._wanted), self._most, pointer(self._stop)
        try:
            checked(self._find(*before, *behind, ctypes.addressof(handle), pointer(sizes)))
            heads = np.empty((int(sizes[0]), 5), dtype=np.int64)
            ops, lengths = np.empty(int(sizes[1]), dtype=np.uint8), np.empty(int(sizes[1]), dtype=np.int32)
            self._take(handle, *pointers(heads, ops, lengths))
            self.found.append((heads, ops, lengths))
        finally:
            self._close(handle)


def _in_order(parts: list[_Part]) -> tuple[NDArray[np.int64], Paths]:
    """Combine the results of pieces, the subjects in order."""
    heads = np.concatenate([np.zeros((0, 5), np.int64), *(part[0] for part in parts)])
    ops = np.concatenate([np.zeros(0, np.uint8), *(part[1] for part in parts)])
    lengths = np.concatenate([np.zeros(0, np.int32), *(part[2] for part in parts)])
    subject, score, row, column, runs = heads.T
    offsets = np.concatenate([[0], np.cumsum(runs)])

    def span(gap: int) -> NDArray[np.int64]:
        ends = np.concatenate([[0], np.cumsum(np.where(ops == gap, 0, lengths), dtype=np.int64)])
        return np.asarray(ends[offsets[1:]] - ends[offsets[:-1]])

    regions = Regions(score, row, row + span(2), column, column + span(1))
    order = np.argsort(subject, kind="stable")
    paths = Paths(regions, ops, lengths, offsets, np.zeros(len(heads), dtype=np.int32))
    return np.ascontiguousarray(subject[order]), paths.take(order)
