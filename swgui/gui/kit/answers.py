"""The answer of a job: its sentence, and a table of its lines whose numbers choose rows of the list below."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, Signal
from PySide6.QtWidgets import QWidget

from swgui.core.answer import Answer, Line, Where
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import text_label

ROWS: Final = 5  # lines that are in sight at once
CHOOSES: Final = "Click a number to see its rows alone"


class AnswerView(QWidget):
    """Shows an answer; `wanted` has the conditions on the rows that a click asks for, and what they are, in words."""

    wanted = Signal(tuple, str)

    def __init__(self, tasks: Tasks, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.answer = Answer("")
        self.sentence = text_label(name=f"{name}Sentence", level="title", wrap=True, plain=True, selectable=True)
        self.more = text_label(name=f"{name}More", wrap=True, plain=True, selectable=True)
        self.table = ColumnView(tasks, f"{name}Lines", "Answer for each query")
        self.table.setToolTip(CHOOSES)
        self.table.setVerticalScrollMode(ColumnView.ScrollMode.ScrollPerPixel)
        self.table.horizontalScrollBar().rangeChanged.connect(lambda *_: self._fit_height())
        self.table.clicked.connect(self._clicked)
        self.table.chosen.connect(self._entered)
        in_column(self.sentence, self.more, self.table, spacing=0.75, parent=self)
        self.show_answer(self.answer)

    def show_answer(self, answer: Answer) -> None:
        """Show an answer; lines that belong to no query stand below its sentence."""
        self.answer = answer
        self.sentence.setText(answer.sentence)
        self.sentence.setVisible(bool(answer.sentence))
        plain = [line.said for line in answer.lines if not line.name]
        self.more.setText(" ".join(plain))
        self.more.setVisible(bool(plain))
        self._lines = [line for line in answer.lines if line.name]
        self.table.show_source(_source(self._lines, answer.heads))
        self.table.setVisible(bool(self._lines))
        self._fit_height()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if hasattr(self, "_lines"):
            self._fit_height()

    def _fit_height(self) -> None:
        """Give the table the height of its first lines, and of the bar below them where it scrolls sideways."""
        rows, bar = min(len(self._lines), ROWS), self.table.horizontalScrollBar()
        row = round(self.table.fontMetrics().height() * 1.6)
        below = bar.sizeHint().height() if bar.maximum() else 0
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + rows * row + below + 2)

    def _clicked(self, index: QModelIndex) -> None:
        line = self._lines[int(self.table.rows_model.rows[index.row()])]
        key = self.table.rows_model.source.columns[index.column()].key
        for number in line.counts:
            if number.head == key:
                self._want(line, number.where, f"{line.name}, {number.head}")
                return
        self._want(line, line.where, line.name)

    def _entered(self, row: int) -> None:
        """Ask for all rows of a query whose line was chosen with Return."""
        line = self._lines[row]
        if not self.table.underMouse():
            self._want(line, line.where, line.name)

    def _want(self, line: Line, where: tuple[Where, ...], said: str) -> None:
        if where:
            self.wanted.emit(where, said)


def _source(lines: list[Line], heads: list[str]) -> ColumnSource:
    columns = [
        TableColumn("name", "Query", "Name of the query", lambda row: lines[row].name),
        TableColumn("said", "Answer", "The answer for this query", lambda row: lines[row].said),
    ]
    for head in heads:
        numbers = [next((one.number for one in line.counts if one.head == head), None) for line in lines]
        values = np.array([np.nan if number is None else number for number in numbers], np.float64)
        columns.insert(-1, TableColumn(head, head, CHOOSES, partial(_number, numbers), values))
    return ColumnSource(columns, len(lines))


def _number(numbers: list[int | None], row: int) -> str:
    number = numbers[row]
    return "" if number is None else f"{number:,}"
