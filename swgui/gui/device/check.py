"""The self-check of the Device page: a search of the sample on every engine, compared with stored scores."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QTableView,
    QWidget,
)

from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import Index, PlainHead, Role, RowTable
from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.tasks.task import MakeEvents, Task
from swgui.gui.kit.theme import colours, keep_size, set_role
from swgui.gui.kit.widgets import (
    push_button,
    text_label,
)
from swgui.jobs.doctor import Finding, examine

LEVELS = {"fine": ("✓ fine", "success"), "note": ("• note", "warning"), "problem": ("✗ problem", "danger")}
SELF_CHECK = (
    "Searches the sample on every engine and compares each score with that of an independent program; "
    "looks at packages, folders and the display, too. Run it after a new driver."
)


class Findings(RowTable):
    """What the self-check has found so far."""

    heads = tuple(map(PlainHead, ("What", "State", "Finding")))

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Finding] = []

    def clear(self) -> None:
        self.beginResetModel()
        self.rows = []
        self.endResetModel()

    def add(self, finding: Finding) -> None:
        """Append what was found, as the last row."""
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows))
        self.rows.append(finding)
        self.endInsertRows()

    def row_count(self) -> int:
        return len(self.rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        finding = self.rows[index.row()]
        word, tone = LEVELS[finding.level]
        text = " ".join(part for part in (finding.message, finding.hint) if part)
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return (finding.topic, word, text)[index.column()]
        if role == Role.ForegroundRole and index.column() == 1:
            return QColor(getattr(colours(QGuiApplication.palette()), tone))
        return None


class SelfCheckCard(QFrame):
    """Runs the self-check and lists its findings."""

    checked = Signal(object)  # the self-check ended; a list of `Finding`

    def __init__(self, parent: QWidget | None = None, *, check: MakeEvents = examine) -> None:
        super().__init__(parent)
        set_role(self, role="card")
        self._check = check
        self._blocked = ""
        self._task = Task(self)
        self._task.part.connect(lambda finding: self.findings.add(finding))
        self._task.failed.connect(lambda error: self._say(f"The self-check failed: {error}", "danger"))
        self._task.finished.connect(self._checked)
        self._build()

    @property
    def checking(self) -> bool:
        return self._task.busy

    def block(self, reason: str) -> None:
        """Say why it cannot start now; empty if it can."""
        self._blocked = reason
        self._show_buttons()

    def run(self) -> None:
        """Start the self-check; nothing happens while it runs or is blocked."""
        if self.checking or self._blocked:
            return
        self.findings.clear()
        self._table.show()
        self._say("Checking…")
        self._task.follow(self._check)
        self._show_buttons()

    def stop(self) -> None:
        """End the self-check early; what it has found so far stays, and `checked` tells of it."""
        self._task.stop()

    def shutdown(self) -> None:
        self._task.shutdown()

    def _build(self) -> None:
        self._run = push_button("runSelfCheck", "Run self-check", does=self.run, icon="check")
        self._stop = push_button("stopSelfCheck", "Stop", does=self.stop, icon="stop")
        self._verdict = text_label(name="selfCheckVerdict", wrap=True)
        self._verdict.hide()
        self.findings = Findings()
        self._table = row_table(
            QTableView(), "selfCheckFindings", "Findings of the self-check", self.findings, rows=2.75, widths=(16, 14)
        )
        keep_size(self._table, height=30, rows=2.75)
        self._table.hide()
        title = text_label("Self-check", level="heading")
        words = in_column(title, text_label(SELF_CHECK, wrap=True, level="muted"), spacing=0.5)
        head = in_row((words, 1), in_column(self._stop, 1), in_column(self._run, 1))
        in_column(head, self._verdict, self._table, margins=(2, 1.5, 2, 1.5), parent=self)
        self._show_buttons()

    def _checked(self, stopped: bool) -> None:
        counts = {level: sum(f.level == level for f in self.findings.rows) for level in LEVELS}
        if stopped:
            self._say("The self-check was stopped.", "warning")
        elif counts["problem"]:
            self._say(f"{counts['problem']} of {len(self.findings.rows)} findings are problems.", "danger")
        elif self.findings.rows:
            notes = f", {counts['note']} of them worth a look" if counts["note"] else ""
            self._say(f"No problem in {len(self.findings.rows)} findings{notes}.", "success")
        self.checked.emit(list(self.findings.rows))
        self._show_buttons()

    def _say(self, text: str, tone: str = "") -> None:
        self._verdict.setText(text)
        set_role(self._verdict, tone=tone)
        self._verdict.show()

    def _show_buttons(self) -> None:
        self._stop.setVisible(self.checking)
        self._run.setEnabled(not self.checking and not self._blocked)
        self._run.setToolTip(self._blocked or "Takes a few seconds")
