"""The lists below a network: its clusters, and the sequences that are chosen, with their neighbours."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QTableView, QWidget

from swgui.core.headers import parse_header
from swgui.core.words import count
from swgui.gui.inputs.marked_table import NO_STAR, NOTE_TIP, STAR_TIP
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn, row_table
from swgui.gui.kit.theme import keep_size
from swgui.gui.kit.widgets import text_label, tool_button
from swgui.gui.network.shown import ShownNetwork
from swgui.io.marks import STAR_SIGN

SHOWN: Final = 500  # rows
STAR_AT, NOTE_AT = 0, 2  # columns of chosen sequences

Cluster = tuple[int, int, str, str]  # number, sequences, representative, description
Sequence = tuple[int, str, int, int, str, str]  # index, name, length, cluster, description, identity
_CLUSTERS: Final[tuple[RowColumn[Cluster], ...]] = (
    RowColumn("Cluster", "Numbered from the largest on", lambda row: f"{row[0] + 1:,}", side=RIGHT),
    RowColumn("Sequences", "In the cluster", lambda row: f"{row[1]:,}", side=RIGHT),
    RowColumn("Longest", "Its longest sequence", lambda row: parse_header(row[2], row[3]).name,
              cell_tip=lambda row: row[2]),
    RowColumn("Description", "Of the longest sequence", lambda row: parse_header(row[2], row[3]).title,
              cell_tip=lambda row: row[3]),
)  # fmt: skip
_SEQUENCES: Final[tuple[RowColumn[Sequence], ...]] = (
    RowColumn("Sequence", "That is chosen", lambda row: parse_header(row[1], row[4]).name,
              cell_tip=lambda row: row[1]),
    RowColumn("Identity", "With the sequence that is named above; double-click to see the alignment",
              lambda row: row[5], side=RIGHT),
    RowColumn("Residues", "Its length", lambda row: f"{row[2]:,}", side=RIGHT),
    RowColumn("Cluster", "At this threshold", lambda row: f"{row[3]:,}", side=RIGHT),
    RowColumn("Description", "", lambda row: parse_header(row[1], row[4]).title, cell_tip=lambda row: row[4]),
)  # fmt: skip


class NetworkLists(QWidget):
    """Lists clusters and chosen sequences of what is shown."""

    selected = Signal(object)  # sequences that were chosen here, an array of indices
    pair_wanted = Signal(int, int)  # two sequences are to be aligned
    zoom_wanted = Signal()

    def __init__(self, shown: ShownNetwork, marks: SharedMarks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown, self._marks = shown, marks
        self.listed: list[int] = []  # the sequences that are chosen
        self._build()

    def show_clusters(self) -> None:
        """List the clusters of the cut, the largest first."""
        loaded, cut = self._shown.loaded, self._shown.cut
        assert loaded is not None
        assert cut is not None
        made, lengths = loaded.network, loaded.network.lengths.astype(np.int64)
        order = np.lexsort((np.arange(len(lengths)), -lengths, cut.clusters))
        first = order[np.unique(cut.clusters[order], return_index=True)[1]]
        self.clusters.beginResetModel()
        self.clusters.rows = [
            (number, int(cut.sizes[number]), loaded.names[index], made.descriptions[index])
            for number, index in enumerate(first[:SHOWN].tolist())
        ]
        self.clusters.endResetModel()

    def show_chosen(self, sequences: list[int]) -> None:
        """List chosen sequences; for a single one its neighbours, too, the nearest first."""
        loaded, cut = self._shown.loaded, self._shown.cut
        self.zoom_button.setEnabled(bool(sequences))
        if loaded is None or cut is None:
            return
        self.listed = sequences
        one = len(sequences) == 1
        anchor = self._anchor(sequences)
        identities = self._neighbours(anchor) if anchor is not None else {}
        near = list(identities.items()) if one else []
        made, clusters = loaded.network, cut.clusters
        self.sequences.beginResetModel()
        self.sequences.rows = [
            (at, loaded.names[at], int(made.lengths[at]), int(clusters[at]) + 1, made.descriptions[at], identity)
            for at, identity in [*((at, "" if one else identities.get(at, "")) for at in sequences), *near][:SHOWN]
        ]
        self.sequences.endResetModel()
        self.chosen.setText(self._told(sequences, len(near), anchor))

    def follow_view(self, sequences: list[int]) -> None:
        """List sequences that were chosen in the drawing, and mark their clusters."""
        numbers = set(self._shown.cut.clusters[sequences].tolist()) if self._shown.cut is not None else set()
        model, rows = self.cluster_table.selectionModel(), [row for row in sorted(numbers) if row < SHOWN]
        with QSignalBlocker(model):
            self.cluster_table.clearSelection()
            for row in rows:
                flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
                model.select(self.clusters.index(row, 0), flags)
        if rows:
            self.cluster_table.scrollTo(self.clusters.index(rows[0], 0))
        self.cluster_table.viewport().update()
        self.show_chosen(sequences)

    def open_row(self, row: int) -> None:
        """Align the chosen sequence with a neighbour that was clicked twice, or two that are chosen."""
        at = self.sequences.rows[row][0]
        others = [other for other in self.listed if other != at]
        if len(others) == 1:
            self.pair_wanted.emit(others[0], at)

    def _anchor(self, sequences: list[int]) -> int | None:
        """Return the sequence that identities refer to: the chosen one, or the longest of several."""
        loaded = self._shown.loaded
        if loaded is None or not sequences:
            return None
        return max(sequences, key=lambda at: (int(loaded.network.lengths[at]), -at))

    def _told(self, sequences: list[int], near: int, anchor: int | None) -> str:
        """Return how many sequences are chosen, and which one the identities refer to."""
        loaded = self._shown.loaded
        if anchor is None or loaded is None:
            return "Nothing is chosen"
        name = parse_header(loaded.names[anchor], loaded.network.descriptions[anchor]).name
        more = f"; the first {SHOWN} are listed" if len(sequences) + near > SHOWN else ""
        if len(sequences) == 1:
            return f"{name}, with {count(near, 'neighbour')}{more}"
        return f"{count(len(sequences), 'sequence')} chosen; identity with {name}, the longest{more}"

    def _neighbours(self, sequence: int) -> dict[int, str]:
        """Return the sequences that one is joined with and the identity in percent, the best score first."""
        loaded, cut = self._shown.loaded, self._shown.cut
        assert loaded is not None
        assert cut is not None
        edges, rows = loaded.network.edges, cut.edges
        own = rows[(edges.first[rows] == sequence) | (edges.second[rows] == sequence)]
        own = own[np.argsort(-edges.scores[own].astype(np.int64), kind="stable")]
        others = np.where(edges.first[own] == sequence, edges.second[own], edges.first[own])
        shares = loaded.identities[own]
        return {at: f"{share:.0f} %" for at, share in zip(others.tolist(), shares.tolist(), strict=True)}

    def _cluster_chosen(self) -> None:
        cut = self._shown.cut
        if cut is None:
            return
        rows = [index.row() for index in self.cluster_table.selectionModel().selectedRows()]
        chosen = np.flatnonzero(np.isin(cut.clusters, [self.clusters.rows[row][0] for row in rows]))
        self.selected.emit(chosen)
        self.show_chosen(chosen.tolist())

    def _columns(self) -> tuple[RowColumn[Sequence], ...]:
        """Return the columns of sequences, a star before the name and a note behind it."""
        marks = self._marks

        def star(row: Sequence) -> str:
            return STAR_SIGN if marks.of(row[1]).star else NO_STAR

        def note(row: Sequence) -> str:
            return " ".join(marks.of(row[1]).note.split())

        notes = RowColumn("Note", NOTE_TIP, note, cell_tip=note)
        return (RowColumn(STAR_SIGN, STAR_TIP, star), _SEQUENCES[0], notes, *_SEQUENCES[1:])

    def _star_chosen(self) -> None:
        rows = sorted(index.row() for index in self.sequence_table.selectionModel().selectedRows())
        if rows:
            self._marks.toggle([self.sequences.rows[row][1] for row in rows])

    def _note_current(self) -> None:
        if (index := self.sequence_table.currentIndex()).isValid():
            name = self.sequences.rows[index.row()][1]
            self._marks.ask_note(name, name, self)

    def _clicked_twice(self, index: QModelIndex) -> None:
        if index.column() not in (STAR_AT, NOTE_AT):
            self.open_row(index.row())

    def _sequence_clicked(self, index: QModelIndex) -> None:
        if index.column() == STAR_AT:
            self._marks.toggle([self.sequences.rows[index.row()][1]])
            return
        if index.column() == NOTE_AT:
            self._note_current()
            return
        rows = [index.row() for index in self.sequence_table.selectionModel().selectedRows()]
        if rows:  # a neighbour in addition to the sequence whose neighbours are listed
            kept = self.listed if len(self.listed) == 1 else []
            chosen = dict.fromkeys([*kept, *(self.sequences.rows[row][0] for row in rows)])
            self.selected.emit(np.array(list(chosen), dtype=np.int64))

    def _build(self) -> None:
        self.clusters, self.sequences = ListTable[Cluster](_CLUSTERS), ListTable[Sequence](self._columns())
        self.cluster_table = row_table(
            QTableView(), "networkClusters", "Clusters", self.clusters, rows=2.75, widths=(8, 10, 16)
        )
        self.sequence_table = row_table(
            QTableView(),
            "networkSequences",
            "Chosen sequences",
            self.sequences,
            rows=2.75,
            widths=(3.5, 16, 8, 8, 9, 8),
        )
        self.cluster_table.selectionModel().selectionChanged.connect(lambda *_: self._cluster_chosen())
        self.cluster_table.clicked.connect(lambda _index: self._cluster_chosen())  # also of a row that was marked
        self.sequence_table.clicked.connect(self._sequence_clicked)
        self.sequence_table.doubleClicked.connect(self._clicked_twice)
        for key, does in (("S", self._star_chosen), ("N", self._note_current)):
            shortcut = QShortcut(QKeySequence(key), self.sequence_table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(does)
        self._marks.changed.connect(self.sequence_table.viewport().update)
        self.chosen = text_label("Nothing is chosen", "networkChosen", level="muted", wrap=True)
        self.zoom_button = tool_button(
            "networkZoom", "Show in the drawing", "Zoom to the chosen sequences", self.zoom_wanted
        )
        self.zoom_button.setEnabled(False)
        below = QWidget()
        in_column(in_row((self.chosen, 1), self.zoom_button), (self.sequence_table, 1), spacing=0.5, parent=below)
        tables = in_splitter(Qt.Orientation.Vertical, (self.cluster_table, 3), (below, 2), name="networkTables")
        keep_size(tables, height=26)
        in_column((tables, 1), spacing=0, parent=self)
