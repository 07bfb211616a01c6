"""Order of the users of the devices.

Runs of every kind go before sweeps, estimates, compiling ahead and the folding server (`runs.holding`), and
every page that shows the devices gets their new state.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from swgui import paths
from swgui.core.devices import DeviceChoice
from swgui.core.engines import EngineOptions, Kind
from swgui.core.hits.encoding import encode_query
from swgui.engines.base import EngineStatus
from swgui.engines.registry import devices_of_kind
from swgui.gui.kit.pages import PageWidget
from swgui.gui.live.watch import DeviceWatch
from swgui.gui.runs.queue import RunQueue
from swgui.gui.search.page import SearchPage
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.window.messages.status import StatusStrip
from swgui.jobs.kind import kinds
from swgui.runs.holding import Holding
from swgui.runs.queue import ACTIVE

if TYPE_CHECKING:
    from swgui.gui.databases.page import DatabasesPage
    from swgui.gui.device.page import DevicePage
    from swgui.gui.device.sweep.form import Context
    from swgui.jobs.doctor import Finding
from collections.abc import Callable, Hashable
from functools import partial

from PySide6.QtWidgets import QLabel

from swgui.core.database import EncodedDatabase
from swgui.core.scoring import ScoringScheme
from swgui.engines import registry
from swgui.gui.kit.tasks.task import Task

Likely = tuple[ScoringScheme, EncodedDatabase]
log = logging.getLogger(__name__)
WHY = (
    "Kernels are compiled for the length of a query, the scoring and the GPU, once. "
    "Searches need not wait for this; it stops while one runs."
)


class Preparing(QObject):
    """Prepares the engine that "automatic" means, and reports it in a label.

    Parameters
    ----------
    likely : callable
        Gives the scoring scheme and the database of the Search page, or None while either is not known.
    """

    def __init__(self, label: QLabel, likely: Callable[[], Likely | None], parent: QObject) -> None:
        super().__init__(parent)
        self._label, self._likely = label, likely
        self._done: set[str] = set()
        self._current: str | None = None
        label.setToolTip(WHY)
        self._task = Task(self)
        self._task.part.connect(self._show)
        self._task.failed.connect(self._fail)
        self._task.finished.connect(self._finish)

    def start(self) -> None:
        """Resume after a stop; nothing if all is done."""
        likely = self._likely()
        if likely is None or self._task.busy:
            return
        scheme, database = likely
        key = f"{scheme.matrix.name} {scheme.gap_first} {scheme.gap_extend} {database.checksum}"
        if key not in self._done:
            self._current = key
            self._task.follow(partial(registry.prepare, "auto", scheme, database))

    @property
    def running(self) -> bool:
        return self._task.busy

    def stop(self) -> None:
        self._task.stop()

    def shutdown(self) -> None:
        self._task.shutdown()

    def _show(self, event: tuple[int, int]) -> None:
        done, total = event
        self._label.setText(f"Preparing the GPU program: {done} of {total}" if done < total else "")

    def _fail(self, error: Exception) -> None:
        # A search that needs the same kernel will show it to the user.
        log.warning("The GPU program could not be prepared: %s", error)
        self._done.add(self._current or "")

    def _finish(self, stopped: bool) -> None:
        self._label.setText("")
        if not stopped and self._current is not None:
            self._done.add(self._current)


class DeviceTraffic(QObject):
    """Listens to all users of devices.

    Parameters
    ----------
    window : Frame
        Has ``show_page``.
    """

    def __init__(
        self,
        window: Frame,
        search: SearchPage,
        holding: Holding,
        watch: DeviceWatch,
        queue: RunQueue,
        status: StatusStrip,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._search = search
        self._watch = watch
        self.holding = holding
        self._device: DevicePage | None = None
        self._queue, self._controller = queue, queue.controller
        self._computing: dict[int, str] = {}  # kinds of the runs that hold a device
        self._notifications = notifications
        self.engines: tuple[EngineStatus, ...] = ()
        self.preparing = Preparing(status.preparing, self._likely, self)
        search.database.opened.connect(self._prepare)
        search.engine.probed.connect(self.show_engines)
        self._controller.phase_changed.connect(search.show_phase)
        queue.changed.connect(self._runs_changed)
        holding.listen(self._held_changed)
        for name in window.pages.names:
            window.pages.once_made(name, partial(self._watch_runs, name))
        window.pages.once_made("device", self._device_made)
        window.pages.once_made("databases", self._tell_databases)

    def _watch_runs(self, name: str, page: PageWidget) -> None:
        """Let the runs of a page hold a device while they compute."""

        def look() -> None:
            active = [control.kind for control in page.runners if control.phase != "idle"]
            names = active or [kind.name for kind in kinds().values() if kind.page == name]
            self._hold(page, names[0] if names else "", page.holds_device and bool(names))

        page.states_changed.connect(look)

    def _hold(self, run: Hashable, kind: str, computes: bool) -> None:
        if computes:
            self.holding.take(run, kind)
        else:
            self.holding.give_back(run)

    def _device_made(self, device: DevicePage) -> None:
        from swgui.gui.device.cluster import ClusterPanel

        self._device = device
        search, cluster = self._search, self._window.pages.part(ClusterPanel)
        search.engine.changed.connect(device.show_choice)
        device.probe_wanted.connect(search.engine.probe_again)
        device.choice_wanted.connect(search.engine.choose)
        device.settings_changed.connect(lambda: search.engine.use_tuned(device.in_use))
        device.use_context(self._context)
        device.sweeps.wrong_found.connect(self._say_wrong)
        device.checked.connect(self._self_checked)
        cluster.offered.connect(search.engine.offer)
        cluster.choice_wanted.connect(self._use)
        self._controller.state_changed.connect(cluster.show_run)
        device.refuse(self.holding.refusal)
        if self.engines:
            device.show_engines(self.engines)

    def begin(self) -> None:
        """Look for devices; the window is on the screen now."""
        self._search.estimates.active = True
        self._search.estimates.busy = lambda: self.preparing.running or bool(self.holding.refusal)
        self._search.engine.probe()

    def shutdown(self) -> None:
        self.preparing.shutdown()

    @property
    def facts(self) -> dict[str, str]:
        return {
            f"engine {status.name}": ", ".join(d.name for d in status.devices) if status.available else status.reason
            for status in self.engines
        }

    def choice(self) -> tuple[str, EngineOptions]:
        chosen = self._search.engine.here()
        return chosen.engine, chosen.options

    def show_engines(self, statuses: tuple[EngineStatus, ...]) -> None:
        self.engines = statuses
        self._queue.use_engines(statuses)
        if self._device is None and paths.tuning_file().is_file():
            self._window.pages.ensure("device")  # it knows the settings from sweeps for these devices
        elif self._device is None:
            self._watch.open(statuses)
        else:
            self._device.show_engines(statuses)
        if "databases" in self._window.pages.widgets:
            self._tell_databases(cast("DatabasesPage", self._window.pages["databases"]))
        self._prepare()
        for status in statuses:
            log.info("Engine %s: %s", status.name, "ready" if status.available else status.reason)

    def measured(self) -> None:
        if self._device is not None:
            self._device.show_engines(self.engines)

    def _tell_databases(self, page: DatabasesPage) -> None:
        gpus = devices_of_kind(self.engines, Kind.GPU)
        page.set_gpu_memory(max((gpu.memory for gpu in gpus), default=0))

    def _runs_changed(self) -> None:
        """Let the runs that have begun hold their devices."""
        now = {run.id: run.kind for run in self._queue.runs if run.state in ACTIVE and not run.on}
        before, self._computing = self._computing, now
        for run in {**before, **now}:
            self._hold(run, now.get(run, ""), run in now)

    def _prepare(self) -> None:
        if self.holding.held:
            self.preparing.stop()
        elif self.engines:
            self.preparing.start()

    def _likely(self) -> Likely | None:
        scheme, database = self._search.scoring.scheme, self._search.database.database
        return None if scheme is None or database is None or self._search.database.away else (scheme, database)

    def _held_changed(self) -> None:
        if self._device is not None:
            self._device.refuse(self.holding.refusal)
        (self._search.estimates.pause if self.holding.held else self._search.estimates.resume)()
        self._prepare()

    def _say_wrong(self, text: str) -> None:
        hint = "No search uses these settings. Please report it: use Copy report in the Help menu."
        self._notifications.post("danger", "A sweep met wrong scores.", text, hint)

    def _context(self) -> Context:
        from swgui.gui.device.sweep.form import Context

        page = self._search
        scheme, records = page.scoring.scheme, page.query.records
        query = encode_query(records[0], scheme) if scheme is not None and records and page.ready else None
        if not page.ready:
            return Context(query)
        files = page.database.paths
        source = str(files[0]) if len(files) == 1 else ""
        begins = str(page.query.whole_file or "") if query is not None else ""
        if page.database.away:  # its sequences are not here
            return Context(query, None, scheme, len(records), "", begins)
        return Context(query, page.database.database, scheme, len(records), source, begins)

    def _use(self, run_on: DeviceChoice) -> None:
        self._window.show_page("search")
        self._search.engine.choose(run_on)

    def _self_checked(self, findings: list[Finding]) -> None:
        for finding in findings:
            log.info("Self-check, %s: %s %s", finding.topic, finding.message, finding.hint)
            if finding.level == "problem":
                self._notifications.post("danger", f"Self-check, {finding.topic}", finding.message, finding.hint)
