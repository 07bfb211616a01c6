"""What the plots of a pair have in common: query against subject, a crosshair, pictures, and following the theme."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from swgui.core.translation.frames import SHIFTING, query_frame
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.matrix.pointer import PlotPointer
from swgui.gui.viewer.pictures.captioned import captioned_picture
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View

QWIDGETSIZE_MAX = (1 << 24) - 1  # Qt's own name, which PySide does not have
MAX_STRETCH = 4.0  # how many times as wide as high a residue is at most, or as high as wide
MIN_WIDTH = 18  # of a plot, in grid units
MOVING = "Wheel zooms, drag moves, click or Enter goes to the residue."


class PlotContent(Protocol):
    """What a plot shows of a pair."""

    @property
    def shown(self) -> ShownHit:
        """The pair."""

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue, both from 1."""


class PairPlotView(View):
    """A plot with the query from left to right and the subject from top to bottom, in residues from 1.

    Subclasses override `content`, `caption` and `_colour_items`, and end their construction with `_finish`.

    Parameters
    ----------
    tasks : Tasks
    prefix : str
        Of the names of view, plot and note: ``dot`` makes ``dotView``, ``dotPlot`` and ``dotNote``.
    name : str
        Of the plot, for assistive programs.
    right_margin : float
        In grid units.
    """

    def __init__(
        self, tasks: Tasks, prefix: str, name: str, right_margin: float, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"{prefix}View")
        self._tasks = tasks
        self._built = False
        self._ratio = 0.0  # residues of the query for each of the subject, in the part seen
        self.plot = described(pg.PlotWidget(), f"{prefix}Plot", accessible=name)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.invertY(True)
        self.plot.getPlotItem().setContentsMargins(0, theme.grid(0.75), theme.grid(right_margin), 0)
        self.plot.setLabel("bottom", "Query")
        self.plot.setLabel("left", "Subject")
        self._image = pg.ImageItem(axisOrder="row-major")
        self._path = pg.PlotCurveItem(connect="finite")
        self.note = described(ElidedLabel(), f"{prefix}Note")
        theme.set_role(self.note, level="muted")
        self.pointer = PlotPointer(self.plot, self._size_shown)
        self.pointer.moved.connect(lambda found: self.pointed.emit(self.describe(*found) if found else ""))
        self.pointer.chosen.connect(self._choose)
        self.setFocusProxy(self.plot)

    def _finish(self, *tools: QWidget) -> None:
        """Place the tools and the note above the plot, and take the colours of the window."""
        in_column(in_row(*tools, (self.note, 1)), (in_row((self.plot, 1), 0), 1), spacing=0.5, parent=self)
        self._built = True
        self.restyle()

    # -- what subclasses say -----------------------------------------------------------------------

    @property
    def content(self) -> PlotContent | None:
        """What the plot shows; None for nothing."""
        raise NotImplementedError

    def caption(self) -> str:
        """Say what the plot shows, for pictures; only where it shows something."""
        raise NotImplementedError

    def _colour_items(self, shades: theme.Colours) -> None:
        """Give image, path and whatever else there is their colours."""
        raise NotImplementedError

    # -- what is shown -----------------------------------------------------------------------------

    def restyle(self, shades: theme.Colours | None = None) -> None:
        """Take over the colours of the window, or others."""
        shades = shades or theme.colours(self)
        theme.style_plot(self.plot, shades)
        self.pointer.set_colour(shades.accent)
        self._colour_items(shades)

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue, both from 1; empty if nothing is shown."""
        content = self.content
        return content.describe(x, y).replace("-", "\N{MINUS SIGN}") if content is not None else ""

    def _size_shown(self) -> tuple[int, int] | None:
        content = self.content
        return content.shown.lengths if content is not None else None

    def _choose(self, x: int, _y: int) -> None:
        content = self.content
        if content is not None:
            self.place_chosen.emit(content.shown.query_number(x))

    def _show_image(self, values: NDArray[np.generic], step: int, query_start: int = 0, subject_start: int = 0) -> None:
        """Show values of squares of `step` residues, the first of which begins at two residues (from 0).

        Parameters
        ----------
        values : ndarray, shape=(rows, columns)
            Rows follow the subject.
        """
        rows, columns = values.shape
        self._image.setImage(values, autoLevels=False)
        self._image.setRect(QRectF(query_start + 0.5, subject_start + 0.5, columns * step, rows * step))

    def _show_range(self, shown: ShownHit, part: QRectF | None = None) -> None:
        """Bring all of a pair into sight, or a part of it, and let nobody leave it."""
        width, height = (length + 1 for length in shown.lengths)
        self.plot.setLabel("bottom", _query_axis(shown.hit.strand))
        self.plot.setLimits(xMin=0, xMax=width, yMin=0, yMax=height)
        self.plot.setRange(part or QRectF(0, 0, width, height), padding=0)
        self._ratio = (part.width() / part.height()) if part and part.height() else width / height
        self._keep_square()

    def _keep_square(self) -> None:
        """Let a residue be as wide as it is high, so that a diagonal is one; within reason where lengths differ."""
        box, plot = self.plot.getPlotItem().vb.size(), self.plot
        if not self._ratio or not box.height():
            plot.setMaximumWidth(QWIDGETSIZE_MAX)
            return
        ratio = min(max(self._ratio, 1 / MAX_STRETCH), MAX_STRETCH)
        around = plot.width() - box.width()  # axes and margins
        plot.setMaximumWidth(max(theme.grid(MIN_WIDTH), round(around + ratio * box.height())))

    # -- pictures ----------------------------------------------------------------------------------

    def picture(self, suffix: str) -> bytes | None:
        """Return the part seen as the content of a picture file; None if nothing is shown."""
        content = self.content
        if content is None:
            return None
        hit = content.shown.hit
        lines = [hit.query_record.header, hit.subject.header, self.caption()]
        shades, plot = theme.colours(self), self.plot
        self.restyle(theme.LIGHT)
        try:
            place, seen = QRectF(0, 0, plot.width(), plot.height()), plot.viewport().rect()
            return captioned_picture(plot, suffix, lines, lambda painter: plot.render(painter, place, seen))
        finally:
            self.restyle(shades)

    # -- Qt's events -------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back to the table with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the shape of the plot."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._keep_square)  # once the plot has its new height

    def changeEvent(self, event: QEvent) -> None:
        """Take over new colours."""
        super().changeEvent(event)
        if self._built and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.restyle()


def polyline(
    parts: Iterable[tuple[NDArray[np.generic], NDArray[np.generic]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join lines into one with breaks, for a curve with ``connect="finite"``.

    Parameters
    ----------
    parts : iterable of (x, y)
        Two arrays of shape (k,) for each line.

    Returns
    -------
    x, y : ndarray, shape=(n,), dtype=float64
        With a NaN behind each line.
    """
    gap = np.full(1, np.nan)
    columns: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([np.zeros(0)], [np.zeros(0)])
    for part in parts:
        for column, values in zip(columns, part, strict=True):
            column += [values.astype(np.float64), gap]
    return np.concatenate(columns[0]), np.concatenate(columns[1])


def _query_axis(strand: int) -> str:
    """Return what the axis of the query is called."""
    frame = query_frame(strand)
    if abs(frame) == SHIFTING:
        return f"Query, bases of the {'plus' if frame > 0 else 'minus'} strand"
    if frame:
        return f"Query, residues of frame {frame:+d}"
    return "Query, reverse complement" if strand < 0 else "Query"
