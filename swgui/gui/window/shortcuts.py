"""The editor of keys: every command of the window, what its keys are, and which others have them."""

from __future__ import annotations

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QFont, QKeySequence
from PySide6.QtWidgets import QDialog, QKeySequenceEdit, QTableView, QWidget

from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import Index, PlainHead, RowTable
from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import described, line_edit, push_button, text_label
from swgui.gui.window.actions import ActionTable

HEADS = ("Command", "Menu", "Keys", "What it does")
KEYS = 2  # column
NATIVE = QKeySequence.SequenceFormat.NativeText
PORTABLE = QKeySequence.SequenceFormat.PortableText


class KeyModel(RowTable):
    """One row for each command."""

    def __init__(self, actions: ActionTable, changed: dict[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        self._changed = changed
        self.commands = list(actions.commands.values())
        self.heads = [PlainHead(title) for title in HEADS]

    def row_count(self) -> int:
        """Return the number of commands."""
        return len(self.commands)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | QFont | None:
        """Return one cell; keys that were changed are bold."""
        command = self.commands[index.row()]
        if role == Qt.ItemDataRole.FontRole and command.id in self._changed and index.column() == KEYS:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == KEYS:
            return f"{self._keys(command.id) or 'none'}{', changed' if command.id in self._changed else ''}"
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        plain = command.text.replace("&", "")
        menu = " › ".join(part.replace("&", "") for part in command.menu.split("/"))
        return (plain, menu, self._keys(command.id), command.tip)[index.column()]

    def _keys(self, identifier: str) -> str:
        return ", ".join(key.toString(NATIVE) for key in self._actions[identifier].shortcuts())

    def refresh(self) -> None:
        """Show keys that have changed."""
        self.dataChanged.emit(self.index(0, 0), self.index(len(self.commands) - 1, len(HEADS) - 1))


class ShortcutDialog(QDialog):
    """Changes keys at once; what it changes is kept in `changed`.

    Parameters
    ----------
    actions : ActionTable
    changed : dict of str to str
        Keys of the user's own (`ActionTable.use_keys`); changed in place.

    Signals
    -------
    keys_changed()
        Some command has other keys.
    """

    keys_changed = Signal()

    def __init__(self, actions: ActionTable, changed: dict[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutDialog")
        self.setWindowTitle("Keys")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = actions
        self._changed = changed
        self.model = KeyModel(actions, changed, self)
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self.model)
        self._shown.setFilterKeyColumn(-1)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        find = "Find a command or a key"
        self.search = line_edit(
            "shortcutSearch", does=self._shown.setFilterFixedString, hint=find, clear=True, accessible=find
        )
        self.table = row_table(
            QTableView(),
            "shortcutTable",
            "Commands and their keys",
            self._shown,
            single=True,
            rows=3,
            widths=(26, 18, 24),
        )
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show())
        self.edit = described(
            QKeySequenceEdit(),
            "shortcutEdit",
            "Click here and press the keys the command is to have",
            "New key of the command",
        )
        self.edit.setMaximumSequenceLength(1)
        self.edit.keySequenceChanged.connect(lambda _key: self._judge())
        self.set_button, self.none_button, self.usual_button, self.all_button, self.close_button = (
            push_button(name, text, tip, does, default=False)
            for name, text, tip, does in (
                ("shortcutSet", "Set", "Give the command this key", self.set_key),
                ("shortcutNone", "No key", "Let the command have no key", self.take_key),
                ("shortcutUsual", "Usual key", "Give the command the key it is shipped with", self.reset_key),
                ("shortcutReset", "Reset all", "Give every command its usual keys", self.reset),
                ("shortcutClose", "Close", "", self.accept),
            )
        )
        self.note = text_label(name="shortcutNote", wrap=True)
        in_column(
            self.search,
            (self.table, 1),
            in_row((self.edit, 1), self.set_button, self.none_button, self.usual_button),
            self.note,
            in_row(self.all_button, 1, self.close_button),
            margins=2,
            parent=self,
        )
        self.resize(grid(110), grid(80))
        self.table.selectRow(0)
        self._show()

    @property
    def command(self) -> str:
        """Id of the command chosen, empty for none."""
        index = self._shown.mapToSource(self.table.currentIndex())
        return self.model.commands[index.row()].id if index.isValid() else ""

    def choose(self, identifier: str) -> None:
        """Choose a command."""
        row = next(at for at, command in enumerate(self.model.commands) if command.id == identifier)
        index = self._shown.mapFromSource(self.model.index(row, 0))
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)

    def _show(self) -> None:
        """Show the key of the command chosen."""
        keys = self._actions[self.command].shortcuts() if self.command else []
        self.edit.blockSignals(True)
        self.edit.setKeySequence(keys[0] if keys else QKeySequence())
        self.edit.blockSignals(False)
        self._judge()

    def _judge(self) -> None:
        """Say whether the key belongs to another command."""
        key, command = self.edit.keySequence(), self.command
        rivals = self._actions.rivals(command, key) if command and not key.isEmpty() else []
        names = ", ".join(f"“{self._actions.commands[rival].text.replace('&', '')}”" for rival in rivals)
        self.note.setText(f"{key.toString(NATIVE)} belongs to {names}; Set takes it away from there." if rivals else "")
        set_role(self.note, tone="warning" if rivals else "")
        now = self._actions[command].shortcuts() if command else []
        self.edit.setEnabled(bool(command))
        self.set_button.setEnabled(bool(command) and not key.isEmpty() and key not in now)
        self.none_button.setEnabled(bool(now))
        self.usual_button.setEnabled(command in self._changed)
        self.all_button.setEnabled(bool(self._changed))

    def set_key(self) -> None:
        """Give the command the key typed, and take it from whatever had it."""
        key, command = self.edit.keySequence(), self.command
        for rival in self._actions.rivals(command, key):
            self._keep(rival, [other for other in self._actions[rival].shortcuts() if other != key])
        self._keep(command, [key])
        self._apply()

    def take_key(self) -> None:
        """Let the command have no key."""
        self._keep(self.command, [])
        self._apply()

    def reset_key(self) -> None:
        """Give the command its usual keys, and take them from whatever has them."""
        self._changed.pop(self.command, None)
        for key in self._actions.usual_keys(self.command):
            for rival in self._actions.rivals(self.command, key):
                self._keep(rival, [other for other in self._actions[rival].shortcuts() if other != key])
        self._apply()

    def reset(self) -> None:
        """Give every command its usual keys."""
        self._changed.clear()
        self._apply()

    def _keep(self, identifier: str, keys: list[QKeySequence]) -> None:
        if keys == self._actions.usual_keys(identifier):
            self._changed.pop(identifier, None)
        else:
            self._changed[identifier] = QKeySequence.listToString(keys, PORTABLE)

    def _apply(self) -> None:
        self._actions.use_keys(self._changed)
        self.model.refresh()
        self._show()
        self.keys_changed.emit()
