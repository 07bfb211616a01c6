"""Results of the library: whole or partial, with remarks; those of rows with data frames and a table to write."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.table import Column, Table
from swgui.io.outputs import check_outputs
from swgui.io.table_files import write_table
from swgui.library.calls import public
from swgui.library.frames import Tabular, table_format
from swgui.library.values import path_of
from swgui.library.writing import Output, Writable, is_open_file, save_to

if TYPE_CHECKING:
    from swgui.core.loci.annotation import Annotation
    from swgui.core.loci.columns import LocusReader
    from swgui.io.metadata import Metadata


class Remarked:
    """A result with remarks for the user, a sentence each."""

    remarks: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Former name of `remarks`, which works for one release."""
        warnings.warn("notes is now remarks.", FutureWarning, stacklevel=2)
        return self.remarks


class Result(Remarked):
    """The result of a call.

    Parameters
    ----------
    remarks : sequence of str
        Remarks for the user.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, remarks: Sequence[str] = (), inputs: Sequence[tuple[str, Path]] = ()) -> None:
        self.remarks, self._inputs = tuple(remarks), tuple(inputs)

    @property
    def partial(self) -> bool:
        """Whether the work ended before all was done."""
        return False

    def _save(self, out: Output, save: Callable[[Path], object]) -> None:
        """Write to a path, which must not be a file that was read, or to an open file, by a function of a path."""
        save_to(out if is_open_file(out) else self._output(out), save)

    def _output(self, path: Output) -> Path:
        """Return where an output goes; `InvalidParameter` if that is a file that was read."""
        place = path_of(path)
        check_outputs({"path": place}, self._inputs)
        return place


class Written(Result, Writable):
    """The result of a call that `write` writes to a file; each class names its formats."""

    @public
    def write(self, path: Output, format: str | None = None) -> None:
        """Write the result to a file, whole or not at all.

        Parameters
        ----------
        path : path, or open file
            A file that is open for text or for bytes; it needs a `format`, unless the result is a table.
        format : str, optional
            One of the formats of the class; by the ending of the file if not given, and a table is ``tsv`` where that
            names none.

        Raises
        ------
        InvalidParameter
            If there is no such format, the result has nothing that it could hold, or the file is one that was read.
        FileNotWritten
            If it cannot be written there.
        """
        self._save(path, self._saver(path, format))

    @abstractmethod
    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        """Return a function that writes to a path, in a format or in that of the ending of an output."""


class RowsResult(Written, Tabular):
    """The result of a call, as rows of one table: ``tsv``, ``csv``, ``json`` and ``xlsx``."""

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        raise NotImplementedError

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        form = table_format(path, format)
        return lambda place: write_table(str(place), self._with_own(None), form)

    @public
    def join(self, table: str | os.PathLike[str], id_column: str | None = None, by: str | None = None) -> Self:
        """Return the same result with the columns of a table of your own after its others, as ``--metadata`` does.

        Rows are found by the whole identifier, by a part of it between bars, and by these without version. `remarks`
        then says how many of the names have a row. Data frames and `write` have the columns, parts of the result have
        them after another `join`.

        Parameters
        ----------
        table : path
            CSV, TSV or XLSX: a line of column names, then a line for each name.
        id_column : str, optional
            Its column of names; the one that is called id, accession, entry, name or the like if not given.
        by : str, optional
            Column of the result whose names are looked up; that of subjects or sequences if not given.

        Raises
        ------
        MetadataError
            If it cannot be read, has no such column, or says different things of one name.
        InvalidParameter
            If the result has no such column.
        """
        from swgui.io.metadata import read_metadata  # here: few results have columns of the user's own

        own = read_metadata(path_of(table), id_column)
        more = self._own_columns(own, by)
        for column in more[:1]:
            for part in self._table(None).parts():
                column.read_all(part)
        return self._with(more, own.summary(), ("table", path_of(table)))

    def _with(self, more: Sequence[Column[Any]], remark: str, *files: tuple[str, Path]) -> Self:
        """Return the same result with further columns, a remark and files that no output may replace."""
        made = object.__new__(type(self))
        vars(made).update(
            (name, value)
            for name, value in vars(self).items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        )
        made._own = (*self._own, *more)
        made.remarks = (*self.remarks, *filter(None, [remark]))
        made._inputs = (*self._inputs, *files)
        return made

    def _own_columns(self, own: Metadata, by: str | None) -> Sequence[Column[Any]]:
        table = self._table(None)
        before = len(table.columns)
        return own.join(Table([*table.available, *self._own], table.parts, table.columns), by).columns[before:]


class PlacedRows(RowsResult):
    """A result whose rows lie on sequences of a database."""

    @public
    def locate(self, features: str | os.PathLike[str] | None = None) -> Self:
        """Return the same result with columns that say where each row lies, as ``--features`` does.

        `locus` is the sentence ("in lacZ, exon 2", "35 bp before lacZ"), `locus_gene` the genes that the row overlaps
        and `locus_distance` the bases to the nearest one, 0 inside. `remarks` then names sequences without features.

        Parameters
        ----------
        features : path, optional
            GFF3, or entries of GenBank, EMBL or UniProt; those that the database has if not given.

        Raises
        ------
        AnnotationError
            If the file cannot be read, or has no features.
        InvalidParameter
            If no file is given and the database has no features.
        """
        database, annotation = self._placed_in(), None
        if features is not None:
            from swgui.io.features.reading import read_annotation  # here: few results are located

            annotation = read_annotation(path_of(features))
        elif database.feature_texts is None:
            message = f"The database {database.name} has no features of its own."
            raise InvalidParameter("features", None, message, hint="Name a file of features.")
        reader, columns = self._located(annotation)
        reader.prepare(database, self._subjects())
        files = [("features", path_of(features))] if features is not None else []
        return self._with(columns, reader.summary(), *files)

    @abstractmethod
    def _placed_in(self) -> EncodedDatabase:
        """Return the database that the rows lie in."""

    @abstractmethod
    def _located(self, annotation: Annotation | None) -> tuple[LocusReader[Any], Sequence[Column[Any]]]:
        """Return the reader of loci, and its columns."""

    @abstractmethod
    def _subjects(self) -> Iterable[int]:
        """Return the source indices of the sequences that rows lie on."""
