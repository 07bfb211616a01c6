"""Paints a map of two sequences: frame, ticks, paths, residues at the edges, the small picture of the whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPath
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.map.data import Frame, MapLines
from swgui.gui.viewer.map.geometry import Density, tick_text, ticks

TICK = 4  # pixels
FAR = 1e6  # pixels, beyond which nothing is drawn
BAR = 3  # pixels; width of the bars that show how much differs
PATH_CELLS_FROM = 5.0  # pixels of a residue, from which the residues on the path have cells of their own
PLUS, MINUS, DIFFERENT = 0, 1, 3  # places in the series of colours


def strand_colour(shades: Colours, strand: int) -> QColor:
    return QColor(shades.series[PLUS if strand > 0 else MINUS])


def paint_ground(painter: QPainter, frame: Frame, shades: Colours) -> None:
    """Fill the map; what lies beyond the ends of the sequences is the colour of the window."""
    painter.fillRect(frame.rect, QColor(shades.window))
    painter.fillRect(frame.sequences, QColor(shades.base))


def paint_grid(painter: QPainter, frame: Frame, shades: Colours, spacing: tuple[float, float]) -> None:
    painter.setPen(QPen(QColor(shades.hover), 1))
    inside = frame.sequences
    for number in ticks(frame.across, spacing[0])[0]:
        x = frame.rect.left() + frame.across.pixel(number - 0.5)
        if inside.left() <= x <= inside.right():
            painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
    for number in ticks(frame.down, spacing[1])[0]:
        y = frame.rect.top() + frame.down.pixel(number - 0.5)
        if inside.top() <= y <= inside.bottom():
            painter.drawLine(QPointF(inside.left(), y), QPointF(inside.right(), y))


def paint_axes(
    painter: QPainter, frame: Frame, shades: Colours, font: QFont, titles: tuple[str, str], spacing: tuple[float, float]
) -> None:
    """Draw ticks, residue numbers and the names of the sequences, left of and below the map."""
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    rect = frame.rect
    line, text = QPen(QColor(shades.control), 1), QColor(shades.muted)
    painter.setPen(line)
    painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5))
    numbers, step = ticks(frame.across, spacing[0])
    taken = -1e9
    for number in numbers:
        x = rect.left() + frame.across.pixel(number - 0.5)
        label = tick_text(number, step)
        half = metrics.horizontalAdvance(label) / 2
        if not rect.left() <= x <= rect.right():
            continue
        painter.setPen(line)
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x, rect.bottom() + TICK))
        if x - half < taken:
            continue
        taken = x + half + metrics.averageCharWidth()
        painter.setPen(text)
        place = QRectF(x - half - 1, rect.bottom() + TICK, 2 * half + 2, metrics.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, label)
    numbers, step = ticks(frame.down, spacing[1])
    taken = -1e9
    for number in numbers:
        y = rect.top() + frame.down.pixel(number - 0.5)
        if not rect.top() <= y <= rect.bottom():
            continue
        painter.setPen(line)
        painter.drawLine(QPointF(rect.left() - TICK, y), QPointF(rect.left(), y))
        if y - metrics.height() / 2 < taken:
            continue
        taken = y + metrics.height() / 2
        painter.setPen(text)
        place = QRectF(0, y - metrics.height() / 2, rect.left() - TICK - 2, metrics.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tick_text(number, step))
    painter.setPen(QColor(shades.text))
    below = QRectF(rect.left(), rect.bottom() + TICK + metrics.height(), rect.width(), metrics.height() * 1.2)
    title = metrics.elidedText(titles[0], Qt.TextElideMode.ElideMiddle, below.width())
    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, title)
    painter.save()
    painter.translate(0, rect.bottom())
    painter.rotate(-90)
    beside = QRectF(0, 0, rect.height(), metrics.height() * 1.2)
    title = metrics.elidedText(titles[1], Qt.TextElideMode.ElideMiddle, beside.width())
    painter.drawText(beside, Qt.AlignmentFlag.AlignCenter, title)
    painter.restore()


def paint_lines(painter: QPainter, frame: Frame, shades: Colours, lines: MapLines, current: int, width: float) -> None:
    """Draw the paths; the current one (a number) is twice as wide and on top."""
    painter.save()
    painter.setClipRect(frame.rect)
    painter.translate(frame.rect.topLeft())
    painter.setBrush(Qt.BrushStyle.NoBrush)
    large, small = lines.sort_out(frame.across, frame.down)
    for strand, (x, y) in small.items():
        painter.setPen(_pen(strand_colour(shades, strand), max(width, 1.5)))
        painter.drawPath(pairs_path(x, y))
    for drawn in sorted(large, key=lambda each: (each.number == current, -each.number)):
        thick = width * (2 if drawn.number == current else 1)
        x, y = drawn.line.points(frame.across, frame.down, max(0.5, thick / 2))
        if len(x):
            painter.setPen(_pen(strand_colour(shades, drawn.strand), thick))
            painter.drawPath(path_of(x, y))
    painter.restore()


def _pen(colour: QColor, width: float) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    return pen


def pairs_path(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPainterPath:
    """Return separate lines, two points each; far ones are brought near so that nothing overflows."""
    path: QPainterPath = arrayToQPath(np.clip(x, -FAR, FAR), np.clip(y, -FAR, FAR), connect="pairs")
    return path


def path_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPainterPath:
    """Return a line through points; far ones are brought near so that nothing overflows."""
    path: QPainterPath = arrayToQPath(np.clip(x, -FAR, FAR), np.clip(y, -FAR, FAR), connect="all")
    return path


def paint_densities(
    painter: QPainter, frame: Frame, shades: Colours, densities: tuple[Density, Density], height: float
) -> None:
    """Draw above and right of the map how much of either sequence differs; the root makes small shares visible."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(shades.series[DIFFERENT]))
    rect = frame.rect
    for density, axis, upright in zip(densities, (frame.across, frame.down), (True, False), strict=True):
        shares = np.sqrt(density.shares(axis, BAR)) * height
        along = np.repeat(BAR * np.arange(len(shares) + 1, dtype=np.float64), 2)
        out = np.concatenate([[0.0], np.repeat(shares, 2), [0.0]])
        if upright:
            painter.drawPath(arrayToQPath(rect.left() + along, rect.top() - 1 - out, connect="all"))
        else:
            painter.drawPath(arrayToQPath(rect.right() + 1 + out, rect.top() + along, connect="all"))
    painter.restore()


