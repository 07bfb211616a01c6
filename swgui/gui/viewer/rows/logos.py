"""Logos of the two profiles of a hit: letters as high as their share of the information of a column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from swgui.core.database import places_at_hand
from swgui.core.profiles.context import RESIDUES
from swgui.core.profiles.stored import UNITS, columns_of_scores
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.residues.letters import ink_of, paint_column
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows.layout import RowsLayout
from swgui.gui.viewer.shown import ShownHit

NAME: Final = "Logo"
HEIGHT: Final = 2.8  # of cells of residues
INKS: Final = "safe_7"  # the colours of letters, whatever colours the residues have
MIN_TOP: Final = 2.0  # bits at the top
NAMED: Final = 4  # residues in words on a column
_GAP: Final = 2.0  # pixels between a logo and its neighbour
_MIN: Final = 1e-12
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SideLogo:
    """The logo of one side in the columns of an alignment, n of them; without any nothing is drawn."""

    shares: _Floats = field(default_factory=lambda: np.zeros((0, len(RESIDUES))))  # shape (n, 20); zeros in gaps
    information: _Floats = field(default_factory=lambda: np.zeros(0))  # against the background, in bits; shape (n,)
    top: float = MIN_TOP  # bits at the top of its place
    name: str = NAME
    height: float = HEIGHT

    def __bool__(self) -> bool:
        return bool(len(self.information))

    def told_at(self, column: int) -> str:
        """Return a column in words; empty in a gap."""
        shares = self.shares[column] if self else np.zeros(0)
        if not shares.any():
            return ""
        common = np.argsort(-shares, kind="stable")[:NAMED].tolist()
        named = ", ".join(f"{RESIDUES[letter]} {100 * shares[letter]:.0f} %" for letter in common)
        return f"Profile: {self.information[column]:.2f} bits, {named}"

    def area(self, left: float, top: float, width: float, height: float) -> QRectF:
        return QRectF(left, top + _GAP, width, height - 2 * _GAP)

    def paint(self, painter: QPainter, columns: slice, cell: float, area: QRectF, shades: Colours) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), QColor(shades.border))
        inks, unit = inks_by_residue(shades), area.height() / self.top
        for index, (shares, bits) in enumerate(zip(self.shares[columns], self.information[columns], strict=True)):
            order = np.argsort(shares, kind="stable").tolist()
            heights = (shares[order] * max(float(bits), 0.0) * unit).tolist()
            place = QRectF(area.left() + index * cell, area.top(), cell, area.height())
            paint_column(painter, [RESIDUES[at] for at in order], heights, [inks[at] for at in order], place)
        painter.restore()


NO_LOGO: Final = SideLogo()


def inks_by_residue(shades: Colours) -> list[QColor]:
    """Return the colour of each residue on a ground."""
    scheme = shipped_schemes()[INKS]
    styles, fills = scheme.table(), scheme.fills(dark=False)  # letters on a dark ground are bright
    named = [int(styles[ord(residue)]) for residue in RESIDUES]
    return [ink_of(QColor(fills[style - 1] if style else shades.text), shades) for style in named]


def logos_of(shown: ShownHit, layout: RowsLayout) -> tuple[SideLogo, SideLogo]:
    """Return the logos of query and subject where profiles were compared; none of any other hit."""
    database, profile = shown.result.database, shown.result.queries[shown.query_index].query.profile
    profiles = database.profiles
    if profiles is None or profile is None or profile.units_per_bit != UNITS:
        return NO_LOGO, NO_LOGO
    (place,) = places_at_hand(database, np.array([shown.hit.db_index])).tolist()
    sides = (
        (columns_of_scores(profile.scores, UNITS), layout.query_positions),
        (profiles.columns(place), layout.subject_positions),
    )
    made = [_in_columns(columns.astype(np.float64), positions, profiles.background) for columns, positions in sides]
    top = max(MIN_TOP, *(float(information.max(initial=0.0)) for _, information in made))
    query, subject = (SideLogo(*of_side, top) for of_side in made)
    return query, subject


def _in_columns(columns: _Floats, positions: NDArray[np.int64], background: _Floats) -> tuple[_Floats, _Floats]:
    """Return shares and information in the columns of an alignment: zeros where a side has no residue."""
    shares = np.where((positions > 0)[:, np.newaxis], columns[np.maximum(positions, 1) - 1], 0.0)
    safe = np.maximum(shares, _MIN)
    return shares, np.where(positions > 0, (shares * np.log2(safe / background)).sum(axis=1), 0.0)
