"""The confidence of predicted models (pLDDT) along an alignment: above the query, and below the subject."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from swgui.core.hits.results import Hit
from swgui.core.records import SequenceRecord
from swgui.core.structures.chain import LOW_PLDDT, PLDDT_FULL, VERY_LOW_PLDDT
from swgui.core.structures.compact import unpack
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.pair.layout import PairLayout

NAME: Final = "pLDDT"
KINDS: Final = ("LOW_PLDDT", "VERY_LOW_PLDDT")  # of features that say the same in words
HEIGHT: Final = 1.4  # of cells of residues
_GAP: Final = 2.0  # pixels between it and what is beside it
# From what on, its colour as AlphaFold DB has it, and in words.
_CLASSES: Final = (
    (90.0, "#0053D6", "very high"),
    (LOW_PLDDT, "#65CBF3", "confident"),
    (VERY_LOW_PLDDT, "#FFDB13", "low"),
    (0.0, "#FF7D45", "very low"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Confidence:
    """The confidence of one side in the columns of an alignment."""

    # 0 to 100, nan in gaps; empty where it is not known.
    values: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    def __bool__(self) -> bool:
        return bool(len(self.values))

    def told_at(self, column: int) -> str:
        """Return the confidence in a column in words; empty where there is none."""
        value = float(self.values[column]) if self else np.nan
        return "" if np.isnan(value) else f"{NAME} {value:.0f}: {_class(value)[2]}"

    def paint(self, painter: QPainter, columns: slice, cell: float, area: QRectF, shades: Colours) -> None:
        line = QColor(shades.muted)
        line.setAlpha(90)
        at_low = area.bottom() - area.height() * LOW_PLDDT / PLDDT_FULL
        for at, value in enumerate(self.values[columns].tolist()):
            if value == value:  # not in gaps
                height = area.height() * value / PLDDT_FULL
                bar = QRectF(area.left() + at * cell, area.bottom() - height, cell, height)
                painter.fillRect(bar, QColor(_class(value)[1]))
        painter.fillRect(QRectF(area.left(), at_low, area.width(), 1), line)

    def area(self, left: float, top: float, width: float, height: float) -> QRectF:
        """Return where the bars stand in the room they were given."""
        return QRectF(left, top + _GAP, width, height - 2 * _GAP)


NO_CONFIDENCE: Final = Confidence()


def confidence_of(hit: Hit, layout: PairLayout) -> tuple[Confidence, Confidence]:
    return (
        _of(hit.query_record, layout.query_positions),
        _of(hit.subject, layout.subject_positions),
    )


def _of(record: SequenceRecord, positions: NDArray[np.int64]) -> Confidence:
    """Take the values of residues, from 1; 0 is a gap."""
    places = unpack(record.places, len(record.residues)) if record.places else None
    if places is None or places.plddt is None or int(positions.max(initial=0)) > len(places.plddt):
        return NO_CONFIDENCE
    values = places.plddt[np.maximum(positions, 1) - 1]
    return Confidence(np.where(positions > 0, values, np.float32(np.nan)).astype(np.float32))


def _class(value: float) -> tuple[float, str, str]:
    return next(one for one in _CLASSES if value >= one[0])
