"""The list of the queries of a run, with the hits of each."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from swgui.core import words
from swgui.core.headers import parse_header
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.limits import NO_MINIMUMS
from swgui.core.plain import replace
from swgui.core.verdict.answers import query_line
from swgui.core.verdict.queries import judge_queries, judge_query, significant_hits
from swgui.core.words import agree, count, equal_evalue
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tables.row_table import paint_ground
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    described,
    line_edit,
    plain,
    shrinkable,
    text_label,
)
from swgui.gui.results.summary import PARTLY
from swgui.gui.words import formatting, wording
from swgui.io.statistics import load_statistics
from swgui.jobs.search.ranking import ranked

BEST = 10
SMALLER = 0.88  # than the name of a query, is the answer below it
Index = QModelIndex | QPersistentModelIndex
COUNT_ROLE = Qt.ItemDataRole.UserRole  # number of hits
QUERY_ROLE = Qt.ItemDataRole.UserRole + 1  # position in the result
REASON_ROLE = Qt.ItemDataRole.UserRole + 2  # why there are no hits
SIGNIFICANT_ROLE = Qt.ItemDataRole.UserRole + 3  # number of significant hits; -1 where there are no E-values
WHOLE_ROLE = Qt.ItemDataRole.UserRole + 4  # whether every subject was scored
SAID_ROLE = Qt.ItemDataRole.UserRole + 5  # the answer for the query: its best hit
NOT_WHOLE = "The search ended before every subject was scored with this query."


def best_subjects(result: SearchResult, query_index: int) -> HitList:
    """Return the best subjects of one query with a score above 0, whatever their E-value.

    For a worker: it reads the statistics table and all scores.

    Raises
    ------
    InvalidParameter
        If the score vectors were not kept.
    """
    limits = replace(result.search.limits, top=BEST, max_evalue=math.inf, minimums=NO_MINIMUMS)
    own = result.queries[query_index]
    one_way = replace(own, hits=replace(own.hits, directions=None))  # the other direction is known of hits alone
    queries = (*result.queries[:query_index], one_way, *result.queries[query_index + 1 :])
    best = ranked(replace(result, queries=queries), query_index, load_statistics(result.scheme), limits)
    return HitList(result, query_index, best)


def explain_no_hits(result: SearchResult, query_index: int, listed: HitList | None = None) -> str:
    """Return a sentence on why a query has no hits.

    Parameters
    ----------
    query_index : int
        A query without hits.
    listed : HitList, optional
        The best subjects (`best_subjects`), to name the first one.
    """
    of_query = result.queries[query_index]
    scored, size = of_query.subjects_scored, len(result.database)
    if not scored:
        return "This query was not searched: the run ended before its turn."
    limit = formatting.limit(float(np.log10(result.search.limits.max_evalue)))
    wanted = ", ".join(part for part in (f"E ≤ {limit}", result.search.limits.minimums.describe()) if part)
    text = f"No subject reaches {wanted}."
    if listed is not None:
        hits = listed.columns
        if not len(hits):
            text = "No subject has a score above 0."
        else:
            db_index = int(hits.db_index[0])
            name = parse_header(result.database.ids[db_index], result.database.descriptions[db_index]).name
            evalue = float(hits.log10_evalues[0])
            expect = "" if np.isnan(evalue) else f" ({equal_evalue(evalue)})"
            text += f" The best of {scored:,} is {name} with a score of {int(hits.scores[0]):,}{expect}."
    if scored < size:
        text += f" The run ended early: {scored:,} of {count(size, 'subject')} {agree(scored, 'was', 'were')} scored."
    return text


class QueryListModel(QAbstractListModel):
    """One row for each query, in the order of the run."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._result: SearchResult | None = None
        self._significant: dict[int, int] = {}  # by row, of the rows shown so far

    def show_result(self, result: SearchResult | None) -> None:
        self.beginResetModel()
        self._result = result
        self._significant.clear()
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._result is None else len(self._result.queries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | int | None:
        if self._result is None or not index.isValid():
            return None
        of_query = self._result.queries[index.row()]
        hits = len(of_query.hits)
        header = parse_header(of_query.query.id, of_query.query.description)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return header.name
            case Qt.ItemDataRole.ToolTipRole:
                unit = wording.UNITS[self._result.search.query_alphabet.name]
                lines = [of_query.query.header, f"{len(of_query.query.residues):,} {unit}"]
                lines.append(words.count(hits, "hit") if hits else explain_no_hits(self._result, index.row()))
                lines += [judge_query(of_query)] if hits else []
                lines += [] if self._is_whole(index.row()) else [NOT_WHOLE]
                return plain("\n".join(lines))
            case Qt.ItemDataRole.AccessibleTextRole:
                strong = self._count(index.row())
                significant = f", {strong:,} significant" if hits and strong >= 0 else ""
                partly = "" if self._is_whole(index.row()) else ", not complete"
                return f"{header.name}, {words.count(hits, 'hit') if hits else 'no hits'}{significant}{partly}"
            case x if x == COUNT_ROLE:
                return hits
            case x if x == SIGNIFICANT_ROLE:
                return self._count(index.row())
            case x if x == WHOLE_ROLE:
                return self._is_whole(index.row())
            case x if x == QUERY_ROLE:
                return index.row()
            case x if x == SAID_ROLE:
                return query_line(self._result, index.row()).said
            case x if x == REASON_ROLE:
                return "" if hits else explain_no_hits(self._result, index.row())
        return None

    def _is_whole(self, row: int) -> bool:
        return self._result is None or self._result.queries[row].subjects_scored >= len(self._result.database)

    def _count(self, row: int) -> int:
        if row not in self._significant and self._result is not None:
            hits = self._result.queries[row].hits
            self._significant[row] = significant_hits(hits) if self._result.statistics else -1
        return self._significant[row]


class QueryDelegate(QStyledItemDelegate):
    """Paints a query's name and the number of its significant hits, and below them the answer for it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        name, selected = paint_ground(self, painter, option, index)
        shades = theme.colours(option.widget)
        hits, significant = index.data(COUNT_ROLE), index.data(SIGNIFICANT_ROLE)
        strong = significant if significant >= 0 else hits
        cell = QRectF(option.rect).adjusted(8, 2, -8, -2)
        upper = cell.adjusted(0, 0, 0, -cell.height() / 2)
        metrics = QFontMetricsF(option.font)
        count = f"{strong:,}" if index.data(WHOLE_ROLE) else f"{PARTLY} {strong:,}"
        width = metrics.horizontalAdvance(count)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(QColor(shades.on_selection if selected else shades.text if strong else shades.muted))
        room = upper.adjusted(0, 0, -width - 10, 0)
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setPen(QColor(shades.on_selection if selected else shades.muted))
        painter.drawText(upper, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        small = QFont(option.font)
        small.setPointSizeF(option.font.pointSizeF() * SMALLER)
        painter.setFont(small)
        said = QFontMetricsF(small).elidedText(index.data(SAID_ROLE), Qt.TextElideMode.ElideRight, cell.width())
        lower = cell.adjusted(0, cell.height() / 2, 0, 0)
        painter.drawText(lower, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, said)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, round(QFontMetricsF(option.font).height() * 2.5))


class QueryPane(QWidget):
    """Search box and list of queries."""

    chosen = Signal(int)  # position of the query in the result

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPane")
        self._several = self._narrow = False
        self.model = QueryListModel(self)
        self._shown = _QueryProxy(self)
        self._shown.setSourceModel(self.model)
        self.search = line_edit(
            "querySearch", "Lists the queries whose name has this text", self._shown.setFilterFixedString,
            hint="Find a query", clear=True, accessible="Find a query by name",
        )  # fmt: skip
        tip = "List only queries with hits"
        self.with_hits = check_box("queriesWithHits", "With hits only", tip, self._shown.set_with_hits)
        self.with_hits.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # no wider than the list
        self.list = described(QListView(), "queryList", accessible="Queries")
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setItemDelegate(QueryDelegate(self.list))
        self.list.setModel(self._shown)
        self.list.selectionModel().currentChanged.connect(self._tell)
        theme.keep_size(self.list, width=24)  # distinct names, and their counts
        # Stands above the page in place of the list where there is little room.
        self.box = combo_box("queryBox", "The query whose hits are shown", self._take_boxed, accessible="Query")
        self.box.setModel(self._shown)
        self.box.setItemDelegate(QueryDelegate(self.box))
        shrinkable(self.box, 12)
        self.box.hide()
        self.answer = text_label(name="queryAnswer", wrap=True, plain=True)
        self._head = text_label(name="queryCounts", level="muted")
        self._head.setAlignment(Qt.AlignmentFlag.AlignRight)
        in_column(
            self.answer,
            self.search,
            self._head,
            (self.list, 1),
            self.with_hits,
            margins=(1.5, 1, 0.5, 1),
            spacing=0.75,
            parent=self,
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
        self._several = result is not None and len(result.queries) > 1
        self.answer.setText(judge_queries(result.queries) if result is not None and self._several else "")
        self.show_as(self._narrow)

    def show_as(self, narrow: bool) -> None:
        """Show the list, or a box above the page where that is narrow; neither where there is one query alone."""
        self._narrow = narrow
        if narrow:  # hidden filters would hide queries
            self.search.clear()
            self.with_hits.setChecked(False)
        self.setVisible(self._several and not narrow)
        self.box.setVisible(self._several and narrow)

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

    def _take_boxed(self, row: int) -> None:
        self.list.setCurrentIndex(self._shown.index(row, 0))

    def _tell(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.box.setCurrentIndex(current.row())
            self.chosen.emit(current.data(QUERY_ROLE))


class _QueryProxy(QSortFilterProxyModel):
    """Filters by name and by whether there are hits; a run has few queries compared with its hits."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._with_hits = False

    def set_with_hits(self, only: bool) -> None:
        self._with_hits = only
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        source = self.sourceModel()
        if self._with_hits and not source.index(row, 0, parent).data(COUNT_ROLE):
            return False
        return super().filterAcceptsRow(row, parent)
