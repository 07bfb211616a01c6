"""A colour scheme of one's own: groups of residues with their colours, and a word on what is hard to read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QColorDialog,
    QDialog,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from swgui.core.errors import SwguiError
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.widgets import described, line_edit, push_button, text_label
from swgui.gui.viewer.residues.color_vision import text_on
from swgui.gui.viewer.residues.schemes import (
    ColorGroup,
    ColorScheme,
    darkened,
    editable,
    own_folder,
    own_key,
    scheme_warnings,
    write_scheme,
)
from swgui.paths import make_folder

NAME, RESIDUES, LIGHT, DARK = range(4)
HEADS = ("Group", "Residues", "Colour", "In dark windows")
NEW_COLOUR = "#999999"
MAX_WARNINGS = 6
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


class ColorSchemeDialog(QDialog):
    """Edits the groups of a scheme and saves it under a name of its own."""

    saved = Signal(object)  # the `ColorScheme` that was written

    def __init__(self, scheme: ColorScheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("colorSchemeDialog")
        self.setWindowTitle("Colour scheme")
        self._start = editable(scheme)
        by_residue = self._start.rule == "residue"
        own = scheme.key.startswith("own:")
        self.title = line_edit("schemeTitle", does=self._check, text=scheme.title if own else f"My {scheme.title}")
        self.table = self._make_table()
        self.table.setColumnHidden(RESIDUES, not by_residue)
        self.add = push_button("schemeAdd", "Add a group", does=self._add_group)
        self.remove = push_button("schemeRemove", "Remove the group", does=self._remove_group)
        for button in (self.add, self.remove):
            button.setVisible(by_residue)
        self.colour = push_button("schemeColour", "Choose a colour…", does=self.choose_colour)
        self.verdict = text_label(name="schemeVerdict", wrap=True)
        self.verdict.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.verdict.setMinimumHeight(theme.grid(16))
        self.save_button = push_button("schemeSave", "Save and use", does=self.save, role="primary", default=True)
        self.cancel_button = push_button("schemeCancel", "Cancel", does=self.reject)
        in_column(
            in_row(text_label("&Name", buddy=self.title), self.title),
            (self.table, 1),
            in_row(self.add, self.remove, self.colour, 1),
            self.verdict,
            in_row(1, self.cancel_button, self.save_button),
            margins=2,
            parent=self,
        )
        self.table.setCurrentCell(0, NAME)
        self._check()
        self.resize(theme.grid(74), theme.grid(68))

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(HEADS))
        described(
            table,
            "schemeGroups",
            "Colours as #RRGGBB. An empty colour for dark windows is made from the other.",
            "Groups of the colour scheme",
        )
        table.setHorizontalHeaderLabels(HEADS)
        table.verticalHeader().hide()
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setWordWrap(False)
        theme.keep_size(table, rows=3)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (NAME, RESIDUES):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column in (LIGHT, DARK):
            header.resizeSection(column, theme.grid(16))
        for group in self._start.groups:
            derived = darkened(group.light) == group.dark
            _add_row(table, group.name, group.residues, group.light, "" if derived else group.dark)
        table.itemChanged.connect(self._check)
        table.itemDoubleClicked.connect(lambda item: self.choose_colour() if item.column() >= LIGHT else None)
        return table

    # -- the groups --------------------------------------------------------------------------------

    def _add_group(self) -> None:
        _add_row(self.table, "new group", "", NEW_COLOUR, "")
        self.table.setCurrentCell(self.table.rowCount() - 1, NAME)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._check()

    def _remove_group(self) -> None:
        self.table.removeRow(self.table.currentRow())
        self._check()

    def set_cell(self, row: int, column: int, text: str) -> None:
        """Write into the table, as typing does."""
        self.table.model().setData(self.table.model().index(row, column), text)

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
        blocker = QSignalBlocker(self.table)
        for row in range(self.table.rowCount()):
            light = self._cell(row, LIGHT)
            for column in (LIGHT, DARK):
                item = self.table.item(row, column)
                if item is None:
                    continue
                shown = self._cell(row, column) or (darkened(light) if _COLOUR.fullmatch(light) else "")
                if _COLOUR.fullmatch(shown):
                    item.setBackground(QColor(shown))
                    item.setForeground(QColor(text_on(shown)))
                else:
                    item.setData(Qt.ItemDataRole.BackgroundRole, None)
                    item.setData(Qt.ItemDataRole.ForegroundRole, None)
        blocker.unblock()

    def save(self) -> None:
        """Write the scheme into the user's folder, tell and close."""
        scheme = self.scheme()
        try:
            path = self._path(scheme.key)
            make_folder(path.parent)
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


def _add_row(table: QTableWidget, *texts: str) -> None:
    row = table.rowCount()
    table.insertRow(row)
    for column, text in enumerate(texts):
        table.setItem(row, column, QTableWidgetItem(text))


def _key(title: str) -> str:
    """Return the name of a scheme's file, without its ending."""
    return re.sub(r"[^\w-]+", "_", title.strip()).strip("_") or "scheme"
