"""Where a best local alignment lies: its last cell from a scoring pass, its first one from the reversed prefixes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import EncodedQuery, ScoringScheme, profile_bound
from swgui.engines import native
from swgui.engines.rowscan import LocalEnd, local_end
from swgui.engines.simd import opal, striped
from swgui.engines.simd.opal import SCORE_BOUND, OpalQuery
from swgui.engines.simd.striped import StripedQuery, can_score


@dataclass(frozen=True, slots=True)
class Rectangle:
    """The part of the matrix that a best local alignment runs through, corner to corner.

    Of all best alignments it belongs to one that ends first in the subject, then first in the query; and
    of those, to one that starts last in the subject, then last in the query. So it depends on the
    sequences and the scheme only, not on the libraries installed.

    Parameters
    ----------
    score : int
    query_start, query_end, subject_start, subject_end : int
        Half-open ranges, from 0; empty if the score is 0.
    """

    score: int
    query_start: int = 0
    query_end: int = 0
    subject_start: int = 0
    subject_end: int = 0

    @property
    def cells(self) -> int:
        """Query residues times subject residues."""
        return (self.query_end - self.query_start) * (self.subject_end - self.subject_start)

    @classmethod
    def of(cls, region: native.Regions) -> Rectangle:
        """Take the only one of some regions."""
        return cls(*(int(column[0]) for column in region.columns))

    def region(self) -> native.Regions:
        """Return the same as regions, of which it is the only one."""
        corners = self.query_start, self.query_end, self.subject_start, self.subject_end
        return native.Regions(*(np.array([value], dtype=np.int64) for value in (self.score, *corners)))


def find_rectangle(
    query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme, expected: int = 0
) -> Rectangle:
    """Find the rectangle of the best local alignment of a pair.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    expected : int
        What the pair is said to score, if known: saves time, and need not be right.
    """
    profile = query.scores(scheme)
    if query.gaps is not None or native.usable(profile):
        one, costs = native.Subjects.packed(subject, np.array([0, len(subject)])), (scheme.gap_first, scheme.gap_extend)
        return Rectangle.of(native.regions(profile, one, *costs, gaps=query.gaps, threads=1))
    last = _end(profile, query, subject, scheme, expected)
    if last.score == 0:
        return Rectangle(0)
    # An alignment of the reversed prefixes that scores as much must reach their first cell, or there
    # would be a best alignment that ends earlier.
    reversed_query = EncodedQuery(
        query.id,
        np.ascontiguousarray(query.codes[: last.query_end][::-1]),
        None if query.profile is None else np.ascontiguousarray(query.profile[: last.query_end][::-1]),
    )
    reversed_subject = np.ascontiguousarray(subject[: last.subject_end][::-1])
    first = _end(profile[: last.query_end][::-1], reversed_query, reversed_subject, scheme, last.score)
    return Rectangle(
        score=last.score,
        query_start=last.query_end - first.query_end,
        query_end=last.query_end,
        subject_start=last.subject_end - first.subject_end,
        subject_end=last.subject_end,
    )


def _end(
    profile: NDArray[np.int16],
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    expected: int,
) -> LocalEnd:
    """Find the last cell with what is installed; all ways choose the same cell."""
    bound = profile_bound(profile)
    if bound == 0 or not len(subject):
        return LocalEnd(0, 0, 0)
    costs = scheme.gap_first, scheme.gap_extend
    if not striped.problem() and can_score(profile, *costs):
        return StripedQuery(profile, *costs, expected).end(subject)
    if not opal.problem() and query.profile is None and bound <= SCORE_BOUND:
        return OpalQuery(query.codes, scheme.matrix, *costs).end(subject)
    return local_end(profile, subject, *costs)
