"""Paints a map of two sequences: frame, ticks, paths, residues at the edges, the small picture of the whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPath
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.map import dots
from swgui.gui.viewer.map.dots import SAME, SIMILAR, Stretches
from swgui.gui.viewer.map.geometry import Density, Frame, MapData, MapLine, MapLines, diagonal_cells, tick_text, ticks

TICK = 4  # pixels
FAR = 1e6  # pixels, beyond which nothing is drawn
BAR = 3  # pixels; width of the bars that show how much differs
PATH_CELLS_FROM = 5.0  # pixels of a residue, from which the residues on the path have cells of their own
PLUS, MINUS, DIFFERENT = 0, 1, 3  # places in the series of colours
RESIDUE_PIXELS = 2  # from this number of pixels for a residue on, residues are compared one by one
MAX_LINES = 6_000  # stretches that are drawn one by one; shorter ones become dots
PathCells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]


def strand_colour(shades: Colours, strand: int) -> QColor:
    return QColor(shades.series[PLUS if strand > 0 else MINUS])


def paint_ground(painter: QPainter, frame: Frame, shades: Colours) -> None:
    """Fill the map; beyond the ends of the sequences it has the colour of the window."""
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
    for drawn in sorted(large, key=lambda path: (path.number == current, -path.number)):
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
    """Write the residues of both sequences along the upper and the left edge of the map, where there is room."""
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
        for offset, residue in enumerate(query.decode("ascii")):
            x = frame.rect.left() + frame.across.pixel(first + offset)
            place = QRectF(x, frame.rect.top(), frame.across.cell, high)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, residue)
    if frame.down.cell >= 0.8 * metrics.height():
        painter.fillRect(QRectF(frame.rect.left(), inside.top(), wide, inside.height()), strip)
        painter.setPen(QColor(shades.text))
        for offset, residue in enumerate(subject.decode("ascii")):
            y = frame.rect.top() + frame.down.pixel(down + offset)
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


class Similarity:
    """Paints where the sequences of a map agree."""

    def __init__(self, data: MapData) -> None:
        self._data = data
        self._tables: dict[int, NDArray[np.uint8]] = {}
        self.stretches: dots.Stretches | None = None  # of all of both sequences; None while they are not known

    def paint(self, painter: QPainter, frame: Frame, shades: Colours, strand: int) -> None:
        data, alphabet = self._data, self._data.scheme.alphabet
        query, subject = data.query[slice(*frame.across.residues())], data.subject[slice(*frame.down.residues())]
        cells = len(query) * len(subject)
        if cells <= dots.RESIDUE_CELLS and min(frame.across.cell, frame.down.cell) >= RESIDUE_PIXELS:
            drawn = dots.residue_cells(query, subject, self._table(strand))
            paint_cells(painter, frame, drawn, cell_colours(shades, strand))
        elif cells <= dots.WORD_CELLS:
            for of_strand in (1, -1) if alphabet.complements else (1,):
                agree = dots.word_cells(query, subject, alphabet, complement=of_strand < 0)
                shown = np.where(agree, np.uint8(dots.SAME), np.uint8(dots.NOTHING))
                paint_cells(painter, frame, shown, cell_colours(shades, of_strand, strong=True))
        elif self.stretches is not None:
            paint_stretches(painter, frame, self.stretches, shades)

    def paint_paths(self, painter: QPainter, frame: Frame, shades: Colours, lines: MapLines) -> None:
        """Fill the cells of aligned residues; meant for a part where single residues can be seen."""
        data = self._data
        for line in lines.sort_out(frame.across, frame.down)[0]:
            query, subject = diagonal_cells(line.line, frame.across, frame.down)
            kinds = self._table(line.strand)[data.query[query], data.subject[subject]]
            paint_path_cells(painter, frame, shades, line, (query, subject, kinds))

    def _table(self, strand: int) -> NDArray[np.uint8]:
        """Return how similar pairs of residues are on a strand, as `dots.similarity`."""
        if strand not in self._tables:
            self._tables[strand] = dots.similarity(self._data.scheme, complement=strand < 0)
        return self._tables[strand]


def paint_cells(
    painter: QPainter, frame: Frame, cells: NDArray[np.uint8], colours: Sequence[QColor],
    corner: tuple[int, int] | None = None, step: int = 1,
) -> None:  # fmt: skip
    """Draw one square for each pair of residues, or for a block of pairs.

    Parameters
    ----------
    cells : ndarray, shape=(rows, columns), dtype=uint8
        Number of the colour of each square; rows follow the subject.
    corner : (int, int), optional
        Query and subject residue (from 0) of the first one; the first ones seen unless given.
    step : int
        Residues along a side of a square.
    """
    rows, columns = cells.shape
    if not rows or not columns:
        return
    table = np.array([_premultiplied(colour) for colour in colours], dtype=np.uint32)
    pixels = np.ascontiguousarray(table[cells])
    image = QImage(pixels.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32_Premultiplied)
    left, top = corner or (frame.across.residues()[0], frame.down.residues()[0])
    place = QRectF(frame.point(left, top), frame.point(left + columns * step, top + rows * step))
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


def paint_path_cells(painter: QPainter, frame: Frame, shades: Colours, drawn: MapLine, cells: PathCells) -> None:
    """Fill the cells of aligned residues: full where they are the same, framed where they differ.

    Parameters
    ----------
    cells : three ndarrays, shape=(n,)
        Query residues, subject residues (from 0), and whether each pair is `dots.SAME`, `dots.SIMILAR` or neither.
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


