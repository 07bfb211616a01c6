"""Positions of best local alignments, as corners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import ColumnRecord


class Regions(ColumnRecord, frozen=True):
    """The best local alignment of a query with each of many subjects, as its corners.

    Among equal best alignments the rule chooses the one that ends first in the subject, then first in the query; among
    these the one that starts last in the subject, then last in the query (`swgui.engines.traceback`).
    """

    scores: NDArray[np.int64]  # shape (k,)
    # query_start, query_end, subject_start, subject_end: half-open ranges, from 0; empty, at 0, where the score is 0,
    # shape (k,)
    query_start: NDArray[np.int64]
    query_end: NDArray[np.int64]
    subject_start: NDArray[np.int64]
    subject_end: NDArray[np.int64]

    @classmethod
    def unknown(cls, count: int) -> Regions:
        """Return regions without scores, to be filled in."""
        return cls(*np.zeros((5, count), dtype=np.int64))

    @property
    def columns(self) -> tuple[NDArray[np.int64], ...]:
        """Score, start and end in the query, start and end in the subject."""
        return self.scores, self.query_start, self.query_end, self.subject_start, self.subject_end

    def put(self, numbers: NDArray[np.int64], others: Regions) -> None:
        """Replace some of the regions."""
        for column, values in zip(self.columns, others.columns, strict=True):
            column[numbers] = values

    def moved(self, query: NDArray[np.int64] | int, subject: NDArray[np.int64] | int) -> Regions:
        """Return regions of the parts of sequences as those of the whole, which begin so many residues before."""
        where = self.scores > 0
        rows, columns = where * query, where * subject
        return Regions(
            self.scores,
            self.query_start + rows,
            self.query_end + rows,
            self.subject_start + columns,
            self.subject_end + columns,
        )

    @property
    def cells(self) -> NDArray[np.int64]:
        """Query residues times subject residues of each region."""
        return (self.query_end - self.query_start) * (self.subject_end - self.subject_start)
