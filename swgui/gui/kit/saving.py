"""Asking where a file is to be written, for every dialog that saves: never over a file that was opened here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from swgui.core.errors import SwguiError
from swgui.io.database.any_file import database_files
from swgui.io.outputs import keep_inputs

# What was opened since the program began, and as what: results are shown long after the pages hold something else.
_opened: Final[dict[Path, str]] = {}


_folder: Final[list[Path]] = []  # where a file was written last


def last_folder(begin: str = "") -> str:
    """Return the folder of the file that was written last; until then that to begin with, which can be given."""
    if begin:
        _folder[:] = [Path(begin)]
    return str(_folder[0]) if _folder else ""


def note_input(path: Path | str, role: str) -> None:
    """Note a file that was opened, ``"query"`` for example; from any thread. One that is not there does no harm."""
    _opened[Path(path).absolute()] = role


def note_database(path: Path | str) -> None:
    """Note all files of a database, and those it was built from; reads them, so it is for workers."""
    for file in database_files(path):
        note_input(file, "database")


def _as_named(name: str, _kind: str) -> Path:
    return Path(name)


def ask_save_path(
    parent: QWidget,
    title: str,
    suggestion: str,
    kinds: str,
    tell: Callable[[SwguiError], object],
    *,
    complete: Callable[[str, str], Path] = _as_named,
) -> Path | None:
    """Ask for a file to write.

    Parameters
    ----------
    kinds : str
        Filters, as `QFileDialog` takes them.
    tell : callable
        Is given the error that says which opened file would be replaced.
    complete : callable, optional
        Makes the path from the name and the kind chosen, with the ending that a name may lack.

    Returns
    -------
    Path or None
        None if the dialog was left, or `tell` was called.
    """
    name, kind = QFileDialog.getSaveFileName(parent, title, str(Path(last_folder(), suggestion)), kinds)
    if not name:
        return None
    path = complete(name, kind)
    last_folder(str(path.parent))
    try:
        keep_inputs(path, [(role, file) for file, role in list(_opened.items())])
    except SwguiError as error:
        tell(error)
        return None
    return path


def open_page(url: str) -> None:
    """Open a page; called for nothing but a click."""
    QDesktopServices.openUrl(QUrl(url))
