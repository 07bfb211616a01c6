"""The program's log, in a dock and in fault reports."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from swgui.gui.kit.theme import fixed_font
from swgui.gui.window.messages.notifications import Notifications

LINES = 2_000
FORMAT = "%(asctime)s  %(levelname)-7s %(name)s: %(message)s"


class _Lines(QObject):
    line = Signal(str)


class LogBridge(logging.Handler):
    """Brings log records of any thread to the window's thread."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter(FORMAT, "%H:%M:%S"))
        self.lines = _Lines()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.lines.line.emit(self.format(record))
        except RuntimeError:  # the window is gone while a thread still writes
            logging.getLogger().removeHandler(self)


class LogView(QPlainTextEdit):
    """Shows the newest lines of the log."""

    def __init__(self, notifications: Notifications, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("logView")
        self.setToolTip("What the program noted while it worked; part of a fault report")
        self.setAccessibleName("Log")
        self.setPlaceholderText("What the program notes while it works appears here.")
        self.setReadOnly(True)
        self.setMaximumBlockCount(LINES)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(fixed_font())
        self._notifications = notifications
        self._bridge = LogBridge()
        self._bridge.lines.line.connect(self._add, Qt.ConnectionType.QueuedConnection)
        self._logger = logging.getLogger("swgui")
        self._level = self._logger.level
        self._logger.setLevel(logging.INFO)
        self._logger.addHandler(self._bridge)

    def detach(self) -> None:
        self._logger.removeHandler(self._bridge)
        self._logger.setLevel(self._level)

    def _add(self, line: str) -> None:
        self._notifications.log_lines.extend(line.splitlines())
        self.appendPlainText(line)
