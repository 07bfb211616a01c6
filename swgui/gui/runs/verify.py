"""Verifying a run on the Runs page: every score again, and a verdict that stays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.words import wording
from swgui.jobs.search.events import Progress
from swgui.jobs.search.verify import Verification, verify
from swgui.jobs.stage import Stage

ChooseEngine = Callable[[], tuple[str, EngineOptions]]
SHOWN_DIFFERENCES = 5


class Verifier(QWidget):
    """Verifies one run at a time, says how far it is, and what came of it.

    Parameters
    ----------
    choose_engine : callable
        Returns engine and options.
    """

    ended = Signal()  # a verification is over, however
    failed = Signal(object)  # an exception that is a fault of the program

    def __init__(self, choose_engine: ChooseEngine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choose_engine = choose_engine
        self._name = ""
        self._verdict = text_label(name="verifyVerdict", wrap=True, plain=True, selectable=True)
        self._stop = push_button(
            "stopVerifying",
            "Stop verifying",
            "End the verification early; the run itself is not touched",
            self.stop,
            icon="stop",
        )
        in_row((self._verdict, 1), self._stop, parent=self).setAlignment(self._stop, Qt.AlignmentFlag.AlignTop)
        self._task = Task(self)
        self._task.part.connect(self._take)
        self._task.failed.connect(self._failed)
        self._task.finished.connect(self._finished)
        self.hide()

    @property
    def running(self) -> bool:
        return self._task.busy

    def start(self, name: str, load: Callable[[], SearchResult]) -> None:
        """Score a run again and compare every score.

        Parameters
        ----------
        name : str
            Of the run.
        load : callable
            Returns its result; called by the worker.
        """
        engine, options = self._choose_engine()

        def work(cancel: threading.Event) -> Iterator[object]:
            yield Stage("Opening")
            yield from verify(load(), cancel, engine=engine, options=options)

        self._name = name
        self._say(f"Verifying {name}…")
        self._task.follow(work)
        self._stop.show()

    def stop(self) -> None:
        """End the verification early."""
        self._task.stop()

    def shutdown(self) -> None:
        self._task.shutdown()

    def _take(self, event: object) -> None:
        if isinstance(event, Progress) and event.cells_total:
            self._say(f"Verifying {self._name}: {wording.progress(event.cells_done, event.cells_total)}")
        elif isinstance(event, Stage):
            self._say(f"Verifying {self._name}: {event.name}…")
        elif isinstance(event, Verification):
            lines = [f"{'✓' if event.ok else '✗'} {self._name}: {event.describe()}"]
            lines += [str(difference) for difference in event.differences[1:SHOWN_DIFFERENCES]]
            if event.different > SHOWN_DIFFERENCES:
                lines.append(f"and {event.different - SHOWN_DIFFERENCES:,} more")
            self._name = ""
            self._say("\n".join(lines), "success" if event.ok else "danger")

    def _failed(self, error: Exception) -> None:
        name, self._name = self._name, ""
        self._say(f"✗ {name} could not be verified: {wording.explain(error)}", "danger")
        if not isinstance(error, SwguiError):
            self.failed.emit(error)

    def _finished(self, _stopped: bool) -> None:
        if self._name:
            self._say(f"The verification of {self._name} was stopped.", "warning")
            self._name = ""
        self._stop.hide()
        self.ended.emit()

    def _say(self, text: str, tone: str = "") -> None:
        self._verdict.setText(text)
        set_role(self._verdict, tone=tone)
        self.show()
