"""A plot as a picture for a paper: PNG, SVG or PDF, as it is seen, in the colours of a light window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import Hit
from swgui.gui.kit import theme
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.viewer.pictures.picture import writer
from swgui.io.export import save_whole

MARGIN = 8


def draw_plot(
    plot: pg.PlotWidget, suffix: str, lines: Sequence[str], restyle: Callable[[theme.Colours], None]
) -> bytes:
    """Return a plot as the content of a picture file.

    Parameters
    ----------
    suffix : str
        Ending of the file's name.
    lines : sequence of str
        Written above the plot; long ones are cut.
    restyle : callable
        Gives the plot other colours.

    Raises
    ------
    InvalidParameter
        If the ending is none of .png, .svg, .pdf.
    """
    write = writer(suffix)
    metrics = QFontMetricsF(plot.font())
    head = len(lines) * metrics.height() + 2 * MARGIN
    size = QSizeF(plot.width(), plot.height() + head)

    def draw(painter: QPainter) -> None:
        painter.fillRect(QRectF(QPointF(0, 0), size), QColor(theme.LIGHT.base))
        painter.setFont(plot.font())
        for at, line in enumerate(lines):
            painter.setPen(QColor(theme.LIGHT.text if at < 2 else theme.LIGHT.muted))
            place = QRectF(MARGIN, MARGIN + at * metrics.height(), size.width() - 2 * MARGIN, metrics.height())
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)
        plot.render(painter, QRectF(0, head, plot.width(), plot.height()), plot.viewport().rect())

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    shades = theme.colours(plot)
    restyle(theme.LIGHT)
    try:
        write(buffer, size, plot.logicalDpiX(), " and ".join(lines[:2]), draw)
    finally:
        restyle(shades)
    return bytes(buffer.data().data())


class PlotView(Protocol):
    """A view of a hit with a plot."""

    plot: pg.PlotWidget
    message: Any

    def restyle(self, shades: theme.Colours | None = None) -> None:
        """Give the plot the colours of the window, or others."""


def lines_above(hit: Hit, caption: str) -> list[str]:
    """Return what stands above the plot of a hit."""
    return [hit.query_record.header, hit.subject.header, caption]


def plot_picture(view: PlotView, hit: Hit, caption: str) -> QImage:
    """Return the plot of a view for the clipboard."""
    return QImage.fromData(draw_plot(view.plot, ".png", lines_above(hit, caption), view.restyle))


def save_plot(view: PlotView, jobs: ShortJobs, hit: Hit, path: Path, caption: str) -> None:
    """Draw the plot of a view and write it, whole or not at all, by a worker; the view says what became of it."""
    try:
        content = draw_plot(view.plot, path.suffix, lines_above(hit, caption), view.restyle)
    except InvalidParameter as error:
        view.message.emit(str(error))
        return
    jobs.submit(
        "results-figure",
        lambda: save_whole(path, lambda file: file.write(content), binary=True),
        lambda _done: view.message.emit(f"Figure written to {path}."),
        lambda error: view.message.emit(str(error)),
    )
