"""What goes on on the Databases page, and what came of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from swgui.gui.databases.rows import DatabaseRow
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit import motion
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import arrange, set_icon, set_role
from swgui.gui.words.formatting import file_size
from swgui.io.sequences.report import ReadReport


class WorkCard(QFrame):
    """Shows the progress of some work with a Stop button, then its outcome until it is closed."""

    def __init__(self, work: Task, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("databasesWork")
        self._work = work
        self._report: ReadReport | None = None
        self._build()
        work.changed.connect(self._show)
        work.progressed.connect(self._show_progress)
        self._show()
        self.hide()

    def say(self, text: str, tone: str, report: ReadReport | None = None) -> None:
        """Show what came of something: ``success``, ``info`` or ``danger``."""
        self._report = report
        self._doing.setText(text)
        set_role(self, role="note", tone=tone)
        self._show()
        self.show()

    def say_busy(self, text: str) -> None:
        """Add a sentence to the work that goes on."""
        self._note.setText(text)
        self._note.show()

    def show_report(self) -> None:
        """Open the input report of what was read."""
        if self._report is not None:
            InputReport(self._report, self.window()).open()

    def _build(self) -> None:
        self._doing, self._note = QLabel(), QLabel()
        for label, name in ((self._doing, "databasesDoing"), (self._note, "databasesBusy")):
            label.setObjectName(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        set_role(self._note, tone="warning")
        self._bar = QProgressBar()
        self._bar.setObjectName("databasesBar")
        self._bar.setAccessibleName("Progress")
        self._bar.setTextVisible(False)
        self._stop = QPushButton("Stop")
        self._stop.setObjectName("databasesStop")
        set_icon(self._stop, "stop")
        self._stop.clicked.connect(self._work.stop)
        self._open_report = QPushButton("Input report…")
        self._open_report.setObjectName("databasesReport")
        set_role(self._open_report, role="quiet")
        self._open_report.clicked.connect(self.show_report)
        self._close = QToolButton()
        self._close.setObjectName("databasesClose")
        self._close.setToolTip("Close this message")
        self._close.setAccessibleName("Close this message")
        set_icon(self._close, "close")
        self._close.clicked.connect(self.hide)
        words = QVBoxLayout()
        arrange(words, 0, 0.75)
        for widget in (self._doing, self._bar, self._note):
            words.addWidget(widget)
        layout = QHBoxLayout(self)
        arrange(layout, (2, 1, 1.5, 1), 1)
        layout.addLayout(words, 1)
        for button in (self._stop, self._open_report, self._close):
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def _show(self) -> None:
        busy = self._work.busy
        for widget, shown in (
            (self._bar, busy),
            (self._stop, busy),
            (self._note, busy and bool(self._note.text())),
            (self._close, not busy),
            (self._open_report, not busy and self._report is not None),
        ):
            widget.setVisible(shown)
        if not busy:
            self._note.setText("")
            return
        stopping = self._work.stopping
        self._report = None
        self._stop.setEnabled(not stopping)
        set_role(self, role="card", tone="")
        self._doing.setText(f"Stopping: {self._work.title}…" if stopping else f"{self._work.title}…")
        motion.show_share(self._bar, -1)
        self.show()

    def _show_progress(self, share: int, text: str) -> None:
        motion.show_share(self._bar, share)
        if not self._work.stopping:
            parts = [self._work.title, f"{share / 10:.0f} %" if share >= 0 else "", text]
            self._doing.setText(" · ".join(part for part in parts if part))


class RemoveBox(QMessageBox):
    """Asks whether a database should go, and whether its file should."""

    def __init__(self, row: DatabaseRow, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("removeDatabase")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Remove a database")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(f"Take “{row.name}” off the list?")
        self.setInformativeText("Its source files are never touched.")
        remove = self.addButton("Remove", QMessageBox.ButtonRole.AcceptRole)
        self.addButton(QMessageBox.StandardButton.Cancel)
        self.setDefaultButton(remove)
        size = f" ({file_size(row.known.size)})" if row.known else ""
        self._delete = QCheckBox(
            f"Delete {'its copy in the cache' if row.converted else 'the database file'}, too{size}"
        )
        self._delete.setObjectName("deleteFile")
        self._delete.toggled.connect(lambda on: remove.setText("Delete" if on else "Remove"))
        if row.state != "missing":
            self.setCheckBox(self._delete)

    @property
    def delete_file(self) -> bool:
        """Whether the database file should be deleted, too."""
        return self.checkBox() is not None and self.checkBox().isChecked()
