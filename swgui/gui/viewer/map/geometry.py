"""Geometry of a map of two sequences: visible part, zoom, ticks, lines reduced to the pixels. Pure, without Qt.

Positions count residues from 0, as floats inside a residue; pixels count from the left or upper end of
the map's side, as floats. Ticks carry residue numbers, which count from 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme

MARGIN = 0.02  # of the length, beyond either end, where all of a sequence is seen
MIN_RESIDUES = 8  # minimum of visible residues along an axis
REDUCTION = 4  # each coarser copy of a line has points this many times further apart
FINEST_COPY = 16  # residues; lines are not reduced below it
SMALL = 6  # pixels, below which a path is drawn from end to end without its corners


@dataclass(frozen=True, slots=True)
class Axis:
    """The part of one sequence that is seen along one side of the map.

    Residue i (from 0) covers the stretch from i to i + 1.
    """

    length: int  # residues of the sequence
    pixels: float  # length of the side
    start: float  # position at its first pixel; may be before the sequence
    step: float  # residues per pixel
    finest: float = 1 / 16  # the smallest `step`

    @classmethod
    def whole(cls, length: int, pixels: float, finest: float = 1 / 16) -> Axis:
        return cls(length, max(pixels, 1.0), 0.0, math.inf, finest)._kept()

    @property
    def coarsest(self) -> float:
        """The largest `step`: all of the sequence and a margin."""
        return max(self.length * (1 + 2 * MARGIN) / self.pixels, self.finest)

    @property
    def end(self) -> float:
        """Position behind the last pixel."""
        return self.start + self.pixels * self.step

    @property
    def is_whole(self) -> bool:
        return self.step >= self.coarsest * (1 - 1e-9)

    @property
    def cell(self) -> float:
        return 1 / self.step

    def at(self, pixel: float) -> float:
        """Return the position at a pixel."""
        return self.start + pixel * self.step

    def residue(self, pixel: float) -> int | None:
        """Return the residue (from 0) at a pixel, None beyond the ends."""
        residue = math.floor(self.at(pixel))
        return residue if 0 <= residue < self.length else None

    def pixel(self, position: float) -> float:
        """Return the pixel of a position."""
        return (position - self.start) / self.step

    def pixels_of(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the pixels of positions, in an array of the same shape."""
        return np.asarray((positions - self.start) / self.step, dtype=np.float64)

    def residues(self) -> tuple[int, int]:
        """Return the residues seen, half open."""
        return max(0, math.floor(self.start)), min(self.length, math.ceil(self.end))

    def zoomed(self, factor: float, pixel: float) -> Axis:
        """Show `factor` times fewer residues; the position at `pixel` stays there."""
        step = min(max(self.step / factor, self.finest), self.coarsest)
        return replace(self, step=step, start=self.at(pixel) - pixel * step)._kept()

    def moved(self, pixels: float) -> Axis:
        """Move the visible part by some pixels: positive ones bring later residues into sight."""
        return replace(self, start=self.start + pixels * self.step)._kept()

    def resized(self, pixels: float) -> Axis:
        """Take another length of the side; the middle stays, and a map of the whole still shows the whole."""
        if self.is_whole:
            return Axis.whole(self.length, pixels, self.finest)
        middle, pixels = (self.start + self.end) / 2, max(pixels, 1.0)
        return replace(self, pixels=pixels, start=middle - pixels * self.step / 2)._kept()

    def showing(self, first: float, last: float) -> Axis:
        """Show the stretch from `first` to `last`."""
        low, high = min(first, last), max(first, last)
        step = min(max(max(high - low, MIN_RESIDUES) / self.pixels, self.finest), self.coarsest)
        return replace(self, step=step, start=(low + high - self.pixels * step) / 2)._kept()

    def centred(self, position: float) -> Axis:
        return replace(self, start=position - self.pixels * self.step / 2)._kept()

    def with_in_sight(self, position: float) -> Axis:
        """Return the axis as it is if a position is well in sight, else centred on it."""
        room = 0.08 * self.pixels * self.step
        return self if self.start + room <= position <= self.end - room else self.centred(position)

    def _kept(self) -> Axis:
        step = min(max(self.step, self.finest), self.coarsest)
        seen, margin = self.pixels * step, MARGIN * self.pixels * step
        if seen >= self.length:
            start = (self.length - seen) / 2
        else:
            start = min(max(self.start, -margin), self.length - seen + margin)
        return replace(self, step=step, start=start)


