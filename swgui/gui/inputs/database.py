"""The database that is searched: which, how large, and opening or building it in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QDialogButtonBox, QFileDialog, QFrame, QLineEdit, QListWidget, QMenu, QWidget

from swgui import paths
from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.organisms.chosen import choices, chosen_subjects
from swgui.core.organisms.limit import OrganismLimit, limit_of
from swgui.core.several.joined import joined
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit import motion
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_form, in_row, turn
from swgui.gui.kit.saving import note_database
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    check_box,
    delayed,
    described,
    line_edit,
    make_menu,
    plain,
    progress_bar,
    push_button,
    spin_box,
    text_label,
)
from swgui.gui.words import wording
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.facts import NO_FILES, OrganismFiles
from swgui.io.database.library import open_any_database, user_databases
from swgui.io.database.packed.database import PackedDatabase
from swgui.io.imported.finding import sources_of
from swgui.io.sequences.reader import ReadReport
from swgui.io.structures.database import are_structures, build_of_any
from swgui.settings import RecentSettings

LIST_TIP = "Of which organism each sequence is: identifier, tab, name or number; without it headers say so"
TAXONOMY_TIP = "NCBI's 'taxdump.tar.gz', unpacked: then whole clades can be searched, and ranks are columns"


class OrganismFilesRows:
    """Two lines of a form to type or choose them; both may stay empty.

    Parameters
    ----------
    folder : str
        Where choosing begins.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.table = line_edit("buildOrganisms", LIST_TIP, hint="Optional: a list", clear=True)
        self.taxonomy = line_edit("buildTaxonomy", TAXONOMY_TIP, hint="Optional: folder with 'nodes.dmp'", clear=True)
        self.rows = (
            ("&Organisms", self._row(self.table, "buildOrganismsChoose", self._choose_table)),
            ("Ta&xonomy", self._row(self.taxonomy, "buildTaxonomyChoose", self._choose_taxonomy)),
        )

    def _row(self, line: QLineEdit, name: str, does: Callable[[], None]) -> QWidget:
        row = QWidget()
        row.setFocusProxy(line)
        in_row((line, 1), push_button(name, "Choose…", line.toolTip(), does), parent=row)
        return row

    @property
    def files(self) -> OrganismFiles:
        return OrganismFiles(self.table.text().strip(), self.taxonomy.text().strip())

    def _choose_table(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.table, "List of organisms", self._folder, "All files (*)")
        if name:
            self.table.setText(name)

    def _choose_taxonomy(self) -> None:
        name = QFileDialog.getExistingDirectory(self.taxonomy, "Folder with NCBI's taxonomy", self._folder)
        if name:
            self.taxonomy.setText(str(Path(name)))


TYPING_PAUSE: Final = 200  # milliseconds from the last key to the count
LISTED: Final = 3_000_000  # subjects whose headers are read without being asked for
OFFERED: Final = 20_000  # names; others can be typed
VISIBLE: Final = 12
NAME: Final = Qt.ItemDataRole.UserRole
COUNTING: Final = "Counting the organisms of the database…"
_SEVERAL: Final = "Names or numbers in NCBI's taxonomy, several with commas between them"
ONLY_TIP: Final = f"Search only these organisms or clades. {_SEVERAL}"
WITHOUT_TIP: Final = f"Leave these organisms or clades out. {_SEVERAL}"


class _Completer(QCompleter):
    """Completes what stands behind the last comma."""

    def __init__(self, line: QLineEdit, model: QAbstractItemModel) -> None:
        super().__init__(model, line)
        self._line = line
        self.setCompletionRole(NAME)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(VISIBLE)
        line.setCompleter(self)

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(",")[2].strip()]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        before, comma, _ = self._line.text().rpartition(",")
        return f"{before}{comma}{' ' if comma else ''}{index.data(NAME)}"


