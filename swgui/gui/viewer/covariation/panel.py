"""An alignment of bases with its pairs of columns: arcs, rows, and a list of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from swgui.core.covariation.pairs import LIMITS, Covariation
from swgui.gui.kit import theme
from swgui.gui.kit.elided import WrappedLabel
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.saving import TABLE_FILES, ask_save_path
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn, number_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.covariation.arcs import ArcsMap
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.stacked.area import Rows
from swgui.gui.viewer.stacked.layout import Stack
from swgui.gui.viewer.stacked.view import StackedView
from swgui.gui.words import formatting
from swgui.io.covariation_picture import write_arcs
from swgui.io.table_files import form_of, write_table
from swgui.io.tables.covariation import COLUMNS, covariation_table
from swgui.io.whole_file import ending_of

MAX_SHARE: Final = 0.55  # of the width, for the list of pairs
ROOM_FOR_LIST: Final = 105  # least width of the panel with a list
SHOWN: Final = ("left_pos", "right_pos", "evalue", "state", "paired", "substitutions")
FILES: Final = f"{TABLE_FILES};;Arcs over all columns (*.svg)"


class CovariationPanel(QWidget):
    """Shows the pairs of an alignment; a pair that is chosen marks both of its columns."""

    message = Signal(str)

    def __init__(self, tasks: Tasks, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}Panel")
        self._tasks, self._name = tasks, name
        self.found: Covariation | None = None
        self.said = described(WrappedLabel(), f"{name}Said")
        self.area = StackedView()
        self.area.setObjectName(f"{name}Area")
        self.area.foot_rows = 1
        self.area.setAccessibleName("Rows of the alignment")
        self.arcs = ArcsMap(self.area)
        self.list = ColumnView(tasks, f"{name}Pairs", "Pairs of columns")
        self.list.setMinimumWidth(theme.grid(20))
        left = QWidget()
        halves = QSplitter(Qt.Orientation.Vertical)
        for part, stretch in ((self.arcs, 2), (self.area, 3)):
            halves.addWidget(part)
            halves.setStretchFactor(halves.count() - 1, stretch)
            halves.setCollapsible(halves.count() - 1, False)
        in_column((halves, 1), parent=left)
        self._sides = QSplitter(Qt.Orientation.Horizontal)
        self._sides.addWidget(left)
        self._sides.addWidget(self.list)
        self._sides.setStretchFactor(0, 1)
        in_column(self.said, (self._sides, 1), spacing=0.5, parent=self)
        self.arcs.chosen.connect(self.choose)
        self.list.chosen.connect(self.choose)
        self.area.zoomed.connect(lambda _zoom: self.arcs.update())
        self.setFocusProxy(self.area)

    def show_pairs(self, found: Covariation, stack: Stack, rows: Rows) -> None:
        """Show the pairs of an alignment and its rows."""
        self.found = found
        *sentences, _ = found.sentences()
        self.say(" ".join(sentences))
        self.area.show_stack(stack, rows)
        self.arcs.show_pairs(found)
        self.list.show_source(source_of(found))
        self._fit()

    def say(self, text: str) -> None:
        """Show a text above the arcs."""
        self.said.set_text(text.replace("<=", "≤"), LIMITS if text else "")

    def clear(self) -> None:
        """Show nothing."""
        self.found = None
        self.say("")
        self.area.clear()
        self.area.mark_columns(())
        self.arcs.show_pairs(None)
        self.list.show_source(ColumnSource((), 0))
        self._fit()

    def choose(self, pair: int) -> None:
        """Mark both columns of a pair, by its number in the list, and bring them into sight where they fit."""
        if self.found is None:
            return
        left, right = int(self.found.pairs.left[pair]), int(self.found.pairs.right[pair])
        self.arcs.set_current(pair)
        for place in np.flatnonzero(self.list.rows_model.rows == pair).tolist():
            self.list.selectRow(place)
        self.area.mark_columns((left, right))
        shown = set(self.area.sight().columns.tolist())
        if not {left, right} <= shown:
            fits = right - left < len(shown)
            self.area.bring_column_into_sight((left + right) // 2 if fits else left)
        self.message.emit(self.arcs.describe(pair))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.list.setVisible(self.found is not None and self.width() >= theme.grid(ROOM_FOR_LIST))
        if self.list.isVisible():
            width = min(self._width_of_list(), round(MAX_SHARE * self.width()))
            self._sides.setSizes([self.width() - width, width])

    def _width_of_list(self) -> int:
        """Pixels in which all columns of the list of pairs are seen."""
        bar = self.list.verticalScrollBar().sizeHint().width() + 2 * self.list.frameWidth()
        return bar + sum(map(self.list.columnWidth, range(len(SHOWN))))

    # -- files -------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask for a file, and write the pairs."""
        if self.found is None:
            self.message.emit("There are no pairs yet to save.")
            return
        suggestion = f"{self.found.alignment.name.replace('|', '_')}_pairs.tsv"
        if path := ask_save_path(self, "Save the pairs", Path(suggestion).name, FILES, self._failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the pairs as a table, or as arcs if the ending is .svg, by a worker."""
        found = self.found
        assert found is not None

        def write() -> None:
            if ending_of(str(path)) == ".svg":
                write_arcs(path, found)
            else:
                write_table(str(path), covariation_table(found), form_of(str(path)), list(found.sentences()))

        self._tasks.submit(
            f"{self._name}-save", write, lambda _none: self.message.emit(f"Pairs written to {path}."), self._failed
        )

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))

    def picture(self) -> SeenPicture | None:
        """Return the arcs as they appear, for a picture; None if there are none."""
        if self.found is None:
            return None
        lines = list(self.found.sentences())[:-1]
        return SeenPicture("arcs.svg", self.arcs, lines, lambda painter: self.arcs.paint(painter, theme.LIGHT))


def source_of(found: Covariation) -> ColumnSource:
    """Return the list of pairs."""
    by_key = {column.key: column for column in COLUMNS}
    made = {
        key: number_column(column, found.pairs, formatting.evalue if key == "evalue" else None)
        for key, column in by_key.items()
        if key in SHOWN and column.kind != "word"
    }
    state = by_key["state"]
    made["state"] = TableColumn("state", state.title, state.description, lambda row: found.pairs.states[row])
    return ColumnSource([made[key] for key in SHOWN], len(found.pairs))
