"""Painters of what the rounds of a search say of a hit: E over the rounds as a line, and new, kept or lost."""

from __future__ import annotations

import itertools
import math
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from swgui.core.profiles.rounds import HitRounds, Status
from swgui.gui.kit import theme
from swgui.gui.kit.tables.ground import paint_ground
from swgui.gui.kit.tables.row_table import Index
from swgui.gui.results.table.model import ROUNDS_ROLE, WEAK_ROLE

WEAKEST, STRONGEST = 2.0, -50.0  # log10 E at the bottom and at the top of a line


def height_of(log10_evalue: float) -> float:
    """Return how high a point lies in its cell, 0 to 1: the first powers of ten count most."""
    reached = min(max(WEAKEST - log10_evalue, 0.0), WEAKEST - STRONGEST)
    return math.log1p(reached) / math.log1p(WEAKEST - STRONGEST)


class EvaluesDelegate(QStyledItemDelegate):
    """Paints E over the rounds: the stronger the higher; a filled point from the round that included the hit."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        rounds: HitRounds | None = index.data(ROUNDS_ROLE)
        if rounds is None:
            return
        shades = theme.colours(option.widget)
        weak = index.data(WEAK_ROLE)
        ink = QColor(shades.on_selection if selected else shades.muted if weak else shades.series[0])
        ground = QColor(shades.selection if selected else shades.base)
        cell = QRectF(option.rect).adjusted(8, 5, -8, -4)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        points = _points(rounds, cell)
        painter.setPen(QPen(ink, 1.2))
        for before, behind in itertools.pairwise(points):
            if before is not None and behind is not None:
                painter.drawLine(before, behind)
        radius = max(1.8, cell.height() * 0.14)
        last = len(points)
        for number, point in enumerate(points, start=1):
            if point is None:
                continue
            included = 0 < rounds.first_included <= number and not (rounds.status == "lost" and number == last)
            painter.setBrush(ink if included else ground)
            painter.drawEllipse(point, radius, radius)
        painter.restore()


def _points(rounds: HitRounds, cell: QRectF) -> list[QPointF | None]:
    step = cell.width() / max(1, len(rounds.log10_evalues) - 1)
    return [
        None
        if math.isnan(evalue)
        else QPointF(cell.left() + at * step, cell.bottom() - height_of(evalue) * cell.height())
        for at, evalue in enumerate(rounds.log10_evalues)
    ]


class StatusDelegate(QStyledItemDelegate):
    """Paints whether the last round includes a hit, as a sign before the word."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text, selected = paint_ground(self, painter, option, index)
        rounds: HitRounds | None = index.data(ROUNDS_ROLE)
        if rounds is None or not rounds.status:
            return
        shades = theme.colours(option.widget)
        tones: dict[Status, str] = {"new": shades.success, "kept": shades.muted, "lost": shades.danger}
        ink = QColor(shades.on_selection if selected else tones[rounds.status])
        side = option.fontMetrics.height() * 0.34
        cell = QRectF(option.rect).adjusted(6, 0, -4, 0)
        middle = QPointF(cell.left() + side, cell.center().y())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ink, 1.6))
        paint_status(painter, rounds.status, middle, side)
        painter.setFont(option.font)
        painter.setPen(
            QColor(shades.on_selection) if selected else ink if rounds.status != "kept" else QColor(shades.text)
        )
        painter.drawText(cell.adjusted(2 * side + 6, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


def paint_status(painter: QPainter, status: Status, middle: QPointF, radius: float) -> None:
    """Paint the sign of a status with the pen in use: a filled triangle, a ring, a cross."""
    if status == "kept":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(middle, radius * 0.75, radius * 0.75)
    elif status == "new":
        painter.setBrush(painter.pen().color())
        corners = ((0.0, -0.9), (0.9, 0.7), (-0.9, 0.7))
        painter.drawPolygon(QPolygonF([QPointF(middle.x() + x * radius, middle.y() + y * radius) for x, y in corners]))
    else:
        reach = radius * 0.8
        for sign in (-1, 1):
            across = QPointF(reach, sign * reach)
            painter.drawLine(middle - across, middle + across)


# Key of a column to what paints its cells.
PAINTERS_BY_KEY: Final = {"round_evalues": EvaluesDelegate, "round_status": StatusDelegate}
