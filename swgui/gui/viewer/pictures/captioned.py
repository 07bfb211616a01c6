"""What a widget shows as a picture for a paper, below some lines of text and in the colours of a light window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from swgui.gui.kit.theme import LIGHT
from swgui.gui.viewer.pictures.picture import Draw, writer

MARGIN = 8  # pixels around the lines
LEADING = 1.2  # height of a line by that of its text
NAMES = 2  # of the lines name the sequences; the others stand back


def captioned_picture(widget: QWidget, suffix: str, lines: Sequence[str], draw: Draw) -> bytes:
    """Return a picture of a widget's size, with lines above, as the content of a file.

    Parameters
    ----------
    widget : QWidget
        Its size, font and resolution are those of the picture.
    suffix : str
        Ending of the file's name.
    lines : sequence of str
        Long ones are cut.
    draw : callable
        Draws what the widget shows, in its coordinates and in the colours of a light window.

    Raises
    ------
    InvalidParameter
        If the ending is none of .png, .svg, .pdf.
    """
    write = writer(suffix)
    metrics = QFontMetricsF(widget.font())
    height = metrics.height() * LEADING
    head = height * len(lines) + 2 * MARGIN
    size = QSizeF(widget.width(), widget.height() + head)

    def draw_all(painter: QPainter) -> None:
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(LIGHT.base))
        painter.setFont(widget.font())
        for at, line in enumerate(lines):
            painter.setPen(QColor(LIGHT.text if at < NAMES else LIGHT.muted))
            place = QRectF(MARGIN, MARGIN + at * height, size.width() - 2 * MARGIN, metrics.height())
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)
        painter.translate(0, head)
        draw(painter)

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer, size, widget.logicalDpiX(), " and ".join(lines[:NAMES]), draw_all)
    return bytes(buffer.data().data())
