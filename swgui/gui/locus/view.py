"""The picture of a locus: zoomed by wheel and keys, moved by dragging, with words on the stretch under the pointer."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.gui.kit.theme import LIGHT, Colours, colours, fixed_font, keep_size
from swgui.gui.kit.widgets import CLICK_SLIP
from swgui.gui.locus.drawing import Band, Sheet, bands_of, lane_rect
from swgui.gui.locus.scene import Scene, Track
from swgui.gui.viewer.map.geometry import Axis
from swgui.gui.viewer.painted import Zoomed
from swgui.gui.viewer.pictures.picture import SeenPicture

AROUND: Final = 2000  # bases on either side of a place that is shown
STEP: Final = 0.2  # of the part in sight, moved by a key
NEAR: Final = 3.0  # pixels within which a stretch counts as under the pointer
HOW_TO: Final = (
    "Features and places as arrows, bases and the six frames from close by; red codons are stops, green ones begin. "
    "The wheel zooms, dragging moves, a click chooses, a double click fills the view. Keys: + and \N{MINUS SIGN} zoom, "
    "0 shows all, Left and Right move, Page Up and Page Down go from place to place."
)


class LocusView(Zoomed, QWidget):
    """Shows a scene."""

    left = Signal()
    moved = Signal(int, int)  # the part in sight changed: half-open range
    chosen = Signal(int, int, str)  # a stretch was chosen: half-open range, and its name
    stepped = Signal(int)  # to the next place of the result (1) or the one before (-1)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("locusView")
        self.setAccessibleName("Features, bases and places of a sequence")
        self.setWhatsThis(HOW_TO)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        keep_size(self, height=54)  # bases and all frames below two tracks
        self.scene: Scene | None = None
        self.place: tuple[int, int] | None = None  # the stretch that is marked
        self.axis = Axis.whole(1, 1.0)
        self._chosen: tuple[Track, int] | None = None
        self._pressed: QPointF | None = None
        self._dragged = False

    def show_scene(self, scene: Scene, *, keep: bool = False) -> None:
        """Show a scene around its place; with `keep` the part in sight stays."""
        self.scene, self._chosen = scene, None
        if keep:
            self._look(self.axis)
            return
        self.axis = Axis.whole(scene.length, self.width(), self._finest())
        self.show_place(scene.place.start, scene.place.end)

    def show_place(self, start: int, end: int) -> None:
        """Mark a stretch and show it with its surroundings."""
        self.place, self._chosen = (start, end), None
        room = max(AROUND, end - start)
        self._look(self.axis.showing(start - room, end + room))

    def show_range(self, start: int, end: int) -> None:
        """Show a stretch, which fills the view."""
        self._look(self.axis.showing(start, end))

    @property
    def seen(self) -> tuple[int, int]:
        """The part in sight, half open."""
        return self.axis.residues()

    def picture(self, lines: tuple[str, ...], name: str) -> SeenPicture:
        """Return the part in sight as a picture."""
        return SeenPicture(name, self, lines, lambda painter: self._paint(painter, LIGHT))

    def stretch_at(self, point: QPointF) -> tuple[Track, int] | None:
        """Return the stretch under a point: its track and its place there."""
        if self.scene is None:
            return None
        unit = self._unit()
        for band in self.bands():
            track = band.track
            if track is None or not band.top <= point.y() < band.top + band.height:
                continue
            first, last = (round(self.axis.at(point.x() + slip)) for slip in (-NEAR, NEAR))
            rows = track.intervals.within(first, last + 1).tolist()
            under = [
                row
                for row in rows
                if lane_rect(band, min(int(track.lanes[row]), band.rows - 1), unit, self.width()).contains(point)
            ]
            sizes = track.intervals.ends - track.intervals.starts
            return (track, min(under, key=lambda row: int(sizes[row]))) if under else None
        return None

    def describe(self, point: QPointF) -> str:
        """Return the stretch under a point in words, or the place among features; empty without a scene."""
        if self.scene is None or (position := self.axis.residue(point.x())) is None:
            return ""
        if (found := self.stretch_at(point)) is not None:
            feature, _ = found[0].shown(found[1])
            return (
                f"{found[0].title}: {feature.name}, {feature.start + 1:,} to {feature.end:,}"
                if (found[0].is_result)
                else feature.describe()
            )
        where = self.scene.sentence(position, position + 1)
        return f"{position + 1:,}{': ' if where else ''}{where}"

    # -- inside ------------------------------------------------------------------------------------

    def _unit(self) -> float:
        return QFontMetricsF(self.font()).height()

    def _finest(self) -> float:
        return 1 / (2 * QFontMetricsF(fixed_font()).horizontalAdvance("W"))

    def bands(self) -> list[Band]:
        """Return the parts of the picture from above."""
        return [] if self.scene is None else bands_of(self.scene, self.axis, self._unit(), self.height())

    def _look(self, axis: Axis) -> None:
        self.axis = axis
        self.moved.emit(*self.seen)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, shades = QPainter(self), colours(self)
        painter.fillRect(event.rect(), QColor(shades.base))
        self._paint(painter, shades)
        self.paint_focus(painter)

    def _paint(self, painter: QPainter, shades: Colours) -> None:
        if self.scene is None:
            return
        painter.save()
        painter.setClipRect(QRectF(self.rect()))
        sheet = Sheet(painter, self.scene, self.axis, shades, self.font(), self._letters_font(), self._chosen)
        sheet.draw(self.bands(), self.place)
        painter.restore()

    def _letters_font(self) -> QFont:
        font = fixed_font()
        font.setPointSizeF(self.font().pointSizeF())
        return font

    def sizeHint(self) -> QSize:
        return QSize(900, 420)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._look(self.axis.resized(self.width()))
        super().resizeEvent(event)

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom in (factor above 1) or out around a point, or the middle."""
        if self.scene is not None:
            self._look(self.axis.zoomed(factor, point.x() if point is not None else self.axis.pixels / 2))

    def show_whole(self) -> None:
        self._look(Axis.whole(self.axis.length, self.axis.pixels, self.axis.finest))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key:
                self._look(self.axis.moved((STEP if key == Qt.Key.Key_Right else -STEP) * self.axis.pixels))
            case Qt.Key.Key_PageUp | Qt.Key.Key_PageDown as key:
                self.stepped.emit(1 if key == Qt.Key.Key_PageDown else -1)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._pressed is not None:
            slip = point.x() - self._pressed.x()
            if self._dragged or abs(slip) > CLICK_SLIP:
                self._dragged, self._pressed = True, point
                self._look(self.axis.moved(-slip))
            return
        QToolTip.showText(event.globalPosition().toPoint(), self.describe(point), self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._pressed is not None and not self._dragged
        self._pressed = None
        if clicked and (found := self.stretch_at(event.position())) is not None:
            self._choose(found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if (found := self.stretch_at(event.position())) is not None:
            track, row = found
            start, end = int(track.intervals.starts[row]), int(track.intervals.ends[row])
            room = (end - start) // 10 + 5
            self.show_range(start - room, end + room)

    def _choose(self, found: tuple[Track, int]) -> None:
        track, row = found
        self._chosen = found
        self.place = int(track.intervals.starts[row]), int(track.intervals.ends[row])
        feature, _ = track.shown(row)
        self.chosen.emit(*self.place, feature.name if track.is_result else feature.title)
        self.update()
