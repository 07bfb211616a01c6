"""Commands of the window as records; menus, toolbar, palette, help and the list of keys are made from them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

Keys = tuple[str | QKeySequence.StandardKey, ...]
Std = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Parameters
    ----------
    id : str
        Also the ``objectName`` of its action.
    text : str
        With ``&`` before the letter that the menu underlines.
    tip : str
        One sentence; shown in tool tips, the status line and the help.
    menu : str
        Title of the menu, ``View/Theme`` for a submenu.
    does : str
        What it calls, as a path of attributes from the page that declares it, or from the window.
    arguments : tuple
        What it is called with.
    keys : tuple
        Shortcuts, the first is shown.
    icon : str
        Name of a drawing in ``resources/icons``.
    group : int
        Commands of one menu with different groups are separated by a line.
    toolbar : bool
        Whether the toolbar has it.
    choice : str
        Name of a set of commands of which one is ticked.
    checkable : bool
        Whether it is switched on and off; called with the new state.
    scope : str
        The widget, as a path of attributes like `does`, in which the keys work; everywhere if empty.
    needs : frozenset of str
        States of the window or of a page without which it is disabled.
    """

    id: str
    text: str
    tip: str
    menu: str
    does: str
    arguments: tuple[object, ...] = ()
    keys: Keys = ()
    icon: str = ""
    group: int = 0
    toolbar: bool = False
    choice: str = ""
    checkable: bool = False
    scope: str = ""
    needs: frozenset[str] = frozenset()

    @property
    def plain_text(self) -> str:
        """The text without the mark for the underlined letter."""
        return self.text.replace("&", "")


def needs(*states: str) -> frozenset[str]:
    """Return the states a command needs."""
    return frozenset(states)
