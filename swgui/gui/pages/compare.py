"""Two runs side by side: which hits are new, lost, moved or the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import SwguiError
from swgui.core.results import SearchResult
from swgui.core.run_comparison import STATE_HELP, STATES, RunComparison, compare_results
from swgui.gui.jobs import ShortJobs
from swgui.gui.models import formatting
from swgui.gui.models.audit_columns import comparison_source
from swgui.gui.models.column_table import ColumnSource
from swgui.gui.pages.column_view import ColumnView
from swgui.gui.theme import arrange, grid, set_role
from swgui.io.comparison_tables import write_comparison
from swgui.io.export import save_whole
from swgui.io.statistics import load_statistics

COMPARE_KEY, SAVE_KEY = "compare-runs", "compare-save"


class CompareDialog(QDialog):
    """Shows the hits of two runs with rank, score and E in each. Not modal: the window stays usable.

    Parameters
    ----------
    short_jobs : ShortJobs
    one, other : SearchResult
        The earlier and the later run.

    Signals
    -------
    hit_wanted(int, int, int)
        Run (1 or 2), query and source index of a row that the user wants to see.
    saved(str, int)
        Path and number of rows written.
    """

    hit_wanted = Signal(int, int, int)
    saved = Signal(str, int)

    def __init__(
        self, short_jobs: ShortJobs, one: SearchResult, other: SearchResult, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("compareDialog")
        self.setWindowTitle("Compare runs")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(grid(140), grid(80))
        self._jobs = short_jobs
        self.comparison: RunComparison | None = None
        self._build(one, other)
        self._say("Comparing…")
        self._jobs.submit(
            f"{COMPARE_KEY}-{id(self)}",
            lambda: _compare(one, other),
            lambda made: self._show(*made),
            self._fail,
        )

    def _build(self, one: SearchResult, other: SearchResult) -> None:
        strips = QHBoxLayout()
        arrange(strips, 0, 1)
        for number, result in enumerate((one, other), 1):
            strips.addWidget(_strip(number, result), 1)
        self.headline = QLabel()
        self.headline.setObjectName("compareHeadline")
        self.headline.setTextFormat(Qt.TextFormat.PlainText)
        self.headline.setWordWrap(True)
        set_role(self.headline, level="heading")
        self.filter = QLineEdit()
        self.filter.setObjectName("compareFilter")
        self.filter.setAccessibleName("Filter the rows")
        self.filter.setPlaceholderText("Words in query, target or description")
        self.filter.setClearButtonEnabled(True)
        line = QHBoxLayout()
        arrange(line, 0, 1.5)
        line.addWidget(self.filter, 1)
        self.states = QButtonGroup(self)
        self.states.setExclusive(False)
        for at, state in enumerate(STATES):
            button = QCheckBox(state.capitalize())
            button.setObjectName(f"compareState-{state}")
            button.setChecked(True)
            button.setToolTip(STATE_HELP[state])
            self.states.addButton(button, at)
            line.addWidget(button)
        self.states.idToggled.connect(lambda _at, _on: self._choose_states())
        self.view = ColumnView(self._jobs, "compareRows", "Hits of both runs")
        self.view.chosen.connect(self._want)
        self.filter.textChanged.connect(self.view.set_words)
        self.status = QLabel()
        self.status.setObjectName("compareStatus")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.save_button = buttons.addButton("Save as table…", QDialogButtonBox.ButtonRole.ActionRole)
        self.save_button.setObjectName("compareSave")
        self.save_button.setEnabled(False)
        self.save_button.clicked.connect(self.save)
        buttons.rejected.connect(self.close)
        for button in buttons.buttons():
            button.setAutoDefault(False)  # Enter in the filter or in the table is not for them
        layout = QVBoxLayout(self)
        arrange(layout, 2, 1)
        layout.addLayout(strips)
        layout.addWidget(self.headline)
        layout.addLayout(line)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.status)
        layout.addWidget(buttons)

    def _show(self, comparison: RunComparison, source: ColumnSource) -> None:
        self.comparison = comparison
        counts = comparison.counts()
        self.headline.setText(", ".join(f"{count:,} {state}" for state, count in counts.items()) + ".")
        for at, (state, count) in enumerate(counts.items()):
            self.states.button(at).setText(f"{state.capitalize()} ({count:,})")
        self.view.show_source(source)
        self.save_button.setEnabled(True)
        left_out = [
            f"{formatting.plural(len(names), 'query', 'queries')} of run {number} not in the other"
            for number, names in enumerate(comparison.unmatched, 1)
            if names
        ]
        self._say(f"Not compared: {' and '.join(left_out)}." if left_out else "", "warning" if left_out else "")

    def _choose_states(self) -> None:
        if self.comparison is not None:
            chosen = [at for at in range(len(STATES)) if self.states.button(at).isChecked()]
            self.view.set_mask(np.isin(self.comparison.states, chosen))

    def _want(self, row: int) -> None:
        """Ask for the alignment in the later run, or where the hit is known."""
        comparison = self.comparison
        if comparison is None:
            return
        side = 1 if comparison.db_index[1][row] >= 0 else 0
        self.hit_wanted.emit(side + 1, int(comparison.query_index[side][row]), int(comparison.db_index[side][row]))

    def save(self) -> None:
        """Ask for a file and write all rows into it."""
        path, _ = QFileDialog.getSaveFileName(self, "Save the comparison", "comparison.tsv", "Table (*.tsv)")
        if path:
            self.save_to(Path(path))

    def save_to(self, path: Path) -> None:
        """Write all rows, tab-separated, with comments that say how both runs were made."""
        comparison = self.comparison
        if comparison is None:
            return

        def write() -> None:
            save_whole(path, lambda file: write_comparison(comparison, file, comments=True))

        self._jobs.submit(
            f"{SAVE_KEY}-{id(self)}", write, lambda _none: self._tell_saved(path, len(comparison)), self._fail
        )

    def _tell_saved(self, path: Path, count: int) -> None:
        self._say(f"{formatting.plural(count, 'row')} written to {path.name}.", "success")
        self.saved.emit(str(path), count)

    def _fail(self, error: Exception) -> None:
        if not isinstance(error, SwguiError):
            self._jobs.failed.emit(COMPARE_KEY, error)
            self._say(f"An unexpected fault: {error}", "danger")
            return
        self._say(str(error), "danger")

    def _say(self, text: str, tone: str = "") -> None:
        self.status.setText(text)
        set_role(self.status, tone=tone)

    def done(self, result: int) -> None:
        """Close, however it was asked for, and want no answers of workers any more."""
        for key in (COMPARE_KEY, SAVE_KEY):
            self._jobs.drop(f"{key}-{id(self)}")  # more than one such window may be open
        self.view.forget()
        super().done(result)


def _compare(one: SearchResult, other: SearchResult) -> tuple[RunComparison, ColumnSource]:
    comparison = compare_results(one, other, load_statistics(one.scheme), load_statistics(other.scheme))
    return comparison, comparison_source(comparison)


def _strip(number: int, result: SearchResult) -> QFrame:
    """Say what a run was."""
    frame = QFrame()
    set_role(frame, role="card")
    finished = f", {result.finished_at[:16].replace('T', ' ')}" if result.finished_at else ""
    title = QLabel(f"Run {number}{finished}")
    set_role(title, level="section")
    queries = formatting.plural(len(result.queries), "query", "queries")
    limits = f"E ≤ {result.max_evalue:g}, at most {result.top:,} hits"
    facts = QLabel(f"{queries} against {result.database.name}\n{result.scheme.describe()}\n{limits}")
    facts.setObjectName(f"compareRun-{number}")
    facts.setTextFormat(Qt.TextFormat.PlainText)
    facts.setWordWrap(True)
    layout = QVBoxLayout(frame)
    arrange(layout, 1.5, 0.5)
    layout.addWidget(title)
    layout.addWidget(facts)
    layout.addStretch(1)
    return frame
