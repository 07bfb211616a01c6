"""A long alignment, a stretch of columns at a time: symbols, scores, and the map between columns and positions.

Columns are counted in display order: the query runs forwards as its user wrote it, so on the minus strand the
columns are those of the alignment backwards and both rows are complemented. `PairColumns` needs no Qt;
`PairColumnsView` shows it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.alignment import Op
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.core.pair.view import DELETION, SUBSTITUTION, AlignmentMap, Differences, pair_scores
from swgui.core.records import SequenceRecord
from swgui.gui.viewer.map.geometry import Line
from swgui.gui.viewer.rows.layout import EMPTY, GAP, Kind, RowsLayout, charge_gaps, complement_table, match_line
from swgui.gui.viewer.rows.view import RowsView

EVERY = 1 << 12  # columns between two running scores that are kept
BLOCK = EVERY << 8  # columns that are scored at a time
WINDOW = 16_000  # columns in the layout at a time


class PairColumns:
    """The columns of one alignment of a result, n of them; ``len`` says how many.

    Construction takes O(n): use a worker for long alignments. Every other query takes O(log runs), and
    O(k) for k columns of a window. Besides the runs, one running score for `EVERY` columns is kept.
    """

    def __init__(self, result: PairResult, hsp: PairAlignment) -> None:
        self.found = hsp
        self.scheme = result.scheme
        self.query = result.encoded_query(hsp.strand)
        self.subject = result.subject_codes
        self.at = AlignmentMap(hsp.alignment)
        self.backwards = hsp.strand == "minus"
        self.query_length = len(self.query.codes)
        self._sums = self.at.query_at + self.at.subject_at  # ascends from run to run
        self._running = self._score_all()

    def __len__(self) -> int:
        return self.at.columns

    # -- positions ---------------------------------------------------------------------------------

    def place(self, column: int) -> tuple[int, int]:
        """Return the query and subject residue (from 0, as written) of a column; in a gap the one before it."""
        inner = self._inner(column)
        run = int(np.searchsorted(self.at.columns_at, inner, side="right")) - 1
        inside, op = inner - int(self.at.columns_at[run]), int(self.at.alignment.ops[run])
        query = int(self.at.query_at[run]) + (inside if op != Op.DELETION else -1)
        subject = int(self.at.subject_at[run]) + (inside if op != Op.INSERTION else -1)
        query, subject = max(query, 0), max(subject, 0)
        return (self.query_length - 1 - query if self.backwards else query), subject

    def nearest(self, query: int, subject: int) -> int:
        """Return the column nearest to a query and a subject residue (from 0, as written)."""
        on_strand = self.query_length - 1 - query if self.backwards else query
        wanted = on_strand + subject
        if wanted <= self._sums[0]:
            inner = 0
        elif wanted >= self._sums[-1]:
            inner = len(self) - 1
        else:
            run = int(np.searchsorted(self._sums, wanted, side="right")) - 1
            share = 2 if self.at.alignment.ops[run] == Op.MATCH else 1
            inner = int(self.at.columns_at[run]) + (wanted - int(self._sums[run])) // share
        return self._inner(min(inner, len(self) - 1))

    def column_of_query(self, query: int) -> int | None:
        """Return the column of a query residue (from 0, as written); None outside the alignment."""
        inner = self.at.column_of_query(self.query_length - 1 - query if self.backwards else query)
        return None if inner is None else self._inner(inner)

    def column_of_subject(self, subject: int) -> int | None:
        """Return the column of a subject residue (from 0); None outside the alignment."""
        inner = self.at.column_of_subject(subject)
        return None if inner is None else self._inner(inner)

    def columns_of(self, diff: Differences) -> NDArray[np.int64]:
        """Return the first column of every difference.

        Returns
        -------
        ndarray, shape=(len(found),), dtype=int64
            In the order of the differences.
        """
        deleted = diff.kind == DELETION
        inner = np.empty(len(diff), dtype=np.int64)
        for rows, starts, positions in (
            (~deleted, self.at.query_at, diff.query),
            (deleted, self.at.subject_at, diff.subject),
        ):
            run = np.searchsorted(starts, positions[rows], side="right") - 1
            inner[rows] = self.at.columns_at[run] + positions[rows] - starts[run]
        return len(self) - inner - np.where(diff.kind == SUBSTITUTION, 1, diff.length) if self.backwards else inner

    def _inner(self, column: int) -> int:
        return len(self) - 1 - column if self.backwards else column

    # -- symbols -----------------------------------------------------------------------------------

    def window(self, start: int, stop: int) -> RowsLayout:
        """Return columns `start` to `stop` (half open, cut to existing ones) in display order, for `RowsView`."""
        start, stop = max(0, start), min(stop, len(self))
        first, last = (len(self) - stop, len(self) - start) if self.backwards else (start, stop)
        query_at, subject_at = self.at.positions(first, last)
        query, subject, kinds = self._symbols(query_at, subject_at)
        scores = self._column_scores(query_at, subject_at, self._gap_across(first))
        if self.backwards:
            complement = complement_table(self.scheme.alphabet)
            query, subject = complement[query][::-1], complement[subject][::-1]
            kinds = kinds[::-1].copy()
            query_at = np.where(query_at >= 0, self.query_length - 1 - query_at, -1)[::-1]
            subject_at = subject_at[::-1]
            scores = self._column_scores(query_at, subject_at, self._gap_across(last), scores[::-1].copy())
        return RowsLayout(
            query=query,
            match=match_line(query, kinds, self.scheme.alphabet),
            subject=subject,
            query_positions=query_at + 1,
            subject_positions=subject_at + 1,
            scores=scores,
            running=self._running_before(start) + np.cumsum(scores, dtype=np.int64),
            kinds=kinds,
            strand=-1 if self.backwards else 1,
        )

    def _symbols(
        self, query_at: NDArray[np.int64], subject_at: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
        """Return the symbols of both rows on the aligned strand (ASCII), and the `Kind` of each column.

        Parameters
        ----------
        query_at, subject_at : ndarray, shape=(k,), dtype=int64
            Positions of the columns, -1 in gaps.

        Returns
        -------
        query, subject, kinds : ndarray, shape=(k,), dtype=uint8
        """
        symbols = np.frombuffer(self.scheme.alphabet.letters.encode("ascii"), dtype=np.uint8)
        rows = []
        for codes, positions in ((self.query.codes, query_at), (self.subject, subject_at)):
            row = np.full(len(positions), GAP, dtype=np.uint8)
            row[positions >= 0] = symbols[codes[positions[positions >= 0]]]
            rows.append(row)
        kinds = np.full(len(query_at), Kind.GAP, dtype=np.uint8)
        both = np.flatnonzero((query_at >= 0) & (subject_at >= 0))
        q, s = query_at[both], self.subject[subject_at[both]]
        above = pair_scores(self.query, self.scheme, q, s) > 0
        same = self.scheme.alphabet.same(self.query.codes[q], s)
        kinds[both] = np.where(same, Kind.IDENTITY, np.where(above, Kind.POSITIVE, Kind.MISMATCH))
        return rows[0], rows[1], kinds

    def _column_scores(
        self,
        query_at: NDArray[np.int64],
        subject_at: NDArray[np.int64],
        open_gap: int,
        pairs: NDArray[np.int32] | None = None,
    ) -> NDArray[np.int32]:
        """Return the contribution of each column to the score.

        Parameters
        ----------
        query_at, subject_at : ndarray, shape=(k,), dtype=int64
            Positions of the columns, -1 in gaps.
        open_gap : int
            Kind of gap of the column before the first; -1 if it is none.
        pairs : ndarray, shape=(k,), dtype=int32, optional
            The matrix values of aligned pairs where they are known; it is changed and returned.

        Returns
        -------
        ndarray, shape=(k,), dtype=int32
        """
        if pairs is None:
            pairs = np.zeros(len(query_at), dtype=np.int32)
            both = np.flatnonzero((query_at >= 0) & (subject_at >= 0))
            pairs[both] = pair_scores(self.query, self.scheme, query_at[both], self.subject[subject_at[both]])
        side = np.where(query_at < 0, int(Op.DELETION), np.where(subject_at < 0, int(Op.INSERTION), -1))
        charge_gaps(pairs, side, self.scheme, open_gap)
        return pairs

    def _gap_across(self, border: int) -> int:
        """Return the kind of gap that continues across a border between two columns; -1 if none does."""
        if not 0 < border < len(self):
            return -1
        before, behind = np.searchsorted(self.at.columns_at, (border - 1, border), side="right") - 1
        op = int(self.at.alignment.ops[before])
        return op if before == behind and op != Op.MATCH else -1

    # -- running score -----------------------------------------------------------------------------

    def _score_all(self) -> NDArray[np.int64]:
        """Return the score of all columns before every `EVERY`-th one, and of all."""
        kept, total = [], 0
        for start in range(0, len(self), BLOCK):
            stop = min(start + BLOCK, len(self))
            scores = self._column_scores(*self.at.positions(start, stop), self._gap_across(start))
            sums = np.concatenate([[0], np.cumsum(scores, dtype=np.int64)]) + total
            kept.append(sums[:-1:EVERY])
            total = int(sums[-1])
        return np.concatenate([*kept, [total]])

    def _running_before(self, column: int) -> int:
        border = len(self) - column if self.backwards else column
        block = border // EVERY
        begin = block * EVERY
        before = int(self._running[-1] if border == len(self) else self._running[block])
        if begin < border < len(self):
            scores = self._column_scores(*self.at.positions(begin, border), self._gap_across(begin))
            before += int(scores.sum())
        if not self.backwards:
            return before
        # From the other side a gap is opened at its other end.
        opened = self.scheme.gap_first - self.scheme.gap_extend if self._gap_across(border) >= 0 else 0
        return int(self._running[-1]) - before - opened


def line_of(result: PairResult, hsp: PairAlignment) -> Line:
    """Return the path of an alignment in positions of the sequences as they were written."""
    mapping = AlignmentMap(hsp.alignment)
    query = result.query_length - mapping.query_at if hsp.strand == "minus" else mapping.query_at
    return Line(query, mapping.subject_at)


class PairColumnsView(RowsView):
    """Shows some columns of a long alignment at a time."""

    column_chosen = Signal(int)  # the cursor was moved to a column of the alignment, as `PairColumns` counts them

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns: PairColumns | None = None
        self._start = 0  # first column of the layout
        self._shifting = False
        self._quiet = False
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def first_column(self) -> int:
        return self._start

    def show_columns(self, columns: PairColumns | None, query: SequenceRecord, subject: SequenceRecord) -> None:
        """Show another alignment from its beginning, or nothing."""
        self.columns, self._start = columns, 0
        self._records = (query, subject) if columns is not None else None
        self._begin()

    def go_to(self, column: int) -> None:
        """Put the cursor on a column of the alignment, and scroll it to the middle if it was not visible."""
        if self.columns is None or not len(self.columns):
            return
        column = min(max(column, 0), len(self.columns) - 1)
        if not self._start + self._width <= column < self._start + len(self._layout) - self._width:
            self._lay_out_around(self.columns, column)
        self._quiet = True
        try:
            self.select(column - self._start, column - self._start + 1)
        finally:
            self._quiet = False

    @property
    def chosen_column(self) -> int | None:
        return self._start + self._cursor if self.columns is not None and self._cursor >= 0 else None

    @property
    def copied_columns(self) -> tuple[int, int]:
        """Columns of the alignment that `selected_text` writes: those selected, else all of the layout."""
        chosen, columns = self.selection(), len(self._layout)
        start, stop = chosen if chosen is not None and chosen[1] - chosen[0] > 1 else (0, columns)
        return self._start + start, self._start + stop

    def selected_text(self, form: str = "numbered") -> str:
        """Return the selected columns as text; with only the cursor, all columns of the layout around it."""
        anchor, cursor = self._anchor, self._cursor
        if anchor == cursor:
            self._anchor = self._cursor = -1
        try:
            return super().selected_text(form)
        finally:
            self._anchor, self._cursor = anchor, cursor

    def _lay_out(self) -> None:
        columns = self.columns
        self._layout = columns.window(self._start, self._start + WINDOW) if columns is not None else EMPTY
        self._restyle()
        self.fit()

    def _lay_out_around(self, columns: PairColumns, column: int) -> None:
        """Lay out a window with a column in its middle; lines begin at multiples of the width."""
        wanted = min(column - WINDOW // 2, len(columns) - WINDOW)
        start = max(0, -(-wanted // self._width) * self._width)
        moved = start - self._start
        if moved == 0:
            return
        line = self.block_height()
        offset = self.verticalScrollBar().value() - moved / self._width * line
        self._start = start
        if self._cursor >= 0:
            self._anchor, self._cursor = self._anchor - moved, self._cursor - moved
            if not 0 <= self._cursor < WINDOW:
                self._anchor = self._cursor = -1
        self._shifting = True
        try:
            self._lay_out()
            self.verticalScrollBar().setValue(round(offset))
        finally:
            self._shifting = False

    def _scrolled(self, value: int) -> None:
        if self._shifting or self.columns is None:
            return
        bar = self.verticalScrollBar()
        before = value == bar.minimum() and self._start > 0
        behind = value == bar.maximum() and self._start + len(self._layout) < len(self.columns)
        if before or behind:
            line = int(value // self.block_height())
            self._lay_out_around(self.columns, self._start + line * self._width)

    def _moved(self) -> None:
        super()._moved()
        if not self._quiet and self.chosen_column is not None:
            self.column_chosen.emit(self.chosen_column)
