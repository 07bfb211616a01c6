"""What pictures of alignments are made of: text, rulers and rows of residues, in the colours of a light window."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from swgui.gui.viewer.pair.layout import BLANK
from swgui.gui.viewer.residues.color_vision import text_on
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.residues.styling import residue_font

INK, QUIET, PAPER = "#000000", "#5A6472", "#FFFFFF"
ENLARGED = 10  # times the size of fonts: their sizes in pixels are whole numbers


def cell_size(points: float) -> QSizeF:
    metrics = QFontMetricsF(_enlarged(residue_font(points), points))
    return QSizeF(metrics.horizontalAdvance("W") / ENLARGED * 1.04, metrics.height() / ENLARGED * 1.06)


class Sheet:
    """Draws with one size of text and one colour scheme; all distances are in points.

    Parameters
    ----------
    painter : QPainter
        One unit is a point.
    points : float
        Size of residues.
    """

    def __init__(self, painter: QPainter, points: float, scheme: ColorScheme) -> None:
        self._painter = painter
        self._fills = scheme.fills(dark=False)
        self._residues = _enlarged(residue_font(points), points)
        self.numbers = _enlarged(residue_font(points), points * 0.8)
        # words, strong, numbers: for names and sentences, for the same in bold, and for numbers; see `write`.
        self.words = _enlarged(QFont(), points)
        self.strong = QFont(self.words)
        self.strong.setBold(True)
        self.cell = cell_size(points)  # of a residue

    def write(
        self,
        font: QFont,
        ink: str,
        place: QRectF,
        text: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideNone,
    ) -> None:
        """Write a line of text into a place with one of the fonts of the sheet; it is cut there if `cut` says where."""
        painter, box = self._painter, QRectF(QPointF(0, 0), place.size() * ENLARGED)
        painter.save()
        painter.translate(place.topLeft())
        painter.scale(1 / ENLARGED, 1 / ENLARGED)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        if cut != Qt.TextElideMode.ElideNone:
            text = QFontMetricsF(font).elidedText(text, cut, box.width())
        painter.drawText(box, int(align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip), text)
        painter.restore()

    def head(self, lines: Iterable[tuple[str, str]], left: float, top: float, width: float) -> None:
        """Write what the picture shows, line by line, each a text and its ink."""
        for at, (line, ink) in enumerate(lines):
            place = QRectF(left, top + at * self.cell.height(), width, self.cell.height())
            self.write(self.words, ink, place, line, cut=Qt.TextElideMode.ElideRight)

    def ruler(self, ticks: Iterable[tuple[int, int]], left: float, top: float) -> None:
        """Write residue numbers above their columns; ticks are pairs of column and number."""
        for column, number in ticks:
            edge = left + (column + 1) * self.cell.width()
            place = QRectF(edge - 60, top, 60, self.cell.height())
            self.write(self.numbers, QUIET, place, f"{number:,}", Qt.AlignmentFlag.AlignRight)

    def residues(
        self,
        symbols: NDArray[np.uint8],
        styles: NDArray[np.uint8],
        quiet: NDArray[np.bool_],
        left: float,
        top: float,
        ink: str = INK,
    ) -> None:
        """Draw a row of residues with their fills.

        Parameters
        ----------
        symbols : ndarray, shape=(k,), dtype=uint8
            ASCII.
        styles : ndarray, shape=(k,), dtype=uint8
            Of the colour scheme, 0 for no fill.
        quiet : ndarray, shape=(k,), dtype=bool
            Which of those without a fill stand back.
        ink : str
            Colour of the others without a fill.
        """
        self._fill(styles, left, top)
        cell = self.cell
        for column, symbol in enumerate(symbols.tolist()):
            if symbol != BLANK:
                style = int(styles[column])
                shade = text_on(self._fills[style - 1]) if style else QUIET if quiet[column] else ink
                place = QRectF(left + column * cell.width(), top, cell.width(), cell.height())
                self.write(self._residues, shade, place, chr(symbol), Qt.AlignmentFlag.AlignHCenter)

    def symbols(
        self, symbols: NDArray[np.uint8], fills: Callable[[str], QColor | None], left: float, top: float
    ) -> None:
        """Draw a row of symbols beside residues, ASCII of shape (k,), each on the ground that `fills` gives it."""
        cell = self.cell
        for column, symbol in enumerate(symbols.tolist()):
            place = QRectF(left + column * cell.width(), top, cell.width(), cell.height())
            if (fill := fills(chr(symbol))) is not None:
                self._painter.fillRect(place, fill)
            self.write(self._residues, INK, place, chr(symbol), Qt.AlignmentFlag.AlignHCenter)

    def _fill(self, styles: NDArray[np.uint8], left: float, top: float) -> None:
        """Draw one rectangle for each run of equal fills, so that no seams show between residues."""
        edges = np.flatnonzero(np.diff(styles.astype(np.int16), prepend=-1, append=-1))
        for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            if styles[start]:
                x, width = left + start * self.cell.width(), (stop - start) * self.cell.width()
                fill = QColor(self._fills[int(styles[start]) - 1])
                self._painter.fillRect(QRectF(x, top, width, self.cell.height()), fill)


def _enlarged(font: QFont, points: float) -> QFont:
    font.setPixelSize(max(1, round(points * ENLARGED)))
    return font