def paint_stretches(painter: QPainter, frame: Frame, runs: Stretches, shades: Colours) -> None:
    """Draw stretches of equal residues: long ones as lines, those below a pixel as dots."""
    left, right = frame.across.start, frame.across.end
    top, bottom = frame.down.start, frame.down.end
    ends = runs.query + np.where(runs.forwards, runs.lengths, -runs.lengths)
    low, high = np.minimum(runs.query, ends), np.maximum(runs.query, ends)
    seen = (high >= left) & (low <= right) & (runs.subject + runs.lengths >= top) & (runs.subject <= bottom)
    long = runs.lengths >= 1.5 * min(frame.across.step, frame.down.step)
    painter.save()
    painter.setClipRect(frame.rect)
    painter.translate(frame.rect.topLeft())
    pixels = _Dots(painter, frame)
    for forwards in (True, False):
        colour = _faint(shades, 1 if forwards else -1)
        of_strand = seen & (runs.forwards == forwards)
        drawn = np.flatnonzero(of_strand & long)[:MAX_LINES]
        shift = 0 if forwards else 1  # a descending stretch begins behind its residue
        x = np.column_stack([runs.query[drawn] + shift, ends[drawn] + shift]).ravel()
        y = np.column_stack([runs.subject[drawn], runs.subject[drawn] + runs.lengths[drawn]]).ravel()
        if len(drawn):
            painter.setPen(QPen(colour, 1))
            painter.drawPath(pairs_path(frame.across.pixels_of(x), frame.down.pixels_of(y)))
        short = np.flatnonzero(of_strand & ~long)
        pixels.add(frame.across.pixels_of(runs.query[short]), frame.down.pixels_of(runs.subject[short]), colour)
    pixels.paint(painter)
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
        if self._any:
            rows, columns = self._pixels.shape
            form = QImage.Format.Format_ARGB32_Premultiplied
            image = QImage(self._pixels.data, columns, rows, columns * 4, form)
            painter.drawImage(QRectF(QPointF(0, 0), self._size), image)


def _premultiplied(colour: QColor) -> int:
    alpha = colour.alpha()
    red, green, blue = (part * alpha // 255 for part in (colour.red(), colour.green(), colour.blue()))
    return alpha << 24 | red << 16 | green << 8 | blue


def _faint(shades: Colours, strand: int) -> QColor:
    colour = strand_colour(shades, strand)
    colour.setAlpha(95)
    return colour
