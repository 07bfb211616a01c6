"""A table of the user's own: a dialog that asks for its file, and its columns next to the rows of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from PySide6.QtWidgets import QFileDialog, QWidget

from swgui.core.errors import SwguiError
from swgui.core.table import TEXTS, Value
from swgui.gui.kit.saving import last_folder
from swgui.gui.kit.tables.column_table import TableColumn
from swgui.io.cells import written
from swgui.io.metadata import Metadata, read_metadata

S = TypeVar("S")
KINDS: Final = "Tables (*.csv *.tsv *.txt *.xlsx *.gz);;All files (*)"


def ask_own_table(parent: QWidget) -> Path | None:
    """Ask for the file of a table; None if the user chose none."""
    name, _ = QFileDialog.getOpenFileName(parent, "Add a table of your own", last_folder(), KINDS)
    return Path(name) if name else None


def read_own_table(path: Path, names: Iterable[str]) -> Metadata:
    """Return a table, with the rows of some names looked up; for a worker. Raises as `read_metadata`."""
    own = read_metadata(path)
    own.prepare()
    for name in names:
        own.row(name)
    return own


def fault_of(error: Exception) -> str:
    """Return why a table cannot be added, and what to do."""
    hint = error.hint if isinstance(error, SwguiError) else ""
    return f"{error} {hint}".strip()


def own_columns(
    own: Metadata, names: Callable[[S], Sequence[Value]], source: S, taken: Sequence[str]
) -> list[TableColumn]:
    """Return the columns of a table next to the rows of a list; for a worker.

    Parameters
    ----------
    names : callable
        Returns the name of each row of `source`.
    taken : sequence of str
        Keys of the list's own columns.
    """
    columns = []
    for column in own.columns(names, taken):
        values = column.values(source)
        texts = written(column, values)
        if column.kind in TEXTS:
            columns.append(TableColumn(column.key, column.title, column.description, texts.__getitem__))
        else:
            numbers = np.array([np.nan if value is None else value for value in values], np.float64)
            columns.append(TableColumn(column.key, column.title, column.description, texts.__getitem__, numbers))
    return columns
