"""The devices of this computer: what each of them is and does, and which of them searches use."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from swgui.core.devices import DeviceChoice
from swgui.core.engines import Kind
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.monitor import GpuFacts, MonitorStatus
from swgui.engines.registry import devices_of_kind, facts
from swgui.gui.device.sweep.explain import short
from swgui.gui.inputs.device_options import choice_of, chosen_devices, with_device
from swgui.gui.kit.layouts import card, in_column, in_grid, in_row
from swgui.gui.kit.theme import keep_size
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    push_button,
    text_label,
)
from swgui.gui.live.watch import Look, describe
from swgui.jobs.doctor import PACKAGES
from swgui.settings import Settings, speed_key

SHARES = (0, 20, 40, 60, 70, 80, 90)  # percent of the memory of a GPU; 0: the engine's own choice
OTHERS_NAMED = 4
GIB = 2**30
INTRO = (
    "Every device gives the same scores; they differ in speed only. Ticked devices work on a search together; the "
    "reference engine works alone."
)


class DeviceList(QWidget):
    """Cards of all devices, and of engines that cannot be used with the reason."""

    probe_wanted = Signal()  # devices should be looked for again
    choice_wanted = Signal(object)  # searches should run on this `DeviceChoice`
    message = Signal(str)  # for the status line
    changed = Signal()  # the share of memory changed

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._statuses: tuple[EngineStatus, ...] = ()
        self._ticks: dict[tuple[str, str], QCheckBox] = {}
        self._live: dict[str, QLabel] = {}
        self._notes: dict[str, QLabel] = {}
        self._shown: list[QWidget] = []
        self._build()

    def show_engines(self, statuses: Iterable[EngineStatus]) -> None:
        self._statuses = tuple(statuses)
        self._again.setEnabled(True)
        for shown in self._shown:
            self._cards.removeWidget(shown)
            shown.hide()
            shown.deleteLater()
        self._shown, self._ticks, self._live, self._notes = [], {}, {}, {}
        for status in self._statuses:
            if not status.available or not status.devices:
                self._shown.append(self._card(status, None))
            for device in status.devices if status.available else ():
                self._shown.append(self._card(status, device))
        for shown in self._shown:
            self._cards.addWidget(shown)
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
        for device, reading in look.readings.items():
            if device in self._live:
                self._live[device].setText(describe(reading))
        for device, found in look.facts.items():
            if device in self._notes:
                text = note_of(found)
                self._notes[device].setText(text)
                self._notes[device].setVisible(bool(text))

    def _build(self) -> None:
        self._again = push_button(
            "deviceAgain",
            "Check again",
            "Look once more for devices, for example after a driver was installed",
            self._ask_again,
            icon="refresh",
        )
        self._again.setEnabled(False)
        self._auto = check_box(
            "deviceAuto",
            "Choose the fastest device automatically",
            "Let the program choose the fastest device that is ready",
        )
        self._auto.clicked.connect(self._auto_clicked)
        self._no_monitor = text_label(name="noMonitor", wrap=True, selectable=True, tone="warning")
        self._no_monitor.hide()
        waiting = text_label("Looking for devices…", level="muted")
        self._cards = in_column(waiting, spacing=1.5)
        self._shown = [waiting]
        in_column(
            in_row((text_label("Devices", level="title"), 1), self._again),
            text_label(INTRO, wrap=True, level="muted"),
            in_row(self._auto, self._build_memory(), 1, spacing=4),
            self._no_monitor,
            self._cards,
            spacing=1.5,
            parent=self,
        )

    def _build_memory(self) -> QWidget:
        share = self._settings.devices.memory_percent
        shares = SHARES if share in SHARES else (*SHARES, share)
        self._memory = combo_box(
            "memoryShare",
            "How much of a GPU's memory a database may take. What does not fit is sent to the GPU part by part.",
            self._memory_chosen,
            items=[(f"{part} %" if part else "automatic", part) for part in shares],
            chosen=share,
        )
        self._memory_row = QWidget()
        in_row(text_label("GPU memory for databases", buddy=self._memory), self._memory, parent=self._memory_row)
        self._memory_row.hide()
        return self._memory_row

    def _card(self, status: EngineStatus, device: DeviceInfo | None) -> QFrame:
        engine = facts(status.name)
        kind, about = engine.title, engine.about
        name = text_label(f"{kind}: {device.name}" if device else kind, plain=True, level="heading")
        ready = status.available
        state = text_label("✓ ready" if ready else "not available", tone="success" if ready else "warning")
        head = in_row(name, (state, 1), spacing=2)
        layout = in_column(head)
        if device is None:
            self._explain(layout, status, head)
        else:
            head.addWidget(self._tick(status, device, name.text()))
            layout.addLayout(self._facts(status, device))
            self._add_live(layout, status, device)
        layout.addWidget(text_label(about, wrap=True, level="muted"))
        return card(f"device-{status.name}-{device.id if device else 'none'}", layout)

    def _tick(self, status: EngineStatus, device: DeviceInfo, name: str) -> QCheckBox:
        tick = check_box(
            f"use-{status.name}-{device.id}",
            "Use for searches",
            "The same choice as under Run on, on the Search page",
            accessible=f"Use {name} for searches",
        )
        # The lambda names its argument: Qt gives a partial none.
        tick.clicked.connect(lambda on, key=(status.name, device.id): self._ticked(key, on))
        self._ticks[status.name, device.id] = tick
        return tick

    def _add_live(self, layout: QVBoxLayout, status: EngineStatus, device: DeviceInfo) -> None:
        kind = facts(status.name).kind
        if kind is Kind.REFERENCE or device.id in self._live:
            return
        live = text_label(name=f"live-{status.name}-{device.id}", wrap=True, accessible="How it is doing now")
        self._live[device.id] = live
        layout.addWidget(live)
        if kind is Kind.GPU:
            note = text_label(name=f"note-{status.name}-{device.id}", wrap=True, plain=True, tone="warning")
            note.hide()
            self._notes[device.id] = note
            layout.addWidget(note)

    def _explain(self, layout: QVBoxLayout, status: EngineStatus, head: QHBoxLayout) -> None:
        for text in (status.reason, status.hint):
            if text:
                layout.addWidget(text_label(text, wrap=True, plain=True, selectable=True))
        if status.hint:
            does = partial(self._copy, status.hint)
            head.addWidget(
                push_button(f"copyHint-{status.name}", "Copy the advice", "", does, icon="copy", role="quiet")
            )

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
        layout = in_grid(spacing=(3, 0.5), stretch=(0, 1, 0, 1))
        # Two columns of facts: many of them, and short.
        half = -(-len(facts) // 2)
        for at, (name, value) in enumerate(facts.items()):
            row, column = at % half, 2 * (at // half)
            label = text_label(name, level="muted")
            keep_size(label, width=18)  # the values of all cards stand below each other
            text = text_label(value, plain=True, wrap=True, selectable=True)
            text.setAlignment(Qt.AlignmentFlag.AlignTop)
            layout.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(text, row, column + 1)
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
    """Say what users should know of a GPU: that it draws the display, and who else uses it."""
    parts = []
    if facts.display:
        parts.append("It also draws the display: the screen may stutter while it searches.")
    others = sorted((p for p in facts.processes if not p.own), key=lambda process: -process.memory)
    if others:
        named = [f"{p.name or f'process {p.pid}'}{f' ({p.memory / GIB:.1f} GiB)' if p.memory else ''}" for p in others]
        more = f" and {len(named) - OTHERS_NAMED} more" if len(named) > OTHERS_NAMED else ""
        parts.append(f"Also used by {', '.join(named[:OTHERS_NAMED])}{more}.")
    return " ".join(parts)