def nice_step(minimum: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50 ... that is not below `minimum`."""
    power = int(10 ** max(0, math.floor(math.log10(max(minimum, 1)))))
    return next((power * m for m in (1, 2, 5, 10) if power * m >= minimum), power * 10)


def ticks(axis: Axis, spacing: float) -> tuple[list[int], int]:
    """Return residue numbers (from 1) to write along an axis, and the step between them.

    Parameters
    ----------
    spacing : float
        Smallest distance of two ticks in pixels.
    """
    step = nice_step(spacing * axis.step)
    first, last = axis.residues()
    numbers = [max(1, residue) for residue in range(-(-(first + 1) // step) * step, last + 1, step)]
    if first == 0 and (not numbers or numbers[0] != 1) and step > 1:
        numbers = [1, *numbers]
    return numbers, step


def tick_text(number: int, step: int) -> str:
    """Return a residue number as short as the step between ticks allows: ``1.2 M``, ``350 k``, ``4,710,233``."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        tenth = unit // 10
        if step >= tenth and number >= unit and number % tenth == 0:
            value = number / unit
            return f"{value:,.0f} {name}" if number % unit == 0 else f"{value:,.1f} {name}"
    return f"{number:,}"


class Line:
    """One path through the map: corners in either sequence, with coarser copies made when they are wanted.

    Parameters
    ----------
    x, y : ndarray, shape=(n,), dtype=int64
        Positions in query and subject where runs meet; `y` ascends, `x` ascends or descends; neighbours may be equal.
    """

    def __init__(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        self.x, self.y = x, y
        self.ascending = len(x) < 2 or x[-1] >= x[0]
        self._copies: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def points(self, across: Axis, down: Axis, grain: float = 0.5) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the visible part, with no more points than the screen can separate.

        Parameters
        ----------
        grain : float
            Pixels within which points are one.

        Returns
        -------
        x, y : ndarray, shape=(k,), dtype=float64
            In pixels; the first and the last may be outside.
        """
        x, y = self._copy(min(across.step, down.step))
        first, last = self._range(x, y, across, down)
        px, py = across.pixels_of(x[first:last]), down.pixels_of(y[first:last])
        keep = _turns(np.rint(px / grain), np.rint(py / grain))
        return px[keep], py[keep]

    def _copy(self, step: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the points that matter at `step` residues per pixel."""
        quantum = FINEST_COPY
        if step < 4 * quantum:
            return self.x, self.y
        while 4 * quantum * REDUCTION <= step:
            quantum *= REDUCTION
        if quantum not in self._copies:
            keep = _turns(self.x // quantum, self.y // quantum)
            self._copies[quantum] = (self.x[keep], self.y[keep])
        return self._copies[quantum]

    def seen(self, across: Axis, down: Axis) -> tuple[int, int]:
        """Return the range of corners inside the window, with one more on either side."""
        return self._range(self.x, self.y, across, down)

    def _range(self, x: NDArray[np.int64], y: NDArray[np.int64], across: Axis, down: Axis) -> tuple[int, int]:
        low, high = np.searchsorted(y, (down.start, down.end))
        if self.ascending:
            left, right = np.searchsorted(x, (across.start, across.end))
        else:
            left, right = len(x) - np.searchsorted(x[::-1], (across.end, across.start))
        first, last = max(low, left), min(high, right)
        return max(0, int(first) - 1), min(len(x), max(int(last), int(first)) + 1)


def _turns(x: NDArray[np.generic], y: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which points differ from the one before or from the one behind; the first and the last stay."""
    keep = np.ones(len(x), dtype=bool)
    if len(x) > 2:
        moves = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
        keep[1:-1] = moves[:-1] | moves[1:]
    return keep


class Density:
    """How many residues of one sequence are of a kind, for example different, in any stretch of it.

    Parameters
    ----------
    starts, lengths : ndarray, shape=(n,), dtype=int64
        Stretches of such residues, in any order; they do not overlap.
    """

    def __init__(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        order = np.argsort(starts, kind="stable")
        self._starts, self._lengths = starts[order], lengths[order]
        self._before = np.concatenate([[0], np.cumsum(self._lengths)])

    def below(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the number of residues before each position; parts of residues count as parts.

        Parameters
        ----------
        positions : ndarray, shape=(k,), dtype=float64

        Returns
        -------
        ndarray, shape=(k,), dtype=float64
        """
        if not len(self._starts):
            return np.zeros(len(positions))
        index = np.searchsorted(self._starts, positions, side="right") - 1
        inside = np.clip(positions - self._starts[index], 0, self._lengths[index])
        return np.where(index < 0, 0.0, self._before[index] + inside)

    def shares(self, axis: Axis, width: int = 1) -> NDArray[np.float64]:
        """Return the share of them, 0 to 1, in each bar of `width` pixels along an axis.

        Returns
        -------
        ndarray, shape=(pixels // width,), dtype=float64
        """
        edges = axis.start + axis.step * width * np.arange(math.floor(axis.pixels / width) + 1, dtype=np.float64)
        return np.clip(np.diff(self.below(edges)) / (axis.step * width), 0.0, 1.0)


def distance_to(line: Line, across: Axis, down: Axis, pixel_x: float, pixel_y: float) -> float:
    """Return how many pixels a point of the map is away from a line; infinite if none of it is seen."""
    x, y = line.points(across, down)
    if len(x) == 0:
        return math.inf
    if len(x) == 1:
        return math.hypot(float(x[0]) - pixel_x, float(y[0]) - pixel_y)
    dx, dy = np.diff(x), np.diff(y)
    square = np.maximum(dx * dx + dy * dy, 1e-12)
    share = np.clip(((pixel_x - x[:-1]) * dx + (pixel_y - y[:-1]) * dy) / square, 0, 1)
    return float(np.hypot(x[:-1] + share * dx - pixel_x, y[:-1] + share * dy - pixel_y).min())


def diagonal_cells(line: Line, across: Axis, down: Axis) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return query and subject residues (from 0) that a line aligns with each other, of those seen.

    Two arrays of shape (k,) and dtype int64, in the order of the subject.
    Meant for a part where single residues can be seen: it makes an entry for each pair.
    """
    first, last = line.seen(across, down)
    x, y = line.x[first:last], line.y[first:last]
    (left, right), (top, bottom) = across.residues(), down.residues()
    query, subject = [], []
    for x0, y0, x1, y1 in zip(x[:-1].tolist(), y[:-1].tolist(), x[1:].tolist(), y[1:].tolist(), strict=True):
        if x0 == x1 or y0 == y1:
            continue
        begin, end = max(0, top - y0), min(y1, bottom) - y0
        steps = np.arange(begin, max(begin, end), dtype=np.int64)
        query.append(x0 + steps if x1 > x0 else x0 - 1 - steps)
        subject.append(y0 + steps)
    if not query:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    q, s = np.concatenate(query), np.concatenate(subject)
    seen = (q >= left) & (q < right)
    return q[seen], s[seen]


@dataclass(frozen=True, slots=True, eq=False)
class MapLine:
    """The path of one alignment; `number` counts from 1 in the order of the scores."""

    line: Line
    strand: int
    number: int


class MapLines:
    """All paths of a map, with what decides which of them are in sight and which are too small for corners."""

    def __init__(self, lines: Sequence[MapLine]) -> None:
        self.lines = tuple(lines)
        ends = [(drawn.line.x[0], drawn.line.x[-1], drawn.line.y[0], drawn.line.y[-1]) for drawn in lines]
        self._ends = np.array(ends, dtype=np.float64).reshape(len(ends), 4)
        self._strands = np.array([drawn.strand for drawn in lines], dtype=np.int64)

    def __iter__(self) -> Iterator[MapLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> MapLine:
        return self.lines[index]

    def near(self, across: Axis, down: Axis, x: float, y: float, distance: float) -> list[MapLine]:
        """Return the paths that may pass a point of the map within some pixels."""
        place = replace(across, start=across.at(x - distance), pixels=2 * distance)
        beside = replace(down, start=down.at(y - distance), pixels=2 * distance)
        return [self.lines[index] for index in np.flatnonzero(self._seen(*self._pixels(place, beside), place, beside))]

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
        return [self.lines[index] for index in np.flatnonzero(seen & ~small)], ends

    def _pixels(self, across: Axis, down: Axis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the pixels where the paths begin and end; two arrays of shape (n, 2)."""
        return (self._ends[:, :2] - across.start) / across.step, (self._ends[:, 2:] - down.start) / down.step

    @staticmethod
    def _seen(x: NDArray[np.float64], y: NDArray[np.float64], across: Axis, down: Axis) -> NDArray[np.bool_]:
        in_x: NDArray[np.bool_] = (x.max(axis=1) >= 0) & (x.min(axis=1) <= across.pixels)
        return in_x & (y[:, 1] >= 0) & (y[:, 0] <= down.pixels)


@dataclass(frozen=True, slots=True, eq=False)
class MapData:
    """Contents of a map."""

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
    """Place of the map in its widget, and the visible part of the sequences."""

    rect: QRectF
    across: Axis
    down: Axis

    def point(self, query: float, subject: float) -> QPointF:
        return QPointF(self.rect.left() + self.across.pixel(query), self.rect.top() + self.down.pixel(subject))

    @property
    def sequences(self) -> QRectF:
        inside = QRectF(self.point(0, 0), self.point(self.across.length, self.down.length))
        return inside.intersected(self.rect)
