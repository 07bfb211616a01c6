"""The project in use: made, opened, closed, filled, packed and unpacked from the File menu."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.core.words import file_size
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit.saving import ask_new_folder, ask_save_path, last_folder
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid
from swgui.gui.runs.queue import RunQueue
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Action, Notifications
from swgui.runs import Runs
from swgui.runs.queue import ACTIVE
from swgui.settings import RecentSettings

if TYPE_CHECKING:
    from swgui.runs.projects.folder import Added, FilePart, Project
    from swgui.runs.projects.packing import Packed

PACKED: Final = "Packed projects (*.zip)"
KEPT: Final = 8  # projects that the menu lists
log = logging.getLogger(__name__)
BUSY: Final = "Runs are active or waiting, and each is kept where it began. Stop them, or wait until they have ended."


class ProjectDesk(QObject):
    """Opens and closes projects; the list of runs is that of the project meanwhile."""

    changed = Signal()  # another project is open, or none

    def __init__(
        self,
        window: Frame,
        recent: RecentSettings,
        history: Runs,
        queue: RunQueue,
        marks: SharedMarks,
        tasks: Tasks,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window, self._recent, self._history, self._queue = window, recent, history, queue
        self._marks, self._tasks, self._notifications = marks, tasks, notifications
        self.project: Project | None = None

    @property
    def name(self) -> str:
        """Name of the open project; empty if none is open."""
        return "" if self.project is None else self.project.name

    @property
    def states(self) -> set[str]:
        """The states that commands need."""
        return {"project"} if self.project is not None else set()

    def begin(self) -> None:
        """Open the project that was open last, or the one that the environment names."""
        named = paths.project_dir()
        last = str(named) if named is not None else self._recent.project
        if not last:
            self._marks.read()
            return
        paths.use_project(None)
        try:
            self._use(_opened(Path(last)))
        except SwguiError as fault:
            self._recent.project = ""
            self._notifications.post("warning", "The last project was not opened.", str(fault))

    def leave(self) -> None:
        """Write the waiting changes; the window is about to close."""
        try:
            self._marks.flush()
        except SwguiError as fault:
            log.warning("Stars and notes could not be kept: %s", fault)
        if self.project is not None:
            paths.use_project(None)

    # Commands

    def ask_new(self) -> None:
        """Ask for a folder, and make a project there."""
        if self._is_busy():
            return
        if place := ask_new_folder(self._window, "Make a project: the name of its folder"):
            self._try(lambda: self._use(_made(place)), "The project was made.")

    def ask_open(self) -> None:
        """Ask for the folder of a project, and open it."""
        if self._is_busy():
            return
        if name := QFileDialog.getExistingDirectory(self._window, "Open a project: its folder", last_folder()):
            self.open(Path(name))

    def ask_unpack(self) -> None:
        """Ask for a packed project and a folder, and open what is unpacked."""
        if self._is_busy():
            return
        name, _ = QFileDialog.getOpenFileName(self._window, "Open a packed project", last_folder(), PACKED)
        if not name:
            return
        suggested = str(Path(name).with_suffix(""))
        if target := ask_new_folder(self._window, "Unpack it: the name of a new folder", suggested):
            self._say(f"Unpacking {Path(name).name}…")
            work = partial(_unpacked, Path(name), target)
            self._tasks.submit("project-unpack", work, self._unpacked, self._notifications.error)

    def open(self, folder: Path) -> None:
        """Open a project."""
        if not self._is_busy():
            self._try(lambda: self._use(_opened(folder)))

    def close(self) -> None:
        """Close the project; the runs of no project are listed again."""
        if self.project is not None and not self._is_busy():
            self._use(None)

    def ask_add(self) -> None:
        """Ask for files, and add them to the project."""
        if self.project is None:
            return
        names, _ = QFileDialog.getOpenFileNames(
            self._window, "Add runs, databases or tables to the project", last_folder(), "All files (*)"
        )
        if names:
            self.add([Path(name) for name in names])

    def add(self, files: list[Path]) -> None:
        """Add files to the project; a worker does it."""
        if (project := self.project) is not None:
            self._say("Adding to the project…")
            self._tasks.submit("project-add", partial(_added, project, files), self._take_added, self._not_added)

    def ask_pack(self) -> None:
        """Ask whether databases are sent, too, and for a file, and write the project into it."""
        if (project := self.project) is None:
            return
        self._marks.flush()
        self._tasks.submit("project-parts", project.files, self._ask_databases, self._notifications.error)

    def ask_note(self) -> None:
        """Open a window for the note on the project."""
        if (project := self.project) is None:
            return
        dialog = QInputDialog(self._window)
        dialog.setObjectName("projectNote")
        dialog.setWindowTitle("Note")
        dialog.setLabelText(f"Note on the project {project.name}")
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setTextValue(project.facts.note)
        dialog.setOkButtonText("Keep")
        dialog.resize(grid(60), grid(26))
        dialog.textValueSelected.connect(lambda text: self._try(lambda: project.note("", text)))
        dialog.open()

    # Work

    def recent(self) -> list[tuple[str, str, Callable[[], None]]]:
        """Return name, folder and opening of the projects that were open before, for a menu."""
        there = [folder for folder in map(Path, self._recent.projects) if paths.is_project(folder)]
        return [(folder.name, str(folder), partial(self.open, folder)) for folder in there[:KEPT]]

    def _use(self, project: Project | None) -> None:
        self._marks.flush()
        self.project = project
        paths.use_project(None if project is None else project.folder)
        self._history.use(None)
        self._recent.project = "" if project is None else str(project.folder)
        self._recent.run = ""  # which is of another list
        if project is not None:
            others = [place for place in self._recent.projects if place != str(project.folder)]
            self._recent.projects = [str(project.folder), *others][:KEPT]
        self._marks.read()
        self.changed.emit()

    def _is_busy(self) -> bool:
        """Whether a run would be kept in the wrong list; says so."""
        busy = any(run.state in ACTIVE or run.state == "waiting" for run in self._queue.runs)
        if busy:
            show = Action("Show the runs", lambda: self._window.show_page("runs"))
            self._notifications.post("warning", "The project cannot be changed now.", BUSY, action=show)
        return busy

    def _try(self, does: Callable[[], object], said: str = "") -> None:
        try:
            does()
        except SwguiError as fault:
            self._notifications.error(fault)
            return
        if said:
            self._say(said)

    def _unpacked(self, project: Project) -> None:
        self._use(project)
        self._tasks.submit("project-parts", project.files, self._say_missing, self._notifications.error)

    def _say_missing(self, parts: list[FilePart]) -> None:
        if lost := [part.said for part in parts if part.place is None]:
            self._notifications.post("info", f"The project {self.name} was unpacked.", " ".join(lost))

    def _take_added(self, added: list[Added]) -> None:
        self._say(f"Added to the project: {', '.join(one.name for one in added)}.")
        self.changed.emit()

    def _not_added(self, error: Exception) -> None:
        self.changed.emit()  # some may have been added before
        self._notifications.error(error)

    def _ask_databases(self, parts: list[FilePart]) -> None:
        places = [part.place for part in parts if part.part == "database" and part.place is not None]
        if not places:
            self._pack(databases=False)
            return
        size = file_size(sum(place.stat().st_size for place in places))
        choices = ["Name them by checksum and size", f"Include them ({size})"]
        chosen, ok = QInputDialog.getItem(self._window, "Pack the project", "&Databases", choices, 0, False)
        if ok:
            self._pack(databases=chosen == choices[1])

    def _pack(self, *, databases: bool) -> None:
        if (project := self.project) is None:
            return
        name = f"{project.folder.name}.zip"
        if path := ask_save_path(self._window, "Pack the project", name, PACKED, self._notifications.error):
            self._say(f"Packing {path.name}…")
            work = partial(_written, project, path, databases=databases)
            self._tasks.submit("project-pack", work, partial(self._packed, path), self._notifications.error)

    def _packed(self, path: Path, packed: Packed) -> None:
        self._say("")
        self._notifications.post("success", f"Packed as {path.name}.", " ".join(packed.sentences))

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, 8000)


def _opened(folder: Path) -> Project:
    from swgui.runs.projects.folder import Project  # here, as below: most windows have no project

    return Project(folder)


def _made(folder: Path) -> Project:
    from swgui.runs.projects.folder import Project

    return Project.make(folder)


def _unpacked(path: Path, folder: Path) -> Project:
    from swgui.runs.projects.packing import unpack

    return unpack(path, folder)


def _written(project: Project, path: Path, *, databases: bool) -> Packed:
    from swgui.runs.projects.packing import pack

    return pack(project, path, databases=databases)


def _added(project: Project, files: list[Path]) -> list[Added]:
    return [project.add(file) for file in files]
