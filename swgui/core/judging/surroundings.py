"""The part of the score of an alignment that the surroundings of the query's residues give, beyond a matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, spell_out
from swgui.core.scoring import EncodedQuery, ScoringScheme


class Surroundings(NamedTuple):
    """Scores of the aligned pairs of one alignment, in the units of its score.

    Parameters
    ----------
    pairs : int
        By context.
    matrix : int
        What the matrix gives the same pairs.
    stretch : int
        The largest sum of differences of neighbouring query positions.
    first, last : int
        These positions, from 0; -1 where no pair scores more by context.
    """

    pairs: int
    matrix: int
    stretch: int
    first: int
    last: int


def of_alignment(
    alignment: Alignment, query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme
) -> Surroundings:
    """Return the scores of the pairs of an alignment by the profile of a query and by the matrix of a scheme.

    Parameters
    ----------
    query : EncodedQuery
        With scores by position.
    subject : ndarray, shape=(n,), dtype=uint8
        Codes of the subject, as positions of the alignment count them.
    scheme : ScoringScheme
        In the units of the profile.
    """
    columns = spell_out(alignment)
    both = np.flatnonzero((columns.query >= 0) & (columns.subject >= 0))
    positions, letters = columns.query[both], subject[columns.subject[both]]
    assert query.profile is not None
    by_context = query.profile[positions, letters].astype(np.int64)
    by_matrix = scheme.matrix.scores[query.codes[positions], letters].astype(np.int64)
    return Surroundings(int(by_context.sum()), int(by_matrix.sum()), *_largest(by_context - by_matrix, positions))


def _largest(differences: NDArray[np.int64], positions: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return the largest sum of neighbouring differences, and the positions of the first and the last of them."""
    sums = np.concatenate([[0], np.cumsum(differences)])
    lowest = np.minimum.accumulate(sums)
    end = int(np.argmax(sums - lowest))
    begin = int(np.argmin(sums[: end + 1]))
    if end == begin:
        return 0, -1, -1
    return int(sums[end] - sums[begin]), int(positions[begin]), int(positions[end - 1])
