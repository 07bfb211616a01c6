"""Messages for the user: a list that stays, and short notes at the edge of the window."""

from __future__ import annotations

import logging
import platform
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

import swgui
from swgui.core.errors import SwguiError
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import Part, in_column, in_row, in_splitter
from swgui.gui.kit.theme import colours, fixed_font, grid, icon, icon_pixmap, set_role
from swgui.gui.kit.widgets import described, push_button, text_label, text_view, tool_button
from swgui.gui.words import wording

Level = Literal["info", "success", "warning", "danger"]
ICONS = {"info": "info", "success": "check", "warning": "warning", "danger": "error"}
WORDS = {"info": "Note", "success": "Done", "warning": "Warning", "danger": "Error"}
KEPT = 200
LOG_LINES = 200
NOTE_MS = {"info": 6_000, "success": 6_000, "warning": 20_000}  # until notes close; errors stay until closed
NOTE_WIDTH = 52  # in grid units, at most
LINES = 2_000
FORMAT = "%(asctime)s  %(levelname)-7s %(name)s: %(message)s"


@dataclass(frozen=True, slots=True)
class Action:
    """A button on a note: its text, and its action."""

    text: str
    does: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Message:
    """One message: the event, its meaning, and the details for a report."""

    level: Level
    title: str
    text: str = ""
    details: str = ""
    at: float = field(default_factory=time.time)
    action: Action | None = None

    @property
    def clock(self) -> str:
        return time.strftime("%H:%M:%S", time.localtime(self.at))


class Notifications(QObject):
    """Every message since the start."""

    posted = Signal(object)  # a new `Message`
    withdrawn = Signal(object)  # a `Message` that holds no more; the list keeps it
    read = Signal()  # the user opened the list

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.messages: deque[Message] = deque(maxlen=KEPT)
        self.log_lines: deque[str] = deque(maxlen=LOG_LINES)
        self.facts: Callable[[], dict[str, str]] = dict
        self.unread = 0

    def post(
        self, level: Level, title: str, text: str = "", details: str = "", *, action: Action | None = None
    ) -> Message:
        message = Message(level, title, text, details, action=action)
        self.messages.append(message)
        self.unread += 1
        self.posted.emit(message)
        return message

    def withdraw(self, message: Message) -> None:
        """Take the note of a message away that holds no more; the list keeps the message."""
        self.withdrawn.emit(message)

    def error(self, error: BaseException, title: str = "") -> None:
        """Show an exception: its own sentence for an error of swgui, a fault of the program for any other."""
        details = "".join(traceback.format_exception(error))
        if isinstance(error, SwguiError):
            log = getattr(error, "log", "")
            self.post("danger", title or error.message, error.hint if not title else str(error), log or details)
        elif isinstance(error, OSError | MemoryError):
            self.post("danger", title or "The computer could not do this.", wording.explain(error), details)
        else:
            text = f"{type(error).__name__}: {error}. The window can still be used; please report this."
            self.post("danger", title or "The program met an internal error.", text, details)

    def mark_read(self) -> None:
        self.unread = 0
        self.read.emit()

    def report(self, message: Message | None = None) -> str:
        """Return a text for a fault report: versions, devices and the log, no sequence data."""
        lines = [f"swgui {swgui.__version__}", f"Python {sys.version.split()[0]}", platform.platform()]
        lines += [f"{name}: {value}" for name, value in self.facts().items()]
        if message is not None:
            lines += ["", f"{WORDS[message.level]} at {message.clock}: {message.title}", message.text, message.details]
        lines += ["", f"Last {len(self.log_lines)} lines of the log:", *self.log_lines]
        return "\n".join(lines)


