"""Z-values by shuffling: distance of a hit's score from the scores of shuffles of its own sequence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QHeaderView, QTableView, QWidget

from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.headers import parse_header
from swgui.core.hits.results import HitList
from swgui.core.statistics.shuffling import ShufflePlan, ZValue
from swgui.core.words import count
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import described, progress_bar, push_button, spin_box, text_label
from swgui.gui.words import formatting
from swgui.jobs.events import Stage
from swgui.jobs.search.shuffles import MAX_SHUFFLES, MIN_SHUFFLES, ZRequest, z_values

SUBJECT = 1  # place of the subject's name, which is text, among the columns
EXPLANATION = (
    "Every subject is shuffled many times and each shuffle is scored with the same query, exactly. "
    "A Z-value says how many standard deviations the hit lies above its shuffles: composition and length "
    "are the same, so what remains is the order of the residues."
)


def z_columns(database: EncodedDatabase) -> tuple[RowColumn[ZValue], ...]:
    """Return the columns from left to right; tool tips of numbers derive the Z-value."""

    def name(value: ZValue) -> str:
        return parse_header(database.ids[value.db_index], database.descriptions[value.db_index]).name

    return (
        _number("#", "Rank among the hits", lambda z: z.row + 1, lambda z: f"{z.row + 1:,}"),
        RowColumn("Subject", "", name, cell_tip=name),
        _number("Score", "Score of the hit itself", lambda z: z.score, lambda z: f"{z.score:,}"),
        _number("Mean", "Mean score of the shuffles", lambda z: z.mean, lambda z: f"{z.mean:.1f}"),
        _number("SD", "Standard deviation of the shuffles' scores", lambda z: z.standard_deviation,
                lambda z: f"{z.standard_deviation:.2f}"),
        _number("Z", "(score − mean) / standard deviation", lambda z: z.z,
                lambda z: "" if math.isnan(z.z) else f"{z.z:.1f}"),
        _number("p", "Chance that one shuffle scores as high, by an extreme-value distribution", lambda z: z.log10_p,
                lambda z: formatting.evalue(z.log10_p)),
        _number("Reached", "Shuffles that score at least as high", lambda z: z.reached, lambda z: f"{z.reached:,}"),
    )  # fmt: skip


def _number(
    title: str, tip: str, number: Callable[[ZValue], float], text: Callable[[ZValue], str]
) -> RowColumn[ZValue]:
    return RowColumn(title, tip, text, lambda value: float(number(value)), lambda value: value.explain(), RIGHT)


class ShuffleDialog(Dialog):
    """Asks how to shuffle, shuffles in the background and shows the Z-values as they come.

    Parameters
    ----------
    rows : sequence of int
        Positions in the list.
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
        super().__init__("shuffleDialog", "Z-values by shuffling", parent, size=(100, 70))
        self._wanted = (listed, tuple(rows))
        self._engine, self._options = engine, options
        self._task = Task(self)
        self._task.part.connect(self._on_event)
        self._task.failed.connect(lambda error: self._say(str(error), "danger"))
        self._task.finished.connect(self._on_finished)
        self.model = ListTable(z_columns(listed.result.database))
        self._build(len(rows))

    def _build(self, hits: int) -> None:
        self.count = spin_box(
            "shuffleCount", (MIN_SHUFFLES, MAX_SHUFFLES), 1000, "For each subject", step=100, grouped=True,
            accessible="Shuffles",
        )  # fmt: skip
        self.window_size = spin_box(
            "shuffleWindow", (0, 100_000), 0, "Residues stay within windows of this length; keeps local composition",
            step=10, special="whole sequence", grouped=True, accessible="Windows of",
        )  # fmt: skip
        tip = "The same seed gives the same shuffles"
        self.seed = spin_box("shuffleSeed", (0, 2**31 - 1), 1, tip, grouped=True, accessible="Seed")
        self.start = push_button("startShuffles", "Shuffle", does=self.toggle, role="primary")
        titled = [
            in_column(text_label(field.accessibleName(), level="section", buddy=field), field, spacing=0.25)
            for field in (self.count, self.window_size, self.seed)
        ]
        fields = in_row(*titled, 1, spacing=1.5)
        fields.addWidget(self.start, 0, Qt.AlignmentFlag.AlignBottom)
        self.table = self._make_table()
        self.progress = progress_bar("", "Shuffles scored")
        chosen = f"{hits:,} hits are chosen." if hits != 1 else "1 hit is chosen."
        self.status = text_label(chosen, "shuffleStatus", wrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton("Copy table", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.model.as_text()))
        self.copy.setEnabled(False)
        buttons.rejected.connect(self.reject)
        explanation = text_label(EXPLANATION, level="muted", wrap=True)
        in_column(explanation, fields, self.progress, (self.table, 1), self.status, buttons, margins=2, parent=self)

    def _make_table(self) -> QTableView:
        proxy = QSortFilterProxyModel(self)
        proxy.setSourceModel(self.model)
        proxy.setSortRole(Qt.ItemDataRole.UserRole)
        table = described(QTableView(), "zValues", accessible="Z-values")
        table.setModel(proxy)
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setSectionResizeMode(SUBJECT, QHeaderView.ResizeMode.Stretch)
        return table

    def toggle(self) -> None:
        """Start shuffling, or stop it and keep the Z-values so far."""
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
            self._say(f"{event.done:,} of {count(event.total, 'shuffle')} scored")

    def _on_finished(self, stopped: bool) -> None:
        self.start.setText("Shuffle again")
        self.copy.setEnabled(bool(self.model.rows))
        if stopped:
            self._say(f"Stopped: {count(len(self.model.rows), 'hit has its', 'hits have their')} Z-value.", "warning")
        elif self.model.rows:
            plan = self.model.rows[0].plan
            self._say(f"{plan.describe()}. Point at a row for the formula.")

    def _say(self, text: str, tone: str = "") -> None:
        self.status.setText(text)
        set_role(self.status, tone=tone)

    def done(self, result: int) -> None:
        """Stop the shuffling; called by every way of closing the dialog."""
        self._task.shutdown()
        super().done(result)
