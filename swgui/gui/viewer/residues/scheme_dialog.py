"""A colour scheme of one's own: groups of residues with their colours, and a word on what is hard to read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QColorDialog,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import SwguiError
from swgui.gui.kit import theme
from swgui.gui.viewer.residues.color_vision import text_on
from swgui.gui.viewer.residues.coloring import (
    ColorGroup,
    ColorScheme,
    darkened,
    editable,
    own_folder,
    own_key,
    scheme_warnings,
    write_scheme,
)

NAME, RESIDUES, LIGHT, DARK = range(4)
HEADS = ("Group", "Residues", "Colour", "In dark windows")
NEW_COLOUR = "#999999"
MAX_WARNINGS = 6
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


class ColorSchemeDialog(QDialog):
    """Edits the groups of a scheme and saves it under a name of its own.

    Signals
    -------
    saved(object)
        The `ColorScheme` that was written.
    """

    saved = Signal(object)

    def __init__(self, scheme: ColorScheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("colorSchemeDialog")
        self.setWindowTitle("Colour scheme")
        self._start = editable(scheme)
        own = scheme.key.startswith("own:")
        self.title = QLineEdit(scheme.title if own else f"My {scheme.title}")
        self.title.setObjectName("schemeTitle")
        self.title.textChanged.connect(self._check)
        title_label = QLabel("&Name")
        title_label.setBuddy(self.title)
        self.table = QTableWidget(0, len(HEADS))
        self.table.setObjectName("schemeGroups")
        self.table.setAccessibleName("Groups of the colour scheme")
        self.table.setHorizontalHeaderLabels(HEADS)
        self.table.verticalHeader().hide()
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setWordWrap(False)
        theme.keep_size(self.table, rows=3)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (NAME, RESIDUES):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column in (LIGHT, DARK):
            header.resizeSection(column, theme.grid(16))
        self.table.setToolTip("Colours as #RRGGBB. An empty colour for dark windows is made from the other.")
        self.table.setColumnHidden(RESIDUES, self._start.rule != "residue")
        for group in self._start.groups:
            derived = darkened(group.light) == group.dark
            self._add_row(group.name, group.residues, group.light, "" if derived else group.dark)
        self.table.itemChanged.connect(self._check)
        self.table.itemDoubleClicked.connect(lambda item: self.choose_colour() if item.column() >= LIGHT else None)
        self.add = QPushButton("Add a group")
        self.add.setObjectName("schemeAdd")
        self.add.clicked.connect(self._add_group)
        self.remove = QPushButton("Remove the group")
        self.remove.setObjectName("schemeRemove")
        self.remove.clicked.connect(self._remove_group)
        self.colour = QPushButton("Choose a colour…")
        self.colour.setObjectName("schemeColour")
        self.colour.clicked.connect(self.choose_colour)
        for button in (self.add, self.remove):
            button.setVisible(self._start.rule == "residue")
        self.verdict = QLabel()
        self.verdict.setObjectName("schemeVerdict")
        self.verdict.setWordWrap(True)
        self.verdict.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.verdict.setMinimumHeight(theme.grid(16))
        self.save_button = QPushButton("Save and use")
        self.save_button.setObjectName("schemeSave")
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(self.save)
        theme.set_role(self.save_button, role="primary")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setObjectName("schemeCancel")
        self.cancel_button.clicked.connect(self.reject)

        head = QHBoxLayout()
        tools = QHBoxLayout()
        foot = QHBoxLayout()
        for line, widgets in (
            (head, (title_label, self.title)),
            (tools, (self.add, self.remove, self.colour)),
            (foot, (self.cancel_button, self.save_button)),
        ):
            theme.arrange(line, spacing=1)
            if line is foot:
                line.addStretch(1)
            for widget in widgets:
                line.addWidget(widget)
            if line is tools:
                line.addStretch(1)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 2, 1)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        layout.addLayout(tools)
        layout.addWidget(self.verdict)
        layout.addLayout(foot)
        self.table.setCurrentCell(0, NAME)
        self._check()
        self.resize(theme.grid(74), theme.grid(68))

    # -- the groups --------------------------------------------------------------------------------

    def _add_row(self, *texts: str) -> None:
        row = self.table.rowCount()
        self.table.insertRow(row)
        for column, text in enumerate(texts):
            self.table.setItem(row, column, QTableWidgetItem(text))

    def _add_group(self) -> None:
        self._add_row("new group", "", NEW_COLOUR, "")
        self.table.setCurrentCell(self.table.rowCount() - 1, NAME)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._check()

    def _remove_group(self) -> None:
        self.table.removeRow(self.table.currentRow())
        self._check()

    def set_cell(self, row: int, column: int, text: str) -> None:
        """Write into the table, as typing does."""
        self.table.item(row, column).setText(text)

    def choose_colour(self) -> QColorDialog:
        """Open a dialog with the colour of the current group and return it."""
        row, column = self.table.currentRow(), max(self.table.currentColumn(), LIGHT)
        dialog = QColorDialog(self)
        dialog.setOption(QColorDialog.ColorDialogOption.DontUseNativeDialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = self._cell(row, column) or self._cell(row, LIGHT)
        dialog.setCurrentColor(QColor(shown if _COLOUR.fullmatch(shown) else NEW_COLOUR))
        dialog.colorSelected.connect(lambda colour: self.set_cell(row, column, colour.name().upper()))
        dialog.open()
        return dialog

    def _cell(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text().strip() if item is not None else ""

    # -- what it makes -----------------------------------------------------------------------------

    def problem(self) -> str:
        """Say why the scheme cannot be saved; empty if it can."""
        if not self.title.text().strip():
            return "Give the scheme a name."
        key = _key(self.title.text())
        if own_key(replace(self._start, key=key)) != self._start.key and self._path(key).exists():
            return "Another scheme of yours has this name."
        if not self.table.rowCount():
            return "Add at least one group."
        seen: dict[str, str] = {}
        for row in range(self.table.rowCount()):
            name = self._cell(row, NAME)
            if not name:
                return f"Give group {row + 1} a name."
            for column in (LIGHT, DARK):
                colour = self._cell(row, column)
                if not _COLOUR.fullmatch(colour) and (colour or column == LIGHT):
                    return f"The colour “{colour}” of “{name}” is not of the form #RRGGBB."
            for residue in self._cell(row, RESIDUES).upper():
                if not ("A" <= residue <= "Z" or residue == "*"):
                    return f"“{residue}” in “{name}” is not a residue."
                if residue in seen:
                    return f"The residue {residue} is in “{seen[residue]}” and in “{name}”."
                seen[residue] = name
        return ""

    def scheme(self) -> ColorScheme:
        """Return the scheme as it is now."""
        groups = []
        for row in range(self.table.rowCount()):
            name, residues, light, dark = (self._cell(row, column) for column in range(len(HEADS)))
            light = light.upper()
            groups.append(ColorGroup(name, residues.upper(), light, dark.upper() or darkened(light)))
        title = self.title.text().strip()
        return replace(self._start, key=_key(title), title=title, origin="A scheme of your own.", groups=tuple(groups))

    def _check(self) -> None:
        problem = self.problem()
        self.save_button.setEnabled(not problem)
        self._paint_cells()
        if problem:
            theme.set_role(self.verdict, tone="warning")
            self.verdict.setText(problem)
            return
        warnings = scheme_warnings(self.scheme())
        more = [f"… and {len(warnings) - MAX_WARNINGS} more."] if len(warnings) > MAX_WARNINGS else []
        theme.set_role(self.verdict, tone="warning" if warnings else "")
        good = "Residues are readable on every colour, and the colours differ for all kinds of colour vision."
        self.verdict.setText("\n".join([*warnings[:MAX_WARNINGS], *more]) or good)

    def _paint_cells(self) -> None:
        """Show each colour behind its name."""
        self.table.blockSignals(True)
        for row in range(self.table.rowCount()):
            light = self._cell(row, LIGHT)
            for column in (LIGHT, DARK):
                item = self.table.item(row, column)
                shown = self._cell(row, column) or (darkened(light) if _COLOUR.fullmatch(light) else "")
                valid = item is not None and _COLOUR.fullmatch(shown)
                if valid:
                    item.setBackground(QColor(shown))
                    item.setForeground(QColor(text_on(shown)))
                elif item is not None:
                    item.setData(Qt.ItemDataRole.BackgroundRole, None)
                    item.setData(Qt.ItemDataRole.ForegroundRole, None)
        self.table.blockSignals(False)

    def save(self) -> None:
        """Write the scheme into the user's folder, tell and close."""
        scheme = self.scheme()
        try:
            path = self._path(scheme.key)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_scheme(scheme, path)
        except (SwguiError, OSError) as error:
            theme.set_role(self.verdict, tone="warning")
            self.verdict.setText(str(error))
            return
        self.saved.emit(replace(scheme, key=own_key(scheme)))
        self.accept()

    @staticmethod
    def _path(key: str) -> Path:
        return own_folder() / f"{key}.json"


def _key(title: str) -> str:
    """Return the name of a scheme's file, without its ending."""
    return re.sub(r"[^\w-]+", "_", title.strip()).strip("_") or "scheme"
