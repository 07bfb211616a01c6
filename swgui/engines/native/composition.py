"""Compositions of many stretches, the scales that follow from them, and what repeats itself."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.statistics import composition as plain
from swgui.core.statistics.background import background
from swgui.core.statistics.composition import LONGEST_PERIOD, NEWTON_STEPS, Floats, LambdaScale
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers
from swgui.engines.native.subjects import Subjects

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
    """Count the residues of subjects that the background knows, shape (k, plain residues)."""
    return count_symbols(subjects, alphabet)[:, np.flatnonzero(background(alphabet))].astype(np.float64)


def count_repeats(subjects: Subjects) -> NDArray[np.int64]:
    """Count the residues of subjects that come again after p positions, shape (k, LONGEST_PERIOD + 1)."""
    if library.problem():
        return plain.count_repeats([subjects[number] for number in range(len(subjects))])
    counts = np.zeros((len(subjects), LONGEST_PERIOD + 1), dtype=np.int64)
    call = library.function("count_repeats", *[_POINTER] * 3, _LONG, _LONG, _POINTER)
    checked(call(*_places(subjects), len(subjects), LONGEST_PERIOD, pointer(counts)))
    return counts


def ratios(scale: LambdaScale, queries: Floats, subjects: Floats, pseudo: float) -> Floats:
    """Return the ratios of lambdas; as `LambdaScale.ratios`, and the same to the last bit."""
    return scale.ratios(queries, subjects, pseudo, None if library.problem() else _solve_bases)


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


def _places(subjects: Subjects) -> tuple[int, ...]:
    return pointers(subjects.codes, subjects.starts, subjects.lengths)
