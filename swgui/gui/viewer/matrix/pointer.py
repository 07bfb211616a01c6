"""A crosshair over a plot of query against subject, moved by the mouse or by keys."""

from __future__ import annotations

from collections.abc import Callable

from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent

from swgui.gui.kit.plots.library import pg

_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
FAR = 10  # residues a step goes with Shift


class PlotPointer(QObject):
    """Follows the mouse; arrow keys move it by a residue, with Shift by ten, Enter chooses.

    Parameters
    ----------
    plot : PlotWidget
        Query residues from left to right, subject residues from top to bottom, both from 1.
    size : callable
        Returns the lengths of query and subject, or None if nothing is shown.

    Signals
    -------
    moved(object)
        Query and subject residue under the crosshair, None if it is outside.
    chosen(int, int)
        These were clicked, or Enter was pressed.
    """

    moved = Signal(object)
    chosen = Signal(int, int)

    def __init__(self, plot: pg.PlotWidget, size: Callable[[], tuple[int, int] | None]) -> None:
        super().__init__(plot)
        self._plot = plot
        self._size = size
        self.place: tuple[int, int] | None = None
        self._lines = (pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=0))
        for line in self._lines:
            line.setZValue(10)
            line.hide()
            plot.addItem(line, ignoreBounds=True)
        plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        plot.scene().sigMouseMoved.connect(lambda point: self.show_at(self._under(point)))
        plot.scene().sigMouseClicked.connect(self._clicked)
        plot.installEventFilter(self)

    def set_colour(self, colour: str) -> None:
        """Draw the crosshair in another colour."""
        for line in self._lines:
            line.setPen(pg.mkPen(colour, width=1))

    def show_at(self, place: tuple[int, int] | None) -> None:
        """Move the crosshair, or hide it, and tell."""
        self.place = place
        for line, value in zip(self._lines, place or (0, 0), strict=True):
            line.setVisible(place is not None)
            line.setValue(value)
        self.moved.emit(place)

    def _under(self, scene_point: QPointF) -> tuple[int, int] | None:
        size = self._size()
        if size is None or not self._plot.sceneBoundingRect().contains(scene_point):
            return None
        point = self._plot.getPlotItem().vb.mapSceneToView(scene_point)
        x, y = round(point.x()), round(point.y())
        return (x, y) if 1 <= x <= size[0] and 1 <= y <= size[1] else None

    def _clicked(self, event: MouseClickEvent) -> None:
        found = self._under(event.scenePos())
        if found and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(*found)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that the plot itself has no use for."""
        size = self._size()
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and size is not None:
            key = Qt.Key(event.key())
            if key in _STEPS:
                step = FAR if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
                x, y = self.place or self._middle(size)
                right, down = _STEPS[key]
                self.show_at((min(max(x + right * step, 1), size[0]), min(max(y + down * step, 1), size[1])))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.place is not None:
                self.chosen.emit(*self.place)
                return True
        return super().eventFilter(watched, event)

    def _middle(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return what is in the middle of the part seen."""
        centre = self._plot.getPlotItem().vb.viewRect().center()
        return min(max(round(centre.x()), 1), size[0]), min(max(round(centre.y()), 1), size[1])
