"""Copying an alignment: the forms in which it can be copied, and the menu of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from swgui.gui.kit.menus import key_command, make_menu, menu_command
from swgui.gui.viewer.pair.view import PairView

COPY_FORMS = (
    ("numbered", "With numbers", "The alignment as it stands here, with residue numbers"),
    ("bare", "Residues only", "Query, match line and subject without numbers"),
    ("fasta", "FASTA, aligned", "Both rows as FASTA, with gaps"),
    ("ungapped", "FASTA, without gaps", "The aligned stretches as FASTA"),
    ("query", "Query residues", "The residues of the query"),
    ("subject", "Subject residues", "The residues of the subject"),
)


def copy_menu(view: PairView, menu_name: str, prefix: str, copy: Callable[[str], object]) -> QMenu:
    """Return a menu of the forms, which a view also shows where it is clicked on; Ctrl+C copies with numbers.

    Parameters
    ----------
    menu_name : str
        Name of the object.
    prefix : str
        Of the names of the commands: ``copyAlignment`` makes ``copyAlignment-bare``.
    copy : callable
        Is given the form, as `PairView.selected_text` takes it.
    """
    menu = make_menu(menu_name, view)
    for form, text, tip in COPY_FORMS:
        menu_command(menu, f"{prefix}-{form}", text, tip, partial(copy, form))
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(lambda point: menu.popup(view.viewport().mapToGlobal(point)))
    key_command(view, "Copy", QKeySequence.StandardKey.Copy, lambda: copy("numbered"))
    return menu
