"""The program's icon in the sizes and formats that desktops ask for, drawn from ``resources/icons/app.svg``."""

from __future__ import annotations

import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = Path(__file__).resolve().parents[2] / "resources" / "icons" / "app.svg"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
WINDOWS_SIZES = (16, 24, 32, 48, 64, 128, 256)


def png(size: int) -> bytes:
    """Return the icon as a PNG of `size` x `size` pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(DRAWING)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(data.data())


def ico() -> bytes:
    """Return the icon as Windows takes it: a list of PNGs behind a table of their sizes and places."""
    drawn = [png(size) for size in WINDOWS_SIZES]
    at = 6 + 16 * len(drawn)
    table = struct.pack("<HHH", 0, 1, len(drawn))
    for size, data in zip(WINDOWS_SIZES, drawn, strict=True):
        table += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), at)
        at += len(data)
    return table + b"".join(drawn)


def write_icons(share: Path) -> None:
    """Write the icon below a ``share`` folder, where desktops look for it."""
    home = share / "icons" / "hicolor"
    for size in SIZES:
        folder = home / f"{size}x{size}" / "apps"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "swgui.png").write_bytes(png(size))
    (home / "scalable" / "apps").mkdir(parents=True, exist_ok=True)
    (home / "scalable" / "apps" / "swgui.svg").write_bytes(DRAWING.read_bytes())
