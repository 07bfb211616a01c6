"""The six reading frames: a lane for each, with stops and open stretches, and alignments as arrows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.alignment import PLAIN, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.translation.frames import FRAMES, bases_of, query_frame, subject_frame, translate
from swgui.core.translation.genetic_codes import CODON
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import LIGHT, Colours, colours, grid
from swgui.gui.kit.widgets import CLICK_SLIP
from swgui.gui.viewer.map.geometry import Axis, ticks
from swgui.gui.viewer.painted import Zoomed
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View

LANES: Final = (3, 2, 1, -1, -2, -3)  # from above
SEEN_BASES: Final = 150_000  # in sight at most, for their stops to be drawn
ROOM: Final = 1.0  # lengths of an alignment that are shown on either side of it
NARROW: Final = 6  # pixels; below it an arrow has no outline
HOW_TO: Final = (
    "A lane for each frame, those of the plus strand above the axis; thin red lines are stop codons, arrows "
    "alignments. The wheel zooms, dragging moves, a click chooses an alignment. Keys: + and \N{MINUS SIGN} zoom, "
    "0 shows all, Left and Right move, Page Up and Page Down go from alignment to alignment."
)
_STOP = PROTEIN.letters.index("*")


@dataclass(frozen=True, slots=True)
class FrameSegment:
    """The part of an alignment in one frame."""

    number: int  # of the alignment, from 0
    frame: int  # from 1 to 3 and from -1 to -3
    first: int  # base of the plus strand, from 1
    last: int  # likewise, included


@dataclass(frozen=True, slots=True, eq=False)
class SixFrames:
    """A sequence of DNA, and the places of a hit's alignments in its frames."""

    name: str
    bases: bytes  # upper-case letters
    code: int  # genetic code
    # The parts of all alignments, in the direction of reading; each frameshift begins another part.
    pieces: tuple[FrameSegment, ...]
    of_query: bool  # whether the DNA is the query

    def extent(self, number: int) -> tuple[int, int]:
        """Return the first and the last base of an alignment, from 1."""
        own = [piece for piece in self.pieces if piece.number == number]
        return min(piece.first for piece in own), max(piece.last for piece in own)

    def stops(self, frame: int, first: int, last: int) -> NDArray[np.int64]:
        """Return the first bases (from 1, of the plus strand) of the stop codons of a frame within a stretch.

        Parameters
        ----------
        first, last : int
            Bases from 1, both included.
        """
        start, residues = codons_in(
            lambda begin, end: NUCLEOTIDE.encode(self.bases[begin:end]),
            len(self.bases),
            frame,
            (first, last),
            self.code,
        )
        return start + 1 + CODON * np.flatnonzero(residues == _STOP).astype(np.int64)


