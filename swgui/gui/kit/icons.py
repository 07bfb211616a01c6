"""Icons: small drawings in ``resources/icons`` whose ``currentColor`` takes the theme's colours."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from swgui import paths

if TYPE_CHECKING:
    from swgui.gui.kit.theme import Colours

SIZES = (16, 24, 32, 48)


@lru_cache(maxsize=256)
def icon(name: str, shades: Colours) -> QIcon:
    """Return the icon called `name` in a theme's colours; `FileNotFoundError` if it does not exist."""
    text = (paths.resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    made = QIcon()
    table = (
        (QIcon.Mode.Normal, QIcon.State.Off, shades.text),
        (QIcon.Mode.Normal, QIcon.State.On, shades.accent),
        (QIcon.Mode.Disabled, QIcon.State.Off, shades.disabled),
        (QIcon.Mode.Selected, QIcon.State.Off, shades.on_selection),
    )
    for mode, state, colour in table:
        for size in SIZES:
            made.addPixmap(drawing(text, colour, size), mode, state)
    return made


@lru_cache(maxsize=1)
def app_icon() -> QIcon:
    text = (paths.resources_dir() / "icons" / "app.svg").read_text(encoding="utf-8")
    made = QIcon()
    for size in (*SIZES, 64, 128, 256):
        made.addPixmap(drawing(text, "", size))
    return made


def drawing(text: str, colour: str, size: int) -> QPixmap:
    """Draw an SVG text of one colour into a square of `size` pixels."""
    renderer = QSvgRenderer(QByteArray(text.replace("currentColor", colour).encode()))
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Draw one icon in one colour, `size` logical pixels wide on a screen with that pixel ratio."""
    text = (paths.resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    drawn = drawing(text, colour, round(size * ratio))
    drawn.setDevicePixelRatio(ratio)
    return drawn