class Note(QFrame):
    """One message at the edge of the window."""

    closed = Signal()  # the note closes
    details_wanted = Signal()  # the user wants the details

    def __init__(self, message: Message, parent: QWidget) -> None:
        super().__init__(parent)
        self.message = message
        self.setObjectName("note")
        self.setAccessibleName(f"{WORDS[message.level]}: {message.title} {message.text}")
        set_role(self, role="note", tone=message.level)
        self._sign = QLabel()
        self._sign.setObjectName("noteSign")
        self._draw_sign()
        text = text_label(message.text, wrap=True, plain=True)
        text.setVisible(bool(message.text))
        parts: list[Part] = [text_label(message.title, level="heading", wrap=True, plain=True), text]
        if message.details:
            parts.append(
                (push_button("", "Details…", does=self.details_wanted, role="quiet"), Qt.AlignmentFlag.AlignLeft)
            )
        if message.action is not None:
            does = message.action.does
            button = push_button("noteAction", message.action.text, does=self.closed)
            button.clicked.connect(lambda: does())
            parts.append((button, Qt.AlignmentFlag.AlignLeft))
        close = tool_button("", tip="Close", does=self.closed, icon="close", accessible="Close this message")
        top = Qt.AlignmentFlag.AlignTop
        in_row(
            (self._sign, top), (in_column(*parts, spacing=0.5), 1), (close, top), margins=(1.5, 1, 1, 1), parent=self
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_sign"):
            self._draw_sign()

    def _draw_sign(self) -> None:
        level = self.message.level
        colour = getattr(colours(self), {"info": "accent"}.get(level, level))
        self._sign.setPixmap(icon_pixmap(ICONS[level], colour, grid(2.5), self.devicePixelRatioF()))


class NoteStack(QWidget):
    """Shows the newest messages over the lower right corner of its parent."""

    LIMIT = 3

    def __init__(self, notifications: Notifications, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setObjectName("noteStack")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self._notifications = notifications
        self.lift: Callable[[], int] = lambda: 0  # pixels to stay clear of at the lower edge
        self._layout = in_column(parent=self)
        self.notes: list[Note] = []
        notifications.posted.connect(self._add)
        notifications.withdrawn.connect(self._withdraw)
        parent.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.place()
        return super().eventFilter(watched, event)

    def clear(self) -> None:
        """Take all notes away; the list keeps them."""
        for note in list(self.notes):
            self._remove(note)

    def _add(self, message: Message) -> None:
        note = Note(message, self)
        note.closed.connect(lambda: self._remove(note))
        note.details_wanted.connect(lambda: self._open_list(note))
        self.notes.append(note)
        self._layout.addWidget(note)
        while len(self.notes) > self.LIMIT:
            self._remove(self.notes[0])
        if message.level in NOTE_MS:
            timer = QTimer(note)
            timer.setSingleShot(True)
            timer.timeout.connect(lambda: self._remove(note))
            timer.start(NOTE_MS[message.level])
        self.show()
        self.place()

    def _withdraw(self, message: Message) -> None:
        for note in [note for note in self.notes if note.message is message]:
            self._remove(note)

    def _remove(self, note: Note) -> None:
        if note in self.notes:
            self.notes.remove(note)
            self._layout.removeWidget(note)
            note.hide()
            note.deleteLater()
        self.setVisible(bool(self.notes))
        self.place()

    def _open_list(self, note: Note) -> None:
        message = note.message
        self._remove(note)
        dialog = MessageList(self._notifications, self.window())
        dialog.choose(message)
        dialog.open()

    def place(self) -> None:
        """Move to the corner; call it when `lift` gives another number."""
        if not self.notes:
            return
        # The height of wrapped text follows from the fixed width of the notes.
        for note in self.notes:
            note.setFixedWidth(min(grid(NOTE_WIDTH), max(self._over.width() - grid(4), grid(20))))
        height = sum(note.heightForWidth(note.width()) for note in self.notes)
        height += self._layout.spacing() * (len(self.notes) - 1)
        parent, margin = self._over, grid(2)
        width = self.notes[0].width()
        top = max(0, parent.height() - height - margin - self.lift())
        self.setGeometry(parent.width() - width - margin, top, width, height)
        self.raise_()


class MessageList(Dialog):
    """All messages, with details and a report to copy."""

    def __init__(self, notifications: Notifications, parent: QWidget | None = None) -> None:
        super().__init__("messageList", "Messages", parent, size=(100, 60))
        self._notifications = notifications
        self._list = described(QListWidget(), "messages", accessible="Messages, newest first")
        self._list.setWordWrap(True)
        self._text = text_view("messageDetails", "Details of the message", wrap=True)
        shades = colours(self)
        for message in reversed(notifications.messages):
            item = QListWidgetItem(f"{message.clock}  {WORDS[message.level]}: {message.title}")
            item.setIcon(icon(ICONS[message.level], shades))
            item.setData(Qt.ItemDataRole.UserRole, message)
            self._list.addItem(item)
        empty = text_label("No messages. Messages of the program stay here.", level="muted")
        empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        split = in_splitter(Qt.Orientation.Vertical, self._list, self._text, collapsible=True)
        split.setVisible(bool(notifications.messages))
        empty.setVisible(not notifications.messages)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy_button = buttons.addButton("Copy report", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.setToolTip("Copy versions, devices, this message and the log; no sequences")
        self.copy_button.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        in_column((split, 1), (empty, 1), buttons, margins=2, parent=self)
        self._list.currentItemChanged.connect(self._show)
        self._list.setCurrentRow(0)
        notifications.mark_read()

    def choose(self, message: Message) -> None:
        for row in range(self._list.count()):
            if self._list.item(row).data(Qt.ItemDataRole.UserRole) is message:
                self._list.setCurrentRow(row)

    def _message(self) -> Message | None:
        item = self._list.currentItem()
        return item.data(Qt.ItemDataRole.UserRole) if item else None

    def _show(self) -> None:
        message = self._message()
        if message is not None:
            parts = (message.title, message.text, message.details)
            self._text.setPlainText("\n\n".join(part for part in parts if part))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._notifications.report(self._message()))
        self.copy_button.setText("Copied")


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
        self.setToolTip("The log of the program; part of a fault report")
        self.setAccessibleName("Log")
        self.setPlaceholderText("The log of the program appears here.")
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
