"""A stack of subjects on their query as a picture for a paper, in the colours of a light window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from swgui.core import words
from swgui.core.errors import InvalidParameter
from swgui.gui.kit import theme
from swgui.gui.viewer.pictures.figure import INK, QUIET, Sheet, cell_size
from swgui.gui.viewer.residues.coloring import column_table
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows.layout import BLANK, GAP, ruler
from swgui.gui.viewer.stacked.area import Rows, StackArea
from swgui.gui.viewer.stacked.layout import Stack
from swgui.gui.words import formatting

MAX_SYMBOLS = 120_000  # more would make a file that hardly any program opens
NAME_CHARACTERS, FACT_CHARACTERS = 16, (11, 6)  # room for a name, E-value and identity
MARGIN = 12.0
WEDGE = "#B0261E"  # of a folded insertion


@dataclass(frozen=True, slots=True, eq=False)
class StackFigure:
    """Contents of a picture of a stack; copied from it once, so that a worker can draw while the stack grows."""

    header: str  # of the query
    evalue_head: str  # name of the E of the subjects
    names: tuple[str, ...]  # and evalues, identities: of the subjects, from top to bottom
    evalues: tuple[str, ...]
    identities: tuple[str, ...]
    shown: NDArray[np.int64]  # contents of each column, as `Stack.columns`
    query: NDArray[np.uint8]  # shape (c,)
    symbols: NDArray[np.uint8]  # shape (n, c)
    styles: NDArray[np.uint8]  # and query_styles: fills of `symbols` and `query`, 0 for none
    query_styles: NDArray[np.uint8]
    insertions: tuple[frozenset[int], ...]  # query residues (from 1) behind which each subject has a folded insertion
    consensus: NDArray[np.uint8]  # shape (c,)
    conservation: NDArray[np.float64]  # shape (c,)
    scheme: ColorScheme
    columns: int = 60  # columns of a line
    points: float = 8.0  # size of the text of residues

    @classmethod
    def of(cls, stack: Stack, data: Rows, scheme: ColorScheme) -> StackFigure:
        """Copy the current stack.

        Raises
        ------
        InvalidParameter
            If there are too many residues for a picture.
        """
        shown = stack.columns
        _check_symbols(len(stack) + 1, len(shown))
        rows = stack.rows[: len(stack)]
        symbols, query = stack.window(0, len(rows), 0, len(shown)), stack.query_window(0, len(shown))
        table = column_table(scheme, stack.profile, stack.query, data.scheme)
        residues, present = np.maximum(shown, 0), shown >= 0

        def styles(of: NDArray[np.uint8]) -> NDArray[np.uint8]:
            plain = (of == GAP) | (of == BLANK) | ~present
            return np.where(plain, 0, table[of, residues]).astype(np.uint8)

        return cls(
            header=data.query.header,
            names=tuple(row.name(data.header(row.row).name) for row in rows),
            evalue_head=stack.evalue_head,
            evalues=tuple(formatting.evalue(row.log10_evalue) for row in rows),
            identities=tuple(formatting.tenths(row.identity) for row in rows),
            shown=shown,
            query=query,
            symbols=symbols,
            styles=styles(symbols),
            query_styles=styles(query),
            insertions=tuple(frozenset(row.insertions) - stack.unfolded for row in rows),
            consensus=np.where(present, stack.profile.consensus_line()[residues], BLANK).astype(np.uint8),
            conservation=np.where(present, stack.conservation()[residues], 0.0),
            scheme=scheme,
        )

    @property
    def title(self) -> str:
        return f"{words.count(len(self.names), 'subject')} on {self.header.partition(' ')[0]}"

    def check(self) -> None:
        """Raise `InvalidParameter` if there are too many residues for a picture."""
        _check_symbols(len(self.names) + 1, len(self.shown))

    # -- geometry, in points -----------------------------------------------------------------------

    @property
    def _cell(self) -> QSizeF:
        return cell_size(self.points)

    @property
    def _left(self) -> float:
        return MARGIN + (NAME_CHARACTERS + sum(FACT_CHARACTERS) + 1) * self._cell.width()

    @property
    def _lines(self) -> int:
        return max(1, -(-len(self.shown) // self.columns))

    @property
    def _line_height(self) -> float:
        return (len(self.names) + 5) * self._cell.height()  # ruler, query, consensus, conservation, a gap

    @property
    def size(self) -> QSizeF:
        width = self._left + min(self.columns, len(self.shown)) * self._cell.width() + MARGIN
        return QSizeF(width, 2 * MARGIN + 3 * self._cell.height() + self._lines * self._line_height)

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        sheet = Sheet(painter, self.points, self.scheme)
        folded = any(self.insertions)
        about = f"{self.title}. Colours: {self.scheme.title}." + (" Red wedges: insertions left out." if folded else "")
        sheet.head(((self.header, INK), (about, QUIET)), MARGIN, MARGIN, self.size.width() - 2 * MARGIN)
        for index in range(self._lines):
            top = MARGIN + 3 * sheet.cell.height() + index * self._line_height
            self._draw_line(painter, sheet, index * self.columns, top)

    def _draw_line(self, painter: QPainter, sheet: Sheet, start: int, top: float) -> None:
        stop = min(start + self.columns, len(self.shown))
        span, cell, left = slice(start, stop), sheet.cell, self._left
        self._draw_facts(sheet, (self.evalue_head, "id %"), top)
        sheet.ruler(ruler(np.maximum(self.shown[span] + 1, 0)), left, top)
        y = top + cell.height()
        self._draw_row(sheet, "Query", sheet.strong, self.query[span], self.query_styles[span], y)
        for row, name in enumerate(self.names):
            y += cell.height()
            self._draw_facts(sheet, (self.evalues[row], self.identities[row]), y)
            self._draw_row(sheet, name, sheet.words, self.symbols[row, span], self.styles[row, span], y)
            self._draw_wedges(painter, self.insertions[row], start, stop, y)
        y += cell.height()
        none = np.zeros(stop - start, dtype=np.uint8)
        self._draw_row(sheet, "Consensus", sheet.words, self.consensus[span], none, y, QUIET)
        y += cell.height()
        sheet.write(sheet.words, QUIET, QRectF(MARGIN, y, left - MARGIN, cell.height()), "Conservation")
        for index, share in enumerate(self.conservation[span].tolist()):
            height = share * (cell.height() - 2)
            bar = QRectF(left + index * cell.width(), y + cell.height() - 1 - height, cell.width() * 0.92, height)
            painter.fillRect(bar, QColor(theme.LIGHT.series[0]))

    def _draw_facts(self, sheet: Sheet, facts: tuple[str, str], y: float) -> None:
        x = MARGIN + NAME_CHARACTERS * sheet.cell.width()
        for fact, characters in zip(facts, FACT_CHARACTERS, strict=True):
            place = QRectF(x, y, characters * sheet.cell.width(), sheet.cell.height())
            sheet.write(sheet.numbers, QUIET, place, fact, Qt.AlignmentFlag.AlignRight)
            x += place.width()

    def _draw_row(
        self,
        sheet: Sheet,
        name: str,
        font: QFont,
        symbols: NDArray[np.uint8],
        styles: NDArray[np.uint8],
        y: float,
        ink: str = INK,
    ) -> None:
        place = QRectF(MARGIN, y, NAME_CHARACTERS * sheet.cell.width(), sheet.cell.height())
        sheet.write(font, ink, place, name, cut=Qt.TextElideMode.ElideMiddle)
        sheet.residues(symbols, styles, symbols == GAP, self._left, y, ink)

    def _draw_wedges(self, painter: QPainter, after: frozenset[int], start: int, stop: int, y: float) -> None:
        cell = self._cell
        wide = cell.width() * 0.3
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(WEDGE))
        for index, residue in enumerate(self.shown[start:stop].tolist()):
            if residue + 1 in after and residue >= 0:
                edge = self._left + (index + 1) * cell.width()
                painter.drawPolygon([QPointF(edge - wide, y), QPointF(edge + wide, y), QPointF(edge, y + wide * 1.4)])


def _check_symbols(rows: int, columns: int) -> None:
    if rows * columns > MAX_SYMBOLS:
        raise InvalidParameter(
            "figure",
            rows * columns,
            f"A stack of {rows:,} × {columns:,} residues is too large for a picture.",
            hint=f"Up to {MAX_SYMBOLS:,} residues can be drawn; stack fewer hits.",
        )


def figure_of(area: StackArea) -> StackFigure | None:
    """Return all of a stack, for a picture; None if there is none. `InvalidParameter` if it is too large for one."""
    stack, data = area.stack, area.data
    return StackFigure.of(stack, data, area.scheme) if stack and data is not None else None
