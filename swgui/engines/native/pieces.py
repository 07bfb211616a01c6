"""Alignments of a query with many subjects, and of the residues around each, as rows: one call for all steps."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.score_profile import PositionGaps
from swgui.core.stretches import Subjects
from swgui.engines.native.library import function
from swgui.engines.native.rows import STEP_BY_STEP, Rows
from swgui.engines.native.scoring import checked, pointer, pointers, usable

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_KINDS: Final = (_POINTER, _LONG, _LONG, _POINTER, _INT, _INT, _INT, ctypes.c_double, *[_POINTER] * 5, _LONG, _LONG)


@dataclass(frozen=True, slots=True, eq=False)
class FoundPieces:
    """The rows of all stretches, n of them, whole subjects first."""

    subject: NDArray[np.int64] = field(repr=False)  # the number of each among the subjects, shape (n,)
    # starts, ends: the residues of the subject that the row has: the first, and the one behind the last, shape (n,)
    starts: NDArray[np.int64] = field(repr=False)
    ends: NDArray[np.int64] = field(repr=False)
    scores: NDArray[np.int64] = field(repr=False)  # of the whole alignment, shape (n,)
    rows: Rows = field(repr=False)


def align_pieces(
    profile: NDArray[np.int16],
    subjects: Subjects,
    scores: NDArray[np.int32],
    least: NDArray[np.int32],
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    shortest: int = 15,
    end_gain: float = 0.0,
) -> FoundPieces | None:
    """Align whole subjects, then the stretches around their alignments while these score enough; in this thread.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
    subjects : Subjects
        k of them.
    scores, least : ndarray, shape=(k,), dtype=int32
        Score of each, and the least score of a stretch that becomes a row.
    gap_first, gap_extend : int
        Costs of the first and of each other residue of a gap.
    shortest : int
        Residues of a stretch in one step.
    end_gain : float
        Ends of rows that gain less a column are cut off (`cut_ends`); 0 for none.

    Returns
    -------
    FoundPieces or None
        None where the caller must work step by step: without the library, and where a path is too large or does not
        add up.
    """
    if not usable(profile) or subjects.codes.dtype != np.uint8:
        return None
    by_row = gaps or PositionGaps.constant(len(profile), gap_first, gap_extend)
    kept, costs = np.ascontiguousarray(profile, dtype=np.int16), np.ascontiguousarray(by_row.columns, dtype=np.int16)
    arrays = subjects.codes, subjects.starts, subjects.lengths, scores.astype(np.int32), least.astype(np.int32)
    given = pointer(kept), *kept.shape, pointer(costs), gaps is None, gap_first, gap_extend, end_gain
    handle, sizes = ctypes.c_void_p(), np.zeros(3, dtype=np.int64)
    align = function("pieces_align", *_KINDS, _POINTER, _POINTER)
    try:
        status = align(*given, *pointers(*arrays), len(subjects), shortest, ctypes.addressof(handle), pointer(sizes))
        if status == STEP_BY_STEP:
            return None
        checked(status)
        count, places, residues = sizes.tolist()
        heads, codes = np.empty((count, 4), dtype=np.int64), np.empty((count, len(profile)), dtype=np.uint8)
        where, inserted = np.empty((places, 3), dtype=np.int64), np.empty(residues, dtype=np.uint8)
        take = function("pieces_take", _POINTER, _LONG, *[_POINTER] * 4, brief=True)
        take(handle, len(profile), *pointers(heads, codes, where, inserted))
    finally:
        function("pieces_close", _POINTER, brief=True)(handle)
    subject, starts, ends, found_scores = np.ascontiguousarray(heads.T)
    begins = subjects.starts[subject]
    return FoundPieces(subject, starts - begins, ends - begins, found_scores, Rows(codes, where, inserted))
