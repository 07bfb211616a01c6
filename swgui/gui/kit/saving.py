"""Dialogs that ask where to write a file: never over a file that was opened here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from swgui.core.errors import SwguiError
from swgui.io.database.any_file import database_files
from swgui.io.outputs import keep_inputs
from swgui.io.table_files import TABLE_FORMATS

# Files opened since the program began, and their use: pages show results long after they opened other files.
_opened: Final[dict[Path, str]] = {}
_folder: Final[list[Path]] = []  # of the file written last; empty or one
_FOLDERS: Final = QFileDialog.Option.ShowDirsOnly | QFileDialog.Option.DontConfirmOverwrite
TABLE_FILES: Final = ";;".join(f"{form.title} (*{form.suffix})" for form in TABLE_FORMATS.values())


def last_folder(begin: str = "") -> str:
    """Return the folder of the file written last; `begin` sets it."""
    if begin:
        _folder[:] = [Path(begin)]
    return str(_folder[0]) if _folder else ""


def forget_folder() -> None:
    """Let the next dialog begin where the program was started."""
    _folder.clear()


def note_input(path: Path | str, role: str) -> None:
    """Note a file that was opened, ``"query"`` for example; from any thread. A missing file does no harm."""
    _opened[Path(path).absolute()] = role


def note_database(path: Path | str) -> None:
    """Note all files of a database, and those it was built from; reads them, so it is for workers."""
    for file in database_files(path):
        note_input(file, "database")


def with_ending(name: str, kind: str, kinds: str) -> Path:
    """Return the path; a name with none of the endings of all kinds gets the first one of the kind chosen.

    Any ending is accepted if one of the kinds is ``"All files (*)"``.
    """
    endings, of_kind = (re.findall(r"\*(\.[\w.]+)", text) for text in (kinds, kind))
    if name.lower().endswith(tuple(endings)) or ("(*)" in kinds and Path(name).suffix) or not endings:
        return Path(name)
    return Path(name + (of_kind or endings)[0])


def ask_new_folder(parent: QWidget, title: str, suggestion: str = "") -> Path | None:
    """Ask for the name of a folder that is to be made; None if the user cancelled."""
    name, _ = QFileDialog.getSaveFileName(parent, title, suggestion or last_folder(), "", "", _FOLDERS)
    return Path(name) if name else None


def ask_save_path(
    parent: QWidget,
    title: str,
    suggestion: str,
    kinds: str,
    tell: Callable[[SwguiError], object],
    *,
    companion: str = "",
) -> Path | None:
    """Ask for a file to write, and whether to replace an existing one if the dialog did not ask.

    Parameters
    ----------
    kinds : str
        Filters, as `QFileDialog` takes them.
    tell : callable
        Takes the error that names the opened file that would be replaced.
    companion : str
        Ending of a second file of the same name that is also written.

    Returns
    -------
    Path or None
        None if the user cancelled, or `tell` was called.
    """
    name, kind = QFileDialog.getSaveFileName(parent, title, str(Path(last_folder(), suggestion)), kinds)
    if not name:
        return None
    path = with_ending(name, kind, kinds)
    last_folder(str(path.parent))
    written = dict.fromkeys([path, path.with_suffix(companion)] if companion else [path])
    try:
        for one in written:
            keep_inputs(one, [(role, file) for file, role in list(_opened.items())])
    except SwguiError as error:
        tell(error)
        return None
    others = (one for one in written if one != Path(name) and one.exists())
    return path if all(_may_replace(parent, title, one) for one in others) else None


def _may_replace(parent: QWidget, title: str, path: Path) -> bool:
    question = f"'{path.name}' exists already. Replace it?"
    return QMessageBox.question(parent, title, question) == QMessageBox.StandardButton.Yes