def codons_in(
    bases: Callable[[int, int], NDArray[np.uint8]], length: int, frame: int, stretch: tuple[int, int], code: int = 1
) -> tuple[int, NDArray[np.uint8]]:
    """Return the codons of a frame that begin in a stretch: the first base of the first, from 0, and their residues.

    Parameters
    ----------
    bases : callable
        Takes a half-open range and returns its bases, as codes of `NUCLEOTIDE`.
    length : int
        Of the whole sequence.
    stretch : (int, int)
        Bases from 1, both included.

    Returns
    -------
    int, ndarray of uint8
        Codes of `PROTEIN`, in the order of the plus strand, one for every three bases.
    """
    first, last = stretch
    before = abs(frame) - 1 if frame > 0 else (length - (abs(frame) - 1)) % CODON
    start = max(first - 1 - before, 0) // CODON * CODON + before  # where a codon of the frame begins
    part = bases(start, min(last, length))
    part = part[: len(part) // CODON * CODON]
    residues = translate(part, 1 if frame > 0 else -1, code)
    return start, residues if frame > 0 else residues[::-1]


def six_frames(shown: Sequence[ShownHit]) -> SixFrames | None:
    """Return the DNA side of the alignments of a pair, the subject's first; None if nothing is translated."""
    if not shown or (how := shown[0].hit.translation) is None:
        return None
    hit = shown[0].hit
    of_query = not how.of.translates_database
    record = hit.query_record if of_query else hit.subject
    pieces = [
        piece for number, hit_shown in enumerate(shown) for piece in pieces_of(number, hit_shown, of_query=of_query)
    ]
    code = how.query_code if of_query else how.subject_code
    return SixFrames(record.id, record.residues, code, tuple(pieces), of_query)


def pieces_of(number: int, shown: ShownHit, *, of_query: bool) -> list[FrameSegment]:
    """Return the parts of an alignment in one frame each, in the direction of reading, on the query or the subject."""
    hit, alignment = shown.hit, shown.alignment
    record = hit.query_record if of_query else hit.subject
    frame, length = (query_frame if of_query else subject_frame)(hit.strand), len(record.residues)
    if alignment.steps == PLAIN:
        start = alignment.query_start if of_query else alignment.subject_start
        end = alignment.query_end if of_query else alignment.subject_end
        first, last = (int(base) for base in bases_of(frame, start, end, length))
        return [FrameSegment(number, frame, min(first, last), max(first, last))]
    columns = spell_out(alignment)
    places = columns.query if of_query else columns.subject
    places = places[places >= 0]
    edges = np.flatnonzero(np.diff(places % CODON)) + 1
    pieces = []
    for part in np.split(places, edges):
        low, high = int(part[0]), int(part[-1]) + CODON - 1  # of the strand, from 0
        own = low % CODON + 1
        if frame > 0:
            pieces.append(FrameSegment(number, own, low + 1, high + 1))
        else:
            pieces.append(FrameSegment(number, -own, length - high, length - low))
    return pieces


class FramesView(Zoomed, View):
    """Shows the alignments of the current hit in the six frames of its DNA."""

    least_height, wants_room = 24, True
    name, title, tip = "frames", "Frames", "Alignments in the six frames of the DNA, with its stop codons"

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("framesView")
        self.setAccessibleName("Six frames of the DNA")
        self.setWhatsThis(HOW_TO)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._alignments: Sequence[ShownHit] = ()
        self.data: SixFrames | None = None
        self._current = 0
        self.axis = Axis.whole(1, 1.0)
        self._pressed: QPointF | None = None
        self._dragged = False
        self._untouched = True  # until the user zooms or moves

    # -- display -----------------------------------------------------------------------------------

    @property
    def possible(self) -> bool:
        return self.data is not None

    def show_alignments(self, shown: Sequence[ShownHit], current: int) -> None:
        self._current = current
        another = shown is not self._alignments
        if another:
            self._untouched = True
            self._alignments, self.data = shown, six_frames(shown)
            if self.data is not None:
                self.axis = Axis.whole(len(self.data.bases), self._track().width())
        self._see_current(always=another)
        self.update()

    def clear(self) -> None:
        self._alignments, self.data = (), None
        self.update()

    def _see_current(self, *, always: bool) -> None:
        """Move the axis to the current alignment, if it is not in sight or `always`."""
        if self.data is None:
            return
        first, last = self.data.extent(self._current)
        inside = self.axis.start <= first and last <= self.axis.end
        if always or not inside:
            room = ROOM * (last - first)
            self.axis = self.axis.showing(first - room, last + room)

    # -- geometry ----------------------------------------------------------------------------------

    def _track(self) -> QRectF:
        left = QFontMetricsF(self.font()).horizontalAdvance("\N{MINUS SIGN}3") + 3 * grid()
        return QRectF(left, grid(), max(1.0, self.width() - left - 2 * grid()), max(1.0, self.height() - 2 * grid()))

    def _axis_height(self) -> float:
        return QFontMetricsF(self.font()).height() + grid()

    def lane(self, frame: int) -> QRectF:
        track, row = self._track(), LANES.index(frame)
        height = min((track.height() - self._axis_height()) / len(LANES), grid(4.5))
        top = track.top() + row * height + (self._axis_height() if frame < 0 else 0)
        return QRectF(track.left(), top, track.width(), height)

    def box(self, piece: FrameSegment) -> QRectF:
        lane, gap = self.lane(piece.frame), self.lane(piece.frame).height() * 0.2
        begin, end = (lane.left() + self.axis.pixel(base) for base in (piece.first - 1, piece.last))
        return QRectF(begin, lane.top() + gap, max(end - begin, 3.0), lane.height() - 2 * gap)

    def piece_at(self, point: QPointF) -> FrameSegment | None:
        """Return the segment under a point; the current alignment's if there are several."""
        pieces = self.data.pieces if self.data is not None else ()
        under = [piece for piece in pieces if self.box(piece).adjusted(-2, -2, 2, 2).contains(point)]
        return min(under, key=lambda piece: piece.number != self._current, default=None)

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, shades = QPainter(self), colours(self)
        painter.fillRect(event.rect(), QColor(shades.base))
        self._paint(painter, shades)
        self.paint_focus(painter)

    def figure(self) -> SeenPicture | None:
        if self.data is None:
            return None
        hit = self._alignments[self._current].hit
        lines = (hit.query_record.header, hit.subject.header)
        return SeenPicture("frames.svg", self, lines, lambda painter: self._paint(painter, LIGHT))

    def _paint(self, painter: QPainter, shades: Colours) -> None:
        if self.data is None:
            return
        painter.setFont(self.font())
        for frame in FRAMES:
            self._paint_lane(painter, frame, shades)
        self._paint_axis(painter, shades)
        track = self._track()
        painter.save()
        painter.setClipRect(QRectF(track.left(), 0, track.width(), self.height()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sizes = Counter({piece.number: 0 for piece in self.data.pieces})
        for piece in self.data.pieces:
            sizes[piece.number] += piece.last - piece.first
        for number, _ in sizes.most_common():  # short ones are drawn on top
            self._paint_alignment(painter, number, shades)
        painter.restore()

    def _paint_lane(self, painter: QPainter, frame: int, shades: Colours) -> None:
        lane = self.lane(frame)
        ground = QColor(shades.text)
        ground.setAlpha(12 if frame % 2 else 22)
        painter.fillRect(lane, ground)
        painter.setPen(QColor(shades.text))
        name = f"{frame:+d}".replace("-", "\N{MINUS SIGN}")
        place = QRectF(0, lane.top(), lane.left() - grid(), lane.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        first, last = self.axis.residues()
        if self.data is None or last - first > SEEN_BASES:
            return
        stop = QColor(shades.danger)
        stop.setAlpha(150)
        painter.setPen(QPen(stop, 1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for pixel in {round(self.axis.pixel(float(base))) for base in self.data.stops(frame, first + 1, last)}:
            if 0 <= pixel <= lane.width():
                x = lane.left() + pixel
                painter.drawLine(QPointF(x, lane.top() + 1), QPointF(x, lane.bottom() - 1))

    def _paint_axis(self, painter: QPainter, shades: Colours) -> None:
        top, track = self.lane(1).bottom(), self._track()
        painter.setPen(QColor(shades.text))
        metrics = QFontMetricsF(self.font())
        numbers, _ = ticks(self.axis, metrics.horizontalAdvance("88,888,888") * 1.3)
        for number in numbers:
            x = track.left() + self.axis.pixel(number - 0.5)
            painter.drawLine(QPointF(x, top), QPointF(x, top + 3))
            place = QRectF(x - 80, top + 3, 160, self._axis_height() - 3)
            if track.left() <= x <= track.right():
                painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter, f"{number:,}")

    def _paint_alignment(self, painter: QPainter, number: int, shades: Colours) -> None:
        assert self.data is not None
        pieces = [piece for piece in self.data.pieces if piece.number == number]
        colour = QColor(shades.accent if number == self._current else shades.muted)
        boxes = [self.box(piece) for piece in pieces]
        painter.setPen(QPen(colour, 1.5))
        forward = pieces[0].frame > 0
        for before, behind in pairwise(boxes):
            ends = (before.right(), behind.left()) if forward else (before.left(), behind.right())
            painter.drawLine(QPointF(ends[0], before.center().y()), QPointF(ends[1], behind.center().y()))
        painter.setBrush(colour)
        for box in boxes:
            painter.setPen(QPen(QColor(shades.base), 1) if box.width() > NARROW else QPen(colour, 1))
            painter.drawPolygon(arrow(box, forward))

    # -- Qt's events -------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(720, 240)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.axis = self.axis.resized(self._track().width())
        if self._untouched:
            self._see_current(always=True)
        super().resizeEvent(event)

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom in (factor above 1) or out around a point, or the middle."""
        if self.data is not None:
            pixel = point.x() - self._track().left() if point is not None else self.axis.pixels / 2
            self._look(self.axis.zoomed(factor, pixel))

    def show_whole(self) -> None:
        self._look(Axis.whole(self.axis.length, self.axis.pixels))

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
        piece = self.piece_at(point)
        self.pointed.emit(self.describe(piece) if piece else "")
        QToolTip.showText(event.globalPosition().toPoint(), self.describe(piece) if piece else "", self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        piece = self.piece_at(event.position()) if self._pressed is not None and not self._dragged else None
        self._pressed = None
        if piece is not None:
            self.stepped.emit(piece.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        turns = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        key = Qt.Key(event.key())
        if key in moves:
            self._look(self.axis.moved(moves[key] * self.axis.pixels / 8))
        elif key in turns and 0 <= self._current + turns[key] < len(self._alignments):
            self.stepped.emit(self._current + turns[key])
        else:
            super().keyPressEvent(event)

    def describe(self, piece: FrameSegment) -> str:
        hit = self._alignments[piece.number].hit
        return (
            f"Alignment {piece.number + 1:,}: frame {piece.frame:+d}, bases {piece.first:,} to {piece.last:,}, score "
            f"{hit.score:,}"
        )

    def _look(self, axis: Axis) -> None:
        self.axis, self._untouched = axis, False
        self.update()


def arrow(box: QRectF, forward: bool) -> QPolygonF:
    reach = min(box.height() * 0.6, box.width())
    tip, neck, tail = (
        (box.right(), box.right() - reach, box.left()) if forward else (box.left(), box.left() + reach, box.right())
    )
    return QPolygonF(
        [
            QPointF(tail, box.top()),
            QPointF(neck, box.top()),
            QPointF(tip, box.center().y()),
            QPointF(neck, box.bottom()),
            QPointF(tail, box.bottom()),
        ]
    )
