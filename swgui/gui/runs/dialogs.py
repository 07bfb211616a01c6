"""What the Runs page asks: which file to open, where to save a run, whether to delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from swgui.gui.kit.saving import ask_save_path
from swgui.gui.runs.kinds import FILES, KINDS
from swgui.gui.runs.table import RunRow


def ask_file(parent: QWidget) -> Path | None:
    """Ask for a saved search or pair; None if the user thinks better of it."""
    name, _ = QFileDialog.getOpenFileName(parent, "Open a result", "", FILES)
    return Path(name) if name else None


def ask_place(parent: QWidget, row: RunRow, failed: Callable[[Exception], None]) -> Path | None:
    """Ask where a run is to be saved; None if the user thinks better of it."""
    kind = KINDS[row.kind]
    plain = "".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in row.name).strip(" .")
    return ask_save_path(
        parent, "Save the run", f"{plain or row.kind}{kind.suffix}", f"{kind.files};;All files (*)", failed,
        complete=lambda name, _: Path(name) if Path(name).suffix else Path(name).with_suffix(kind.suffix),
    )  # fmt: skip


def ask_delete(parent: QWidget, rows: Sequence[RunRow], delete: Callable[[], None]) -> None:
    what = f"the run '{rows[0].name}'" if len(rows) == 1 else f"{len(rows):,} runs"
    box = QMessageBox(QMessageBox.Icon.Question, "Delete", f"Delete {what} for good?", parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText("Files saved elsewhere stay.")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    button = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
    button.setObjectName("confirmDelete")
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    button.clicked.connect(delete)
    box.open()
