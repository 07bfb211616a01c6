"""Corners of a best local alignment: its last cell from a scoring pass, its first one from the reversed prefixes."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native


class Rectangle(msgspec.Struct, frozen=True):
    """The part of the matrix that a best local alignment runs through, corner to corner.

    Among all best alignments it belongs to one that ends first in the subject, then first in the query; and among
    those, to one that starts last in the subject, then last in the query. So it depends on the sequences and the scheme
    only.
    """

    score: int
    # query_start, query_end, subject_start, subject_end: half-open ranges, from 0; empty if the score is 0
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
        """Return the rectangle of regions that hold one."""
        return cls(*(int(column[0]) for column in region.columns))

    def region(self) -> native.Regions:
        """Return the rectangle as regions that hold it alone."""
        corners = self.query_start, self.query_end, self.subject_start, self.subject_end
        return native.Regions(*(np.array([value], dtype=np.int64) for value in (self.score, *corners)))


def find_rectangle(query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme) -> Rectangle:
    """Find the rectangle of the best local alignment of a pair.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    """
    packed = native.Subjects.packed(subject, np.array([0, len(subject)]))
    costs = scheme.gap_first, scheme.gap_extend
    return Rectangle.of(native.regions(query.scores(scheme), packed, *costs, gaps=query.gaps, threads=1))
