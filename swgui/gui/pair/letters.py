"""The residues of a long alignment around the cursor, with the way to a position and to the clipboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from swgui.core.records import SequenceRecord
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import check_box, combo_box, described, line_edit, push_button, text_label
from swgui.gui.viewer.pair.columns import PairColumns
from swgui.gui.viewer.pair.columns_view import PairColumnsView
from swgui.gui.viewer.pair.copying import copy_menu
from swgui.gui.viewer.residues.scheme_box import SchemeBox


class LettersPanel(QWidget):
    """Shows an alignment residue by residue.

    Signals
    -------
    column_wanted(int)
        A position was typed; its column.
    message(str)
        Something to say in the window's status line.
    """

    column_wanted = Signal(int)
    message = Signal(str)

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairLettersPanel")
        self.view = described(PairColumnsView(), "pairLettersView")
        self.view.pointed.connect(self._say_column)
        self._side = combo_box(
            "pairGoSide", "What the position is counted in",
            items=(("Query", "query"), ("Subject", "subject"), ("Column", "column")),
            accessible="Sequence of the position",
        )  # fmt: skip
        self._typed = line_edit(
            "pairGoTo", "A number, then Enter (Ctrl+G)", hint="Go to position", entered=self._go_to_typed, width=18,
            accessible="Position to go to",
        )  # fmt: skip
        tip = "Show identical subject residues as dots, so that differences stand out"
        differences = check_box("pairLettersDots", "Differences", tip, self.view.set_dots)
        self.scheme_box = described(SchemeBox(tasks), "pairColorScheme")
        self.scheme_box.used.connect(lambda _view, scheme: self.view.set_scheme(scheme))
        self.scheme_box.message.connect(self.message)
        self._column = text_label("", "pairColumn", plain=True, level="muted")
        bar, room = FlowRow(), QWidget()
        keep_size(room, width=1)
        for widget in (self._side, self._typed, room, differences, self.scheme_box, self._build_copy()):
            bar.add(widget)
        in_column(bar, (self.view, 1), self._column, spacing=0.5, parent=self)

    def show_columns(self, columns: PairColumns | None, query: SequenceRecord, subject: SequenceRecord) -> None:
        """Show another alignment, or nothing."""
        self.view.show_columns(columns, query, subject)
        if columns is None:
            self._column.clear()

    def focus_go_to(self) -> None:
        """Let the user type a position."""
        self._typed.setFocus()
        self._typed.selectAll()

    def copy(self, form: str) -> None:
        """Put the selected columns, or those around the cursor, on the clipboard.

        Parameters
        ----------
        form : str
            One of those of `PairView.selected_text`.
        """
        columns = self.view.columns
        if columns is not None:
            start, stop = self.view.copied_columns
            QGuiApplication.clipboard().setText(self.view.selected_text(form))
            self.message.emit(f"Columns {start + 1:,} to {stop:,} of {len(columns):,} were copied.")

    def _build_copy(self) -> QPushButton:
        menu = copy_menu(self.view, "pairCopyMenu", "pairCopy", self.copy)
        tip = "Copy the selected columns, or those around the cursor; Export writes all of them"
        button = push_button("pairCopyLetters", "Copy", tip, role="quiet")
        button.setMenu(menu)
        return button

    def _go_to_typed(self) -> None:
        columns = self.view.columns
        if columns is None:
            return
        text = self._typed.text().replace(",", "").replace(" ", "").strip()
        number = int(text) if text.isascii() and text.isdecimal() else 0
        sides: dict[str, Callable[[int], int | None]] = {
            "query": columns.column_of_query,
            "subject": columns.column_of_subject,
            "column": lambda at: at if 0 <= at < len(columns) else None,
        }
        column = sides[self._side.currentData()](number - 1)
        set_role(self._typed, invalid=column is None)
        if column is not None:
            self.column_wanted.emit(column)
        elif not number:
            self.message.emit("Type a number, for example 16,024.")
        else:
            self.message.emit(f"{self._side.currentText()} {number:,} is not in this alignment.")

    def _say_column(self, text: str) -> None:
        columns, chosen = self.view.columns, self.view.chosen_column
        where = f"Column {chosen + 1:,} of {len(columns):,}   " if columns is not None and chosen is not None else ""
        self._column.setText(where + text)
