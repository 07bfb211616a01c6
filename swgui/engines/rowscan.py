"""Smith-Waterman in NumPy, one query row at a time over many subjects. Exact for every scheme and profile.

The subjects of a batch are concatenated to one long row, a separator cell before each::

              subject 0            subject 1
          |  s0 s1 s2 s3 ...   |  s0 s1 s2 ...
      q0  0   H  H  H  H       0   H  H  H
      q1  0   H  H  H  H       0   H  H  H       one NumPy pass per row

A gap in the query runs along a row, which a vector cannot follow cell by cell. With costs
``gap_first + (k - 1) * gap_extend`` and ``gap_extend <= gap_first`` it is a running maximum instead: opening a gap
from a cell that is itself inside such a gap is never better than extending, so
``F[j] = max over k < j of (D[k] + k * gap_extend) - gap_first - (j - 1) * gap_extend`` with D the cell without
F (Farrar 2007 and Rognes 2011 use the same fact). Each subject's values are lifted above those of all
subjects before it by ``subject number * 2**44``, so that the running maximum never reaches across a
separator. With costs by position (`PositionGaps`) those of gaps along a row are still the same in all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.score_profile import PositionGaps

LIFT: Final = 1 << 44  # above any score plus any position times `gap_extend` of one batch
NEVER: Final = -(1 << 40)  # below any score, and far from overflow after every subtraction of a row
BATCH_RESIDUES: Final = 1 << 16  # rows of this size stay in a core's cache
BATCH_SUBJECTS: Final = 1 << 16  # times LIFT it must fit 64 bits


def never_stop() -> bool:
    """Do not stop: the default of every `stop` parameter here."""
    return False


class LocalEnd(msgspec.Struct, frozen=True):
    """The last cell of a best local alignment.

    Among all cells with the best score it is the one with the smallest subject position, and among those the one with
    the smallest query position.
    """

    score: int
    # query_end, subject_end: residues before the end, from 0; both 0 if the score is 0
    query_end: int
    subject_end: int


def local_scores(
    profile: NDArray[np.int16],
    codes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    gap_first: int,
    gap_extend: int,
    stop: Callable[[], bool] = never_stop,
    *,
    gaps: PositionGaps | None = None,
) -> NDArray[np.int64] | None:
    """Score one query against concatenated subjects.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
    codes : ndarray, shape=(r,), dtype=uint8
    offsets : ndarray, shape=(n + 1,), dtype=int64
        Where each subject begins in `codes`; empty subjects are allowed and score 0.
    gap_first, gap_extend : int
        Gap costs, ``gap_extend <= gap_first``.
    stop : callable
        Asked about a thousand times a second; True gives up.

    Returns
    -------
    ndarray, shape=(n,), dtype=int64, or None
        None if it was stopped.
    """
    count = len(offsets) - 1
    scores = np.zeros(count, dtype=np.int64)
    costs = list(row_costs(len(profile), gap_first, gap_extend, gaps))
    start = 0
    while start < count:
        end = int(np.searchsorted(offsets, offsets[start] + BATCH_RESIDUES, side="right")) - 1
        end = min(max(end, start + 1), start + BATCH_SUBJECTS)
        part = codes[offsets[start] : offsets[end]]
        batch = _score_batch(profile, part, offsets[start : end + 1] - offsets[start], costs, stop)
        if batch is None:
            return None
        scores[start:end] = batch
        start = end
    return scores


def row_costs(
    rows: int, gap_first: int, gap_extend: int, gaps: PositionGaps | None
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the gap costs of each row, in the order of `PositionGaps.columns`."""
    if gaps is None:
        return repeat((gap_first, gap_extend, gap_first, gap_extend), rows)
    return zip(*(column.tolist() for column in gaps.columns), strict=True)


