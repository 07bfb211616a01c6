"""The marks of a heat map, drawn: a star, a diamond, hatching, a cross."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from swgui.gui.kit.theme import Colours


def draw_mark(
    painter: QPainter, mark: str, at: QPointF, size: float, ink: QColor, shades: Colours | None = None
) -> None:
    """Draw one of the marks around a point: fonts draw these signs too differently, or not at all."""
    painter.save()
    painter.setPen(QPen(ink, max(1.0, size / 4)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    box = QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size)
    match mark:
        case "★":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.drawPolygon(_star(at, size))
        case "◇":
            painter.drawPolygon(
                QPolygonF(
                    [at + QPointF(0, -size), at + QPointF(size, 0), at + QPointF(0, size), at + QPointF(-size, 0)]
                )
            )
        case "▨":
            painter.fillRect(box, QBrush(QColor(shades.control) if shades else ink, Qt.BrushStyle.BDiagPattern))
            painter.setPen(QPen(QColor(shades.control) if shades else ink, 1))
            painter.drawRect(box)
        case "✖":
            painter.setPen(QPen(QColor(shades.danger) if shades else ink, max(1.5, size / 3)))
            painter.drawLine(box.topLeft(), box.bottomRight())
            painter.drawLine(box.topRight(), box.bottomLeft())
        case _:
            painter.drawText(box.adjusted(-2, -4, 2, 4), int(Qt.AlignmentFlag.AlignCenter), mark)
    painter.restore()


# Corners of a five-pointed star on the unit circle, outer and inner in turn.
_CORNERS = (
    (0.0, -1.0), (0.225, -0.309), (0.951, -0.309), (0.363, 0.118), (0.588, 0.809),
    (0.0, 0.382), (-0.588, 0.809), (-0.363, 0.118), (-0.951, -0.309), (-0.225, -0.309),
)  # fmt: skip


def _star(at: QPointF, size: float) -> QPolygonF:
    return QPolygonF([at + QPointF(x * size, y * size) for x, y in _CORNERS])
