"""Sums over all local alignments of a profile with subjects, in compiled code.

A score in bits is the logarithm of a ratio of probabilities, and that of a search is the score of the best alignment.
The sum over all alignments (the Forward algorithm; Durbin, Eddy, Krogh and Mitchison 1998) tells distant relatives
better, where no alignment is much better than the others::

    M(i, j) = odds(i, j) (1 + H(i-1, j-1)),  H = M + I + D
    I(i, j) = first(i) M(i, j-1) + extend(i) I(i, j-1),  D(i, j) = first(i) M(i-1, j) + extend(i) D(i-1, j)

with positions i of the profile and j of the subject; the score is ``log2(1 + sum of all M)``.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.score_profile import ScoreProfile
from swgui.core.stretches import Subjects
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointers
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import in_pieces

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64


def summed_scores(
    profile: ScoreProfile,
    subjects: Subjects,
    *,
    dearer: tuple[float, float] = (0.0, 0.0),
    threads: int = 1,
    check: Check = lambda: None,
) -> NDArray[np.float64]:
    """Return the logarithms of sums over all alignments of a profile with subjects.

    Parameters
    ----------
    profile : ScoreProfile
        Its units of a bit are known.
    dearer : (float, float)
        Bits that the first and each other residue of a gap cost beyond the gap costs of the profile.
    threads : int
        0 for all cores; 1 keeps the work in the calling thread.

    Returns
    -------
    ndarray, shape=(k,), dtype=float64
        In bits, at least 0; infinite where the sum is beyond 2**1023.

    Raises
    ------
    Stopped
        If `check` says so.
    ValueError
        If a subject has a code that the profile has no scores for.
    """
    odds = np.exp2(profile.scores / profile.units_per_bit)
    costs = np.stack(profile.gaps.columns) / profile.units_per_bit + np.tile(dearer, 2)[:, np.newaxis]
    gaps, found = np.exp2(-costs), np.zeros(len(subjects))
    call = library.function("alignment_sums", _POINTER, _LONG, _LONG, *[_POINTER] * 5, _LONG, *[_POINTER] * 2)
    order = np.argsort(-subjects.lengths, kind="stable")

    with stop_flag(check) as stop:

        def work(piece: slice) -> None:
            numbers = order[piece]
            given = pointers(subjects.codes, subjects.starts, subjects.lengths, numbers)
            query = pointers(odds)[0], *odds.shape, *pointers(gaps)
            checked(call(*query, *given, len(numbers), *pointers(found, stop)))

        in_pieces(subjects.lengths[order] * len(odds), work, threads=threads, check=check)
    found[np.isnan(found)] = np.inf  # such a sum by the odds of 0 behind the end of the subject
    return np.asarray(np.log2(1.0 + found), dtype=np.float64)
