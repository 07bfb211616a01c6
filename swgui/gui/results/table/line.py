"""The significance line of the hit table: where it stands, how it is drawn, and dragging it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QTableView

from swgui.gui.hits.places import Places
from swgui.gui.kit import theme
from swgui.gui.results.table.model import HitTableModel
from swgui.gui.words import formatting

LINED = ("rank", "score", "bitscore", "evalue", "log10_evalue")  # orders in which the line has a place
NEAR = 3  # pixels from which it can be taken


class SignificanceLine:
    """The dashed line between hits that are significant and hits that are not.

    Parameters
    ----------
    view : QTableView
        Is painted over.
    model : HitTableModel
        Its rows, and the E-value of the line.
    """

    def __init__(self, view: QTableView, model: HitTableModel) -> None:
        self._view, self._model = view, model
        self.dragged = False
        self._hovered = False
        self._place = -1
        self._found_for: tuple[Places | None, float] = None, 0.0  # itself: the next one may come to lie at its address

    def place(self) -> int:
        """Return the place above which the line is drawn, -1 if there is no line to draw."""
        places, significance = self._model.places, self._model.significance
        if self._found_for[0] is not places or self._found_for[1] != significance:
            self._found_for, self._place = (places, significance), self._find()
        return self._place

    def _find(self) -> int:
        hits = self._model
        if hits.data_source is None or not len(hits.places) or hits.sorting.key not in LINED:
            return -1
        values = hits.data_source.hits.log10_evalues[hits.places.rows]
        strong = values <= hits.significance
        if np.isnan(values[0]) or strong.all() or not strong.any():
            return -1
        return int(np.argmin(strong) if strong[0] else np.argmax(strong))

    def _y(self) -> int | None:
        place = self.place()
        return self._view.rowViewportPosition(place) if place >= 0 else None

    def is_near(self, point: QPoint) -> bool:
        """Whether the line can be taken at a point of the viewport."""
        y = self._y()
        return y is not None and abs(point.y() - y) <= NEAR

    def hover(self, point: QPoint) -> None:
        """Show by the pointer whether the line can be taken."""
        near = self.is_near(point)
        if near != self._hovered:
            self._hovered = near
            self._view.viewport().setCursor(Qt.CursorShape.SplitVCursor if near else Qt.CursorShape.ArrowCursor)
            self._view.viewport().update()

    def limit_above(self, place: int) -> float | None:
        """Return the decadic logarithm of the E-value of a line above a place; None if none can stand there."""
        if place <= 0 or self._model.data_source is None:
            return None
        values = self._model.data_source.hits.log10_evalues
        return float(min(values[self._model.row_at(place - 1)], values[self._model.row_at(place)]))

    def paint(self) -> None:
        y, viewport = self._y(), self._view.viewport()
        if y is None or not 0 <= y <= viewport.height():
            return
        shades = theme.colours(self._view)
        painter = QPainter(viewport)
        painter.setPen(QPen(QColor(shades.warning), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(0, y, viewport.width(), y)
        text = f"significant: E ≤ {formatting.limit(self._model.significance)}"
        metrics = QFontMetricsF(self._view.font())
        width = metrics.horizontalAdvance(text) + 12
        tag = QRectF(viewport.width() - width - 8, y - metrics.height() / 2 - 1, width, metrics.height() + 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(shades.warning_soft))
        painter.setPen(QPen(QColor(shades.warning), 1))
        painter.drawRoundedRect(tag, 3, 3)
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)
