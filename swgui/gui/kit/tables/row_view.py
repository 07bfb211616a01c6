"""Setting up tables whose rows are chosen as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QAbstractItemView, QTableView

from swgui.gui.kit.theme import grid, keep_size
from swgui.gui.kit.widgets import described

T = TypeVar("T", bound=QTableView)


def row_table(
    table: T,
    name: str,
    accessible: str,
    model: QAbstractItemModel | None = None,
    *,
    tip: str = "",
    single: bool = False,
    rows: float = 0,
    widths: Sequence[float] = (),
) -> T:
    """Set up a table of which whole rows are chosen and nothing is edited, and return it.

    Parameters
    ----------
    rows : float
        Height of rows in grid units, 0 for the usual.
    widths : sequence of float
        Of the first columns, in grid units; the user can change them. The last column takes what is left.
    """
    described(table, name, tip, accessible)
    if model is not None:
        table.setModel(model)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    if single:
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    if rows:
        keep_size(table, rows=rows)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setStretchLastSection(True)
    for index, width in enumerate(widths):
        header.resizeSection(index, grid(width))
    return table
