"""The alignments of a query's hits that are known so far."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.joined import join
from swgui.core.hits.table import Hit, HitTable
from swgui.io.export.columns import Column
from swgui.io.export.rows import spans

_Floats = NDArray[np.float64]


class AlignedHits:
    """Tables of hits with their alignments. A *row* is a position in the ranked list.

    The window's thread adds; others may read meanwhile.

    Parameters
    ----------
    rows : int
        Hits of the list.
    """

    def __init__(self, rows: int) -> None:
        self.aligned: NDArray[np.bool_] = np.zeros(rows, dtype=bool)
        self._tables: tuple[HitTable, ...] = ()
        self._place = np.full(rows, -1, dtype=np.int64)  # of each row in all tables, concatenated
        self._numbers: dict[str, tuple[_Floats, int]] = {}
        self._lines: tuple[int, NDArray[np.int64], _Floats, _Floats] = 0, self._place[:0], np.zeros(0), np.zeros(0)

    def add(self, table: HitTable) -> None:
        """Take over hits, and those of their alignments that are known."""
        rows = table.ranks - 1
        if not (new := self._place[rows] < 0).all():
            table, rows = table.take(np.flatnonzero(new)), rows[new]
        if not len(table):
            return
        place, tables = sum(map(len, self._tables)), [*self._tables, table]
        while len(tables) > 1 and 2 * len(tables[-1]) > len(tables[-2]):  # so that there are few
            tables[-2:] = [join(tables[-2:])]
        self._tables = tuple(tables)
        self._place[rows] = place + np.arange(len(rows))
        self.aligned[rows[table.there[table.first]]] = True

    def hit(self, row: int) -> Hit | None:
        """Return a hit; None while it is not known."""
        place, tables = int(self._place[row]), self._tables
        if place < 0:
            return None
        starts = [0, *accumulate(map(len, tables))]
        number = bisect_right(starts, place) - 1
        return Hit(tables[number], place - starts[number])

    def numbers(self, column: Column) -> _Floats:
        """Return the numbers of a column, NaN where not known, shape (rows,); they change as hits are added."""
        numbers, done = self._numbers.get(column.key) or (np.full(len(self.aligned), np.nan), 0)
        for table in self._after(done):
            best = np.where(table.there, column.numbers(table), np.nan)[table.first]
            numbers[table.ranks - 1] = best
            done += len(table)
        self._numbers[column.key] = numbers, done
        return numbers

    def _after(self, done: int) -> list[HitTable]:
        left, start = [], 0
        for table in self._tables:
            if start >= done:
                left.append(table)
            elif start + len(table) > done:
                left.append(table.take(np.arange(done - start, len(table))))
            start += len(table)
        return left

    def within(self, log10_evalue: float) -> int:
        """Return how many alignments have an E up to a limit."""
        return sum(int((table.log10_evalues[table.there] <= log10_evalue).sum()) for table in self._tables)

    def spans(self) -> tuple[NDArray[np.int64], _Floats, _Floats]:
        """Return row, first and last residue of the query, from 1, of every alignment, shape (n,) each."""
        done, *lines = self._lines
        parts = [lines]
        for table in self._after(done):
            start, end, *_ = spans(table)
            ends = np.minimum(start, end).astype(np.float64), np.maximum(start, end).astype(np.float64)
            parts.append([column[table.there] for column in ((table.ranks - 1)[table.hit], *ends)])
            done += len(table)
        rows, starts, ends_ = map(np.concatenate, zip(*parts, strict=True))
        self._lines = done, rows, starts, ends_
        return rows, starts, ends_