def paint_residues(painter: QPainter, frame: Frame, shades: Colours, font: QFont, query: bytes, subject: bytes) -> None:
    """Write the residues of both sequences along the upper and the left edge of the map, where there is room for them.

    Parameters
    ----------
    query, subject : bytes
        The residues seen.
    """
    metrics = QFontMetricsF(font)
    painter.save()
    painter.setClipRect(frame.rect)
    painter.setFont(font)
    strip = QColor(shades.window)
    strip.setAlpha(225)
    high, wide = metrics.height() * 1.1, metrics.averageCharWidth() * 2
    first, down = frame.across.residues()[0], frame.down.residues()[0]
    inside = frame.sequences
    if frame.across.cell >= 1.05 * metrics.averageCharWidth():
        painter.fillRect(QRectF(inside.left(), frame.rect.top(), inside.width(), high), strip)
        painter.setPen(QColor(shades.text))
        for at, residue in enumerate(query.decode("ascii")):
            x = frame.rect.left() + frame.across.pixel(first + at)
            place = QRectF(x, frame.rect.top(), frame.across.cell, high)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, residue)
    if frame.down.cell >= 0.8 * metrics.height():
        painter.fillRect(QRectF(frame.rect.left(), inside.top(), wide, inside.height()), strip)
        painter.setPen(QColor(shades.text))
        for at, residue in enumerate(subject.decode("ascii")):
            y = frame.rect.top() + frame.down.pixel(down + at)
            place = QRectF(frame.rect.left(), y, wide, frame.down.cell)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, residue)
    painter.restore()


def paint_cross(painter: QPainter, frame: Frame, place: tuple[int, int], colour: QColor, style: Qt.PenStyle) -> None:
    pen = QPen(colour, 1, style)
    painter.setPen(pen)
    point = frame.point(place[0] + 0.5, place[1] + 0.5)
    rect = frame.rect
    if rect.left() <= point.x() <= rect.right():
        painter.drawLine(QPointF(point.x(), rect.top()), QPointF(point.x(), rect.bottom()))
    if rect.top() <= point.y() <= rect.bottom():
        painter.drawLine(QPointF(rect.left(), point.y()), QPointF(rect.right(), point.y()))


def paint_overview(painter: QPainter, whole: Frame, shades: Colours, lines: MapLines) -> None:
    paint_ground(painter, whole, shades)
    paint_lines(painter, whole, shades, lines, 0, 1.0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(shades.control), 1))
    painter.drawRect(whole.rect.adjusted(0.5, 0.5, -0.5, -0.5))


def paint_part(painter: QPainter, whole: Frame, seen: Frame, shades: Colours) -> None:
    part = QRectF(
        whole.point(seen.across.start, seen.down.start), whole.point(seen.across.end, seen.down.end)
    ).intersected(whole.rect)
    middle = part.center()
    part = QRectF(0, 0, max(part.width(), 5), max(part.height(), 5))  # never too small to be seen
    part.moveCenter(middle)
    veil = QColor(shades.accent)
    veil.setAlpha(45)
    painter.setPen(QPen(QColor(shades.accent), 1.5))
    painter.setBrush(veil)
    painter.drawRect(part)
