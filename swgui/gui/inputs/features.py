"""The file of features that the user chose for the window: read once, used by every page that shows coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from swgui.core.control import checking
from swgui.gui.kit.saving import last_folder, note_input
from swgui.gui.kit.tables.column_table import TableColumn
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl

if TYPE_CHECKING:
    from swgui.core.loci.annotation import Annotation, Locator

BLOCK: Final = 256  # rows whose places are read together
KINDS: Final = "Features (*.gff3 *.gff *.gb *.gbk *.gbff *.genbank *.embl *.txt *.gz *.bgz);;All files (*)"
TIP: Final = "Read genes and other features from GFF3, GenBank, EMBL or UniProt entries, also packed"


def locus_column(
    locator: Locator,
    subjects: NDArray[np.integer],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    strands: NDArray[np.integer] | None = None,
) -> TableColumn:
    """Return the column of places among features, some rows of which are read together.

    Parameters
    ----------
    subjects, starts, ends : ndarray, shape=(k,)
        As `Locator.locate` takes them.
    strands : ndarray, shape=(k,), optional
    """
    known = dict[int, list[str]]()

    def text(row: int) -> str:
        block = row // BLOCK
        if block not in known:
            some = slice(block * BLOCK, (block + 1) * BLOCK)
            own = None if strands is None else strands[some]
            found = locator.locate(subjects[some].astype(np.int64), starts[some], ends[some], own)
            known[block] = [locus.sentence if locus is not None else "" for locus in found]
        return known[block][row % BLOCK]

    return TableColumn("locus", "Lies in", "Where the place lies among the features of its sequence", text)


class FeatureChoice(QObject):
    """Holds the features of a file; `changed` tells pages that there are others."""

    changed = Signal()
    failed = Signal(object)
    message = Signal(str)

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self._tasks = tasks
        self.annotation: Annotation | None = None

    def ask(self, parent: QWidget) -> None:
        """Ask for a file and read it."""
        name, _ = QFileDialog.getOpenFileName(parent, "Features of the sequences", last_folder(), KINDS)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Read a file; `changed` or `failed` follows."""
        self.message.emit(f"Reading {path.name}…")

        def read(control: TaskControl) -> Annotation:
            from swgui.io.features.reading import read_annotation  # here: few windows have features

            note_input(path, "features")
            return read_annotation(path, checking(control))

        self._tasks.start("features", read, self._take, self.failed.emit)

    def forget(self) -> None:
        """Use the features of databases again."""
        self._tasks.drop("features")
        self.annotation = None
        self.changed.emit()

    def _take(self, annotation: Annotation) -> None:
        self.annotation = annotation
        remarks = f" {annotation.file}: {'; '.join(annotation.remarks)}." if annotation.remarks else ""
        self.message.emit(f"{len(annotation):,} features of {annotation.file} were read.{remarks}")
        self.changed.emit()