class OrganismBox(QWidget):
    """Asks for the organisms that are searched and for those that are left out."""

    changed = Signal()  # others are asked for, or it is known how many subjects they have

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("organismBox")
        self._database: EncodedDatabase | None = None
        self._searched: tuple[int, int] | None = None  # subjects and residues, once they are counted
        self._error = ""
        self._edited: QLineEdit | None = None  # until Return, or until another widget is used
        self._listing, self._measuring = Task(self), Task(self)
        self._counting = Task(self)
        self._typing = delayed(self, TYPING_PAUSE, self._count)
        self._names = QStandardItemModel(self)
        self.only = self._line("organismOnly", ONLY_TIP, "All organisms")
        self.without = self._line("organismWithout", WITHOUT_TIP, "None")
        self._said = text_label(name="organismCount", plain=True, wrap=True, level="muted")
        labels = (text_label("Organisms"), text_label("without"))
        for label, line in zip(labels, (self.only, self.without), strict=True):
            label.setBuddy(line)
        tip = "Search only some organisms or clades, or leave some out"
        self._ask = push_button("organismAsk", "Only some organisms…", tip, self._show_lines, role="quiet")
        set_role(self._ask, flush=True)
        self._lines = QWidget()
        in_row(labels[0], (self.only, 3), labels[1], (self.without, 2), spacing=0.75, parent=self._lines)
        self._lines.hide()
        in_column(in_row(self._ask, 1), self._lines, self._said, spacing=0.25, parent=self)
        self._show()
        self.hide()

    def _show_lines(self) -> None:
        self._lines.show()
        self._ask.hide()
        self.only.setFocus()

    def _line(self, name: str, tip: str, hint: str) -> QLineEdit:
        line = line_edit(name, tip, lambda _text: self._typed(), hint=hint, clear=True, accessible=tip)
        _Completer(line, self._names)
        line.textEdited.connect(lambda _text: self._edit(line))
        line.editingFinished.connect(lambda: self._edit(None))
        return line

    def _edit(self, line: QLineEdit | None) -> None:
        self._edited = line
        self._show()

    @property
    def limit(self) -> OrganismLimit:
        """Which organisms are asked for."""
        return limit_of([self.only.text().strip(" ,")], [self.without.text().strip(" ,")])

    @property
    def problem(self) -> str:
        """Why they cannot be searched, or not yet, as one sentence; empty if they can."""
        return self._error or (COUNTING if self.limit and self._searched is None else "")

    @property
    def searched(self) -> tuple[int, int]:
        if self._searched is not None:
            return self._searched
        return (len(self._database), self._database.residues) if self._database is not None else (0, 0)

    def ask_for(self, limit: OrganismLimit) -> None:
        for line, names in ((self.only, limit.only), (self.without, limit.without)):
            line.setText(", ".join(names))

    def use(self, database: EncodedDatabase | None) -> None:
        """Ask for organisms of another database; what was typed stays."""
        if database is self._database:
            return
        self._database = database
        self._names.clear()
        self._listing.drop()
        if database is None:
            self.hide()
        elif database.stored_organisms is not None or len(database) <= LISTED:
            self._list(database)
        else:
            self.show()
        self._typed()

    def _list(self, database: EncodedDatabase) -> None:
        self._listing.start(lambda _control: choices(database.organisms), self._offer)

    def shutdown(self) -> None:
        self._listing.shutdown()
        self._counting.shutdown()

    def _offer(self, organisms: list[tuple[str, int]]) -> None:
        for name, count in organisms[:OFFERED]:
            item = QStandardItem(f"{name}   {count:,}")
            item.setData(name, NAME)
            self._names.appendRow(item)
        self.setVisible(bool(organisms) or bool(self.limit))

    def _typed(self) -> None:
        self._counting.drop()
        self._searched, self._error = None, ""
        if self.limit and self._database is not None:
            self._typing.start()
        else:
            self._typing.stop()
        self._show()
        self.changed.emit()

    def _count(self) -> None:
        database, limit = self._database, self.limit
        if database is not None and limit:
            self._counting.start(lambda _control: _counted(database, limit), self._take)

    def _take(self, counted: tuple[int, int] | str) -> None:
        if isinstance(counted, str):
            self._error = counted
        else:
            self._searched = counted
            if self._database is not None and not self._names.rowCount():  # all headers have been read now
                self._list(self._database)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        if self.limit:
            self._lines.show()
            self._ask.hide()
        offered = self._edited is not None and self._edited.completer().completionCount() > 0
        error = "" if offered else self._error  # half a name that is offered whole is no mistake yet
        text = error
        if self._searched is not None and self._database is not None:
            subjects, _ = self._searched
            text = f"{subjects:,} of {words.count(len(self._database), 'sequence')} will be searched."
        self._said.setText(text)
        self._said.setVisible(bool(text))
        set_role(self._said, tone="danger" if error else "")
        for line in (self.only, self.without):
            set_role(line, wrong=bool(error) and bool(line.text()))


