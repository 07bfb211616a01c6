"""Results with places in a database, which are found among its features."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.table import Column
from swgui.library.calls import public
from swgui.library.result import RowsResult
from swgui.library.values import path_of

if TYPE_CHECKING:
    from swgui.core.loci.annotation import Annotation
    from swgui.core.loci.columns import LocusReader


class PlacedRows(RowsResult):
    """A result whose rows lie on sequences of a database."""

    @public
    def locate(self, features: str | os.PathLike[str] | None = None) -> Self:
        """Return the same result with columns that say where each row lies, as ``--features`` does.

        `locus` is the sentence ("in lacZ, exon 2", "35 bp before lacZ"), `locus_gene` the genes that the row overlaps
        and `locus_distance` the bases to the nearest one, 0 inside. `notes` then says which sequences have no features.

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
