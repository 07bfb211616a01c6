"""The Device page: devices, settings, speed; a tab for each concern, a module for each tab."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from swgui.core.alphabet import PROTEIN
from swgui.core.devices import DeviceChoice
from swgui.core.engines import EngineOptions, Kind
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep.data import synthetic_query
from swgui.core.words import count
from swgui.engines.base import DeviceInfo, EngineStatus, KernelUse
from swgui.engines.monitor import GpuFacts, MonitorStatus
from swgui.engines.registry import devices_of_kind, facts, kernel_use, of_kind
from swgui.gui.device.settings import DeviceSettingsPanel
from swgui.gui.device.sweep.drawings import short
from swgui.gui.device.sweep.form import TYPICAL, Context
from swgui.gui.device.sweep.panel import SweepPanel
from swgui.gui.device.tabs import make_tabs
from swgui.gui.inputs.device_options import by_hand, choice_of, chosen_devices, with_device
from swgui.gui.kit.layouts import card, in_column, in_grid, in_row, scrolling
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tables.row_table import Index, ListTable, Role, RowColumn, row_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import MakeEvents, Task
from swgui.gui.kit.theme import colours, keep_size, set_role
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    push_button,
    text_label,
)
from swgui.gui.live.watch import DeviceWatch, Look, describe
from swgui.gui.words import wording
from swgui.io.matrices import load_matrix
from swgui.io.tuning import InUse
from swgui.jobs.check.device import last_check
from swgui.jobs.doctor import PACKAGES, Finding, examine
from swgui.runs import Runs
from swgui.runs.plain import Kept
from swgui.settings import Settings, speed_key

SHARES = (0, 20, 40, 60, 70, 80, 90)  # percent of the memory of a GPU; 0: the engine's own choice
OTHERS_NAMED = 4
GIB = 2**30
INTRO = (
    "Every device gives the same scores; they differ in speed only. Ticked devices work on a search together; the "
    "reference engine works alone."
)
LEVELS = {"fine": ("✓ fine", "success"), "note": ("• note", "warning"), "problem": ("✗ problem", "danger")}
SELF_CHECK = (
    "Searches the sample on every engine and compares each score with that of an independent program; "
    "looks at packages, folders and the display, too. Run it after you install a driver."
)
SPEED = 2  # place of the tab of sweeps
USE_DELAY_MS = 400  # the settings in use are computed after this time without a change: it may compile
Asked = tuple[int | None, int, str, str]  # residues of the query, whether it is alone, database, scoring
PAGE = "page"


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
        for device, measured in look.facts.items():
            if device in self._notes:
                text = note_of(measured)
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
            "How much of a GPU's memory a database may take. A larger one is sent to the GPU part by part.",
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
        # The lambda names its argument: Qt passes none to a partial.
        tick.clicked.connect(lambda on, key=(status.name, device.id): self._ticked(key, on))
        self._ticks[status.name, device.id] = tick
        return tick

    def _add_live(self, layout: QVBoxLayout, status: EngineStatus, device: DeviceInfo) -> None:
        kind = facts(status.name).kind
        if kind not in (Kind.GPU, Kind.CPU) or device.id in self._live:
            return
        live = text_label(name=f"live-{status.name}-{device.id}", wrap=True, accessible="Its current state")
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
            facts["Memory"] = f"{device.memory / GIB:.1f}\N{NO-BREAK SPACE}GiB"
        if device.free_memory:
            facts["Free memory"] = f"{device.free_memory / GIB:.1f}\N{NO-BREAK SPACE}GiB"
        for name, value in device.facts.items():
            facts[name if name in PACKAGES or name[:2].isupper() else name[:1].upper() + name[1:]] = value
        speed = self._settings.speeds.get(speed_key(status.name, (device.name,)))
        facts["Speed in earlier runs"] = f"about {short(speed)} GCUPS" if speed else "not measured yet"
        layout = in_grid(spacing=(2, 0.5), stretch=(0, 1, 0, 1))
        # Two columns of facts: many of them, and short.
        half = -(-len(facts) // 2)
        for index, (name, value) in enumerate(facts.items()):
            row, column = index % half, 2 * (index // half)
            label = text_label(name, level="muted")
            keep_size(label, width=18)  # the values of all cards are aligned below each other
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
    """Return sentences about a GPU: whether it draws the display, and which other programs use it."""
    parts = []
    if facts.display:
        parts.append("It also draws the display: the screen may stutter while it searches.")
    others = sorted((p for p in facts.processes if not p.own), key=lambda process: -process.memory)
    if others:
        named = [f"{p.name or f'process {p.pid}'}{f' ({p.memory / GIB:.1f} GiB)' if p.memory else ''}" for p in others]
        more = f" and {len(named) - OTHERS_NAMED} more" if len(named) > OTHERS_NAMED else ""
        parts.append(f"Also used by {', '.join(named[:OTHERS_NAMED])}{more}.")
    return " ".join(parts)


class Findings(ListTable[Finding]):
    """Results of the self-check so far."""

    def __init__(self) -> None:
        super().__init__(
            [
                RowColumn("Topic", "", lambda finding: finding.topic),
                RowColumn("State", "", lambda finding: LEVELS[finding.level][0]),
                RowColumn("Finding", "", lambda finding: " ".join(filter(None, (finding.message, finding.hint)))),
            ]
        )

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if role == Role.ToolTipRole:
            role = Role.DisplayRole
        if role == Role.ForegroundRole and index.column() == 1:
            return QColor(getattr(colours(QGuiApplication.palette()), LEVELS[self.rows[index.row()].level][1]))
        return super().data(index, role)


class SelfCheckCard(QFrame):
    """Runs the self-check and lists its findings."""

    checked = Signal(object)  # the self-check ended; a list of `Finding`

    def __init__(self, parent: QWidget | None = None, *, check: MakeEvents = examine) -> None:
        super().__init__(parent)
        set_role(self, role="card")
        self.check = check
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
        """Set the reason why it cannot start now; empty if it can."""
        self._blocked = reason
        self._show_buttons()

    def run(self) -> None:
        """Start the self-check; nothing happens while it runs or is blocked."""
        if self.checking or self._blocked:
            return
        self.findings.clear()
        self._table.show()
        self._say("Checking…")
        self._task.follow(self.check)
        self._show_buttons()

    def stop(self) -> None:
        """End the self-check early; its results so far stay, and `checked` reports it."""
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
            QTableView(), "selfCheckFindings", "Findings of the self-check", self.findings, rows=2.75, widths=(20, 14)
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
            number = len(self.findings.rows)
            verb = "is a problem" if counts["problem"] == 1 else "are problems"
            self._say(f"{counts['problem']} of {count(number, 'finding')} {verb}.", "danger")
        elif self.findings.rows:
            notes = f", {counts['note']} of them worth a look" if counts["note"] else ""
            self._say(f"No problem in {count(len(self.findings.rows), 'finding')}{notes}.", "success")
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


class DevicePage(PageWidget):
    """Lists engines and devices, sets them up, measures and checks them."""

    probe_wanted = Signal()  # devices should be looked for again
    choice_wanted = Signal(object)  # searches should run on this `DeviceChoice`
    settings_changed = Signal()  # how devices are used has changed: settings, or what sweeps found
    checked = Signal(object)  # the self-check ended; a list of `Finding`

    def __init__(
        self,
        settings: Settings,
        parent: QWidget | None = None,
        *,
        check: MakeEvents = examine,
        watch: DeviceWatch | None = None,
        use: Callable[..., tuple[KernelUse, ...]] = kernel_use,
        runs: Runs | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("devicePage")
        self._settings = settings
        self._statuses: tuple[EngineStatus, ...] = ()
        self._ask_use = use
        self._context: Callable[[], Context] = Context
        self._asked: Asked | None = None
        self._refusal = ""  # why nothing can be measured now
        self.in_use: tuple[InUse, ...] = ()
        self.watch = watch or DeviceWatch(self)
        self._tasks = Tasks(self, threads=1)
        self.list = DeviceList(settings)
        self.check = SelfCheckCard(check=check)
        self.panel = DeviceSettingsPanel(settings)
        self.sweeps = SweepPanel(runs or Runs())
        self.control = self.sweeps.control
        self.brought = make_tabs()
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(USE_DELAY_MS)
        self._delay.timeout.connect(self._find_use)
        self._build()
        self._connect()

    @property
    def checking(self) -> bool:
        return self.check.checking

    @property
    def running(self) -> bool:
        return self.sweeps.running

    def states(self) -> set[str]:
        if self.running:
            return {"sweep-running"}
        return {"sweep-there"} if self.sweeps.result is not None else set()

    def queue(self) -> None:
        """Run the sweep of the Speed tab after the runs that wait."""
        self._show_speed()
        self.sweeps.queue()

    def copy_command(self) -> None:
        """Copy the command that runs the sweep of the Speed tab."""
        self._show_speed()
        text, first = self.sweeps.command()
        if text:
            QGuiApplication.clipboard().setText(text)
            self.message.emit(f"Copied the command line. {first}".rstrip())

    def export(self) -> None:
        """Write the sweep that is shown as a table."""
        self._show_speed()
        self.sweeps.card.ask_table()

    def take_outcome(self, outcome: Kept) -> None:
        self._show_speed()
        self.sweeps.take(outcome)

    def _show_speed(self) -> None:
        self.tabs.setCurrentIndex(SPEED)

    @property
    def findings(self) -> Findings:
        return self.check.findings

    def use_context(self, context: Callable[[], Context]) -> None:
        self._context = context
        self.sweeps.use_context(context)

    def show_engines(self, statuses: Iterable[EngineStatus]) -> None:
        before, self._statuses = self._statuses, tuple(statuses)
        self.list.show_engines(self._statuses)
        self._tasks.submit("verified", partial(self_checks, self._statuses), self._show_verified)
        if before == self._statuses:  # only a measured speed changes
            return
        self.panel.show_engines(self._statuses)
        self.sweeps.show_engines(self._statuses)
        for tab in self.brought:
            tab.show_engines(self._statuses)
        self.watch.open(self._statuses)
        self._delay.start()

    @property
    def finding_use(self) -> bool:
        """Whether the use of the GPU by the next search is to be computed."""
        return self._delay.isActive()

    def show_choice(self) -> None:
        """Show which devices searches use, after another choice on the Search page."""
        self.list.show_choice()

    def add_section(self, widget: QWidget, title: str = "Cluster") -> None:
        """Put something on a tab of its own, behind the others; it is as high as it needs to be."""
        tab = QWidget()
        in_column(widget, 1, spacing=0, parent=tab)
        self.tabs.addTab(_scrolled(tab), title)

    def refuse(self, reason: str) -> None:
        """Set the reason why nothing can be measured now: a run of the user computes. Empty if none does."""
        if reason != self._refusal:
            self._refusal = reason
            self._block()

    def run_check(self) -> None:
        self.tabs.setCurrentIndex(0)
        self.check.run()

    def shutdown(self) -> None:
        self._delay.stop()
        self.check.shutdown()
        self.sweeps.shutdown()
        self._tasks.shutdown()
        self.watch.shutdown()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.watch.want(PAGE, True)
        if self._asked is not None and self._asked != _asked(self._context()):
            self._delay.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.watch.want(PAGE, False)

    def _build(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setObjectName("deviceTabs")
        self.tabs.setDocumentMode(True)
        bar = self.tabs.tabBar()
        bar.setDrawBase(False)  # the pane draws its own line
        bar.setUsesScrollButtons(False)
        bar.setElideMode(Qt.TextElideMode.ElideRight)
        first = QWidget()
        self.verified = text_label(name="deviceVerified", wrap=True, plain=True)
        in_column(self.list, self.verified, self.check, 1, spacing=1.5, parent=first)
        for title, widget in (
            ("Devices", first),
            ("Settings", self.panel),
            ("Speed", self.sweeps),
            *((tab.title, tab) for tab in self.brought),
        ):
            self.tabs.addTab(_scrolled(widget), title)
        in_column(self.tabs, margins=(0, 0.75, 0, 0), spacing=0, parent=self)

    def _connect(self) -> None:
        self.list.probe_wanted.connect(self.probe_wanted)
        self.list.choice_wanted.connect(self.choice_wanted)
        self.list.changed.connect(self.settings_changed)
        for part in (self.list, self.panel, self.sweeps):
            part.message.connect(self.message)
        self.check.checked.connect(self.checked)
        self.panel.changed.connect(self._set_by_hand)
        for tab in self.brought:
            self.sweeps.shown.connect(tab.show_sweep)
        self.sweeps.in_use_changed.connect(self._tuned)
        self.sweeps.busy_changed.connect(self._sweeping)
        self.sweeps.tiles.measured.connect(self.probe_wanted)
        self.sweeps.card.changed.connect(self.states_changed)
        self.sweeps.queue_wanted.connect(self.queue_wanted)
        self.watch.opened.connect(self.list.show_monitor)
        self.watch.looked.connect(self.list.show_look)

    def _sweeping(self, _busy: bool) -> None:
        self._block()
        self.states_changed.emit()

    def _block(self) -> None:
        reason = self._refusal
        self.sweeps.block(reason)
        self.check.block(reason or ("Wait until the sweep has ended." if self.sweeps.running else ""))

    def _tuned(self, in_use: tuple[InUse, ...]) -> None:
        if in_use != self.in_use:
            self.in_use = in_use
            self.settings_changed.emit()

    def _set_by_hand(self) -> None:
        self._delay.start()
        self.settings_changed.emit()

    def _find_use(self) -> None:
        """Find in the background the resources of the kernels in use; compiling waits for searches and sweeps."""
        gpu = of_kind(self._statuses, Kind.GPU)
        if gpu is None or not gpu.available:
            self._show_use(())
            return
        if self._refusal or self.sweeps.running:
            self._delay.start()
            return
        devices = tuple(device.id for device in gpu.devices[:1])
        options = EngineOptions(devices, 0, by_hand(self._settings.devices, gpu.name))
        context = self._context()
        self._asked = _asked(context)
        self.panel.show_query(_in_use_for(context, gpu.devices[0].name))
        ask = partial(self._ask_use, gpu.name)
        self._tasks.submit("use", partial(_uses, ask, options, context), self._show_use, self._no_use)

    def _show_use(self, uses: tuple[KernelUse, ...], problem: str = "") -> None:
        self.panel.show_use(uses, problem)
        for tab in self.brought:
            tab.show_use(uses)

    def _show_verified(self, verdict: tuple[str, str]) -> None:
        text, tone = verdict
        self.verified.setText(text)
        set_role(self.verified, tone=tone)

    def _no_use(self, error: Exception) -> None:
        self._show_use((), wording.explain(error))


def self_checks(statuses: tuple[EngineStatus, ...]) -> tuple[str, str]:
    """Return the result of the self-checks of all usable devices, and its tone; reads a small file, for a worker."""
    checks = [
        (f"{device.name} ({status.name})", last_check(status.name, device))
        for status in statuses
        if status.available
        for device in status.devices
    ]
    lines = ["Every device scores stored examples before its first search; one with a single wrong score is not used."]
    for name, check in checks:
        lines.append(check.describe() if check is not None else f"{name}: not checked yet.")
        lines += check.differences if check is not None else ()
    wrong = any(check is not None and not check.ok for _, check in checks)
    right = any(check is not None for _, check in checks)
    return "\n".join(lines), "danger" if wrong else "success" if right else ""


def _asked(context: Context) -> Asked:
    whole = context.whole
    if whole is None:
        return None, 0, "", ""
    query, database, scheme = whole
    return len(query), min(context.queries, 2), database.checksum, scheme.describe()


def _in_use_for(context: Context, device: str) -> str:
    if context.whole is not None:
        query, database, _ = context.whole
        return (
            f"These hold for the first query of the Search page ({len(query):,} residues) "
            f"in {database.name} on {device}."
        )
    return f"These hold for a query of {TYPICAL} residues with BLOSUM62 in a large database on {device}."


def _uses(ask: Callable[..., tuple[KernelUse, ...]], options: EngineOptions, context: Context) -> tuple[KernelUse, ...]:
    if context.whole is not None:
        query, database, scheme = context.whole
        queries = (query,) * min(context.queries, 2)  # a single query is scored differently from many
        return ask(options, queries, scheme, database)
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    return ask(options, (synthetic_query(TYPICAL),), scheme)


def _scrolled(widget: QWidget) -> QScrollArea:
    inside = QWidget()
    in_column(widget, margins=3, spacing=0, parent=inside)
    return scrolling(inside)
