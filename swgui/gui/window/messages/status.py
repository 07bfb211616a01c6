"""The status bar, and the notice of the desktop that a long run has ended."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QSystemTrayIcon

from swgui.core import words
from swgui.core.hits.results import SearchResult
from swgui.gui.kit.theme import app_icon
from swgui.gui.kit.widgets import push_button, text_label, tool_button
from swgui.gui.runs.queue import SearchController
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.words import wording
from swgui.settings import Settings

LONG_SECONDS = 10.0  # the user waits for shorter jobs
SHOWN_MS = 20_000  # a notification


class StatusStrip(QObject):
    """Fills the status bar of a window: the current run, and messages."""

    def __init__(self, window: QMainWindow, notifications: Notifications) -> None:
        super().__init__(window)
        self._notifications = notifications
        self._run = text_label("", "statusRun", "The run in progress")
        self.stop = tool_button("statusStop", "Stop", "Stop the run and keep the scores so far (Ctrl+.)", icon="stop")
        self.stop.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.stop.hide()
        self.preparing = text_label("", "statusPreparing")
        self.messages = push_button("statusMessages", "", "Show all messages since the start (Ctrl+M)", role="quiet")
        for widget in (self._run, self.stop, self.preparing, self.messages):
            window.statusBar().addPermanentWidget(widget)
        self.messages.hide()
        notifications.posted.connect(self._count)
        notifications.read.connect(self._count)

    def show_run(self, text: str) -> None:
        """Show the progress of a run; empty for none."""
        self._run.setText(text)
        self.stop.setVisible(bool(text))

    def _count(self, _message: object = None) -> None:
        unread, total = self._notifications.unread, len(self._notifications.messages)
        text = words.count(unread, "new message") if unread else words.count(total, "message")
        self.messages.setText(text)
        self.messages.setVisible(bool(total))


class Attention(QObject):
    """Marks the window in the task bar, and after long runs sends a notification of the desktop."""

    def __init__(self, window: QMainWindow, controller: SearchController, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._began = time.monotonic()
        self._tray: QSystemTrayIcon | None = None
        self._dismissing = QTimer(self)
        self._dismissing.setSingleShot(True)
        self._dismissing.setInterval(SHOWN_MS)
        self._dismissing.timeout.connect(self.dismiss)
        controller.begun.connect(self.begun)
        controller.result_ready.connect(self.ended)
        controller.failed.connect(lambda error: self.call("The search failed.", wording.explain(error)))

    def set_wanted(self, on: bool) -> None:
        """Send notifications of the desktop from now on, or none."""
        self._settings.display.notify = on

    def begun(self, _request: object) -> None:
        self._began = time.monotonic()

    def ended(self, result: SearchResult) -> None:
        hits = sum(len(of_query.hits) for of_query in result.queries)
        ended = {"complete": "is complete", "stopped": "was stopped", "failed": "failed"}[result.state]
        where = result.database.name or "the database"
        self.call(f"The search {ended}.", f"{words.count(hits, 'hit')} in {where}.")

    def call(self, title: str, text: str, seconds: float | None = None) -> None:
        """Announce the end of a job; the longer it took, the more prominently.

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
        self._dismissing.start()

    def _raise(self) -> None:
        show = self._window.showNormal if self._window.isMinimized() else self._window.show
        show()
        self._window.raise_()
        self._window.activateWindow()
        self.dismiss()

    def dismiss(self) -> None:
        self._dismissing.stop()
        if self._tray is not None:
            self._tray.hide()


def supported() -> bool:
    """Whether the desktop takes notifications."""
    return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()


def make_tray(parent: QObject, clicked: Callable[[], None]) -> QSystemTrayIcon:
    """Return an icon that can send notifications; it is shown only while there is one."""
    tray = QSystemTrayIcon(parent)
    tray.setIcon(app_icon())
    tray.setToolTip("swgui")
    tray.messageClicked.connect(clicked)
    tray.activated.connect(lambda _reason: clicked())
    return tray
