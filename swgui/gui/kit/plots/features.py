"""Features drawn along a sequence: boxes with names, sites as pins. Kinds differ by form as well as by colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from swgui.core.features import Feature, Group
from swgui.gui.kit.theme import Colours

LANES = 3  # rows of boxes; the tool tip has all the features
_SERIES: dict[Group, int] = {"domain": 0, "gene": 0, "membrane": 1, "targeting": 2, "rna": 2, "site": 3}
_ALPHA = (70, 95)  # of fills, in light and in dark
_ROOM = 4.0  # pixels around a name
_LETTERS = 7  # of a name that is cut


@dataclass(frozen=True, slots=True)
class PlacedFeature:
    """A feature in its lane; sites have lane -1."""

    feature: Feature
    lane: int


def place(features: Iterable[Feature], lanes: int = LANES) -> list[PlacedFeature]:
    """Put features into lanes in which they do not overlap; the longest first, without those that fit into no lane."""
    ends: list[list[tuple[int, int]]] = [[] for _ in range(lanes)]
    placed = []
    for feature in sorted(features, key=lambda feature: feature.start - feature.end):
        if feature.group == "site":
            placed.append(PlacedFeature(feature, -1))
            continue
        for lane, taken in enumerate(ends):
            if all(feature.end <= start or end <= feature.start for start, end in taken):
                taken.append((feature.start, feature.end))
                placed.append(PlacedFeature(feature, lane))
                break
    return placed


def lanes_of(placed: Sequence[PlacedFeature]) -> int:
    return max((feature.lane for feature in placed), default=-1) + 1


def colour_of(feature: Feature, shades: Colours) -> QColor:
    index = _SERIES.get(feature.group)
    return QColor(shades.muted if index is None else shades.series[index])


def paint(
    painter: QPainter,
    placed: Sequence[PlacedFeature],
    x: Callable[[float], float],
    area: QRectF,
    shades: Colours,
    font: QFont,
) -> None:
    """Paint features into an area.

    Parameters
    ----------
    x : callable
        Gives where a position (from 0) begins, in pixels.
    """
    count = max(lanes_of(placed), 1)
    height = area.height() / count
    metrics = QFontMetricsF(font)
    painter.save()
    painter.setClipRect(area)
    painter.setFont(font)
    for entry in placed:
        colour = colour_of(entry.feature, shades)
        if entry.lane < 0:
            _paint_pins(painter, entry.feature, x, area, colour)
            continue
        top = area.top() + entry.lane * height
        _paint_boxes(painter, entry.feature, x, QRectF(area.left(), top, area.width(), height - 1), colour, shades)
        _paint_name(painter, entry.feature, x, QRectF(area.left(), top, area.width(), height - 1), metrics, shades)
    painter.restore()


def _paint_boxes(
    painter: QPainter, feature: Feature, x: Callable[[float], float], lane: QRectF, colour: QColor, shades: Colours
) -> None:
    fill = QColor(colour)
    fill.setAlpha(_ALPHA[shades.dark])
    if len(feature.spans) > 1:  # the line that joins the parts of one feature
        painter.setPen(QPen(colour, 1))
        middle = lane.center().y()
        painter.drawLine(QPointF(x(feature.start), middle), QPointF(x(feature.end), middle))
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine if feature.group == "other" else Qt.PenStyle.SolidLine))
    painter.setBrush(fill)
    for start, end in feature.spans:
        left = max(x(start), lane.left() - 2)
        right = min(max(x(end), x(start) + 2), lane.right() + 2)
        if right > left:
            painter.drawRect(QRectF(left, lane.top() + 0.5, right - left, lane.height() - 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_name(
    painter: QPainter,
    feature: Feature,
    x: Callable[[float], float],
    lane: QRectF,
    metrics: QFontMetricsF,
    shades: Colours,
) -> None:
    left, right = max(x(feature.start), lane.left()) + _ROOM, min(x(feature.end), lane.right()) - _ROOM
    arrow = "" if feature.strand > 0 else "← "
    name = arrow + (feature.name or feature.title)
    room = min(metrics.horizontalAdvance(name), metrics.averageCharWidth() * _LETTERS)  # a shorter name is not useful
    if right - left >= room and lane.height() >= metrics.height() * 0.8:
        painter.setPen(QColor(shades.text))
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QRectF(left, lane.top(), right - left, lane.height()), Qt.AlignmentFlag.AlignVCenter, shown)


def _paint_pins(painter: QPainter, feature: Feature, x: Callable[[float], float], area: QRectF, colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(colour)
    for start, end in feature.spans:
        middle = (x(start) + x(end)) / 2
        if area.left() - 2 <= middle <= area.right() + 2:
            painter.drawLine(QPointF(middle, area.top() + 3), QPointF(middle, area.bottom()))
            painter.drawEllipse(QPointF(middle, area.top() + 3), 2.2, 2.2)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def told_at(features: Iterable[Feature], first: float, last: float, most: int = 8) -> str:
    """Return the features at some positions (from 0, both included), a line each; the shortest first."""
    hits = sorted(
        (feature for feature in features if any(start <= last and first < end for start, end in feature.spans)),
        key=lambda feature: feature.end - feature.start,
    )
    lines = [feature.describe() for feature in hits[:most]]
    return "\n".join(lines if len(hits) <= most else [*lines, f"and {len(hits) - most:,} more"])
