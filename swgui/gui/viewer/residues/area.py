"""What the views of residues have in common: zoom, glyphs, ticks, and following the theme."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from swgui.gui.viewer.painted import ScrolledView
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.atlas import GlyphAtlas
from swgui.gui.viewer.residues.schemes import NO_COLOURS, ColorScheme

MIN_ZOOM, MAX_ZOOM = 0.5, 4.0  # zoom
STEP = 1.1  # of Ctrl+wheel


class ResidueArea(ScrolledView):
    """A scrolled field of coloured residues. Subclasses override `fit`, which finds the scroll ranges."""

    pointed = Signal(str)  # what is under the pointer or the cursor; empty if nothing
    left = Signal()  # escape was pressed: the keyboard goes back to the table
    zoomed = Signal(float)  # new zoom, after Ctrl+wheel

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scheme = NO_COLOURS
        self._atlas: GlyphAtlas | None = None
        self._zoom = 1.0

    @property
    def scheme(self) -> ColorScheme:
        return self._scheme

    def set_zoom(self, zoom: float) -> None:
        """Make the residues larger or smaller than the window's text."""
        zoom = min(max(zoom, MIN_ZOOM), MAX_ZOOM)
        if zoom == self._zoom:
            return
        self._zoom = zoom
        self.forget_glyphs()
        self.fit()

    @property
    def zoom(self) -> float:
        return self._zoom

    @property
    def points(self) -> float:
        return max(4.0, QApplication.font().pointSizeF() * self._zoom)

    def glyphs(self) -> GlyphAtlas:
        ratio = self.devicePixelRatioF()
        if self._atlas is None or self._atlas.ratio != ratio:
            styles = styling.cell_styles(self._scheme, QApplication.palette())
            self._atlas = GlyphAtlas(styling.residue_font(self.points), ratio, styles, self.least_cell)
        return self._atlas

    @property
    def least_cell(self) -> float:
        """Width of a residue's cell at least, in logical pixels."""
        return 0.0

    def forget_glyphs(self) -> None:
        """Draw the residues anew: scheme, size or theme have changed."""
        self._atlas = None

    def whole_pixels(self, length: float) -> float:
        """Round a length to pixels of the screen, so that what is painted stays sharp."""
        ratio = self.devicePixelRatioF()
        return round(length * ratio) / ratio

    def fit(self) -> None:
        raise NotImplementedError

    def set_ranges(self, width: float, height: float, room: QSizeF) -> None:
        """Let the bars scroll over a width and a height in pixels, of which `room` is seen at a time."""
        atlas = self.glyphs()
        self.set_range(self.horizontalScrollBar(), width, room.width(), atlas.cell_width)
        self.set_range(self.verticalScrollBar(), height, room.height(), atlas.cell_height)

    def paint_ticks(self, painter: QPainter, ticks: Iterable[tuple[int, int]], left: float, top: float) -> None:
        """Write residue numbers above their columns, with a tick.

        Parameters
        ----------
        ticks : iterable of (int, int)
            Column and number, as `swgui.gui.viewer.pair.layout.ruler` returns them.
        left, top : float
            Where the first column and the line of the numbers begin.
        """
        atlas = self.glyphs()
        painter.setFont(styling.residue_font(self.points * 0.75))
        bottom = top + atlas.cell_height
        for column, number in ticks:
            center = left + (column + 0.5) * atlas.cell_width
            painter.drawLine(QPointF(center, bottom - 3), QPointF(center, bottom - 1))
            place = QRectF(center - 60, top, 60 + atlas.cell_width / 2, atlas.cell_height - 3)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, f"{number:,}")

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self._zoom * (STEP if event.angleDelta().y() > 0 else 1 / STEP))
            self.zoomed.emit(self._zoom)
            event.accept()
            return
        super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.forget_glyphs()
            self.fit()
        super().changeEvent(event)
