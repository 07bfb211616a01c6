"""Dot plots: every stretch of the query against every stretch of the subject, scored by the matrix. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.scoring import EncodedQuery, ScoringScheme

MAX_CELLS = 9_000_000  # larger plots are thinned out: each dot then stands for a square of residues
MAX_SCORE = np.iinfo(np.int16).max  # scores are kept within it
MIN_RANDOM = 1e-3  # share of dots that chance may set with the threshold offered at first


@dataclass(frozen=True, slots=True, eq=False)
class DotPlot:
    """Scores of stretches of equal length along the diagonals."""

    # Sum of matrix values of a stretch centred on subject residue (row) and query residue (column); where the plot is
    # thinned out, the largest of its square.
    scores: NDArray[np.int16]
    window: int  # length of the stretches
    step: int  # residues for each row and column
    query_length: int
    subject_length: int

    def dots(self, threshold: int) -> NDArray[np.bool_]:
        """Return where a stretch scores at least `threshold`, in the shape of `scores`."""
        return self.scores >= threshold


def dot_plot(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    window: int,
    check: Check = lambda: None,
) -> DotPlot:
    """Score every stretch of `window` residues of the query against every one of the subject.

    Sums along diagonals are differences of running sums, so that the time does not depend on the window.
    Stretches that would reach beyond an end are cut there.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
        Codes.
    window : int
        Odd, at least 1.
    check : callable
        Called now and then; raises to give up.

    Returns
    -------
    DotPlot
        Thinned out above `MAX_CELLS` cells.
    """
    m, n = len(query), len(subject)
    step = max(1, int(np.ceil(np.sqrt(m * n / MAX_CELLS))))
    profile = query.scores(scheme)
    half = window // 2
    rows, columns = -(-n // step), -(-m // step)
    largest = np.full((rows, columns), np.iinfo(np.int16).min, dtype=np.int16)
    # Bands of subject rows: a running sum along each diagonal needs `window` rows before and behind.
    band = max(256, window * 4) // step * step or step
    padded = np.zeros((profile.shape[1], m + 2 * window), dtype=np.int32)  # a row for each residue of the subject
    padded[:, window : window + m] = profile.T
    for top in range(0, n, band):
        check()
        bottom = min(n, top + band)
        first, last = top - half - 1, bottom + half
        sums = _diagonal_sums(padded, subject, first, last, m, window)
        # Row i of `sums` ends a running sum at subject residue first + i.
        ends = sums[top + half - first : bottom + half - first, 2 * half + 1 : 2 * half + 1 + m]
        starts = sums[top - half - 1 - first : bottom - half - 1 - first, :m]
        stretch = ends - starts
        if window * int(np.abs(profile).max(initial=0)) > MAX_SCORE:
            np.clip(stretch, -MAX_SCORE, MAX_SCORE, out=stretch)
        largest_rows = thin(stretch.astype(np.int16), step)
        largest[top // step : top // step + len(largest_rows)] = largest_rows
    return DotPlot(largest, window, step, m, n)


def _diagonal_sums(
    padded: NDArray[np.int32], subject: NDArray[np.uint8], first: int, last: int, m: int, window: int
) -> NDArray[np.int32]:
    """Return running sums along diagonals for subject residues `first` to `last`.

    Column ``j`` of row ``i`` is the sum over the diagonal that ends at query residue ``j - half - 1``, from
    the first row on; residues outside either sequence add nothing.
    """
    half = window // 2
    width = m + 2 * half + 1
    sums = np.zeros((last - first + 1, width), dtype=np.int32)
    shift = window - half - 1
    for i in range(1, last - first + 1):
        residue = first + i
        sums[i, 1:] = sums[i - 1, :-1]
        if 0 <= residue < len(subject):
            sums[i] += padded[subject[residue], shift : shift + width]
    return sums


def thin(scores: NDArray[np.int16], step: int) -> NDArray[np.int16]:
    """Return the largest value of each square of `step` x `step`, shape (ceil(rows / step), ceil(columns / step))."""
    if step == 1:
        return scores
    by_rows = scores[::step].copy()
    for offset in range(1, step):
        others = scores[offset::step]
        np.maximum(by_rows[: len(others)], others, out=by_rows[: len(others)])
    thinned = by_rows[:, ::step].copy()
    for offset in range(1, step):
        others = by_rows[:, offset::step]
        np.maximum(thinned[:, : others.shape[1]], others, out=thinned[:, : others.shape[1]])
    return thinned


def usual_threshold(plot: DotPlot, share: float = MIN_RANDOM) -> int:
    """Return a threshold that leaves about `share` of the plot dotted, at least 1."""
    values, counts = np.unique(plot.scores, return_counts=True)
    above = np.cumsum(counts[::-1])[::-1] / plot.scores.size
    few = values[above <= max(share, 1.5 / np.sqrt(plot.scores.size))]
    return max(1, int(few[0]) if len(few) else int(values[-1]))
