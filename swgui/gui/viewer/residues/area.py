"""Base of the views of residues: zoom, glyphs, ticks, and following the theme."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from swgui.gui.viewer.painted import ScrolledView
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.schemes import NO_COLOURS, ColorScheme
from swgui.gui.viewer.residues.styling import CellStyle

# A gap is a short stroke on the middle line, an identity shown as a dot sits there too.
_SHOWN = {ord("-"): "\N{EN DASH}", ord("."): "\N{MIDDLE DOT}"}
MIN_ZOOM, MAX_ZOOM = 0.5, 4.0  # zoom
STEP = 1.1  # of Ctrl+wheel


class _ArrayImage(QImage):
    """A picture of the pixels of an array, of which it borrows the memory: the array lives as long as the picture."""

    def __init__(self, pixels: NDArray[np.uint32]) -> None:
        height, width = pixels.shape
        super().__init__(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
        self._pixels = pixels


class GlyphAtlas:
    """Tiles of all symbols for one font, one scale and one list of styles.

    Parameters
    ----------
    ratio : float
        Device pixels per logical pixel.
    least_width : float
        Logical pixels that a cell has at least.
    """

    def __init__(self, font: QFont, ratio: float, styles: list[CellStyle], least_width: float = 0.0) -> None:
        self._font = font
        self.ratio = ratio
        self._styles = styles
        metrics = QFontMetricsF(font)
        # Whole device pixels, so that neighbouring tiles touch without a seam at any scale.
        self._pixel_width = max(1, math.ceil(max(metrics.horizontalAdvance("W"), least_width) * ratio + 0.5))
        self._pixel_height = max(1, math.ceil(metrics.height() * 1.04 * ratio))
        self._tiles = np.zeros((0, self._pixel_height, self._pixel_width), dtype=np.uint32)
        self._places = np.full((len(styles), 256), -1, dtype=np.int32)

    @property
    def cell_width(self) -> float:
        """Width of a symbol's cell in logical pixels."""
        return self._pixel_width / self.ratio

    @property
    def cell_height(self) -> float:
        """Height of a symbol's cell in logical pixels."""
        return self._pixel_height / self.ratio

    def image(self, symbols: NDArray[np.uint8], styles: NDArray[np.uint8]) -> QImage:
        """Return a picture of rows of symbols.

        Parameters
        ----------
        symbols : ndarray, shape=(rows, columns), dtype=uint8
            ASCII.
        styles : ndarray, shape=(rows, columns), dtype=uint8
            Index into the atlas's styles.
        """
        rows, columns = symbols.shape
        if not rows or not columns:
            return QImage()
        places = self._places[styles, symbols]
        if places.min() < 0:
            self._draw(np.unique(styles[places < 0].astype(np.int64) * 256 + symbols[places < 0]))
            places = self._places[styles, symbols]
        height, width = self._pixel_height, self._pixel_width
        pixels = np.empty((rows, height, columns, width), dtype=np.uint32)
        np.copyto(pixels, self._tiles[places].transpose(0, 2, 1, 3))
        image = _ArrayImage(pixels.reshape(rows * height, columns * width))
        image.setDevicePixelRatio(self.ratio)
        return image

    def _draw(self, wanted: NDArray[np.int64]) -> None:
        width, height = self._pixel_width, self._pixel_height
        sheet = QImage(width * len(wanted), height, QImage.Format.Format_RGB32)
        painter = QPainter(sheet)
        font = QFont(self._font)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.scale(self.ratio, self.ratio)
        painter.setFont(font)
        for index, key in enumerate(wanted.tolist()):
            style = self._styles[key // 256]
            cell = QRectF(index * self.cell_width, 0, self.cell_width, self.cell_height)
            painter.fillRect(cell, style.fill)
            painter.setPen(style.text)
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, _SHOWN.get(key % 256, chr(key % 256)))
        painter.end()
        bits = np.frombuffer(sheet.constBits(), dtype=np.uint32).reshape(height, sheet.bytesPerLine() // 4)
        tiles = bits[:, : width * len(wanted)].reshape(height, len(wanted), width).transpose(1, 0, 2)
        first = len(self._tiles)
        self._tiles = np.concatenate([self._tiles, tiles])
        self._places[wanted // 256, wanted % 256] = np.arange(first, first + len(wanted))


class ResidueArea(ScrolledView):
    """A scrolled field of coloured residues. Subclasses override `fit`, which finds the scroll ranges."""

    pointed = Signal(str)  # text on the cell under the pointer or the cursor; empty if there is none
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
        self._atlas = None

    def whole_pixels(self, length: float) -> float:
        """Round a length to pixels of the screen, so that drawings stay sharp."""
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
        """Write residue numbers above their columns, with a tick."""
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
