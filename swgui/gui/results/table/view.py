"""The ranked hits: table view, cell painters, significance line and keys."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QTableView, QWidget

from swgui.core.hits.marks import Kind
from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.data import HitData
from swgui.gui.hits.places import SUBJECT, Places
from swgui.gui.kit import theme
from swgui.gui.kit.widgets import delayed
from swgui.gui.results.table.columns import HitTableColumns
from swgui.gui.results.table.model import DRAGGED, Fold, HitTableModel
from swgui.gui.words import formatting

LINED = ("rank", "score", "bitscore", "evalue", "log10_evalue")  # orders in which the line has a place
NEAR = 3  # pixels within which it can be dragged
ROOM = 8  # pixels between its label and the texts next to it
TYPING_PAUSE = 1.0  # seconds after which typing begins a new name
STEPS: dict[int, int] = {Qt.Key.Key_J: 1, Qt.Key.Key_K: -1}
FOLDS: dict[int, bool] = {
    Qt.Key.Key_Right: True,
    Qt.Key.Key_Left: False,
    Qt.Key.Key_Plus: True,
    Qt.Key.Key_Minus: False,
}
RESTORED = 20_000  # selected rows put back after sorting or filtering


class SignificanceLine:
    """The dashed line between hits that are significant and hits that are not.

    Parameters
    ----------
    view : QTableView
        Is painted over.
    model : HitTableModel
        Its rows, and the E-value of the line.
    """

    def __init__(self, view: QTableView, model: HitTableModel) -> None:
        self._view, self._model = view, model
        self.dragged = False
        self._hovered = False
        self._place = -1
        self._found_for: tuple[Places | None, float] = None, 0.0  # itself: the next one may be at the same address

    def place(self) -> int:
        """Return the place above which the line is drawn, -1 if there is no line to draw."""
        places, significance = self._model.places, self._model.significance
        if self._found_for[0] is not places or self._found_for[1] != significance:
            self._found_for, self._place = (places, significance), self._find()
        return self._place

    def _find(self) -> int:
        hits = self._model
        if hits.data_source is None or not len(hits.places) or hits.sorting.key not in LINED:
            return -1
        values = hits.data_source.hits.log10_evalues[hits.places.rows]
        strong = values <= hits.significance
        if np.isnan(values[0]) or strong.all() or not strong.any():
            return -1
        return int(np.argmin(strong) if strong[0] else np.argmax(strong))

    def _y(self) -> int | None:
        place = self.place()
        return self._view.rowViewportPosition(place) if place >= 0 else None

    def is_near(self, point: QPoint) -> bool:
        """Whether the pointer can drag the line at a point of the viewport."""
        y = self._y()
        return y is not None and abs(point.y() - y) <= NEAR

    def hover(self, point: QPoint) -> None:
        near = self.is_near(point)
        if near != self._hovered:
            self._hovered = near
            self._view.viewport().setCursor(Qt.CursorShape.SplitVCursor if near else Qt.CursorShape.ArrowCursor)
            self._view.viewport().update()

    def limit_above(self, place: int) -> float | None:
        """Return the decadic logarithm of the E-value of a line above a place; None if no line fits there."""
        if place <= 0 or self._model.data_source is None:
            return None
        values = self._model.data_source.hits.log10_evalues
        return float(min(values[self._model.row_at(place - 1)], values[self._model.row_at(place)]))

    def paint(self) -> None:
        y, viewport = self._y(), self._view.viewport()
        if y is None or not 0 <= y <= viewport.height():
            return
        shades = theme.colours(self._view)
        painter = QPainter(viewport)
        painter.setPen(QPen(QColor(shades.warning), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(0, y, viewport.width(), y)
        text = f"significant: E ≤ {formatting.limit(self._model.significance)}"
        metrics = QFontMetricsF(self._view.font())
        width = metrics.horizontalAdvance(text) + 12
        if (right := self._free_until(metrics, width)) is None:  # the line above the table shows it, too
            return
        tag = QRectF(right - width, y - metrics.height() / 2 - 1, width, metrics.height() + 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(shades.warning_soft))
        painter.setPen(QPen(QColor(shades.warning), 1))
        painter.drawRoundedRect(tag, 3, 3)
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)

    def _free_until(self, metrics: QFontMetricsF, width: float) -> float | None:
        """Return the end of a label that covers no text of the rows next to the line; None if there is no room."""
        view, model, place = self._view, self._model, self.place()
        for key in ("stitle", "sseqid"):
            at = model.column_index(key)
            texts = (str(model.index(row, at).data() or "") for row in (place - 1, place))
            taken = max(map(metrics.horizontalAdvance, texts)) + 3 * ROOM
            if not view.isColumnHidden(at) and taken + width <= view.columnWidth(at):
                return view.columnViewportPosition(at) + view.columnWidth(at) - ROOM
        return None


class HitTableView(HitTableColumns):
    """The hit table. The current row is the current hit of the page."""

    current_row = Signal(int)  # row of the ranked list that became current, -1 for none
    rows_in_sight = Signal(list)  # rows of the ranked list that the user can see, after scrolling has settled
    entered = Signal()  # Return was pressed: the keyboard wants to go to the alignment
    name_typed = Signal(str)  # text typed so far to jump to a name
    selection_counted = Signal(int)  # number of selected rows
    significance_dragged = Signal(float)  # decadic logarithm of the E-value to which the line was drawn

    def __init__(self, model: HitTableModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.setObjectName("hitTable")
        self.setAccessibleName("Hits")
        self.setAccessibleDescription(
            "Up and Down or K and J move, Right and Left unfold and fold the alignments of a hit, Space ticks, S gives "
            "a star, H hides, N writes a note, Return goes to the alignment, typing jumps to a name (behind a slash if "
            "it begins with one of these letters)."
        )
        self._settled = delayed(self, 30, self._tell_rows_in_sight)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._settled.start())
        model.modelReset.connect(self._settled.start)
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_counted.emit(self.selected_count()))
        self._typed, self._typed_at = "", -TYPING_PAUSE
        self._silent = False
        self._line = SignificanceLine(self, model)
        self.setMouseTracking(True)

    # -- rows --------------------------------------------------------------------------------------

    def show_rows(
        self, data: HitData | None, rows: NDArray[np.int64], sorting: Sorting, *, keep: bool, choose: bool = True
    ) -> None:
        """Show other rows.

        Parameters
        ----------
        keep : bool
            Whether the current hit and the selection stay, where they are still shown; otherwise the
            first row becomes current.
        choose : bool
            False leaves all rows unchosen where none was chosen before.
        """
        current, part = self.current_hit_row(), self.current_part()
        selected = self.selected_places() if keep and 1 < self.selected_count() <= RESTORED else []
        before, source = self.currentIndex().row(), self.hits.data_source
        self._silent = True
        self.hits.show_rows(data, rows, sorting)
        self.show_sorting(sorting)
        place = self.hits.places.place_of(current, part) if keep and current >= 0 else -1
        had_one = keep and current >= 0
        if place < 0 and len(rows) and (choose or had_one):  # the current row is gone: use the row in its place
            place = min(max(before, 0), len(rows) - 1) if keep and data is source else 0
        if selected:
            self._select_places([key for key in (self.hits.places.place_of(*place) for place in selected) if key >= 0])
        if place >= 0:
            command = QItemSelectionModel.SelectionFlag.Current | QItemSelectionModel.SelectionFlag.Rows
            if not self.selectionModel().hasSelection():
                command |= QItemSelectionModel.SelectionFlag.ClearAndSelect
            index = self.hits.index(place, self._first_column())
            self.selectionModel().setCurrentIndex(index, command)
            self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        self._silent = False
        now = self.current_hit_row()
        if not keep or (now, self.current_part()) != (current, part):
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

    def select_row(self, row: int, part: int = SUBJECT) -> bool:
        """Make a hit, or one of its alignments, current by its row in the ranked list; False if it is filtered away."""
        place = self.hits.places.place_of(row, part)
        if place >= 0:
            self._go(place)
        return place >= 0

    def _go(self, place: int) -> None:
        index = self.hits.index(place, self._first_column())
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def select_places(self, first: int, last: int) -> None:
        """Select the rows from one place to another; the last one becomes current."""
        end = self.hits.columnCount() - 1
        index = self.hits.index(last, self._first_column())
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        span = QItemSelection(self.hits.index(first, 0), self.hits.index(last, end))
        self.selectionModel().select(span, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def invert_selection(self) -> None:
        selected = np.zeros(self.hits.rowCount(), dtype=bool)
        for first, last in self._spans():
            selected[first : last + 1] = True
        self._select_places(np.flatnonzero(~selected).tolist())

    def step(self, places: int) -> None:
        """Move the current hit up or down."""
        if self.hits.rowCount():
            place = self.currentIndex().row() + places
            self._go(min(max(place, 0), self.hits.rowCount() - 1))

    def current_hit_row(self) -> int:
        index = self.currentIndex()
        return self.hits.row_at(index.row()) if index.isValid() else -1

    def current_part(self) -> int:
        """Return which alignment of the current hit is current, `SUBJECT` for the hit as a whole."""
        index = self.currentIndex()
        return self.hits.places.part(index.row()) if index.isValid() else SUBJECT

    def selected_count(self) -> int:
        return sum(last - first + 1 for first, last in self._spans())

    def selected_rows(self) -> NDArray[np.int64]:
        """Return the rows of the ranked list with a selected part, each once, in the order shown.

        Returns
        -------
        ndarray, shape=(n,), dtype=int64
        """
        parts = [self.hits.places.between(first, last) for first, last in self._spans()]
        rows = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        if self.hits.places.parts is None or len(rows) < 2:
            return rows
        _, first_of_each = np.unique(rows, return_index=True)
        return rows[np.sort(first_of_each)]

    def selected_places(self) -> list[tuple[int, int]]:
        return [self.hits.places.at(place) for first, last in self._spans() for place in range(first, last + 1)]

    def _spans(self) -> list[tuple[int, int]]:
        """Return first and last place of each selected range, each once (a range may cover part of the columns)."""
        selected = self.selectionModel().selection()
        return sorted({(span.top(), span.bottom()) for span in map(selected.at, range(selected.count()))})

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Take the keyboard and choose nothing: Qt makes the first row current without marking it."""
        chosen, silent = self.currentIndex().isValid(), self._silent
        self._silent = True
        super().focusInEvent(event)
        if not chosen:
            self.selectionModel().clearCurrentIndex()
        self._silent = silent

    def _current_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        if not self._silent:
            self.current_row.emit(self.current_hit_row())

    def _tell_rows_in_sight(self) -> None:
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if first < 0:
            return
        last = last if last >= 0 else self.hits.rowCount() - 1
        self.rows_in_sight.emit(self.hits.places.between(first, last).tolist())

    # -- significance line -------------------------------------------------------------------------

    def line_place(self) -> int:
        """Return the place above which the significance line is drawn, -1 if there is no line to draw."""
        return self._line.place()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._line.paint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._line.is_near(event.position().toPoint()):
            self._line.dragged = True
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._line.dragged:
            if (limit := self._line.limit_above(self.rowAt(point.y()))) is not None:
                self.significance_dragged.emit(limit)
            return
        self._line.hover(point)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._line.dragged:
            self._line.dragged = False
            return
        super().mouseReleaseEvent(event)

    # -- keys and events ---------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif event.key() in FOLDS and not _is_held(event) and self._fold(FOLDS[event.key()]):
            event.accept()
        elif event.key() == Qt.Key.Key_I and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.invert_selection()
        elif event.key() == Qt.Key.Key_Space and not self._typed_recently():
            self.toggle("ticked")
        elif event.key() in STEPS and _is_letter(event) and not self._typed_recently():
            self.step(STEPS[event.key()])
        elif event.key() == Qt.Key.Key_Slash and not self._typed_recently():
            self._typed, self._typed_at = "", time.monotonic()  # a name follows, whatever its first symbol
        elif _is_letter(event):
            self._typed = self._typed + event.text() if self._typed_recently() else event.text()
            self._typed_at = time.monotonic()
            self.name_typed.emit(self._typed)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Let letters that continue a name be typed: alone, some of them are commands."""
        if event.type() == QEvent.Type.ShortcutOverride and self._typed_recently() and _is_letter(event):
            event.accept()
            return True
        return super().event(event)

    def _fold(self, on: bool) -> bool:
        index, row = self.currentIndex(), self.current_hit_row()
        if not index.isValid():
            return False
        if self.hits.fold_of(index.row()) is Fold.PART:
            return not on and self.select_row(row)
        if not self.hits.unfold(row, on):
            return False
        if on:  # show the new rows, as far as there is room
            last = (
                self.hits.places.place_of(row) + self.hits.data_source.how_many(row)[0] if self.hits.data_source else 0
            )
            self.scrollTo(self.hits.index(last, index.column()))
            self.scrollTo(self.currentIndex())
        return True

    def _typed_recently(self) -> bool:
        return time.monotonic() - self._typed_at < TYPING_PAUSE

    def keyboardSearch(self, _search: str) -> None:
        """Leave jumping to `name_typed`: Qt would query the model row by row in the window's thread."""

    def startDrag(self, actions: Qt.DropAction) -> None:
        if self.selected_count() <= DRAGGED:
            super().startDrag(actions)

    def toggle(self, kind: Kind) -> None:
        """Mark the selected hits, or take the mark away if all have it."""
        source, rows = self.hits.data_source, self.selected_rows()
        if len(rows) and source is not None:
            self.hits.marks.toggle(kind, source.query_index, source.subjects(rows.tolist()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        current = self.currentIndex()
        place = self.rowViewportPosition(current.row()) if current.isValid() else -1
        super().resizeEvent(event)
        self.fill_width()
        if 0 <= place < event.oldSize().height():  # visible rows stay visible
            self.scrollTo(current)
        self._settled.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit_to_font()
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self.hits.restyle(QApplication.palette(), self.font())


def _is_held(event: QKeyEvent) -> bool:
    return bool(event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier))


def _is_letter(event: QEvent) -> bool:
    if not isinstance(event, QKeyEvent):
        return False
    return bool(event.text()) and event.text().isprintable() and not _is_held(event)
