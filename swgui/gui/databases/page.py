"""The Databases page: the databases to search, and building, updating, checking and removing them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QStackedWidget, QWidget

from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.gui.databases import jobs as database_jobs
from swgui.gui.databases.details_panel import DatabaseDetails, describe_database
from swgui.gui.databases.jobs import Outcome, RemoveBox, WorkCard
from swgui.gui.databases.list import DatabaseList, DatabaseRow, list_rows
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.gui.inputs.database import GPU_BYTES_PER_RESIDUE
from swgui.gui.inputs.drop import DATABASE_SUFFIX, DropLayer, Dropped, Target, is_source
from swgui.gui.inputs.opened import SAMPLE_NAME, SEQUENCE_FILES, Build, sample_database
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, Tell
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import EmptyBox, offers, text_label
from swgui.gui.words import wording
from swgui.settings import Settings

if TYPE_CHECKING:
    from swgui.gui.databases.download import DownloadDialog

INTRO = "Databases you can search. Sequence files are read once; after that a database of any size opens at once."
EMPTY = (
    "Drop a FASTA, GenBank, EMBL or UniProt file here, or a folder of structures, or press “Add sequence files…”. "
    "The sample database is small and good for a first try."
)


class DatabasesPage(PageWidget):
    """Lists the databases of this user."""

    use_wanted = Signal(object)  # a database should be searched; its path
    changed = Signal()  # the list of databases, or one of them, changed
    rebuilt = Signal(object)  # the file at this path was built again; programs that have it open read the old content
    failed = Signal(object)  # an exception; the page shows its own sentence, this is for the log

    def __init__(self, settings: Settings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("databasesPage")
        self._settings = settings
        self.tasks = tasks
        self._gpu_memory = 0
        self._wanted: Path | None = None  # to be chosen when the list is there
        self._damaged: dict[Path, str] = {}  # result of a check, until the file changes
        self.download: DownloadDialog | None = None
        self.work = Task(self)
        self._build()
        self.work.changed.connect(lambda: self.details.set_busy(self.work.busy))
        self._drop = DropLayer(self.targets(), self)
        self._show_empty()

    # What other parts call

    @property
    def busy(self) -> bool:
        return self.work.busy

    def refresh(self, choose: Path | None = None) -> None:
        self._wanted = choose or self._wanted
        self.tasks.submit("databases-list", partial(list_rows, _shown_name), self._take_rows, self._refuse)

    def add_files(self) -> None:
        """Ask for sequence files to build a database of, or for database files to list."""
        names, _ = QFileDialog.getOpenFileNames(
            self, "Add sequence files", self._settings.recent.folder, SEQUENCE_FILES
        )
        if names:
            self._settings.recent.folder = str(Path(names[0]).parent)
            self.take_files([Path(name) for name in names])

    def take_files(self, files: Sequence[Path], name: str = "") -> None:
        """List the database files among these, and offer to build a database of the others."""
        databases = [file for file in files if file.suffix == DATABASE_SUFFIX]
        sources = [file for file in files if file.suffix != DATABASE_SUFFIX]
        if databases:
            self.tasks.submit(
                "databases-remember", partial(database_jobs.remember, databases), self._listed, self._refuse
            )
        if sources and not self._refuse_second():
            self._ask_build(sources, name)

    def build(self, asked: Build) -> None:
        self._start(f"Building “{asked.name}”", partial(database_jobs.build, asked))

    def add_sample(self) -> None:
        path = sample_database()
        if any(row.path == path for row in self.list.rows):
            self.list.choose(path)
        else:
            self._start(f"Reading “{SAMPLE_NAME}”", partial(database_jobs.convert, path, SAMPLE_NAME))

    def show_downloads(self, key: str = "") -> None:
        """Open the list of public sets, at one of them; nothing is contacted before a button is pressed there."""
        # Imported here: network modules slow the start down, and are seldom needed.
        from swgui.gui.databases.download import DownloadDialog

        if self.download is None:
            self.download = DownloadDialog(self.tasks, self.window())
            self.download.build_wanted.connect(lambda path, name: self.take_files([path], name))
            self.download.destroyed.connect(self._forget_download)
        self.download.show()
        self.download.raise_()
        self.download.activateWindow()
        if key:
            self.download.choose(key)

    def set_gpu_memory(self, size: int) -> None:
        """Set the memory of the GPU in bytes; 0 if there is none."""
        if size != self._gpu_memory:
            self._gpu_memory = size
            self._show_chosen()

    def shutdown(self) -> None:
        if self.download is not None:
            self.download.shutdown()
        self.work.shutdown()
        for key in ("list", "remember", "details", "remove"):
            self.tasks.drop(f"databases-{key}")

    # Building

    def _build(self) -> None:
        self._head_buttons = self._buttons("")
        row = FlowRow.of(*self._head_buttons, right=True)
        self.list = DatabaseList()
        self.list.chosen_changed.connect(self._show_chosen)
        self.list.use_wanted.connect(self.use)
        self.list.remove_wanted.connect(self.remove)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.details = DatabaseDetails()
        self._split = in_splitter(Qt.Orientation.Vertical, (self.list, 3), (self.details, 2), name="databasesSplit")
        self._split.setHandleWidth(grid(1.5))
        self._split.setSizes([grid(45), grid(48)])
        self.stack = QStackedWidget()
        self.stack.addWidget(self._split)
        self.stack.addWidget(EmptyBox("databasesEmpty", "No database yet", EMPTY, self._buttons("Empty")[-1:]))
        self.card = WorkCard(self.work)
        in_column(
            in_row(text_label("Databases", level="title"), (row, 1)),
            text_label(INTRO, level="muted", wrap=True),
            self.card,
            (self.stack, 1),
            margins=3,
            spacing=1.5,
            parent=self,
        )
        details = self.details
        details.use_wanted.connect(self.use)
        details.update_wanted.connect(self.update_chosen)
        details.check_wanted.connect(self.check_chosen)
        details.folder_wanted.connect(self.show_folder)
        details.locate_wanted.connect(self.locate)
        details.remove_wanted.connect(self.remove)

    def _buttons(self, where: str) -> list[QPushButton]:
        table = (
            ("Download", "Download…", "download", "Public sets, for example Swiss-Prot", self.show_downloads, ""),
            ("Sample", "Sample database", "sample", "Put the sample database on the list", self.add_sample, ""),
            ("Add", "Add sequence files…", "add", "Build a database of sequence files, or list a database file",
             self.add_files, "primary"),
        )  # fmt: skip
        return offers(f"databases{where}", table)

    def targets(self) -> tuple[Target, ...]:
        def is_list(dropped: Dropped) -> bool:
            return bool(dropped.files) and all(file.suffix == DATABASE_SUFFIX for file in dropped.files)

        return (
            Target(
                "Build a database",
                "From these sequence files or structures",
                is_source,
                lambda drop: self.take_files((*drop.files, *drop.folders)),
            ),
            Target("Add to the list", "The file stays where it is", is_list, lambda drop: self.take_files(drop.files)),
        )

    # The list

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _take_rows(self, rows: list[DatabaseRow]) -> None:
        rows = [
            replace(row, state="damaged", reason=self._damaged[row.path]) if row.path in self._damaged else row
            for row in rows
        ]
        before = self.chosen
        wanted, self._wanted = self._wanted or (before.path if before else None), None
        another = rows != self.list.rows
        self.list.show_rows(rows, wanted)
        self._show_empty()
        if another:
            self.changed.emit()

    def _show_empty(self) -> None:
        empty = not self.list.rows
        self.stack.setCurrentIndex(1 if empty else 0)
        self._head_buttons[-1].setVisible(not empty)  # the empty page shows it in large

    @property
    def chosen(self) -> DatabaseRow | None:
        return self.list.chosen

    def _show_chosen(self) -> None:
        row = self.chosen
        self.details.show_row(row)
        if row is None:
            self.tasks.drop("databases-details")
            return
        self.tasks.submit(
            "databases-details",
            partial(describe_database, row, self._gpu_memory, GPU_BYTES_PER_RESIDUE),
            self.details.show_details,
            lambda error: self.details.show_error(wording.explain(error)),
        )

    def _open_menu(self, position: QPoint) -> None:
        row = self.chosen
        if row is None or not self.list.indexAt(position).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in self.details.buttons.values():
            if not button.isHidden():
                action = menu.addAction(button.text())
                action.setEnabled(button.isEnabled())
                action.triggered.connect(button.click)
        menu.addSeparator()
        menu.addAction("Copy path").triggered.connect(lambda: self._copy(str(row.path), "path"))
        if row.known is not None:
            checksum = row.known.checksum
            menu.addAction("Copy checksum").triggered.connect(lambda: self._copy(checksum, "checksum"))
        menu.popup(self.list.viewport().mapToGlobal(position))

    def _copy(self, text: str, subject: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit(f"The {subject} was copied.")

    # Actions on the chosen database

    def use(self) -> None:
        row = self.chosen
        if row is not None and row.usable:
            self.use_wanted.emit(row.path)

    def update_chosen(self) -> None:
        row = self.chosen
        if row is not None and row.updatable:
            self._start(f"Updating “{row.name}”", partial(database_jobs.update, row), self.rebuilt.emit)

    def check_chosen(self) -> None:
        row = self.chosen
        if row is not None and row.known is not None:
            self._start(
                f"Checking “{row.name}”", partial(database_jobs.check, row), failed=partial(self._check_failed, row)
            )

    def show_folder(self) -> None:
        row = self.chosen
        if row is None:
            return
        folder = row.path.parent
        if not folder.is_dir() or not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.message.emit(f"The folder {folder} cannot be shown.")

    def locate(self) -> None:
        row = self.chosen
        if row is None:
            return
        wanted = f"Databases (*{DATABASE_SUFFIX});;All files (*)"
        name, _ = QFileDialog.getOpenFileName(self, f"Where is {row.path.name}?", str(row.path.parent), wanted)
        if name:
            self.tasks.submit(
                "databases-remember", partial(database_jobs.relocate, row, Path(name)), self._listed, self._refuse
            )

    def remove(self) -> None:
        """Ask whether to remove the chosen database from the list, and whether to delete its file."""
        row = self.chosen
        if row is None or row.shared or self._refuse_second():
            return
        box = RemoveBox(row, self)
        box.accepted.connect(lambda: self._remove(row, box.delete_file))
        box.open()

    def _remove(self, row: DatabaseRow, delete_file: bool) -> None:
        def done(text: str) -> None:
            self.message.emit(text)
            self.refresh()

        self.tasks.submit("databases-remove", partial(database_jobs.remove, row, delete_file), done, self._refuse)

    # Long work

    def _ask_build(self, sources: Sequence[Path], name: str) -> None:
        dialog = BuildDialog(self._settings.recent.folder, self)
        dialog.name.setText(name)
        dialog.add(sources)
        dialog.accepted.connect(lambda: self.build(dialog.asked))
        dialog.open()

    def _start(
        self,
        title: str,
        work: Callable[[Tell, threading.Event], Outcome],
        then: Callable[[Path], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        def done(outcome: Outcome) -> None:
            self._damaged.pop(outcome.path, None)
            self.card.say(outcome.text, "success", outcome.report)
            self.message.emit(outcome.text)
            self.refresh(outcome.path)
            if then is not None:
                then(outcome.path)

        if not self._refuse_second():
            self.work.start(lambda control: work(control.tell, control), done, failed or self._failed, title=title)

    def _refuse_second(self) -> bool:
        if self.work.busy:
            text = f"{self.work.title} is still running: wait until it is done, or stop it."
            self.card.say_busy(text)
            self.message.emit(text)
        return self.work.busy

    def _failed(self, error: Exception) -> None:
        if isinstance(error, Stopped):
            self.card.say(str(error), "info")
        else:
            self._refuse(error)
        self.refresh()

    def _check_failed(self, row: DatabaseRow, error: Exception) -> None:
        if not isinstance(error, Stopped):
            self._damaged[row.path] = wording.explain(error)
        self._failed(error)

    def _refuse(self, error: Exception) -> None:
        say = self.card.say_busy if self.work.busy else partial(self.card.say, tone="danger")
        say(wording.explain(error))
        self.failed.emit(error)

    def _listed(self, path: Path) -> None:
        self.message.emit(f"“{path.stem}” is on the list.")
        self.refresh(path)

    def _forget_download(self) -> None:
        self.download = None


def _shown_name(path: Path) -> str | None:
    return SAMPLE_NAME if path == sample_database() else None
