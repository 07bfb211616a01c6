"""The small picture of the whole in a corner of a map, with the part that is seen."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap

from swgui.gui.kit.theme import Colours, fixed_font, grid
from swgui.gui.viewer.map import paint
from swgui.gui.viewer.map.data import Frame, MapLines
from swgui.gui.viewer.map.geometry import Axis

MAX_SIDE, MIN_SIDE = 17, 5  # side in grid units
SHARE = 1 / 3  # of a side of the map at most


class Overview:
    """Places and paints the small picture; it is drawn once for as long as nothing but the part seen changes."""

    def __init__(self) -> None:
        self._drawn: tuple[object, QPixmap] | None = None

    def forget(self) -> None:
        self._drawn = None

    @staticmethod
    def place(frame: Frame, *, ascends: bool) -> QRectF | None:
        """Return where the picture lies; None while the whole is seen anyway or there is no room.

        Parameters
        ----------
        ascends : bool
            Whether the current path ascends from the lower left to the upper right: the picture lies where it does not.
        """
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
        """Return query and subject position at a point of the picture."""
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
