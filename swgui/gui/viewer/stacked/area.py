"""A stack on the screen: subjects below the query, names and query frozen, consensus and coverage at the foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from swgui.core.headers import Header
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit import theme
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.area import ResidueArea
from swgui.gui.viewer.residues.coloring import column_table
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows.layout import BLANK, GAP, ruler
from swgui.gui.viewer.stacked.layout import Stack
from swgui.gui.words import formatting

MARGIN = 10
FEET = ("Consensus", "Conservation", "Coverage")  # below the rows


class Rows(Protocol):
    """Source of a stack: the hits of a query, or the rows of an alignment."""

    @property
    def scheme(self) -> ScoringScheme: ...

    @property
    def query(self) -> SequenceRecord: ...

    def header(self, row: int) -> Header:
        """Return the text in the header of a `StackRow.row`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """The columns in sight."""

    columns: NDArray[np.int64]  # contents of its columns, as `Stack.columns`
    x: float  # and left, width: where the first of them begins, where the room for them does, and how wide one is
    left: float
    width: float


@dataclass(slots=True, eq=False)
class _Shown:
    """A stack with its hits; new rows clear the values derived from both."""

    stack: Stack
    data: Rows
    styles: NDArray[np.uint8] | None = None  # by symbol and column, for the colour scheme in use
    # Consensus in ASCII, conservation and coverage (0 to 1) of each residue of the query.
    feet: tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]] | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """The visible rows and columns (half open), and the place of the first of them."""

    rows: range
    columns: slice
    x: float
    y: float

    def residues(self, stack: Stack) -> NDArray[np.int64]:
        """Return the contents of the visible columns, as `Stack.columns`."""
        return stack.columns[self.columns]


