"""Alignments of a pair as places on its subject, for the Locus page, and the features there."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.loci.annotation import Locator
from swgui.core.loci.place import Marks, Place
from swgui.core.pair.result import PairAlignment, PairResult
from swgui.gui.inputs.features import FeatureChoice
from swgui.gui.kit.tasks.pool import Tasks


def database_of(result: PairResult) -> EncodedDatabase:
    """Return the subject as a database with its features; takes a second for a chromosome."""
    return encode_database([result.subject], result.scheme.alphabet, name=result.subject.id)


def place_of(result: PairResult, current: PairAlignment) -> Place:
    """Return the place of an alignment on the subject, with the others; takes a second for a chromosome."""
    alignments = [hsp.alignment for hsp in result.alignments]
    starts, ends = (
        np.array([getattr(one, edge) for one in alignments], np.int64) for edge in ("subject_start", "subject_end")
    )
    strands = np.array([1 if hsp.strand == "plus" else -1 for hsp in result.alignments], np.int8)
    names = tuple(f"{result.query.id} #{hsp.index}" for hsp in result.alignments)
    marks = (Marks(f"Alignments of {result.query.id}", starts, ends, strands, names),)
    database = database_of(result)
    start, end = current.alignment.subject_start, current.alignment.subject_end
    return Place(database, 0, start, end, lambda: marks, f"alignment with {result.query.id}")


class SubjectFeatures(QObject):
    """Reads the features of the subject of a result, of a file or its own; `changed` tells that they are known."""

    changed = Signal()

    def __init__(self, tasks: Tasks, choice: FeatureChoice) -> None:
        super().__init__()
        self._tasks, self._choice = tasks, choice
        self._result: PairResult | None = None
        self.locator: Locator | None = None  # of the result; None while there are no features
        choice.changed.connect(self._read)

    def use(self, result: PairResult | None) -> None:
        """Read the features of another result in a worker."""
        self._result, self.locator = result, None
        self._read()

    def _read(self) -> None:
        result, annotation = self._result, self._choice.annotation
        self._tasks.drop("pair-features")
        if result is None or not result.has_residues or not (result.subject.features or annotation is not None):
            return

        def read() -> Locator | None:
            locator = Locator(database_of(result), annotation)
            return locator if locator.table(0) is not None else None

        self._tasks.submit("pair-features", read, self._take)

    def _take(self, locator: Locator | None) -> None:
        self.locator = locator
        self.changed.emit()
