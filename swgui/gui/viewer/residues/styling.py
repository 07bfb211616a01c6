"""Colours of a view: the window's palette and a colour scheme, as styles of the glyph atlas."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette

from swgui.gui.kit.theme import contrast
from swgui.gui.viewer.residues.schemes import ColorScheme

# Styles other than the groups of a scheme; see `style_of`.
FLANK, QUIET, GAP_CELL, STOP = range(4)


@dataclass(frozen=True, slots=True)
class CellStyle:
    """Colours of one style: fill and symbol."""

    fill: QColor
    text: QColor


def style_of(scheme: ColorScheme, which: int) -> int:
    """Return the style of `FLANK`, `QUIET`, `GAP_CELL` or `STOP`: they follow the styles of the scheme's groups."""
    return len(scheme.groups) + 1 + which


def is_dark(palette: QPalette) -> bool:
    """Whether texts of a palette stand on a dark ground."""
    return palette.color(QPalette.ColorRole.Base).lightnessF() < 0.5


def blend(one: QColor, other: QColor, share: float) -> QColor:
    """Return a mixture with `share` of the second colour."""
    parts = ((one.redF(), other.redF()), (one.greenF(), other.greenF()), (one.blueF(), other.blueF()))
    red, green, blue = (a + share * (b - a) for a, b in parts)
    return QColor.fromRgbF(red, green, blue)


def text_on(fill: str) -> str:
    """Return black or white, whichever reads better; the better one has a contrast of at least 4.58."""
    return max("#000000", "#FFFFFF", key=lambda colour: contrast(colour, fill))


def quiet_text(palette: QPalette) -> QColor:
    """Return the muted colour: numbers next to an alignment, flanks, notes."""
    base, text = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Text)
    return blend(text, base, 0.38)


def cell_styles(scheme: ColorScheme, palette: QPalette) -> list[CellStyle]:
    """Return no fill, the groups of the scheme, then flank, quiet residues, gap cells and stop codons."""
    base, text = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Text)
    quiet = quiet_text(palette)
    fills = scheme.fills(is_dark(palette))
    return [
        CellStyle(base, text),
        *(CellStyle(QColor(fill), QColor(text_on(fill))) for fill in fills),
        CellStyle(base, quiet),
        CellStyle(base, quiet),
        CellStyle(blend(base, text, 0.07), text),
        CellStyle(palette.color(QPalette.ColorRole.BrightText), base),
    ]


def residue_font(points: float) -> QFont:
    """Return the monospaced font of the system in a size."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(points)
    return font
