"""The map of two sequences: paths of alignments over agreeing residues, from genomes to residues.

It paints the visible part only: paths are reduced to its pixels, and only visible residues are compared. So a turn
of the wheel costs the same for a plasmid and for two genomes.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from swgui.core.plain import replace
from swgui.gui.kit.theme import LIGHT, Colours, colours, fixed_font, grid
from swgui.gui.kit.widgets import CLICK_SLIP
from swgui.gui.viewer.map import paint
from swgui.gui.viewer.map.dots import Stretches
from swgui.gui.viewer.map.geometry import Axis, Density, Frame, MapData, MapLine, MapLines, distance_to
from swgui.gui.viewer.map.paint import Similarity
from swgui.gui.viewer.painted import Zoomed
from swgui.gui.viewer.pictures.picture import SeenPicture

MAX_SIDE, MIN_SIDE = 17, 5  # side in grid units
SHARE = 1 / 3  # maximum share of a side of the map
KEY_PIXELS = 3  # minimum step of an arrow key
FAR = 10
HOW_TO = (
    "The query runs from left to right, the subject from top to bottom; lines are alignments. The wheel zooms, "
    "dragging moves, Shift and drag chooses a part, a click goes to the residues. Keys: + and \N{MINUS SIGN} zoom, "
    "0 shows all, arrows move the cursor, Return goes to the residues, Page Down and Page Up go along the alignment."
)
ROOM_FOR_RESIDUES = 1.15  # times the finest zoom, where whole words are to be read
MAX_STRETCH = 4.0  # how many times as wide as high a square map is at most, or as high as wide
NEAR = 10  # pixels around a path within which a click selects it
WIDEST_TICK = "8,888,888"
_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
_KEYS = {
    Qt.Key.Key_PageDown: lambda view: view.along.emit(1),
    Qt.Key.Key_PageUp: lambda view: view.along.emit(-1),
    Qt.Key.Key_Return: lambda view: view.choose_cursor(),
    Qt.Key.Key_Enter: lambda view: view.choose_cursor(),
}


class Overview:
    """Places and paints the small picture; it is drawn once for as long as nothing but the part seen changes."""

    def __init__(self) -> None:
        self._drawn: tuple[object, QPixmap] | None = None

    def forget(self) -> None:
        self._drawn = None

    @staticmethod
    def place(frame: Frame, *, ascends: bool) -> QRectF | None:
        """Return the rectangle of the picture; None if the whole is visible anyway or there is no room."""
        if frame.across.is_whole and frame.down.is_whole:
            return None
        side = min(grid(MAX_SIDE), frame.rect.width() * SHARE, frame.rect.height() * SHARE)
        if side < grid(MIN_SIDE):
            return None
        gap, strip = grid(0.75), QFontMetricsF(fixed_font()).height() * 1.1
        left = frame.rect.left() + gap + strip if ascends else frame.rect.right() - side - gap
        return QRectF(left, frame.rect.top() + gap + strip, side, side)

    @staticmethod
    def positions(frame: Frame, place: QRectF, point: QPointF) -> tuple[float, float]:
        whole = _whole(frame, place)
        return whole.across.at(point.x() - place.left()), whole.down.at(point.y() - place.top())

    def paint(self, painter: QPainter, frame: Frame, place: QRectF, shades: Colours, lines: MapLines) -> None:
        ratio = painter.device().devicePixelRatioF()
        key = (shades, ratio, place.size().toTuple())
        if self._drawn is None or self._drawn[0] != key:
            pixmap = QPixmap((place.size() * ratio).toSize())
            pixmap.setDevicePixelRatio(ratio)
            drawn = QPainter(pixmap)
            drawn.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint.paint_overview(drawn, _whole(frame, QRectF(QPointF(0, 0), place.size())), shades, lines)
            drawn.end()
            self._drawn = (key, pixmap)
        painter.drawPixmap(place.topLeft(), self._drawn[1])
        paint.paint_part(painter, _whole(frame, place), frame, shades)


def _whole(frame: Frame, place: QRectF) -> Frame:
    across = Axis.whole(frame.across.length, place.width())
    return Frame(place, across, Axis.whole(frame.down.length, place.height()))


class PairMap(Zoomed, QWidget):
    """A part of two sequences against each other, the query from left to right, the subject from top to bottom.

    The user zooms, moves, points and selects in it.
    """

    moved = Signal()  # another part is seen
    # Query and subject residue (from 0) under the pointer or the cursor; None if there are none.
    pointed = Signal(object)
    # Query and subject residue that were clicked, and the number of the alignment meant, 0 if none is near.
    chosen = Signal(int, int, int)
    along = Signal(int)  # page down (1) or up (-1): move along the alignment
    left = Signal()  # escape was pressed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairMap")
        self.setAccessibleName("Map of the alignments")
        self.setWhatsThis(HOW_TO)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.pointed_line = 0  # the alignment near the pointer, where there are several
        self._pressed: QPointF | None = None
        self._last: QPointF | None = None
        self.data: MapData | None = None
        self._similarity: Similarity | None = None
        self._densities: tuple[Density, Density] | None = None
        self._show_dots = True
        self._across = self._down = Axis.whole(1, 1.0)
        self._current = 1
        self._cursor: tuple[int, int] | None = None
        self._hover: tuple[int, int] | None = None
        self._band: QRectF | None = None  # the part that is being chosen
        self._ground: tuple[object, QPixmap] | None = None  # text on the place below the pointer, until the view moves
        self._overview = Overview()
        self.square = False  # whether a residue is as wide as it is high where all is seen, within reason

    # -- display -----------------------------------------------------------------------------------

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return self._across, self._down

    @property
    def cursor_place(self) -> tuple[int, int] | None:
        """Query and subject residue (from 0) of the cursor."""
        return self._cursor

    def show_data(self, data: MapData | None, similarity: Similarity | None = None) -> None:
        """Show other sequences, all of them, and where they agree: by residues and words unless given."""
        self.data, self._densities = data, None
        self._similarity = similarity or (Similarity(data) if data is not None else None)
        self._cursor = self._hover = self._band = None
        self._current = 1
        self._axes_anew()
        self.refresh()

    def show_lines(self, lines: MapLines) -> None:
        if self.data is not None:
            self.data = replace(self.data, lines=lines)
            self.refresh()

    def show_stretches(self, stretches: Stretches | None) -> None:
        if self._similarity is not None:
            self._similarity.stretches = stretches
            self.refresh()

    def show_densities(self, densities: tuple[Density, Density] | None) -> None:
        """Show at the edges of the map how much of query and subject differs in the current alignment."""
        self._densities = densities
        self.refresh()

    def set_dots(self, on: bool) -> None:
        self._show_dots = on
        self.refresh()

    def set_current(self, number: int) -> None:
        self._current = number
        self.refresh()

    def refresh(self) -> None:
        rect = self._rect()
        self._across, self._down = self._across.resized(rect.width()), self._down.resized(rect.height())
        self._ground = None
        self._overview.forget()
        self.update()

    # -- the part seen -----------------------------------------------------------------------------

    def show_whole(self) -> None:
        """Show both sequences from end to end."""
        self._see(Axis.whole(self._across.length, self._across.pixels, self.finest_step),
                  Axis.whole(self._down.length, self._down.pixels, self.finest_step))  # fmt: skip

    def show_part(self, query: tuple[float, float], subject: tuple[float, float]) -> None:
        """Show a stretch of the query against a stretch of the subject, with a little room around."""
        parts = []
        for axis, (low, high) in ((self._across, query), (self._down, subject)):
            room = max(0.04 * (high - low), 1)
            parts.append(axis.showing(low - room, high + room))
        self._see(*parts)

    def show_residues(self, place: tuple[int, int]) -> None:
        """Zoom in around a query and a subject residue until single residues can be read; cells are squares."""
        step = self.finest_step * ROOM_FOR_RESIDUES
        self._see(
            *(
                axis.showing(center - axis.pixels * step / 2, center + axis.pixels * step / 2)
                for axis, center in zip((self._across, self._down), place, strict=True)
            )
        )

    def show_line(self, number: int) -> None:
        line = self._line(number)
        if line is not None and len(line.line.x):
            x, y = line.line.x, line.line.y
            self.show_part((float(x.min()), float(x.max())), (float(y.min()), float(y.max())))

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom in (factor above 1) or out around a point of the widget."""
        frame = self.frame()
        if point is None and self._cursor is not None and frame.rect.contains(self.point_of(self._cursor)):
            point = self.point_of(self._cursor)
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
    def finest_step(self) -> float:
        """Residues per pixel where the symbol of a residue has just enough room."""
        return 1 / max(14.0, QFontMetricsF(fixed_font()).height() * 1.15)

    def _axes_anew(self) -> None:
        rect = self._rect()
        lengths = (len(self.data.query), len(self.data.subject)) if self.data is not None else (1, 1)
        self._across = Axis.whole(max(1, lengths[0]), rect.width(), self.finest_step)
        self._down = Axis.whole(max(1, lengths[1]), rect.height(), self.finest_step)
        self.moved.emit()

    def _line(self, number: int) -> MapLine | None:
        return self.data.line(number) if self.data is not None else None

    # -- geometry ----------------------------------------------------------------------------------

    def _rect(self) -> QRectF:
        metrics = QFontMetricsF(QApplication.font())
        left = metrics.height() * 1.3 + metrics.horizontalAdvance(WIDEST_TICK) + paint.TICK + 4
        bottom = metrics.height() * 2.3 + paint.TICK
        top = right = self._band_height + grid(0.75)
        width, height = max(1.0, self.width() - left - right), max(1.0, self.height() - top - bottom)
        if self.square and self.data is not None:
            ratio = len(self.data.query) / max(1, len(self.data.subject))
            width = min(width, height * min(max(ratio, 1 / MAX_STRETCH), MAX_STRETCH))
        return QRectF(left, top, width, height)

    def frame(self) -> Frame:
        return Frame(self._rect(), self._across, self._down)

    @property
    def _band_height(self) -> int:
        return grid(2)

    def _spacing(self) -> tuple[float, float]:
        metrics = QFontMetricsF(QApplication.font())
        return metrics.horizontalAdvance(WIDEST_TICK) * 1.35, metrics.height() * 2.6

    def point_of(self, place: tuple[int, int]) -> QPointF:
        return self.frame().point(place[0] + 0.5, place[1] + 0.5)

    def place_at(self, point: QPointF) -> tuple[int, int] | None:
        """Return query and subject residue (from 0) at a point of the widget."""
        frame = self.frame()
        if self.data is None or not frame.rect.contains(point):
            return None
        query = self._across.residue(point.x() - frame.rect.left())
        subject = self._down.residue(point.y() - frame.rect.top())
        return (query, subject) if query is not None and subject is not None else None

    def line_at(self, point: QPointF) -> int:
        """Return the number of the path near a point of the widget; 0 if there is none."""
        if self.data is None:
            return 0
        corner = self._rect().topLeft()
        x, y = point.x() - corner.x(), point.y() - corner.y()
        close = self.data.lines.near(self._across, self._down, x, y, NEAR)
        near = [(distance_to(line.line, self._across, self._down, x, y), line.number) for line in close]
        distance, number = min(near, default=(NEAR + 1.0, 0))
        return number if distance <= NEAR else 0

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.data is None:
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
            point = self.point_of(self._cursor)
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
        place = self.overview_rect()
        if place is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._overview.paint(painter, self.frame(), place, shades, self.data.lines)
        self.paint_focus(painter, frame.rect.adjusted(-1, -1, 1, 1))

    def _painted(self, shades: Colours) -> QPixmap:
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
        data, similarity, spacing = self.data, self._similarity, self._spacing()
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

    def picture(self, file_name: str, lines: Sequence[str]) -> SeenPicture:
        """Return the map as it is seen, below some lines of text."""
        return SeenPicture(file_name, self, lines, lambda painter: self.paint_map(painter, self.frame(), LIGHT))

    def overview_rect(self) -> QRectF | None:
        """Return the rectangle of the small picture of the whole; None if there is none."""
        current = self._line(self._current)
        return Overview.place(self.frame(), ascends=current is not None and current.strand < 0)

    # -- Qt's events -------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(grid(60), grid(56))

    def minimumSizeHint(self) -> QSize:
        return QSize(grid(30), grid(26))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()
        self.moved.emit()

    # -- mouse and keyboard ------------------------------------------------------------------------

    @property
    def dragged(self) -> bool:
        """Whether the map is being dragged: then nothing is shown below the pointer."""
        return self._pressed is not None

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        if self.data is not None and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._see(self._across.moved(-(turn.y() or turn.x()) / 2), self._down)
            event.accept()
        elif self.data is not None:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.data is None:
            return
        self._pressed = self._last = event.position()
        place = self.overview_rect()
        if place is not None and place.contains(event.position()):
            self._to_overview(event.position(), place)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._band = QRectF(event.position(), event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._pressed is None or self._last is None:
            several = self.data is not None and len(self.data.lines) > 1
            self.pointed_line = self.line_at(point) if several else 0
            self._point(self.place_at(point))
            return
        place = self.overview_rect()
        if place is not None and place.contains(self._pressed):
            self._to_overview(point, place)
        elif self._band is not None:
            self._band = QRectF(self._pressed, point).normalized().intersected(self._rect())
            self.update()
        else:
            slip = point - self._last
            if (point - self._pressed).manhattanLength() > CLICK_SLIP or self._last != self._pressed:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self._see(self._across.moved(-slip.x()), self._down.moved(-slip.y()))
                self._last = point

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        pressed, dragged, band = self._pressed, self._last != self._pressed, self._band
        self._pressed = self._last = self._band = None
        self.setCursor(Qt.CursorShape.CrossCursor)
        place = self.overview_rect()
        if band is not None:
            self._see_band(band)
        elif not dragged and not (place is not None and place.contains(pressed)):
            residues = self.place_at(pressed)
            if residues is not None:
                self.chosen.emit(*residues, self.line_at(pressed))
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.zoom(4, event.position())

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed_line = 0
        self._point(None)
        super().leaveEvent(event)

    def _point(self, place: tuple[int, int] | None) -> None:
        if place != self._hover:
            self._hover = place
            self.update()
        self.pointed.emit(place if place is not None else self._cursor)

    def _to_overview(self, point: QPointF, place: QRectF) -> None:
        query, subject = Overview.positions(self.frame(), place, point)
        self._see(self._across.centred(query), self._down.centred(subject))

    def _see_band(self, band: QRectF) -> None:
        if band.width() > CLICK_SLIP and band.height() > CLICK_SLIP:
            rect = self._rect()
            left, top = band.left() - rect.left(), band.top() - rect.top()
            self._see(
                self._across.showing(self._across.at(left), self._across.at(left + band.width())),
                self._down.showing(self._down.at(top), self._down.at(top + band.height())),
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self.data is not None and key in _KEYS:
            _KEYS[key](self)
        elif self.data is not None and key in _ARROWS:
            far = FAR if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            self._step(*(far * part for part in _ARROWS[key]))
        else:
            super().keyPressEvent(event)

    def _step(self, right: int, down: int) -> None:
        """Move the cursor by residues, by more of them where several share a pixel."""
        frame = self.frame()
        middle = (self._across.at(frame.rect.width() / 2), self._down.at(frame.rect.height() / 2))
        query, subject = self._cursor or (int(middle[0]), int(middle[1]))
        query += right * max(1, round(KEY_PIXELS * self._across.step))
        subject += down * max(1, round(KEY_PIXELS * self._down.step))
        place = (
            min(max(query, 0), self._across.length - 1),
            min(max(subject, 0), self._down.length - 1),
        )
        self.set_cursor(place)
        self.pointed.emit(place)

    def choose_cursor(self) -> None:
        if self._cursor is not None:
            self.chosen.emit(*self._cursor, self.line_at(self.point_of(self._cursor)))
