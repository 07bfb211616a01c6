"""Drawing of the locus view: ruler, tracks of stretches, bases and frames, each with what fits at its zoom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.features import Feature
from swgui.core.translation.genetic_codes import CODON
from swgui.gui.kit.plots.features import colour_of
from swgui.gui.kit.theme import Colours
from swgui.gui.locus.scene import Scene, Track
from swgui.gui.viewer.frames import SEEN_BASES, arrow, codons_in
from swgui.gui.viewer.map.geometry import Axis, ticks
from swgui.gui.viewer.residues.schemes import ColorScheme, shipped_schemes
from swgui.gui.viewer.residues.styling import text_on

FRAMES_ABOVE: Final = (3, 2, 1)
FRAMES_BELOW: Final = (-1, -2, -3)
TALLEST: Final = 1.7  # how much higher rows are where there is room
WIDE: Final = 7.0  # pixels; narrower stretches are drawn together
PARTS: Final = 12.0  # pixels for each part of a feature from which on parts are drawn
BASE: Final = 1.5  # pixels of a base from which on it has its colour
_STOP, _START = PROTEIN.letters.index("*"), PROTEIN.letters.index("M")
_ALPHA: Final = (80, 105)  # of fills, in light and in dark
_ROOM: Final = 4.0  # pixels around a name


@dataclass(frozen=True, slots=True)
class Band:
    """One part of the view, from its left edge to its right."""

    kind: str  # "axis", "track", "bases" or "frame"
    top: float
    height: float
    track: Track | None = None
    frame: int = 0
    rows: int = 0  # lanes that are drawn of a track


def bands_of(scene: Scene, axis: Axis, unit: float, height: float) -> list[Band]:
    """Return the parts of the view from above, so many that they fit, and higher where there is room.

    Parameters
    ----------
    unit : float
        Height of a line of text in pixels.
    height : float
        Of the view in pixels.
    """
    bands = _stacked(scene, axis, unit, height, 1.0)
    needed = bands[-1].top + bands[-1].height
    scale = min(max(height / max(needed, 1.0), 1.0), TALLEST)
    return _stacked(scene, axis, unit, height, scale) if scale > 1.0 else bands


def _stacked(scene: Scene, axis: Axis, unit: float, height: float, scale: float) -> list[Band]:
    nucleotides = scene.alphabet.name == NUCLEOTIDE.name
    rows = 2.2 if nucleotides and axis.cell >= 0.6 * unit else 1.2
    bases = scale * unit * rows if axis.cell >= BASE else 0.0
    frame = scale * unit * 1.05 if nucleotides and axis.pixels * axis.step <= SEEN_BASES else 0.0
    lane = scale * unit * 1.35
    room = height - 1.7 * unit - bases - 6 * frame - len(scene.tracks) * (1.1 * unit + lane)
    if room < 0 and frame:
        frame, room = 0.0, room + 6 * frame
    bands, top = [Band("axis", 0.0, 1.6 * unit)], 1.7 * unit
    for track in scene.tracks:
        shown = max(min(len(track.rows), 1 + int(max(room, 0.0) / lane)), 1)
        room -= (shown - 1) * lane
        size = 1.1 * unit + shown * lane
        bands.append(Band("track", top, size, track, rows=shown))
        top += size
    top += 0.4 * unit
    for kind, number, size in (
        *(("frame", number, frame) for number in FRAMES_ABOVE),
        ("bases", 0, bases),
        *(("frame", number, frame) for number in FRAMES_BELOW),
    ):
        if size:
            bands.append(Band(kind, top, size, frame=number))
            top += size
    return bands


def lane_rect(band: Band, lane: int, unit: float, width: float) -> QRectF:
    """Return the place of a lane of a track."""
    height = (band.height - 1.1 * unit) / max(band.rows, 1)
    return QRectF(0, band.top + 1.1 * unit + lane * height, width, height)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Painter, positions, colours and fonts of one drawing."""

    painter: QPainter
    scene: Scene
    axis: Axis
    shades: Colours
    font: QFont
    fixed: QFont
    chosen: tuple[Track, int] | None = None

    @property
    def unit(self) -> float:
        """Height of a line of text in pixels."""
        return QFontMetricsF(self.font).height()

    def draw(self, bands: Sequence[Band], place: tuple[int, int] | None) -> None:
        """Draw all parts, with a stretch marked from top to bottom."""
        if place is not None:
            self._draw_place(place, bands[-1].top + bands[-1].height)
        for band in bands:
            if band.track is not None:
                self._draw_track(band, band.track)
            elif band.kind == "axis":
                self._draw_axis(band)
            elif band.kind == "bases":
                self._draw_bases(band)
            else:
                self._draw_frame(band)

    def _draw_place(self, place: tuple[int, int], height: float) -> None:
        ground = QColor(self.shades.accent)
        ground.setAlpha(28 if not self.shades.dark else 45)
        left, right = self.axis.pixel(place[0]), self.axis.pixel(place[1])
        self.painter.fillRect(QRectF(left, 0, max(right - left, 1.5), height), ground)

    def _draw_axis(self, band: Band) -> None:
        painter, metrics = self.painter, QFontMetricsF(self.font)
        painter.setFont(self.font)
        painter.setPen(QColor(self.shades.muted))
        bottom = band.top + band.height
        numbers, _ = ticks(self.axis, metrics.horizontalAdvance(f"{self.scene.length:,}") * 1.7)
        left, right = (self.axis.pixel(edge) for edge in (0, self.scene.length))
        painter.drawLine(QPointF(max(left, 0), bottom), QPointF(min(right, self.axis.pixels), bottom))
        for number in numbers:
            x = self.axis.pixel(number - 0.5)
            painter.drawLine(QPointF(x, bottom - 4), QPointF(x, bottom))
            text = f"{number:,}"
            width = metrics.horizontalAdvance(text)
            place = QRectF(
                min(max(x - width / 2, 2), self.axis.pixels - width - 2), band.top, width + 2, band.height - 4
            )
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    # Tracks

    def _draw_track(self, band: Band, track: Track) -> None:
        painter = self.painter
        painter.setFont(self.font)
        painter.setPen(QColor(self.shades.muted))
        hidden = len(track.rows) - band.rows
        more = f" (make the window higher to see {hidden} more rows)" if hidden > 0 else ""
        title = QRectF(_ROOM, band.top, self.axis.pixels - 2 * _ROOM, self.unit)
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, f"{track.title}{more}")
        first, last = self.axis.residues()
        for number, lane in enumerate(track.rows):
            seen = lane.within(first, last)
            left, right = self.axis.pixels_of(lane.starts[seen]), self.axis.pixels_of(lane.ends[seen])
            wide = right - left >= WIDE
            place = lane_rect(band, min(number, band.rows - 1), self.unit, self.axis.pixels)
            self._draw_narrow(place, track, left[~wide], right[~wide])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for row in lane.rows[seen][wide].tolist():
                self._draw_stretch(track, row, place)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for shift in track.shifts[(track.shifts >= first) & (track.shifts < last)].tolist():
            self._draw_shift(self.axis.pixel(shift), band)

    def _draw_narrow(self, place: QRectF, track: Track, left: NDArray[np.float64], right: NDArray[np.float64]) -> None:
        """Draw stretches of a few pixels, those that touch as one."""
        if not len(left):
            return
        colour = QColor(self.shades.accent if track.is_result else self.shades.series[0])
        colour.setAlpha(_ALPHA[self.shades.dark] + 60)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(colour)
        runs = _runs(np.maximum(left, 0.0), np.minimum(right, self.axis.pixels))
        top, height = place.top() + 0.15 * place.height(), 0.7 * place.height()
        self.painter.drawRects([QRectF(a, top, b - a, height) for a, b in runs])
        self.painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_stretch(self, track: Track, row: int, lane: QRectF) -> None:
        feature, shift = track.shown(row)
        colour = QColor(self.shades.accent) if track.is_result else colour_of(feature, self.shades)
        fill, painter = QColor(colour), self.painter
        fill.setAlpha(_ALPHA[self.shades.dark])
        chosen = self.chosen is not None and self.chosen[0] is track and self.chosen[1] == row
        painter.setPen(QPen(colour, 2.4 if chosen else 1.0))
        middle, place = lane.center().y(), lane.adjusted(0, 0.1 * lane.height(), 0, -0.1 * lane.height())
        spans, beyond = feature.spans, max(9.0, place.height())  # out of sight: frames, and the tip of a cut arrow
        if self.axis.pixel(feature.end) - self.axis.pixel(feature.start) < PARTS * len(spans):
            spans = ((feature.start, feature.end),)
        if len(spans) > 1:
            ends = (self.axis.pixel(edge + shift) for edge in (feature.start, feature.end))
            left, right = (min(max(x, -beyond), self.axis.pixels + beyond) for x in ends)
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        painter.setBrush(fill)
        tip = spans[-1 if feature.strand > 0 else 0]
        for span in spans:
            left, right = (self.axis.pixel(edge + shift) for edge in span)
            if right < -beyond or left > self.axis.pixels + beyond:
                continue
            box = QRectF(max(left, -beyond), place.top(), 0, place.height())
            box.setRight(max(min(right, self.axis.pixels + beyond), box.left() + 1))
            if span == tip:
                painter.drawPolygon(arrow(box, feature.strand > 0))
            else:
                painter.drawRect(box)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._draw_name(feature, shift, place)

    def _draw_name(self, feature: Feature, shift: int, place: QRectF) -> None:
        left, right = self.axis.pixel(feature.start + shift), self.axis.pixel(feature.end + shift)
        tip = 0.4 * place.height()  # which leaves no room for letters
        left = max(left + (tip if feature.strand < 0 else 0.0), 0.0) + _ROOM
        right = min(right - (tip if feature.strand > 0 else 0.0), self.axis.pixels) - _ROOM
        metrics, name = QFontMetricsF(self.font), feature.name or feature.title
        if right - left < min(metrics.horizontalAdvance(name), metrics.averageCharWidth() * 5):
            return
        self.painter.setPen(QColor(self.shades.text))
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, right - left)
        box = QRectF(left, place.top(), right - left, place.height())
        self.painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_shift(self, x: float, band: Band) -> None:
        """Draw where the reading shifts: a red line with a head."""
        top, bottom = band.top + 0.9 * self.unit, band.top + band.height
        colour = QColor(self.shades.danger)
        self.painter.setPen(QPen(colour, 1.6))
        self.painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        self.painter.setBrush(colour)
        self.painter.drawEllipse(QPointF(x, top), 3.0, 3.0)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)

    # Bases and frames

    def _draw_bases(self, band: Band) -> None:
        first, last = self.axis.residues()
        codes = self.scene.bases(first, last)
        if self.scene.alphabet.name != NUCLEOTIDE.name:
            self._draw_letters(self.scene.alphabet.decode(codes), first, 1, band.top, band.height, _scheme("safe_7"))
            return
        scheme, two = _scheme("safe_nucleotide"), band.height > 1.5 * self.unit
        height = band.height / (2 if two else 1)
        self._draw_letters(NUCLEOTIDE.decode(codes), first, 1, band.top, height, scheme)
        if two:
            below = NUCLEOTIDE.decode(NUCLEOTIDE.reverse_complement(codes)[::-1])
            self._draw_letters(below, first, 1, band.top + height, height, scheme)

    def _draw_letters(
        self, letters: bytes, first: int, step: int, top: float, height: float, scheme: ColorScheme
    ) -> None:
        """Draw residues from a base on, each on its colour, with letters where there is room."""
        painter, fills = self.painter, scheme.fills(dark=self.shades.dark)
        styles = scheme.table()[np.frombuffer(letters, np.uint8)]
        width = step * self.axis.cell
        left = self.axis.pixels_of(first + step * np.arange(len(letters)))
        painter.setPen(Qt.PenStyle.NoPen)
        for style in np.unique(styles[styles > 0]).tolist():
            painter.setBrush(QColor(fills[style - 1]))
            painter.drawRects([QRectF(x, top, width, height) for x in left[styles == style].tolist()])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for style in np.unique(styles).tolist():
            ink = text_on(fills[style - 1]) if style else self.shades.text
            of_style = np.flatnonzero(styles == style)
            chosen = bytes(letters[at] for at in of_style.tolist())
            self._write(chosen, left[of_style], width, QRectF(0, top, 0, height), ink)

    def _write(self, letters: bytes, left: NDArray[np.float64], width: float, row: QRectF, ink: str) -> None:
        """Write letters in the middle of their places, if these are wide enough."""
        metrics = QFontMetricsF(self.fixed)
        advance = metrics.horizontalAdvance("W")
        if advance > width:
            return
        self.painter.setFont(self.fixed)
        self.painter.setPen(QColor(ink))
        line = row.center().y() + (metrics.ascent() - metrics.descent()) / 2
        inset = (width - advance) / 2
        for letter, x in zip(letters.decode("ascii"), left.tolist(), strict=True):
            self.painter.drawText(QPointF(x + inset, line), letter)

    def _draw_frame(self, band: Band) -> None:
        """Draw the codons of a frame: stops in red, first amino acids in green, letters where there is room."""
        painter, frame = self.painter, band.frame
        ground = QColor(self.shades.text)
        ground.setAlpha(12 if frame % 2 else 24)
        painter.fillRect(QRectF(0, band.top, self.axis.pixels, band.height), ground)
        first, last = self.axis.residues()
        begin, residues = codons_in(
            self.scene.bases, self.scene.length, frame, (first + 1, last), self.scene.place.code
        )
        width = CODON * self.axis.cell
        for code, name in ((_STOP, self.shades.danger), (_START, self.shades.success)):
            if code == _START and width < 3:
                continue
            colour = QColor(name)
            colour.setAlpha(150)
            at = self.axis.pixels_of(begin + CODON * np.flatnonzero(residues == code).astype(np.int64))
            runs = ((x, x + width) for x in at.tolist()) if width >= 1 else _runs(at, at + width)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRects([QRectF(x, band.top + 1, end - x, band.height - 2) for x, end in runs])
            painter.setBrush(Qt.BrushStyle.NoBrush)
        left = self.axis.pixels_of(begin + CODON * np.arange(len(residues)))
        row, named = QRectF(0, band.top, 0, band.height), self._draw_frame_name(band)
        clear = left + (width - QFontMetricsF(self.fixed).horizontalAdvance("W")) / 2 >= named  # no half letters
        self._write(PROTEIN.decode(residues[clear]), left[clear], width, row, self.shades.text)

    def _draw_frame_name(self, band: Band) -> float:
        """Draw the name of a frame over its left end; returns where it ends, in pixels."""
        metrics, name = QFontMetricsF(self.font), f"{band.frame:+d}".replace("-", "\N{MINUS SIGN}")
        place = QRectF(0, band.top, metrics.horizontalAdvance(name) + 2 * _ROOM, band.height)
        self.painter.fillRect(place, QColor(self.shades.base))
        self.painter.setFont(self.font)
        self.painter.setPen(QColor(self.shades.muted))
        self.painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)
        return place.right()


def _runs(left: NDArray[np.float64], right: NDArray[np.float64]) -> Iterator[tuple[float, float]]:
    """Yield the stretches that ranges of pixels cover, sorted by their left ends, each at least a pixel wide."""
    if not len(left):
        return
    begins, ends = np.floor(left), np.maximum(np.ceil(right), np.floor(left) + 1)
    reach = np.maximum.accumulate(ends)
    new = np.ones(len(begins), np.bool_)
    new[1:] = begins[1:] > reach[:-1]
    firsts = np.flatnonzero(new)
    stops = reach[np.append(firsts[1:] - 1, len(begins) - 1)]
    yield from zip(begins[firsts].tolist(), stops.tolist(), strict=True)


def _scheme(key: str) -> ColorScheme:
    return shipped_schemes()[key]