class StackArea(ResidueArea):
    """Paints the part of a `Stack` that is in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "stackedView", accessible="Subjects stacked on the query")
        self.setAccessibleDescription(
            "Up and Down choose a hit, Left and Right scroll. The Text view has each alignment as text."
        )
        self.foot_rows = len(FEET)  # how many of them are painted
        self.first_name = "Query"  # of the row above all others
        self.marked: tuple[int, ...] = ()  # columns that are marked, as residues of the query from 0
        self._shown: _Shown | None = None
        self.current = (-1, 0)  # row and part

    # -- display -----------------------------------------------------------------------------------

    @property
    def stack(self) -> Stack | None:
        return self._shown.stack if self._shown is not None else None

    @property
    def data(self) -> Rows | None:
        return self._shown.data if self._shown is not None else None

    def show_stack(self, stack: Stack, data: Rows) -> None:
        """Show a stack of some rows, from its beginning."""
        self._begin(_Shown(stack, data))

    def clear(self) -> None:
        self._begin(None)

    def _begin(self, shown: _Shown | None) -> None:
        self._shown = shown
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self.refresh()

    def refresh(self) -> None:
        if self._shown is not None:
            self._shown.styles = self._shown.feet = None
        self.fit()

    def set_scheme(self, scheme: ColorScheme) -> None:
        self._scheme = scheme
        if self._shown is not None:
            self._shown.styles = None
        self.forget_glyphs()
        self.viewport().update()

    def set_current(self, row: int, part: int = 0) -> None:
        """Mark the current alignment of the current hit and bring it into sight."""
        self.current = row, max(0, part)
        line = self.place()
        if line >= 0:
            height = self.glyphs().cell_height
            self.bring_into_sight(line * height, (line + 1) * height, self.body_rect().height())
        self.viewport().update()

    def mark_columns(self, columns: Sequence[int]) -> None:
        """Mark some columns, by their residues of the query from 0, until others are marked."""
        self.marked = tuple(columns)
        self.viewport().update()

    def place(self) -> int:
        """Return the row of the current alignment, -1 if it is not stacked."""
        rows = self._shown.stack.rows if self._shown is not None else []
        return next((index for index, stacked in enumerate(rows) if (stacked.row, stacked.part) == self.current), -1)

    # -- geometry ----------------------------------------------------------------------------------

    def _small(self) -> QFontMetricsF:
        return QFontMetricsF(self._small_font())

    def _small_font(self, *, bold: bool = False) -> QFont:
        font = QFont(self.font())
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        font.setPointSizeF(max(5.0, min(self.points * 0.95, self.font().pointSizeF())))
        return font

    def _widths(self) -> tuple[float, float, float]:
        metrics = self._small()
        unit = metrics.horizontalAdvance("0")
        return unit * 15, unit * 9, unit * 6

    def _left(self) -> float:
        return self.whole_pixels(MARGIN + sum(self._widths()) + 12)

    def _top(self) -> float:
        return self.whole_pixels(2 * self.glyphs().cell_height + 6)

    def _foot(self) -> float:
        return self.foot_rows * self.glyphs().cell_height + 8 if self.foot_rows else 0.0

    def body_rect(self) -> QRectF:
        left, top = self._left(), self._top()
        port = self.viewport().rect()
        return QRectF(left, top, max(0.0, port.width() - left), max(0.0, port.height() - top - self._foot()))

    def fit(self) -> None:
        if self._shown is None:
            self.set_ranges(0, 0, self.body_rect().size())
            return
        atlas, stack = self.glyphs(), self._shown.stack
        width = len(stack.columns) * atlas.cell_width + MARGIN
        self.set_ranges(width, len(stack) * atlas.cell_height, self.body_rect().size())

    def _in_sight(self, stack: Stack) -> _Part:
        atlas, body = self.glyphs(), self.body_rect()
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        last = min(len(stack), int((down + body.height()) // atlas.cell_height) + 1)
        first = min(int(down // atlas.cell_height), last)
        stop = min(len(stack.columns), int((across + body.width()) // atlas.cell_width) + 1)
        start = min(int(across // atlas.cell_width), stop)
        return _Part(
            range(first, last),
            slice(start, stop),
            body.left() + start * atlas.cell_width - across,
            body.top() + first * atlas.cell_height - down,
        )

    def sight(self) -> Sight:
        """Return the visible columns, none without a stack; for drawings above or below them."""
        width = self.glyphs().cell_width
        if self._shown is None:
            return Sight(np.zeros(0, dtype=np.int64), self._left(), self._left(), width)
        part = self._in_sight(self._shown.stack)
        return Sight(part.residues(self._shown.stack), part.x, self._left(), width)

    def bring_column_into_sight(self, residue: int) -> None:
        """Scroll until a residue of the query, from 0, is in the middle."""
        if self._shown is not None:
            column = int(np.argmax(self._shown.stack.columns == residue))
            middle = (column + 0.5) * self.glyphs().cell_width - self.body_rect().width() / 2
            self.horizontalScrollBar().setValue(round(middle))

    def cell_at(self, point: QPointF) -> tuple[int, int]:
        """Return stack row (-1 for the query, -2 for none) and shown column (-1 for none) under a point."""
        if self._shown is None:
            return -2, -1
        atlas, body, stack = self.glyphs(), self.body_rect(), self._shown.stack
        column = int((point.x() - body.left() + self.horizontalScrollBar().value()) // atlas.cell_width)
        column = column if point.x() >= body.left() and 0 <= column < len(stack.columns) else -1
        if point.y() < body.top():
            return (-1 if point.y() >= body.top() - atlas.cell_height - 6 else -2), column
        if point.y() >= body.bottom():
            return -2, column
        row = int((point.y() - body.top() + self.verticalScrollBar().value()) // atlas.cell_height)
        return (row if row < len(stack) else -2), column

    def describe_cell(self, line: int, column: int) -> str:
        """Return a text on a cell and its column; `line` is a row of the stack, -1 for the query."""
        if self._shown is None:
            return ""
        stack = self._shown.stack
        residue = int(stack.columns[column])
        if residue < 0:
            return f"insertion behind residue {-1 - residue:,} of the query"
        query = f"Q {residue + 1:,} {chr(stack.query[residue])}"
        counts = stack.profile.counts[:, residue]
        depth = max(1, int(counts.sum()))
        common = [(chr(c), int(counts[c])) for c in np.argsort(-counts, kind="stable")[:4].tolist() if counts[c]]
        column_text = ", ".join(f"{symbol} {100 * number / depth:.0f} %" for symbol, number in common)
        if line < 0:
            return f"{query}   ·   column: {column_text}"
        row = stack.rows[line]
        symbol, position = chr(row.symbols[residue]), row.position(residue)
        name = row.name(self._shown.data.header(row.row).name)
        symbol_text = f"S {position:,} {symbol}" if position else ("gap" if symbol == "-" else "outside the alignment")
        text = f"{name}   {query} : {symbol_text}   ·   column: {column_text}"
        inserted = row.insertions.get(residue + 1)
        return text + (f"   ·   then {len(inserted)} inserted: {inserted[:40]}" if inserted else "")

    # -- painting ----------------------------------------------------------------------------------

    def styles(self) -> NDArray[np.uint8]:
        """Return the style of every symbol in every column of the query, shape (256, m), dtype uint8."""
        shown = self._shown
        if shown is None:
            return np.zeros((256, 0), dtype=np.uint8)
        if shown.styles is None:
            stack = shown.stack
            shown.styles = column_table(self._scheme, stack.profile, stack.query, shown.data.scheme)
        return shown.styles

    def _image(self, shown: _Shown, symbols: NDArray[np.uint8], residues: NDArray[np.int64]) -> QImage:
        """Return some rows of symbols in the columns of some residues (`Stack.columns`), coloured."""
        styles = self.styles()[symbols, np.maximum(residues, 0)]
        styles[symbols == GAP] = styling.style_of(self._scheme, styling.QUIET)
        styles[symbols == BLANK] = 0
        inserted = residues < 0
        unfolded = styling.style_of(self._scheme, styling.GAP_CELL)
        styles[:, inserted] = np.where(symbols[:, inserted] == BLANK, 0, unfolded)
        return self.glyphs().image(symbols, styles)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        shades, shown = theme.colours(self), self._shown
        painter.fillRect(self.viewport().rect(), QColor(shades.base))
        if shown is None:
            return
        body, part = self.body_rect(), self._in_sight(shown.stack)
        residues = part.residues(shown.stack)
        if len(part.rows) and len(residues):
            painter.setClipRect(body)
            symbols = shown.stack.window(part.rows.start, part.rows.stop, part.columns.start, part.columns.stop)
            painter.drawImage(QPointF(part.x, part.y), self._image(shown, symbols, residues))
            self._paint_marks(painter, shown.stack, part, shades)
            painter.setClipRect(QRectF(0, body.top(), self.viewport().width(), body.height()))
            self._paint_names(painter, shown, part, shades)
        painter.setClipping(False)
        self._paint_heads(painter, shown.stack.evalue_head, shades)
        self._paint_query(painter, shown, part, shades)
        self._paint_feet(painter, shown, part, shades)
        self._paint_marked(painter, part.residues(shown.stack).tolist(), part.x, shades)
        self.paint_focus(painter)

    def _paint_marked(self, painter: QPainter, residues: list[int], x: float, shades: theme.Colours) -> None:
        """Frame the marked columns, from the first row to the foot, and veil all others."""
        width, body = self.glyphs().cell_width, self.body_rect()
        top = self.glyphs().cell_height - 1
        places = sorted(x + residues.index(one) * width for one in self.marked if one in residues)
        if not places:
            return
        painter.setClipRect(QRectF(body.left() - 2, 0, body.width() + 2, self.viewport().height()))
        veil = QColor(shades.base)
        veil.setAlphaF(0.6)
        ends = [body.left(), *(end for left in places for end in (left, left + width)), body.right()]
        for begin, end in zip(ends[::2], ends[1::2], strict=True):
            painter.fillRect(QRectF(begin, top, max(0.0, end - begin), body.bottom() - top), veil)
        painter.setPen(QPen(QColor(shades.text), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for left in places:
            painter.drawRect(QRectF(left, top, width, body.bottom() - top))
        painter.setClipping(False)

    def _paint_marks(self, painter: QPainter, stack: Stack, part: _Part, shades: theme.Colours) -> None:
        atlas = self.glyphs()
        places = {residue: index for index, residue in enumerate(part.residues(stack).tolist()) if residue >= 0}
        wedge, unfolded = max(2.0, atlas.cell_width * 0.35), stack.unfolded
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shades.danger))
        for row in part.rows:
            for after in stack.rows[row].insertions:
                index = places.get(after - 1)
                if index is not None and after not in unfolded:
                    edge = part.x + (index + 1) * atlas.cell_width
                    top = part.y + (row - part.rows.start) * atlas.cell_height
                    painter.drawRect(QRectF(edge - 0.75, top, 1.5, atlas.cell_height))
                    painter.drawPolygon(
                        [QPointF(edge - wedge, top), QPointF(edge + wedge, top), QPointF(edge, top + wedge)]
                    )

    def _paint_names(self, painter: QPainter, shown: _Shown, part: _Part, shades: theme.Colours) -> None:
        height, data = self.glyphs().cell_height, shown.data
        name_width, evalue_width, identity_width = self._widths()
        metrics, font, bold = self._small(), self._small_font(), self._small_font(bold=True)
        align = Qt.AlignmentFlag.AlignVCenter
        for index in part.rows:
            row = shown.stack.rows[index]
            top = part.y + (index - part.rows.start) * height
            current = (row.row, row.part) == self.current
            if current:
                painter.fillRect(QRectF(0, top, self._left() - 4, height), QColor(shades.accent_soft))
            painter.setFont(bold if current else font)
            painter.setPen(QColor(shades.text))
            whole = row.name(data.header(row.row).name)
            name = metrics.elidedText(whole, Qt.TextElideMode.ElideMiddle, name_width - 4)
            painter.drawText(QRectF(MARGIN, top, name_width, height), align, name)
            painter.setPen(QColor(shades.muted))
            painter.setFont(font)
            if shown.stack.evalue_head:
                place = QRectF(MARGIN + name_width, top, evalue_width - 4, height)
                painter.drawText(place, align | Qt.AlignmentFlag.AlignRight, formatting.evalue(row.log10_evalue))
            place = QRectF(MARGIN + name_width + evalue_width, top, identity_width - 4, height)
            painter.drawText(place, align | Qt.AlignmentFlag.AlignRight, formatting.tenths(row.identity))

    def _paint_heads(self, painter: QPainter, evalue: str, shades: theme.Colours) -> None:
        height, body = self.glyphs().cell_height, self.body_rect()
        name_width, evalue_width, identity_width = self._widths()
        align = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._small_font())
        painter.setPen(QColor(shades.muted))
        for left, width, text in (
            (MARGIN + name_width, evalue_width - 4, evalue),
            (MARGIN + name_width + evalue_width, identity_width - 4, "id %"),
        ):
            painter.drawText(QRectF(left, 0, width, height), align | Qt.AlignmentFlag.AlignRight, text)
        painter.setFont(self._small_font(bold=True))
        painter.setPen(QColor(shades.text))
        painter.drawText(QRectF(MARGIN, height, name_width, height), align, self.first_name)
        painter.fillRect(QRectF(0, body.top() - 3, self.viewport().width(), 1), QColor(shades.border))

    def _paint_query(self, painter: QPainter, shown: _Shown, part: _Part, shades: theme.Colours) -> None:
        body, residues = self.body_rect(), part.residues(shown.stack)
        painter.setClipRect(QRectF(body.left(), 0, body.width(), self.viewport().height()))
        painter.setPen(QColor(shades.muted))
        self.paint_ticks(painter, ruler(np.maximum(residues + 1, 0)), part.x, 0)
        symbols = shown.stack.query_window(part.columns.start, part.columns.stop)[None, :]
        if symbols.size:
            painter.drawImage(QPointF(part.x, self.glyphs().cell_height), self._image(shown, symbols, residues))
        painter.setClipping(False)

    def _paint_feet(self, painter: QPainter, shown: _Shown, part: _Part, shades: theme.Colours) -> None:
        atlas, body, stack = self.glyphs(), self.body_rect(), shown.stack
        if not self.foot_rows:
            return
        if shown.feet is None:
            coverage = stack.coverage / max(1, len(stack))
            shown.feet = stack.profile.consensus_line(), stack.conservation(), coverage
        consensus, conservation, coverage = shown.feet
        residues = part.residues(stack)
        columns, present = np.maximum(residues, 0), residues >= 0
        top = body.bottom() + 4
        painter.fillRect(QRectF(0, body.bottom(), self.viewport().width(), self._foot()), QColor(shades.base))
        painter.fillRect(QRectF(0, body.bottom(), self.viewport().width(), 1), QColor(shades.border))
        painter.setFont(self._small_font())
        painter.setPen(QColor(shades.muted))
        for index, name in enumerate(FEET[: self.foot_rows]):
            place = QRectF(MARGIN, top + index * atlas.cell_height, sum(self._widths()), atlas.cell_height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
        painter.setClipRect(QRectF(body.left(), 0, body.width(), self.viewport().height()))
        symbols = np.where(present, consensus[columns], BLANK).astype(np.uint8)[None, :]
        if symbols.size:
            painter.drawImage(QPointF(part.x, top), atlas.image(symbols, np.zeros_like(symbols)))
        bars = ((conservation, shades.series[0]), (coverage, shades.control))[: self.foot_rows - 1]
        for index, (values, colour) in enumerate(bars, 1):
            bottom = top + (index + 1) * atlas.cell_height - 2
            heights = np.where(present, values[columns], 0.0) * (atlas.cell_height - 4)
            for column, height in enumerate(heights.tolist()):
                if height > 0:
                    left = part.x + column * atlas.cell_width
                    painter.fillRect(QRectF(left, bottom - height, atlas.cell_width - 0.5, height), QColor(colour))
        painter.setClipping(False)

    # -- Qt's events -------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(720, 300)
