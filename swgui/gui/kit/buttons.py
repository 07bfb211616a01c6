"""Making buttons: each with a name for tests and assistive programs, a tool tip and what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QPushButton

from swgui.gui.kit.theme import set_icon, set_role


def push_button(
    name: str, text: str, tip: str = "", does: Callable[..., Any] | None = None, *, icon: str = "", role: str = ""
) -> QPushButton:
    """Return a button.

    Parameters
    ----------
    name : str
        Of the object.
    text, tip : str
    does : callable or signal, optional
        What a click does.
    icon : str
        Name of a drawing in ``resources/icons``.
    role : str
        Of the style sheet: ``primary``, ``quiet``, or empty.
    """
    button = QPushButton(text)
    button.setObjectName(name)
    if tip:
        button.setToolTip(tip)
    if role:
        set_role(button, role=role)
    if icon:
        set_icon(button, icon)
    if does is not None:
        button.clicked.connect(does)
    return button
