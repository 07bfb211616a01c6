"""The best local alignment of one pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, rescore
from swgui.core.control import Check
from swgui.core.errors import ScoreMismatch
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.traceback.path import global_path
from swgui.engines.traceback.rectangle import Rectangle, find_rectangle


def align_local(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    score: int | None = None,
    *,
    subject_id: str = "",
    check: Check = lambda: None,
) -> Alignment:
    """Return the best local alignment of a query with a subject.

    Parameters
    ----------
    query : EncodedQuery
        With or without a position-specific profile.
    subject : ndarray, shape=(n,), dtype=uint8
        Codes of the scheme's alphabet.
    score : int, optional
        What an engine scored the pair.
    subject_id : str
        Names the subject in an error.
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
    rectangle = find_rectangle(query, subject, scheme)
    alignment = align_within(query, subject, scheme, rectangle, check=check)
    actual = rescore(alignment, query, subject, scheme)
    expected = rectangle.score if score is None else score
    if not actual == expected == rectangle.score:
        raise ScoreMismatch(subject_id, expected, actual)
    return alignment


def align_within(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    rectangle: Rectangle,
    *,
    compiled: bool = True,
    check: Check = lambda: None,
) -> Alignment:
    """Return the best alignment inside its rectangle, not rescored.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    compiled : bool
        Whether the compiled library may do it.
    """
    if not rectangle.score:
        return Alignment.from_runs(0, 0, [], 0)
    profile, costs = query.scores(scheme), (scheme.gap_first, scheme.gap_extend)
    if compiled and native.usable(profile):
        packed = native.Subjects.packed(subject, np.array([0, len(subject)]))
        paths = native.trace(profile, packed, rectangle.region(), *costs, gaps=query.gaps, threads=1)
        if not paths.status[0]:
            return paths.alignment(0)
    part = query.part(slice(rectangle.query_start, rectangle.query_end))
    inside = subject[rectangle.subject_start : rectangle.subject_end]
    runs = global_path(part.scores(scheme), inside, *costs, rectangle.score, gaps=part.gaps, check=check)[1]
    return Alignment.from_runs(rectangle.query_start, rectangle.subject_start, runs, rectangle.score)
