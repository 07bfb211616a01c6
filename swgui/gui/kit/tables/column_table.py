"""Tables over columns: any number of rows, text made for visible cells only, order and filter made by a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt

from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import LEFT, RIGHT, Index, Role, RowTable

_BEHIND_NUMBERS: Final = "\u2002"  # keeps a number off the text beside it


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column."""

    key: str
    title: str  # and tip: head of the column, and what it means
    tip: str
    text: Callable[[int], str]  # what a cell shows, by row
    # What the column is sorted by, NaN for what is not known; None for a column of texts.
    numbers: NDArray[Any] | None = None
    # The whole text where `text` is short: for the tool tip, the filter and the clipboard.
    full: Callable[[int], str] | None = None
    # What a column of texts is sorted by, where making all of its texts would take too long.
    order: NDArray[Any] | None = None

    @property
    def whole(self) -> Callable[[int], str]:
        return self.full or self.text

    @property
    def kind(self) -> Literal["number", "text"]:
        return "text" if self.numbers is None else "number"

    @property
    def side(self) -> Qt.AlignmentFlag:
        return LEFT if self.numbers is None else RIGHT


class ColumnSource:
    """Columns of equal length, and in what order and selection their rows are seen."""

    def __init__(self, columns: Sequence[TableColumn], count: int) -> None:
        self.columns = tuple(columns)
        self.count = count
        self._texts = [column.whole for column in self.columns if column.kind == "text"]
        self._orders: dict[str, NDArray[Any]] = {}
        self._search: list[str] | None = None

    def arrange(
        self, key: str = "", descending: bool = False, words: str = "", mask: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the rows seen, in order; may be called by a worker.

        Rows of equal value stay in the order of the source, values that are not known come last.

        Parameters
        ----------
        key : str
            Column to sort by; empty for the order of the source.
        mask : ndarray, shape=(n,), dtype=bool, optional
            Rows that may be seen.
        """
        rows = np.arange(self.count) if mask is None else np.flatnonzero(mask)
        wanted = words.casefold().split()
        if wanted:
            search = self._haystack()
            rows = np.array([row for row in rows.tolist() if all(word in search[row] for word in wanted)], dtype=int)
        column = next((column for column in self.columns if column.key == key), None)
        if column is None:
            return rows.astype(np.int64)
        values = self._order(column)[rows].astype(np.float64)
        unknown = np.isnan(values)
        order = np.argsort(np.where(unknown, np.inf, -values if descending else values), kind="stable")
        order = np.concatenate([order[~unknown[order]], order[unknown[order]]])
        return rows[order].astype(np.int64)

    def _order(self, column: TableColumn) -> NDArray[Any]:
        values = column.numbers if column.order is None else column.order
        if values is not None:
            return values
        if column.key not in self._orders:
            numbers: dict[str, int] = {}  # not `sorted` over all rows, which would hold up the window's thread
            texts = (column.text(row).casefold() for row in range(self.count))
            codes = np.fromiter((numbers.setdefault(text, len(numbers)) for text in texts), np.int64, self.count)
            places = np.empty(len(numbers), dtype=np.int64)
            places[[numbers[text] for text in sorted(numbers)]] = np.arange(len(numbers))
            self._orders[column.key] = places[codes]
        return self._orders[column.key]

    def _haystack(self) -> list[str]:
        if self._search is None:
            self._search = ["\n".join(text(row) for text in self._texts).casefold() for row in range(self.count)]
        return self._search

    def as_text(self, rows: Sequence[int], keys: Sequence[str]) -> str:
        columns = [column for column in self.columns if column.key in keys]
        lines = ["\t".join(column.title for column in columns)]
        lines += ["\t".join(" ".join(column.whole(row).split()) for column in columns) for row in rows]
        return "\n".join(lines) + "\n"


class ColumnTableModel(RowTable):
    """Shows rows of a `ColumnSource`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = ColumnSource((), 0)
        self.rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._text = lru_cache(maxsize=8192)(self._make_text)

    def show(self, source: ColumnSource, rows: NDArray[np.int64]) -> None:
        self.beginResetModel()
        if source is not self.source:
            self._text.cache_clear()
        self.source, self.heads, self.rows = source, source.columns, rows
        self.endResetModel()

    def _make_text(self, row: int, section: int) -> str:
        return self.source.columns[section].text(row)

    def row_count(self) -> int:
        return len(self.rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        column = self.source.columns[index.column()]
        if role == Role.DisplayRole:
            text = self._text(int(self.rows[index.row()]), index.column())
            return text if column.kind == "text" else text + _BEHIND_NUMBERS
        if role == Role.ToolTipRole:
            return plain(column.whole(int(self.rows[index.row()]))) if column.kind == "text" else None
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        if role == Role.AccessibleTextRole:
            return f"{column.title}: {self._text(int(self.rows[index.row()]), index.column()) or 'not known'}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if section >= len(self.heads):
            return None
        shown = super().headerData(section, orientation, role)
        number = role == Role.DisplayRole and shown is not None and self.source.columns[section].kind == "number"
        return shown + _BEHIND_NUMBERS if number else shown
