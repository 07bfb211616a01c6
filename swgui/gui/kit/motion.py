"""Animations on the screen, and fewer of them for users who want that."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QProgressBar

EFFECTS = (
    Qt.UIEffect.UI_AnimateMenu,
    Qt.UIEffect.UI_FadeMenu,
    Qt.UIEffect.UI_AnimateCombo,
    Qt.UIEffect.UI_AnimateTooltip,
    Qt.UIEffect.UI_FadeTooltip,
    Qt.UIEffect.UI_AnimateToolBox,
)
REPAINT_MS, CALM_REPAINT_MS = 100, 1000  # time between two pictures of an animation
_PROPERTY = "swguiReducedMotion"
_FLASH = "swguiCursorFlashTime"


def application() -> QApplication:
    """Return the application.

    Raises
    ------
    RuntimeError
        If there is none yet: no part of the window can be made then.
    """
    instance = QApplication.instance()
    if not isinstance(instance, QApplication):
        raise RuntimeError("There is no application with a window.")
    return instance


def reduce(on: bool) -> None:
    app = application()
    if on == reduced():
        return
    app.setProperty(_PROPERTY, on)
    if on:
        app.setProperty(_FLASH, QApplication.cursorFlashTime())
    QApplication.setCursorFlashTime(0 if on else app.property(_FLASH))
    for effect in EFFECTS:
        QApplication.setEffectEnabled(effect, False)  # this program uses none of them in any case
    for bar in QApplication.allWidgets():
        if isinstance(bar, QProgressBar) and bar.property("busy"):
            be_busy(bar)


def reduced() -> bool:
    return bool(application().property(_PROPERTY))


def repaint_ms() -> int:
    """Return the minimum time between two pictures of an animation."""
    return CALM_REPAINT_MS if reduced() else REPAINT_MS


def be_busy(bar: QProgressBar) -> None:
    """Show progress of unknown length: a bar that runs through, or a still one half full."""
    bar.setProperty("busy", True)
    bar.setRange(0, 2 if reduced() else 0)
    bar.setValue(1 if reduced() else 0)


def show_share(bar: QProgressBar, share: int) -> None:
    """Show the progress of a task: thousandths done, -1 if they are not known."""
    if share < 0:
        be_busy(bar)
    else:
        be_measured(bar, 1000)
        bar.setValue(share)


def show_fraction(bar: QProgressBar, fraction: float | None) -> None:
    """Show a progress, from 0 to 1; None if it is not known."""
    show_share(bar, -1 if fraction is None else round(1000 * fraction))


def be_measured(bar: QProgressBar, steps: int) -> None:
    bar.setProperty("busy", False)
    bar.setRange(0, steps)
