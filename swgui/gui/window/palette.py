"""The command palette: type a few letters of any command and run it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import described, line_edit, text_label
from swgui.gui.window.actions import ActionTable

LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(QDialog):
    """Lists the commands that contain every word typed."""

    def __init__(self, actions: ActionTable, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("commandPalette")
        self.setWindowTitle("Find a command")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(grid(70), grid(50))
        self._actions = actions
        self.box = line_edit(
            "paletteBox", does=self._fill, entered=self._run, hint="Type a command", accessible="Command to find"
        )
        self.box.installEventFilter(self)
        self.list = described(QTreeWidget(), "paletteList", accessible="Commands")
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemClicked.connect(lambda *_: self._run())
        self.list.currentItemChanged.connect(self._describe)
        self._tip = text_label(level="small", wrap=True)
        in_column(self.box, self.list, self._tip, margins=1.5, parent=self)
        self._fill("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move in the list while one types."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in LIST_KEYS:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _fill(self, text: str) -> None:
        words = text.lower().split()
        self.list.clear()
        # Commands that say the words themselves come before those whose explanation has them.
        found = sorted(
            self._actions.commands.items(),
            key=lambda entry: not all(word in entry[1].plain_text.lower() for word in words),
        )
        for identifier, command in found:
            action = self._actions[identifier]
            place = f"{command.menu}/{command.plain_text}".replace("&", "")
            if identifier == "palette" or not all(word in f"{place} {command.tip}".lower() for word in words):
                continue
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            item = QTreeWidgetItem(self.list, [place.replace("/", " › "), keys])
            item.setData(0, Qt.ItemDataRole.UserRole, action)
            item.setDisabled(not action.isEnabled())
            if self.list.currentItem() is None and action.isEnabled():
                self.list.setCurrentItem(item)
        self._describe()

    def _action(self) -> QAction | None:
        item = self.list.currentItem()
        return item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None

    def _describe(self) -> None:
        action = self._action()
        self._tip.setText(action.statusTip() if action else "No command has these words.")

    def _run(self) -> None:
        action = self._action()
        if action is not None and action.isEnabled():
            self.accept()
            action.trigger()
