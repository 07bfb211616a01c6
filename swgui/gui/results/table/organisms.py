"""The organisms of the hits with their counts, to be ticked: only hits of these are shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from swgui.core.organisms.subjects import SubjectOrganisms
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.plain import plain
from swgui.gui.kit.widgets import described, line_edit, text_label

LISTED = 500  # organisms; the box above the list finds the others
ROWS = 6
NAME = Qt.ItemDataRole.UserRole


class OrganismList(QWidget):
    """A box to find organisms, and a list of them with a box to tick each.

    Signals
    -------
    chosen(object)
        The names of the organisms whose hits are to be shown; all if empty.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filterOrganisms")
        self._counted: list[tuple[str, int]] = []
        self._ticked: tuple[str, ...] = ()
        tip = "Lists the organisms whose name has this text"
        self.search = line_edit(
            "organismSearch", tip, lambda _text: self._list(), hint="Find an organism", clear=True, accessible=tip
        )
        self.list = described(QListWidget(), "organismList", accessible="Organisms of the hits, with their counts")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemChanged.connect(self._ticked_by_user)
        theme.keep_size(self.list, height=3 * ROWS)
        title = text_label("Organism", tip="Tick organisms to see their hits alone; none ticked shows all")
        in_column(title, self.search, self.list, spacing=0.5, parent=self)

    def show_counts(self, organisms: SubjectOrganisms) -> None:
        """List the organisms of the hits, the most frequent first; hide where there is nothing to choose from."""
        self._counted = [(organisms.names[at], int(organisms.counts[at])) for at in organisms.by_count()]
        self.setVisible(len(self._counted) > 1 or bool(self._ticked))
        self.search.setVisible(len(self._counted) > ROWS)
        self._list()

    def show_ticked(self, names: tuple[str, ...]) -> None:
        if names != self._ticked:
            self._ticked = names
            self._list()

    def _list(self) -> None:
        wanted = self.search.text().casefold().split()
        listed = [(name, count) for name, count in self._counted if all(word in name.casefold() for word in wanted)]
        known = {name for name, _ in self._counted}
        listed += [(name, 0) for name in self._ticked if name not in known]  # of another query's hits
        self.list.blockSignals(True)
        self.list.clear()
        for name, count in listed[:LISTED]:
            item = QListWidgetItem(f"{count:,}   {name}")
            item.setData(NAME, name)
            item.setToolTip(plain(name))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in self._ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)

    def _ticked_by_user(self, item: QListWidgetItem) -> None:
        name = item.data(NAME)
        others = tuple(one for one in self._ticked if one != name)
        self._ticked = (*others, name) if item.checkState() == Qt.CheckState.Checked else others
        self.chosen.emit(self._ticked)
