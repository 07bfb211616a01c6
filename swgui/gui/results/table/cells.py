"""Painters of the hit table's cells: tick box, star, name, bar and map."""

from __future__ import annotations

import math

from PySide6.QtCore import QAbstractItemModel, QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from swgui.gui.kit import theme
from swgui.gui.kit.tables.ground import paint_ground
from swgui.gui.results.table.model import FOLD_ROLE, NOTE_ROLE, SPAN_ROLE, WEAK_ROLE, Fold, HitTableModel, Index
from swgui.gui.viewer.residues import styling

INDENT = "\u2003"  # before the number of an alignment below its subject


class BoxDelegate(QStyledItemDelegate):
    """A cell that is switched on and off by a click anywhere in it."""

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
        ):
            on = Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) == Qt.CheckState.Checked
            state = Qt.CheckState.Unchecked if on else Qt.CheckState.Checked
            return model.setData(index, state, Qt.ItemDataRole.CheckStateRole)
        return event.type() == QEvent.Type.MouseButtonDblClick


class TickDelegate(BoxDelegate):
    """Paints the tick box so that it stands out on every ground."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        if index.data(FOLD_ROLE) is Fold.PART:
            return
        ticked = option.checkState == Qt.CheckState.Checked
        shades = theme.colours(option.widget)
        side = round(option.fontMetrics.height() * 0.8)
        box = QRectF(0, 0, side, side)
        box.moveCenter(QRectF(option.rect).center())
        box.moveTo(round(box.left()) + 0.5, round(box.top()) + 0.5)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(QColor(shades.on_selection if selected else shades.accent if ticked else shades.control), 1)
        )
        if ticked:
            painter.setBrush(QColor(shades.on_selection if selected else shades.accent))
        painter.drawRoundedRect(box, 2, 2)
        if ticked:
            painter.setPen(QPen(QColor(shades.selection if selected else shades.on_accent), 1.8))
            corners = [(0.22, 0.52), (0.42, 0.72), (0.78, 0.28)]
            painter.drawPolyline([QPointF(box.left() + x * side, box.top() + y * side) for x, y in corners])
        painter.restore()


class StarDelegate(BoxDelegate):
    """Paints a star, filled or as an outline, and a marked corner where there is a note."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        if index.data(FOLD_ROLE) is Fold.PART:
            return
        starred = option.checkState == Qt.CheckState.Checked
        shades = theme.colours(option.widget)
        side = option.fontMetrics.height() * 0.9
        middle = QRectF(option.rect).center()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = QColor(shades.on_selection if selected else shades.warning if starred else shades.border)
        painter.setPen(QPen(ink, 1))
        if starred:
            painter.setBrush(ink)
        painter.drawPolygon(star(middle, side / 2))
        if index.data(NOTE_ROLE):
            corner = QRectF(option.rect.right() - 6, option.rect.top() + 1, 6, 6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shades.on_selection if selected else shades.accent))
            painter.drawPolygon([corner.topLeft(), corner.topRight(), corner.bottomRight()])
        painter.restore()


def star(middle: QPointF, radius: float) -> QPolygonF:
    points = []
    for corner in range(10):
        reach = radius if corner % 2 == 0 else radius * 0.45
        angle = math.pi * (corner / 5 - 0.5)
        points.append(QPointF(middle.x() + reach * math.cos(angle), middle.y() + reach * math.sin(angle)))
    return QPolygonF(points)


class NameDelegate(QStyledItemDelegate):
    """Cuts long names in the middle: contigs and isoforms often differ in their ends only."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        if index.data(FOLD_ROLE) is Fold.PART:
            option.text = f"{INDENT}{option.text}"


class RankDelegate(QStyledItemDelegate):
    """Paints the rank, and before it what unfolds the alignments of a subject."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        fold = index.data(FOLD_ROLE)
        if fold not in (Fold.FOLDED, Fold.UNFOLDED):
            return
        shades = theme.colours(option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        side = option.fontMetrics.height() * 0.28
        middle = self._place(option).center()
        points = (
            [(-0.6, -1.0), (0.8, 0.0), (-0.6, 1.0)] if fold is Fold.FOLDED else [(-1.0, -0.6), (1.0, -0.6), (0.0, 0.8)]
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shades.on_selection if selected else shades.muted))
        painter.drawPolygon([QPointF(middle.x() + x * side, middle.y() + y * side) for x, y in points])
        painter.restore()

    @staticmethod
    def _place(option: QStyleOptionViewItem) -> QRectF:
        return QRectF(option.rect.left(), option.rect.top(), option.fontMetrics.height() * 1.1, option.rect.height())

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
            and self._place(option).contains(event.position())
            and isinstance(model, HitTableModel)
        ):
            return model.unfold(model.row_at(index.row()), index.data(FOLD_ROLE) is Fold.FOLDED)
        return super().editorEvent(event, model, option, index)


class BarDelegate(QStyledItemDelegate):
    """Paints a percentage as a number over a bar."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text, selected = paint_ground(self, painter, option, index)
        shades = theme.colours(option.widget)
        cell = QRectF(option.rect).adjusted(6, 0, -6, 0)
        try:
            share = float(text) / 100
        except ValueError:
            share = 0.0
        painter.save()
        height = 3.0
        track = QRectF(cell.left(), cell.bottom() - height - 1, cell.width(), height)
        ground = QColor(shades.on_selection if selected else shades.text)
        ground.setAlphaF(0.22 if selected else 0.12)
        painter.fillRect(track, ground)
        if share > 0:
            filled = QRectF(track)
            filled.setWidth(max(1.0, track.width() * min(share, 1.0)))
            painter.fillRect(filled, QColor(shades.on_selection if selected else shades.series[0]))
        painter.setFont(option.font)
        painter.setPen(_text_colour(option, index, shades, selected))
        painter.drawText(cell.adjusted(0, 0, 0, -1), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class MapDelegate(QStyledItemDelegate):
    """Paints the stretches of the query inside the alignments over the whole query."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        spans, length = index.data(SPAN_ROLE)
        shades = theme.colours(option.widget)
        cell = QRectF(option.rect).adjusted(6, 0, -6, 0)
        painter.save()
        middle = round(cell.center().y())
        ground = QColor(shades.on_selection if selected else shades.text)
        ground.setAlphaF(0.35 if selected else 0.18)
        painter.fillRect(QRectF(cell.left(), middle - 0.5, cell.width(), 1), ground)
        colour = QColor(shades.on_selection if selected else shades.series[0])
        if index.data(WEAK_ROLE) and not selected:
            colour = styling.blend(colour, QColor(shades.base), 0.5)
        for start, end in spans:  # none while they are not known
            left = cell.left() + cell.width() * (start - 1) / length
            width = max(2.0, cell.width() * (end - start + 1) / length)
            painter.fillRect(QRectF(left, middle - 3, width, 6), colour)
        painter.restore()


def _text_colour(option: QStyleOptionViewItem, index: Index, shades: theme.Colours, selected: bool) -> QColor:
    if selected:
        return QColor(shades.on_selection)
    return QColor(shades.muted if index.data(WEAK_ROLE) else shades.text)


# Kind of a column to what paints its cells; the others are painted by Qt.
PAINTERS = {"tick": TickDelegate, "star": StarDelegate, "bar": BarDelegate, "map": MapDelegate}
# Key of a column to what paints its cells in spite of its kind.
PAINTERS_BY_KEY = {"rank": RankDelegate, "sseqid": NameDelegate}
