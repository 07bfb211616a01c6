"""The devices of this computer: what each of them is and does, and which of them searches use."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.devices import DeviceChoice
from swgui.core.engines import Kind
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.monitor import GpuFacts, MonitorStatus
from swgui.engines.registry import devices_of_kind, facts
from swgui.gui.device.sweep.heat_map import short
from swgui.gui.inputs.device_options import choice_of, chosen_devices, with_device
from swgui.gui.kit.theme import arrange, keep_size, set_icon, set_role
from swgui.gui.live.watch import Look, describe
from swgui.jobs.doctor import PACKAGES
from swgui.settings import Settings, speed_key

SHARES = (0, 20, 40, 60, 70, 80, 90)  # percent of the memory of a card; 0: the engine's own choice
OTHERS_NAMED = 4
GIB = 2**30
INTRO = (
    "Every device gives the same scores; they differ in speed only. Ticked devices work on a search together; the "
    "reference engine works alone."
)


class DeviceList(QWidget):
    """Cards of all devices, and of engines that cannot be used with the reason.

    Signals
    -------
    probe_wanted()
        Devices should be looked for again.
    choice_wanted(object)
        Searches should run on this `DeviceChoice`.
    message(str)
        For the status line.
    changed()
        The share of memory changed.
    """

    probe_wanted = Signal()
    choice_wanted = Signal(object)
    message = Signal(str)
    changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._statuses: tuple[EngineStatus, ...] = ()
        self._ticks: dict[tuple[str, str], QCheckBox] = {}
        self._live: dict[str, QLabel] = {}
        self._notes: dict[str, QLabel] = {}
        self._build()

    def show_engines(self, statuses: Iterable[EngineStatus]) -> None:
        """Show what is known of the engines."""
        self._statuses = tuple(statuses)
        self._again.setEnabled(True)
        for card in self._shown:
            self._cards.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._shown, self._ticks, self._live, self._notes = [], {}, {}, {}
        for status in self._statuses:
            if not status.available or not status.devices:
                self._shown.append(self._card(status, None))
            for device in status.devices if status.available else ():
                self._shown.append(self._card(status, device))
        for card in self._shown:
            self._cards.addWidget(card)
        gpus = bool(devices_of_kind(self._statuses, Kind.GPU))
        self._memory_row.setVisible(gpus)
        self.show_choice()

    def show_choice(self) -> None:
        """Show which devices searches use, as chosen here or on the Search page."""
        run_on = self._settings.search.run_on
        chosen = chosen_devices(run_on, self._statuses)
        for device, tick in self._ticks.items():
            tick.setChecked(device in chosen)
        self._auto.setChecked(run_on.automatic)
        self._auto.setEnabled(bool(self._ticks))

    def show_monitor(self, status: MonitorStatus) -> None:
        """Say why clocks and temperatures are not shown, if they are not."""
        gpus = bool(devices_of_kind(self._statuses, Kind.GPU))
        text = "" if status.available or not gpus else (
            f"Clock, temperature and other programs on the GPU cannot be shown. {status.reason} {status.hint}"
        )  # fmt: skip
        self._no_monitor.setText(text)
        self._no_monitor.setVisible(bool(text))

    def show_look(self, look: Look) -> None:
        """Show how the devices are doing."""
        for device, reading in look.readings.items():
            if device in self._live:
                self._live[device].setText(describe(reading))
        for device, found in look.facts.items():
            if device in self._notes:
                text = note_of(found)
                self._notes[device].setText(text)
                self._notes[device].setVisible(bool(text))

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
        intro = QLabel(INTRO)
        intro.setWordWrap(True)
        set_role(intro, level="muted")
        self._auto = QCheckBox("Choose the fastest device automatically")
        self._auto.setObjectName("deviceAuto")
        self._auto.setToolTip("Let the program choose the fastest device that is ready")
        self._auto.clicked.connect(self._auto_clicked)
        self._no_monitor = QLabel()
        self._no_monitor.setObjectName("noMonitor")
        self._no_monitor.setWordWrap(True)
        self._no_monitor.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self._no_monitor, tone="warning")
        self._no_monitor.hide()
        self._cards = QVBoxLayout()
        arrange(self._cards, 0, 1.5)
        waiting = QLabel("Looking for devices…")
        set_role(waiting, level="muted")
        self._cards.addWidget(waiting)
        self._shown: list[QWidget] = [waiting]
        layout = QVBoxLayout(self)
        arrange(layout, 0, 1.5)
        layout.addLayout(head)
        layout.addWidget(intro)
        choice = QHBoxLayout()
        arrange(choice, 0, 4)
        choice.addWidget(self._auto)
        choice.addWidget(self._build_memory())
        choice.addStretch(1)
        layout.addLayout(choice)
        layout.addWidget(self._no_monitor)
        layout.addLayout(self._cards)

    def _build_memory(self) -> QWidget:
        self._memory = QComboBox()
        self._memory.setObjectName("memoryShare")
        self._memory.setToolTip(
            "How much of a GPU's memory a database may take. What does not fit is sent to the card part by part."
        )
        for share in SHARES:
            self._memory.addItem(f"{share} %" if share else "automatic", share)
        share = self._settings.devices.memory_percent
        if share not in SHARES:
            self._memory.addItem(f"{share} %", share)
        self._memory.setCurrentIndex(self._memory.findData(share))
        self._memory.activated.connect(self._memory_chosen)
        label = QLabel("GPU memory for databases")
        label.setBuddy(self._memory)
        self._memory_row = QWidget()
        row = QHBoxLayout(self._memory_row)
        arrange(row, 0, 1)
        row.addWidget(label)
        row.addWidget(self._memory)
        self._memory_row.hide()
        return self._memory_row

    def _card(self, status: EngineStatus, device: DeviceInfo | None) -> QFrame:
        engine = facts(status.name)
        kind, about = engine.title, engine.about
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
            head.addWidget(self._tick(status, device, name.text()))
            layout.addLayout(self._facts(status, device))
            self._add_live(layout, status, device)
        note = QLabel(about)
        note.setWordWrap(True)
        set_role(note, level="muted")
        layout.addWidget(note)
        return card

    def _tick(self, status: EngineStatus, device: DeviceInfo, name: str) -> QCheckBox:
        tick = QCheckBox("Use for searches")
        tick.setObjectName(f"use-{status.name}-{device.id}")
        tick.setAccessibleName(f"Use {name} for searches")
        tick.setToolTip("The same choice as under Run on, on the Search page")
        # The lambda names its argument: Qt gives a partial none.
        tick.clicked.connect(lambda on, key=(status.name, device.id): self._ticked(key, on))
        self._ticks[status.name, device.id] = tick
        return tick

    def _add_live(self, layout: QVBoxLayout, status: EngineStatus, device: DeviceInfo) -> None:
        kind = facts(status.name).kind
        if kind is Kind.REFERENCE or device.id in self._live:
            return
        live = QLabel()
        live.setObjectName(f"live-{status.name}-{device.id}")
        live.setAccessibleName("How it is doing now")
        live.setWordWrap(True)
        self._live[device.id] = live
        layout.addWidget(live)
        if kind is Kind.GPU:
            note = QLabel()
            note.setObjectName(f"note-{status.name}-{device.id}")
            note.setWordWrap(True)
            note.setTextFormat(Qt.TextFormat.PlainText)
            set_role(note, tone="warning")
            note.hide()
            self._notes[device.id] = note
            layout.addWidget(note)

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

    def _facts(self, status: EngineStatus, device: DeviceInfo) -> QGridLayout:
        facts: dict[str, str] = {}
        if device.memory:
            facts["Memory"] = f"{device.memory / GIB:.1f} GiB"
        if device.free_memory:
            facts["Free memory"] = f"{device.free_memory / GIB:.1f} GiB"
        for name, value in device.facts.items():
            facts[name if name in PACKAGES or name[:2].isupper() else name[:1].upper() + name[1:]] = value
        speed = self._settings.speeds.get(speed_key(status.name, (device.name,)))
        facts["Speed in earlier runs"] = f"about {short(speed)} GCUPS" if speed else "not measured yet"
        layout = QGridLayout()
        arrange(layout, 0, (3, 0.5))
        # Two columns of facts: many of them, and short.
        half = -(-len(facts) // 2)
        for at, (name, value) in enumerate(facts.items()):
            row, column = at % half, 2 * (at // half)
            label, text = QLabel(name), QLabel(value)
            set_role(label, level="muted")
            keep_size(label, width=18)  # the values of all cards stand below each other
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            text.setWordWrap(True)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
            layout.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(text, row, column + 1)
        for column in (1, 3):
            layout.setColumnStretch(column, 1)
        return layout

    def _ticked(self, device: tuple[str, str], on: bool) -> None:
        before = chosen_devices(self._settings.search.run_on, self._statuses)
        self._choose(choice_of(with_device(before, device, on)))

    def _auto_clicked(self, on: bool) -> None:
        now = chosen_devices(self._settings.search.run_on, self._statuses)
        self._choose(DeviceChoice() if on else choice_of(now))

    def _choose(self, run_on: DeviceChoice) -> None:
        self._settings.search.run_on = run_on
        self.show_choice()
        self.choice_wanted.emit(run_on)

    def _memory_chosen(self) -> None:
        self._settings.devices.memory_percent = int(self._memory.currentData())
        self.changed.emit()

    def _ask_again(self) -> None:
        self._again.setEnabled(False)
        self.probe_wanted.emit()

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit("Copied.")


def note_of(facts: GpuFacts) -> str:
    """Say what users should know of a card: that it draws the display, and who else uses it."""
    parts = []
    if facts.display:
        parts.append("It also draws the display: the screen may stutter while it searches.")
    others = sorted((p for p in facts.processes if not p.own), key=lambda process: -process.memory)
    if others:
        named = [f"{p.name or f'process {p.pid}'}{f' ({p.memory / GIB:.1f} GiB)' if p.memory else ''}" for p in others]
        more = f" and {len(named) - OTHERS_NAMED} more" if len(named) > OTHERS_NAMED else ""
        parts.append(f"Also used by {', '.join(named[:OTHERS_NAMED])}{more}.")
    return " ".join(parts)
