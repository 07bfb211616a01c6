"""The map of a pair as a picture for a paper: as it is seen, in the colours of a light window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QApplication

from swgui.gui.kit.theme import LIGHT
from swgui.gui.viewer.map.widget import PairMap
from swgui.gui.viewer.matrix.figure import MARGIN
from swgui.gui.viewer.pictures.picture import writer


def draw_map(view: PairMap, suffix: str, lines: Sequence[str]) -> bytes:
    """Return a map as the content of a picture file.

    Parameters
    ----------
    suffix : str
        Ending of the file's name.
    lines : sequence of str
        Written above the map; long ones are cut.

    Raises
    ------
    InvalidParameter
        If the ending is none of .png, .svg, .pdf.
    """
    write = writer(suffix)
    font = QApplication.font()
    metrics = QFontMetricsF(font)
    head = metrics.height() * 1.2 * len(lines) + 2 * MARGIN
    size = QSizeF(view.width(), view.height() + head)

    def draw(painter: QPainter) -> None:
        painter.setFont(font)
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(LIGHT.base))
        painter.setPen(QColor(LIGHT.text))
        for at, line in enumerate(lines):
            place = QRectF(MARGIN, MARGIN + at * metrics.height() * 1.2, size.width() - 2 * MARGIN, metrics.height())
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)
        painter.translate(0, head)
        view.paint_map(painter, view.frame(), LIGHT)

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer, size, view.logicalDpiX(), " and ".join(lines[:2]), draw)
    return bytes(buffer.data().data())
