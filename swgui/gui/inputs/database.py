"""The database that is searched: which, how large, and opening or building it in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QWidget

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.gui.inputs.opened import Build, Opened, Progress, as_one, build_at, open_at, open_beside, sample_database
from swgui.gui.inputs.organism_box import OrganismBox
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row, turn
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    described,
    make_menu,
    plain,
    progress_bar,
    push_button,
    text_label,
)
from swgui.gui.words import wording
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.library import user_databases
from swgui.io.database.packed.database import PackedDatabase
from swgui.settings import RecentSettings

MENU_LIMIT = 12
GPU_BYTES_PER_RESIDUE = 2  # the database, its offsets and scores, with room to spare
NO_DATABASE = (
    "Choose one, or drop a FASTA file anywhere on the window; the Databases page downloads Swiss-Prot and others."
)


class DatabasePanel(QFrame):
    """Shows the chosen database and lets the user choose or build one.

    Parameters
    ----------
    organisms : bool
        Whether it offers to search some organisms alone.
    several : bool
        Whether others can be searched together with it, as one.
    """

    changed = Signal()  # the database or the state of opening it changed
    opened = Signal(object)  # a database was opened; its `Opened`
    failed = Signal(object)  # it could not be; the exception
    known_listed = Signal(bool)  # whether this user has a database other than the sample
    # choose_wanted, build_wanted, sample_wanted: an entry of the menu was chosen
    choose_wanted = Signal()
    beside_wanted = Signal()  # the same of a file to search together with the chosen ones
    build_wanted = Signal()
    away_wanted = Signal()  # the same of a database of another computer
    sample_wanted = Signal()

    def __init__(
        self, recent: RecentSettings, parent: QWidget | None = None, *, organisms: bool = True, several: bool = False
    ) -> None:
        super().__init__(parent)
        self._by_organism, self._several = organisms, several
        self.setObjectName("databasePanel")
        set_role(self, role="card")
        # Opening may take minutes: it has a thread of its own, so that parsing a query never waits for it.
        self._task = Task(self)
        self._task.progressed.connect(lambda share, _text: motion.show_share(self._bar, share))
        self._listing, self._measuring = Task(self), Task(self)
        self.recent = recent
        self.current: Opened | None = None  # the databases of the search
        self._error = ""
        self._opening = ""
        self.known: list[tuple[Path, str]] = []
        self._gpu_memory = 0
        self._build()
        self._show()

    @property
    def database(self) -> EncodedDatabase | None:
        """The open database; None before one is open."""
        return self.current.database if self.current else None

    @property
    def path(self) -> Path | None:
        """The file the user chose: of a database or of sequences; None before one is open."""
        return self.current.path if self.current else None

    @property
    def away(self) -> str:
        """Address of the other computer that has the database; empty if it is here."""
        return self.database.address if self.database is not None else ""

    @property
    def busy(self) -> bool:
        """Whether a database is being opened or built."""
        return self._task.busy

    @property
    def problem(self) -> str:
        """Why nothing can be searched in, as one sentence; empty if it can."""
        if self.busy:
            return f"{self._opening}…"
        if self.current is None:
            return self._error or "Choose a database first."
        if not len(self.current.database):
            return f"The database '{self.current.database.name}' has no sequences."
        return self.organisms.problem

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are searched as one; empty before one is open."""
        return tuple(one.path for one in self.current.each) if self.current else ()

    def open(self, path: Path) -> None:
        self._run(f"Reading {path.name}", partial(open_at, path))

    def open_all(self, paths: Sequence[Path]) -> None:
        """Open databases that are searched as one."""
        if len(paths) == 1:
            self.open(paths[0])
            return
        self._run(
            f"Reading {words.count(len(paths), 'database')}",
            lambda progress, cancel: as_one([open_at(path, progress, cancel) for path in paths]),
        )

    def add(self, path: Path) -> None:
        """Search in another database, too; if that is not possible, the choice stays."""
        if self.current is None:
            self.open(path)
        else:
            self._run(f"Reading {path.name}", partial(open_beside, self.current.each, path), keep=True)

    def leave_out(self, opened: Opened) -> None:
        """Search in the other databases only."""
        if self.current is not None and opened in self.current.members:
            self.take(as_one([one for one in self.current.members if one is not opened]))

    def build(self, build: Build) -> None:
        self._run(f"Building {build.name}", partial(build_at, build))

    def cancel(self) -> None:
        """Cancel opening or building; the last database stays."""
        if self.busy:
            self._task.drop()
            self._error = ""
            self._show()
            self.changed.emit()

    def set_gpu_memory(self, size: int) -> None:
        """Set the memory of the GPU in bytes; 0 if there is none."""
        self._gpu_memory = size
        self._show()

    def shutdown(self) -> None:
        self._task.shutdown()
        self.organisms.shutdown()
        self._listing.shutdown()
        self._measuring.shutdown()

    def _run(self, doing: str, work: Callable[[Progress, threading.Event], Opened], *, keep: bool = False) -> None:
        self._opening, self._error = doing, ""
        failed = partial(self._refused, keep=keep)
        self._task.start(lambda control: work(control.tell, control), self.take, failed, title=doing)
        motion.be_busy(self._bar)
        self._show()
        self.changed.emit()

    def take(self, opened: Opened) -> None:
        self.current = opened
        for one in opened.each:
            if one.path != sample_database() and not self.away:
                self.recent.list_database(one.path)
        self._tell_waits("")
        if self._several and any(isinstance(one, PackedDatabase) for one in opened.database.members):
            self._measuring.start(lambda _control: _waits_of(opened.database), self._tell_waits)
        self._show()
        self.refresh_known()
        self.opened.emit(opened)
        self.changed.emit()

    def _refused(self, error: Exception, *, keep: bool = False) -> None:
        self.current = self.current if keep else None
        self._error = wording.explain(error)
        self._show()
        self.failed.emit(error)
        self.changed.emit()

    def _tell_waits(self, text: str) -> None:
        self._waits.setText(text)
        self._waits.setVisible(bool(text))

    def refresh_known(self) -> None:
        """Look again which databases this user has."""
        self._listing.start(lambda _control: _known_databases(), self._take_known)

    def _take_known(self, databases: list[tuple[Path, str]]) -> None:
        self.known = databases
        self.known_listed.emit(bool(databases))

    def _build(self) -> None:
        title = text_label("Database", level="heading")
        keep_size(title, width=12)
        self._name = described(ElidedLabel(), "databaseName")
        set_role(self._name, level="heading")
        self._facts = text_label(name="databaseFacts", plain=True, wrap=True, level="muted")
        self._bar = progress_bar("databaseBar", "Progress of reading the database")
        tip = "Stop reading; the database in use stays"
        self._cancel_button = push_button("databaseCancel", "Cancel", tip, self.cancel)
        self._report = push_button("databaseReport", "Remarks…", does=self.show_report, role="quiet")
        tip = "Choose another database, a sequence file, or build one (Ctrl+D)"
        self.choose_button = push_button("databaseChoose", "Choose", tip)
        menu = make_menu("databaseMenu", self.choose_button)
        menu.aboutToShow.connect(lambda: self._fill(menu))
        self.choose_button.setMenu(menu)
        self.organisms = OrganismBox()
        self.organisms.changed.connect(self.changed)
        self._waits = text_label(name="databaseWaits", plain=True, wrap=True, level="muted")
        self._waits.hide()
        words = in_column(self._name, self._facts, self._waits, self._bar, self.organisms, spacing=0.25)
        buttons = (self._report, self._cancel_button, self.choose_button)
        self._lines = in_row((title, Qt.AlignmentFlag.AlignVCenter), (words, 1), spacing=1.5)
        layout = in_row((self._lines, 1), *buttons, margins=(2, 1.5, 2, 1.5), spacing=1.5, parent=self)
        for button in buttons:
            layout.setAlignment(button, Qt.AlignmentFlag.AlignVCenter)

    def set_narrow(self, narrow: bool) -> None:
        """Put the line about the database below its heading."""
        turn(self._lines, narrow)

    def show_report(self) -> None:
        if self.current is not None:
            InputReport(self.current.report, self.window()).open()

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        listed: set[Path] = set()
        for path, text in self.known:
            listed.add(path)
            menu.addAction(text).triggered.connect(partial(self._open_known, path))
        for name in self.recent.databases[:MENU_LIMIT]:
            path = Path(name)
            if path not in listed and path != sample_database():
                listed.add(path)
                action = menu.addAction(path.name)
                action.setToolTip(plain(name))
                action.triggered.connect(partial(self._open_known, path))
        if listed:
            menu.addSeparator()
        menu.addAction("Choose a file…").triggered.connect(self.choose_wanted)
        if self._several and self.current is not None and not self.away:
            self._fill_several(menu)
        menu.addAction("Build a database…").triggered.connect(self.build_wanted)
        menu.addAction("Sample database").triggered.connect(self.sample_wanted)
        if self._several:
            menu.addAction("Of another computer…").triggered.connect(self.away_wanted)

    def _fill_several(self, menu: QMenu) -> None:
        """Offer databases that can be searched together with the chosen ones, and to leave one of several out."""
        more = menu.addMenu("Search another one, too")
        known = {path: text for path, text in self.known if path not in self.paths}
        for path, text in known.items():
            more.addAction(text).triggered.connect(lambda _checked=False, path=path: self.add(path))
        if known:
            more.addSeparator()
        more.addAction("Choose a file…").triggered.connect(self.beside_wanted)
        for opened in self.current.members if self.current else ():
            text = f"Leave out {opened.database.name}"
            menu.addAction(text).triggered.connect(lambda _checked=False, opened=opened: self.leave_out(opened))
        menu.addSeparator()

    def _open_known(self, path: Path, _checked: bool = False) -> None:
        self.open(path)

    def _show(self) -> None:
        busy, current = self.busy, self.current
        if self._by_organism:
            self.organisms.use(self.database)
        self.organisms.setEnabled(not busy)
        for widget, shown in (
            (self._bar, busy),
            (self._cancel_button, busy),
            (self._facts, not busy),
            (self.choose_button, not busy),
            (self._report, not busy and current is not None and bool(current.report.remarks)),
        ):
            widget.setVisible(shown)
        if busy:
            self._name.set_text(f"{self._opening}…")
        elif current is not None:
            self._name.set_text(current.database.name, "\n".join(map(str, self.paths)))
            self._facts.setText(self._error or describe(current, self._gpu_memory))
        else:
            self._name.set_text("This database cannot be used" if self._error else "No database yet")
            self._facts.setText(self._error or NO_DATABASE)
        set_role(self._facts, tone="danger" if self._error and not busy else "")


