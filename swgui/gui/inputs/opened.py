"""Databases that are opened or built, together with their files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from swgui import paths
from swgui.core.database import EncodedDatabase
from swgui.core.several.joined import joined
from swgui.gui.kit.saving import note_database
from swgui.io.database.library import open_any_database
from swgui.io.database.structures import build_of_any
from swgui.io.organism_files import NO_FILES, OrganismFiles
from swgui.io.sequences.reader import ReadReport

SEQUENCE_FILES = (
    "Databases and sequence files (*.swdb *.fa *.fasta *.faa *.fna *.ffn *.fas *.fq *.fastq *.gb *.gbk *.embl *.dat "
    "*.pir *.pdb *.ent *.cif *.mmcif *.tar *.gz *.bgz *.bz2 *.xz *.zst);;"
    "Databases of BLAST, MMseqs2, DIAMOND (*.pal *.nal *.pin *.nin *.index *.dmnd);;"
    "Parquet files (*.parquet *.parq);;All files (*)"
)
SAMPLE_NAME = "Sample database"
Progress = Callable[[int, int], None]


def sample_database() -> Path:
    return paths.resources_dir() / "examples" / "sample_database.fasta.gz"


@dataclass(frozen=True, slots=True)
class Opened:
    """A database that is ready, the remarks of its reader, and its release or day."""

    path: Path
    database: EncodedDatabase
    report: ReadReport
    release: str = ""  # as of `release_of`
    members: tuple[Opened, ...] = ()  # those that are searched as one, if there are several

    @property
    def each(self) -> tuple[Opened, ...]:
        """Opened databases, one by one."""
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
    from swgui.io.database.dated import release_of  # here: the first picture needs none of it

    report = ReadReport()
    note_database(path)
    database = open_any_database(path, report=report, progress=progress, cancel=cancel)
    if path == sample_database():
        database = database.renamed(SAMPLE_NAME)
    return Opened(path, database, report, release_of(path))


def as_one(opened: Sequence[Opened]) -> Opened:
    """Return several databases as one, searched and ranked as a whole. Raises as `joined`."""
    if len(opened) == 1:
        return opened[0]
    last = opened[-1]
    return Opened(opened[0].path, joined([one.database for one in opened]), last.report, "", tuple(opened))


def open_beside(others: Sequence[Opened], path: Path, progress: Progress, cancel: threading.Event) -> Opened:
    """Return databases with one more, as one. Raises as `open_at` and `joined`."""
    return as_one((*others, open_at(path, progress, cancel)))


@dataclass(frozen=True, slots=True)
class Build:
    """A database to build from files."""

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
