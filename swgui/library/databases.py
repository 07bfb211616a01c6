"""Databases: opened from files, built, or made of sequences in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import KINDS, letter_of
from swgui.core.compare.matching import match_names
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import DatabaseError, InvalidParameter, NotFound
from swgui.core.records import SequenceRecord
from swgui.core.several.joined import joined
from swgui.core.words import count
from swgui.io.database.any_file import open_any_database
from swgui.io.database.format import SUFFIX
from swgui.io.read_report import ReadReport
from swgui.jobs.events import run_to_end
from swgui.library.calls import public
from swgui.library.queries import Sequences, read_given
from swgui.library.session import CACHE, warn
from swgui.library.values import path_of

_UNNAMED: Final = "sequences"
FileName: TypeAlias = str | os.PathLike[str]
DatabaseLike: TypeAlias = Any  # what searches take: a path, a Database, or sequences


class Database:
    """A database of subjects, open: a sequence of their records.

    Functions that search take a path just as well, and keep the opened database for the next call. With ``with``
    nothing stays open::

        with swgui.Database("db.swdb") as database:
            hits = swgui.search("query.fasta", database)

    Parameters
    ----------
    source : path, or sequences as the queries of `swgui.search`
        A ``.swdb`` file, or a file of sequences, which is converted once and then found among the conversions. A text
        is always a path, or the name of a database of the site (``SWGUI_DATABASES``) or of the user. A dict from names
        to sequences, sequence objects, and lists of them are a database in memory.
    name : str, optional
        Of a database in memory, as results call it: ``sequences`` if not given.
    type : {"auto", "protein", "nucleotide"}
        Of a database in memory.

    Raises
    ------
    DatabaseError, SequenceError
        If it cannot be opened or read.
    AlphabetMismatch, InvalidParameter
        As `swgui.search` of its queries.
    """

    @public
    def __init__(self, source: Any, name: str | None = None, type: str = "auto") -> None:
        self.path: Path | None = None
        self._encoded: EncodedDatabase | None = None
        if isinstance(source, EncodedDatabase):
            self._encoded = source
        elif isinstance(source, str | os.PathLike):
            self.path = path_of(_file_of(source), "source")
            report = ReadReport()
            self._encoded = open_any_database(self.path, report=report)
            if report.altered:
                warn(f"{self.path.name}: {report.summary()}")
        else:
            self._encoded = _in_memory(source, name or _UNNAMED, type)

    @property
    def encoded(self) -> EncodedDatabase:
        """The database as the program has it; its form may change between versions. `DatabaseError` if it is closed."""
        if self._encoded is None:
            raise DatabaseError(str(self.path or ""), "The database is closed.", hint="Open it again.")
        return self._encoded

    def close(self) -> None:
        """Close the database, and the engines with what they hold of it on their devices. Results stay usable."""
        if self._encoded is not None:
            self._encoded = None
            CACHE.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    @classmethod
    @public
    def of(cls, sequences: Sequences, name: str = _UNNAMED, type: str = "auto") -> Database:
        """Return a database of sequences in memory; here a text is the content of a file, or a sequence.

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
        return cls(_in_memory(sequences, name, type))

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
        from swgui.io.database.structures import are_structures, build_from_structures

        given = sources if isinstance(sources, Iterable) and not isinstance(sources, str) else [sources]
        files, path = [path_of(source, "sources") for source in given], path_of(path)
        report = ReadReport()
        if are_structures(files):
            build_from_structures(files, path, min_plddt=min_plddt, report=report)
        else:
            build_database(files, path, report=report)
        return cls._built(path, report)

    @classmethod
    @public
    def build_profiles(
        cls,
        sources: FileName | Iterable[FileName],
        path: FileName,
        build_database: FileName | None = None,
        iterations: int = 4,
        context: str = "own",
        threads: int = 0,
    ) -> Database:
        """Build a database of profiles, as ``swgui makedb --profiles`` does, and open it: searches compare profiles.

        Parameters
        ----------
        sources : path, or iterable of paths
            Alignments and models of HMMER3, several in a file, and folders of them; with `build_database` proteins.
        path : path
            Of the new file; it ends in ``.swdb``.
        build_database : path, optional
            A database that is searched in rounds with each protein, for its profile.
        iterations : int
            Rounds, 2 to 8.
        context : str
            Library of contexts: ``own``, or a file in the text form of HH-suite.
        threads : int
            0 for all cores.

        Raises
        ------
        SequenceError, ProfileError, DatabaseError, InvalidParameter
            If a source cannot be read, there is no such library, or the file not be written.
        """
        from swgui.jobs.profiles.building import build_steps, profile_build

        given = sources if isinstance(sources, Iterable) and not isinstance(sources, str) else [sources]
        files, out = [path_of(source, "sources") for source in given], path_of(path)
        reference = None if build_database is None else path_of(_file_of(build_database), "build_database")
        build = profile_build(files, out, out.stem, reference, iterations, context, threads)
        remarks: list[str] = []
        run_to_end(build_steps(build, threads, remarks, threading.Event()))
        for remark in dict.fromkeys(remarks):
            warn(remark)
        return cls(out)

    @public
    def update(self, sources: FileName | Iterable[FileName] = (), release: str | None = None) -> Database:
        """Build the file again from the files and folders it was built from, in place, and open it.

        The new file has the added sequences and lacks the removed ones; this object keeps the old content.

        Parameters
        ----------
        sources : path, or iterable of paths
            The files of a newer release; by default the files of the last build.
        release : str, optional
            Name of that release in a packed file.

        Raises
        ------
        DatabaseError
            If the database is no file, does not say what it was built from, or that is gone.
        SequenceError
            If they cannot be read; the older file stays as it is.
        """
        from swgui.io.database.packed.keeping import older_of
        from swgui.io.database.structures import update_of_any

        if self.path is None:
            hint = "Databases in memory are made of sequences; make another one."
            raise DatabaseError(self.name, f"The database '{self.name}' is no file.", hint=hint)
        report = ReadReport()
        given = sources if isinstance(sources, Iterable) and not isinstance(sources, str) else [sources]
        files = [path_of(source, "sources") for source in given]
        update_of_any(self.path, report=report, sources=files, older=older_of(self.path, release or ""))
        return self._built(self.path, report)

    @classmethod
    def _built(cls, path: FileName, report: ReadReport) -> Database:
        if report.altered:
            warn(f"{Path(path).name}: {report.summary()}")
        return cls(path)

    @property
    def name(self) -> str:
        """Name in results."""
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

    @overload
    def __getitem__(self, key: int | str) -> SequenceRecord: ...
    @overload
    def __getitem__(self, key: slice) -> list[SequenceRecord]: ...

    @public
    def __getitem__(self, key: int | str | slice) -> SequenceRecord | list[SequenceRecord]:
        """Return a subject by its place, or by its identifier or the part that names it; of a slice a list.

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
        if isinstance(key, slice):
            return [self.encoded.record(place) for place in range(len(self))[key]]
        return self.encoded.record(range(len(self))[key])

    def __contains__(self, item: object) -> bool:
        """Whether there is a subject of this name, or this record."""
        if isinstance(item, str):
            names = match_names([item], self.encoded.ids)
            return item in names.found or item in names.ambiguous
        return any(item == record for record in self)

    def __iter__(self) -> Iterator[SequenceRecord]:
        return map(self.encoded.record, range(len(self)))

    def __repr__(self) -> str:
        if self._encoded is None:
            return "<Database, closed>"
        size = count(self.residues, letter_of(self.type))
        return f"<Database {self.name}: {count(len(self), f'{self.type} sequence')}, {size}>"


def _in_memory(sequences: Sequences, name: str, kind: str) -> EncodedDatabase:
    if kind not in KINDS:
        raise InvalidParameter(
            "type", kind, f"There is no type '{kind}' of sequences.", hint=f"There are {', '.join(KINDS)}."
        )
    given = read_given(sequences, kind, "sequences", "subject")
    for remark in given.remarks:
        warn(remark)
    return encode_database(given.records, given.alphabet, name)


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
        return Path(_file_of(given))
    return Database.of(given).encoded


def _file_of(given: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the file of a database that is named; a path as it is."""
    if not isinstance(given, str) or os.path.lexists(given):
        return given
    from swgui.io.database.named import file_of  # here: most databases are files

    return file_of(given)


def _is_database(given: object) -> bool:
    """Return whether something in a list is a database or a path of one; a text is a path if there is such a file."""
    if isinstance(given, str):
        return given.endswith(SUFFIX) or os.path.lexists(given)
    return isinstance(given, Database | EncodedDatabase | os.PathLike)
