"""The Runs page: runs that are active or waiting, and the history."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QUndoStack
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QMenu, QMessageBox, QPushButton, QTableView, QWidget

from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.saving import ask_save_path, last_folder, note_input
from swgui.gui.kit.tables.row_table import row_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid, keep_size
from swgui.gui.kit.widgets import EmptyBox, offers, push_button, text_label
from swgui.gui.runs import jobs as run_jobs
from swgui.gui.runs.actions import ACTIONS, ChooseEngine, Chosen, Renaming, Verifier
from swgui.gui.runs.queue import RunQueue
from swgui.gui.runs.table import (
    COLUMNS,
    KEY_ROLE,
    NAME,
    NOTE,
    PROGRESS,
    SETTINGS,
    SORT_ROLE,
    SPARE,
    STAR,
    RunRow,
    RunTable,
    progress,
    row_of_queue,
    row_of_record,
)
from swgui.io.saved.search import LoadedSearch, save_search
from swgui.jobs.kind import kinds
from swgui.runs import MAX_BYTES, MAX_RUNS, RunRecord, Runs

Key = tuple[str, int | str]
MARKED = {STAR: "star", NOTE: "note"}  # columns that a click changes, and keys: the action of each
KEYS: dict[int, str] = {Qt.Key.Key_S: "star", Qt.Key.Key_N: "note"}
WAIT_TO_VERIFY = "Wait until the search has ended"
NO_RUN = "Every run will be listed here, with its results."
INTRO = (
    "Runs on one device take turns. All are kept here; interrupted ones continue where they stopped. "
    f"The newest {MAX_RUNS} are kept, up to {MAX_BYTES >> 30} GiB: save important ones as files."
)
IN_PROJECT = (
    "Runs made while the project is open are kept in its folder, with stars and notes. None is deleted by itself."
)
log = logging.getLogger(__name__)


class RunTableView(QTableView):
    """Lists runs, sorted by any column."""

    open_wanted = Signal()  # Return or a double click
    delete_wanted = Signal()  # del
    mark_wanted = Signal(str)  # the action on the star or the note of the chosen runs
    chosen_changed = Signal()  # other rows are selected

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row_table(self, "runsTable", "Runs")
        self.runs = RunTable()
        self.runs.setParent(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.runs)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.horizontalHeader().setStretchLastSection(False)
        keep_size(self, height=16, rows=3.25)
        self._fit_columns()
        self.doubleClicked.connect(self._clicked_twice)
        self.clicked.connect(self._clicked)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen_changed.emit())

    def show_rows(self, rows: list[RunRow]) -> None:
        """Show other rows; chosen ones stay chosen, or the first if none of them is left."""
        chosen, before = {row.key for row in self.chosen()}, [row.key for row in self.runs.rows]
        self.runs.show(rows)
        self._fit_name()
        if before == [row.key for row in rows]:
            return
        self._choose(chosen)
        if rows and (chosen or not before) and not self.chosen():
            self.selectRow(0)

    def chosen(self) -> list[RunRow]:
        keys = {index.data(KEY_ROLE) for index in self.selectionModel().selectedRows()}
        return [row for row in self.runs.rows if row.key in keys]

    def edit_name(self, key: Key) -> None:
        self.edit(self.index_of(key, NAME))

    def _choose(self, keys: Iterable[Key]) -> None:
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for key in keys:
            index = self.index_of(key, 0)
            if index.isValid():
                self.selectionModel().select(index, flags)

    def index_of(self, key: Key, column: int) -> QModelIndex:
        row = next((place for place, row in enumerate(self.runs.rows) if row.key == key), -1)
        return self._sorted.mapFromSource(self.runs.index(row, column))

    def _fit_columns(self) -> None:
        self.setIconSize(QSize(grid(2), grid(2)))
        for index, column in enumerate(COLUMNS):
            if index != NAME:
                self.horizontalHeader().resizeSection(index, grid(column.width))
        self._fit_name()

    def _fit_name(self) -> None:
        """Give names and settings the remaining width, but names at least enough to tell them apart.

        Progress is a column only while some run has any.
        """
        header, least, room = self.horizontalHeader(), grid(0.75 * COLUMNS[NAME].width), self.viewport().width()
        header.resizeSection(SETTINGS, grid(COLUMNS[SETTINGS].width))
        for column in SPARE:
            idle = (column == PROGRESS and not any(map(progress, self.runs.rows))) or (
                column == NOTE and not any(row.mark.note for row in self.runs.rows)
            )
            header.setSectionHidden(column, idle)
        others = sum(header.sectionSize(column) for column in range(len(COLUMNS)) if column != NAME)
        for column in SPARE:
            if others + least > room:
                others -= header.sectionSize(column)
                header.hideSection(column)
        more = max(0, room - others - grid(COLUMNS[NAME].width)) * 2 // 3
        header.resizeSection(SETTINGS, header.sectionSize(SETTINGS) + more)
        header.resizeSection(NAME, max(room - others - more, least))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "runs"):
            self._fit_columns()

    def _clicked(self, index: QModelIndex) -> None:
        if index.column() in MARKED and index.data(KEY_ROLE)[0] == "saved":
            self.mark_wanted.emit(MARKED[index.column()])

    def _clicked_twice(self, index: QModelIndex) -> None:
        if index.column() not in MARKED:
            self.open_wanted.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() == QAbstractItemView.State.EditingState
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if not editing and plain and event.key() in KEYS:
            self.mark_wanted.emit(KEYS[event.key()])
            return
        if not editing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_wanted.emit()
        elif not editing and event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)


class RunButtons(FlowRow):
    """A button for each of `ACTIONS`."""

    pressed = Signal(str)  # the name of an action

    def __init__(self) -> None:
        super().__init__()
        self.by_name: dict[str, QPushButton] = {}
        self._possible: set[str] = set()  # names of the actions that can run now
        for made in (action for action in ACTIONS if action.button):
            press = partial(self.pressed.emit, made.name)
            button = push_button(f"runs-{made.name}", made.text, made.tip, press, icon=made.icon, role="quiet")
            self.add(button)
            self.by_name[made.name] = button

    def show_chosen(self, chosen: Chosen, *, paused: bool) -> None:
        """Enable the actions on the chosen runs.

        Parameters
        ----------
        paused : bool
            Whether the active ones among them are paused, or will be soon.
        """
        self._possible = {action.name for action in ACTIONS if action.possible(chosen)}
        for name, button in self.by_name.items():
            button.setEnabled(name in self._possible)
        self.by_name["pause"].setText("Resume run" if paused else "Pause")
        tip = next(action.tip for action in ACTIONS if action.name == "verify")
        waits = chosen.opens and chosen.verified and chosen.searching
        self.by_name["verify"].setToolTip(WAIT_TO_VERIFY if waits else tip)

    def show_menu(self, point: QPoint) -> None:
        """Offer the possible actions as a menu.

        Parameters
        ----------
        point : QPoint
            On the screen.
        """
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for command in ACTIONS:
            if command.name in self._possible:
                action = menu.addAction(command.text)
                action.setToolTip(command.tip)
                action.triggered.connect(partial(self.pressed.emit, command.name))
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(point)


def ask_file(parent: QWidget) -> Path | None:
    """Ask for a saved run; None if the user chooses none."""
    name, _ = QFileDialog.getOpenFileName(parent, "Open a result", last_folder(), run_jobs.result_files())
    return Path(name) if name else None


def ask_place(parent: QWidget, row: RunRow, failed: Callable[[Exception], None]) -> Path | None:
    """Ask where to save a run; None if the user cancels."""
    suffix, files = kinds()[row.kind].file
    plain = "".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in row.name).strip(" .")
    name = f"{plain or row.kind}{suffix}"
    return ask_save_path(parent, "Save the run", name, f"{files};;All files (*)", failed)


def ask_delete(parent: QWidget, rows: Sequence[RunRow], delete: Callable[[], None]) -> None:
    noun = f"the run '{rows[0].name}'" if len(rows) == 1 else f"{len(rows):,} runs"
    box = QMessageBox(QMessageBox.Icon.Question, "Delete", f"Delete {noun} for good?", parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText("Files saved elsewhere stay.")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    button = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
    button.setObjectName("confirmDelete")
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    button.clicked.connect(delete)
    box.open()


class LayoutKeeper:
    """Holds the newest layout of each run until a worker has written it."""

    def __init__(self, history: Runs) -> None:
        self._history = history
        self._waiting: dict[str, dict[str, Any]] = {}
        self._writing = threading.Lock()

    def put(self, run_id: str, layout: dict[str, Any]) -> None:
        """Take a layout in place of an older one of the run."""
        self._waiting[run_id] = layout

    def write(self) -> None:
        """Write waiting layouts; one worker at a time, so that an older layout never comes last.

        Raises
        ------
        SwguiError, OSError
            If one cannot be written; it is not tried again.
        """
        with self._writing:
            while self._waiting:
                self._history.keep_layout(*self._waiting.popitem())


class RunsPage(PageWidget):
    """Lists runs and acts on them.

    Parameters
    ----------
    choose_engine : callable, optional
        Returns engine and options for a verification; by default the best engine there is.
    """

    open_wanted = Signal(object, object)  # a `SearchResult` to be shown, and the layout that was kept with it (a dict)
    file_opened = Signal(object)  # the path of a file whose result is about to be shown
    opened = Signal(str, object)  # the kind of a run that is no search, and its outcome, to be shown
    compare_wanted = Signal(object, object)  # two `SearchResult`, the older one first
    watch_wanted = Signal(object)  # a `SearchResult`
    noted = Signal(str)  # remarks on an opened result, before `open_wanted`
    failed = Signal(object)  # an exception to show
    busy_changed = Signal(bool)  # a verification began or ended
    # When the page is made: number of runs active when the program ended last; `RunRecord` of those left elsewhere
    interrupted_found = Signal(int)
    left_found = Signal(list)
    sample_wanted = Signal()

    def __init__(
        self,
        queue: RunQueue,
        history: Runs,
        tasks: Tasks,
        parent: QWidget | None = None,
        *,
        choose_engine: ChooseEngine = lambda: ("auto", EngineOptions()),
        marks: SharedMarks | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("runsPage")
        self.queue = self._queue = queue
        self._history = history
        self._tasks = tasks
        self._records: list[RunRecord] = []
        self._resuming: dict[int, str] = {}  # in the queue: not listed as a saved run as well
        self._layouts = LayoutKeeper(history)
        self.marks = marks or SharedMarks(history, tasks, self)
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
        self.marks.changed.connect(self._show)
        self._show()
        self.refresh()

    # What the window calls

    @property
    def verifying(self) -> bool:
        return self.verifier.running

    @property
    def interrupted(self) -> int:
        return sum(record.state == "interrupted" and not record.on for record in self._records)

    @property
    def records(self) -> list[RunRecord]:
        """The runs of the history, newest first; empty until they are read."""
        return list(self._records)

    def refresh(self) -> None:
        if not self._closed:
            self._tasks.submit("runs-list", self._history.list, self._listed, self._tell)
            self.marks.read()

    def open_file(self, path: Path) -> None:
        self.message.emit(f"Opening {path.name}…")
        note_input(path, run_jobs.noun_of(path))

        def opened(loaded: tuple[str, Any]) -> None:
            self.file_opened.emit(path)
            self._opened(*loaded)

        self._tasks.submit("runs-open", partial(run_jobs.open_file, path), opened, self._tell)

    def ask_file(self) -> None:
        if (path := ask_file(self)) is not None:
            self.open_file(path)

    def keep_layout(self, run_id: str, layout: dict[str, Any]) -> None:
        self._layouts.put(run_id, layout)
        self._tasks.submit("runs-layout", self._layouts.write, lambda _none: None, self._tell)

    def save_result(self, result: SearchResult, path: Path, *, layout: dict[str, Any] | None = None) -> None:
        self._tasks.submit(
            "runs-save",
            lambda: save_search(result, path, layout=layout),
            lambda _none: self.message.emit(f"Saved as {path.name}."),
            self._tell,
        )

    @property
    def undo_steps(self) -> QUndoStack:
        return self.undo_stack

    def show_project(self, name: str) -> None:
        """List the runs of another folder: of the project of this name, or those of no project."""
        self._layouts.write()
        self.undo_stack.clear()
        self._title.setText(f"Runs of the project “{name}”" if name else "Runs")
        self._intro.setText(IN_PROJECT if name else INTRO)
        self._records = []
        self.refresh()

    def star_selected(self) -> None:
        if ids := [str(row.key[1]) for row in self.chosen() if row.saved]:
            self.marks.toggle(ids, "runs")

    def note_selected(self) -> None:
        if (row := self._one()) is not None and row.saved:
            self.marks.ask_note(str(row.key[1]), row.name, self, "runs")

    def shutdown(self) -> None:
        self._closed = True
        self.queue.controller.shutdown()
        self.verifier.shutdown()
        try:
            self._layouts.write()
        except (SwguiError, OSError) as error:
            log.warning("Marks could not be kept: %s", error)

    # Actions of the buttons

    def open_selected(self) -> None:
        if (row := self._one()) is not None and row.opens:
            self.open_run(str(row.key[1]), row.name, row.kind)

    def open_run(self, run_id: str, name: str, kind: str) -> None:
        self.message.emit(f"Opening {name}…")
        opening = partial(run_jobs.open_run, self._history, run_id)
        self._tasks.submit("runs-open", opening, partial(self._opened, kind), self._tell)

    def stop_selected(self) -> None:
        for row in self.chosen():
            if row.queued:
                self._queue.stop(int(row.key[1]))
        self.refresh()  # a run to be resumed is a saved one again

    def pause_selected(self) -> None:
        for row in self.chosen():
            if row.active:
                self._queue.pause(int(row.key[1]), not row.paused)

    def move_up_selected(self) -> None:
        """Let the chosen run start before the one above."""
        if (row := self._one()) is not None and row.queued:
            self._queue.move_up(int(row.key[1]))

    def resume_selected(self) -> None:
        for row in self.chosen():
            if row.resumable:
                self.resume_run(str(row.key[1]))

    def resume_run(self, run_id: str) -> None:
        """Continue a run of any kind where it ended, after those that wait."""
        self._enqueue(run_id, self._history.resume, resume=True)

    def again_selected(self) -> None:
        for row in self.chosen():
            if row.saved and row.state != "damaged":
                self._enqueue(str(row.key[1]), self._history.again)
            elif row.state == "failed":
                self._queue.again(int(row.key[1]))

    def compare_selected(self) -> None:
        ids = sorted(str(row.key[1]) for row in self.chosen() if row.opens)
        if len(ids) != 2:
            return

        def compare(loaded: list[LoadedSearch]) -> None:
            self.compare_wanted.emit(loaded[0].result, loaded[1].result)

        self._tasks.submit(
            "runs-open", lambda: [run_jobs.open_run(self._history, run_id) for run_id in ids], compare, self._tell
        )

    def watch_selected(self) -> None:
        """Ask how the chosen search is watched for newer releases of its database."""
        if (row := self._one()) is not None and row.opens:
            run_id = str(row.key[1])
            self._tasks.submit(
                "runs-open",
                lambda: run_jobs.open_run(self._history, run_id).result,
                self.watch_wanted.emit,
                self._tell,
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
        if (row := self._one()) is not None and row.opens:
            self.table.edit_name(row.key)

    def save_selected(self) -> None:
        """Ask for a name, and write the chosen run to a file of its own."""
        if (row := self._one()) is None or not row.opens:
            return
        path = ask_place(self, row, self._tell)
        if path:
            self.save_run(str(row.key[1]), path)

    def save_run(self, run_id: str, path: Path) -> None:
        """Write a saved run to a file of its own; a search with the sequences of its hits if they are not too many."""
        self.message.emit(f"Saving {path.name}…")
        save = partial(run_jobs.save_run, self._history, run_id, path)
        self._tasks.submit("runs-save", save, lambda _none: self.message.emit(f"Saved as {path}."), self._tell)

    def delete_selected(self) -> None:
        """Ask, and delete the chosen runs; waiting or failed ones leave the queue at once."""
        rows = self.chosen()
        for row in rows:
            if row.queued:
                self._queue.remove(int(row.key[1]))
        self.refresh()
        saved = [row for row in rows if row.saved]
        if saved:
            ask_delete(self, saved, lambda: self.delete_runs([str(row.key[1]) for row in saved]))

    def delete_runs(self, ids: Sequence[str]) -> None:
        def failed(error: Exception) -> None:
            self._tell(error)
            self.refresh()

        delete = partial(run_jobs.delete_runs, self._history, ids)
        self._tasks.submit("runs-delete", delete, lambda _none: self.refresh(), failed)

    # Building

    def _build(self) -> None:
        tip = "Open a saved run of any kind, for example one that was made on another computer"
        open_file = push_button("openSavedSearch", "Open a file…", tip, self.ask_file, icon="open")
        self.table = RunTableView()
        self.model = self.table.runs
        self.model.renamed.connect(self.rename)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.table.open_wanted.connect(self.open_selected)
        self.table.delete_wanted.connect(self.delete_selected)
        self.table.chosen_changed.connect(self._selection_changed)
        self.table.mark_wanted.connect(self._press)
        tip = "Put the sample query and database in place"
        sample = ("Sample", "Load the sample", "sample", tip, self.sample_wanted.emit, "")
        self.empty = EmptyBox("runsEmpty", "No run yet", NO_RUN, offers("runsEmpty", [sample]))
        self._detail = text_label(name="runDetail", level="muted", wrap=True, plain=True, selectable=True)
        self._title = text_label("Runs", "runsTitle", level="title", plain=True, wrap=True)
        self._intro = text_label(INTRO, "runsIntro", level="muted", wrap=True)
        self._row = RunButtons()
        self._row.pressed.connect(self._press)
        self.buttons = self._row.by_name
        in_column(
            in_row((self._title, 1), open_file),
            self._intro,
            self._row,
            (self.table, 1),
            (self.empty, 1),
            self._detail,
            self.verifier,
            margins=3,
            spacing=1.5,
            parent=self,
        )

    def _show_menu(self, point: QPoint) -> None:
        self._row.show_menu(self.table.viewport().mapToGlobal(point))

    def _press(self, name: str) -> None:
        getattr(self, f"{name}_selected")()

    # Rows

    def _listed(self, records: list[RunRecord]) -> None:
        self._records = records
        self._show()
        if not self._looked:
            self._looked = True
            if self.interrupted:
                self.interrupted_found.emit(self.interrupted)
            if left := [record for record in self._records if record.on]:
                self.left_found.emit(left)

    def _show(self) -> None:
        queued = self._queue.runs
        resuming = {self._resuming.get(run.id) for run in queued if run.state != "failed"}
        # A page may resume one, too
        resuming |= {getattr(run.request, "run_id", "") for run in queued if run.state != "failed"}
        saved = [record for record in self._records if record.id not in resuming]
        marks = self.marks.book
        rows = [*map(row_of_queue, queued), *(row_of_record(record, marks.of_run(record.id)) for record in saved)]
        self.table.show_rows(rows)
        self.table.setVisible(bool(rows))
        self._row.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        self._selection_changed()

    def chosen(self) -> list[RunRow]:
        return self.table.chosen()

    def _name_of(self, run_id: str) -> str:
        return next((record.name for record in self._records if record.id == run_id), "")

    def _one(self) -> RunRow | None:
        rows = self.chosen()
        return rows[0] if len(rows) == 1 else None

    @property
    def _searching(self) -> bool:
        return any(row.active and row.queued for row in self.model.rows)

    def _selection_changed(self) -> None:
        row = self._one()
        self._detail.setText(row.reason if row is not None else "")
        self._detail.setVisible(bool(self._detail.text()))
        self._show_buttons()

    def _show_buttons(self) -> None:
        chosen = Chosen(self.chosen(), self.verifying, self._searching)
        active = [row for row in chosen.rows if row.active]
        self._row.show_chosen(chosen, paused=bool(active) and all(row.paused for row in active))

    def _enqueue(self, run_id: str, make: Callable[[str], Any], *, resume: bool = False) -> None:
        """Have a worker make the request of a run again, and put that into the queue under the name of the run."""
        name = self._name_of(run_id)

        def made() -> tuple[str, Any]:
            request = make(run_id)
            named = hasattr(request, "name") and name
            return self._history.kind_of(run_id), replace(request, name=name) if named else request

        def add(asked: tuple[str, Any]) -> None:
            kind, request = asked
            queue_id = self._queue.add(request, kind)
            if resume:
                self._resuming[queue_id] = run_id
                self._show()

        self._tasks.submit(f"runs-make-{run_id}", made, add, self._tell)

    def _opened(self, kind: str, loaded: Any) -> None:
        self.message.emit("")
        if not isinstance(loaded, LoadedSearch):
            self.opened.emit(kind, loaded)
            return
        if loaded.remarks:
            self.noted.emit(" ".join(loaded.remarks))
        self.open_wanted.emit(loaded.result, loaded.layout)

    def rename(self, key: tuple[str, str], name: str) -> None:
        before = self._name_of(key[1])
        if name.strip() and name != before:
            self.undo_stack.push(Renaming(self.rename_run, key[1], before, name))

    def rename_run(self, run_id: str, name: str) -> None:
        rename = partial(self._history.rename, run_id, name)
        self._tasks.submit("runs-rename", rename, lambda _record: self.refresh(), self._tell)

    def _verified(self) -> None:
        self._show_buttons()
        self.busy_changed.emit(False)

    def _tell(self, error: Exception) -> None:
        self.message.emit("")
        self.failed.emit(error)