def _counted(database: EncodedDatabase, limit: OrganismLimit) -> tuple[int, int] | str:
    try:
        chosen = chosen_subjects(database.organisms, limit, database.name)
    except SwguiError as error:
        return str(error)
    return int(chosen.sum()), int(database.lengths[chosen].sum(dtype=np.int64))


SUFFIX = ".swdb"
SEQUENCE_FILES = (
    "Databases and sequence files (*.swdb *.fa *.fasta *.faa *.fna *.ffn *.fas *.fq *.fastq *.gb *.gbk *.embl *.dat "
    "*.pir *.pdb *.ent *.cif *.mmcif *.tar *.gz *.bgz *.bz2 *.xz *.zst);;"
    "Databases of BLAST, MMseqs2, DIAMOND (*.pal *.nal *.pin *.nin *.index *.dmnd);;"
    "Parquet files (*.parquet *.parq);;All files (*)"
)
ACCEPTED = (
    "FASTA, FASTQ, GenBank, EMBL or UniProt files, plain or gz; Parquet; databases of BLAST, MMseqs2, DIAMOND, by any "
    "of their files. All of one kind: protein, or DNA. Or structures: files in PDB or mmCIF format, folders and tar "
    "archives of them; their shape is stored beside the residues."
)
MASKING = "3Di symbols of less certain residues of predicted models become unknown and score 0. Residues stay."
PACKED = (
    "A smaller file, 5 bits a residue or 2 a base. One that takes more than half of the memory is searched block by "
    "block from its drive."
)
MENU_LIMIT = 12
GPU_BYTES_PER_RESIDUE = 2  # the database, its offsets and scores, with room to spare
SAMPLE_NAME = "Sample database"
Progress = Callable[[int, int], None]


def sample_database() -> Path:
    return paths.resources_dir() / "examples" / "sample_database.fasta.gz"


@dataclass(frozen=True, slots=True)
class Opened:
    """A database that is ready, what was noticed if it had to be read, and the day its file was written."""

    path: Path
    database: EncodedDatabase
    report: ReadReport
    written: str = ""
    members: tuple[Opened, ...] = ()  # those that are searched as one, if there are several

    @property
    def each(self) -> tuple[Opened, ...]:
        """What was opened, one by one."""
        return self.members or (self,)


def open_at(path: Path, progress: Progress, cancel: threading.Event) -> Opened:
    """Return a database file that is opened, or a sequence file that is made a database and kept for next time.

    Raises
    ------
    DatabaseError, SequenceError
        If the file cannot be opened or read.
    Stopped
        If `cancel` was set.
    """
    report = ReadReport()
    note_database(path)
    database = open_any_database(path, report=report, progress=progress, cancel=cancel)
    if path == sample_database():
        database = database.renamed(SAMPLE_NAME)
    return Opened(path, database, report, _day(path))


def as_one(opened: Sequence[Opened]) -> Opened:
    """Return several databases as the one that is searched and ranked as a whole. Raises as `joined`."""
    if len(opened) == 1:
        return opened[0]
    last = opened[-1]
    return Opened(opened[0].path, joined([one.database for one in opened]), last.report, "", tuple(opened))


def open_beside(others: Sequence[Opened], path: Path, progress: Progress, cancel: threading.Event) -> Opened:
    """Return databases with one more, as one. Raises as `open_at` and `joined`."""
    return as_one((*others, open_at(path, progress, cancel)))


@dataclass(frozen=True, slots=True)
class Build:
    """A database that is to be built from files."""

    sources: tuple[Path, ...]
    out: Path  # the file it is written to
    name: str
    organisms: OrganismFiles = NO_FILES
    min_plddt: float = 0.0  # confidence below which symbols of models are masked
    packed: bool = False  # whether it gets the form for large sets

    def write(self, report: ReadReport, progress: Progress, cancel: threading.Event) -> EncodedDatabase:
        """Build it. Raises as `build_of_any`."""
        paths.make_folder(self.out.parent)
        return build_of_any(
            self.sources, self.out, name=self.name, report=report, progress=progress, cancel=cancel,
            organisms=self.organisms, min_plddt=self.min_plddt, packed=self.packed,
        )  # fmt: skip


def build_at(build: Build, progress: Progress, cancel: threading.Event) -> Opened:
    """Return a database that is built from files, opened as any other. Raises as `build_of_any` and `open_at`."""
    build.write(ReadReport(), progress, cancel)
    return open_at(build.out, progress, cancel)


