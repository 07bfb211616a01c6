"""Menus and their commands, each made in one call."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget


def make_menu(name: str, parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.setObjectName(name)
    menu.setToolTipsVisible(True)
    return menu


def menu_command(menu: QMenu, name: str, text: str, tip: str, does: Callable[[], object]) -> QAction:
    """Add a command to a menu and return it; `does` is called without the state that Qt hands over."""
    action = menu.addAction(text)
    action.setObjectName(name)
    action.setToolTip(tip)
    action.triggered.connect(lambda _checked=False: does())
    return action


def switch(parent: QObject, name: str, text: str, tip: str, does: Callable[[bool], object]) -> QAction:
    """Return a command that is on or off; `does` hears every change."""
    action = QAction(text, parent)
    action.setObjectName(name)
    action.setToolTip(tip)
    action.setCheckable(True)
    action.toggled.connect(does)
    return action


def key_command(
    widget: QWidget, text: str, keys: QKeySequence | QKeySequence.StandardKey | str, does: Callable[[], object]
) -> QAction:
    """Add a command to a widget that its keys call while it has the focus, and return it."""
    action = QAction(text, widget)
    action.setShortcut(QKeySequence(keys))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda _checked=False: does())
    widget.addAction(action)
    return action
