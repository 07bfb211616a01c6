"""Commands of the window as records; menus, palette, help and the list of keys are made from them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

Keys = tuple[str | QKeySequence.StandardKey, ...]
Std = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    id: str  # also the ``objectName`` of its action
    text: str  # with ``&`` before the letter that the menu underlines
    tip: str  # one sentence; shown in tool tips, the status line and the help
    menu: str  # title of the menu, ``View/Theme`` for a submenu
    does: str  # what it calls, as a path of attributes from the page that declares it, or from the window
    arguments: tuple[object, ...] = ()  # what it is called with
    keys: Keys = ()  # shortcuts, the first is shown
    icon: str = ""  # name of a drawing in ``resources/icons``
    group: int = 0  # commands of one menu with different groups are separated by a line
    choice: str = ""  # name of a set of commands of which one is ticked
    checkable: bool = False  # whether it is switched on and off; called with the new state
    scope: str = ""  # the widget, as a path of attributes like `does`, in which the keys work; everywhere if empty
    needs: frozenset[str] = frozenset()  # states of the window or of a page without which it is disabled

    @property
    def plain_text(self) -> str:
        return self.text.replace("&", "")


def needs(*states: str) -> frozenset[str]:
    return frozenset(states)
