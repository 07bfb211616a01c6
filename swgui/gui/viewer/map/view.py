"""The map of two sequences in the user's hand: mouse and keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from swgui.gui.viewer.map.area import MapArea
from swgui.gui.viewer.map.overview import Overview

CLICK_SLIP = 4  # pixels a click may move
KEY_PIXELS = 3  # an arrow key moves the cursor so far at least
FAR = 10
HOW_TO = (
    "The query runs from left to right, the subject from top to bottom; lines are alignments. The wheel zooms, "
    "dragging moves, Shift and drag chooses a part, a click goes to the residues. Keys: + and \N{MINUS SIGN} zoom, "
    "0 shows all, arrows move the cursor, Return goes to the residues, Page Down and Page Up go along the alignment."
)


class PairMap(MapArea):
    """A map that is zoomed, moved, pointed at and chosen from.

    Signals
    -------
    pointed(object)
        Query and subject residue (from 0) under the pointer or the cursor; None if there are none.
    chosen(int, int, int)
        Query and subject residue that were clicked, and the number of the alignment meant, 0 if none is near.
    along(int)
        Page down (1) or up (-1): move along the alignment.
    left()
        Escape was pressed.
    """

    pointed = Signal(object)
    chosen = Signal(int, int, int)
    along = Signal(int)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairMap")
        self.setAccessibleName("Map of the alignments")
        self.setWhatsThis(HOW_TO)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.pointed_line = 0  # the alignment near the pointer, where there are several
        self._pressed: QPointF | None = None
        self._last: QPointF | None = None

    @property
    def dragged(self) -> bool:
        """Whether the map is being dragged: then nothing is shown below the pointer."""
        return self._pressed is not None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; with Shift move sideways."""
        turn = event.angleDelta()
        if self._data is not None and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._see(self._across.moved(-(turn.y() or turn.x()) / 2), self._down)
            event.accept()
        elif self._data is not None:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag, or to choose a part."""
        if event.button() != Qt.MouseButton.LeftButton or self._data is None:
            return
        self._pressed = self._last = event.position()
        place = self._overview_rect()
        if place is not None and place.contains(event.position()):
            self._to_overview(event.position(), place)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._band = QRectF(event.position(), event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the part seen, choose a part, or say what is under the pointer."""
        point = event.position()
        if self._pressed is None or self._last is None:
            several = self._data is not None and len(self._data.lines) > 1
            self.pointed_line = self.line_at(point) if several else 0
            self._point(self.place_at(point))
            return
        place = self._overview_rect()
        if place is not None and place.contains(self._pressed):
            self._to_overview(point, place)
        elif self._band is not None:
            self._band = QRectF(self._pressed, point).normalized().intersected(self._rect())
            self.update()
        else:
            slip = point - self._last
            if (point - self._pressed).manhattanLength() > CLICK_SLIP or self._last != self._pressed:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self._see(self._across.moved(-slip.x()), self._down.moved(-slip.y()))
                self._last = point

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End dragging; a press that did not move chooses a place."""
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        pressed, dragged, band = self._pressed, self._last != self._pressed, self._band
        self._pressed = self._last = self._band = None
        self.setCursor(Qt.CursorShape.CrossCursor)
        place = self._overview_rect()
        if band is not None:
            self._see_band(band)
        elif not dragged and not (place is not None and place.contains(pressed)):
            found = self.place_at(pressed)
            if found is not None:
                self.chosen.emit(*found, self.line_at(pressed))
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Zoom in at the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.zoom(4, event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Say what is under the cursor again."""
        self.pointed_line = 0
        self._point(None)
        super().leaveEvent(event)

    def _point(self, place: tuple[int, int] | None) -> None:
        if place != self._hover:
            self._hover = place
            self.update()
        self.pointed.emit(place if place is not None else self._cursor)

    def _to_overview(self, point: QPointF, place: QRectF) -> None:
        query, subject = Overview.positions(self.frame(), place, point)
        self._see(self._across.centred(query), self._down.centred(subject))

    def _see_band(self, band: QRectF) -> None:
        if band.width() > CLICK_SLIP and band.height() > CLICK_SLIP:
            rect = self._rect()
            left, top = band.left() - rect.left(), band.top() - rect.top()
            self._see(
                self._across.showing(self._across.at(left), self._across.at(left + band.width())),
                self._down.showing(self._down.at(top), self._down.at(top + band.height())),
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom, move and choose without a mouse."""
        key = Qt.Key(event.key())
        if self._data is not None and key in _KEYS:
            _KEYS[key](self)
        elif self._data is not None and key in _ARROWS:
            far = FAR if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            self._step(*(far * part for part in _ARROWS[key]))
        else:
            super().keyPressEvent(event)

    def _step(self, right: int, down: int) -> None:
        """Move the cursor by residues, by more of them where several share a pixel."""
        frame = self.frame()
        middle = (self._across.at(frame.rect.width() / 2), self._down.at(frame.rect.height() / 2))
        query, subject = self._cursor or (int(middle[0]), int(middle[1]))
        query += right * max(1, round(KEY_PIXELS * self._across.step))
        subject += down * max(1, round(KEY_PIXELS * self._down.step))
        place = (
            min(max(query, 0), self._across.length - 1),
            min(max(subject, 0), self._down.length - 1),
        )
        self.set_cursor(place)
        self.pointed.emit(place)

    def choose_cursor(self) -> None:
        """Choose the place of the cursor, as a click does."""
        if self._cursor is not None:
            self.chosen.emit(*self._cursor, self.line_at(self._point_of(self._cursor)))


_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
_KEYS = {
    Qt.Key.Key_PageDown: lambda view: view.along.emit(1),
    Qt.Key.Key_PageUp: lambda view: view.along.emit(-1),
    Qt.Key.Key_Return: lambda view: view.choose_cursor(),
    Qt.Key.Key_Enter: lambda view: view.choose_cursor(),
}
