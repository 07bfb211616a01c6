"""Showing docks, also those that lie behind another in a tab, and the tabs themselves."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar


def in_sight(dock: QDockWidget) -> bool:
    """Whether a dock is shown and not behind another one."""
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


def reveal(dock: QDockWidget) -> None:
    """Show a dock, before others that share its place."""
    dock.show()
    dock.raise_()


def toggle(dock: QDockWidget) -> None:
    """Hide a dock that is in sight, reveal any other."""
    dock.hide() if in_sight(dock) else reveal(dock)


def skip_idle_tabs(window: QMainWindow) -> None:
    """Let the Tab key reach the tabs of docks that share a place, and no others: Qt keeps idle ones out of sight."""
    for tabs in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus if tabs.count() > 1 else Qt.FocusPolicy.NoFocus)
        tabs.setAccessibleName("Docks")
