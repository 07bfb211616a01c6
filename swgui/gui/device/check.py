"""The self-check of the Device page: a search of the sample on every engine, compared with stored scores."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.gui.kit.tasks.task import MakeEvents, Task
from swgui.gui.kit.theme import arrange, colours, grid, keep_size, set_icon, set_role
from swgui.jobs.doctor import Finding, examine

Role = Qt.ItemDataRole
LEVELS = {"fine": ("✓ fine", "success"), "note": ("• note", "warning"), "problem": ("✗ problem", "danger")}
SELF_CHECK = (
    "Searches the sample on every engine and compares each score with that of an independent program; "
    "looks at packages, folders and the display, too. Run it after a new driver."
)


class Findings(QAbstractTableModel):
    """What the self-check has found so far."""

    HEADERS = ("What", "State", "Finding")

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Finding] = []

    def clear(self) -> None:
        """Forget all rows."""
        self.beginResetModel()
        self.rows = []
        self.endResetModel()

    def add(self, finding: Finding) -> None:
        """Append a row."""
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows))
        self.rows.append(finding)
        self.endInsertRows()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Return the number of findings."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Return the number of columns."""
        return len(self.HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Role.DisplayRole:
                return self.HEADERS[section]
            if role == Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: QModelIndex, role: int = Role.DisplayRole) -> Any:
        """Return the text and the colour of a cell."""
        finding = self.rows[index.row()]
        word, tone = LEVELS[finding.level]
        text = " ".join(part for part in (finding.message, finding.hint) if part)
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return (finding.topic, word, text)[index.column()]
        if role == Role.ForegroundRole and index.column() == 1:
            return QColor(getattr(colours(QGuiApplication.palette()), tone))
        return None


class SelfCheckCard(QFrame):
    """Runs the self-check and lists its findings.

    Signals
    -------
    checked(object)
        The self-check ended; a list of `Finding`.
    """

    checked = Signal(object)

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
        """Whether the self-check runs."""
        return self._task.busy

    def block(self, reason: str) -> None:
        """Say why it cannot start now; empty if it can."""
        self._blocked = reason
        self._show_buttons()

    def run(self) -> None:
        """Start the self-check."""
        if self.checking or self._blocked:
            return
        self.findings.clear()
        self._table.show()
        self._say("Checking…")
        self._task.follow(self._check)
        self._show_buttons()

    def stop(self) -> None:
        """End the self-check early."""
        self._task.stop()

    def shutdown(self) -> None:
        """Stop the self-check for good."""
        self._task.shutdown()

    def _build(self) -> None:
        title = QLabel("Self-check")
        set_role(title, level="heading")
        text = QLabel(SELF_CHECK)
        text.setWordWrap(True)
        set_role(text, level="muted")
        self._run = QPushButton("Run self-check")
        self._run.setObjectName("runSelfCheck")
        set_icon(self._run, "check")
        self._run.clicked.connect(self.run)
        self._stop = QPushButton("Stop")
        self._stop.setObjectName("stopSelfCheck")
        set_icon(self._stop, "stop")
        self._stop.clicked.connect(self.stop)
        self._verdict = QLabel()
        self._verdict.setObjectName("selfCheckVerdict")
        self._verdict.setWordWrap(True)
        self.findings = Findings()
        self._table = QTableView()
        self._table.setObjectName("selfCheckFindings")
        self._table.setAccessibleName("Findings of the self-check")
        self._table.setModel(self.findings)
        self._table.setShowGrid(False)
        self._table.setWordWrap(False)
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.verticalHeader().hide()
        keep_size(self._table, height=30, rows=2.75)
        header = self._table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        for column, width in ((0, 16), (1, 14)):
            header.resizeSection(column, grid(width))
        self._table.hide()
        words = QVBoxLayout()
        arrange(words, 0, 0.5)
        words.addWidget(title)
        words.addWidget(text)
        row = QHBoxLayout()
        arrange(row, 0, 1)
        row.addLayout(words, 1)
        row.addWidget(self._stop, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._run, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addLayout(row)
        layout.addWidget(self._verdict)
        layout.addWidget(self._table)
        self._verdict.hide()
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
