"""The status bar: run, device, database, whether scores are verified, messages."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton

from swgui.core.database import EncodedDatabase
from swgui.engines.base import EngineStatus
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.kit.theme import set_role
from swgui.gui.window.help.dialog import TextDialog, sections_text
from swgui.gui.window.messages.badge import VerifiedBadge, judge
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.words import wording

VERIFIED = (
    "Every device scores stored examples before its first search and after every change of driver or version. "
    "A device that gets a single score wrong is not used."
)


class StatusStrip(QObject):
    """Fills the status bar of a window."""

    def __init__(self, window: QMainWindow, notifications: Notifications, short_jobs: ShortJobs) -> None:
        super().__init__(window)
        self._window = window
        self._notifications = notifications
        self._jobs = short_jobs
        self.run = QLabel()
        self.preparing = QLabel()
        self._device = QLabel("Looking for devices…")
        self._database = QLabel()
        self.badge = VerifiedBadge()
        self.badge.details_wanted.connect(self._show_checks)
        self.messages = QPushButton("No messages")
        set_role(self.messages, role="quiet")
        for widget, name, tip in (
            (self.run, "statusRun", "The run that goes on"),
            (self.preparing, "statusPreparing", ""),
            (self._device, "statusDevice", "Devices that can be used"),
            (self._database, "statusDatabase", "The chosen database"),
            (self.badge, "", ""),
            (self.messages, "statusMessages", "Show all messages since the start (Ctrl+M)"),
        ):
            if name:
                widget.setObjectName(name)
                widget.setToolTip(tip)
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
        self._jobs.submit("verdict", lambda: judge(statuses), self.badge.show_verdict)

    def show_database(self, database: EncodedDatabase | None) -> None:
        """Name the database."""
        self._database.setText(f"{database.name}: {wording.count(len(database), 'sequence')}" if database else "")

    def _count(self, _message: object = None) -> None:
        unread, total = self._notifications.unread, len(self._notifications.messages)
        text = wording.count(unread, "new message") if unread else wording.count(total, "message")
        self.messages.setText(text if total else "No messages")

    def _show_checks(self, details: list[tuple[str, str]]) -> None:
        text = sections_text([("Exact", VERIFIED), *details])
        TextDialog("Exact, verified", text, self._window, (80, 50)).open()
