"""The second track of a pair alignment: a row above the query and one below the subject, in colours of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from swgui.core.alphabet import TwoTracks
from swgui.core.records import SequenceRecord
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.pair.layout import PairLayout
from swgui.gui.viewer.shown import ShownHit
from swgui.io.alphabets import alphabet_record

_GAP: Final = ord("-")
_GROUND: Final = 0.45  # of a symbol's colour in the ground behind it


@dataclass(frozen=True, slots=True, eq=False)
class SecondTrack:
    """Symbols beside the residues of query and subject."""

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
        for at, symbol in enumerate(symbols.tolist()):
            box = QRectF(area.left() + at * cell, area.top(), cell, area.height())
            if (fill := self.fill_of(chr(symbol), shades.base)) is not None:
                painter.fillRect(box, fill)
            painter.setPen(text)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(symbol))

    def fill_of(self, symbol: str, ground: str) -> QColor | None:
        """Return what is behind a symbol on a ground; None where it has no colour."""
        colour = self.colours.get(symbol)
        return _mixed(QColor(colour), QColor(ground)) if colour else None


NO_SECOND: Final = SecondTrack()


def second_track_of(shown: ShownHit, layout: PairLayout) -> SecondTrack:
    """Return the second track of a hit; nothing where residues alone were searched."""
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
