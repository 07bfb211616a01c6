"""Features of the sequences of a database: those of a file, found by name, or the database's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.compare.matching import NameIndex
from swgui.core.database import EncodedDatabase
from swgui.core.features import is_circular
from swgui.core.loci.sentence import BASES, RESIDUES, Locus, locate
from swgui.core.loci.table import FeatureTable
from swgui.core.words import count

_SHOWN: Final = 3  # names that a sentence lists


class Annotation:
    """Features of the sequences of a file, by their names there.

    Parameters
    ----------
    file : str
        Name of the file.
    tables : mapping of str to FeatureTable
    remarks : sequence of str
        What was left out in reading, as parts of a sentence.
    """

    def __init__(self, file: str, tables: Mapping[str, FeatureTable], remarks: Sequence[str] = ()) -> None:
        self.file, self.tables, self.remarks = file, dict(tables), tuple(remarks)
        self._names = list(self.tables)
        self._index = NameIndex(self._names)

    def find(self, name: str) -> FeatureTable | None:
        """Features of a sequence by its identifier (`NameIndex`); None where no name, or more than one, matches."""
        places = self._index.find(name)
        return self.tables[self._names[places[0]]] if len(places) == 1 else None

    def __len__(self) -> int:
        """Return the number of features."""
        return sum(map(len, self.tables.values()))


class Locator:
    """Says where places in the sequences of a database lie, and counts what it could not say.

    Parameters
    ----------
    database : EncodedDatabase
    annotation : Annotation, optional
        Features of a file; those that the database itself has if not given.
    """

    def __init__(self, database: EncodedDatabase, annotation: Annotation | None = None) -> None:
        self.database, self.annotation = database, annotation
        self.unit = RESIDUES if database.alphabet.name == PROTEIN.name else BASES
        self._tables: dict[int, FeatureTable | None] = {}
        self._without: dict[str, None] = {}  # names of sequences without features
        self._beyond: dict[str, int] = {}  # features behind the end of each sequence

    def table(self, db_index: int) -> FeatureTable | None:
        """Features of a sequence, by source index; None if there are none."""
        if db_index not in self._tables:
            name = self.database.ids[db_index]
            length = int(self.database.lengths_of(np.array([db_index]))[0])
            table = self._own(db_index, length) if self.annotation is None else self.annotation.find(name)
            if table is None or not len(table):
                self._without[name] = None
                table = None
            elif not table.circular and (beyond := int((table.ends > length).sum())):
                self._beyond[name] = beyond
            self._tables[db_index] = table
        return self._tables[db_index]

    def _own(self, db_index: int, length: int) -> FeatureTable:
        texts = self.database.feature_texts
        circular = texts is not None and is_circular(texts[db_index])
        return FeatureTable.of(self.database.features(db_index), length, circular=circular)

    def locate(
        self,
        db_index: NDArray[np.int64],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        strands: NDArray[np.integer] | None = None,
    ) -> list[Locus | None]:
        """Loci of places (`swgui.core.loci.sentence.locate`); None on sequences without features.

        Parameters
        ----------
        db_index : ndarray, shape=(k,), dtype=int64
            Source index of the sequence of each.
        """
        found: list[Locus | None] = [None] * len(db_index)
        for subject in np.unique(db_index).tolist():
            rows, table = np.flatnonzero(db_index == subject), self.table(subject)
            if table is None:
                continue
            loci = locate(table, starts[rows], ends[rows], None if strands is None else strands[rows], self.unit)
            for row, locus in zip(rows.tolist(), loci, strict=True):
                found[row] = locus
        return found

    def summary(self) -> str:
        """Sentence on the sequences that were looked up; empty if there is nothing to say."""
        source = f"the database {self.database.name}" if self.annotation is None else self.annotation.file
        remarks = [*self._said(), *(self.annotation.remarks if self.annotation is not None else ())]
        return f"{source}: {'; '.join(remarks)}." if remarks else ""

    def _said(self) -> Iterator[str]:
        asked, without = len(self._tables), list(self._without)
        if without and len(without) < asked:
            yield f"no features of {len(without):,} of {count(asked, 'sequence')} of the result ({_listed(without)})"
        elif without:
            yield f"no features of any sequence of the result ({_listed(without)})"
            if self.annotation is not None:
                yield f"it has features of {_listed(list(self.annotation.tables))}"
        for name, beyond in list(self._beyond.items())[:_SHOWN]:
            verb = "lies" if beyond == 1 else "lie"
            yield f"{count(beyond, 'feature')} of {name} {verb} behind its end: another version of the sequence?"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else "")
