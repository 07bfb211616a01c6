"""Alignments as rows in the columns of their query, and the steps by which rows become profiles, in compiled code.

The steps are those of `swgui.core.profiles` in NumPy. Which rows count, what is masked and effective numbers are equal;
sums of weights agree to 1e-12.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.hits.stretches import Subjects
from swgui.core.profiles import masking
from swgui.core.profiles import weights as plain
from swgui.core.profiles.recipe import Recipe
from swgui.core.profiles.weights import RowCounts, residues_needed
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers
from swgui.engines.native.tracing import Paths

_POINTER, _LONG, _INT, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_double
BRIEF: Final = 100  # rows: fewer are compared in no time
TO_NUMPY: Final = 1  # what a call returns that cannot do it

_Codes = NDArray[np.uint8]
_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Alignments in the columns of their query, k of them; as in `RowTable`.

    Parameters
    ----------
    codes : ndarray, shape=(k, m), dtype=uint8
    places : ndarray, shape=(i, 3), dtype=int64
    inserted : ndarray, dtype=uint8
    """

    codes: _Codes = field(repr=False)
    places: _Ints = field(repr=False)
    inserted: _Codes = field(repr=False)


def rows_of(paths: Paths, subjects: Subjects, columns: int) -> Rows:
    """Return alignments of a query of so many residues with subjects as rows."""
    codes = np.empty((len(paths), columns), dtype=np.uint8)
    places = np.empty((len(paths.ops), 3), dtype=np.int64)
    spans = paths.regions.subject_end - paths.regions.subject_start
    inserted, totals = np.empty(int(spans.sum()), dtype=np.uint8), np.zeros(2, dtype=np.int64)
    begins = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1)
    call = library.function("write_rows", *[_POINTER] * 3, _LONG, _LONG, *[_POINTER] * 8)
    given = pointers(subjects.codes, subjects.starts, subjects.lengths)
    arrays = begins, paths.ops, paths.lengths, paths.offsets, codes, places, inserted, totals
    checked(call(*given, len(paths), columns, *pointers(*arrays)))
    return Rows(codes, places[: totals[0]].copy(), inserted[: totals[1]].copy())


def purge(codes: _Codes, letters: int, max_identity: float) -> _Ints:
    """Return the rows that are left without near copies; as `swgui.core.profiles.weights.purge`."""
    given, kept, total = np.ascontiguousarray(codes), np.empty(len(codes), dtype=np.int64), np.zeros(1, dtype=np.int64)
    call = library.function("purge_rows", _POINTER, _LONG, _LONG, _LONG, _DOUBLE, _POINTER, _POINTER)
    checked(call(pointer(given), *given.shape, letters, max_identity, *pointers(kept, total)))
    return kept[: total[0]]


def select_rows(codes: _Codes, letters: int, recipe: Recipe) -> tuple[_Ints, _Codes]:
    """Do as `swgui.core.profiles.weights.select_rows`."""
    cut, kept, total = codes.copy(), np.empty(len(codes), dtype=np.int64), np.zeros(1, dtype=np.int64)
    call = library.function(
        "select_rows", _POINTER, _LONG, _LONG, _LONG, ctypes.c_float, _LONG, _DOUBLE, _POINTER, _POINTER
    )
    limits = recipe.end_support, residues_needed(codes.shape[1], recipe), recipe.max_identity
    status = call(pointer(cut), *cut.shape, letters, *limits, *pointers(kept, total))
    if status == TO_NUMPY:
        return plain.select_rows(codes, letters, recipe)
    checked(status)
    return kept[: total[0]], cut[: total[0]]


def masked_rows(codes: _Codes, alphabet: Alphabet, low: bool, coils: bool) -> _Codes:
    """Do as `swgui.core.profiles.masking.masked_rows`."""
    if alphabet.name != PROTEIN.name:
        return masking.masked_rows(codes, alphabet, low=low, coils=coils)
    masked = codes.copy()
    call = library.function("mask_rows", _POINTER, _LONG, _LONG, _INT, _INT, ctypes.POINTER(MaskSettings))
    status = call(pointer(masked), *masked.shape, low, coils, mask_settings(codes.shape[1]))
    if status == TO_NUMPY:
        return masking.masked_rows(codes, alphabet, low=low, coils=coils)
    checked(status)
    return masked


def count_rows(codes: _Codes, insertions: _Ints, letters: int) -> RowCounts:
    """Do as `swgui.core.profiles.weights.count_rows`."""
    rows, columns = codes.shape
    weights, effective, sums = np.empty(rows), np.empty(columns), np.empty((columns, letters))
    of_columns, given = np.empty((4, columns)), (np.ascontiguousarray(codes), np.ascontiguousarray(insertions))
    call = library.function("count_rows", _POINTER, _LONG, _LONG, _LONG, _POINTER, _LONG, *[_POINTER] * 4)
    sizes = rows, columns, letters, pointer(given[1]), len(insertions)
    checked(call(pointer(given[0]), *sizes, *pointers(weights, effective, sums, of_columns)))
    return RowCounts(weights, effective, sums, *of_columns)


def alike(codes: _Codes, fewest: int, share: float) -> NDArray[np.bool_]:
    """Say which rows have the same residue in at least this share of `fewest` columns or more that both have one in.

    Returns
    -------
    ndarray, shape=(k, k), dtype=bool
        Symmetric.
    """
    found = np.zeros((len(codes), len(codes)), dtype=np.bool_)
    given = np.ascontiguousarray(codes)
    call = library.function("alike_rows", _POINTER, _LONG, _LONG, _LONG, _DOUBLE, _POINTER, brief=len(codes) < BRIEF)
    checked(call(pointer(given), *given.shape, fewest, share, pointer(found)))
    return found


class MaskSettings(ctypes.Structure):
    """How rows are masked: field by field `mask_settings` in ``kernels/cpu/rows.h``."""

    _fields_ = (
        *((name, _LONG) for name in ("window", "most_trim", "most_odd")),
        *((name, _DOUBLE) for name in ("low", "high", "coil")),
        *((name, _POINTER) for name in ("c_log2", "log2", "ln_factorial", "ln", "heptads")),
    )
    arrays: tuple[_Floats, ...]  # what the pointers lead to


@lru_cache(maxsize=64)
def mask_settings(columns: int) -> MaskSettings:
    """Return how rows of so many columns are masked."""
    from swgui.core.masking import SegSettings  # here: few searches make profiles

    seg = SegSettings()
    window, whole = np.arange(1, seg.window + 1), np.arange(1, max(columns, len(masking.HEPTADS)) + 1)
    logarithms = window * np.log2(window), np.log2(window), np.cumsum(np.log(whole)), np.log(whole)
    c_log2, log2, ln_factorial, ln = arrays = tuple(np.concatenate([[0.0], each]) for each in logarithms)
    made = MaskSettings(
        window=seg.window,
        most_trim=seg.most_trim,
        most_odd=seg.most_odd,
        low=seg.low,
        high=seg.high,
        coil=math.log(masking.coil_score()),
        c_log2=pointer(c_log2),
        log2=pointer(log2),
        ln_factorial=pointer(ln_factorial),
        ln=pointer(ln),
        heptads=pointer(masking.HEPTADS),
    )
    made.arrays = arrays
    return made
