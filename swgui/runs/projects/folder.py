"""A project in its folder: making it, adding to it, and its parts.

::

    project.json    the record (`swgui.runs.projects.record`)
    runs/           its runs, as the list of runs has them, and marks.json: stars and notes
    tables/         tables of the user's own
    databases/      copies of databases, where some were sent with it
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, NamedTuple

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.io.database.format import SUFFIX
from swgui.io.marks import Mark, MarkBook, Of, add_marks, give_stars, marks_place, read_marks, write_note
from swgui.io.metadata import read_metadata
from swgui.io.sequences.sniffing import known_by_first_line
from swgui.io.sequences.sources import open_file
from swgui.io.whole_file import whole_file
from swgui.runs.opening import kind_of_saved
from swgui.runs.projects.record import (
    RUNS,
    TABLES,
    ProjectError,
    ProjectFacts,
    described_file,
    find_file,
    is_file_of,
    read_record,
    write_record,
)
from swgui.runs.records import NeededFile, RunRecord, now
from swgui.runs.store import Runs

TABLE_ENDINGS: Final = (".csv", ".tsv", ".xlsx")
Part = Literal["run", "database", "table"]


class Added(NamedTuple):
    """Something that was added to a project: its kind, its name there, and the id of a run."""

    part: Part
    name: str
    run_id: str = ""


class FilePart(NamedTuple):
    """A database or table of a project: what is known of it, and where it is; None if it is nowhere."""

    part: Part
    wanted: NeededFile
    place: Path | None

    @property
    def said(self) -> str:
        """Where it is, or what is wrong and what to do, as a sentence or a path."""
        if self.place is not None:
            return str(self.place)
        if self.part == "table":
            return f"The table '{self.wanted.name}' is missing or was changed: add it again."
        where = f" at '{self.wanted.path}'" if self.wanted.path else ""
        return f"'{self.wanted.name}' is not there{where}: put it into the folder 'databases' of the project."


class Project:
    """A project that is there.

    Parameters
    ----------
    folder : path
        Its folder.

    Raises
    ------
    ProjectError
        If it is no project, or its record is damaged.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        self.facts = read_record(self.folder)

    @classmethod
    def make(cls, folder: str | os.PathLike[str], name: str = "") -> Project:
        """Make a project in a new or empty folder.

        Parameters
        ----------
        name : str
            For people; the name of the folder if not given.

        Raises
        ------
        ProjectError
            If there is something in the folder, or it cannot be made.
        """
        place = Path(folder).absolute()
        try:
            if place.exists() and (not place.is_dir() or any(place.iterdir())):
                said = "is a project already" if paths.is_project(place) else "is not empty"
                hint = "Open it, or choose another folder." if paths.is_project(place) else "Choose a new folder."
                raise ProjectError(place, f"'{place}' {said}.", hint=hint)
            paths.make_folder(place)
            write_record(place, ProjectFacts(" ".join(name.split())[:200] or place.name, now()))
        except OSError as fault:
            if isinstance(fault, SwguiError):
                raise
            raise ProjectError(place, f"'{place}' cannot be made: {fault.strerror or fault}.") from fault
        return cls(place)

    @property
    def name(self) -> str:
        """The name for people."""
        return self.facts.name

    @cached_property
    def runs(self) -> Runs:
        """The runs."""
        return Runs(self.folder / RUNS)

    # Stars and notes

    @property
    def marks(self) -> MarkBook:
        """Stars and notes; `MarksError` if they are damaged."""
        return read_marks(marks_place(self.folder / RUNS))

    def star(self, *names: str, on: bool = True) -> None:
        """Give runs (name or id) and sequences (identifier) a star, or take it away; errors as of `give_stars`."""
        paths.make_folder(self.folder / RUNS)
        for of, some in self._meant(names):
            give_stars(marks_place(self.folder / RUNS), some, on, of)

    def note(self, name: str, text: str) -> None:
        """Write a note on a run or a sequence, or, for an empty name, on the project; an empty text takes it away."""
        if not name:
            self._keep(replace(self.facts, note=text.strip()))
            return
        paths.make_folder(self.folder / RUNS)
        for of, some in self._meant((name,)):
            write_note(marks_place(self.folder / RUNS), some[0], text, of)

    def _meant(self, names: tuple[str, ...]) -> Iterator[tuple[Of, list[str]]]:
        """Yield the ids of the runs that are meant, then all other names."""
        runs = {key: record.id for record in self.runs.list() for key in (record.name, record.id)}
        meant = [runs[name] for name in names if name in runs]
        others = [name for name in names if name not in runs]
        if meant:
            yield "runs", meant
        if others:
            yield "records", others

    # Parts

    def files(self) -> list[FilePart]:
        """Return databases, of runs as well, and tables, each once, with the place where it is found."""
        wanted = {(one.name, one.checksum): one for one in self.facts.databases}
        for record in self.runs.list():
            with suppress(SwguiError):
                for one in self.runs.of(record.kind).needs(record.id):
                    if not any(_same(one, other) for other in wanted.values()):
                        wanted[one.name, one.checksum] = one
        parts = [FilePart("database", one, find_file(one, self.folder)) for one in wanted.values()]
        return parts + [FilePart("table", one, self._table(one)) for one in self.facts.tables]

    def _table(self, wanted: NeededFile) -> Path | None:
        place = self.folder / TABLES / wanted.name
        return place if place.is_file() and is_file_of(wanted, place) else None

    # Adding

    def add(self, given: str | os.PathLike[str]) -> Added:
        """Add a saved run, a database or file of sequences, a table, or a run of the user's list by name or id.

        Runs and tables are copied, databases named with checksum and size.

        Raises
        ------
        ProjectError
            If there is no such thing, or it is none of these.
        SwguiError
            If it cannot be read, or not be written into the project.
        """
        path = Path(given)
        if not os.path.lexists(path):
            return self._add_listed(str(given))
        if path.is_dir() or not path.exists():
            raise ProjectError(path, f"'{path}' is no file.", hint="Name a saved run, a database or a table.")
        if kind := kind_of_saved(path):
            run_id = self.runs.of(kind).take_file(path)
            record = self.runs.record(run_id)
            if record.name == run_id:  # the file says none
                record = self.runs.rename(run_id, path.name.split(".")[0] or kind)
            return Added("run", record.name, run_id)
        if _is_table(path):
            return self._add_table(path)
        return self._add_database(path)

    def _add_listed(self, name: str) -> Added:
        listed = Runs(paths.users_runs())
        fit = [record for record in listed.list() if name in (record.id, record.name)]
        if len(fit) != 1:
            shown = ", ".join(f"{record.id} ('{record.name}')" for record in fit[:5])
            said = f"{count(len(fit), 'run')} of the list are called '{name}'" if fit else f"There is no '{name}'"
            hint = f"Name one by its id: {shown}." if fit else "Name a file, or a run of the list of runs."
            raise ProjectError(self.folder, f"{said}.", hint=hint)
        return self.add_run(listed, fit[0])

    def add_run(self, runs: Runs, record: RunRecord) -> Added:
        """Copy a run of another folder of runs, with its star and note; the run there stays.

        Raises
        ------
        ProjectError
            If it is active, or is in the project already.
        FileNotWritten
            If it cannot be written.
        """
        if runs.files.active(record.id):
            raise ProjectError(self.folder, f"The run '{record.name}' is active.", hint="Wait until it has ended.")
        if self.runs.files.files(record.id):
            raise ProjectError(self.folder, f"The run '{record.name}' is in the project already.")
        self.runs.files.make()
        for file in runs.files.files(record.id):
            _copy(file, self.runs.folder / file.name)
        if mark := read_marks(marks_place(runs.folder)).of_run(record.id):
            self.add_marks({record.id: mark}, "runs")
        return Added("run", record.name, record.id)

    def add_marks(self, marks: dict[str, Mark], of: Of = "records") -> None:
        """Add stars and notes; errors as of `give_stars`."""
        paths.make_folder(self.folder / RUNS)
        add_marks(marks_place(self.folder / RUNS), marks, of)

    def _add_table(self, path: Path) -> Added:
        place = self.folder / TABLES / path.name
        if place.exists():
            hint = "Give the file another name."
            raise ProjectError(place, f"The project has a table '{path.name}' already.", hint=hint)
        read_metadata(path)
        paths.make_folder(place.parent)
        _copy(path, place)
        own = replace(described_file(place), path=str(path.absolute()))
        self._keep(replace(self.facts, tables=(*self.facts.tables, own)))
        return Added("table", path.name)

    def _add_database(self, path: Path) -> Added:
        own = described_file(path)
        if path.suffix != SUFFIX:
            with open_file(str(path)) as source:
                if not known_by_first_line(source.head):
                    message = f"'{path.name}' is no saved run, no database, no file of sequences and no table."
                    raise ProjectError(path, message, hint="Tables are CSV, TSV or XLSX, with a line of column names.")
        if not any(_same(own, other) for other in self.facts.databases):
            self._keep(replace(self.facts, databases=(*self.facts.databases, own)))
        return Added("database", own.name)

    def _keep(self, facts: ProjectFacts) -> None:
        write_record(self.folder, facts)
        self.facts = facts


def _copy(source: Path, target: Path) -> None:
    """Copy a file, whole or not at all."""
    with open(source, "rb") as content, whole_file(target) as file:
        shutil.copyfileobj(content, file)


def _same(first: NeededFile, second: NeededFile) -> bool:
    """Whether two entries are of one file: by their place, or by their content."""
    return (bool(first.path) and first.path == second.path) or (
        bool(first.checksum) and first.checksum == second.checksum
    )


def _is_table(path: Path) -> bool:
    """Whether a file is to be read as a table, by its ending."""
    return path.name.removesuffix(".gz").endswith(TABLE_ENDINGS)
