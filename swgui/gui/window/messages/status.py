"""The status bar: run, device, database, whether scores are verified, messages."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.engines.base import EngineStatus
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.window.help.dialog import TextDialog, sections_text
from swgui.gui.window.messages.badge import VerifiedBadge, judge
from swgui.gui.window.messages.notifications import Notifications

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
        """Say whether the scores of the devices were checked."""
        self._tasks.submit("verdict", lambda: judge(statuses), self.badge.show_verdict)

    def show_database(self, database: EncodedDatabase | None) -> None:
        """Name the database."""
        self._database.setText(f"{database.name}: {words.count(len(database), 'sequence')}" if database else "")

    def _count(self, _message: object = None) -> None:
        unread, total = self._notifications.unread, len(self._notifications.messages)
        text = words.count(unread, "new message") if unread else words.count(total, "message")
        self.messages.setText(text if total else "No messages")

    def _show_checks(self, details: list[tuple[str, str]]) -> None:
        text = sections_text([("Exact", VERIFIED), *details])
        TextDialog("Exact, verified", text, self._window, (80, 50)).open()
