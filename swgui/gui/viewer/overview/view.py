"""The overview in the user's hand: mouse and keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip

from swgui.gui.kit.plots import features
from swgui.gui.viewer.overview.area import OverviewArea


class Overview(OverviewArea):
    """An overview from which hits and regions of the query are chosen.

    Signals
    -------
    row_chosen(int, int)
        Row of the ranked list that was clicked, and which of its alignments, -1 for all.
    region_chosen(int, int)
        A stretch of the query (from 1, both included) that was dragged on the axis.
    """

    row_chosen = Signal(int, int)
    region_chosen = Signal(int, int)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the numbers of the hit under the pointer, or drag a region."""
        if not self._length:
            return
        if self._region is not None:
            self._region = (self._region[0], self._residue(event.position().x()))
            first, last = sorted(self._region)
            QToolTip.showText(event.globalPosition().toPoint(), f"Hits that cover {first:,} to {last:,}", self)
            self.viewport().update()
            return
        place = self.place_at(event.position().y())
        on_axis = event.position().y() < self._head() and event.position().x() >= self._track()[0]
        shape = Qt.CursorShape.SizeHorCursor if on_axis else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape if on_axis or place >= 0 else Qt.CursorShape.ArrowCursor)
        if place != self._hovered:
            self._hovered = place
            self.viewport().update()
        text = self.describe(place) if place >= 0 else ""
        if event.position().x() >= self._track()[0]:
            text = self._with_features(text, place, event.position().x())
        if on_axis:
            drag = "Drag to show only hits that cover a region of the query"
            text = "\n".join(part for part in (text, drag) if part)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def _with_features(self, text: str, place: int, x: float) -> str:
        """Return a text with the features under the pointer: those of a hit's subject, or of the query."""
        residue, reach = self._residue(x), 2.0 * self._length / max(self.viewport().width(), 1)
        if place >= 0:
            told = self._features.told(*self._places.at(place), residue, reach)
        else:
            own = (one.feature for one in self._features.placed)
            told = features.told_at(own, residue - 1 - reach, residue - 1 + reach)
        return "\n".join(part for part in (text, told) if part)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a hit, or begin a region on the axis."""
        if self._data is None or event.button() != Qt.MouseButton.LeftButton:
            return
        place = self.place_at(event.position().y())
        if place >= 0:
            self.row_chosen.emit(*self._places.at(place))
        elif event.position().y() < self._head() and event.position().x() >= self._track()[0]:
            at = self._residue(event.position().x())
            self._region = (at, at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a region."""
        if self._region is not None:
            first, last = sorted(self._region)
            self._region = None
            self.viewport().update()
            if last > first:
                self.region_chosen.emit(first, last)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the hit under the pointer."""
        self._hovered = -1
        self.viewport().update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current hit."""
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not len(self._places):
            super().keyPressEvent(event)
            return
        place = min(max(self._places.place_of(*self._current) + step, 0), len(self._places) - 1)
        self.row_chosen.emit(*self._places.at(place))
