"""Pictures as files and for the clipboard: PNG, SVG and PDF of whatever can draw itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QObject, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_form, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import LIGHT
from swgui.gui.kit.widgets import decimal_box, push_button, spin_box, text_label
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.stacked.figure import StackFigure
from swgui.io.whole_file import save_bytes

PNG_SCALE = 3  # pixels of the picture for one unit
POINTS_PER_INCH = 72
POINTS_TO_MM = 25.4 / POINTS_PER_INCH
PAPER = "#FFFFFF"

Draw = Callable[[QPainter], None]
Writer = Callable[[QBuffer, QSizeF, int, str, Draw], None]
MARGIN = 8  # pixels around the lines
LEADING = 1.2  # height of a line by the height of its text
NAMES = 2  # number of lines that name the sequences; the others are drawn in muted ink
KINDS = "Vector graphics (*.svg);;PDF (*.pdf);;Picture (*.png)"
NO_PICTURE = "No alignment is shown yet: there is no picture of it."


class Picture(Protocol):
    """Something that can be drawn on paper, in points."""

    @property
    def title(self) -> str:
        """Title of the picture, for the file."""

    @property
    def size(self) -> QSizeF:
        """Size in points."""

    def check(self) -> None:
        """Raise `InvalidParameter` if the picture is too large for programs to open."""

    def draw(self, painter: QPainter) -> None:
        """Draw it; one unit of the painter is a point."""


def writer(suffix: str) -> Writer:
    """Return the function that writes a kind of file.

    Raises
    ------
    InvalidParameter
        If the ending is none of .png, .svg, .pdf.
    """
    write = WRITERS.get(suffix.lower())
    if write is None:
        raise InvalidParameter(
            "figure", suffix, f"'{suffix}' is not a picture format.", hint="Choose .png, .svg or .pdf."
        )
    return write


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
    content = _file(write, picture.size, POINTS_PER_INCH, picture.title, _on_paper(picture))
    save_bytes(path, lambda file: file.write(content))
    return path


def _file(write: Writer, size: QSizeF, dpi: int, title: str, draw: Draw) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer, size, dpi, title, draw)
    return bytes(buffer.data().data())


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
    image.setDotsPerMeterX(round(dpi / 0.0254))  # resolution of the screen while fonts in points are drawn
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


WRITERS: dict[str, Writer] = {".png": _png, ".svg": _svg, ".pdf": _pdf}


@dataclass(frozen=True, slots=True, eq=False)
class SeenPicture:
    """A widget as it appears, but in the colours of a light window, below the lines of its title."""

    file_name: str  # suggested
    widget: QWidget  # its size, font and resolution are the picture's
    lines: Sequence[str]  # long ones are cut
    draw: Draw  # in the widget's coordinates

    def content(self, suffix: str) -> bytes:
        """Return a picture file.

        Raises
        ------
        InvalidParameter
            If the ending is none of .png, .svg, .pdf.
        """
        write, widget = writer(suffix), self.widget
        metrics = QFontMetricsF(widget.font())
        height = metrics.height() * LEADING
        head = height * len(self.lines) + 2 * MARGIN
        size = QSizeF(widget.width(), widget.height() + head)

        def draw_all(painter: QPainter) -> None:
            painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(LIGHT.base))
            painter.setFont(widget.font())
            for index, line in enumerate(self.lines):
                painter.setPen(QColor(LIGHT.text if index < NAMES else LIGHT.muted))
                place = QRectF(MARGIN, MARGIN + index * height, size.width() - 2 * MARGIN, metrics.height())
                text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, place.width())
                painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)
            painter.translate(0, head)
            self.draw(painter)

        return _file(write, size, widget.logicalDpiX(), " and ".join(self.lines[:NAMES]), draw_all)


Drawn = Figure | StackFigure | SeenPicture


class FigureDialog(Dialog):
    """Asks for the size of a figure."""

    wanted = Signal(object)  # the `Figure` or `StackFigure` to save

    def __init__(self, figure: Figure | StackFigure, parent: QWidget | None = None) -> None:
        super().__init__(
            "figureDialog",
            "Figure of the stack" if isinstance(figure, StackFigure) else "Figure of the alignment",
            parent,
        )
        self._figure = figure
        self.columns = spin_box("figureColumns", (20, 500), figure.columns, does=self._tell_size, step=10)
        self.points = decimal_box("figurePoints", (4, 36), figure.points, does=self._tell_size, suffix=" pt")
        self.size_note = text_label(name="figureSize", level="muted")
        self.save_button = push_button("figureSave", "Save…", does=self._save, role="primary", default=True)
        self.cancel_button = push_button("figureCancel", "Cancel", does=self.reject)
        in_form(
            ("&Columns in a line", self.columns),
            ("&Size of the text", self.points),
            ("The picture", self.size_note),
            in_row(1, self.save_button, self.cancel_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self._tell_size()

    def figure(self) -> Figure | StackFigure:
        return replace(self._figure, columns=self.columns.value(), points=self.points.value())

    def _tell_size(self) -> None:
        size = self.figure().size
        paper, pixels = size * POINTS_TO_MM, QSizeF(size * PNG_SCALE).toSize()
        self.size_note.setText(
            f"{paper.width():.0f} × {paper.height():.0f} mm; as PNG {pixels.width():,} × {pixels.height():,} pixels"
        )

    def _save(self) -> None:
        self.accept()
        self.wanted.emit(self.figure())


class PanePictures(QObject):
    """Draws a whole alignment or stack, in the colours chosen, and a plot as it appears.

    Parameters
    ----------
    drawn : callable
        Returns the current view: a figure of it, or the plot; None if there is nothing. May raise
        `InvalidParameter` if it is too large to be a picture.
    """

    message = Signal(str)  # the outcome, or the reason of a failure

    def __init__(self, parent: QWidget, tasks: Tasks, drawn: Callable[[], Drawn | None]) -> None:
        super().__init__(parent)
        self._parent = parent
        self._tasks = tasks
        self._looked_at = drawn

    def copy(self) -> None:
        drawn = self._drawn()
        if isinstance(drawn, SeenPicture):
            self._to_clipboard(QImage.fromData(drawn.content(".png")))
        elif drawn is not None:
            self._tasks.submit("results-figure", lambda: image_of(drawn), self._to_clipboard, self._failed)

    def save_as(self) -> FigureDialog | None:
        """Ask how a figure is to look and where to write it; for a plot only where."""
        drawn = self._drawn()
        if isinstance(drawn, SeenPicture):
            if path := self._ask_path(drawn.file_name):
                self._write(drawn, path)
        elif drawn is not None:
            return self._ask(drawn)
        return None

    def save(self, path: Path) -> None:
        """Write the current view; the ending of the name decides the format."""
        if (drawn := self._drawn()) is not None:
            self._write(drawn, path)

    def _drawn(self) -> Drawn | None:
        try:
            drawn = self._looked_at()
        except InvalidParameter as error:
            self._failed(error)
            return None
        if drawn is None:
            self.message.emit(NO_PICTURE)
        return drawn

    def _ask(self, figure: Figure | StackFigure) -> FigureDialog:
        dialog = FigureDialog(figure, self._parent)
        dialog.wanted.connect(self._ask_and_write)
        dialog.open()
        return dialog

    def _ask_and_write(self, figure: Figure | StackFigure) -> None:
        name = "stack.svg" if isinstance(figure, StackFigure) else "alignment.svg"
        if path := self._ask_path(name):
            self._write(figure, path)

    def _ask_path(self, name: str) -> Path | None:
        return ask_save_path(self._parent, "Save a figure", name, KINDS, self._failed)

    def _write(self, drawn: Drawn, path: Path) -> None:
        def done(_written: object) -> None:
            self.message.emit(f"Figure written to {path}.")

        if isinstance(drawn, SeenPicture):
            try:
                content = drawn.content(path.suffix)
            except InvalidParameter as error:
                self._failed(error)
                return
            write: Callable[[], object] = partial(save_bytes, path, lambda file: file.write(content))
        else:
            write = partial(save_picture, drawn, path)
        self._tasks.submit("results-figure", write, done, self._failed)

    def _to_clipboard(self, picture: QImage | None) -> None:
        if picture is not None:
            QGuiApplication.clipboard().setImage(picture)
            self.message.emit(f"Picture of {picture.width():,} × {picture.height():,} pixels copied.")

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))
