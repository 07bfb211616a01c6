"""Paints a map of two sequences: frame, ticks, agreeing residues, paths, the small picture of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPath
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.map.dots import SAME, SIMILAR, Stretches
from swgui.gui.viewer.map.geometry import Axis, Density, Line, tick_text, ticks

TICK = 4  # pixels
SMALL = 6  # pixels, below which a path is drawn from end to end without its corners
FAR = 1e6  # pixels, beyond which nothing is drawn
BAR = 3  # pixels; width of the bars that show how much differs
PATH_CELLS_FROM = 5.0  # pixels of a residue, from which the residues on the path have cells of their own
MAX_LINES = 6_000  # stretches that are drawn one by one; shorter ones become dots
PLUS, MINUS, DIFFERENT = 0, 1, 3  # places in the series of colours


@dataclass(frozen=True, slots=True, eq=False)
class MapLine:
    """The path of one alignment; `number` counts from 1 in the order of the scores."""

    line: Line
    strand: int
    number: int


class MapLines:
    """All paths of a map, with what decides which of them are in sight and which are too small for corners.

    Parameters
    ----------
    lines : sequence of MapLine
    """

    def __init__(self, lines: Sequence[MapLine]) -> None:
        self.lines = tuple(lines)
        ends = [(each.line.x[0], each.line.x[-1], each.line.y[0], each.line.y[-1]) for each in lines]
        self._ends = np.array(ends, dtype=np.float64).reshape(len(ends), 4)
        self._strands = np.array([each.strand for each in lines], dtype=np.int64)

    def __iter__(self) -> Iterator[MapLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, at: int) -> MapLine:
        return self.lines[at]

    def near(self, across: Axis, down: Axis, x: float, y: float, distance: float) -> list[MapLine]:
        """Return the paths that may pass a point of the map within some pixels."""
        place = replace(across, start=across.at(x - distance), pixels=2 * distance)
        beside = replace(down, start=down.at(y - distance), pixels=2 * distance)
        return [self.lines[at] for at in np.flatnonzero(self._seen(*self._pixels(place, beside), place, beside))]

    def sort_out(
        self, across: Axis, down: Axis
    ) -> tuple[list[MapLine], dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]:
        """Return the paths in sight that are large enough for corners, and the ends of the others by strand.

        Returns
        -------
        list of MapLine, dict of int to (ndarray, ndarray)
            Ends in pixels, two by two.
        """
        x, y = self._pixels(across, down)
        seen = self._seen(x, y, across, down)
        small = (np.abs(x[:, 1] - x[:, 0]) < SMALL) & (y[:, 1] - y[:, 0] < SMALL)
        ends = {}
        for strand in (1, -1):
            chosen = seen & small & (self._strands == strand)
            if chosen.any():
                ends[strand] = (x[chosen].ravel(), y[chosen].ravel())
        return [self.lines[at] for at in np.flatnonzero(seen & ~small)], ends

    def _pixels(self, across: Axis, down: Axis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where the paths begin and end; two arrays of shape (n, 2)."""
        return (self._ends[:, :2] - across.start) / across.step, (self._ends[:, 2:] - down.start) / down.step

    @staticmethod
    def _seen(x: NDArray[np.float64], y: NDArray[np.float64], across: Axis, down: Axis) -> NDArray[np.bool_]:
        return (x.max(axis=1) >= 0) & (x.min(axis=1) <= across.pixels) & (y[:, 1] >= 0) & (y[:, 0] <= down.pixels)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the map lies in its widget, and what of the sequences it shows."""

    rect: QRectF
    across: Axis
    down: Axis

    def point(self, query: float, subject: float) -> QPointF:
        """Return where two positions meet."""
        return QPointF(self.rect.left() + self.across.pixel(query), self.rect.top() + self.down.pixel(subject))

    @property
    def sequences(self) -> QRectF:
        """The part of the map that lies inside both sequences."""
        inside = QRectF(self.point(0, 0), self.point(self.across.length, self.down.length))
        return inside.intersected(self.rect)


def strand_colour(shades: Colours, strand: int) -> QColor:
    """Return the colour of a strand."""
    return QColor(shades.series[PLUS if strand > 0 else MINUS])


def paint_ground(painter: QPainter, frame: Frame, shades: Colours) -> None:
    """Fill the map; what lies beyond the ends of the sequences is the colour of the window."""
    painter.fillRect(frame.rect, QColor(shades.window))
    painter.fillRect(frame.sequences, QColor(shades.base))


def paint_grid(painter: QPainter, frame: Frame, shades: Colours, spacing: tuple[float, float]) -> None:
    """Draw faint lines at the ticks."""
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
        painter.drawPath(_pairs(x, y))
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


def _pairs(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPainterPath:
    """Return separate lines, two points each."""
    return arrayToQPath(np.clip(x, -FAR, FAR), np.clip(y, -FAR, FAR), connect="pairs")


def path_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> QPainterPath:
    """Return a line through points; far ones are brought near so that nothing overflows."""
    return arrayToQPath(np.clip(x, -FAR, FAR), np.clip(y, -FAR, FAR), connect="all")


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


def paint_cells(painter: QPainter, frame: Frame, cells: NDArray[np.uint8], colours: Sequence[QColor]) -> None:
    """Draw one square for each pair of residues seen.

    Parameters
    ----------
    cells : ndarray, shape=(subject residues, query residues), dtype=uint8
        Number of the colour of each cell, for the residues that the axes show.
    """
    rows, columns = cells.shape
    if not rows or not columns:
        return
    table = np.array([_premultiplied(colour) for colour in colours], dtype=np.uint32)
    pixels = np.ascontiguousarray(table[cells])
    image = QImage(pixels.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32_Premultiplied)
    left, top = frame.across.residues()[0], frame.down.residues()[0]
    place = QRectF(frame.point(left, top), frame.point(left + columns, top + rows))
    painter.save()
    painter.setClipRect(frame.rect)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(place, image)
    painter.restore()


def cell_colours(shades: Colours, strand: int, *, strong: bool = False) -> list[QColor]:
    """Return the colours of cells of pairs of residues: neither, similar, the same."""
    same, similar = strand_colour(shades, strand), strand_colour(shades, strand)
    same.setAlpha(120 if strong else 55)
    similar.setAlpha(25)
    colours = [QColor(0, 0, 0, 0)] * 3
    colours[SIMILAR], colours[SAME] = similar, same
    return colours


def paint_path_cells(
    painter: QPainter, frame: Frame, shades: Colours, drawn: MapLine, cells: tuple[NDArray[np.int64], ...]
) -> None:
    """Fill the cells of aligned residues: full where they are the same, framed where they differ.

    Parameters
    ----------
    cells : ndarrays, shape=(n,)
        Query residue, subject residue and whether they are the same, similar or neither.
    """
    painter.save()
    painter.setClipRect(frame.rect)
    full = strand_colour(shades, drawn.strand)
    full.setAlpha(190)
    for query, subject, kind in zip(*(column.tolist() for column in cells), strict=True):
        place = QRectF(frame.point(query, subject), frame.point(query + 1, subject + 1)).adjusted(0.5, 0.5, -0.5, -0.5)
        if kind == SAME:
            painter.fillRect(place, full)
        else:
            painter.fillRect(place, QColor(shades.base))
            painter.setPen(QPen(QColor(shades.danger), 1.5))
            painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def paint_stretches(painter: QPainter, frame: Frame, found: Stretches, shades: Colours) -> None:
    """Draw stretches of equal residues: long ones as lines, those below a pixel as dots."""
    left, right = frame.across.start, frame.across.end
    top, bottom = frame.down.start, frame.down.end
    ends = found.query + np.where(found.forwards, found.lengths, -found.lengths)
    low, high = np.minimum(found.query, ends), np.maximum(found.query, ends)
    seen = (high >= left) & (low <= right) & (found.subject + found.lengths >= top) & (found.subject <= bottom)
    long = found.lengths >= 1.5 * min(frame.across.step, frame.down.step)
    painter.save()
    painter.setClipRect(frame.rect)
    painter.translate(frame.rect.topLeft())
    dots = _Dots(painter, frame)
    for forwards in (True, False):
        colour = _faint(shades, 1 if forwards else -1)
        of_strand = seen & (found.forwards == forwards)
        drawn = np.flatnonzero(of_strand & long)[:MAX_LINES]
        shift = 0 if forwards else 1  # a descending stretch begins behind its residue
        x = np.column_stack([found.query[drawn] + shift, ends[drawn] + shift]).ravel()
        y = np.column_stack([found.subject[drawn], found.subject[drawn] + found.lengths[drawn]]).ravel()
        if len(drawn):
            painter.setPen(QPen(colour, 1))
            painter.drawPath(_pairs((x - left) / frame.across.step, (y - top) / frame.down.step))
        rest = np.flatnonzero(of_strand & ~long)
        px = (found.query[rest] - left) / frame.across.step
        dots.add(px, (found.subject[rest] - top) / frame.down.step, colour)
    dots.paint(painter)
    painter.restore()


class _Dots:
    """Single pixels of a map, painted as one picture."""

    def __init__(self, painter: QPainter, frame: Frame) -> None:
        self._ratio = painter.device().devicePixelRatioF()
        self._size = frame.rect.size()
        rows, columns = round(self._size.height() * self._ratio), round(self._size.width() * self._ratio)
        self._pixels = np.zeros((rows, columns), dtype=np.uint32)
        self._any = False

    def add(self, x: NDArray[np.float64], y: NDArray[np.float64], colour: QColor) -> None:
        """Set the pixels of some places; those outside the map are left out."""
        rows, columns = self._pixels.shape
        column, row = np.floor(x * self._ratio).astype(np.int64), np.floor(y * self._ratio).astype(np.int64)
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        stronger = QColor(colour)
        stronger.setAlpha(min(255, colour.alpha() + 40))
        self._pixels[row[inside], column[inside]] = _premultiplied(stronger)
        self._any = self._any or bool(inside.any())

    def paint(self, painter: QPainter) -> None:
        """Paint the picture, if there is anything in it."""
        if self._any:
            rows, columns = self._pixels.shape
            form = QImage.Format.Format_ARGB32_Premultiplied
            image = QImage(self._pixels.data, columns, rows, columns * 4, form)
            painter.drawImage(QRectF(QPointF(0, 0), self._size), image)


def _premultiplied(colour: QColor) -> int:
    """Return a colour as pictures keep it that are painted fast."""
    alpha = colour.alpha()
    red, green, blue = (part * alpha // 255 for part in (colour.red(), colour.green(), colour.blue()))
    return alpha << 24 | red << 16 | green << 8 | blue


def _faint(shades: Colours, strand: int) -> QColor:
    colour = strand_colour(shades, strand)
    colour.setAlpha(95)
    return colour


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
    """Draw lines through the middle of two residues."""
    pen = QPen(colour, 1, style)
    painter.setPen(pen)
    point = frame.point(place[0] + 0.5, place[1] + 0.5)
    rect = frame.rect
    if rect.left() <= point.x() <= rect.right():
        painter.drawLine(QPointF(point.x(), rect.top()), QPointF(point.x(), rect.bottom()))
    if rect.top() <= point.y() <= rect.bottom():
        painter.drawLine(QPointF(rect.left(), point.y()), QPointF(rect.right(), point.y()))


def paint_overview(painter: QPainter, whole: Frame, shades: Colours, lines: MapLines) -> None:
    """Draw the whole of both sequences, small."""
    paint_ground(painter, whole, shades)
    paint_lines(painter, whole, shades, lines, 0, 1.0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(shades.control), 1))
    painter.drawRect(whole.rect.adjusted(0.5, 0.5, -0.5, -0.5))


def paint_part(painter: QPainter, whole: Frame, seen: Frame, shades: Colours) -> None:
    """Mark the part seen in the small picture of the whole."""
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
