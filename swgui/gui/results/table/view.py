"""The ranked hits: table view, cell painters, significance line and keys."""

from __future__ import annotations

import time
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QTableView,
    QWidget,
)

from swgui.core.hits.marks import Kind
from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.kit.translation import tr
from swgui.gui.results.table.cells import PAINTERS, NameDelegate
from swgui.gui.results.table.model import BOXES, DRAGGED, HitTableModel
from swgui.gui.words import formatting

TYPING_PAUSE = 1.0  # seconds after which typing begins a new name
STEPS: dict[int, int] = {Qt.Key.Key_J: 1, Qt.Key.Key_K: -1}
LINED = ("rank", "score", "bitscore", "evalue", "log10_evalue")  # orders in which the significance line has a place
RESTORED = 20_000  # selected rows put back after sorting or filtering


class HitTableView(QTableView):
    """The hit table. The current row is the current hit of the page.

    Signals
    -------
    current_row(int)
        Row of the ranked list that became current, -1 for none.
    rows_in_sight(list)
        Rows of the ranked list that the user can see, after scrolling has settled.
    entered()
        Return was pressed: the keyboard wants to go to the alignment.
    name_typed(str)
        Letters typed so far to jump to a name.
    selection_counted(int)
        Number of selected rows.
    significance_dragged(float)
        Decadic logarithm of the E-value to which the line was drawn.
    """

    current_row = Signal(int)
    rows_in_sight = Signal(list)
    entered = Signal()
    name_typed = Signal(str)
    selection_counted = Signal(int)
    significance_dragged = Signal(float)

    def __init__(self, model: HitTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hitTable")
        self.setAccessibleName("Hits")
        self.setAccessibleDescription(
            "Up and Down or K and J move, Space ticks, S gives a star, H hides, N writes a note, Return goes to the "
            "alignment, typing jumps to a name (behind a slash if it begins with one of these letters)."
        )
        self.hits = model
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(False)
        self.setShowGrid(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setObjectName("hitTableHeader")
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # A head asks whether all of its column is selected, row by row: minutes for a million selected hits.
        header.setSelectionModel(QItemSelectionModel(model, header))
        header.sectionClicked.connect(self._sort_by)
        header.sectionResized.connect(self._section_resized)
        self._painters = {kind: painter(self) for kind, painter in PAINTERS.items()}
        for at, column in enumerate(model.columns):
            if column.kind in self._painters:
                self.setItemDelegateForColumn(at, self._painters[column.kind])
            elif column.key == "sseqid":
                self._painters["name"] = NameDelegate(self)
                self.setItemDelegateForColumn(at, self._painters["name"])
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(30)
        self._settled.timeout.connect(self._tell_rows_in_sight)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._settled.start())
        model.modelReset.connect(self._settled.start)
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_counted.emit(self.selected_count()))
        self._typed, self._typed_at = "", -TYPING_PAUSE
        self._dragging = self._over_line = False
        self._silent = False
        self._filling = self._resized_by_hand = self._chosen_by_hand = False
        self._line, self._line_state = -1, (0, 0.0)
        self.setMouseTracking(True)
        self.set_default_columns()
        self.fit_to_font()
        self._header_shows(model.sorting)

    # -- columns -----------------------------------------------------------------------------------

    def fit_to_font(self) -> None:
        """Give rows and columns sizes that suit the font."""
        metrics = QFontMetricsF(self.font())
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.55))
        self.verticalHeader().setMinimumSectionSize(8)
        unit = metrics.horizontalAdvance("0")
        for at, column in enumerate(self.hits.columns):
            # Room for the head with its sort arrow, too.
            head = metrics.horizontalAdvance(tr(column.head)) * 1.08 + 30
            self.setColumnWidth(at, round(max(unit * column.width + 12, head if column.kind not in BOXES else 0)))
        self.fill_width()

    def fill_width(self) -> None:
        """Let the description, or the name without it, take the room that the other columns leave, within reason."""
        at = self.hits.column_index("stitle")
        if self.isColumnHidden(at):
            at = self.hits.column_index("sseqid")
        if self._resized_by_hand or self.isColumnHidden(at):
            return
        header = self.horizontalHeader()
        others = header.length() - header.sectionSize(at)
        unit = QFontMetricsF(self.font()).horizontalAdvance("0")
        room = self.viewport().width() - others
        self._filling = True
        self.setColumnWidth(at, round(min(max(room, 24 * unit), 90 * unit)))
        self._filling = False

    def _section_resized(self, section: int, _old: int, _new: int) -> None:
        if self.hits.columns[section].key in ("stitle", "sseqid") and not self._filling and self.isVisible():
            self._resized_by_hand = True

    def set_default_columns(self, *, strands: bool = False, notes: bool = False, idle: Collection[str] = ()) -> None:
        """Show the columns that are shown from the start, in their order; not if the user has chosen others.

        Parameters
        ----------
        strands : bool
            Whether both strands were searched, so that the strand says something.
        notes : bool
            Whether there are notes to be read.
        idle : collection of str
            Columns that would say nothing in this result.
        """
        if self._chosen_by_hand:
            return
        header = self.horizontalHeader()
        for at, column in enumerate(self.hits.columns):
            shown = column.shown or (strands and column.key == "sstrand") or (notes and column.key == "note")
            self.setColumnHidden(at, not shown or column.key in idle)
            header.moveSection(header.visualIndex(at), at)
        self.fit_to_font()

    def shown_keys(self) -> list[str]:
        """Return the keys of the columns shown, from left to right."""
        header = self.horizontalHeader()
        logical = [header.logicalIndex(visual) for visual in range(header.count())]
        return [self.hits.columns[at].key for at in logical if not header.isSectionHidden(at)]

    def show_columns(self, keys: list[str]) -> None:
        """Show these columns in this order, from now on."""
        self._chosen_by_hand = True
        header = self.horizontalHeader()
        for visual, key in enumerate(keys):
            header.moveSection(header.visualIndex(self.hits.column_index(key)), visual)
        for at, column in enumerate(self.hits.columns):
            self.setColumnHidden(at, column.key not in keys)
        self.fill_width()

    def _sort_by(self, section: int) -> None:
        column = self.hits.columns[section]
        if column.kind == "tick":  # it has no order of its own
            return
        now = self.hits.sorting
        descending = not now.descending if now.key == column.key else column.descending
        self._header_shows(now)  # until the rows have come
        self.hits.sort(section, Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder)

    def _header_shows(self, sorting: Sorting) -> None:
        order = Qt.SortOrder.DescendingOrder if sorting.descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(self.hits.column_index(sorting.key), order)

    # -- rows --------------------------------------------------------------------------------------

    def show_rows(self, data: HitData | None, rows: NDArray[np.int64], sorting: Sorting, *, keep: bool) -> None:
        """Show other rows.

        Parameters
        ----------
        keep : bool
            Whether the current hit and the selection stay, where they are still shown; otherwise the
            first row becomes current.
        """
        current, selected = self.current_hit_row(), self.selected_rows() if keep else np.zeros(0, dtype=np.int64)
        before, source = self.currentIndex().row(), self.hits.data_source
        self._silent = True
        self.hits.show_rows(data, rows, sorting)
        self._header_shows(sorting)
        place = self.hits.place_of(current) if keep and current >= 0 else -1
        if place < 0 and len(rows):  # what was current is gone: whatever stands in its place now
            place = min(max(before, 0), len(rows) - 1) if keep and data is source else 0
        if keep and 1 < len(selected) <= RESTORED:
            self._select_places([at for at in map(self.hits.place_of, selected) if at >= 0])
        if place >= 0:
            command = QItemSelectionModel.SelectionFlag.Current | QItemSelectionModel.SelectionFlag.Rows
            if not self.selectionModel().hasSelection():
                command |= QItemSelectionModel.SelectionFlag.ClearAndSelect
            index = self.hits.index(place, self._first_column())
            self.selectionModel().setCurrentIndex(index, command)
            self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        self._silent = False
        now = self.current_hit_row()
        if not keep or now != current:
            self.current_row.emit(now)
        self.selection_counted.emit(self.selected_count())

    def _first_column(self) -> int:
        return self.hits.column_index("rank")

    def _select_places(self, places: list[int]) -> None:
        selection = QItemSelection()
        last = self.hits.columnCount() - 1
        ordered = np.sort(np.array(places, dtype=np.int64))
        for run in np.split(ordered, np.flatnonzero(np.diff(ordered) != 1) + 1):
            if len(run):
                selection.select(self.hits.index(int(run[0]), 0), self.hits.index(int(run[-1]), last))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def select_row(self, row: int) -> bool:
        """Make a hit current by its row in the ranked list; False if it is filtered away."""
        place = self.hits.place_of(row)
        if place < 0:
            return False
        index = self.hits.index(place, self._first_column())
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        return True

    def select_places(self, first: int, last: int) -> None:
        """Select the rows from one place to another; the last one becomes current."""
        end = self.hits.columnCount() - 1
        index = self.hits.index(last, self._first_column())
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        span = QItemSelection(self.hits.index(first, 0), self.hits.index(last, end))
        self.selectionModel().select(span, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def invert_selection(self) -> None:
        """Select what is not selected."""
        selected = np.zeros(self.hits.rowCount(), dtype=bool)
        for first, last in self._spans():
            selected[first : last + 1] = True
        self._select_places(np.flatnonzero(~selected).tolist())

    def step(self, places: int) -> None:
        """Move the current hit up or down."""
        if self.hits.rowCount():
            at = self.currentIndex().row() + places
            self.select_row(self.hits.row_at(min(max(at, 0), self.hits.rowCount() - 1)))

    def current_hit_row(self) -> int:
        """Return the row of the current hit in the ranked list, -1 for none."""
        index = self.currentIndex()
        return self.hits.row_at(index.row()) if index.isValid() else -1

    def selected_count(self) -> int:
        """Return how many rows are selected."""
        return sum(last - first + 1 for first, last in self._spans())

    def selected_rows(self) -> NDArray[np.int64]:
        """Return the selected rows of the ranked list in the order shown, shape (n,), dtype int64."""
        parts = [self.hits.rows[first : last + 1] for first, last in self._spans()]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def _spans(self) -> list[tuple[int, int]]:
        """Return first and last place of each selected range, each once (a range may cover part of the columns)."""
        selected = self.selectionModel().selection()
        return sorted({(span.top(), span.bottom()) for span in map(selected.at, range(selected.count()))})

    def _current_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._silent:
            self.current_row.emit(self.current_hit_row())

    def _tell_rows_in_sight(self) -> None:
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return
        last = last if last >= 0 else self.hits.rowCount() - 1
        self.rows_in_sight.emit(self.hits.rows[first : last + 1].tolist())

    # -- significance line -------------------------------------------------------------------------

    def line_place(self) -> int:
        """Return the place above which the significance line is drawn, -1 if there is no line to draw."""
        state = id(self.hits.rows), self.hits.significance
        if self._line_state != state:
            self._line_state, self._line = state, self._find_line()
        return self._line

    def _find_line(self) -> int:
        hits = self.hits
        if hits.data_source is None or not len(hits.rows) or hits.sorting.key not in LINED:
            return -1
        values = hits.data_source.hits.log10_evalues[hits.rows]
        strong = values <= hits.significance
        if np.isnan(values[0]) or strong.all() or not strong.any():
            return -1
        return int(np.argmin(strong) if strong[0] else np.argmax(strong))

    def _line_y(self) -> int | None:
        place = self.line_place()
        if place < 0:
            return None
        return self.rowViewportPosition(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, then the line over them."""
        super().paintEvent(event)
        y = self._line_y()
        if y is None or not 0 <= y <= self.viewport().height():
            return
        shades = theme.colours(self)
        painter = QPainter(self.viewport())
        painter.setPen(QPen(QColor(shades.warning), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(0, y, self.viewport().width(), y)
        if not (self._over_line or self._dragging):
            return
        text = f"significance, E = {formatting.limit(self.hits.significance)}"
        metrics = QFontMetricsF(self.font())
        width = metrics.horizontalAdvance(text) + 12
        tag = QRectF(self.viewport().width() - width - 8, y - metrics.height() / 2 - 1, width, metrics.height() + 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(shades.warning_soft))
        painter.setPen(QPen(QColor(shades.warning), 1))
        painter.drawRoundedRect(tag, 3, 3)
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)

    def _near_line(self, point: QPoint) -> bool:
        y = self._line_y()
        return y is not None and abs(point.y() - y) <= 3

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the line, or select."""
        if event.button() == Qt.MouseButton.LeftButton and self._near_line(event.position().toPoint()):
            self._dragging = True
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the line, or show that it can be moved."""
        point = event.position().toPoint()
        if self._dragging:
            place = self.rowAt(point.y())
            if place > 0 and self.hits.data_source is not None:
                values = self.hits.data_source.hits.log10_evalues
                above = values[self.hits.row_at(place - 1)]
                below = values[self.hits.row_at(place)]
                self.significance_dragged.emit(float(min(above, below)))
            return
        near = self._near_line(point)
        if near != self._over_line:
            self._over_line = near
            self.viewport().setCursor(Qt.CursorShape.SplitVCursor if near else Qt.CursorShape.ArrowCursor)
            self.viewport().update()
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the line go."""
        if self._dragging:
            self._dragging = False
            return
        super().mouseReleaseEvent(event)

    # -- keys and events ---------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tick with Space, enter the alignment with Return, jump by typing."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif event.key() == Qt.Key.Key_I and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.invert_selection()
        elif event.key() == Qt.Key.Key_Space and not self._typed_recently():
            self.toggle("ticked")
        elif event.key() in STEPS and _is_letter(event) and not self._typed_recently():
            self.step(STEPS[event.key()])
        elif event.key() == Qt.Key.Key_Slash and not self._typed_recently():
            self._typed, self._typed_at = "", time.monotonic()  # a name follows, whatever its first letter
        elif _is_letter(event):
            self._typed = self._typed + event.text() if self._typed_recently() else event.text()
            self._typed_at = time.monotonic()
            self.name_typed.emit(self._typed)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Let letters that go on with a name be typed: alone, some of them are commands."""
        if event.type() == QEvent.Type.ShortcutOverride and self._typed_recently() and _is_letter(event):
            event.accept()
            return True
        return super().event(event)

    def _typed_recently(self) -> bool:
        return time.monotonic() - self._typed_at < TYPING_PAUSE

    def keyboardSearch(self, _search: str) -> None:
        """Leave jumping to `name_typed`: Qt would ask the model row by row in the window's thread."""

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Drag rows out as FASTA; not more than travel well, because Qt asks for every cell of them."""
        if self.selected_count() <= DRAGGED:
            super().startDrag(actions)

    def toggle(self, kind: Kind) -> None:
        """Mark the selected hits, or take the mark away if all have it."""
        source, rows = self.hits.data_source, self.selected_rows()
        if len(rows) and source is not None:
            self.hits.marks.toggle(kind, source.query_index, source.subjects(rows.tolist()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for what has come into sight."""
        current = self.currentIndex()
        place = self.rowViewportPosition(current.row()) if current.isValid() else -1
        super().resizeEvent(event)
        self.fill_width()
        if 0 <= place < event.oldSize().height():  # what was in sight stays in sight
            self.scrollTo(current)
        self._settled.start()

    def changeEvent(self, event: QEvent) -> None:
        """Take over another font or other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit_to_font()
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self.hits.restyle(QApplication.palette(), self.font())


def _is_letter(event: QEvent) -> bool:
    if not isinstance(event, QKeyEvent):
        return False
    held = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    return bool(event.text()) and event.text().isprintable() and not held
