"""Shows runs: the activity dock, the status line, messages about the end; learns the speed of devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QDockWidget

from swgui.core import words
from swgui.core.hits.results import SearchResult
from swgui.core.translation.programs import shifting
from swgui.gui.inputs.engine import tunable
from swgui.gui.live.run_state import RunState
from swgui.gui.runs.queue import SearchController
from swgui.gui.window import look
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.window.messages.status import StatusStrip
from swgui.gui.words import wording
from swgui.jobs.search.estimate import settings_of
from swgui.jobs.search.request import SearchRequest
from swgui.settings import Settings

if TYPE_CHECKING:
    from swgui.gui.runs.panel import RunPanel

DOCK_DELAY_MS = 300  # the dock does not open for shorter runs
SPEED_CELLS = 10_000_000  # shorter runs do not measure the speed of a device
SPEED_SECONDS = 0.05


class RunView(QObject):
    """Listens to the controller and reports to the user."""

    def __init__(
        self,
        controller: SearchController,
        panel: Callable[[], RunPanel],
        dock: QDockWidget,
        status: StatusStrip,
        notifications: Notifications,
        settings: Settings,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._controller, self._panel, self._dock, self._status = controller, panel, dock, status
        self._notifications, self._settings = notifications, settings
        self._opened_dock = False
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(DOCK_DELAY_MS)
        self._delay.timeout.connect(self._open_dock)
        controller.begun.connect(self._begun)
        controller.phase_changed.connect(self._phase_changed)
        controller.state_changed.connect(self._show_state)
        controller.result_ready.connect(self._ended)
        controller.failed.connect(self._failed)
        controller.pause_changed.connect(lambda on: panel().show_paused(on))
        controller.stopped.connect(self._stopped)

    def toggle_dock(self) -> None:
        """Show or hide the dock; it keeps the user's choice from now on."""
        self._opened_dock = False
        look.toggle(self._dock)

    def close(self) -> None:
        self._delay.stop()

    def _begun(self, request: SearchRequest) -> None:
        self._panel().begin(request)
        self._delay.start()

    def _stopped(self) -> None:
        if left := self._controller.left:
            self._panel().end("Left, continues there", "warning")
            self._notifications.post("warning", "The search was left.", left)
        elif self._controller.began:  # and did not end while it waited for its device
            self._panel().end("Stopped before anything was scored.", "warning")

    def _open_dock(self) -> None:
        if self._controller.active and self._dock.isHidden():
            self._opened_dock = True
            look.reveal(self._dock)

    def _phase_changed(self, phase: str) -> None:
        if phase == "stopping":
            self._panel().stopping()
        if phase in ("idle", "waiting"):
            self._status.show_run("Search waits" if phase == "waiting" else "")

    def _show_state(self, state: RunState) -> None:
        self._panel().show_state(state)
        if self._controller.phase == "stopping":
            self._panel().stopping()
        share = "" if state.fraction is None else wording.progress(state.fraction, 1.0)
        self._status.show_run(f"{state.stage_name} {share}".rstrip())

    def _ended(self, result: SearchResult) -> None:
        if result.state == "complete":
            self._complete(result)
        else:
            self._partial(result)
        if self._opened_dock:
            self._dock.hide()
        self._opened_dock = False

    def _complete(self, result: SearchResult) -> None:
        speed = f", {result.gcups:,.1f} GCUPS" if result.seconds and result.gcups >= 0.05 else ""  # too short to say
        self._panel().end(f"Done in {words.duration(result.seconds)}{speed}", "success", result)
        if result.message:
            self._notifications.post("warning", "The search is complete, with a warning.", result.message)
        elif self._tells_speed(result) and not self._own_settings():
            self._settings.remember_speed(result.engine, result.devices, result.gcups)

    @staticmethod
    def _tells_speed(result: SearchResult) -> bool:
        """Whether a run was long enough to measure its device, with the kernels of most searches."""
        long = result.cells_done >= SPEED_CELLS and result.seconds >= SPEED_SECONDS
        return long and not shifting(result.translation)

    def _own_settings(self) -> bool:
        """Whether the user set the options of the device: then the speed is not the device's default speed."""
        request = self._controller.request
        return request is not None and tunable(request.search.engine) and bool(settings_of(request.search.options))

    def _partial(self, result: SearchResult) -> None:
        if rounds := max((len(query.rounds) for query in result.queries if query.rounds is not None), default=0):
            self._rounds_before(result, rounds)
            return
        share = wording.progress(result.cells_done, result.cells_total)
        self._panel().end(f"Partial: {share} scored, kept", "warning", result)
        if result.state == "failed":
            self._notifications.post("danger", f"The search ended at {share}.", result.message)
        else:
            text = f"{share} is scored. The Results page shows it, and Resume there scores the rest."
            self._notifications.post("info", "The search was stopped.", text)

    def _rounds_before(self, result: SearchResult, rounds: int) -> None:
        self._panel().end(f"{words.count(rounds, 'round')} done, kept", "warning", result)
        failed = result.state == "failed"
        title = f"The search {'ended' if failed else 'was stopped'} after {words.count(rounds, 'round')}."
        resume = " Resume there runs the rest." if result.run_id else ""
        text = f"The Results page shows the last whole round.{resume} {result.message if failed else ''}".strip()
        self._notifications.post("danger" if failed else "info", title, text)

    def _failed(self, error: Exception) -> None:
        self._panel().end("Failed", "danger")
        self._notifications.error(error)
