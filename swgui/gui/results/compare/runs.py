"""Two runs side by side: which hits are new, lost, moved or the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from swgui.core import words
from swgui.core.compare.runs import STATE_HELP, STATES, RunComparison, compare_results
from swgui.core.hits.results import SearchResult
from swgui.gui.kit.layouts import card, in_column, in_row
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import check_box, text_label
from swgui.gui.results.compare.base import ComparisonDialog
from swgui.gui.results.compare.columns import comparison_source
from swgui.io.statistics import load_statistics
from swgui.io.tables.comparisons import comparison_comments, comparison_table


class CompareDialog(ComparisonDialog):
    """Shows the hits of two runs with rank, score and E in each.

    Parameters
    ----------
    first, second : SearchResult
        The earlier and the later run.
    """

    hit_wanted = Signal(int, int, int)  # run (1 or 2), query and source index of a row that the user wants to see

    def __init__(self, tasks: Tasks, first: SearchResult, second: SearchResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "compare", "Compare runs", (140, 80), parent)
        self.comparison: RunComparison | None = None
        self._build(first, second)
        self.say("Comparing…")
        self.work(lambda _control: _compare(first, second), lambda made: self._show(*made), self.fail)

    def _build(self, first: SearchResult, second: SearchResult) -> None:
        self.states = QButtonGroup(self)
        self.states.setExclusive(False)
        boxes = [check_box(f"compareState-{state}", state.capitalize(), STATE_HELP[state], on=True) for state in STATES]
        for index, box in enumerate(boxes):
            self.states.addButton(box, index)
        self.states.idToggled.connect(lambda _at, _on: self._choose_states())
        self.view = ColumnView(self._tasks, "compareRows", "Hits of both runs")
        self.view.chosen.connect(self._want)
        self.filter.textChanged.connect(self.view.set_words)
        self.save_button.setEnabled(False)
        strips = in_row((_strip(1, first), 1), (_strip(2, second), 1))
        line = in_row((self.filter, 1), *boxes, spacing=1.5)
        parts = strips, self.headline, line, (self.view, 1), self.progress, self.status, self.buttons
        in_column(*parts, margins=2, parent=self)

    def _show(self, comparison: RunComparison, source: ColumnSource) -> None:
        self.comparison = comparison
        counts = comparison.counts()
        self.headline.setText(", ".join(f"{count:,} {state}" for state, count in counts.items()) + ".")
        for index, (state, count) in enumerate(counts.items()):
            self.states.button(index).setText(f"{state.capitalize()} ({count:,})")
        self.view.show_source(source)
        self.save_button.setEnabled(True)
        left_out = [
            f"{words.count(len(names), 'query', 'queries')} of run {number} not in the other"
            for number, names in enumerate(comparison.unmatched, 1)
            if names
        ]
        self.say(f"Not compared: {' and '.join(left_out)}." if left_out else "", "warning" if left_out else "")

    def _choose_states(self) -> None:
        if self.comparison is not None:
            chosen = [index for index in range(len(STATES)) if self.states.button(index).isChecked()]
            self.view.set_mask(np.isin(self.comparison.states, chosen))

    def _want(self, row: int) -> None:
        comparison = self.comparison
        if comparison is None:
            return
        side = 1 if comparison.db_index[1][row] >= 0 else 0
        self.hit_wanted.emit(side + 1, int(comparison.query_index[side][row]), int(comparison.db_index[side][row]))

    def save_to(self, path: Path) -> None:
        """Write all rows, tab-separated, with comments on how both runs were made."""
        comparison = self.comparison
        if comparison is not None:
            rows = len(comparison)
            noun = words.count(rows, "row")
            self.write(path, comparison_table(comparison), rows, noun, comparison_comments(comparison))

    def forget(self) -> None:
        super().forget()
        self.view.forget()


def _compare(first: SearchResult, second: SearchResult) -> tuple[RunComparison, ColumnSource]:
    comparison = compare_results(first, second, load_statistics(first.scheme), load_statistics(second.scheme))
    return comparison, comparison_source(comparison)


def _strip(number: int, result: SearchResult) -> QFrame:
    finished = f", {result.finished_at[:16].replace('T', ' ')}" if result.finished_at else ""
    queries = words.count(len(result.queries), "query", "queries")
    limits = f"E ≤ {result.search.limits.max_evalue:g}, at most {result.search.limits.top:,} hits"
    facts = f"{queries} against {result.database.name}\n{result.scheme.describe()}\n{limits}"
    return card(
        "",
        text_label(f"Run {number}{finished}", level="section"),
        text_label(facts, f"compareRun-{number}", plain=True, wrap=True),
        1,
        margins=1.5,
        spacing=0.5,
    )
