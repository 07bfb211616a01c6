"""The hit table as a Qt model: a permutation over `HitData`, text made for visible cells only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QPalette

from swgui.core import words
from swgui.core.hits.marks import Kind
from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.columns import BY_KEY, ColumnView, species
from swgui.gui.hits.data import HitData
from swgui.gui.hits.places import SUBJECT, Places, map_of, part_of, part_text, part_tip
from swgui.gui.kit.widgets import plain
from swgui.gui.results.clipboard import rows_as_fasta
from swgui.gui.results.marks import MarkStore
from swgui.gui.words import formatting

Index = QModelIndex | QPersistentModelIndex

SORT_ROLE = Qt.ItemDataRole.UserRole  # the number or text a cell is sorted by
ROW_ROLE = Qt.ItemDataRole.UserRole + 1  # place in the ranked list
SPAN_ROLE = Qt.ItemDataRole.UserRole + 2  # ([(start, end), ...], query length) for the map column
WEAK_ROLE = Qt.ItemDataRole.UserRole + 3  # below the significance line
NOTE_ROLE = Qt.ItemDataRole.UserRole + 4  # the user's note on the hit
FOLD_ROLE = Qt.ItemDataRole.UserRole + 5  # a `Fold`
ROUNDS_ROLE = Qt.ItemDataRole.UserRole + 6  # `HitRounds` of a hit, None for a search without rounds

DRAGGED = 200  # rows that can be dragged out; more are exported
FEW = 10_000  # marked hits whose rows are looked up to be repainted; for more everything is repainted
GAP = "\u2002"  # keeps a number off the text next to it
NAMED = 6  # alignments whose places a tool tip names
BOXES: dict[str, Kind] = {"tick": "ticked", "star": "starred"}  # columns that are switched on and off by a click

# Texts of the alignments of a subject in place of the subject's.
_OF_PARTS = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ForegroundRole,
    Qt.ItemDataRole.CheckStateRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    NOTE_ROLE,
)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter


class Fold(Enum):
    """Kind of a place among those of its subject."""

    SINGLE = 0  # the subject has at most one alignment, as far as known
    FOLDED = 1
    UNFOLDED = 2
    PART = 3  # one of its alignments


class HitTableModel(QAbstractTableModel):
    """Shows some rows of a `HitData` in some order. Rows of this model are called places.

    Subjects with several alignments can be unfolded: a place for each alignment follows that of the subject.
    """

    # A click on a column's head; the owner of the data arranges it and calls `show_rows`
    sorting_wanted = Signal(object)
    folded = Signal()  # a subject was folded or unfolded

    def __init__(self, marks: MarkStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[ColumnView, ...] = tuple(BY_KEY.values())
        self.data_source: HitData | None = None
        self.places = Places.of(np.zeros(0, dtype=np.int64), {})
        self.sorting = Sorting()
        self.significance = -3.0  # log10 E; weaker hits are dimmed
        self.marks = marks
        marks.changed.connect(self._marks_changed)
        self._dimmed = QGuiApplication.palette().brush(QPalette.ColorRole.PlaceholderText)
        self._digits = _with_even_digits(QFont())
        self._slanted = _slanted(QFont())

    # -- display -----------------------------------------------------------------------------------

    def show_rows(self, data: HitData | None, rows: NDArray[np.int64], sorting: Sorting) -> None:
        """Show these rows in this order; the selection is lost and must be restored by the caller."""
        self.beginResetModel()
        self.data_source, self.sorting = data, sorting
        self.places = self._unfolded(rows)
        self.endResetModel()

    def add_columns(self, keys: Sequence[str]) -> None:
        """Add columns behind all others."""
        first = len(self.columns)
        self.beginInsertColumns(QModelIndex(), first, first + len(keys) - 1)
        self.columns = (*self.columns, *(BY_KEY[key] for key in keys))
        self.endInsertColumns()

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the ranked list that are shown, in their order, each once, shape (n,), dtype int64."""
        return self.places.subjects

    def _unfolded(self, rows: NDArray[np.int64]) -> Places:
        data = self.data_source
        return Places.of(rows, {} if data is None else {row: data.how_many(row)[0] for row in data.unfolded})

    def unfold(self, row: int, on: bool = True) -> bool:
        """Show the alignments of a subject below it, or hide them; False if nothing changes."""
        data, place = self.data_source, self.places.place_of(row)
        if data is None or place < 0 or on == (row in data.unfolded) or data.how_many(row)[0] < 2:
            return False
        first, last = place + 1, place + data.how_many(row)[0]
        if on:
            self.beginInsertRows(QModelIndex(), first, last)
            data.unfolded.add(row)
            self.places = self._unfolded(self.rows)
            self.endInsertRows()
        else:
            self.beginRemoveRows(QModelIndex(), first, last)
            data.unfolded.discard(row)
            self.places = self._unfolded(self.rows)
            self.endRemoveRows()
        self.refresh([row])
        self.folded.emit()
        return True

    def fold_of(self, place: int) -> Fold:
        """Return the content of a place."""
        row, part = self.places.at(place)
        if part >= 0:
            return Fold.PART
        if self.data_source is None or self.data_source.how_many(row)[0] < 2:
            return Fold.SINGLE
        return Fold.UNFOLDED if row in self.data_source.unfolded else Fold.FOLDED

    def row_at(self, place: int) -> int:
        return int(self.places.rows[place])

    def column_index(self, key: str) -> int:
        return next(index for index, column in enumerate(self.columns) if column.key == key)

    def refresh(self, rows: Iterable[int]) -> None:
        """Repaint rows of the ranked list with new or changed values."""
        changed = np.fromiter(rows, dtype=np.int64)
        if not len(changed) or self.data_source is None:
            return
        places = self.places.places_of(changed)
        if len(places):
            last, row = len(self.columns) - 1, self.row_at(int(places.max()))
            parts = self.data_source.how_many(row)[0] if row in self.data_source.unfolded else 0
            self.dataChanged.emit(self.index(int(places.min()), 0), self.index(int(places.max()) + parts, last))

    def set_significance(self, log10_evalue: float) -> None:
        """Move the line below which hits are dimmed."""
        self.significance = log10_evalue
        self.restyle()

    def restyle(self, palette: QPalette | None = None, font: QFont | None = None) -> None:
        if palette is not None:
            self._dimmed = palette.brush(QPalette.ColorRole.PlaceholderText)
        if font is not None:
            self._digits, self._slanted = _with_even_digits(font), _slanted(font)
        if len(self.places):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.places) - 1, len(self.columns) - 1))

    def _is_weak(self, source: HitData, row: int, part: int = SUBJECT) -> bool:
        """Whether the E-value of a hit, or of one of its alignments, is above the significance line."""
        hit = part_of(source, row, part) if part >= 0 else None
        return bool((hit.log10_evalue if hit is not None else source.hits.log10_evalues[row]) > self.significance)

    # -- Qt's questions ----------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.places)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the data of one cell for a role; the roles of this module are for painters and for sorting."""
        source = self.data_source
        if source is None or not index.isValid():
            return None
        column, (row, part) = self.columns[index.column()], self.places.at(index.row())
        if part >= 0 and role in _OF_PARTS:
            return self._part_data(source, row, part, column, role)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{row + 1:,}{GAP}" if column.key == "rank" else _spaced(column, source.text(row, column))
            case Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT if column.kind == "text" else _RIGHT
            case Qt.ItemDataRole.FontRole:
                if self._has("hidden", source, row):  # always shown: neither by colour nor by weight alone
                    return self._slanted
                return self._digits if column.kind in ("number", "bar") else None
            case Qt.ItemDataRole.ForegroundRole:
                weak = self._is_weak(source, row) or self._has("hidden", source, row)
                return self._dimmed if weak else None
            case Qt.ItemDataRole.CheckStateRole if column.kind in BOXES:
                on = self._has(BOXES[column.kind], source, row)
                return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.ToolTipRole:
                return plain(self._tool_tip(source, row, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._accessible_text(source, row, column)
            case x if x == SORT_ROLE:
                return source.text(row, column) if column.kind == "text" else self._number(source, row, column)
            case x if x == ROW_ROLE:
                return row
            case x if x == SPAN_ROLE:
                return map_of(source, row, part)
            case x if x == WEAK_ROLE:
                return self._is_weak(source, row, part)
            case x if x == FOLD_ROLE:
                return self.fold_of(index.row())
            case x if x == ROUNDS_ROLE:
                return source.rounds(row) if part < 0 else None
            case x if x == NOTE_ROLE:
                return source.marks.note(source.query_index, source.subject(row))
        return None

    def _part_data(self, source: HitData, row: int, part: int, column: ColumnView, role: int) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _spaced(column, part_text(source, row, part, column))
            case Qt.ItemDataRole.ForegroundRole:
                return self._dimmed if self._is_weak(source, row, part) else None
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return plain(part_tip(source, row, part, column))
        return None

    @staticmethod
    def _has(kind: Kind, source: HitData, row: int) -> bool:
        return source.marks.has(kind, source.query_index, source.subject(row))

    @staticmethod
    def _number(source: HitData, row: int, column: ColumnView) -> float:
        key = {"tick": "rank", "star": "star", "map": "qstart"}.get(column.kind, column.key)
        return source.value(row, key)

    @staticmethod
    def _tool_tip(source: HitData, row: int, column: ColumnView) -> str:
        if row in source.faults and column.late:
            return source.faults[row]
        if column.kind == "map" and source.aligned[row]:
            spans, length = map_of(source, row, SUBJECT)
            places = ", ".join(f"{start:,} to {end:,}" for start, end in spans[:NAMED])
            more = f" and {words.count(len(spans) - NAMED, 'more')}" if len(spans) > NAMED else ""
            return f"Query {places}{more} of {length:,}"
        if column.key == "n_hsps":
            return source.said_alignments(row)
        if column.kind == "star":
            return source.marks.note(source.query_index, source.subject(row))
        return source.text(row, column) if column.kind == "text" else ""

    def _accessible_text(self, source: HitData, row: int, column: ColumnView) -> str:
        if column.kind == "tick":
            return "ticked" if self._has("ticked", source, row) else "not ticked"
        if column.kind == "star":
            marks = ["star" if self._has("starred", source, row) else "no star"]
            marks += ["hidden"] if self._has("hidden", source, row) else []
            marks += ["has a note"] if source.marks.note(source.query_index, source.subject(row)) else []
            return ", ".join(marks)
        if column.kind == "map":
            return self._tool_tip(source, row, column)
        text = source.text(row, column)
        if column.key == "rank" and source.how_many(row)[0] > 1:
            state = "unfolded" if row in source.unfolded else "folded"
            return f"{text}, {source.said_alignments(row)}, {state}"
        return "not known yet" if text == formatting.NOTHING else text

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        kind, source = BOXES.get(self.columns[index.column()].kind), self.data_source
        if (
            role != Qt.ItemDataRole.CheckStateRole
            or kind is None
            or source is None
            or self.places.part(index.row()) >= 0
        ):
            return False
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        self.marks.set(kind, source.query_index, source.subjects([self.row_at(index.row())]), on)
        return True

    def _marks_changed(self, _kind: str, query: int, subjects: Collection[int]) -> None:
        source = self.data_source
        if source is None or source.query_index != query or not len(self.places):
            return
        if len(subjects) > FEW:
            self.restyle()
        else:
            self.refresh(np.flatnonzero(np.isin(source.hits.db_index, list(subjects))).tolist())

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        if index.isValid() and self.columns[index.column()].kind in BOXES and self.places.part(index.row()) < 0:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def mimeTypes(self) -> list[str]:
        return ["text/plain"]

    def mimeData(self, indexes: Sequence[Index]) -> QMimeData:
        """Return dragged rows as FASTA, so that they can be dropped into other programs or used as a query.

        At most `DRAGGED` rows.
        """
        content = QMimeData()
        if self.data_source is not None:
            places = sorted({index.row() for index in indexes})[:DRAGGED]
            content.setText(rows_as_fasta(self.data_source, [self.places.at(place) for place in places]))
        return content

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Vertical:
            return f"{self.row_at(section) + 1:,}" if role == Qt.ItemDataRole.DisplayRole else None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{GAP}{column.head}" if column.key == "verdict" else column.head  # above its indented texts
            case Qt.ItemDataRole.AccessibleTextRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.WhatsThisRole:
                return column.tool_tip()
            case Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT if column.kind in ("text", "map") else _CENTER if column.kind in BOXES else _RIGHT
        return None

    def sort(self, section: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order; the rows come through `show_rows`, from a worker if there are many."""
        if 0 <= section < len(self.columns) and self.columns[section].kind != "tick":
            descending = order == Qt.SortOrder.DescendingOrder
            self.sorting_wanted.emit(Sorting(self.columns[section].key, descending))


def _spaced(column: ColumnView, text: str) -> str:
    if column.key == "organism":
        return species(text)
    return f"{GAP}{text}" if column.key == "verdict" and text else text


def _slanted(font: QFont) -> QFont:
    slanted = QFont(font)
    slanted.setItalic(True)
    return slanted


def _with_even_digits(font: QFont) -> QFont:
    even = QFont(font)
    even.setFeature(QFont.Tag("tnum"), 1)
    return even
