"""Databases: opened from files, built, or made of sequences in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import KINDS
from swgui.core.compare.matching import match_names
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import DatabaseError, InvalidParameter, NotFound
from swgui.core.records import SequenceRecord
from swgui.core.several.joined import joined
from swgui.io.database.any_file import open_any_database
from swgui.io.database.format import SUFFIX
from swgui.io.sequences.report import ReadReport
from swgui.library.calls import public
from swgui.library.queries import Sequences, read_given
from swgui.library.session import warn
from swgui.library.values import path_of

FileName: TypeAlias = str | os.PathLike[str]
DatabaseLike: TypeAlias = Any  # what searches take: a path, a Database, or sequences


class Database:
    """A database of subjects, open.

    Functions that search take a path just as well, and keep what they opened for the next call.

    Parameters
    ----------
    source : path
        A ``.swdb`` file, or a file of sequences, which is converted once and then found among the conversions.

    Raises
    ------
    DatabaseError, SequenceError
        If it cannot be opened or read.
    """

    @public
    def __init__(self, source: FileName | EncodedDatabase) -> None:
        self.path: Path | None = None
        if isinstance(source, EncodedDatabase):
            self.encoded = source
            return
        self.path = path_of(source, "source")
        report = ReadReport()
        self.encoded = open_any_database(self.path, report=report)
        if report.altered:
            warn(f"{self.path.name}: {report.summary()}")

    @classmethod
    @public
    def of(cls, sequences: Sequences, name: str = "sequences", type: str = "auto") -> Database:
        """Return a database of sequences in memory.

        Parameters
        ----------
        sequences : as the queries of `swgui.search`
        name : str
            As results call it.
        type : {"auto", "protein", "nucleotide"}

        Raises
        ------
        SequenceError, AlphabetMismatch, InvalidParameter
            As `swgui.search` of its queries.
        """
        if type not in KINDS:
            raise InvalidParameter(
                "type", type, f"There is no type '{type}' of sequences.", hint=f"There are {', '.join(KINDS)}."
            )
        given = read_given(sequences, type, "sequences", "subject")
        for note in given.notes:
            warn(note)
        return cls(encode_database(given.records, given.alphabet, name))

    @classmethod
    @public
    def build(cls, sources: FileName | Iterable[FileName], path: FileName, min_plddt: float = 0.0) -> Database:
        """Build a database file of files of sequences, or of structures, as ``swgui makedb`` does, and open it.

        Folders, tar archives and files called like structures are read as ``makedb --structures`` does.

        Parameters
        ----------
        sources : path, or iterable of paths
        path : path
            Of the new file; it ends in ``.swdb``.
        min_plddt : float
            Of structures: 3Di symbols of residues of models with a lower confidence are masked.

        Raises
        ------
        SequenceError, DatabaseError
            If they cannot be read, or the file not be written.
        """
        from swgui.io.database.build import build_database
        from swgui.io.structures.database import are_structures, build_from_structures

        given = sources if isinstance(sources, Iterable) and not isinstance(sources, str) else [sources]
        files, path = [path_of(source, "sources") for source in given], path_of(path)
        report = ReadReport()
        if are_structures(files):
            build_from_structures(files, path, min_plddt=min_plddt, report=report)
        else:
            build_database(files, path, report=report)
        return cls._built(path, report)

    @public
    def update(self, sources: FileName | Iterable[FileName] = (), release: str = "") -> Database:
        """Build the file again from the files and folders it was built from, in place, and open it.

        What was added there comes in, what was removed goes; this object still has what it had.

        Parameters
        ----------
        sources : path, or iterable of paths
            Those of a newer release; those it was built from if not given.
        release : str
            What a packed file calls that release.

        Raises
        ------
        DatabaseError
            If the database is no file, does not say what it was built from, or that is gone.
        SequenceError
            If they cannot be read; the older file stays as it is.
        """
        from swgui.io.database.packed.keeping import older_of
        from swgui.io.structures.database import update_of_any

        if self.path is None:
            hint = "Databases in memory are made of sequences; make another one."
            raise DatabaseError(self.name, f"The database '{self.name}' is no file.", hint=hint)
        report = ReadReport()
        given = sources if isinstance(sources, Iterable) and not isinstance(sources, str) else [sources]
        files = [path_of(source, "sources") for source in given]
        update_of_any(self.path, report=report, sources=files, older=older_of(self.path, release))
        return self._built(self.path, report)

    @classmethod
    def _built(cls, path: FileName, report: ReadReport) -> Database:
        if report.altered:
            warn(f"{Path(path).name}: {report.summary()}")
        return cls(path)

    @property
    def name(self) -> str:
        """As results call it."""
        return self.encoded.name

    @property
    def type(self) -> str:
        """``protein`` or ``nucleotide``."""
        return self.encoded.alphabet.name

    @property
    def residues(self) -> int:
        """Residues of all subjects."""
        return self.encoded.residues

    @property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each subject, shape (N,), in the order of the source."""
        return self.encoded.lengths

    @property
    def ids(self) -> list[str]:
        """Identifiers, in the order of the source."""
        return list(self.encoded.ids)

    @property
    def checksum(self) -> str:
        """Names the content: the same for the same sequences with the same identifiers."""
        return self.encoded.checksum

    def __len__(self) -> int:
        return len(self.encoded)

    @public
    def __getitem__(self, key: int | str) -> SequenceRecord:
        """Return a subject by its place, or by its identifier or the part that names it.

        Raises
        ------
        NotFound
            If the name is that of no subject, or of several.
        """
        if isinstance(key, str):
            names = match_names([key], self.encoded.ids)
            if key not in names.found:
                number = len(names.ambiguous.get(key, ()))
                raise NotFound(key, f"'{key}' is the name of {number} sequences of '{self.name}'.")
            return self.encoded.record(names.found[key])
        return self.encoded.record(range(len(self))[key])

    def __iter__(self) -> Iterator[SequenceRecord]:
        return map(self.encoded.record, range(len(self)))

    def __repr__(self) -> str:
        return f"<Database {self.name}: {len(self):,} {self.type} sequences, {self.residues:,} residues>"


def to_search(given: DatabaseLike) -> Path | EncodedDatabase:
    """Return the database of a request: a path, or an open database; of a list one that joins them all."""
    if isinstance(given, list | tuple) and given and all(map(_is_database, given)):
        return joined(
            [one if isinstance(one, EncodedDatabase) else Database(one).encoded for one in map(to_search, given)]
        )
    if isinstance(given, Database):
        return given.encoded
    if isinstance(given, EncodedDatabase):
        return given
    if isinstance(given, str | os.PathLike):
        return Path(given)
    return Database.of(given).encoded


def _is_database(given: object) -> bool:
    """Return whether something in a list is a database or a path of one; a text is a path if there is such a file."""
    if isinstance(given, str):
        return given.endswith(SUFFIX) or os.path.lexists(given)
    return isinstance(given, Database | EncodedDatabase | os.PathLike)
