"""Columns that say where the rows of a table lie among the features of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.loci.annotation import Annotation, Locator
from swgui.core.loci.sentence import Locus
from swgui.core.table import Column, Value

S = TypeVar("S")


class Where(NamedTuple):
    """Positions of the rows of a table that have any."""

    database: EncodedDatabase
    rows: NDArray[np.int64]  # places of these in the table, shape (k,)
    subjects: NDArray[np.int64]  # source indices, shape (k,)
    # starts, ends: half-open ranges from 0 of the plus strand, shape (k,)
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    strands: NDArray[np.integer[Any]] | None = None  # where the strand matters: that of translations, shape (k,)


class LocusReader(Generic[S]):
    """Reads where the rows of a table lie, once for all columns.

    Parameters
    ----------
    annotation : Annotation or None
        Features of a file; None for those of the database.
    where : callable
        Returns the positions of a part of the table, and how many rows it has.
    """

    def __init__(self, annotation: Annotation | None, where: Callable[[S], tuple[int, Where | None]]) -> None:
        self._annotation, self._where = annotation, where
        self.locator: Locator | None = None
        self._kept: tuple[object, list[Locus | None]] = (None, [])  # replaced at once: threads may read

    def use(self, annotation: Annotation | None) -> None:
        """Read features of another file from now on."""
        self._annotation, self.locator, self._kept = annotation, None, (None, [])

    def prepare(self, database: EncodedDatabase, subjects: Iterable[int]) -> None:
        """Read the features of some sequences, by source index, so that `summary` knows of them."""
        locator = Locator(database, self._annotation)
        for subject in subjects:
            locator.table(subject)
        self.locator = locator

    def loci(self, source: S) -> list[Locus | None]:
        """Locus of each row of a part of the table; None where it has no position or its sequence no features."""
        kept, loci = self._kept
        if source is not kept:
            size, where = self._where(source)
            loci = [None] * size
            if where is not None and len(where.rows):
                if self.locator is None or self.locator.database is not where.database:
                    self.locator = Locator(where.database, self._annotation)
                found = self.locator.locate(where.subjects, where.starts, where.ends, where.strands)
                for row, locus in zip(where.rows.tolist(), found, strict=True):
                    loci[row] = locus
            self._kept = source, loci
        return loci

    def columns(self) -> tuple[Column[S], ...]:
        """Columns of the sentence, of the genes and of the distance."""
        return (
            Column(
                "locus", "Lies in", "Where it lies among the features of its sequence: in which gene and exon, or how "
                "far before or after which gene.", "text", read=self._of(lambda locus: locus.sentence or None),
            ),
            Column(
                "locus_gene", "In gene", "Genes that it overlaps; other features where a sequence has no genes. Empty "
                "between genes.", "text", read=self._of(lambda locus: locus.genes or None),
            ),
            Column(
                "locus_distance", "Distance", "Bases to the nearest gene, 1 for the next base, 0 if it overlaps one.",
                "integer", unit="bp", read=self._of(lambda locus: locus.distance),
            ),
        )  # fmt: skip

    def _of(self, read: Callable[[Locus], Value]) -> Callable[[S], Sequence[Value]]:
        return lambda source: [None if locus is None else read(locus) for locus in self.loci(source)]

    def summary(self) -> str:
        """Sentence on the rows that were looked up; empty if there is nothing to say."""
        return "" if self.locator is None else self.locator.summary()
