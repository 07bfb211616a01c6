"""Groups of a network by a column of the user's own table: their sizes and edges, and a choice of one to show alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QTableView, QWidget

from swgui.core.network.groups import Group, groups_of
from swgui.core.table import Value
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn, row_table
from swgui.gui.kit.tasks.task import Task, TaskControl
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import combo_box, fill_combo, text_label
from swgui.gui.network.shown import ShownNetwork
from swgui.gui.network.work import CLASSES, LoadedNetwork, classes_by
from swgui.io.metadata import Metadata
from swgui.io.network.own import own_values

SHOWN: Final = 500  # groups
NO_VALUE: Final = "no value"
_GROUPS: Final[tuple[RowColumn[Group], ...]] = (
    RowColumn("Value", "Of the column", lambda row: row.value or NO_VALUE, cell_tip=lambda row: row.value or NO_VALUE),
    RowColumn("Size", "Sequences with this value, in the whole network", lambda row: f"{row.sequences:,}", side=RIGHT),
    RowColumn("Clusters", "That have a sequence of this group, at this threshold", lambda row: f"{row.clusters:,}",
              side=RIGHT),
    RowColumn("Edges in", "Edges between two sequences of this group, at this threshold", lambda row: f"{row.inside:,}",
              side=RIGHT),
    RowColumn("Edges out", "Edges to sequences of other groups, at this threshold", lambda row: f"{row.between:,}",
              side=RIGHT),
)  # fmt: skip


class Grouping(NamedTuple):
    """Groups of a whole network at a threshold, and the value of each of its N sequences."""

    values: NDArray[np.object_]
    groups: list[Group]

    @classmethod
    def none(cls) -> Grouping:
        """Return the groups before any were counted."""
        return cls(np.zeros(0, object), [])


def texts_of(values: Sequence[Value]) -> list[str]:
    """Return the value of each sequence as a text, empty for none; more than twelve numbers become four classes."""
    known = {value for value in values if value is not None}
    if len(known) > CLASSES and not any(isinstance(value, str) for value in known):
        classes, names = classes_by(values)
        return [names[number] if number >= 0 else "" for number in classes.tolist()]
    return ["" if value is None else str(value) for value in values]


def group_by(whole: LoadedNetwork, own: Metadata, title: str, threshold: int, control: TaskControl) -> Grouping:
    """Return the groups of all sequences of a network by a column of the user's own table; for a worker."""
    values = texts_of(own_values(whole.network, own)[title])
    edges, rows = whole.network.edges, np.flatnonzero(whole.scores >= threshold)
    groups = groups_of(values, whole.tree.cut(float(threshold)), edges.first[rows], edges.second[rows])
    return Grouping(np.array(values, dtype=object), groups)


class NetworkGroups(QFrame):
    """Lists the groups of a network, and asks which of them is shown alone; hidden without an own table."""

    selected = Signal(object)  # sequences of the chosen groups, an array of indices of what is shown
    only_wanted = Signal(object, str)  # which sequences of the whole are shown, or None for all, and these in words
    failed = Signal(object)  # the exception of a worker

    def __init__(self, shown: ShownNetwork, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("networkGroups")
        set_role(self, role="card")
        self._shown, self._made = shown, Grouping.none()
        self.counting = Task(self)
        self._only: str | None = None  # the value that is shown alone
        self._build()
        self.hide()

    def offer(self, titles: Sequence[str]) -> None:
        """Offer the columns of a table of the user's own, in place of those of another one."""
        fill_combo(self.by, [(title, title) for title in titles])
        self.setVisible(bool(titles))
        self._choose_column()

    def forget(self) -> None:
        """Forget the groups and the one that was shown alone, as there is another network."""
        self._only = None
        self._take(Grouping.none())

    def count(self) -> None:
        """Count the groups at the threshold that is shown."""
        whole, cut, own = self._shown.whole, self._shown.cut, self._shown.own
        title = self.by.currentData()
        if whole is not None and cut is not None and own is not None and title is not None:
            work = partial(group_by, whole, own, title, cut.threshold)
            self.counting.start(work, self._take, self.failed.emit)

    def shutdown(self) -> None:
        """Stop the worker."""
        self.counting.shutdown()

    def _take(self, made: Grouping) -> None:
        self._made = made
        self.groups.beginResetModel()
        self.groups.rows = made.groups[:SHOWN]
        self.groups.endResetModel()
        self.left.setText(f"The largest {SHOWN:,} of {len(made.groups):,} groups are listed.")
        self.left.setVisible(len(made.groups) > SHOWN)
        items = [(f"{group.value or NO_VALUE} ({group.sequences:,})", group.value) for group in self.groups.rows]
        fill_combo(self.only, [("All sequences", None), *items])
        values = [group.value for group in self.groups.rows]
        self.only.setCurrentIndex(values.index(self._only) + 1 if self._only in values else 0)

    def _choose_column(self) -> None:
        if self._only is not None:
            self._only = None
            self.only_wanted.emit(None, "")
        self._take(Grouping.none())
        self.count()

    def _choose_only(self) -> None:
        self._only = self.only.currentData()
        if self._only is None:
            self.only_wanted.emit(None, "")
            return
        words = f"Only sequences with {self.by.currentText()}: {self._only or NO_VALUE}"
        self.only_wanted.emit(self._made.values == self._only, words)

    def _choose_groups(self) -> None:
        loaded = self._shown.loaded
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        if loaded is not None and len(self._made.values):
            values = self._made.values[loaded.sequences] if len(loaded.sequences) else self._made.values
            chosen = {self.groups.rows[row].value for row in rows}
            self.selected.emit(np.flatnonzero([value in chosen for value in values]))

    def _build(self) -> None:
        self.by = combo_box(
            "networkGroupBy",
            "Column of your own table by which sequences are grouped",
            self._choose_column,
            characters=16,
        )
        self.only = combo_box(
            "networkOnly", "Draw and list the sequences of one group alone", self._choose_only, characters=16
        )
        self.groups = ListTable[Group](_GROUPS)
        self.table = row_table(
            QTableView(), "networkGroupTable", "Groups", self.groups, rows=2.75, widths=(13, 6.5, 8.5, 8.5)
        )
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._choose_groups())
        keep_size(self.table, height=13)
        self.left = text_label(name="networkGroupsLeft", level="muted", wrap=True)
        self.left.hide()
        in_column(
            in_row(text_label("&Group by", buddy=self.by), 1, self.by),
            in_row(text_label("Show &only", buddy=self.only), 1, self.only),
            self.table,
            self.left,
            margins=(2, 1.5, 2, 1.5),
            parent=self,
        )