def describe(opened: Opened, gpu_memory: int) -> str:
    """Return a text with size and date of a database, and whether it fits a GPU (memory in bytes, 0 for none)."""
    database = opened.database
    if database.address:
        return _describe_away(opened, database)
    longest = int(database.lengths.max()) if len(database) else 0
    letters = database.alphabet.letter
    parts = [
        *([f"{len(opened.members)} databases, ranked as one"] if opened.members else []),
        words.count(len(database), "sequence"),
        words.count(database.residues, letters),
        f"longest {longest:,}",
        KIND_NAMES[database.alphabet.name],
    ]
    if database.track is not None:
        parts.append(f"with {database.track.alphabet.name} symbols")
    if note := database.subject_kind.note:
        parts.append(note)
    if opened.release and opened.path != sample_database():
        parts.append(opened.release)
    if gpu_memory:
        fits = database.residues * GPU_BYTES_PER_RESIDUE < gpu_memory
        parts.append("fits the GPU" if fits else "larger than the GPU's memory: sent in parts")
    return " · ".join(parts)


def _describe_away(opened: Opened, database: EncodedDatabase) -> str:
    parts = (
        f"on {database.address}",
        words.count(len(database), "sequence"),
        words.count(database.residues, database.alphabet.letter),
        KIND_NAMES[database.alphabet.name],
        *([opened.release] if opened.release else []),
    )
    return " · ".join(parts)


def _waits_of(database: EncodedDatabase) -> str:
    from swgui.jobs.waiting import waits_of  # imported here: the first picture needs none of it

    return waits_of(database)


def _known_databases() -> list[tuple[Path, str]]:
    return [
        (
            database.path,
            f"{database.name}   {words.count(database.sequences, 'sequence')}, {KIND_NAMES[database.alphabet.name]}"
            + (", its source changed since" if database.outdated else ""),
        )
        for database in user_databases()
        if database.path != sample_database()
    ][:MENU_LIMIT]
