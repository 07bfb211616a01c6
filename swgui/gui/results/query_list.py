"""The queries of a run as a Qt model: name, number of hits, and why there are none."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from swgui.core import words
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.verdict.queries import judge_query, significant_hits
from swgui.gui.kit.plain import plain
from swgui.gui.results.best import explain_no_hits

Index = QModelIndex | QPersistentModelIndex

COUNT_ROLE = Qt.ItemDataRole.UserRole  # number of hits
QUERY_ROLE = Qt.ItemDataRole.UserRole + 1  # position in the result
REASON_ROLE = Qt.ItemDataRole.UserRole + 2  # why there are no hits
SIGNIFICANT_ROLE = Qt.ItemDataRole.UserRole + 3  # number of significant hits; -1 where there are no E-values

WHOLE_ROLE = Qt.ItemDataRole.UserRole + 4  # whether every subject was scored
NOT_WHOLE = "The search ended before every subject was scored with this query."


class QueryListModel(QAbstractListModel):
    """One row for each query, in the order of the run."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._result: SearchResult | None = None
        self._significant: dict[int, int] = {}  # by row, of the rows that were looked at

    def show_result(self, result: SearchResult | None) -> None:
        """Show the queries of a result."""
        self.beginResetModel()
        self._result = result
        self._significant.clear()
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of queries."""
        return 0 if parent.isValid() or self._result is None else len(self._result.queries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | int | None:
        """Return what is known of one query."""
        if self._result is None or not index.isValid():
            return None
        of_query = self._result.queries[index.row()]
        hits = len(of_query.hits)
        header = parse_header(of_query.query.id, of_query.query.description)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return header.name
            case Qt.ItemDataRole.ToolTipRole:
                lines = [of_query.query.header, f"{len(of_query.query.residues):,} residues"]
                lines.append(words.count(hits, "hit") if hits else explain_no_hits(self._result, index.row()))
                lines += [judge_query(of_query)] if hits else []
                lines += [] if self._is_whole(index.row()) else [NOT_WHOLE]
                return plain("\n".join(lines))
            case Qt.ItemDataRole.AccessibleTextRole:
                strong = self._count(index.row())
                known = f", {strong:,} significant" if hits and strong >= 0 else ""
                partly = "" if self._is_whole(index.row()) else ", not complete"
                return f"{header.name}, {words.count(hits, 'hit') if hits else 'no hits'}{known}{partly}"
            case x if x == COUNT_ROLE:
                return hits
            case x if x == SIGNIFICANT_ROLE:
                return self._count(index.row())
            case x if x == WHOLE_ROLE:
                return self._is_whole(index.row())
            case x if x == QUERY_ROLE:
                return index.row()
            case x if x == REASON_ROLE:
                return "" if hits else explain_no_hits(self._result, index.row())
        return None

    def _is_whole(self, row: int) -> bool:
        """Whether every subject was scored with a query."""
        return self._result is None or self._result.queries[row].subjects_scored >= len(self._result.database)

    def _count(self, row: int) -> int:
        """Return the number of significant hits of a query, -1 where there are no E-values."""
        if row not in self._significant and self._result is not None:
            hits = self._result.queries[row].hits
            self._significant[row] = significant_hits(hits) if self._result.statistics else -1
        return self._significant[row]
