"""Logos of the two profiles of a hit: letters as high as their share of the information of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from swgui.core.profiles import logo as core_logo
from swgui.core.profiles.context import RESIDUES
from swgui.core.profiles.logo import Logo
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.residues.letters import ink_of, paint_column
from swgui.gui.viewer.residues.schemes import shipped_schemes
from swgui.gui.viewer.rows.layout import RowsLayout
from swgui.gui.viewer.shown import ShownHit

NAME: Final = "Logo"
HEIGHT: Final = 2.8  # of cells of residues
LOWEST: Final = 1.2  # where there is little room
INKS: Final = "safe_7"  # the colours of letters, whatever colours the residues have
NAMED: Final = 4  # residues in words on a column
_GAP: Final = 2.0  # pixels between a logo and its neighbour


@dataclass(frozen=True, slots=True, eq=False)
class SideLogo:
    """The logo of one side in the columns of an alignment; without one nothing is drawn."""

    of: Logo | None = None
    name: str = NAME
    height: float = HEIGHT

    def __bool__(self) -> bool:
        return self.of is not None

    def told_at(self, column: int) -> str:
        """Return a column in words; empty in a gap."""
        shares = self.of.shares[column] if self.of is not None else np.zeros(0)
        if self.of is None or not shares.any():
            return ""
        common = np.argsort(-shares, kind="stable")[:NAMED].tolist()
        named = ", ".join(f"{RESIDUES[letter]} {100 * shares[letter]:.0f} %" for letter in common)
        return f"Profile: {self.of.information[column]:.2f} bits, {named}"

    def area(self, left: float, top: float, width: float, height: float) -> QRectF:
        return QRectF(left, top + _GAP, width, height - 2 * _GAP)

    def paint(self, painter: QPainter, columns: slice, cell: float, area: QRectF, shades: Colours) -> None:
        if self.of is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), QColor(shades.border))
        inks = inks_by_residue(shades)
        for index, column in enumerate(range(*columns.indices(len(self.of.information)))):
            order, heights = self.of.heights(column)
            high = [height * area.height() for height in heights]
            place = QRectF(area.left() + index * cell, area.top(), cell, area.height())
            paint_column(painter, [RESIDUES[at] for at in order], high, [inks[at] for at in order], place)
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
    profile = shown.result.queries[shown.query_index].query.profile
    positions = layout.query_positions, layout.subject_positions
    found = core_logo.logos_of(shown.result.database, profile, shown.hit.db_index, positions)
    if found is None:
        return NO_LOGO, NO_LOGO
    query, subject = (SideLogo(one) for one in found)
    return query, subject
