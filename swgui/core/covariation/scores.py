"""The score of each pair of columns: the G-test of their bases, less what both share with all other columns."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.covariation.alignment import BASES, LETTERS

PRIOR: Final = 1e-5  # rows added to each pair of bases
BLOCK: Final = 48  # columns that are counted with all others at once
FEW_ROWS, FEW_COLUMNS = 8, 50  # up to so many, the two classes are paired and unpaired bases
CANONICAL: Final = ("AU", "UA", "CG", "GC", "GU", "UG")

_Floats = NDArray[np.float64]


def _paired() -> NDArray[np.bool_]:
    paired = np.zeros((BASES, BASES), dtype=bool)
    for one, other in CANONICAL:
        paired[LETTERS.index(one), LETTERS.index(other)] = True
    return paired


PAIRED: Final = _paired()  # whether two bases pair, by their codes


def classes_for(rows: int, columns: int) -> int:
    """Classes of pairs of bases for an alignment of this size: 16, or 2 where it is small."""
    return 2 if rows <= FEW_ROWS or columns <= FEW_COLUMNS else BASES * BASES


class Count(Protocol):
    """Counts pairs of bases in pairs of columns."""

    def __call__(self, start: int, stop: int) -> _Floats:
        """Weight of rows with each pair of bases in columns `start` to `stop` and all columns from `start` on.

        Returns
        -------
        ndarray, shape=(stop - start, 4, columns - start, 4), dtype=float64
        """
        ...


def pair_scores(columns: int, count: Count, classes: int, check: Check) -> _Floats:
    """Scores of all pairs of columns.

    G = 2 sum O ln(O / E) over the pairs of bases a, b, with O the weight of rows with a and b, and E of the weights of
    a and of b among rows with bases at both columns. With two classes the sum is over paired (with GU) and unpaired,
    and 0 where fewer are paired than expected. The score is G less the product of both columns' means over the mean of
    all.

    Parameters
    ----------
    columns : int
        How many there are.
    count : Count
    classes : {2, 16}
    check : callable
        Called between blocks of columns.

    Returns
    -------
    ndarray, shape=(columns, columns), dtype=float64
        Symmetric; the diagonal has no meaning.
    """
    scores = np.zeros((columns, columns))
    g = _sixteen if classes == BASES * BASES else _two
    for start in range(0, columns, BLOCK):
        check()
        stop = min(start + BLOCK, columns)
        scores[start:stop, start:] = g(count(start, stop) + PRIOR)
        scores[start:, start:stop] = scores[start:stop, start:].T
    return _corrected(scores)


def _plogp(values: _Floats) -> _Floats:
    return np.asarray(values * np.log(values), dtype=np.float64)


def _sixteen(observed: _Floats) -> _Floats:
    """G of all pairs of bases of counts [columns][bases][columns][bases]."""
    left, right = observed.sum(axis=3), observed.sum(axis=1)
    total = left.sum(axis=1)
    own = _plogp(left).sum(axis=1) + _plogp(right).sum(axis=2)
    return np.asarray(2 * (_plogp(observed).sum(axis=(1, 3)) - own + _plogp(total)), dtype=np.float64)


def _two(observed: _Floats) -> _Floats:
    """G of paired and unpaired bases of counts as of `_sixteen`; 0 where fewer are paired than expected."""
    left, right = observed.sum(axis=3), observed.sum(axis=1)
    total = left.sum(axis=1)
    paired = np.einsum("iajb,ab->ij", observed, PAIRED.astype(np.float64))
    expected = np.einsum("iaj,ijb,ab->ij", left, right, PAIRED.astype(np.float64)) / total
    other = total - paired
    g = 2 * (paired * np.log(paired / expected) + other * np.log(other / (total - expected)))
    return np.asarray(np.where(paired > expected, g, 0.0), dtype=np.float64)


def _corrected(scores: _Floats) -> _Floats:
    """Scores less the product of both columns' means over the mean of all (APC)."""
    columns = len(scores)
    np.fill_diagonal(scores, 0.0)
    means = scores.sum(axis=1) / max(columns - 1, 1)
    return scores - np.outer(means, means) / max(float(means.mean()), 1e-300)
