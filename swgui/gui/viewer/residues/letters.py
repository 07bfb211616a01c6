"""Letters of a logo: outlines, inks that can be read on the ground, and a column of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QTransform

from swgui.gui.kit import theme
from swgui.gui.viewer.residues import styling

MIN_PIXELS: Final = 1.5  # height of a letter that is drawn
READABLE: Final = 2.2  # contrast of a letter with its ground at least
NARROW: Final = 0.45  # width of the narrowest letter, the widest being 1
WIDTH: Final = 0.94  # of a letter, as a share of its column


def ink_of(fill: QColor, shades: theme.Colours) -> QColor:
    """Return a colour with enough contrast to the ground for a letter."""
    colour, share = fill, 0.0
    while theme.contrast(colour.name(), shades.base) < READABLE and share < 1:
        share += 0.1
        colour = styling.blend(fill, QColor(shades.text), share)
    return colour


def paint_column(
    painter: QPainter, letters: Sequence[str], heights: Sequence[float], inks: Sequence[QColor], place: QRectF
) -> None:
    """Draw the letters of a column on each other, from the bottom of a place; those that are too low leave their room.

    Parameters
    ----------
    heights : sequence of float
        In pixels, of each letter.
    inks : sequence of QColor
        Of each letter.
    """
    bottom = place.bottom() - sum(height for height in heights if height < MIN_PIXELS)
    left, width = place.left() + place.width() * (1 - WIDTH) / 2, place.width() * WIDTH
    for letter, height, ink in zip(letters, heights, inks, strict=True):
        if height >= MIN_PIXELS:
            bottom -= height
            painter.fillPath(QTransform(width, 0, 0, height, left, bottom).map(letter_shape(letter)), ink)


@lru_cache(maxsize=64)
def letter_shape(letter: str) -> QPainterPath:
    """Return the outline of a letter as high as the square from (0, 0) to (1, 1), and as wide unless it is narrow."""
    font = QFont("sans-serif", 64)
    font.setStyleHint(QFont.StyleHint.SansSerif)
    font.setBold(True)
    path = QPainterPath()
    path.addText(0, 0, font, letter)
    box = path.boundingRect()
    if box.isEmpty():
        path.addRect(0, 0, 1, 1)
        box = path.boundingRect()
    width = max(NARROW, min(1.0, box.width() / QFontMetricsF(font).tightBoundingRect("W").width() * 1.4))
    centred = path.translated(-box.left(), -box.top())
    return QTransform(width / box.width(), 0, 0, 1 / box.height(), (1 - width) / 2, 0).map(centred)
