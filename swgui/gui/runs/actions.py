"""Actions on the chosen runs, as a table: makes buttons and menu; and verifying one of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QUndoCommand
from PySide6.QtWidgets import QWidget

from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.runs.table import RunRow
from swgui.gui.words import wording
from swgui.jobs.events import Finished, Progress, Stage
from swgui.jobs.kind import kinds
from swgui.jobs.search.verify import verify

ChooseEngine = Callable[[], tuple[str, EngineOptions]]
SHOWN_DIFFERENCES = 5


class Verifier(QWidget):
    """Verifies one run at a time, and reports progress and outcome.

    Parameters
    ----------
    choose_engine : callable
        Returns engine and options.
    """

    ended = Signal()  # a verification has ended, with any outcome
    failed = Signal(object)  # an exception that is a fault of the program

    def __init__(self, choose_engine: ChooseEngine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choose_engine = choose_engine
        self._name = ""
        self._verdict = text_label(name="verifyVerdict", wrap=True, plain=True, selectable=True)
        self._stop = push_button(
            "stopVerifying",
            "Stop verifying",
            "End the verification early; the run itself does not change",
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
            yield Finished((yield from verify(load(), cancel, engine=engine, options=options)))

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
        if isinstance(event, Progress) and event.total:
            self._say(f"Verifying {self._name}: {wording.progress(event.done, event.total)}")
        elif isinstance(event, Stage):
            self._say(f"Verifying {self._name}: {event.name}…")
        elif isinstance(event, Finished) and (outcome := event.outcome) is not None:
            lines = [f"{'✓' if outcome.ok else '✗'} {self._name}: {outcome.describe()}"]
            lines += [str(difference) for difference in outcome.differences[1:SHOWN_DIFFERENCES]]
            if outcome.different > SHOWN_DIFFERENCES:
                lines.append(f"and {outcome.different - SHOWN_DIFFERENCES:,} more")
            self._name = ""
            self._say("\n".join(lines), "success" if outcome.ok else "danger")

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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen rows, and other conditions of the actions."""

    rows: Sequence[RunRow] = ()
    # verifying, searching: whether a verification or a search is running
    verifying: bool = False
    searching: bool = False

    @property
    def verified(self) -> bool:
        """Whether all chosen runs have results whose scores can be compared."""
        return all(row.opens and kinds()[row.kind].compared for row in self.rows)

    @property
    def opens(self) -> bool:
        """Whether it is one run that has a result."""
        return len(self.rows) == 1 and self.rows[0].opens


@dataclass(frozen=True, slots=True)
class RunAction:
    """A button of the Runs page."""

    name: str  # in the object name of the button; with ``_selected`` behind it, the method of the page
    text: str
    icon: str
    tip: str
    possible: Callable[[Chosen], bool]  # whether it can run on the chosen runs
    button: bool = True  # whether it has a button, and not only keys and a line of the menu


ACTIONS = (
    RunAction("open", "Open", "results", "Show the result (Return)", lambda chosen: chosen.opens),
    RunAction("stop", "Stop", "stop", "Stop the run and keep the scores so far; a waiting run leaves the queue",
              lambda chosen: any(row.active or row.state == "waiting" for row in chosen.rows)),
    RunAction("pause", "Pause", "pause",
              "Pause the run, or resume it; the memory of the device stays in use",
              lambda chosen: any(row.active and row.state != "stopping" for row in chosen.rows)),
    RunAction("move_up", "Move up", "arrow-up", "Let it run before the one above",
              lambda chosen: [row.queued and row.state for row in chosen.rows] == ["waiting"]),
    RunAction("resume", "Resume", "play", "Continue from where it stopped",
              lambda chosen: any(row.resumable for row in chosen.rows)),
    RunAction("again", "Run again", "refresh", "Run it again with the same settings",
              lambda chosen: any(row.state == "failed" or (row.saved and row.state != "damaged")
                                 for row in chosen.rows)),
    RunAction("compare", "Compare", "report", "Show new, lost and moved hits of two chosen runs",
              lambda chosen: len(chosen.rows) == 2 and chosen.verified),
    RunAction("verify", "Verify", "check", "Score everything again and compare every score",
              lambda chosen: chosen.opens and chosen.verified and not chosen.verifying and not chosen.searching),
    RunAction("watch", "Watch for newer releases…", "", "Repeat the search with each new release of its database",
              lambda chosen: chosen.opens and chosen.verified, button=False),
    RunAction("rename", "Rename", "rename", "Give the run another name (F2)", lambda chosen: chosen.opens),
    RunAction("star", "Star", "", "Give the chosen runs a star, or take it back (S)",
              lambda chosen: bool(chosen.rows) and all(row.saved for row in chosen.rows), button=False),
    RunAction("note", "Note…", "", "Write a note on the run (N)",
              lambda chosen: len(chosen.rows) == 1 and chosen.rows[0].saved, button=False),
    RunAction("save", "Save as…", "save", "Write the whole run to one file, to keep it or to open it elsewhere",
              lambda chosen: chosen.opens),
    RunAction("delete", "Delete", "delete", "Delete the chosen runs (Del)",
              lambda chosen: bool(chosen.rows) and not any(row.active for row in chosen.rows)),
)  # fmt: skip


class Renaming(QUndoCommand):
    """A run that was given another name."""

    def __init__(self, rename: Callable[[str, str], None], run_id: str, before: str, after: str) -> None:
        super().__init__("new name of a run")
        self._rename, self._run_id, self._before, self._after = rename, run_id, before, after

    def redo(self) -> None:
        self._rename(self._run_id, self._after)

    def undo(self) -> None:
        self._rename(self._run_id, self._before)
