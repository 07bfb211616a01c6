"""Where in a matrix the work will be, if what cannot reach a known score is left out: to divide it among devices."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import ScoringScheme
from swgui.engines.pair.anchors import Chain

GRID: Final = 256  # squares along each side
SKIPPED: Final = 0.1  # what a cell that is left out costs, of one that is computed


def column_work(rows: int, columns: int, scheme: ScoringScheme, chain: Chain) -> NDArray[np.float64]:
    """Return how much of all the work lies left of the columns that cut the matrix into `GRID` strips.

    Parameters
    ----------
    rows, columns : int
        Of the matrix.
    scheme : ScoringScheme
    chain : Chain
        A local alignment that is known.

    Returns
    -------
    ndarray, shape=(GRID + 1,), dtype=float64
        From 0 to 1, ascending.
    """
    high, wide = rows / GRID, columns / GRID
    heights = np.zeros((GRID, GRID))
    sums = chain.sums
    local = sums - np.minimum.accumulate(sums)
    ends = [
        np.stack([first, first + chain.lengths - 1], axis=1).ravel()  # of every stretch
        for first in (chain.rows, chain.columns, chain.first)
    ]
    along = np.linspace(ends[0][0], ends[0][-1], 8 * GRID)
    at = (np.minimum(along // high, GRID - 1)).astype(np.int64)
    across = (np.minimum(np.interp(along, ends[0], ends[1]) // wide, GRID - 1)).astype(np.int64)
    np.maximum.at(heights, (at, across), np.interp(along, ends[0], local[ends[2]]))
    falls = scheme.gap_extend * wide * np.arange(GRID)
    for row in range(GRID):
        if row:
            heights[row] = np.maximum(heights[row], heights[row - 1] - scheme.gap_extend * high)
        heights[row] = np.maximum.accumulate(heights[row] + falls) - falls
    left = np.minimum.outer(rows - high * np.arange(GRID), columns - wide * np.arange(GRID))
    step = max(0, int(scheme.matrix.scores.max()))
    reaches = np.maximum(heights, 0) + step * left >= chain.score
    work = np.where(reaches, 1.0, SKIPPED).sum(axis=0)
    shares: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(work) / work.sum()])
    return shares