def _day(path: Path) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))


class BuildDialog(Dialog):
    """Asks for sequence files and a name."""

    def __init__(self, folder: str, parent: QWidget | None = None) -> None:
        super().__init__("buildDialog", "Build a database", parent, size=(80, 54))
        self._folder = folder
        self.sources: list[Path] = []
        self._list = described(QListWidget(), "buildSources", accessible="Sequence files of the new database")
        keep_size(self._list, height=5)
        add = push_button("buildAdd", "Add files…", does=self._choose)
        folder_of = push_button("buildAddFolder", "Add a folder of structures…", does=self._choose_folder)
        self.name = line_edit("buildName", hint="Name of the database", does=self._check)
        self._organisms = OrganismFilesRows(folder)
        self._mask_box = spin_box(
            "buildMask", (0, 100), 0, MASKING, special="Nothing masked", accessible="Least confidence, pLDDT"
        )
        self._mask = QWidget()
        in_row(self._mask_box, (text_label(MASKING, level="small", wrap=True), 1), parent=self._mask)
        self._mask_label = text_label("&Mask below pLDDT", buddy=self._mask_box)
        self.packed = check_box("buildPacked", "Packed, for large sets", PACKED)
        self._where = text_label(wrap=True, level="small")
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._build = self._buttons.addButton("Build", QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self._build, role="primary")
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        in_column(
            text_label(ACCEPTED, wrap=True),
            (self._list, 1),
            in_row(add, folder_of, 1, self.packed),
            in_form(("&Name", self.name), *self._organisms.rows, (self._mask_label, self._mask)),
            self._where,
            self._buttons,
            margins=2,
            parent=self,
        )
        self._check()
        self.name.setFocus()

    @property
    def out(self) -> Path:
        """The file it will be written to: the typed name without what file systems refuse."""
        safe = "".join(c if c.isalnum() or c in " ._-" else "_" for c in self.name.text().strip())
        return paths.data_dir() / "databases" / f"{safe.strip('. ')}{SUFFIX}"

    @property
    def asked(self) -> Build:
        """What is to be built."""
        least = float(self._mask_box.value()) if are_structures(self.sources) else 0.0
        name, organisms = self.name.text().strip(), self._organisms.files
        return Build(tuple(self.sources), self.out, name, organisms, least, self.packed.isChecked())

    def add(self, files: Sequence[Path]) -> None:
        """Add source files; they give the name as long as the user has typed none: ``1tim and 27 more``."""
        named = self.name.text() not in ("", self._suggested_name())
        self.sources = list(dict.fromkeys(sources_of([*self.sources, *files])))
        self._list.clear()
        self._list.addItems([str(file) for file in self.sources])
        if not named:
            self.name.setText(self._suggested_name())
        self._check()

    def ask(self) -> None:
        """Open it; where no files are given, they are asked for at once."""
        self.open()
        if not self.sources:
            self._choose()

    def _suggested_name(self) -> str:
        if not self.sources:
            return ""
        first = self.sources[0].name.split(".")[0]
        return first if len(self.sources) == 1 else f"{first} and {len(self.sources) - 1:,} more"

    def _choose(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Sequence files", self._folder, SEQUENCE_FILES)
        self.add([Path(name) for name in names])

    def _choose_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, "Folder of structures", self._folder):
            self.add([Path(name)])

    def _check(self) -> None:
        named = bool(self.out.name.removesuffix(SUFFIX))
        taken = named and self.out.exists()
        self._build.setEnabled(bool(self.sources) and named and not taken)
        for part in (self._mask_label, self._mask):
            part.setVisible(bool(self.sources) and are_structures(self.sources))
        if taken:
            self._where.setText(f"There is a database of this name already: {self.out}")
        else:
            self._where.setText(f"It will be written to {self.out}" if named else "")


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
    # choose_wanted, build_wanted, sample_wanted: an entry of the menu was chosen
    choose_wanted = Signal()
    beside_wanted = Signal()  # the same of a file that is to be searched together with what is chosen
    build_wanted = Signal()
    sample_wanted = Signal()

    def __init__(
        self, recent: RecentSettings, parent: QWidget | None = None, *, organisms: bool = True, several: bool = False
    ) -> None:
        super().__init__(parent)
        self._by_organism, self._several = organisms, several
        self.setObjectName("databasePanel")
        set_role(self, role="card")
        # Opening may take minutes: it has its own thread, so that parsing a query never waits for it.
        self._task = Task(self)
        self._task.progressed.connect(lambda share, _text: motion.show_share(self._bar, share))
        self._listing, self._measuring = Task(self), Task(self)
        self._recent = recent
        self.current: Opened | None = None  # what is searched
        self._error = ""
        self._opening = ""
        self._known: list[tuple[Path, str]] = []
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
        """Search in another database, too; if it cannot be, what was chosen stays."""
        if self.current is None:
            self.open(path)
        else:
            self._run(f"Reading {path.name}", partial(open_beside, self.current.each, path), keep=True)

    def leave_out(self, opened: Opened) -> None:
        """Search in the others alone."""
        if self.current is not None and opened in self.current.members:
            self._done(as_one([one for one in self.current.members if one is not opened]))

    def build(self, build: Build) -> None:
        self._run(f"Building {build.name}", partial(build_at, build))

    def cancel(self) -> None:
        """Give up opening or building; the database before stays."""
        if self.busy:
            self._task.drop()
            self._error = ""
            self._show()
            self.changed.emit()

    def set_gpu_memory(self, size: int) -> None:
        """Say how much memory the GPU has, in bytes; 0 if there is none."""
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
        self._task.start(lambda control: work(control.tell, control), self._done, failed, title=doing)
        motion.be_busy(self._bar)
        self._show()
        self.changed.emit()

    def _done(self, opened: Opened) -> None:
        self.current = opened
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
        self._known = databases

    def _build(self) -> None:
        title = text_label("Database", level="heading")
        keep_size(title, width=12)
        self._name = described(ElidedLabel(), "databaseName")
        set_role(self._name, level="heading")
        self._facts = text_label(name="databaseFacts", plain=True, wrap=True, level="muted")
        self._bar = progress_bar("databaseBar", "Progress of reading the database")
        tip = "Stop reading; the database in use stays"
        self._cancel_button = push_button("databaseCancel", "Cancel", tip, self.cancel)
        self._report = push_button("databaseReport", "Input report…", does=self.show_report, role="quiet")
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
        """Put what is said of the database below its heading."""
        turn(self._lines, narrow)

    def show_report(self) -> None:
        if self.current is not None:
            InputReport(self.current.report, self.window()).open()

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        listed: set[Path] = set()
        for path, text in self._known:
            listed.add(path)
            menu.addAction(text).triggered.connect(partial(self._open_known, path))
        for name in self._recent.databases[:MENU_LIMIT]:
            path = Path(name)
            if path not in listed and path != sample_database():
                listed.add(path)
                action = menu.addAction(path.name)
                action.setToolTip(plain(name))
                action.triggered.connect(partial(self._open_known, path))
        if listed:
            menu.addSeparator()
        menu.addAction("Choose a file…").triggered.connect(self.choose_wanted)
        if self._several and self.current is not None:
            self._fill_several(menu)
        menu.addAction("Build a database…").triggered.connect(self.build_wanted)
        menu.addAction("Sample database").triggered.connect(self.sample_wanted)

    def _fill_several(self, menu: QMenu) -> None:
        """Offer what can be searched together with what is chosen, and to leave one of several out."""
        more = menu.addMenu("Search another one, too")
        known = {path: text for path, text in self._known if path not in self.paths}
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
    """Say how large a database is, of what day, and whether it fits a GPU (memory in bytes, 0 for none)."""
    database = opened.database
    longest = int(database.lengths.max()) if len(database) else 0
    letters = wording.LETTERS[database.alphabet.name]
    parts = [
        *([f"{len(opened.members)} databases, ranked as one"] if opened.members else []),
        words.count(len(database), "sequence"),
        words.count(database.residues, letters),
        f"longest {longest:,}",
        KIND_NAMES[database.alphabet.name],
    ]
    if database.track is not None:
        parts.append(f"with {database.track.alphabet.name} symbols")
    if opened.written and opened.path != sample_database():
        parts.append(f"file of {opened.written}")
    if gpu_memory:
        fits = database.residues * GPU_BYTES_PER_RESIDUE < gpu_memory
        parts.append("fits the GPU" if fits else "larger than the GPU's memory: sent in parts")
    return " · ".join(parts)


def _waits_of(database: EncodedDatabase) -> str:
    from swgui.jobs.waiting import waits_of  # here: the first picture needs none of it

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
