"""Mouse and keyboard of the stacked view, its choice of hits, and copying them."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.hits.table import Hit
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import Describe, describe_some
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.stacked.area import StackArea
from swgui.gui.viewer.stacked.figure import StackFigure, figure_of
from swgui.gui.viewer.stacked.layout import Stack, StackRow, build_rows, stack_as_fasta
from swgui.gui.viewer.view import View

KEY = "results-stack"
FIRST_SECONDS, SECONDS = 0.05, 0.25  # the first screen comes soon, all others in larger portions
STACK_SIZES = (("First 50 hits", 50), ("First 200 hits", 200), ("First 1,000 hits", 1000), ("First 5,000 hits", 5000),
               ("Ticked hits", 0))  # fmt: skip


class StackLoader(QObject):
    """Builds a `Stack` of some hits."""

    started = Signal(object, object)  # the new `Stack`, still empty, and the `HitData` it is made of
    grown = Signal(list)  # whole hits that were added now
    faults = Signal(dict)  # rows that could not be aligned, with the reason

    def __init__(self, tasks: Tasks, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._describe = describe
        self._wanted: tuple[int, tuple[int, ...]] | None = None
        self.stack: Stack | None = None

    def clear(self) -> None:
        self._tasks.drop(KEY)
        self._wanted = self.stack = None

    def load(self, data: HitData, rows: Sequence[int]) -> None:
        """Stack these rows of the ranked list, in this order; no change if they are stacked already."""
        wanted = (id(data), tuple(rows))
        if wanted == self._wanted:
            return
        self._tasks.drop(KEY)
        self._wanted = wanted
        self.stack = Stack(np.frombuffer(data.query.residues.upper(), dtype=np.uint8))
        self.started.emit(self.stack, data)
        self._load_more(data, self.stack, list(rows), FIRST_SECONDS)

    def _load_more(self, data: HitData, stack: Stack, left: list[int], seconds: float) -> None:
        if not left:
            return

        def work(control: threading.Event) -> tuple[list[Hit], dict[int, str], list[StackRow]]:
            kept = [hit for hit in map(data.hit, left[:64]) if hit is not None and hit.alignment is not None]
            if len(kept) == len(left[:64]):
                return kept, {}, build_rows(kept, data.result.scheme)
            hits, faults = describe_some(self._describe, data.listed, left, seconds, control)
            return hits, faults, build_rows(hits, data.result.scheme)

        def done(outcome: tuple[list[Hit], dict[int, str], list[StackRow]]) -> None:
            hits, faults, rows = outcome
            stack.add(rows)
            if faults:
                self.faults.emit(faults)
            self.grown.emit(hits)
            reached = len(hits) + len(faults)
            self._load_more(data, stack, left[reached:] if reached else [], SECONDS)

        def failed(error: Exception) -> None:
            self.faults.emit(dict.fromkeys(left, f"This hit could not be aligned: {error!r}"))

        self._tasks.start(KEY, work, done, failed)


def rows_to_stack(shown: Sequence[int], ticked: Sequence[int], max_rows: int) -> list[int]:
    """Return the rows to stack: the ticked ones among those shown if `max_rows` is 0, else the first ones shown."""
    if max_rows:
        return [int(row) for row in shown[:max_rows]]
    chosen = set(ticked)
    return [int(row) for row in shown if int(row) in chosen]


class StackedView(StackArea):
    """A stack from which hits are chosen and in which insertions are unfolded."""

    row_chosen = Signal(int, int)  # row of the ranked list that was clicked, and which of its alignments

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row, column = self.cell_at(event.position())
        inside = row >= -1 and column >= 0
        self.pointed.emit(self.describe_cell(row, column) if inside else "")
        if self._shown is not None and row >= 0 and column < 0:
            header = self._shown.data.header(self._shown.stack.rows[row].row)
            QToolTip.showText(event.globalPosition().toPoint(), f"{header.name}\n{header.title}", self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, _ = self.cell_at(event.position())
        if self._shown is not None and row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            chosen = self._shown.stack.rows[row]
            self.row_chosen.emit(chosen.row, chosen.part)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, column = self.cell_at(event.position())
        if self._shown is None or row < 0 or column < 0:
            return
        stack = self._shown.stack
        residue = int(stack.columns[column])
        after = -1 - residue if residue < 0 else residue + 1
        if residue < 0 or after in stack.rows[row].insertions:
            stack.toggle(after)
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._shown is None or not len(self._shown.stack):
            super().keyPressEvent(event)
            return
        key, bar, stack = Qt.Key(event.key()), self.horizontalScrollBar(), self._shown.stack
        page = max(1, int(self.body_rect().height() // self.glyphs().cell_height))
        rows = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
        columns = {
            Qt.Key.Key_Left: bar.value() - bar.singleStep(),
            Qt.Key.Key_Right: bar.value() + bar.singleStep(),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: bar.maximum(),
        }
        if key in rows:
            chosen = stack.rows[min(max(self.place() + rows[key], 0), len(stack) - 1)]
            self.row_chosen.emit(chosen.row, chosen.part)
        elif key in columns:
            bar.setValue(columns[key])
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class StackView(View):
    """Hits stacked on the query; the owner of the hits fills `area`."""

    name, title, tip = "stacked", "All hits", "The subjects aligned below the query"
    least_height, wants_room = 21, True
    scheme = "stacked"
    shows_one_hit = False
    has_facts = True
    wanted = Signal()  # other hits should be stacked

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.area = StackedView()
        self.adopt(self.area)
        self.size_box = combo_box(
            "stackSize",
            "Which hits to stack, in the order of the table",
            lambda _index: self.wanted.emit(),
            items=STACK_SIZES,
            chosen=STACK_SIZES[1][1],
            accessible="Hits to stack",
        )
        self.tools = (self.size_box,)
        copy = QAction("Stack as FASTA", self)
        copy.setObjectName("copyAlignment-stack")
        copy.setToolTip("All stacked subjects with a column for each query residue; insertions left out")
        copy.triggered.connect(self.copy)
        self.copies = (copy,)
        self.area.row_chosen.connect(self.row_chosen)
        in_column((self.area, 1), parent=self)

    def copy(self) -> None:
        stack, data = self.area.stack, self.area.data
        if stack is not None and data is not None:
            names = [row.name(data.header(row.row).name) for row in stack.rows]
            QGuiApplication.clipboard().setText(stack_as_fasta(stack, names, data.query.id))
            self.message.emit(f"{len(names) + 1:,} aligned sequences copied.")

    def set_current(self, row: int, part: int) -> None:
        self.area.set_current(row, part)

    def set_scheme(self, scheme: ColorScheme) -> None:
        self.area.set_scheme(scheme)

    def set_zoom(self, zoom: float) -> None:
        self.area.set_zoom(zoom)

    def figure(self) -> StackFigure | None:
        """Return the whole stack, for a picture; `InvalidParameter` if it is too large for one."""
        return figure_of(self.area)
