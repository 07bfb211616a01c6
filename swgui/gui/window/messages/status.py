"""The status bar: run, device, database, whether scores are verified, messages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QSystemTrayIcon, QWidget

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.engines.base import EngineStatus
from swgui.gui.kit import icons
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.runs.controller import SearchController
from swgui.gui.window.help import TextDialog, sections_text
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.words import wording
from swgui.jobs.check.device import SelfCheck, last_check
from swgui.settings import Settings

PARTIAL = "partial result"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the devices."""

    text: str  # for the badge
    tone: str  # ``success``, ``danger``, or empty
    details: list[tuple[str, str]]  # device and what its self-check found


def judge(statuses: tuple[EngineStatus, ...]) -> Verdict:
    """Look up the self-checks of all devices that can be used; reads a small file, so call it from a worker."""
    checks: list[tuple[str, SelfCheck | None]] = [
        (f"{device.name} ({status.name})", last_check(status.name, device))
        for status in statuses
        if status.available
        for device in status.devices
    ]
    details = [(name, _describe(check)) for name, check in checks]
    wrong = [name for name, check in checks if check is not None and not check.ok]
    if wrong:
        return Verdict(f"wrong scores: {wrong[0]}", "danger", details)
    if any(check is not None for _, check in checks):
        return Verdict("exact, verified ✓", "success", details)
    return Verdict("not verified yet", "", details)


def _describe(check: SelfCheck | None) -> str:
    if check is None:
        return "Not checked yet. It is checked by itself before its first search, in a moment."
    return "\n".join([check.describe(), *check.differences])


class VerifiedBadge(QPushButton):
    """Shows the verdict; a click asks for the details."""

    details_wanted = Signal(object)  # a list of (title, text)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("not verified yet", parent)
        self.setObjectName("verifiedBadge")
        self.setToolTip("Before its first search, every device scores stored examples and must get every score right")
        set_role(self, role="quiet")
        self._details: list[tuple[str, str]] = []
        self._verdict: Verdict | None = None
        self._partial = False
        self.clicked.connect(lambda: self.details_wanted.emit(self._details))

    def show_verdict(self, verdict: Verdict) -> None:
        self._details, self._verdict = verdict.details, verdict
        self._show()

    def show_partial(self, on: bool) -> None:
        """Say that the result in sight is a partial one, whatever is known of the devices."""
        if on != self._partial:
            self._partial = on
            self._show()

    def _show(self) -> None:
        verdict = self._verdict or Verdict("not verified yet", "", [])
        self.setText(PARTIAL if self._partial else verdict.text)
        set_role(self, tone="warning" if self._partial else verdict.tone)


VERIFIED = (
    "Every device scores stored examples before its first search and after every change of driver or version. "
    "A device that gets a single score wrong is not used."
)


class StatusStrip(QObject):
    """Fills the status bar of a window."""

    def __init__(self, window: QMainWindow, notifications: Notifications, tasks: Tasks) -> None:
        super().__init__(window)
        self._window = window
        self._notifications = notifications
        self._tasks = tasks
        self.run = text_label("", "statusRun", "The run in progress")
        self.preparing = text_label("", "statusPreparing")
        self._device = text_label("Looking for devices…", "statusDevice", "Devices that can be used")
        self._database = text_label("", "statusDatabase", "The chosen database")
        self.badge = VerifiedBadge()
        self.badge.details_wanted.connect(self._show_checks)
        self.messages = push_button(
            "statusMessages", "No messages", "Show all messages since the start (Ctrl+M)", role="quiet"
        )
        for widget in (self.run, self.preparing, self._device, self._database, self.badge, self.messages):
            window.statusBar().addPermanentWidget(widget)
        notifications.posted.connect(self._count)
        notifications.read.connect(self._count)

    def show_engines(self, statuses: tuple[EngineStatus, ...]) -> None:
        """Name the devices that "automatic" uses; all of them in the tool tip."""
        usable = next((status for status in statuses if status.available), None)
        self._device.setText(", ".join(device.name for device in usable.devices) if usable else "No device")
        names = [device.name for status in statuses if status.available for device in status.devices]
        self._device.setToolTip("\n".join(names))
        self.judge(statuses)

    def judge(self, statuses: tuple[EngineStatus, ...]) -> None:
        self._tasks.submit("verdict", lambda: judge(statuses), self.badge.show_verdict)

    def show_database(self, database: EncodedDatabase | None) -> None:
        self._database.setText(f"{database.name}: {words.count(len(database), 'sequence')}" if database else "")

    def _count(self, _message: object = None) -> None:
        unread, total = self._notifications.unread, len(self._notifications.messages)
        text = words.count(unread, "new message") if unread else words.count(total, "message")
        self.messages.setText(text if total else "No messages")

    def _show_checks(self, details: list[tuple[str, str]]) -> None:
        text = sections_text([("Exact", VERIFIED), *details])
        TextDialog("Exact, verified", text, self._window, (80, 50)).open()


LONG_SECONDS = 10.0  # what took less was waited for
SHOWN_MS = 20_000


class Attention(QObject):
    """Marks the window in the task bar, and after long runs sends a notification of the desktop."""

    def __init__(self, window: QMainWindow, controller: SearchController, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._began = time.monotonic()
        self._tray: QSystemTrayIcon | None = None
        self._away = QTimer(self)
        self._away.setSingleShot(True)
        self._away.setInterval(SHOWN_MS)
        self._away.timeout.connect(self.dismiss)
        controller.begun.connect(self._begun)
        controller.result_ready.connect(self._ended)
        controller.failed.connect(lambda error: self.call("The search failed.", wording.explain(error)))

    def set_wanted(self, on: bool) -> None:
        """Send notifications of the desktop from now on, or none."""
        self._settings.display.notify = on

    def _begun(self, _request: object) -> None:
        self._began = time.monotonic()

    def _ended(self, result: SearchResult) -> None:
        hits = sum(len(of_query.hits) for of_query in result.queries)
        ended = {"complete": "is complete", "stopped": "was stopped", "failed": "failed"}[result.state]
        where = result.database.name or "the database"
        self.call(f"The search {ended}.", f"{words.count(hits, 'hit')} in {where}.")

    def call(self, title: str, text: str, seconds: float | None = None) -> None:
        """Say that something has ended, as loudly as its length deserves.

        Parameters
        ----------
        seconds : float, optional
            How long it took; since the last run began if not given.
        """
        if self._window.isActiveWindow():
            return
        QApplication.alert(self._window)
        took = time.monotonic() - self._began if seconds is None else seconds
        if took >= LONG_SECONDS and self._settings.display.notify and supported():
            self._notify(title, text)

    def _notify(self, title: str, text: str) -> None:
        if self._tray is None:
            self._tray = make_tray(self, self._raise)
        self._tray.show()
        self._tray.showMessage(title, text, QSystemTrayIcon.MessageIcon.Information, SHOWN_MS)
        self._away.start()

    def _raise(self) -> None:
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        self.dismiss()

    def dismiss(self) -> None:
        self._away.stop()
        if self._tray is not None:
            self._tray.hide()


def supported() -> bool:
    return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()


def make_tray(parent: QObject, clicked: Callable[[], None]) -> QSystemTrayIcon:
    """Return an icon that can send notifications; it is shown only while there is one."""
    tray = QSystemTrayIcon(parent)
    tray.setIcon(icons.app_icon())
    tray.setToolTip("swgui")
    tray.messageClicked.connect(clicked)
    tray.activated.connect(lambda _reason: clicked())
    return tray
