"""Waiting a moment before something is done: until typing pauses, until scrolling has settled."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def delayed(owner: QObject, milliseconds: int, does: Callable[[], object]) -> QTimer:
    """Return a timer that calls `does` once, a while after it was last started."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(does)
    return timer
