"""Paints where the sequences of a map agree: residues, words or stretches, whichever suits the zoom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.map import dots
from swgui.gui.viewer.map.data import Frame, MapData, MapLine, MapLines
from swgui.gui.viewer.map.dots import SAME, SIMILAR, Stretches
from swgui.gui.viewer.map.geometry import diagonal_cells
from swgui.gui.viewer.map.paint import pairs_path, strand_colour

RESIDUE_PIXELS = 2  # from so many for a residue on, residues are compared one by one
MAX_LINES = 6_000  # stretches that are drawn one by one; shorter ones become dots

PathCells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]


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
            found = dots.residue_cells(query, subject, self._table(strand))
            paint_cells(painter, frame, found, cell_colours(shades, strand))
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
    """Draw one square for each pair of residues, or of so many of them.

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
    pixels = _Dots(painter, frame)
    for forwards in (True, False):
        colour = _faint(shades, 1 if forwards else -1)
        of_strand = seen & (found.forwards == forwards)
        drawn = np.flatnonzero(of_strand & long)[:MAX_LINES]
        shift = 0 if forwards else 1  # a descending stretch begins behind its residue
        x = np.column_stack([found.query[drawn] + shift, ends[drawn] + shift]).ravel()
        y = np.column_stack([found.subject[drawn], found.subject[drawn] + found.lengths[drawn]]).ravel()
        if len(drawn):
            painter.setPen(QPen(colour, 1))
            painter.drawPath(pairs_path(frame.across.pixels_of(x), frame.down.pixels_of(y)))
        short = np.flatnonzero(of_strand & ~long)
        pixels.add(frame.across.pixels_of(found.query[short]), frame.down.pixels_of(found.subject[short]), colour)
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
