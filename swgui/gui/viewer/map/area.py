"""The map of two sequences as it is seen: paths of alignments over agreeing residues, from genomes to residues.

It paints what is in sight and nothing else: paths come reduced to its pixels, residues are compared for the
residues seen. So a turn of the wheel costs the same for a plasmid and for two genomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from swgui.gui.kit.theme import LIGHT, Colours, colours, fixed_font, grid
from swgui.gui.viewer.map import paint
from swgui.gui.viewer.map.data import Frame, MapData, MapLine, MapLines
from swgui.gui.viewer.map.dots import Stretches
from swgui.gui.viewer.map.geometry import Axis, Density, distance_to
from swgui.gui.viewer.map.overview import Overview
from swgui.gui.viewer.map.similarity import Similarity
from swgui.gui.viewer.painted import Zoomed
from swgui.gui.viewer.pictures.captioned import captioned_picture

ROOM_FOR_RESIDUES = 1.15  # times the finest zoom, where whole words are to be read
MAX_STRETCH = 4.0  # how many times as wide as high a square map is at most, or as high as wide
NEAR = 10  # pixels from a path within which a point means it
WIDEST_TICK = "8,888,888"


class MapArea(Zoomed, QWidget):
    """Shows a part of two sequences against each other, the query from left to right, the subject from top to bottom.

    Signals
    -------
    moved()
        Another part is seen.
    """

    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._data: MapData | None = None
        self._similarity: Similarity | None = None
        self._densities: tuple[Density, Density] | None = None
        self._show_dots = True
        self._across = self._down = Axis.whole(1, 1.0)
        self._current = 1
        self._cursor: tuple[int, int] | None = None
        self._hover: tuple[int, int] | None = None
        self._band: QRectF | None = None  # the part that is being chosen
        self._ground: tuple[object, QPixmap] | None = None  # what lies below the pointer, as long as nothing moves
        self._overview = Overview()
        self.square = False  # whether a residue is as wide as it is high where all is seen, within reason

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def data(self) -> MapData | None:
        """What the map shows."""
        return self._data

    @property
    def axes(self) -> tuple[Axis, Axis]:
        """The part of query and subject that is seen."""
        return self._across, self._down

    @property
    def cursor_place(self) -> tuple[int, int] | None:
        """Query and subject residue (from 0) of the cursor."""
        return self._cursor

    def show_data(self, data: MapData | None, similarity: Similarity | None = None) -> None:
        """Show other sequences, all of them, and where they agree: by residues and words unless told otherwise."""
        self._data, self._densities = data, None
        self._similarity = similarity or (Similarity(data) if data is not None else None)
        self._cursor = self._hover = self._band = None
        self._current = 1
        self._axes_anew()
        self.refresh()

    def show_lines(self, lines: MapLines) -> None:
        """Show other paths of the same sequences."""
        if self._data is not None:
            self._data = replace(self._data, lines=lines)
            self.refresh()

    def show_stretches(self, found: Stretches | None) -> None:
        """Show stretches of equal residues behind the paths."""
        if self._similarity is not None:
            self._similarity.stretches = found
            self.refresh()

    def show_densities(self, densities: tuple[Density, Density] | None) -> None:
        """Show at the edges of the map how much of query and subject differs in the current alignment."""
        self._densities = densities
        self.refresh()

    def set_dots(self, on: bool) -> None:
        """Show or hide agreeing residues."""
        self._show_dots = on
        self.refresh()

    def set_current(self, number: int) -> None:
        """Draw another alignment wider than the others."""
        self._current = number
        self.refresh()

    def refresh(self) -> None:
        """Paint everything anew, in the room there is."""
        rect = self._rect()
        self._across, self._down = self._across.resized(rect.width()), self._down.resized(rect.height())
        self._ground = None
        self._overview.forget()
        self.update()

    # -- the part seen -----------------------------------------------------------------------------

    def show_whole(self) -> None:
        """Show both sequences from end to end."""
        self._see(Axis.whole(self._across.length, self._across.pixels, self._finest),
                  Axis.whole(self._down.length, self._down.pixels, self._finest))  # fmt: skip

    def show_part(self, query: tuple[float, float], subject: tuple[float, float]) -> None:
        """Show a stretch of the query against a stretch of the subject, with a little room around."""
        parts = []
        for axis, (low, high) in ((self._across, query), (self._down, subject)):
            room = max(0.04 * (high - low), 1)
            parts.append(axis.showing(low - room, high + room))
        self._see(*parts)

    def show_residues(self, place: tuple[int, int]) -> None:
        """Zoom in around a query and a subject residue until single residues can be read; cells are squares."""
        step = self._finest * ROOM_FOR_RESIDUES
        self._see(
            *(
                axis.showing(at - axis.pixels * step / 2, at + axis.pixels * step / 2)
                for axis, at in zip((self._across, self._down), place, strict=True)
            )
        )

    def show_line(self, number: int) -> None:
        """Show all of one alignment."""
        line = self._line(number)
        if line is not None and len(line.line.x):
            x, y = line.line.x, line.line.y
            self.show_part((float(x.min()), float(x.max())), (float(y.min()), float(y.max())))

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom in (factor above 1) or out; what is at a point of the widget stays there."""
        frame = self.frame()
        if point is None and self._cursor is not None and frame.rect.contains(self._point_of(self._cursor)):
            point = self._point_of(self._cursor)
        point = point or frame.rect.center()
        self._see(
            self._across.zoomed(factor, point.x() - frame.rect.left()),
            self._down.zoomed(factor, point.y() - frame.rect.top()),
        )

    def set_cursor(self, place: tuple[int, int] | None, *, in_sight: bool = True) -> None:
        """Put the cursor on a query and a subject residue (from 0), and bring it into sight."""
        self._cursor = place
        if place is not None and in_sight:
            self._see(self._across.with_in_sight(place[0]), self._down.with_in_sight(place[1]))
        self.update()

    def _see(self, across: Axis, down: Axis) -> None:
        if (across, down) != (self._across, self._down):
            self._across, self._down = across, down
            self._ground = None
            self.update()
            self.moved.emit()

    @property
    def _finest(self) -> float:
        """Residues per pixel where the symbol of a residue has just enough room."""
        return 1 / max(14.0, QFontMetricsF(fixed_font()).height() * 1.15)

    def _axes_anew(self) -> None:
        rect = self._rect()
        lengths = (len(self._data.query), len(self._data.subject)) if self._data is not None else (1, 1)
        self._across = Axis.whole(max(1, lengths[0]), rect.width(), self._finest)
        self._down = Axis.whole(max(1, lengths[1]), rect.height(), self._finest)
        self.moved.emit()

    def _line(self, number: int) -> MapLine | None:
        return self._data.line(number) if self._data is not None else None

    # -- geometry ----------------------------------------------------------------------------------

    def _rect(self) -> QRectF:
        metrics = QFontMetricsF(QApplication.font())
        left = metrics.height() * 1.3 + metrics.horizontalAdvance(WIDEST_TICK) + paint.TICK + 4
        bottom = metrics.height() * 2.3 + paint.TICK
        top = right = self._band_height + grid(0.75)
        width, height = max(1.0, self.width() - left - right), max(1.0, self.height() - top - bottom)
        if self.square and self._data is not None:
            ratio = len(self._data.query) / max(1, len(self._data.subject))
            width = min(width, height * min(max(ratio, 1 / MAX_STRETCH), MAX_STRETCH))
        return QRectF(left, top, width, height)

    def frame(self) -> Frame:
        """Return where the map lies in the widget and what it shows."""
        return Frame(self._rect(), self._across, self._down)

    @property
    def _band_height(self) -> int:
        """Height of the bars at the edges."""
        return grid(2)

    def _spacing(self) -> tuple[float, float]:
        metrics = QFontMetricsF(QApplication.font())
        return metrics.horizontalAdvance(WIDEST_TICK) * 1.35, metrics.height() * 2.6

    def _point_of(self, place: tuple[int, int]) -> QPointF:
        return self.frame().point(place[0] + 0.5, place[1] + 0.5)

    def place_at(self, point: QPointF) -> tuple[int, int] | None:
        """Return query and subject residue (from 0) at a point of the widget."""
        frame = self.frame()
        if self._data is None or not frame.rect.contains(point):
            return None
        query = self._across.residue(point.x() - frame.rect.left())
        subject = self._down.residue(point.y() - frame.rect.top())
        return (query, subject) if query is not None and subject is not None else None

    def line_at(self, point: QPointF) -> int:
        """Return the number of the path near a point of the widget; 0 if there is none."""
        if self._data is None:
            return 0
        corner = self._rect().topLeft()
        x, y = point.x() - corner.x(), point.y() - corner.y()
        close = self._data.lines.near(self._across, self._down, x, y, NEAR)
        found = [(distance_to(line.line, self._across, self._down, x, y), line.number) for line in close]
        distance, number = min(found, default=(NEAR + 1.0, 0))
        return number if distance <= NEAR else 0

    @property
    def dragged(self) -> bool:
        """Whether the map is being dragged: then nothing is shown below the pointer."""
        return False

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the part seen; what lies below the pointer is kept until something moves."""
        painter = QPainter(self)
        if self._data is None:
            return
        shades, frame = colours(self), self.frame()
        painter.drawPixmap(0, 0, self._painted(shades))
        painter.setClipRect(frame.rect)
        if self._hover is not None and not self.dragged:
            faint = QColor(shades.muted)
            faint.setAlpha(150)
            paint.paint_cross(painter, frame, self._hover, faint, Qt.PenStyle.DotLine)
        if self._cursor is not None:
            paint.paint_cross(painter, frame, self._cursor, QColor(shades.accent), Qt.PenStyle.SolidLine)
            point = self._point_of(self._cursor)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(shades.accent), 2))
            painter.drawEllipse(point, 5, 5)
        painter.setClipping(False)
        if self._band is not None:
            veil = QColor(shades.accent)
            veil.setAlpha(40)
            painter.setPen(QPen(QColor(shades.accent), 1))
            painter.setBrush(veil)
            painter.drawRect(self._band)
        place = self._overview_rect()
        if place is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._overview.paint(painter, self.frame(), place, shades, self._data.lines)
        self.paint_focus(painter, frame.rect.adjusted(-1, -1, 1, 1))

    def _painted(self, shades: Colours) -> QPixmap:
        """Return everything but pointer, cursor and overview."""
        ratio = self.devicePixelRatioF()
        key = (shades, ratio, self.size().toTuple())
        if self._ground is None or self._ground[0] != key:
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(QColor(shades.window))
            painter = QPainter(pixmap)
            self.paint_map(painter, self.frame(), shades)
            painter.end()
            self._ground = (key, pixmap)
        return self._ground[1]

    def paint_map(self, painter: QPainter, frame: Frame, shades: Colours) -> None:
        """Paint the map without pointer and cursor, for the screen or for a picture."""
        data, similarity, spacing = self._data, self._similarity, self._spacing()
        if data is None or similarity is None:
            return
        paint.paint_ground(painter, frame, shades)
        paint.paint_grid(painter, frame, shades, spacing)
        if self._show_dots:
            current = self._line(self._current)
            similarity.paint(painter, frame, shades, current.strand if current is not None else 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint.paint_lines(painter, frame, shades, data.lines, self._current, max(1.0, grid() / 6))
        if min(frame.across.cell, frame.down.cell) >= paint.PATH_CELLS_FROM:
            similarity.paint_paths(painter, frame, shades, data.lines)
            alphabet, across, down = data.scheme.alphabet, frame.across.residues(), frame.down.residues()
            query, subject = alphabet.decode(data.query[slice(*across)]), alphabet.decode(data.subject[slice(*down)])
            paint.paint_residues(painter, frame, shades, fixed_font(), query, subject)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self._densities is not None:
            paint.paint_densities(painter, frame, shades, self._densities, self._band_height)
        titles = (data.query_name, data.subject_name)
        paint.paint_axes(painter, frame, shades, QApplication.font(), titles, spacing)

    def picture_file(self, suffix: str, lines: Sequence[str]) -> bytes:
        """Return the map as it is seen, below some lines of text, as the content of a picture file.

        Raises
        ------
        InvalidParameter
            If the ending `suffix` is none of .png, .svg, .pdf.
        """
        return captioned_picture(self, suffix, lines, lambda painter: self.paint_map(painter, self.frame(), LIGHT))

    def _overview_rect(self) -> QRectF | None:
        """Return where the small picture of the whole lies; None if there is none."""
        current = self._line(self._current)
        return Overview.place(self.frame(), ascends=current is not None and current.strand < 0)

    # -- Qt's events -------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Ask for a square."""
        return QSize(grid(60), grid(56))

    def minimumSizeHint(self) -> QSize:
        """Do with little."""
        return QSize(grid(30), grid(26))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the middle of the part seen."""
        super().resizeEvent(event)
        self.refresh()
        self.moved.emit()
