"""The queries of a run: one below the other, searchable, with the number of their significant hits."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from swgui.core.hits.results import SearchResult
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tables.ground import paint_ground
from swgui.gui.kit.widgets import check_box, described, line_edit, text_label
from swgui.gui.results.header import PARTLY
from swgui.gui.results.query_list import COUNT_ROLE, QUERY_ROLE, SIGNIFICANT_ROLE, WHOLE_ROLE, Index, QueryListModel


class QueryDelegate(QStyledItemDelegate):
    """Paints a query's name on the left, and on the right how many of its hits are significant."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint background, name and count."""
        name, selected = paint_ground(self, painter, option, index)
        shades = theme.colours(option.widget)
        hits, significant = index.data(COUNT_ROLE), index.data(SIGNIFICANT_ROLE)
        strong = significant if significant >= 0 else hits
        cell = QRectF(option.rect).adjusted(8, 0, -8, 0)
        metrics = QFontMetricsF(option.font)
        count = f"{strong:,}" if index.data(WHOLE_ROLE) else f"{PARTLY} {strong:,}"
        width = metrics.horizontalAdvance(count)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(QColor(shades.on_selection if selected else shades.text if strong else shades.muted))
        room = cell.adjusted(0, 0, -width - 10, 0)
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setPen(QColor(shades.on_selection if selected else shades.muted))
        small = QFont(option.font)
        painter.setFont(small)
        painter.drawText(cell, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Give every row the same height, so that long lists need not be measured."""
        return QSize(80, round(QFontMetricsF(option.font).height() * 1.7))


class QueryPane(QWidget):
    """Search box and list of queries.

    Signals
    -------
    chosen(int)
        Position of the query in the result.
    """

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPane")
        self.model = QueryListModel(self)
        self._shown = _QueryProxy(self)
        self._shown.setSourceModel(self.model)
        self.search = line_edit(
            "querySearch", "Lists the queries whose name has this text", self._shown.setFilterFixedString,
            hint="Find a query", clear=True, accessible="Find a query by name",
        )  # fmt: skip
        tip = "List only queries that found something"
        self.with_hits = check_box("queriesWithHits", "With hits only", tip, self._shown.set_with_hits)
        self.with_hits.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # no wider than the list
        self.list = described(QListView(), "queryList", accessible="Queries")
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setItemDelegate(QueryDelegate(self.list))
        self.list.setModel(self._shown)
        self.list.selectionModel().currentChanged.connect(self._tell)
        theme.keep_size(self.list, width=15)  # names that can be told apart, and their counts
        self._head = text_label(name="queryCounts", level="muted")
        self._head.setAlignment(Qt.AlignmentFlag.AlignRight)
        in_column(
            self.search, self._head, (self.list, 1), self.with_hits, margins=(1.5, 1, 0.5, 1), spacing=0.75, parent=self
        )

    def show_result(self, result: SearchResult | None) -> None:
        """List the queries of a result; nothing is chosen."""
        self.search.clear()
        self.with_hits.setChecked(False)
        self.model.show_result(result)
        empty = sum(not len(q.hits) for q in result.queries) if result is not None else 0
        self._head.setText("hits" if result is not None and not result.statistics else "significant hits")
        self.with_hits.setText(f"Hide {empty:,} without hits")
        self.with_hits.setVisible(bool(empty))

    def choose(self, query_index: int) -> None:
        """Make a query current, if the search box does not hide it."""
        index = self._shown.mapFromSource(self.model.index(query_index, 0))
        if index.isValid():
            self.list.setCurrentIndex(index)
            self.list.scrollTo(index)

    def step(self, places: int) -> None:
        """Go to a later or earlier query of the list."""
        row = min(max(self.list.currentIndex().row() + places, 0), self._shown.rowCount() - 1)
        if row >= 0:
            self.list.setCurrentIndex(self._shown.index(row, 0))

    def _tell(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(current.data(QUERY_ROLE))


class _QueryProxy(QSortFilterProxyModel):
    """Filters by name and by whether there are hits; a run has few queries compared with its hits."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._with_hits = False

    def set_with_hits(self, only: bool) -> None:
        """Leave queries without hits out."""
        self._with_hits = only
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Tell whether a query is listed."""
        source = self.sourceModel()
        if self._with_hits and not source.index(row, 0, parent).data(COUNT_ROLE):
            return False
        return super().filterAcceptsRow(row, parent)
