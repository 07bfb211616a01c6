"""The stacked view: subjects below the query, names and query frozen, consensus and coverage at the foot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QToolTip

from swgui.core.scoring import ScoringScheme
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.viewer.pair.layout import BLANK, GAP
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.area import ResidueArea
from swgui.gui.viewer.residues.coloring import column_table
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.stacked.layout import Stack
from swgui.gui.words import formatting

MARGIN = 10
FOOT_ROWS = 3  # consensus, conservation, coverage


class StackedView(ResidueArea):
    """Paints the part of a `Stack` that is in sight.

    Signals
    -------
    row_chosen(int)
        Row of the ranked list that was clicked.
    """

    row_chosen = Signal(int)

    def __init__(self, parent=None) -> None:
        super().__init__(parent)
        self.setObjectName("stackedView")
        self.setAccessibleName("Subjects stacked on the query")
        self.setAccessibleDescription(
            "Up and Down choose a hit, Left and Right scroll. The Text view has each alignment as text."
        )
        self._stack: Stack | None = None
        self._data: HitData | None = None
        self._scoring: ScoringScheme | None = None
        self._table: NDArray[np.uint8] | None = None
        self._feet: tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]] | None = None
        self._current = -1

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def stack(self) -> Stack | None:
        """The stack shown."""
        return self._stack

    @property
    def data(self) -> HitData | None:
        """The hits the stack is made of."""
        return self._data

    def show_stack(self, stack: Stack | None, data: HitData | None, scoring: ScoringScheme | None) -> None:
        """Show a stack, from its beginning."""
        self._stack, self._data, self._scoring = stack, data, scoring
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self.refresh()

    def refresh(self) -> None:
        """Take over rows that were added, or insertions that were unfolded."""
        self._table = self._feet = None
        self.fit()

    def set_scheme(self, scheme: ColorScheme) -> None:
        """Colour the residues by another scheme."""
        self._scheme = scheme
        self._table = None
        self.forget_glyphs()
        self.viewport().update()

    def set_current(self, row: int) -> None:
        """Mark the current hit and bring it into sight."""
        self._current = row
        at = self._place(row)
        if at >= 0 and self._scheme is not None:
            height = self.glyphs().cell_height
            bar, room = self.verticalScrollBar(), self._body().height()
            if at * height < bar.value():
                bar.setValue(int(at * height))
            elif (at + 1) * height > bar.value() + room:
                bar.setValue(int((at + 1) * height - room) + 1)
        self.viewport().update()

    def _place(self, row: int) -> int:
        if self._stack is None:
            return -1
        return next((at for at, stacked in enumerate(self._stack.rows) if stacked.row == row), -1)

    # -- geometry ----------------------------------------------------------------------------------

    def _small(self) -> QFontMetricsF:
        return QFontMetricsF(self._small_font())

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, min(self.points * 0.95, self.font().pointSizeF())))
        return font

    def _widths(self) -> tuple[float, float, float]:
        """Return the widths of name, E and identity."""
        metrics = self._small()
        unit = metrics.horizontalAdvance("0")
        return unit * 15, unit * 9, unit * 6

    def _left(self) -> float:
        return self.whole_pixels(MARGIN + sum(self._widths()) + 12)

    def _top(self) -> float:
        """Return the height of ruler and query row."""
        return self.whole_pixels(2 * self.glyphs().cell_height + 6)

    def _foot(self) -> float:
        return FOOT_ROWS * self.glyphs().cell_height + 8

    def _body(self) -> QRectF:
        """Return where the rows of the subjects are."""
        left, top = self._left(), self._top()
        port = self.viewport().rect()
        return QRectF(left, top, max(0.0, port.width() - left), max(0.0, port.height() - top - self._foot()))

    def fit(self) -> None:
        """Find the scroll ranges."""
        if self._stack is None or self._scheme is None:
            self.horizontalScrollBar().setRange(0, 0)
            self.verticalScrollBar().setRange(0, 0)
            self.viewport().update()
            return
        atlas, body = self.glyphs(), self._body()
        width = len(self._stack.columns) * atlas.cell_width + MARGIN
        height = len(self._stack) * atlas.cell_height
        for bar, total, room, step in (
            (self.horizontalScrollBar(), width, body.width(), atlas.cell_width),
            (self.verticalScrollBar(), height, body.height(), atlas.cell_height),
        ):
            bar.setRange(0, max(0, int(np.ceil(total - room))))
            bar.setPageStep(max(1, int(room)))
            bar.setSingleStep(max(1, int(step)))
        self.viewport().update()

    def _in_sight(self) -> tuple[int, int, int, int]:
        """Return rows and shown columns in sight, half open."""
        atlas, body = self.glyphs(), self._body()
        first = int(self.verticalScrollBar().value() // atlas.cell_height)
        last = min(len(self._stack), int((self.verticalScrollBar().value() + body.height()) // atlas.cell_height) + 1)
        start = int(self.horizontalScrollBar().value() // atlas.cell_width)
        columns = len(self._stack.columns)
        stop = min(columns, int((self.horizontalScrollBar().value() + body.width()) // atlas.cell_width) + 1)
        return min(first, last), last, min(start, stop), stop

    def cell_at(self, point: QPointF) -> tuple[int, int]:
        """Return stack row (-1 for the query, -2 for none) and shown column (-1 for none) under a point."""
        if self._stack is None:
            return -2, -1
        atlas, body = self.glyphs(), self._body()
        column = int((point.x() - body.left() + self.horizontalScrollBar().value()) // atlas.cell_width)
        column = column if point.x() >= body.left() and 0 <= column < len(self._stack.columns) else -1
        if point.y() < body.top():
            return (-1 if point.y() >= body.top() - atlas.cell_height - 6 else -2), column
        if point.y() >= body.bottom():
            return -2, column
        row = int((point.y() - body.top() + self.verticalScrollBar().value()) // atlas.cell_height)
        return (row if row < len(self._stack) else -2), column

    # -- painting ----------------------------------------------------------------------------------

    def _styles_of(self, symbols: NDArray[np.uint8], shown: NDArray[np.int64]) -> NDArray[np.uint8]:
        if self._table is None:
            query = self._stack.query
            self._table = column_table(self._scheme, self._stack.profile, query, self._scoring)
        styles = self._table[symbols, np.maximum(shown, 0)]
        extra = len(self._scheme.groups) + 1
        styles[symbols == GAP] = extra + styling.QUIET
        styles[symbols == BLANK] = 0
        styles[:, shown < 0] = np.where(symbols[:, shown < 0] == BLANK, 0, extra + styling.GAP_CELL)
        return styles

    def paintEvent(self, event) -> None:
        """Paint names, query, subjects in sight and the feet."""
        painter = QPainter(self.viewport())
        shades = theme.colours(self)
        painter.fillRect(self.viewport().rect(), QColor(shades.base))
        if self._stack is None or self._scheme is None:
            return
        body, atlas = self._body(), self.glyphs()
        first, last, start, stop = self._in_sight()
        x = body.left() + start * atlas.cell_width - self.horizontalScrollBar().value()
        y = body.top() + first * atlas.cell_height - self.verticalScrollBar().value()
        shown = self._stack.columns[start:stop]
        if last > first and stop > start:
            painter.setClipRect(body)
            symbols = self._stack.window(first, last, start, stop)
            painter.drawImage(QPointF(x, y), atlas.image(symbols, self._styles_of(symbols, shown)))
            self._paint_marks(painter, first, last, shown, x, y, shades)
            painter.setClipRect(QRectF(0, body.top(), self.viewport().width(), body.height()))
            self._paint_names(painter, first, last, y, shades)
        painter.setClipping(False)
        self._paint_query(painter, start, stop, x, shades)
        self._paint_feet(painter, start, stop, x, shades)
        self.paint_focus(painter)

    def _paint_marks(
        self, painter: QPainter, first: int, last: int, shown: NDArray[np.int64], x: float, y: float, shades
    ) -> None:
        """Mark folded insertions with a wedge between two residues."""
        atlas = self.glyphs()
        colour = QColor(shades.danger)
        places = {int(residue): at for at, residue in enumerate(shown.tolist()) if residue >= 0}
        unfolded = self._stack.unfolded
        wedge = max(2.0, atlas.cell_width * 0.35)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for row in range(first, last):
            for after in self._stack.rows[row].insertions:
                at = places.get(after - 1)
                if at is not None and after not in unfolded:
                    edge = x + (at + 1) * atlas.cell_width
                    top = y + (row - first) * atlas.cell_height
                    painter.drawRect(QRectF(edge - 0.75, top, 1.5, atlas.cell_height))
                    painter.drawPolygon(
                        [QPointF(edge - wedge, top), QPointF(edge + wedge, top), QPointF(edge, top + wedge)]
                    )

    def _paint_names(self, painter: QPainter, first: int, last: int, y: float, shades) -> None:
        atlas = self.glyphs()
        name_width, evalue_width, identity_width = self._widths()
        metrics = self._small()
        font, bold = self._small_font(), self._small_font()
        bold.setWeight(QFont.Weight.DemiBold)
        align = Qt.AlignmentFlag.AlignVCenter
        for at in range(first, last):
            row = self._stack.rows[at].row
            top = y + (at - first) * atlas.cell_height
            current = row == self._current
            if current:
                painter.fillRect(QRectF(0, top, self._left() - 4, atlas.cell_height), QColor(shades.accent_soft))
            painter.setFont(bold if current else font)
            painter.setPen(QColor(shades.text))
            name = metrics.elidedText(self._data.header(row).name, Qt.TextElideMode.ElideMiddle, name_width - 4)
            painter.drawText(QRectF(MARGIN, top, name_width, atlas.cell_height), align, name)
            painter.setPen(QColor(shades.muted))
            painter.setFont(font)
            place = QRectF(MARGIN + name_width, top, evalue_width - 4, atlas.cell_height)
            evalue = formatting.evalue(float(self._data.hits.log10_evalues[row]))
            painter.drawText(place, align | Qt.AlignmentFlag.AlignRight, evalue)
            place = QRectF(MARGIN + name_width + evalue_width, top, identity_width - 4, atlas.cell_height)
            identity = formatting.percent(self._data.value(row, "pident"))
            painter.drawText(place, align | Qt.AlignmentFlag.AlignRight, identity)

    def _paint_query(self, painter: QPainter, start: int, stop: int, x: float, shades) -> None:
        """Paint the ruler and the frozen query row."""
        atlas, body = self.glyphs(), self._body()
        name_width, evalue_width, identity_width = self._widths()
        line = QRectF(MARGIN, 0, name_width, atlas.cell_height)
        painter.setFont(self._small_font())
        painter.setPen(QColor(shades.muted))
        for left, width, text in (
            (MARGIN + name_width, evalue_width - 4, "E"),
            (MARGIN + name_width + evalue_width, identity_width - 4, "id %"),
        ):
            painter.drawText(
                QRectF(left, 0, width, line.height()), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
            )
        shown = self._stack.columns[start:stop]
        painter.setClipRect(QRectF(body.left(), 0, body.width(), self.viewport().height()))
        ticks = styling.residue_font(self.points * 0.75)
        painter.setFont(ticks)
        for at in np.flatnonzero((shown >= 0) & ((shown + 1) % 10 == 0)).tolist():
            center = x + (at + 0.5) * atlas.cell_width
            painter.drawLine(QPointF(center, atlas.cell_height - 3), QPointF(center, atlas.cell_height - 1))
            place = QRectF(center - 60, 0, 60 + atlas.cell_width / 2, atlas.cell_height - 3)
            painter.drawText(
                place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, f"{int(shown[at]) + 1:,}"
            )
        symbols = self._stack.query_window(start, stop)[None, :]
        if symbols.size:
            painter.drawImage(QPointF(x, atlas.cell_height), atlas.image(symbols, self._styles_of(symbols, shown)))
        painter.setClipping(False)
        bold = self._small_font()
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(shades.text))
        painter.drawText(line.translated(0, atlas.cell_height), Qt.AlignmentFlag.AlignVCenter, "Query")
        painter.fillRect(QRectF(0, body.top() - 3, self.viewport().width(), 1), QColor(shades.border))

    def _paint_feet(self, painter: QPainter, start: int, stop: int, x: float, shades) -> None:
        """Paint consensus, conservation and coverage of the columns in sight."""
        atlas, body = self.glyphs(), self._body()
        if self._feet is None:
            consensus, percent = self._stack.profile.consensus()
            # Lower case where less than half of the column agrees.
            symbols = np.where(percent >= 50, consensus, consensus | 0x20).astype(np.uint8)
            self._feet = symbols, self._stack.conservation(), self._stack.coverage / max(1, len(self._stack))
        shown = self._stack.columns[start:stop]
        residues, present = np.maximum(shown, 0), shown >= 0
        top = body.bottom() + 4
        painter.fillRect(QRectF(0, body.bottom(), self.viewport().width(), self._foot()), QColor(shades.base))
        painter.fillRect(QRectF(0, body.bottom(), self.viewport().width(), 1), QColor(shades.border))
        painter.setFont(self._small_font())
        painter.setPen(QColor(shades.muted))
        for at, name in enumerate(("Consensus", "Conservation", "Coverage")):
            place = QRectF(MARGIN, top + at * atlas.cell_height, sum(self._widths()), atlas.cell_height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
        painter.setClipRect(QRectF(body.left(), 0, body.width(), self.viewport().height()))
        symbols = np.where(present, self._feet[0][residues], BLANK).astype(np.uint8)[None, :]
        if symbols.size:
            plain = np.full(symbols.shape, 0, dtype=np.uint8)
            painter.drawImage(QPointF(x, top), atlas.image(symbols, plain))
        for at, (values, colour) in enumerate(((self._feet[1], shades.series[0]), (self._feet[2], shades.control)), 1):
            bottom = top + (at + 1) * atlas.cell_height - 2
            room = atlas.cell_height - 4
            heights = np.where(present, values[residues], 0.0) * room
            for column, height in enumerate(heights.tolist()):
                if height > 0:
                    bar = QRectF(x + column * atlas.cell_width, bottom - height, atlas.cell_width - 0.5, height)
                    painter.fillRect(bar, QColor(colour))
        painter.setClipping(False)

    # -- Qt's events -------------------------------------------------------------------------------

    def describe_cell(self, at: int, column: int) -> str:
        """Say what stands in a cell and in its column."""
        stack, residue = self._stack, int(self._stack.columns[column])
        if residue < 0:
            return f"insertion behind residue {-1 - residue:,} of the query"
        query = f"Q {residue + 1:,} {chr(stack.query[residue])}"
        counts = stack.profile.counts[:, residue]
        depth = max(1, int(counts.sum()))
        common = [(chr(c), int(counts[c])) for c in np.argsort(-counts, kind="stable")[:4].tolist() if counts[c]]
        column_text = ", ".join(f"{symbol} {100 * number / depth:.0f} %" for symbol, number in common)
        if at < 0:
            return f"{query}   ·   column: {column_text}"
        row = stack.rows[at]
        symbol, position = chr(row.symbols[residue]), row.position(residue)
        name = self._data.header(row.row).name
        what = f"S {position:,} {symbol}" if position else ("gap" if symbol == "-" else "outside the alignment")
        text = f"{name}   {query} : {what}   ·   column: {column_text}"
        inserted = row.insertions.get(residue + 1)
        return text + (f"   ·   then {len(inserted)} inserted: {inserted[:40]}" if inserted else "")

    def mouseMoveEvent(self, event) -> None:
        """Say what is under the pointer."""
        at, column = self.cell_at(event.position())
        inside = at >= -1 and column >= 0
        self.pointed.emit(self.describe_cell(at, column) if inside else "")
        if at >= 0 and column < 0:
            header = self._data.header(self._stack.rows[at].row)
            QToolTip.showText(event.globalPosition().toPoint(), f"{header.name}\n{header.title}", self)

    def mousePressEvent(self, event) -> None:
        """Choose a hit."""
        at, _ = self.cell_at(event.position())
        if at >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.row_chosen.emit(self._stack.rows[at].row)

    def mouseDoubleClickEvent(self, event) -> None:
        """Unfold or fold the insertion beside the residue."""
        at, column = self.cell_at(event.position())
        if at < 0 or column < 0:
            return
        residue = int(self._stack.columns[column])
        after = -1 - residue if residue < 0 else residue + 1
        if residue < 0 or after in self._stack.rows[at].insertions:
            self._stack.toggle(after)
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose hits with Up and Down, scroll with Left, Right, Home and End."""
        if self._stack is None or not len(self._stack):
            super().keyPressEvent(event)
            return
        key, bar = event.key(), self.horizontalScrollBar()
        rows = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -max(1, int(self._body().height() // self.glyphs().cell_height)),
            Qt.Key.Key_PageDown: max(1, int(self._body().height() // self.glyphs().cell_height)),
        }
        columns = {
            Qt.Key.Key_Left: bar.value() - bar.singleStep(),
            Qt.Key.Key_Right: bar.value() + bar.singleStep(),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: bar.maximum(),
        }
        if key in rows:
            at = min(max(self._place(self._current) + rows[key], 0), len(self._stack) - 1)
            self.row_chosen.emit(self._stack.rows[at].row)
        elif key in columns:
            bar.setValue(columns[key])
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event) -> None:
        """Fit the scroll ranges."""
        self.fit()
        super().resizeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint: names, query and feet do not move with the rows."""
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Ask for room for a dozen rows."""
        return QSize(720, 300)
