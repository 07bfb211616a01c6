"""Pictures as files and for the clipboard: PNG, SVG and PDF of whatever can draw itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QImageWriter, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from swgui.core.errors import InvalidParameter
from swgui.gui.kit.theme import LIGHT
from swgui.io.whole_file import save_bytes

PNG_SCALE = 3  # pixels of the picture for one unit
POINTS_PER_INCH = 72
POINTS_TO_MM = 25.4 / POINTS_PER_INCH
PAPER = "#FFFFFF"

Draw = Callable[[QPainter], None]


class Picture(Protocol):
    """Something that can be drawn on paper, in points."""

    @property
    def title(self) -> str:
        """What it is, for the file."""

    @property
    def size(self) -> QSizeF:
        """Size in points."""

    def check(self) -> None:
        """Raise `InvalidParameter` if it is too large to be a picture anybody can open."""

    def draw(self, painter: QPainter) -> None:
        """Draw it; one unit of the painter is a point."""


def writer(suffix: str) -> Callable[[QBuffer, QSizeF, int, str, Draw], None]:
    """Return what writes a kind of file.

    Raises
    ------
    InvalidParameter
        If the ending is none of .png, .svg, .pdf.
    """
    found = WRITERS.get(suffix.lower())
    if found is None:
        raise InvalidParameter(
            "figure", suffix, f"'{suffix}' is not a picture format.", hint="Choose .png, .svg or .pdf."
        )
    return found


def save_picture(picture: Picture, path: Path) -> Path:
    """Write a picture, whole or not at all; the ending of the name decides the format.

    Raises
    ------
    InvalidParameter
        If the ending is none of .png, .svg, .pdf, or the picture is too large.
    FileNotWritten
    """
    write = writer(path.suffix)
    picture.check()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer, picture.size, POINTS_PER_INCH, picture.title, _on_paper(picture))
    content = bytes(buffer.data().data())
    save_bytes(path, lambda file: file.write(content))
    return path


def image_of(picture: Picture) -> QImage:
    """Return a picture for the clipboard; `InvalidParameter` if it is too large."""
    picture.check()
    return _image(picture.size, POINTS_PER_INCH, _on_paper(picture))


def _on_paper(picture: Picture) -> Draw:
    def draw(painter: QPainter) -> None:
        painter.fillRect(QRectF(QPointF(0, 0), picture.size), QColor(PAPER))
        picture.draw(painter)

    return draw


# Files


def _paint(device: QPaintDevice, draw: Draw, scale: float = 1.0) -> None:
    painter = QPainter(device)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale, scale)
    draw(painter)
    painter.end()


def _image(size: QSizeF, dpi: int, draw: Draw) -> QImage:
    image = QImage((size * PNG_SCALE).toSize(), QImage.Format.Format_RGB32)
    image.setDotsPerMeterX(round(dpi / 0.0254))  # that of the screen while fonts in points are drawn
    image.setDotsPerMeterY(round(dpi / 0.0254))
    _paint(image, draw, PNG_SCALE)
    image.setDotsPerMeterX(round(dpi * PNG_SCALE / 0.0254))
    image.setDotsPerMeterY(round(dpi * PNG_SCALE / 0.0254))
    return image


def _png(buffer: QBuffer, size: QSizeF, dpi: int, title: str, draw: Draw) -> None:
    image = _image(size, dpi, draw)
    image.setText("Title", title)
    QImageWriter(buffer, b"PNG").write(image)


def _svg(buffer: QBuffer, size: QSizeF, dpi: int, title: str, draw: Draw) -> None:
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(dpi)
    whole = QSize(round(size.width()), round(size.height()))
    generator.setSize(whole)
    generator.setViewBox(QRect(0, 0, whole.width(), whole.height()))
    generator.setTitle(title)
    _paint(generator, draw)


def _pdf(buffer: QBuffer, size: QSizeF, dpi: int, title: str, draw: Draw) -> None:
    pdf = QPdfWriter(buffer)
    pdf.setResolution(dpi)
    pdf.setPageSize(QPageSize(size * (25.4 / dpi), QPageSize.Unit.Millimeter))
    pdf.setPageMargins(QMarginsF(0, 0, 0, 0))
    pdf.setTitle(title)
    _paint(pdf, draw)


WRITERS: dict[str, Callable[[QBuffer, QSizeF, int, str, Draw], None]] = {".png": _png, ".svg": _svg, ".pdf": _pdf}


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
