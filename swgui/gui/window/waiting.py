"""Messages on runs that wait for a device, for as long as they wait."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from swgui.gui.runs.queue import RunQueue
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Action, Message, Notifications
from swgui.jobs.kind import kinds
from swgui.runs.queue import QueuedRun


class WaitingNotes(QObject):
    """Adds runs to the queue, reports those that wait, and withdraws each report when its runs wait no more."""

    def __init__(self, window: Frame, queue: RunQueue, notifications: Notifications) -> None:
        super().__init__(window)
        self._window, self._queue, self._notifications = window, queue, notifications
        self._said: tuple[str, frozenset[int]] = ("", frozenset())  # in the foot, and the runs that it is about
        self._notes: dict[int, Message] = {}  # by the run that waits
        queue.waits.connect(self._waits)
        queue.shares.connect(self._shares)
        queue.changed.connect(self._changed)

    def enqueue(self, kind: str, requests: Sequence[Any]) -> None:
        """Add runs to the queue, and report those that have to wait; the others have started."""
        added = frozenset(self._queue.add(request, kind) for request in requests)
        if waiting := len(added & self._waiting):
            one = len(added) == 1
            said = f"The {kinds()[kind].noun} waits" if one else f"{waiting:,} of {len(added):,} runs wait"
            self._said = f"{said} in the queue, on the Runs page.", added
            self._window.statusBar().showMessage(self._said[0], 8000)

    @property
    def _waiting(self) -> set[int]:
        return {run.id for run in self._queue.runs if run.state == "waiting"}

    def _waits(self, run: QueuedRun, other: QueuedRun) -> None:
        noun = kinds()[other.kind].noun
        title = f"The {kinds()[run.kind].noun} waits for the {noun}, which uses the same device."
        text = "It begins when that has ended or is paused. Both are on the Runs page."
        pause = Action(f"Pause the {noun}", partial(self._queue.pause, other.id, True))
        self._notes[run.id] = self._notifications.post("info", title, text, action=pause)

    def _shares(self, run: QueuedRun, other: QueuedRun) -> None:
        title = f"The {kinds()[run.kind].noun} continues next to the {kinds()[other.kind].noun}, on the same device."
        self._notifications.post("warning", title, "Both are slower. Pause or stop one of them on the Runs page.")

    def _changed(self) -> None:
        waiting = self._waiting
        said, runs = self._said
        if said and not runs & waiting:
            self._said = "", frozenset()
            if self._window.statusBar().currentMessage() == said:
                self._window.statusBar().clearMessage()
        for run in self._notes.keys() - waiting:
            self._notifications.withdraw(self._notes.pop(run))
