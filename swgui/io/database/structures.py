"""A database of structures: residues, 3Di symbols and coordinates of every chain in one file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.errors import Stopped
from swgui.core.records import Letters, SequenceRecord
from swgui.core.structures.chain import UNKNOWN_SHAPE, Chain
from swgui.core.words import count
from swgui.io.database.build import Finish, build_database, build_from_records, check_sources, update_database
from swgui.io.database.facts import StructureSources
from swgui.io.database.file import database_facts
from swgui.io.database.packed.keeping import Older, older_of
from swgui.io.organism_files import OrganismFiles
from swgui.io.read_report import ReadReport
from swgui.io.structures.gathering import Progress, gather
from swgui.io.structures.journal import Journal
from swgui.io.structures.naming import chosen, is_archive_name, is_structure_name
from swgui.io.structures.reading import SHAPE


def are_structures(sources: Iterable[str | os.PathLike[str]]) -> bool:
    """Whether sources are structures by what they are: folders, tar archives, and files with names of structures."""
    return all(
        os.path.isdir(source) or is_archive_name(source) or is_structure_name(chosen(source).path) for source in sources
    )


def build_of_any(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    name: str,
    report: ReadReport,
    progress: Progress,
    cancel: threading.Event,
    organisms: OrganismFiles,
    min_plddt: float = 0.0,
    packed: bool = False,
) -> EncodedDatabase:
    """Write a database file of structures or of sequence files, whichever the sources are; raises as either does."""
    build = partial(build_from_structures, min_plddt=min_plddt) if are_structures(sources) else build_database
    return build(
        sources, out, name=name, report=report, progress=progress, cancel=cancel, organisms=organisms, packed=packed
    )


def update_of_any(
    path: str | os.PathLike[str],
    *,
    report: ReadReport,
    sources: Sequence[str | os.PathLike[str]] = (),
    out: str | os.PathLike[str] | None = None,
    older: Older | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> EncodedDatabase:
    """Build a database file again from what it was built from: new models come in, removed ones go.

    Parameters
    ----------
    sources : sequence of paths
        Of a newer release; those that the file names if empty.
    out : path, optional
        Written in place of the file itself.
    older : Older, optional
        What the file holds now, if it is packed; found by itself if not given.

    Raises
    ------
    DatabaseError
        If the file does not say what it was built from, or a source is gone.
    SequenceError, Stopped
        As building; the older file stays as it is.
    """
    facts = database_facts(path)
    older = older or older_of(path)
    if facts.structures is None:
        return update_database(
            path, sources=sources, out=out, older=older, report=report, progress=progress, cancel=cancel
        )
    if not sources:
        check_sources(path, [Path(source.path) for source in facts.sources])
    return build_from_structures(
        sources or facts.structures.paths,
        out or path,
        name=facts.name,
        min_plddt=facts.structures.min_plddt,
        report=report,
        progress=progress,
        cancel=cancel,
        organisms=facts.organism_files,
        packed=facts.packed is not None,
        older=older,
    )


def build_from_structures(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    name: str = "",
    min_plddt: float = 0.0,
    report: ReadReport | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    organisms: OrganismFiles | None = None,
    resumed: Callable[[int], None] | None = None,
    packed: bool = False,
    older: Older | None = None,
    finish: Finish | None = None,
) -> EncodedDatabase:
    """Read structures and write a database file of their chains, with a journal next to `out` until that is complete.

    Parameters
    ----------
    sources : sequence of paths
        Folders, tar archives, files and ``FILE:CHAIN``, as for `swgui.io.structures.members.members`.
    out : path
        Replaced when the new file is complete.
    name : str, shown to users; that of `out` if empty
    min_plddt : float
        Symbols of residues of models with a lower confidence, 0 to 100, are unknown.
    report : ReadReport, optional
        Gets the names of files that were left out, and why.
    progress : callable, optional
        Called with (files read, files in all or 0).
    resumed : callable, optional; told how many files the journal of an earlier call has
    packed, older, finish
        As for `swgui.io.database.build.build_database`.

    Raises
    ------
    SequenceError
        If a source is not there, or no chain of protein was read.
    DatabaseError, Stopped
        If the file cannot be written; if `cancel` was set.
    """
    report = report if report is not None else ReadReport()

    def check() -> None:
        if cancel is not None and cancel.is_set():
            kept = f"{count(len(journal), 'file was', 'files were')} read and need not be read again."
            raise Stopped("Reading structures was stopped.", hint=kept)

    with Journal(Path(out)) as journal:
        if journal.read and resumed is not None:
            resumed(len(journal))
        records = _records(gather(sources, journal, report, told=progress, check=check), min_plddt)
        made_of = StructureSources(tuple(os.path.abspath(source) for source in sources), min_plddt)
        database = build_from_records(
            records, out, alphabet=PROTEIN, name=name, sources=[_place(source) for source in sources],
            structures=made_of, report=report, cancel=cancel, organisms=organisms, packed=packed,
            older=older, finish=finish,
        )  # fmt: skip
        journal.remove()
    return database


def _place(source: str | os.PathLike[str]) -> Path:
    """Return the folder, the archive, or the file of a chosen chain."""
    return Path(source) if os.path.isdir(source) or is_archive_name(source) else chosen(source).path


def _records(chains: Iterable[Chain], min_plddt: float) -> Iterator[SequenceRecord]:
    for chain in chains:
        symbols = chain.masked(min_plddt) or bytes([UNKNOWN_SHAPE]) * len(chain)
        yield SequenceRecord(
            chain.id,
            chain.description,
            chain.residues,
            chain.features,
            letters=Letters(SHAPE, symbols),
            places=chain.places,
        )
