"""A table of the user's own, whose columns are added to the hit table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from swgui.gui.hits.columns import add_views
from swgui.gui.inputs.own_table import ask_own_table, fault_of, read_own_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.io.export.own import bring_columns
from swgui.io.metadata import Metadata

if TYPE_CHECKING:
    from swgui.core.database import TextColumn
    from swgui.gui.results.frame import ResultsFrame


class OwnTable(QObject):
    """Adds the columns of tables to the hit table of a page: shown, sorted, filtered and exported as all others."""

    def __init__(self, page: ResultsFrame, tasks: Tasks) -> None:
        super().__init__(page)
        self._page, self._tasks = page, tasks

    def ask(self) -> None:
        """Ask for a file and add its columns."""
        if (path := ask_own_table(self._page)) is not None:
            self.add(path)

    def add(self, path: Path) -> None:
        """Add the columns of a file once it is read; the status line says how many names have a row, or the fault."""
        data = self._page.hits.data
        subjects = None if data is None else (data.result.database.ids, data.hits.db_index)
        self._page.message.emit(f"Reading {path.name}…")
        self._tasks.submit("results-own", lambda: _read(path, subjects), self._show, self._fail)

    def _show(self, own: Metadata) -> None:
        columns = bring_columns(own)
        add_views(columns)
        keys = [column.key for column in columns]
        hits = self._page.hits
        hits.table.add_columns(keys)
        hits.sort_by(hits.sorting)  # selects the current row again, with the new cells
        self._page.filters.add_ranges([column.key for column in columns if column.kind != "text"])
        self._page.message.emit(own.summary())

    def _fail(self, error: Exception) -> None:
        self._page.message.emit(fault_of(error))


def _read(path: Path, subjects: tuple[TextColumn, np.ndarray] | None) -> Metadata:
    """Return a table, with the names of the subjects looked up."""
    return read_own_table(path, () if subjects is None else subjects[0].decoded(subjects[1]))
