"""Z-values by shuffling: how far a hit's score lies above those of shuffles of its own sequence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import SwguiError
from swgui.core.hits.results import HitList
from swgui.core.statistics.shuffling import ShufflePlan, ZValue
from swgui.engines.base import EngineOptions
from swgui.gui.kit.tables.row_table import ListTable
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import arrange, grid, set_role
from swgui.gui.results.z_table import SUBJECT, z_columns
from swgui.jobs.search.shuffles import MAX_SHUFFLES, MIN_SHUFFLES, ZRequest, z_values
from swgui.jobs.stage import Stage

EXPLANATION = (
    "Every subject is shuffled many times and each shuffle is scored with the same query, exactly. "
    "A Z-value says how many standard deviations the hit lies above its shuffles: composition and length "
    "are the same, so what remains is the order of the residues."
)


class ShuffleDialog(QDialog):
    """Asks how to shuffle, shuffles in the background and shows the Z-values as they come.

    Parameters
    ----------
    listed : HitList
    rows : sequence of int
        Positions in the list.
    engine : str
    options : EngineOptions
        What to score the shuffles with, as chosen for searches.
    """

    def __init__(
        self,
        listed: HitList,
        rows: Sequence[int],
        engine: str,
        options: EngineOptions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("shuffleDialog")
        self.setWindowTitle("Z-values by shuffling")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(grid(100), grid(70))
        self._wanted = (listed, tuple(rows))
        self._engine, self._options = engine, options
        self._task = Task(self)
        self._task.part.connect(self._on_event)
        self._task.failed.connect(lambda error: self._say(str(error), "danger"))
        self._task.finished.connect(self._on_finished)
        self.model = ListTable(z_columns(listed.result.database))
        self._build(len(rows))

    def _build(self, hits: int) -> None:
        explanation = QLabel(EXPLANATION)
        explanation.setWordWrap(True)
        set_role(explanation, level="muted")
        self.count = self._number("shuffleCount", MIN_SHUFFLES, MAX_SHUFFLES, 1000, 100)
        self.window_size = self._number("shuffleWindow", 0, 100_000, 0, 10)
        self.window_size.setSpecialValueText("whole sequence")
        self.seed = self._number("shuffleSeed", 0, 2**31 - 1, 1, 1)
        self.start = QPushButton("Shuffle")
        self.start.setObjectName("startShuffles")
        set_role(self.start, role="primary")
        self.start.clicked.connect(self.toggle)
        fields = QHBoxLayout()
        arrange(fields, 0, 1.5)
        for title, field, tip in (
            ("Shuffles", self.count, "Of each subject"),
            ("Windows of", self.window_size, "Residues stay within windows of so many; this keeps local composition"),
            ("Seed", self.seed, "The same seed gives the same shuffles"),
        ):
            column = QVBoxLayout()
            arrange(column, 0, 0.25)
            label = QLabel(title)
            set_role(label, level="section")
            label.setBuddy(field)
            field.setAccessibleName(title)
            field.setToolTip(tip)
            column.addWidget(label)
            column.addWidget(field)
            fields.addLayout(column)
        fields.addStretch(1)
        fields.addWidget(self.start, 0, Qt.AlignmentFlag.AlignBottom)

        proxy = QSortFilterProxyModel(self)
        proxy.setSourceModel(self.model)
        proxy.setSortRole(Qt.ItemDataRole.UserRole)
        self.table = QTableView()
        self.table.setObjectName("zValues")
        self.table.setAccessibleName("Z-values")
        self.table.setModel(proxy)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(SUBJECT, QHeaderView.ResizeMode.Stretch)

        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.status = QLabel(f"{hits:,} hits are chosen." if hits != 1 else "1 hit is chosen.")
        self.status.setObjectName("shuffleStatus")
        self.status.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton("Copy table", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.model.as_text()))
        self.copy.setEnabled(False)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        arrange(layout, 2, 1)
        layout.addWidget(explanation)
        layout.addLayout(fields)
        layout.addWidget(self.progress)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.status)
        layout.addWidget(buttons)

    def _number(self, name: str, low: int, high: int, value: int, step: int) -> QSpinBox:
        box = QSpinBox()
        box.setObjectName(name)
        box.setRange(low, high)
        box.setValue(value)
        box.setSingleStep(step)
        box.setGroupSeparatorShown(True)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        return box

    def toggle(self) -> None:
        """Start shuffling, or stop it and keep the Z-values there are."""
        if self._task.busy:
            self._task.stop()
            self._say("Stopping…")
            return
        listed, rows = self._wanted
        try:
            plan = ShufflePlan(self.count.value(), self.window_size.value(), self.seed.value())
            request = ZRequest(listed, rows, plan, self._engine, self._options)
        except SwguiError as error:
            self._say(str(error), "danger")
            return
        self.model.clear()
        self.start.setText("Stop")
        self._say("Shuffling…")
        self._task.follow(lambda cancel: z_values(request, cancel))

    def _on_event(self, event: object) -> None:
        if isinstance(event, ZValue):
            self.model.add(event)
        elif isinstance(event, Stage):
            self.progress.setRange(0, event.total)
            self.progress.setValue(event.done)
            self._say(f"{event.done:,} of {event.total:,} shuffles scored")

    def _on_finished(self, stopped: bool) -> None:
        self.start.setText("Shuffle again")
        self.copy.setEnabled(bool(self.model.rows))
        if stopped:
            self._say(f"Stopped: {len(self.model.rows):,} hits have their Z-value.", "warning")
        elif self.model.rows:
            plan = self.model.rows[0].plan
            self._say(f"{plan.describe()}. Point at a row for the formula.")

    def _say(self, text: str, tone: str = "") -> None:
        self.status.setText(text)
        set_role(self.status, tone=tone)

    def done(self, result: int) -> None:
        """Stop what runs; every way of closing comes through here."""
        self._task.shutdown()
        super().done(result)
