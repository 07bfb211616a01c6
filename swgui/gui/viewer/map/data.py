"""What a map of two sequences shows, and the part of it that is seen. Pure but for Qt's rectangles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from swgui.core.scoring import ScoringScheme
from swgui.gui.viewer.map.geometry import Axis, Line

SMALL = 6  # pixels, below which a path is drawn from end to end without its corners


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
        """Return the pixels where the paths begin and end; two arrays of shape (n, 2)."""
        return (self._ends[:, :2] - across.start) / across.step, (self._ends[:, 2:] - down.start) / down.step

    @staticmethod
    def _seen(x: NDArray[np.float64], y: NDArray[np.float64], across: Axis, down: Axis) -> NDArray[np.bool_]:
        in_x: NDArray[np.bool_] = (x.max(axis=1) >= 0) & (x.min(axis=1) <= across.pixels)
        return in_x & (y[:, 1] >= 0) & (y[:, 0] <= down.pixels)


@dataclass(frozen=True, slots=True, eq=False)
class MapData:
    """What a map shows."""

    query_name: str
    subject_name: str
    query: NDArray[np.uint8]  # and subject: codes of the residues, the query as the user wrote it
    subject: NDArray[np.uint8]
    scheme: ScoringScheme
    lines: MapLines  # in positions of the sequences as they were written; numbered from 1

    def line(self, number: int) -> MapLine | None:
        """Return the path of an alignment; None if there is none of this number."""
        return next((line for line in self.lines if line.number == number), None)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the map lies in its widget, and what of the sequences it shows."""

    rect: QRectF
    across: Axis
    down: Axis

    def point(self, query: float, subject: float) -> QPointF:
        return QPointF(self.rect.left() + self.across.pixel(query), self.rect.top() + self.down.pixel(subject))

    @property
    def sequences(self) -> QRectF:
        inside = QRectF(self.point(0, 0), self.point(self.across.length, self.down.length))
        return inside.intersected(self.rect)
