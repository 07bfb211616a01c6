"""Symbols drawn once and copied ever after: a glyph atlas in NumPy.

Each symbol in each style (fill and text colour) is painted by Qt once into a tile; a page of an alignment is
then one gather of tiles into an image. That is what lets a stack of 5,000 sequences scroll smoothly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter


@dataclass(frozen=True, slots=True)
class CellStyle:
    """Colours of one style: fill and symbol."""

    fill: QColor
    text: QColor


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
    font : QFont
        Monospaced.
    ratio : float
        Device pixels per logical pixel.
    styles : list of CellStyle
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
        """Paint tiles that were not needed before."""
        width, height = self._pixel_width, self._pixel_height
        sheet = QImage(width * len(wanted), height, QImage.Format.Format_RGB32)
        painter = QPainter(sheet)
        font = QFont(self._font)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.scale(self.ratio, self.ratio)
        painter.setFont(font)
        for at, key in enumerate(wanted.tolist()):
            style = self._styles[key // 256]
            cell = QRectF(at * self.cell_width, 0, self.cell_width, self.cell_height)
            painter.fillRect(cell, style.fill)
            painter.setPen(style.text)
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, _SHOWN.get(key % 256, chr(key % 256)))
        painter.end()
        bits = np.frombuffer(sheet.constBits(), dtype=np.uint32).reshape(height, sheet.bytesPerLine() // 4)
        tiles = bits[:, : width * len(wanted)].reshape(height, len(wanted), width).transpose(1, 0, 2)
        first = len(self._tiles)
        self._tiles = np.concatenate([self._tiles, tiles])
        self._places[wanted // 256, wanted % 256] = np.arange(first, first + len(wanted))


# A gap is a short stroke on the middle line, an identity shown as a dot sits there too.
_SHOWN = {ord("-"): "\N{EN DASH}", ord("."): "\N{MIDDLE DOT}"}
