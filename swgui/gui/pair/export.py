"""The dialog that writes the result of a pair: format, first lines, file."""

from __future__ import annotations

import io
import threading
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.errors import Stopped
from swgui.core.pair.result import PairResult
from swgui.gui.inputs.saving_dialog import SavingDialog, first_lines
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Tell
from swgui.gui.pair.wording import size
from swgui.gui.words import wording
from swgui.io.export.base import TextOut
from swgui.io.export.pairs import PAIR_FORMATS, PairFormat, check_pair_format, write_pair
from swgui.io.whole_file import save_text

PREVIEW_CHARACTERS = 40_000


class _Enough(Exception):
    """A preview has all it can show."""


class _Beginning(io.StringIO):
    """Takes the beginning of a text and then refuses more."""

    def write(self, text: str) -> int:
        super().write(text[:PREVIEW_CHARACTERS])
        if self.tell() >= PREVIEW_CHARACTERS:
            raise _Enough
        return len(text)


class _Watched:
    """Passes text on to a file, counts it, and stops when it is told to."""

    def __init__(self, file: TextOut, tell: Tell, cancel: threading.Event) -> None:
        self._file, self._tell, self._cancel = file, tell, cancel
        self._size = 0

    def write(self, text: str) -> object:
        """Pass a text on."""
        if self._cancel.is_set():
            raise Stopped
        self._size += len(text)
        self._tell(0, 0, f"{size(self._size)} written")
        return self._file.write(text)


class PairExportJob:
    """One export: a result and the name of a format."""

    def __init__(self, result: PairResult, name: str) -> None:
        self.result, self.name = result, name

    @property
    def form(self) -> PairFormat:
        """The format."""
        return PAIR_FORMATS[self.name]

    @property
    def problem(self) -> str:
        """Why there is nothing to write, as one sentence; empty if there is something."""
        nucleotides = bool(self.result.scheme.alphabet.complements)
        try:
            check_pair_format(self.name, aligned=bool(self.result.alignments), nucleotides=nucleotides)
        except ValueError as error:
            return wording.explain(error)
        return ""

    def preview(self, _cancel: threading.Event) -> str:
        """Return the first lines of the file."""
        file = _Beginning()
        whole = True
        try:
            write_pair(self.name, self.result, file)
        except _Enough:
            whole = False
        return first_lines(file.getvalue(), more=not whole)

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        """Write the file whole or not at all; `tell` hears how much is written, `cancel` stops it.

        Raises
        ------
        Stopped
        FileNotWritten
        """
        save_text(path, lambda file: write_pair(self.name, self.result, _Watched(file, tell, cancel)))
        return path


class PairExportDialog(SavingDialog[PairFormat, PairExportJob]):
    """Asks how to write a result and writes it, by a worker.

    Signals
    -------
    saved(str)
        Path of the file that was written.
    """

    saved = Signal(str)

    def __init__(self, tasks: Tasks, result: PairResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "pairExport", "Export the pair", PAIR_FORMATS, "pair", parent)
        self._result = result
        self.arrange(size=(92, 70))
        self.changed()

    def job(self) -> PairExportJob | None:
        """Return the export as it is set, None if the format cannot hold the result."""
        return None if self._chosen.problem else self._chosen

    def nothing(self) -> str:
        """Say why the format cannot hold the result."""
        return self._chosen.problem

    def tell_saved(self, path: Path, job: PairExportJob) -> None:
        """Emit the path."""
        self.saved.emit(str(path))

    @property
    def _chosen(self) -> PairExportJob:
        return PairExportJob(self._result, self.format_box.currentData())
