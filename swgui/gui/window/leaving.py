"""Runs of other computers outlive the window: it asks before it closes, and offers them at the next start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QMessageBox

from swgui.core.words import count
from swgui.gui.runs.queue import RunQueue
from swgui.gui.window.late import LateParts
from swgui.gui.window.messages.notifications import Action, Notifications
from swgui.jobs.kind import kinds
from swgui.runs.queue import ACTIVE, QueuedRun
from swgui.runs.records import RunRecord

TITLE: Final = "Close the window"
ONE: Final = "The {noun} “{name}” {does} on {on} when the window is closed."
SEVERAL: Final = "{number:,} runs continue on {on} when the window is closed."
BACK: Final = "The next start offers to take {them} up again; Resume on the Runs page does it, too."
ONE_LEFT: Final = "The {noun} “{name}” was left on {on}."
SEVERAL_LEFT: Final = "{number:,} runs were left on {on}."
TAKEN_UP: Final = "Taken up, a run shows how far it is there, and its result comes here."


class Leaving(QObject):
    """Knows the runs of other computers when the window opens and closes."""

    def __init__(self, window: LateParts, queue: RunQueue, notifications: Notifications) -> None:
        super().__init__(window)
        self._window, self._queue, self._notifications = window, queue, notifications
        self._agreed = self._stopping = False
        queue.ended.connect(self._ended)

    def may_close(self) -> bool:
        """Whether the window may close now; asks the user while other computers carry out runs."""
        if self._agreed or not (away := self._away()):
            return True
        names = ", ".join(sorted({run.on for run in away}))
        one = len(away) == 1
        does = "stays paused" if away[0].state == "paused" else "continues"
        text = (ONE if one else SEVERAL).format(
            noun=kinds()[away[0].kind].noun, name=away[0].name, does=does, number=len(away), on=names
        )
        box = QMessageBox(QMessageBox.Icon.Question, TITLE, text, parent=self._window)
        box.setObjectName("leaving")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(BACK.format(them="it" if one else "them"))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        leave = box.addButton("Close", QMessageBox.ButtonRole.AcceptRole)
        stop = box.addButton("Stop and close", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(leave)
        leave.clicked.connect(self._leave)
        stop.clicked.connect(self._stop)
        box.open()
        return False

    def say_left(self, records: Sequence[RunRecord]) -> None:
        """Offer to take up runs that an earlier window left on other computers."""
        names = ", ".join(sorted({record.on for record in records}))
        one = len(records) == 1
        title = (ONE_LEFT if one else SEVERAL_LEFT).format(
            noun=kinds()[records[0].kind].noun, name=records[0].name, number=len(records), on=names
        )

        def take() -> None:
            for record in reversed(records):  # the oldest first
                self._window.runs_page.resume_run(record.id)

        action = Action("Take it up" if one else "Take them up", take)
        self._notifications.post("warning", title, TAKEN_UP, action=action)

    def _away(self) -> list[QueuedRun]:
        return [run for run in self._queue.runs if run.on and run.state in ACTIVE]

    def _leave(self) -> None:
        self._agreed = True
        QTimer.singleShot(0, self._window, self._window.close)  # once the box is gone

    def _stop(self) -> None:
        """Stop the runs; the window closes once their results so far are here."""
        self._stopping = True
        for run in self._away():
            self._queue.stop(run.id)
        self._window.statusBar().showMessage(f"Stopping {count(len(self._away()), 'run')}; then the window closes.")
        self._ended()  # the last of them may have ended while the question was open

    def _ended(self) -> None:
        if self._stopping and not self._away():
            self._leave()
