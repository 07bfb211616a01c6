"""The badge "exact, verified": what the self-checks of the devices found, always in sight."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from swgui.engines.base import EngineStatus
from swgui.gui.kit.theme import set_role
from swgui.jobs.check.device import SelfCheck, last_check

PARTIAL = "partial result"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the devices.

    Parameters
    ----------
    text : str
        For the badge.
    tone : str
        ``success``, ``danger``, or empty.
    details : list of (str, str)
        Device and what its self-check found.
    """

    text: str
    tone: str
    details: list[tuple[str, str]]


def judge(statuses: tuple[EngineStatus, ...]) -> Verdict:
    """Look up the self-checks of all devices that can be used; reads a small file, so call it from a worker."""
    checks: list[tuple[str, SelfCheck | None]] = [
        (f"{device.name} ({status.name})", last_check(status.name, device))
        for status in statuses
        if status.available
        for device in status.devices
    ]
    details = [(name, _describe(check)) for name, check in checks]
    wrong = [name for name, check in checks if check is not None and not check.ok]
    if wrong:
        return Verdict(f"wrong scores: {wrong[0]}", "danger", details)
    if any(check is not None for _, check in checks):
        return Verdict("exact, verified ✓", "success", details)
    return Verdict("not verified yet", "", details)


def _describe(check: SelfCheck | None) -> str:
    if check is None:
        return "Not checked yet. It is checked by itself before its first search, in a moment."
    return "\n".join([check.describe(), *check.differences])


class VerifiedBadge(QPushButton):
    """Shows the verdict; a click asks for the details.

    Signals
    -------
    details_wanted(object)
        A list of (title, text).
    """

    details_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("not verified yet", parent)
        self.setObjectName("verifiedBadge")
        self.setToolTip("Before its first search, every device scores stored examples and must get every score right")
        set_role(self, role="quiet")
        self._details: list[tuple[str, str]] = []
        self._verdict: Verdict | None = None
        self._partial = False
        self.clicked.connect(lambda: self.details_wanted.emit(self._details))

    def show_verdict(self, verdict: Verdict) -> None:
        """Show what is known now."""
        self._details, self._verdict = verdict.details, verdict
        self._show()

    def show_partial(self, on: bool) -> None:
        """Say that the result in sight is a partial one, whatever is known of the devices."""
        if on != self._partial:
            self._partial = on
            self._show()

    def _show(self) -> None:
        verdict = self._verdict or Verdict("not verified yet", "", [])
        self.setText(PARTIAL if self._partial else verdict.text)
        set_role(self, tone="warning" if self._partial else verdict.tone)
