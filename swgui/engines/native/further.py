"""Whether many subjects hold more than their best alignment, and all of it: a few calls for all of them."""

from __future__ import annotations

import ctypes
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.regions import Regions
from swgui.core.hits.stretches import Subjects
from swgui.core.profiles.score_profile import PositionGaps
from swgui.engines.native.grid import by_row, rest_scores, tiles_of
from swgui.engines.native.library import function
from swgui.engines.native.scoring import checked, pointer, pointers, query_arguments, scores
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import dealt_out, in_parallel
from swgui.engines.native.tracing import Paths

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_UNKNOWN: Final = 2  # lanes do not tell: the grid does
SLOWER: Final = 64  # to find alignments takes as long as so many scores
_Part = tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int32]]


def reach_again(
    profile: NDArray[np.int16],
    subjects: Subjects,
    paths: Paths,
    least: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> NDArray[np.bool_]:
    """Tell which pairs score enough without the aligned pairs of residues of an alignment of each.

    Parameters are those of `rest_scores` besides:

    Parameters
    ----------
    least : ndarray, shape=(k,), dtype=int64
        The score that is enough.

    Returns
    -------
    ndarray, shape=(k,), dtype=bool
        Where `rest_scores` is at least `least`.

    Raises
    ------
    MemoryError
    """
    told = np.full(len(subjects), _UNKNOWN, dtype=np.uint8)
    if gaps is None:
        _ask_lanes(profile, subjects, paths, least, (gap_first, gap_extend), told, threads, check)
    left = np.flatnonzero(told == _UNKNOWN)
    if len(left):
        some = subjects.take(left), paths.take(left)
        rest = rest_scores(profile, *some, gap_first, gap_extend, gaps=gaps, threads=threads, check=check)
        told[left] = rest >= least[left]
    return np.asarray(told == 1)


def _ask_lanes(
    profile: NDArray[np.int16],
    subjects: Subjects,
    paths: Paths,
    least: NDArray[np.int64],
    costs: tuple[int, int],
    told: NDArray[np.uint8],
    threads: int,
    check: Check,
) -> None:
    """Fill in what can be told with many subjects side by side."""
    query = query_arguments(profile, *costs)
    call = query.function("further_reached", *[_POINTER] * 4, _LONG, *[_POINTER] * 6)
    corners = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1).astype(np.int64)
    kept = corners, paths.offsets, paths.ops, paths.lengths, np.ascontiguousarray(least), told
    arrays = pointers(subjects.codes, subjects.starts, subjects.lengths)

    def work(part: NDArray[np.int64]) -> None:
        checked(call(*query.given, *arrays, pointer(part), len(part), *pointers(*kept)))

    order = np.argsort(-subjects.lengths, kind="stable")
    pieces = dealt_out(order, int(subjects.lengths.sum()) * len(profile), threads)
    in_parallel(pieces, work, threads=threads, check=check)


def find_all(
    profile: NDArray[np.int16],
    subjects: Subjects,
    least: NDArray[np.int64],
    most: int,
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    spans: NDArray[np.int64] | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> tuple[NDArray[np.int64], Paths]:
    """Find all alignments of many subjects that share no aligned pair of residues, as `Grid` gives them.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        As for `Grid`, and the gap costs too; of several queries those of all, one behind the other.
    spans : ndarray, shape=(k, 2), dtype=int64, optional
        Of several queries, which have no gap costs by position: the first row of that of each subject, and its rows.
    subjects : Subjects
        k of them, none empty.
    least : ndarray, shape=(k,), dtype=int64
        The lowest score that is wanted of each, at least 1.
    most : int
        Alignments of a subject.
    threads : int
        0 for all cores; 1 keeps the work in the calling thread.

    Returns
    -------
    (ndarray, shape=(n,), dtype=int64; Paths)
        The subject of each alignment, ascending, and the alignments, the best of a subject first.

    Raises
    ------
    MemoryError
    """
    if spans is None:
        spans = np.tile(np.array([0, len(profile)]), (len(subjects), 1))
    cells = subjects.lengths * spans[:, 1]
    order = np.argsort(-cells, kind="stable")
    pieces = [
        part[np.argsort(spans[part, 0], kind="stable")] for part in dealt_out(order, SLOWER * int(cells.sum()), threads)
    ]
    with stop_flag(check) as stop:
        finder = _Finder(profile, spans, subjects, least, most, (gap_first, gap_extend), by_row(gaps), stop)
        in_parallel(pieces, finder.find, threads=threads, check=check)
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


class _Finder:
    """Finds the alignments of some of the subjects at a time; parameters as for `find_all`, costs by row.

    Attributes
    ----------
    found : list of tuple
        Of each call heads, ops and lengths as ``further_take`` gives them.
    """

    def __init__(
        self,
        profile: NDArray[np.int16],
        spans: NDArray[np.int64],
        subjects: Subjects,
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
        self._costs, self._by_position, self._most = costs, by_position, most
        self._wanted = tiles, np.ascontiguousarray(least, dtype=np.int64)
        behind = _INT, _INT, *[_POINTER] * 3, _LONG, *[_POINTER] * 3
        kinds, symbols = (_POINTER, _POINTER, _LONG, *[_POINTER] * 4, _LONG, *behind), profile.shape[1]
        self._find = function("further_find", *kinds, symbols=symbols)
        self._take = function("further_take", *[_POINTER] * 4, symbols=symbols)
        self._close = function("further_close", _POINTER, symbols=symbols)

    def find(self, part: NDArray[np.int64]) -> None:
        """Find those of some of the subjects, in this thread."""
        handle, sizes = ctypes.c_void_p(), np.zeros(2, dtype=np.int64)
        place = pointer(self._by_position) if self._by_position is not None else None
        before = *pointers(*self._scores), self._scores[0].shape[1], *pointers(*self._sequences, part), len(part)
        behind = *self._costs, place, *pointers(*self._wanted), self._most, pointer(self._stop)
        try:
            checked(self._find(*before, *behind, ctypes.addressof(handle), pointer(sizes)))
            heads = np.empty((int(sizes[0]), 5), dtype=np.int64)
            ops, lengths = np.empty(int(sizes[1]), dtype=np.uint8), np.empty(int(sizes[1]), dtype=np.int32)
            self._take(handle, *pointers(heads, ops, lengths))
            self.found.append((heads, ops, lengths))
        finally:
            self._close(handle)


def _in_order(parts: list[_Part]) -> tuple[NDArray[np.int64], Paths]:
    """Put together what pieces found, the subjects in order."""
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
