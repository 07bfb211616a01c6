"""Devices of this computer: what there is, why something cannot be used, and a self-check."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.doctor import PACKAGES, Finding, examine
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.gui.engine_choices import EngineChoice, engine_choices
from swgui.gui.jobs import JobRunner, MakeEvents
from swgui.gui.theme import arrange, colours, grid, keep_size, set_icon, set_role
from swgui.settings import Settings, speed_key

Role = Qt.ItemDataRole
ENGINES = {
    "cuda": ("GPU", "Scores two subjects per 32-bit word, exact; what overflows is scored again in 32 bits."),
    "cpu": ("CPU", "Uses the processor's vector instructions on all cores; the same scores, slower than a GPU."),
    "reference": ("Reference", "Plain NumPy, slow and easy to follow; what the other engines are checked against."),
}
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


class DevicePage(QWidget):
    """Lists engines and devices and checks them.

    Signals
    -------
    probe_wanted()
        Devices should be looked for again.
    choice_wanted(str, str)
        Searches should run on this engine and device.
    checked(object)
        The self-check ended; a list of `Finding`.
    message(str)
        For the status line.
    """

    probe_wanted = Signal()
    choice_wanted = Signal(str, str)
    checked = Signal(object)
    message = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None, *, check: MakeEvents = examine) -> None:
        super().__init__(parent)
        self.setObjectName("devicePage")
        self._settings = settings
        self._check = check
        self._statuses: tuple[EngineStatus, ...] = ()
        self._searching = False
        self._jobs = JobRunner(self)
        self._jobs.event.connect(lambda _job, finding: self.findings.add(finding))
        self._jobs.failed.connect(lambda _job, error: self._say(f"The self-check failed: {error}", "danger"))
        self._jobs.finished.connect(self._checked)
        self._build()

    @property
    def checking(self) -> bool:
        """Whether the self-check runs."""
        return self._jobs.running

    def show_engines(self, statuses: Iterable[EngineStatus]) -> None:
        """Show what is known of the engines."""
        self._statuses = tuple(statuses)
        self._again.setEnabled(True)
        for card in self._shown:
            self._cards.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._shown = []
        choices = engine_choices(self._statuses)
        for status in self._statuses:
            if not status.available or not status.devices:
                self._shown.append(self._card(status, None, ()))
            for device in status.devices if status.available else ():
                self._shown.append(self._card(status, device, choices))
        for card in self._shown:
            self._cards.addWidget(card)

    def add_section(self, widget: QWidget) -> None:
        """Put something below the devices, above the self-check."""
        self._sections.addWidget(widget)

    def set_searching(self, searching: bool) -> None:
        """Note whether a search runs: it and the self-check would slow each other down."""
        self._searching = searching
        self._show_buttons()

    def run_check(self) -> None:
        """Start the self-check."""
        if self.checking or self._searching:
            return
        self.findings.clear()
        self._table.show()
        self._say("Checking…")
        self._jobs.start(self._check)
        self._show_buttons()

    def stop_check(self) -> None:
        """End the self-check early."""
        self._jobs.cancel()

    def shutdown(self) -> None:
        """Stop the self-check and join its thread."""
        self._jobs.shutdown()

    def _build(self) -> None:
        title = QLabel("Devices")
        set_role(title, level="title")
        self._again = QPushButton("Check again")
        self._again.setObjectName("deviceAgain")
        self._again.setToolTip("Look once more for devices, for example after a driver was installed")
        set_icon(self._again, "refresh")
        self._again.setEnabled(False)
        self._again.clicked.connect(self._ask_again)
        head = QHBoxLayout()
        arrange(head, 0, 1)
        head.addWidget(title, 1)
        head.addWidget(self._again)
        intro = QLabel("Every device gives the same scores; they differ in speed only.")
        set_role(intro, level="muted")
        self._cards = QVBoxLayout()
        arrange(self._cards, 0, 1.5)
        waiting = QLabel("Looking for devices…")
        set_role(waiting, level="muted")
        self._cards.addWidget(waiting)
        self._shown: list[QWidget] = [waiting]
        inside = QWidget()
        column = QVBoxLayout(inside)
        arrange(column, 3, 1.5)
        column.addLayout(head)
        column.addWidget(intro)
        column.addLayout(self._cards)
        self._sections = QVBoxLayout()
        arrange(self._sections, 0, 1.5)
        column.addLayout(self._sections)
        column.addWidget(self._build_check())
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setObjectName("deviceScroll")
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        layout = QVBoxLayout(self)
        arrange(layout, 0, 0)
        layout.addWidget(scroll)

    def _build_check(self) -> QFrame:
        card = QFrame()
        set_role(card, role="card")
        title = QLabel("Self-check")
        set_role(title, level="heading")
        text = QLabel(SELF_CHECK)
        text.setWordWrap(True)
        set_role(text, level="muted")
        self._run = QPushButton("Run self-check")
        self._run.setObjectName("runSelfCheck")
        set_icon(self._run, "check")
        self._run.clicked.connect(self.run_check)
        self._stop = QPushButton("Stop")
        self._stop.setObjectName("stopSelfCheck")
        set_icon(self._stop, "stop")
        self._stop.clicked.connect(self.stop_check)
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
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addLayout(row)
        layout.addWidget(self._verdict)
        layout.addWidget(self._table)
        self._verdict.hide()
        self._show_buttons()
        return card

    def _card(self, status: EngineStatus, device: DeviceInfo | None, choices: Iterable[EngineChoice]) -> QFrame:
        kind, about = ENGINES.get(status.name, (status.name, ""))
        card = QFrame()
        card.setObjectName(f"device-{status.name}-{device.id if device else 'none'}")
        set_role(card, role="card")
        name = QLabel(f"{kind}: {device.name}" if device else kind)
        name.setTextFormat(Qt.TextFormat.PlainText)
        set_role(name, level="heading")
        state = QLabel("✓ ready" if status.available else "not available")
        set_role(state, tone="success" if status.available else "warning")
        head = QHBoxLayout()
        arrange(head, 0, 2)
        head.addWidget(name)
        head.addWidget(state, 1)
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addLayout(head)
        if device is None:
            self._explain(layout, status, head)
        else:
            if (button := self._use_button(status, device, choices)) is not None:
                head.addWidget(button)
            layout.addLayout(self._facts(status, device))
        note = QLabel(about)
        note.setWordWrap(True)
        set_role(note, level="muted")
        layout.addWidget(note)
        return card

    def _explain(self, layout: QVBoxLayout, status: EngineStatus, head: QHBoxLayout) -> None:
        for text in (status.reason, status.hint):
            if text:
                label = QLabel(text)
                label.setWordWrap(True)
                label.setTextFormat(Qt.TextFormat.PlainText)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                layout.addWidget(label)
        if status.hint:
            copy = QPushButton("Copy what to do")
            copy.setObjectName(f"copyHint-{status.name}")
            set_role(copy, role="quiet")
            set_icon(copy, "copy")
            copy.clicked.connect(partial(self._copy, status.hint))
            head.addWidget(copy)

    def _use_button(
        self, status: EngineStatus, device: DeviceInfo, choices: Iterable[EngineChoice]
    ) -> QPushButton | None:
        wanted = (status.name, device.id if status.name == "cuda" else "")
        if not any((choice.engine, choice.device) == wanted and not choice.reason for choice in choices):
            return None
        button = QPushButton("Search on this device")
        button.setObjectName(f"use-{status.name}-{device.id}")
        button.setToolTip("Choose it on the Search page")
        button.clicked.connect(lambda: self.choice_wanted.emit(*wanted))
        return button

    def _facts(self, status: EngineStatus, device: DeviceInfo) -> QGridLayout:
        facts: dict[str, str] = {}
        if device.memory:
            facts["Memory"] = f"{device.memory / 2**30:.1f} GiB"
        if device.free_memory:
            facts["Free memory"] = f"{device.free_memory / 2**30:.1f} GiB"
        for name, value in device.facts.items():
            facts[name if name in PACKAGES else name[:1].upper() + name[1:]] = value
        speed = self._settings.speeds.get(speed_key(status.name, (device.name,)))
        facts["Speed in earlier runs"] = f"about {speed:,.1f} GCUPS" if speed else "not measured yet"
        layout = QGridLayout()
        arrange(layout, 0, (3, 0.5))
        for row, (name, value) in enumerate(facts.items()):
            label, text = QLabel(name), QLabel(value)
            set_role(label, level="muted")
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setWordWrap(True)
            layout.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(text, row, 1)
        layout.setColumnStretch(1, 1)
        return layout

    def _ask_again(self) -> None:
        self._again.setEnabled(False)
        self.probe_wanted.emit()

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit("Copied.")

    def _checked(self, _job: int, cancelled: bool) -> None:
        counts = {level: sum(f.level == level for f in self.findings.rows) for level in LEVELS}
        if cancelled:
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
        self._run.setEnabled(not self.checking and not self._searching)
        self._run.setToolTip("Wait until the search has ended" if self._searching else "Takes a few seconds")
