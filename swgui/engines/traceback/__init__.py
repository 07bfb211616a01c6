"""The best local alignment of one pair, on the CPU, always rescored.

Three steps. The last and the first cell of an optimal alignment are found by scoring alone (`rectangle`:
SIMD where it is installed). Inside that rectangle the alignment is global: up to `MAX_CELLS` cells
Biopython's aligner finds it, beyond that, and for position-specific profiles and linear gap costs, the
checkpointed step of `path`, which needs memory for some rows instead of the whole matrix and leaves
the interpreter to other threads. What was found is added up again from the residues; an alignment that
does not reach the score it was made for is an error, never a result.

Which of several optimal alignments is returned is fixed, whatever is installed and however large the
pair is:

1. the one that ends first in the subject, then first in the query;
2. of these, the one that starts last in the subject, then last in the query;
3. of these, reading from the end to the start, the one with an aligned pair where there is a choice,
   else with a query residue against a gap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op, rescore
from swgui.core.errors import ScoreMismatch
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.traceback.alternatives import count_cooptimal, next_local
from swgui.engines.traceback.path import global_path
from swgui.engines.traceback.rectangle import Rectangle, find_rectangle

# Biopython holds the interpreter while it works, about 70 ms at this size; larger rectangles go to our
# own step, which is as fast there.
MAX_CELLS: Final = 4_000_000

__all__ = ["MAX_CELLS", "Rectangle", "align_local", "count_cooptimal", "find_rectangle", "next_local"]


def align_local(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    score: int | None = None,
    *,
    subject_id: str = "",
    max_cells: int = MAX_CELLS,
    check: Callable[[], None] = lambda: None,
) -> Alignment:
    """Return the best local alignment of a query with a subject.

    Parameters
    ----------
    query : EncodedQuery
        With or without a position-specific profile.
    subject : ndarray, shape=(n,), dtype=uint8
        Codes of the scheme's alphabet.
    scheme : ScoringScheme
    score : int, optional
        What an engine scored the pair.
    subject_id : str
        Names the subject in an error.
    max_cells : int
        Largest rectangle that is given to Biopython.
    check : callable
        Called once per row in the checkpointed step; may raise to give up a very long alignment.

    Returns
    -------
    Alignment
        Without columns (all ranges empty, at 0) if the score is 0.

    Raises
    ------
    ScoreMismatch
        If the alignment does not add up to `score`, or to its own.
    """
    rectangle = find_rectangle(query, subject, scheme, score or 0)
    runs: list[tuple[int, int]] = []
    if rectangle.score:
        simple = query.profile is None and scheme.gap_first > scheme.gap_extend
        if simple and rectangle.cells <= max_cells:
            runs = _biopython_runs(query, subject, scheme, rectangle)
        else:
            profile = query.scores(scheme)[rectangle.query_start : rectangle.query_end]
            part = subject[rectangle.subject_start : rectangle.subject_end]
            costs = scheme.gap_first, scheme.gap_extend
            runs = global_path(profile, part, *costs, rectangle.score, check=check)[1]
    alignment = Alignment.from_runs(rectangle.query_start, rectangle.subject_start, runs, rectangle.score)
    actual = rescore(alignment, query, subject, scheme)
    expected = rectangle.score if score is None else score
    if not actual == expected == rectangle.score:
        raise ScoreMismatch(subject_id, expected, actual)
    return alignment


def _biopython_runs(
    query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme, rectangle: Rectangle
) -> list[tuple[int, int]]:
    decode = scheme.alphabet.decode
    first = decode(query.codes[rectangle.query_start : rectangle.query_end])
    second = decode(subject[rectangle.subject_start : rectangle.subject_end])
    # Only the first path is asked for; their number can be astronomical.
    best = next(iter(_aligner(scheme).align(first.decode(), second.decode())))
    runs = []
    for query_step, subject_step in np.diff(np.asarray(best.coordinates), axis=1).T.tolist():
        if query_step and subject_step:
            runs.append((int(Op.MATCH), query_step))
        else:
            runs.append((int(Op.INSERTION), query_step) if query_step else (int(Op.DELETION), subject_step))
    return runs


@lru_cache(maxsize=8)
def _aligner(scheme: ScoringScheme) -> Any:
    from Bio.Align import PairwiseAligner, substitution_matrices

    aligner = PairwiseAligner(mode="global")
    aligner.substitution_matrix = substitution_matrices.Array(
        alphabet=scheme.alphabet.letters, dims=2, data=scheme.matrix.scores.astype(float)
    )
    # Biopython's formula is open + (k - 1) * extend.
    aligner.open_gap_score = -scheme.gap_first
    aligner.extend_gap_score = -scheme.gap_extend
    return aligner
