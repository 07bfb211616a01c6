"""The ground of a cell, for delegates that draw something of their own on it."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from swgui.gui.kit.tables.row_table import Index
from swgui.gui.kit.theme import style_of


def paint_ground(
    delegate: QStyledItemDelegate, painter: QPainter, option: QStyleOptionViewItem, index: Index
) -> tuple[str, bool]:
    """Paint a cell without its text and its check box; return the text and whether the row is selected."""
    delegate.initStyleOption(option, index)
    text, option.text = option.text, ""
    option.features &= ~QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    style_of(option.widget).drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
    return text, bool(option.state & QStyle.StateFlag.State_Selected)
