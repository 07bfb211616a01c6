"""Where the alignments of many subjects lie, in arrays: what the overview and the filters look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import Hit
from swgui.io.export.rows import spans_of

FIRST_ROOM: Final = 64


@dataclass(frozen=True, slots=True)
class Stretch:
    """One alignment of a subject as it is drawn along the query.

    Parameters
    ----------
    start, end : int
        Residues of the query from 1, both included.
    strand : int
        1 or -1, or of translated searches the reading.
    score : int
    bits : float
        NaN without statistics.
    """

    start: int
    end: int
    strand: int
    score: int
    bits: float


class Stretches:
    """All alignments of the subjects that have several; those of a subject lie one behind the other, best first."""

    def __init__(self) -> None:
        self._table: NDArray[np.float64] = np.zeros((FIRST_ROOM, 7))
        self._filled = 0
        self._of_row: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return self._filled

    def add(self, row: int, hit: Hit) -> None:
        """Take over the alignments of a subject, if it has several."""
        if len(hit.hsps) < 2 or row in self._of_row:
            return
        spans = [(min(ends), max(ends)) for ends in ((one.query_start, one.query_end) for one in spans_of(hit))]
        lines = [
            (row, *place, hsp.strand, hsp.score, hsp.bit_score, hsp.log10_evalue)
            for place, hsp in zip(spans, hit.hsps, strict=True)
        ]
        first, self._filled = self._filled, self._filled + len(lines)
        if self._filled > len(self._table):
            grown = np.zeros((2 * self._filled, self._table.shape[1]))
            grown[:first] = self._table[:first]
            self._table = grown
        self._table[first : self._filled] = lines
        self._of_row[row] = first, self._filled

    def count(self, row: int) -> int:
        """Return how many alignments a subject has; 0 if it has one at most, or none is known yet."""
        first, end = self._of_row.get(row, (0, 0))
        return end - first

    def of(self, row: int) -> list[Stretch]:
        """Return the alignments of a subject that has several, best first."""
        first, end = self._of_row.get(row, (0, 0))
        return [
            Stretch(int(start), int(stop), int(strand), int(score), bits)
            for _, start, stop, strand, score, bits, _ in self._table[first:end].tolist()
        ]

    def strands(self, row: int) -> int:
        """Return on how many strands the alignments of a subject lie."""
        first, end = self._of_row.get(row, (0, 0))
        return len(np.unique(self._table[first:end, 3]))

    @property
    def rows(self) -> NDArray[np.int64]:
        """Row of each alignment, shape (n,), dtype int64."""
        return self._table[: self._filled, 0].astype(np.int64)

    @property
    def later(self) -> NDArray[np.bool_]:
        """Whether each alignment is not the best one of its subject, shape (n,)."""
        rows = self.rows
        return np.concatenate([np.zeros(min(1, len(rows)), dtype=bool), rows[1:] == rows[:-1]])

    @property
    def starts(self) -> NDArray[np.float64]:
        """First residue of the query of each alignment, from 1, shape (n,)."""
        return self._table[: self._filled, 1]

    @property
    def log10_evalues(self) -> NDArray[np.float64]:
        """Decadic logarithm of E of each alignment alone, shape (n,)."""
        return self._table[: self._filled, 6]

    @property
    def ends(self) -> NDArray[np.float64]:
        """Last residue of the query of each alignment, shape (n,)."""
        return self._table[: self._filled, 2]
