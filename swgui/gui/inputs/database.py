"""The database that is searched: which, how large, and opening or building it in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QListWidget,
    QMenu,
    QWidget,
)

from swgui import paths
from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.gui.inputs.organisms.box import OrganismBox
from swgui.gui.inputs.organisms.files import OrganismFilesRows
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import in_column, in_form, in_row
from swgui.gui.kit.plain import plain
from swgui.gui.kit.saving import note_database
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import grid, keep_size, set_role
from swgui.gui.kit.widgets import (
    described,
    line_edit,
    progress_bar,
    push_button,
    spin_box,
    text_label,
)
from swgui.gui.words import wording
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.library import open_any_database, user_databases
from swgui.io.organisms.assign import NO_FILES, OrganismFiles
from swgui.io.sequences.reader import ReadReport
from swgui.io.structures.database import are_structures, build_of_any
from swgui.settings import RecentSettings

SUFFIX = ".swdb"
SEQUENCE_FILES = (
    "Databases and sequence files (*.swdb *.fa *.fasta *.faa *.fna *.ffn *.fas *.fq *.fastq *.gb *.gbk *.embl *.dat "
    "*.pir *.pdb *.ent *.cif *.mmcif *.tar *.gz *.bgz *.bz2 *.xz *.zst);;"
    "BLAST databases (*.pal *.nal *.pin *.nin);;All files (*)"
)
ACCEPTED = (
    "FASTA, FASTQ, GenBank, EMBL or UniProt files, plain or gz. All of one kind: protein, or DNA. Or structures: files "
    "in PDB or mmCIF format, folders and tar archives of them; their shape is stored beside the residues."
)
MASKING = "3Di symbols of less certain residues of predicted models become unknown and score 0. Residues stay."
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
        database = replace(database, name=SAMPLE_NAME)
    return Opened(path, database, report, _day(path))


def build_at(
    sources: Sequence[Path],
    out: Path,
    name: str,
    organisms: OrganismFiles,
    min_plddt: float,
    progress: Progress,
    cancel: threading.Event,
) -> Opened:
    """Return a database that is built from files and written to `out`. Raises as `build_of_any`."""
    report = ReadReport()
    paths.make_folder(out.parent)
    database = build_of_any(
        sources, out, name=name, report=report, progress=progress, cancel=cancel, organisms=organisms,
        min_plddt=min_plddt,
    )  # fmt: skip
    note_database(out)
    return Opened(out, database, report, _day(out))


def _day(path: Path) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))


class BuildDialog(QDialog):
    """Asks for sequence files and a name."""

    def __init__(self, folder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("buildDialog")
        self.setWindowTitle("Build a database")
        self.resize(grid(80), grid(54))
        self._folder = folder
        self.sources: list[Path] = []
        self._list = described(QListWidget(), "buildSources", accessible="Sequence files of the new database")
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
        self._where = text_label(wrap=True, level="small")
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._build = self._buttons.addButton("Build", QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self._build, role="primary")
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        in_column(
            text_label(ACCEPTED, wrap=True),
            (self._list, 1),
            in_row(add, folder_of, 1),
            in_form(("&Name", self.name), *self._organisms.rows, (self._mask_label, self._mask)),
            self._where,
            self._buttons,
            margins=2,
            parent=self,
        )
        self._check()

    @property
    def out(self) -> Path:
        """The file it will be written to: the typed name without what file systems refuse."""
        safe = "".join(c if c.isalnum() or c in " ._-" else "_" for c in self.name.text().strip())
        return paths.data_dir() / "databases" / f"{safe.strip('. ')}{SUFFIX}"

    @property
    def organisms(self) -> OrganismFiles:
        return self._organisms.files

    @property
    def min_plddt(self) -> float:
        """Confidence below which symbols of models are masked; 0 for none."""
        return float(self._mask_box.value()) if are_structures(self.sources) else 0.0

    def add(self, files: Sequence[Path]) -> None:
        """Add source files; the first gives the name if there is none yet."""
        for file in files:
            if file not in self.sources:
                self.sources.append(file)
                self._list.addItem(str(file))
        if self.sources and not self.name.text():
            self.name.setText(self.sources[0].name.split(".")[0])
        self._check()

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


class DatabasePanel(QFrame):
    """Shows the chosen database and lets the user choose or build one.

    Signals
    -------
    changed()
        The database or the state of opening it changed.
    opened(object)
        A database was opened; its `Opened`.
    failed(object)
        It could not be; the exception.
    choose_wanted(), build_wanted(), sample_wanted()
        An entry of the menu was chosen.
    """

    changed = Signal()
    opened = Signal(object)
    failed = Signal(object)
    choose_wanted = Signal()
    build_wanted = Signal()
    sample_wanted = Signal()

    def __init__(self, recent: RecentSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("databasePanel")
        set_role(self, role="card")
        # Opening may take minutes: it has its own thread, so that parsing a query never waits for it.
        self._task = Task(self)
        self._task.progressed.connect(lambda share, _text: motion.show_share(self._bar, share))
        self._listing = Task(self)
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

    def open(self, path: Path) -> None:
        self._run(f"Reading {path.name}", partial(open_at, path))

    def build(
        self, sources: Sequence[Path], out: Path, name: str, organisms: OrganismFiles = NO_FILES, min_plddt: float = 0.0
    ) -> None:
        self._run(f"Building {name}", partial(build_at, tuple(sources), out, name, organisms, min_plddt))

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
        """Stop whatever runs for good."""
        self._task.shutdown()
        self.organisms.shutdown()
        self._listing.shutdown()

    def _run(self, doing: str, work: Callable[[Progress, threading.Event], Opened]) -> None:
        self._opening, self._error = doing, ""
        self._task.start(lambda control: work(control.tell, control), self._done, self._refused, title=doing)
        motion.be_busy(self._bar)
        self._show()
        self.changed.emit()

    def _done(self, opened: Opened) -> None:
        self.current = opened
        self._show()
        self.refresh_known()
        self.opened.emit(opened)
        self.changed.emit()

    def _refused(self, error: Exception) -> None:
        self.current = None
        self._error = wording.explain(error)
        self._show()
        self.failed.emit(error)
        self.changed.emit()

    def refresh_known(self) -> None:
        """Look again which databases this user has."""
        self._listing.start(lambda _control: _known_databases(), self._take_known)

    def _take_known(self, known: list[tuple[Path, str]]) -> None:
        self._known = known

    def _build(self) -> None:
        title = text_label("Database", level="heading")
        keep_size(title, width=12)
        self._name = text_label(name="databaseName", plain=True, level="heading")
        self._facts = text_label(name="databaseFacts", plain=True, wrap=True, level="muted")
        self._bar = progress_bar("databaseBar", "Progress of reading the database")
        tip = "Stop reading; the database in use stays"
        self._cancel_button = push_button("databaseCancel", "Cancel", tip, self.cancel)
        self._report = push_button("databaseReport", "Input report…", does=self.show_report, role="quiet")
        tip = "Choose another database, a sequence file, or build one (Ctrl+D)"
        self.choose_button = push_button("databaseChoose", "Choose", tip)
        menu = QMenu(self.choose_button)
        menu.aboutToShow.connect(lambda: self._fill(menu))
        self.choose_button.setMenu(menu)
        self.organisms = OrganismBox()
        self.organisms.changed.connect(self.changed)
        words = in_column(self._name, self._facts, self._bar, self.organisms, spacing=0.25)
        buttons = (self._report, self._cancel_button, self.choose_button)
        layout = in_row(title, (words, 1), *buttons, margins=(2, 1.5, 2, 1.5), parent=self)
        for part in (title, *buttons):
            layout.setAlignment(part, Qt.AlignmentFlag.AlignVCenter)

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
        menu.addAction("Build a database…").triggered.connect(self.build_wanted)
        menu.addAction("Sample database").triggered.connect(self.sample_wanted)

    def _open_known(self, path: Path, _checked: bool = False) -> None:
        self.open(path)

    def _show(self) -> None:
        busy, current = self.busy, self.current
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
            self._name.setText(f"{self._opening}…")
        elif current is not None:
            self._name.setText(current.database.name)
            self._name.setToolTip(plain(str(current.path)))
            self._facts.setText(describe(current, self._gpu_memory))
        else:
            self._name.setText("This database cannot be used" if self._error else "No database yet")
            self._facts.setText(self._error or "Choose one, or drop a FASTA file anywhere on the window.")
        set_role(self._facts, tone="danger" if self._error and not busy else "")


def describe(opened: Opened, gpu_memory: int) -> str:
    """Say how large a database is, of what day, and whether it fits a GPU (memory in bytes, 0 for none)."""
    database = opened.database
    longest = int(database.lengths.max()) if len(database) else 0
    letters = wording.LETTERS[database.alphabet.name]
    parts = [
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


def _known_databases() -> list[tuple[Path, str]]:
    return [
        (
            known.path,
            f"{known.name}   {words.count(known.sequences, 'sequence')}, {KIND_NAMES[known.alphabet.name]}"
            + (", its source changed since" if known.outdated else ""),
        )
        for known in user_databases()
        if known.path != sample_database()
    ][:MENU_LIMIT]
