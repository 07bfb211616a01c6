"""Compositions of many stretches, the scales that follow from them, and what repeats itself."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.hits.ranking import Statistics
from swgui.core.hits.stretches import Subjects
from swgui.core.letters.tracks import TwoTrackMatrix, TwoTracks
from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics import composition as plain
from swgui.core.statistics.background import background
from swgui.core.statistics.composition import LONGEST_PERIOD, NEWTON_STEPS, Floats, LambdaScale
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.statistics.track_composition import TrackScale
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64


def count_symbols(subjects: Subjects, alphabet: Alphabet) -> NDArray[np.int64]:
    """Count the residues of subjects, shape (k, symbols)."""
    counts = np.zeros((len(subjects), len(alphabet)), dtype=np.int64)
    if library.problem():
        for number, row in enumerate(counts):
            row[:] = np.bincount(subjects[number], minlength=len(row))
        return counts
    call = library.function("count_residues", *[_POINTER] * 3, _LONG, _LONG, _POINTER)
    checked(call(*_places(subjects), len(subjects), counts.shape[1], pointer(counts)))
    return counts


def count_residues(subjects: Subjects, alphabet: Alphabet) -> Floats:
    """Count the residues of subjects that the background knows, shape (k, plain residues).

    In two tracks all residues, and beside them all letters, shape (k, residues + letters), as `TrackScale` has it.
    """
    if isinstance(alphabet, TwoTracks):
        both = zip(subjects.tracks(alphabet), alphabet.parts, strict=True)
        return np.hstack([count_symbols(track, part) for track, part in both]).astype(np.float64)
    return count_symbols(subjects, alphabet)[:, np.flatnonzero(background(alphabet))].astype(np.float64)


def count_repeats(subjects: Subjects) -> NDArray[np.int64]:
    """Count the residues of subjects that come again after p positions, shape (k, LONGEST_PERIOD + 1)."""
    if library.problem():
        return plain.count_repeats([subjects[number] for number in range(len(subjects))])
    counts = np.zeros((len(subjects), LONGEST_PERIOD + 1), dtype=np.int64)
    call = library.function("count_repeats", *[_POINTER] * 3, _LONG, _LONG, _POINTER)
    checked(call(*_places(subjects), len(subjects), LONGEST_PERIOD, pointer(counts)))
    return counts


def ratios(scale: LambdaScale | TrackScale, queries: Floats, subjects: Floats, pseudo: float) -> Floats:
    """Return the ratios of lambdas; as `LambdaScale.ratios`, and the same to the last bit."""
    if isinstance(scale, TrackScale):
        return scale.ratios(queries, subjects, pseudo, None if library.problem() else _solve_track_bases)
    return scale.ratios(queries, subjects, pseudo, None if library.problem() else _solve_bases)


def scale_of(
    statistics: Statistics, matrix: SubstitutionMatrix, query: NDArray[np.uint8], letters: Floats | None = None
) -> LambdaScale | TrackScale:
    """Return the lambdas that compositions are compared by: of the background, or for a fit of the query.

    Parameters
    ----------
    letters : ndarray, shape=(letters,), optional
        How often letters occur in what is searched.
    """
    published = isinstance(statistics, KarlinAltschul)
    if not isinstance(matrix, TwoTrackMatrix):
        return LambdaScale.of_background(matrix) if published else LambdaScale.of_query(matrix, query)
    return TrackScale.of_background(matrix) if published else track_scale(matrix, query, letters)


def track_scale(matrix: TwoTrackMatrix, query: NDArray[np.uint8], letters: Floats | None) -> TrackScale:
    """Return `TrackScale.of_query` of the symbols of a query."""
    counts = count_residues(Subjects.packed(query, np.array([0, len(query)])), matrix.alphabet)
    return TrackScale.of_query(matrix, counts, letters, None if library.problem() else _solve_track_bases)


def _solve_bases(scale: LambdaScale, queries: Floats, subjects: Floats, above: Floats) -> Floats:
    residues, different, bases = len(scale.background), len(scale.values), above.copy()
    given = np.ascontiguousarray(queries), np.ascontiguousarray(subjects)
    call = library.function(
        "solve_bases", _POINTER, _LONG, _POINTER, _LONG, _LONG, _POINTER, _POINTER, _LONG, _LONG, _POINTER
    )
    step = residues if len(queries) == len(subjects) else 0
    sizes = len(subjects), residues, *pointers(scale.groups, scale.values), different, NEWTON_STEPS
    checked(call(pointer(given[0]), step, pointer(given[1]), *sizes, pointer(bases)))
    return bases


def _solve_track_bases(scale: TrackScale, queries: Floats, subjects: Floats, above: Floats) -> Floats:
    bases, given = above.copy(), (np.ascontiguousarray(queries), np.ascontiguousarray(subjects))
    sizes, different = [len(groups) for groups in scale.groups], [int(groups.max()) + 1 for groups in scale.groups]
    call = library.function(
        "solve_track_bases",
        _POINTER,
        _LONG,
        _POINTER,
        *[_LONG] * 3,
        *[_POINTER] * 2,
        *[_LONG] * 2,
        _POINTER,
        _LONG,
        _POINTER,
    )
    step = sum(sizes) if len(queries) == len(subjects) else 0
    shape = len(subjects), *sizes, *pointers(*scale.groups), *different, pointer(scale.values), NEWTON_STEPS
    checked(call(pointer(given[0]), step, pointer(given[1]), *shape, pointer(bases)))
    return bases


def _places(subjects: Subjects) -> tuple[int, ...]:
    return pointers(subjects.codes, subjects.starts, subjects.lengths)
