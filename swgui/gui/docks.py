"""Showing docks, also those that lie behind another in a tab."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget


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