def _score_batch(
    profile: NDArray[np.int16],
    codes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    costs: list[tuple[int, int, int, int]],
    stop: Callable[[], bool],
) -> NDArray[np.int64] | None:
    letters = profile.shape[1]
    count, size = len(offsets) - 1, len(codes) + len(offsets) - 1
    separators = offsets[:-1] + np.arange(count)
    is_residue = np.ones(size, dtype=bool)
    is_residue[separators] = False
    letter = np.full(size, letters, dtype=np.intp)  # the extra letter of a separator
    letter[is_residue] = codes
    # int64 rows: 16,000 x the longest query fits many times over.
    rows = np.full((len(profile), letters + 1), NEVER, dtype=np.int64)
    rows[:, :letters] = profile
    lift, steps = np.cumsum(~is_residue) * LIFT, np.arange(size)
    ramp, sloped = lift, 0

    best = np.zeros(size, dtype=np.int64)
    above = np.zeros(size, dtype=np.int64)  # H of the row before
    down = np.full(size, NEVER, dtype=np.int64)  # gap in the subject, ends in this row
    cell, along, pair = np.empty_like(best), np.empty_like(best), np.empty_like(best)
    for row, (first, extend, down_first, down_extend) in zip(rows, costs, strict=True):
        if stop():
            return None
        if extend != sloped:
            ramp, sloped = lift + steps * extend, extend
        np.take(row, letter, out=pair, mode="clip")
        np.maximum(down - down_extend, above - down_first, out=down)
        cell[0] = 0
        np.add(above[:-1], pair[1:], out=cell[1:])
        np.maximum(cell, down, out=cell)
        np.maximum(cell, 0, out=cell)  # also at separators
        np.add(cell, ramp, out=along)
        np.maximum.accumulate(along, out=along)
        # `along` becomes F, the gap in the query that ends in the next cell.
        np.subtract(along[:-1], ramp[1:], out=along[:-1])
        along[:-1] += extend - first
        np.maximum(cell[1:], along[:-1], out=cell[1:])  # beyond a separator far below 0
        np.maximum(best, cell, out=best)
        above, cell = cell, above
    return np.maximum.reduceat(best, separators)


def local_end(
    profile: NDArray[np.int16],
    codes: NDArray[np.uint8],
    gap_first: int,
    gap_extend: int,
    forbidden: Mapping[int, NDArray[np.int64]] = MappingProxyType({}),
    gaps: PositionGaps | None = None,
) -> LocalEnd:
    """Find where a best local alignment of one pair ends.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
    codes : ndarray, shape=(n,), dtype=uint8
    gap_first, gap_extend : int
        Gap costs, ``gap_extend <= gap_first``.
    forbidden : mapping of int to ndarray
        For some query positions the subject positions that must not be aligned with them.
    """
    size = len(codes)
    if not size or not len(profile):
        return LocalEnd(0, 0, 0)
    steps = np.arange(size, dtype=np.int64)
    ramp, sloped = np.zeros(size, dtype=np.int64), 0
    costs = row_costs(len(profile), gap_first, gap_extend, gaps)
    best = np.zeros(size, dtype=np.int64)
    best_row = np.zeros(size, dtype=np.int64)
    above = np.zeros(size, dtype=np.int64)
    down = np.full(size, NEVER, dtype=np.int64)
    letter = codes.astype(np.intp)
    for number, (scores, (first, extend, down_first, down_extend)) in enumerate(
        zip(profile.astype(np.int64), costs, strict=True)
    ):
        if extend != sloped:
            ramp, sloped = steps * extend, extend
        cell = scores[letter]
        if number in forbidden:
            cell[forbidden[number]] = NEVER
        cell[1:] += above[:-1]
        np.maximum(down - down_extend, above - down_first, out=down)
        np.maximum(cell, down, out=cell)
        np.maximum(cell, 0, out=cell)
        along = np.maximum.accumulate(cell + ramp)
        np.maximum(cell[1:], along[:-1] - ramp[1:] + (extend - first), out=cell[1:])
        best_row[cell > best] = number + 1
        np.maximum(best, cell, out=best)
        above = cell
    column = int(np.argmax(best))
    score = int(best[column])
    return LocalEnd(score, int(best_row[column]), column + 1) if score else LocalEnd(0, 0, 0)
