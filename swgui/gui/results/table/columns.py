"""The columns of the hit table as it is seen: width, order, which are shown, and sorting by their heads."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QTableView, QWidget

from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.translation.programs import shifting
from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.columns import SPARE
from swgui.gui.results.table import round_cells
from swgui.gui.results.table.cells import PAINTERS, PAINTERS_BY_KEY
from swgui.gui.results.table.model import BOXES, HitTableModel
from swgui.io.export.columns import evidence_columns

DESCRIPTION = (16, 21, 90)  # characters of the description: at least, before other columns come, at most
_PAINTERS = PAINTERS_BY_KEY | round_cells.PAINTERS_BY_KEY
HEADERS_LOOKED_AT = 50  # by which it is judged whether a column says something


class HitTableColumns(QTableView):
    """A table of hits whose columns can be chosen, moved and sorted by."""

    def __init__(self, model: HitTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hits = model
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(False)
        self.setShowGrid(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._filling = self._resized_by_hand = self._chosen_by_hand = False
        self._usual: set[str] = set()  # columns shown from the start, if there is room for them
        self._set_up_header()
        self._painters: dict[str, QStyledItemDelegate] = {kind: painter(self) for kind, painter in PAINTERS.items()}
        for at, column in enumerate(model.columns):
            if column.kind in self._painters:
                self.setItemDelegateForColumn(at, self._painters[column.kind])
            elif column.key in _PAINTERS:
                self._painters[column.key] = _PAINTERS[column.key](self)
                self.setItemDelegateForColumn(at, self._painters[column.key])
        self.set_default_columns()
        self.fit_to_font()
        self.show_sorting(model.sorting)

    def _set_up_header(self) -> None:
        header = self.horizontalHeader()
        header.setObjectName("hitTableHeader")
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # A head asks whether all of its column is selected, row by row: minutes for a million selected hits.
        header.setSelectionModel(QItemSelectionModel(self.hits, header))
        header.sectionClicked.connect(self._sort_by)
        header.sectionResized.connect(self._section_resized)

    def fit_to_font(self) -> None:
        metrics = QFontMetricsF(self.font())
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.55))
        self.verticalHeader().setMinimumSectionSize(8)
        unit = metrics.horizontalAdvance("0")
        self._widths = []
        self._filling = True
        for at, column in enumerate(self.hits.columns):
            # The arrow of the order stands above the head.
            head = metrics.horizontalAdvance(column.head) * 1.08 + 16
            self._widths.append(round(max(unit * column.width + 12, head if column.kind not in BOXES else 0)))
            self.setColumnWidth(at, self._widths[at])
        self._filling = False
        self.fill_width()

    def fill_width(self) -> None:
        """Let the description, or the name without it, take the room that the other columns leave, within reason."""
        self._leave_out()
        at = self.hits.column_index("stitle")
        if self.isColumnHidden(at):
            at = self.hits.column_index("sseqid")
        if self._resized_by_hand or self.isColumnHidden(at):
            return
        header = self.horizontalHeader()
        others = header.length() - header.sectionSize(at)
        unit = QFontMetricsF(self.font()).horizontalAdvance("0")
        room = self.viewport().width() - others
        self._filling = True
        least, _, most = DESCRIPTION
        self.setColumnWidth(at, round(min(max(room, least * unit), most * unit)))
        self._filling = False

    def _leave_out(self) -> None:
        if self._chosen_by_hand or self._resized_by_hand or not self._usual:
            return
        unit = QFontMetricsF(self.font()).horizontalAdvance("0")
        wide = {
            column.key: DESCRIPTION[1] * unit if column.key == "stitle" else self._widths[at]
            for at, column in enumerate(self.hits.columns)
            if column.key in self._usual
        }
        for key in SPARE:
            if sum(wide.values()) <= self.viewport().width():
                break
            wide.pop(key, None)
        self._filling = True
        for at, column in enumerate(self.hits.columns):
            if self.isColumnHidden(at) == (column.key in wide):
                self.setColumnHidden(at, column.key not in wide)
        self._filling = False

    def _section_resized(self, section: int, _old: int, _new: int) -> None:
        if self.hits.columns[section].key in ("stitle", "sseqid") and not self._filling and self.isVisible():
            self._resized_by_hand = True

    def set_default_columns(self, also: Collection[str] = (), idle: Collection[str] = ()) -> None:
        """Show the columns that are shown from the start, in their order; not if the user has chosen others.

        Parameters
        ----------
        also : collection of str
            Columns that say something in this result.
        idle : collection of str
            Columns that would say nothing in it.
        """
        if self._chosen_by_hand:
            return
        header = self.horizontalHeader()
        self._usual = {column.key for column in self.hits.columns if column.shown or column.key in also} - set(idle)
        for at, column in enumerate(self.hits.columns):
            self.setColumnHidden(at, column.key not in self._usual)
            header.moveSection(header.visualIndex(at), at)
        self.fit_to_font()

    def shown_keys(self) -> list[str]:
        header = self.horizontalHeader()
        logical = [header.logicalIndex(visual) for visual in range(header.count())]
        return [self.hits.columns[at].key for at in logical if not header.isSectionHidden(at)]

    def show_columns(self, keys: list[str]) -> None:
        self._chosen_by_hand = True
        header = self.horizontalHeader()
        for visual, key in enumerate(keys):
            header.moveSection(header.visualIndex(self.hits.column_index(key)), visual)
        for at, column in enumerate(self.hits.columns):
            self.setColumnHidden(at, column.key not in keys)
        self.fill_width()

    def _sort_by(self, section: int) -> None:
        column = self.hits.columns[section]
        if column.kind == "tick":  # it has no order of its own
            return
        now = self.hits.sorting
        descending = not now.descending if now.key == column.key else column.descending
        self.show_sorting(now)  # until the rows have come
        self.hits.sort(section, Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder)

    def show_sorting(self, sorting: Sorting) -> None:
        order = Qt.SortOrder.DescendingOrder if sorting.descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(self.hits.column_index(sorting.key), order)


def idle_columns(result: SearchResult) -> set[str]:
    """Return the columns that would be empty or say nothing, judged by the first hits, or subjects if there is none."""
    of_query = next((q for q in result.queries if len(q.hits)), None)
    database = result.database
    subjects = range(len(database)) if of_query is None else of_query.hits.db_index.tolist()
    first = subjects[:HEADERS_LOOKED_AT]
    headers = [parse_header(database.ids[at], database.descriptions[at]) for at in first]
    idle = set()
    if not any(header.organism for header in headers):
        idle.add("organism")
    if not any(header.title for header in headers):
        idle.add("stitle")
    if not result.statistics:
        idle.add("evalue")
    return idle


def telling_columns(result: SearchResult, noted: int) -> set[str]:
    """Return the columns that are not shown from the start, and say something here.

    Parameters
    ----------
    noted : int
        Notes that there are to be read.
    """
    known = [key for key in evidence_columns(result) if not key.endswith("_bits")]
    telling = {"round_status", "round_evalues", *known} if any(query.rounds for query in result.queries) else set()
    how, shifts = result.translation, shifting(result.translation)
    reasons = {
        "sstrand": shifts or (result.search.strand != "plus" and how is None),
        "qframe": how is not None and how.of.translates_query and not shifts,
        "sframe": how is not None and how.of.translates_database and not shifts,
        "frameshifts": shifts,
        "note": noted,
    }
    return telling | {key for key, telling_here in reasons.items() if telling_here}
