"""The second track of an alignment: a row above the query and one below the subject, in colours of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from swgui.core.alphabet import NUCLEOTIDE, TwoTracks
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import query_frame, subject_frame
from swgui.core.translation.genetic_codes import CODON
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.rows.layout import RowsLayout, complement_table
from swgui.gui.viewer.shown import ShownHit
from swgui.io.alphabets import alphabet_record

_GAP: Final = ord("-")
_GROUND: Final = 0.45  # share of a symbol's colour in the ground behind it
READABLE: Final = 6.5  # size of a base in points, at least
SHARE: Final = 0.34  # size of bases, as a share of that of residues, where they fit without more room
DNA: Final = "DNA"  # text in front of a row of codons
STOP: Final = ord("*")
CODONS_BOX: Final = "showCodons", "Codons", "Show the DNA of translated sequences, a codon next to each residue"
_BLANK: Final = ord(" ")


@dataclass(frozen=True, slots=True, eq=False)
class SecondTrack:
    """Symbols of the second track of query and subject."""

    name: str = ""  # of their alphabet
    # ASCII for each column, of query and of subject; ``-`` in a gap.
    rows: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((2, 0), np.uint8))
    colours: Mapping[str, str] = field(default_factory=dict)  # ``#rrggbb`` of symbols

    def __bool__(self) -> bool:
        return bool(self.name)

    def paint(self, painter: QPainter, side: int, columns: slice, area: QRectF, font: QFont, shades: Colours) -> None:
        symbols = self.rows[side, columns]
        cell = area.width() / max(1, len(symbols))
        painter.setFont(font)
        text = QColor(shades.text)
        for index, symbol in enumerate(symbols.tolist()):
            box = QRectF(area.left() + index * cell, area.top(), cell, area.height())
            if (fill := self.fill_of(chr(symbol), shades.base)) is not None:
                painter.fillRect(box, fill)
            painter.setPen(text)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(symbol))

    def fill_of(self, symbol: str, ground: str) -> QColor | None:
        """Return the background of a symbol; None where it has no colour."""
        colour = self.colours.get(symbol)
        return _mixed(QColor(colour), QColor(ground)) if colour else None


NO_SECOND: Final = SecondTrack()


def second_track_of(shown: ShownHit, layout: RowsLayout) -> SecondTrack:
    """Return the second track of a hit; None where residues alone were searched."""
    alphabet, hit = shown.scheme.alphabet, shown.hit
    if not isinstance(alphabet, TwoTracks):
        return NO_SECOND
    query = _row(hit.query_record, layout.query_positions)
    subject = _row(hit.subject, layout.subject_positions)
    if query is None or subject is None:
        return NO_SECOND
    record = alphabet_record(alphabet.parts[1].name)
    return SecondTrack(alphabet.parts[1].name, np.stack([query, subject]), record.colours if record else {})


def _row(record: SequenceRecord, positions: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """Return the symbols of residues (from 1, 0 for a gap)."""
    if record.letters is None:
        return None
    symbols = np.frombuffer(record.letters.text, np.uint8)
    return np.where(positions > 0, symbols[np.maximum(positions, 1) - 1], _GAP).astype(np.uint8)


def _mixed(colour: QColor, ground: QColor) -> QColor:
    of, on = colour.getRgb()[:3], ground.getRgb()[:3]  # type: ignore[index]
    return QColor(*(round(part * _GROUND + other * (1 - _GROUND)) for part, other in zip(of, on, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class CodonRows:
    """Codons of query and subject, in the direction of reading."""

    # ASCII for each column; blanks in gaps and on a side that is not translated.
    rows: NDArray[np.uint8] = field(default_factory=lambda: np.full((2, 0, CODON), _BLANK, np.uint8))
    sides: tuple[bool, bool] = (False, False)  # which sides are translated

    def __bool__(self) -> bool:
        return any(self.sides)

    def paint(self, painter: QPainter, side: int, columns: slice, area: QRectF, points: float, shades: Colours) -> None:
        codons = self.rows[side, columns]
        cell = area.width() / max(1, len(codons))
        painter.setFont(codon_font(points))
        band = QColor(shades.text)
        band.setAlpha(16)
        for index, codon in enumerate(codons):
            if codon[0] == _BLANK:
                continue
            box = QRectF(area.left() + index * cell, area.top(), cell, area.height())
            if (columns.start + index) % 2:
                painter.fillRect(box, band)
            painter.setPen(QColor(shades.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, codon.tobytes().decode("ascii"))


NO_CODONS: Final = CodonRows()


def codon_font(points: float) -> QFont:
    return styling.residue_font(max(READABLE, points * SHARE))


def legible(points: float) -> bool:
    """Whether codons can be read that take no more room than residues of a size."""
    return points * SHARE >= READABLE


def codon_width(points: float) -> float:
    """Return the width that a cell needs for a codon, with a little room between two."""
    return QFontMetricsF(codon_font(points)).horizontalAdvance("W" * CODON) * 1.12


def codons_of_hit(shown: ShownHit, layout: RowsLayout) -> CodonRows:
    """Return the codons of a hit; None where no side is translated."""
    hit = shown.hit
    if hit.translation is None:
        return NO_CODONS
    sides = (
        (hit.query_record, query_frame(hit.strand), layout.query_positions),
        (hit.subject, subject_frame(hit.strand), layout.subject_positions),
    )
    rows = np.stack([_codons(record, frame, positions) for record, frame, positions in sides])
    return CodonRows(rows, (bool(sides[0][1]), bool(sides[1][1])))


def _codons(record: SequenceRecord, frame: int, positions: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the three bases of each column, shape (k, 3): from the first base of a codon on, from 1, 0 for none."""
    rows = np.full((len(positions), CODON), _BLANK, dtype=np.uint8)
    if not frame:
        return rows
    bases = np.frombuffer(record.residues, dtype=np.uint8)
    step = 1 if frame > 0 else -1
    places = positions[:, np.newaxis] - 1 + step * np.arange(CODON)
    inside = (positions > 0) & (places.min(axis=1, initial=0) >= 0) & (places.max(axis=1, initial=0) < len(bases))
    codons = bases[places[inside]]
    rows[inside] = codons if frame > 0 else complement_table(NUCLEOTIDE)[codons]
    return rows
