"""The whole pair alignment as a picture for a paper: PNG, SVG or PDF, in the colours of a light window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from swgui.core.errors import InvalidParameter
from swgui.core.results import Hit
from swgui.gui.viewer import text_form
from swgui.gui.viewer.color_vision import text_on
from swgui.gui.viewer.coloring import ColorScheme, pair_styles
from swgui.gui.viewer.layout import Kind, PairLayout, block, block_count, ruler
from swgui.gui.viewer.styling import letter_font
from swgui.io.export import save_whole

MOST_COLUMNS = 20_000  # a longer alignment would be a picture nobody can open
PNG_SCALE = 3.0  # pixels per point: 216 per inch
INK, QUIET, PAPER = "#000000", "#5A6472", "#FFFFFF"
POINTS_TO_MM = 25.4 / 72


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """What a picture shows.

    Parameters
    ----------
    hit : Hit
    layout : PairLayout
    scheme : ColorScheme
    columns : int
        Columns of a line.
    points : float
        Size of the letters.
    """

    hit: Hit
    layout: PairLayout
    scheme: ColorScheme
    columns: int = 60
    points: float = 9.0

    def save(self, path: Path) -> Path:
        """Write the picture, whole or not at all; the ending of the name decides the format.

        Raises
        ------
        InvalidParameter
            If the ending is none of .png, .svg, .pdf, or the alignment is too long for a picture.
        FileNotWritten
        """
        writer = WRITERS.get(path.suffix.lower())
        if writer is None:
            raise InvalidParameter(
                "figure", path.suffix, f"'{path.suffix}' is not a picture format.", hint="Choose .png, .svg or .pdf."
            )
        self._check_length()
        content = writer(self)
        save_whole(path, lambda file: file.write(content), binary=True)
        return path

    def picture(self) -> QImage:
        """Return the picture for the clipboard.

        Raises
        ------
        InvalidParameter
            If the alignment is too long for a picture.
        """
        self._check_length()
        return _image(self)

    def _check_length(self) -> None:
        if len(self.layout) > MOST_COLUMNS:
            raise InvalidParameter(
                "figure",
                len(self.layout),
                f"An alignment of {len(self.layout):,} columns is too long for a picture.",
                hint=f"Up to {MOST_COLUMNS:,} columns can be drawn; select a part and copy it as text instead.",
            )

    # -- geometry, in points -----------------------------------------------------------------------

    def fonts(self) -> tuple[QFont, QFont, QFont]:
        """Return the fonts of letters, numbers and words, ten times as large as they will be drawn."""
        letters = letter_font(self.points)
        numbers, words = QFont(letters), QFont()
        for font, size in ((letters, self.points), (numbers, self.points * 0.8), (words, self.points)):
            font.setPixelSize(max(1, round(size * 10)))
        return letters, numbers, words

    @property
    def cell(self) -> QSizeF:
        """Size of a letter's cell."""
        font = letter_font(self.points)
        font.setPixelSize(round(self.points * 10))
        metrics = QFontMetricsF(font)
        return QSizeF(metrics.horizontalAdvance("W") / 10 * 1.04, metrics.height() / 10 * 1.06)

    @property
    def size(self) -> QSizeF:
        """Size of the whole picture."""
        cell = self.cell
        lines = block_count(self.layout, self.columns)
        head = (3 + len(text_form.facts(self.hit))) * cell.height()
        shown = min(self.columns, len(self.layout))
        width = self._left() + shown * cell.width() + self._number_width() + 24
        return QSizeF(max(width, 60 * cell.width()), head + lines * 4.6 * cell.height() + 24)

    def _number_width(self) -> float:
        layout = self.layout
        highest = max(int(layout.query_positions.max(initial=1)), int(layout.subject_positions.max(initial=1)))
        return (len(f"{highest:,}") + 1) * self.cell.width() * 0.82

    def _left(self) -> float:
        return 12 + 7 * self.cell.width() + self._number_width() + 6

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        """Draw the figure; one unit of the painter is a point."""
        fonts = self.fonts()
        cell = self.cell
        y = 12.0
        lines = [self.hit.query_record.header, self.hit.subject.header, *text_form.facts(self.hit)]
        width = self.size.width() - 24
        for at, line in enumerate(lines):
            metrics = QFontMetricsF(fonts[2])
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, width * 10)
            self._text(painter, fonts[2], INK if at < 2 else QUIET, QRectF(12, y, width, cell.height()), text)
            y += cell.height()
        y += cell.height()
        styles = pair_styles(self.scheme, self.layout)
        for index in range(block_count(self.layout, self.columns)):
            self._draw_block(painter, fonts, styles, index, y)
            y += 4.6 * cell.height()

    def _draw_block(
        self, painter: QPainter, fonts: tuple[QFont, QFont, QFont], styles: NDArray[np.uint8], index: int, top: float
    ) -> None:
        letters, numbers, words = fonts
        layout, cell, left = self.layout, self.cell, self._left()
        line = block(layout, self.columns, index)
        columns = slice(line.start, line.stop)
        right = Qt.AlignmentFlag.AlignRight
        for column, number in ruler(layout.query_positions[columns]):
            x = left + (column + 1) * cell.width()
            self._text(painter, numbers, QUIET, QRectF(x - 60, top, 60, cell.height()), f"{number:,}", right)
        top += cell.height()
        fills = self.scheme.fills(dark=False)
        rows = (
            (0, "Query", layout.query[columns], styles[0, columns], line.query_first, line.query_last),
            (1, "", layout.match[columns], None, 0, 0),
            (2, "Target", layout.subject[columns], styles[1, columns], line.subject_first, line.subject_last),
        )
        outside = layout.kinds[columns] == Kind.FLANK
        for row, name, text, row_styles, first, last in rows:
            y = top + row * cell.height()
            self._text(painter, words, INK, QRectF(12, y, 80, cell.height()), name)
            if first:
                place = QRectF(left - 66, y, 60, cell.height())
                self._text(painter, numbers, QUIET, place, f"{first:,}", right)
                end = left + len(text) * cell.width() + 6
                self._text(painter, numbers, QUIET, QRectF(end, y, 80, cell.height()), f"{last:,}")
            shown = np.zeros(len(text), dtype=np.uint8) if row_styles is None else np.where(outside, 0, row_styles)
            self._fill_runs(painter, shown, fills, left, y)
            for column, letter in enumerate(text.tolist()):
                if letter != ord(" "):
                    style = int(shown[column])
                    ink = text_on(fills[style - 1]) if style else QUIET if row == 1 or outside[column] else INK
                    place = QRectF(left + column * cell.width(), y, cell.width(), cell.height())
                    self._text(painter, letters, ink, place, chr(letter), Qt.AlignmentFlag.AlignHCenter)

    def _fill_runs(self, painter: QPainter, styles: NDArray[np.uint8], fills: list[str], left: float, y: float) -> None:
        """Draw one rectangle for each run of equal fills, so that no seams show between letters."""
        edges = np.flatnonzero(np.diff(styles.astype(np.int16), prepend=-1, append=-1))
        for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            if styles[start]:
                x, width = left + start * self.cell.width(), (stop - start) * self.cell.width()
                painter.fillRect(QRectF(x, y, width, self.cell.height()), QColor(fills[int(styles[start]) - 1]))

    @staticmethod
    def _text(
        painter: QPainter,
        font: QFont,
        ink: str,
        place: QRectF,
        text: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        """Write text; fonts are ten times as large as meant, because sizes in pixels are whole numbers."""
        painter.save()
        painter.translate(place.topLeft())
        painter.scale(0.1, 0.1)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        box = QRectF(QPointF(0, 0), place.size() * 10)
        painter.drawText(box, int(align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip), text)
        painter.restore()


def _png(figure: Figure) -> bytes:
    image = _image(figure)
    return _into_bytes(lambda buffer: image.save(buffer, "PNG"))


def _image(figure: Figure) -> QImage:
    size = figure.size * PNG_SCALE
    image = QImage(size.toSize(), QImage.Format.Format_RGB32)
    image.fill(QColor(PAPER))
    image.setDotsPerMeterX(round(72 * PNG_SCALE / 0.0254))
    image.setDotsPerMeterY(round(72 * PNG_SCALE / 0.0254))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.scale(PNG_SCALE, PNG_SCALE)
    figure.draw(painter)
    painter.end()
    return image


def _svg(figure: Figure) -> bytes:
    def write(buffer: QBuffer) -> None:
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setResolution(72)
        whole = QSize(int(np.ceil(figure.size.width())), int(np.ceil(figure.size.height())))
        generator.setSize(whole)
        generator.setViewBox(QRect(0, 0, whole.width(), whole.height()))
        generator.setTitle(f"{figure.hit.query_record.id} and {figure.hit.subject.id}")
        painter = QPainter(generator)
        painter.fillRect(QRectF(QPointF(0, 0), figure.size), QColor(PAPER))
        figure.draw(painter)
        painter.end()

    return _into_bytes(write)


def _pdf(figure: Figure) -> bytes:
    def write(buffer: QBuffer) -> None:
        pdf = QPdfWriter(buffer)
        pdf.setResolution(720)
        pdf.setPageSize(QPageSize(figure.size * POINTS_TO_MM, QPageSize.Unit.Millimeter))
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0))
        pdf.setTitle(f"{figure.hit.query_record.id} and {figure.hit.subject.id}")
        painter = QPainter(pdf)
        painter.scale(10, 10)
        figure.draw(painter)
        painter.end()

    return _into_bytes(write)


def _into_bytes(write: Callable[[QBuffer], object]) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer)
    content = bytes(buffer.data().data())
    buffer.close()
    return content


WRITERS: dict[str, Callable[[Figure], bytes]] = {".png": _png, ".svg": _svg, ".pdf": _pdf}
