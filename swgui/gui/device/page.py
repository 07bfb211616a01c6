"""The Device page: devices, settings, speed; a tab for each concern, a module for each tab."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QTabWidget, QWidget

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions, Kind
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep.data import made_up_query
from swgui.engines.base import EngineStatus, KernelUse
from swgui.engines.registry import kernel_use, of_kind
from swgui.gui.device.check import Findings, SelfCheckCard
from swgui.gui.device.list import DeviceList
from swgui.gui.device.settings import DeviceSettingsPanel
from swgui.gui.device.sweep.form import TYPICAL, Context
from swgui.gui.device.sweep.panel import SweepPanel
from swgui.gui.device.tabs import make_tabs
from swgui.gui.inputs.device_options import by_hand
from swgui.gui.kit.layouts import in_column, scrolling
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import MakeEvents
from swgui.gui.live.watch import DeviceWatch
from swgui.gui.words import wording
from swgui.io.matrices import load_matrix
from swgui.jobs.doctor import examine
from swgui.jobs.sweep.in_use import InUse
from swgui.settings import Settings

USE_DELAY_MS = 400  # what is in use is asked for when nothing was changed for so long: it may compile
SEARCHING = "Wait until the search has ended."
Asked = tuple[int | None, int, str, str]  # residues of the query, whether it is alone, database, scoring
PAGE = "page"


class DevicePage(PageWidget):
    """Lists engines and devices, sets them up, measures and checks them."""

    probe_wanted = Signal()  # devices should be looked for again
    choice_wanted = Signal(object)  # searches should run on this `DeviceChoice`
    settings_changed = Signal()  # how devices are used has changed: settings, or what sweeps found
    checked = Signal(object)  # the self-check ended; a list of `Finding`
    message = Signal(str)  # for the status line

    def __init__(
        self,
        settings: Settings,
        parent: QWidget | None = None,
        *,
        check: MakeEvents = examine,
        watch: DeviceWatch | None = None,
        use: Callable[..., tuple[KernelUse, ...]] = kernel_use,
        sweeps: SweepPanel | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("devicePage")
        self._settings = settings
        self._statuses: tuple[EngineStatus, ...] = ()
        self._ask_use = use
        self._context: Callable[[], Context] = Context
        self._asked: Asked | None = None
        self._searching = False
        self.in_use: tuple[InUse, ...] = ()
        self.watch = watch or DeviceWatch(self)
        self._tasks = Tasks(self, threads=1)
        self.list = DeviceList(settings)
        self.check = SelfCheckCard(check=check)
        self.panel = DeviceSettingsPanel(settings)
        self.sweeps = sweeps or SweepPanel(self.watch)
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
    def findings(self) -> Findings:
        return self.check.findings

    def use_context(self, context: Callable[[], Context]) -> None:
        self._context = context
        self.sweeps.use_context(context)

    def show_engines(self, statuses: Iterable[EngineStatus]) -> None:
        before, self._statuses = self._statuses, tuple(statuses)
        self.list.show_engines(self._statuses)
        if before == self._statuses:  # only a measured speed is new
            return
        self.panel.show_engines(self._statuses)
        self.sweeps.show_engines(self._statuses)
        for tab in self.brought:
            tab.show_engines(self._statuses)
        self.watch.open(self._statuses)
        self._delay.start()

    def show_choice(self) -> None:
        """Show which devices searches use, after another choice on the Search page."""
        self.list.show_choice()

    def add_section(self, widget: QWidget, title: str = "Cluster") -> None:
        """Put something on a tab of its own, behind the others; it is as high as it needs to be."""
        tab = QWidget()
        in_column(widget, 1, spacing=0, parent=tab)
        self.tabs.addTab(_scrolled(tab), title)

    def set_searching(self, searching: bool) -> None:
        """Note whether a search runs: it and what is done here would slow each other down."""
        if searching != self._searching:
            self._searching = searching
            self._block()

    def run_check(self) -> None:
        """Show the tab of the devices and start the self-check there."""
        self.tabs.setCurrentIndex(0)
        self.check.run()

    def stop_check(self) -> None:
        self.check.stop()

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
        self.tabs.tabBar().setDrawBase(False)  # the pane draws its own line
        first = QWidget()
        in_column(self.list, self.check, 1, spacing=1.5, parent=first)
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
        self.sweeps.busy_changed.connect(lambda _busy: self._block())
        self.watch.opened.connect(self.list.show_monitor)
        self.watch.looked.connect(self.list.show_look)

    def _block(self) -> None:
        """One piece of work at a time: the self-check, a sweep, a search."""
        reason = SEARCHING if self._searching else ""
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
        """Ask in the background what the kernels in use take; compiling waits for searches and sweeps."""
        gpu = of_kind(self._statuses, Kind.GPU)
        if gpu is None or not gpu.available:
            self._show_use(())
            return
        if self._searching or self.sweeps.running:
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

    def _no_use(self, error: Exception) -> None:
        self._show_use((), wording.explain(error))


def _asked(context: Context) -> Asked:
    found = context.whole
    if found is None:
        return None, 0, "", ""
    query, database, scheme = found
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
        queries = (query,) * min(context.queries, 2)  # one alone is scored otherwise than one of many
        return ask(options, queries, scheme, database)
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    return ask(options, (made_up_query(TYPICAL),), scheme)


def _scrolled(widget: QWidget) -> QScrollArea:
    inside = QWidget()
    in_column(widget, margins=3, spacing=0, parent=inside)
    return scrolling(inside)
