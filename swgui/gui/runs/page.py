"""The Runs page: searches that are running or waiting, and the history."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QPushButton, QWidget

from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.engines.base import EngineOptions
from swgui.gui.kit.empty import EmptyBox, offers
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.saving import ask_save_path, note_input
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.translation import tr
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.runs import jobs as run_jobs
from swgui.gui.runs.actions import ACTIONS, Chosen, Renaming
from swgui.gui.runs.keeper import LayoutKeeper
from swgui.gui.runs.queue import RunQueue
from swgui.gui.runs.table import RunRow, row_of_queue, row_of_record
from swgui.gui.runs.verify import ChooseEngine, Verifier
from swgui.gui.runs.view import RunTableView
from swgui.history import MAX_BYTES, MAX_RUNS, History, RunRecord
from swgui.io.saved.search import SUFFIX, LoadedSearch, save_search
from swgui.jobs.search.request import SearchRequest

FILES = f"Saved searches (*{SUFFIX});;All files (*)"
NO_RUN = "No search has been run yet. It will be listed here, with all that was found."
INTRO = (
    "Searches run one after another. Each is kept here when it ends; one that was interrupted, also by a crash, "
    f"is resumed from its last finished chunk. The newest {MAX_RUNS} are kept, up to {MAX_BYTES >> 30} GiB: save what "
    "should stay as a file."
)
log = logging.getLogger(__name__)


class RunsPage(PageWidget):
    """Lists runs and acts on them.

    Parameters
    ----------
    queue : RunQueue
    history : History
    tasks : Tasks
    choose_engine : callable, optional
        Returns engine and options for a verification; by default the best engine there is.

    Signals
    -------
    open_wanted(object, object)
        A `SearchResult` to be shown, and the layout that was kept with it (a dict).
    compare_wanted(object, object)
        Two `SearchResult`, the older one first.
    message(str)
        For the status line.
    noted(str)
        What the user should know about a result that was opened, before `open_wanted`.
    failed(object)
        An exception to be told.
    busy_changed(bool)
        A verification began or ended.
    interrupted_found(int)
        When the page is made: so many runs were going on when the program ended last.
    """

    open_wanted = Signal(object, object)
    compare_wanted = Signal(object, object)
    message = Signal(str)
    noted = Signal(str)
    failed = Signal(object)
    busy_changed = Signal(bool)
    interrupted_found = Signal(int)
    sample_wanted = Signal()

    def __init__(
        self,
        queue: RunQueue,
        history: History,
        tasks: Tasks,
        parent: QWidget | None = None,
        *,
        choose_engine: ChooseEngine = lambda: ("auto", EngineOptions()),
    ) -> None:
        super().__init__(parent)
        self.setObjectName("runsPage")
        self._queue = queue
        self._history = history
        self._tasks = tasks
        self._records: list[RunRecord] = []
        self._resuming: dict[int, str] = {}  # in the queue: not listed as a saved run as well
        self._layouts = LayoutKeeper(history)
        self._closed = False
        self._looked = False
        self.verifier = Verifier(choose_engine)
        self.verifier.ended.connect(self._verified)
        self.verifier.failed.connect(self.failed)
        self.undo_stack = QUndoStack(self)
        self._build()
        queue.changed.connect(self._show)
        queue.progressed.connect(self._show)
        queue.ended.connect(self.refresh)
        self._show()
        self.refresh()

    # What the window calls

    @property
    def verifying(self) -> bool:
        """Whether a verification is running."""
        return self.verifier.running

    @property
    def interrupted(self) -> int:
        """How many runs a crash has interrupted."""
        return sum(record.state == "interrupted" for record in self._records)

    def refresh(self) -> None:
        """Read the history again."""
        if not self._closed:
            self._tasks.submit("runs-list", self._history.list, self._listed, self._tell)

    def open_file(self, path: Path) -> None:
        """Open a saved search from any place."""
        self.message.emit(f"Opening {path.name}…")
        note_input(path, "saved search")
        self._tasks.submit("runs-open", partial(run_jobs.open_file, path), self._opened, self._tell)

    def ask_file(self) -> None:
        """Ask for a saved search and open it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open a saved search", "", FILES)
        if name:
            self.open_file(Path(name))

    def keep_layout(self, run_id: str, layout: dict[str, Any]) -> None:
        """Keep stars and notes of a run of the history."""
        self._layouts.put(run_id, layout)
        self._tasks.submit("runs-layout", self._layouts.write, lambda _none: None, self._tell)

    def save_result(self, result: SearchResult, path: Path, *, layout: dict[str, Any] | None = None) -> None:
        """Write a result that is shown to a file."""
        self._tasks.submit(
            "runs-save",
            lambda: save_search(result, path, layout=layout),
            lambda _none: self.message.emit(f"Saved as {path.name}."),
            self._tell,
        )

    @property
    def queue(self) -> RunQueue:
        """The searches that wait and the one that runs."""
        return self._queue

    @property
    def undo_steps(self) -> QUndoStack:
        """What can be undone: new names."""
        return self.undo_stack

    def shutdown(self) -> None:
        """Stop a verification and join its thread."""
        self._closed = True
        self.queue.controller.shutdown()
        self.verifier.shutdown()
        try:
            self._layouts.write()
        except (SwguiError, OSError) as error:
            log.warning("Marks could not be kept: %s", error)

    # What the buttons do

    def open_selected(self) -> None:
        """Show the result of the chosen run."""
        if (row := self._one()) is None or not row.opens:
            return
        run_id = str(row.key[1])
        self.message.emit(f"Opening {row.name}…")
        self._tasks.submit("runs-open", partial(run_jobs.open_run, self._history, run_id), self._opened, self._tell)

    def stop_selected(self) -> None:
        """Stop the chosen run, or take it off the queue."""
        for row in self._chosen():
            if not row.saved:
                self._queue.stop(int(row.key[1]))
        self.refresh()  # a run that was to be resumed is a saved one again

    def pause_selected(self) -> None:
        """Pause the chosen run between two chunks, or resume it."""
        if any(row.active for row in self._chosen()):
            self._queue.pause(not self._queue.paused)

    def move_up_selected(self) -> None:
        """Let the chosen search run before the one above."""
        if (row := self._one()) is not None and not row.saved:
            self._queue.move_up(int(row.key[1]))

    def resume_selected(self) -> None:
        """Resume the chosen runs."""
        for row in self._chosen():
            if row.resumable:
                self._enqueue(str(row.key[1]), row.name, self._history.resume, resume=True)

    def resume_run(self, run_id: str) -> None:
        """Resume a run of the history by its id."""
        name = next((record.name for record in self._records if record.id == run_id), "")
        self._enqueue(run_id, name, self._history.resume, resume=True)

    def again_selected(self) -> None:
        """Run the chosen searches anew."""
        for row in self._chosen():
            if row.saved and row.state != "damaged":
                self._enqueue(str(row.key[1]), row.name, self._history.again)
            elif row.state == "failed":
                run = next(run for run in self._queue.runs if run.id == row.key[1])
                self._queue.remove(run.id)
                self._queue.add(replace(run.request, run_id=""))

    def compare_selected(self) -> None:
        """Compare two chosen runs."""
        ids = sorted(str(row.key[1]) for row in self._chosen() if row.opens)
        if len(ids) != 2:
            return

        def compare(loaded: list[LoadedSearch]) -> None:
            self.compare_wanted.emit(loaded[0].result, loaded[1].result)

        self._tasks.submit(
            "runs-open", lambda: [run_jobs.open_run(self._history, run_id) for run_id in ids], compare, self._tell
        )

    def verify_selected(self) -> None:
        """Score the chosen run again and compare every score."""
        row = self._one()
        if row is None or not row.opens or self.verifying or self._searching:
            return
        run_id = str(row.key[1])
        self.verifier.start(row.name, lambda: self._history.open(run_id).result)
        self._show_buttons()
        self.busy_changed.emit(True)

    def rename_selected(self) -> None:
        """Edit the name of the chosen run."""
        if (row := self._one()) is not None and row.opens:
            self.table.edit_name(row.key)

    def save_selected(self) -> None:
        """Ask where, and write the chosen run to a file of its own."""
        if (row := self._one()) is None or not row.opens:
            return
        plain = "".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in row.name).strip(" .")
        path = ask_save_path(
            self, "Save the search", f"{plain or 'search'}{SUFFIX}", FILES, self._tell,
            complete=lambda name, _: Path(name) if Path(name).suffix else Path(name).with_suffix(SUFFIX),
        )  # fmt: skip
        if path:
            self.save_run(str(row.key[1]), path)

    def save_run(self, run_id: str, path: Path) -> None:
        """Write a saved run to a file of its own, with the sequences of its hits if they are not too many."""
        self.message.emit(f"Saving {path.name}…")
        save = partial(run_jobs.save_run, self._history, run_id, path)
        self._tasks.submit("runs-save", save, lambda _none: self.message.emit(f"Saved as {path}."), self._tell)

    def delete_selected(self) -> None:
        """Ask, and delete the chosen runs; what waits or failed leaves the queue at once."""
        rows = self._chosen()
        for row in rows:
            if not row.saved:
                self._queue.remove(int(row.key[1]))
        self.refresh()
        saved = [row for row in rows if row.saved]
        if not saved:
            return
        what = f"the run '{saved[0].name}'" if len(saved) == 1 else f"{len(saved):,} runs"
        box = QMessageBox(QMessageBox.Icon.Question, "Delete", f"Delete {what} for good?", parent=self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText("Files saved elsewhere stay.")
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        delete = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        delete.setObjectName("confirmDelete")
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self.delete_runs([str(row.key[1]) for row in saved]))
        box.open()

    def delete_runs(self, ids: Sequence[str]) -> None:
        """Delete saved runs without asking."""

        def failed(error: Exception) -> None:
            self._tell(error)
            self.refresh()

        delete = partial(run_jobs.delete_runs, self._history, ids)
        self._tasks.submit("runs-delete", delete, lambda _none: self.refresh(), failed)

    # Building

    def _build(self) -> None:
        open_file = push_button(
            "openSavedSearch",
            "Open a saved search…",
            "Open a .swgui file, for example one that was made on another computer",
            self.ask_file,
            icon="open",
        )
        self.table = RunTableView()
        self.model = self.table.runs
        self.model.renamed.connect(self._rename)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.table.open_wanted.connect(self.open_selected)
        self.table.delete_wanted.connect(self.delete_selected)
        self.table.chosen_changed.connect(self._selection_changed)
        sample = ("Sample", "Load the sample", "sample", "Put the sample query and database in place",
                  self.sample_wanted.emit, "")  # fmt: skip
        self._empty = EmptyBox("runsEmpty", "No run yet", NO_RUN, offers("runsEmpty", [sample]))
        self._detail = text_label(name="runDetail", level="muted", wrap=True, plain=True, selectable=True)
        self._row = self._build_buttons()
        in_column(
            in_row((text_label("Runs", level="title"), 1), open_file),
            text_label(INTRO, level="muted", wrap=True),
            self._row,
            (self.table, 1),
            (self._empty, 1),
            self._detail,
            self.verifier,
            margins=3,
            spacing=1.5,
            parent=self,
        )

    def _build_buttons(self) -> FlowRow:
        row = FlowRow()
        self.buttons: dict[str, QPushButton] = {}
        for made in ACTIONS:
            pressed = partial(self._press, made.name)
            button = push_button(
                f"runs-{made.name}", tr(made.text), tr(made.tip), pressed, icon=made.icon, role="quiet"
            )
            row.add(button)
            self.buttons[made.name] = button
        return row

    def _press(self, name: str) -> None:
        getattr(self, f"{name}_selected")()

    def _show_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for known in ACTIONS:
            if self.buttons[known.name].isEnabled():
                action = menu.addAction(tr(known.text))
                action.setToolTip(tr(known.tip))
                action.triggered.connect(partial(self._press, known.name))
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(self.table.viewport().mapToGlobal(at))

    # Rows

    def _listed(self, records: list[RunRecord]) -> None:
        self._records = records
        self._show()
        if not self._looked:
            self._looked = True
            if self.interrupted:
                self.interrupted_found.emit(self.interrupted)

    def _show(self) -> None:
        queued = self._queue.runs
        resuming = {self._resuming.get(run.id) for run in queued if run.state != "failed"}
        saved = [record for record in self._records if record.id not in resuming]
        rows = [*map(row_of_queue, queued), *map(row_of_record, saved)]
        self.table.show_rows(rows)
        self.table.setVisible(bool(rows))
        self._row.setVisible(bool(rows))
        self._empty.setVisible(not rows)
        self._selection_changed()

    def _chosen(self) -> list[RunRow]:
        return self.table.chosen()

    def _one(self) -> RunRow | None:
        rows = self._chosen()
        return rows[0] if len(rows) == 1 else None

    @property
    def _searching(self) -> bool:
        return any(row.active for row in self.model.rows)

    def _selection_changed(self) -> None:
        one = self._one()
        self._detail.setText(one.reason if one is not None else "")
        self._detail.setVisible(bool(self._detail.text()))
        self._show_buttons()

    def _show_buttons(self) -> None:
        chosen = Chosen(self._chosen(), self.verifying, self._searching)
        for action in ACTIONS:
            self.buttons[action.name].setEnabled(action.possible(chosen))
        self.buttons["pause"].setText(tr("Resume run" if self._queue.paused else "Pause"))
        tip = next(action.tip for action in ACTIONS if action.name == "verify")
        waits = chosen.opens and chosen.searching
        self.buttons["verify"].setToolTip("Wait until the search has ended" if waits else tip)

    # Outcomes

    def _enqueue(self, run_id: str, name: str, make: Callable[[str], SearchRequest], *, resume: bool = False) -> None:
        def add(request: SearchRequest) -> None:
            queue_id = self._queue.add(replace(request, name=name or request.name))
            if resume:
                self._resuming[queue_id] = run_id
                self._show()

        self._tasks.submit(f"runs-make-{run_id}", lambda: make(run_id), add, self._tell)

    def _opened(self, loaded: LoadedSearch) -> None:
        self.message.emit("")
        if loaded.notes:
            self.noted.emit(" ".join(loaded.notes))
        self.open_wanted.emit(loaded.result, loaded.layout)

    def _rename(self, key: tuple[str, str], name: str) -> None:
        before = next((record.name for record in self._records if record.id == key[1]), "")
        if name.strip() and name != before:
            self.undo_stack.push(Renaming(self.rename_run, key[1], before, name))

    def rename_run(self, run_id: str, name: str) -> None:
        """Give a saved run another name."""
        self._tasks.submit(
            "runs-rename", lambda: self._history.rename(run_id, name), lambda _record: self.refresh(), self._tell
        )

    def _verified(self) -> None:
        self._show_buttons()
        self.busy_changed.emit(False)

    def _tell(self, error: Exception) -> None:
        self.message.emit("")
        self.failed.emit(error)
