"""A window of its own for the pairs of columns of an alignment in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.control import checking
from swgui.core.covariation.alignment import ABSENT, LETTERS, BaseAlignment
from swgui.core.covariation.pairs import Covariation
from swgui.core.covariation.settings import CovariationSettings
from swgui.core.errors import InvalidParameter
from swgui.core.headers import Header, parse_header
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path, last_folder, note_input
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.viewer.covariation.panel import CovariationPanel
from swgui.gui.viewer.pictures.picture import KINDS
from swgui.gui.viewer.residues.schemes import read_scheme
from swgui.gui.viewer.rows.layout import GAP
from swgui.gui.viewer.stacked.layout import Stack, StackRow
from swgui.io.matrices import load_matrix
from swgui.io.profiles.base_alignments import read_bases
from swgui.io.profiles.formats import FORMATS
from swgui.io.whole_file import save_bytes
from swgui.jobs.covariation import covariation
from swgui.paths import resources_dir

KEY: Final = "alignment-covariation"
SCHEME: Final = "safe_nucleotide.json"
SIZE: Final = (180.0, 92.0)  # in grid units
_ENDINGS: Final = " ".join(f"*{end}" for form in FORMATS if form.read_alignment is not None for end in form.suffixes)
FILES: Final = f"Alignments ({_ENDINGS} *.gz);;All files (*)"


@dataclass(frozen=True, eq=False)
class RowsOfFile:
    """Rows of an alignment in a file, below their consensus."""

    query: SequenceRecord  # the consensus
    ids: Sequence[str] = field(repr=False)
    scheme: ScoringScheme = field(repr=False)

    def header(self, row: int) -> Header:
        """Return the name of a row."""
        return parse_header(self.ids[row], "")


def stack_of(alignment: BaseAlignment) -> tuple[Stack, RowsOfFile]:
    """Return the rows of an alignment in its own columns, on their consensus; for a worker."""
    consensus = np.frombuffer((LETTERS + "N").encode("ascii"), dtype=np.uint8)[alignment.consensus]
    symbols = _shown(alignment)
    stack = Stack(consensus, "")
    nan = float("nan")
    present = (alignment.codes < ABSENT).sum(axis=1)
    same = (symbols == consensus).sum(axis=1)
    stack.add(
        [
            StackRow(row, 0, nan, 100.0 * same[row] / max(present[row], 1), symbols[row], {}, 1, 1)
            for row in range(len(symbols))
        ]
    )
    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    query = SequenceRecord("consensus", "", consensus.tobytes())
    return stack, RowsOfFile(query, alignment.ids, scheme)


def _shown(alignment: BaseAlignment) -> NDArray[np.uint8]:
    """Capital letters of all rows, shape (rows, columns); U for T, one sign for all gaps."""
    codes = alignment.codes
    symbols = np.frombuffer((LETTERS + chr(GAP)).encode("ascii"), dtype=np.uint8)[codes]
    if alignment.symbols is not None:
        capital = alignment.symbols & 0xDF  # of a letter
        other = (codes == ABSENT) & (capital >= ord("A")) & (capital <= ord("Z"))
        symbols = np.where(other, capital, symbols)
    return np.asarray(symbols, dtype=np.uint8)


class AlignmentDialog(Dialog):
    """Shows the pairs of columns of an alignment in a file that vary together."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__("alignmentDialog", "Covariation of an alignment", parent, size=SIZE)
        self._tasks = tasks
        self.panel = CovariationPanel(tasks, "alignment")
        self.panel.area.first_name, self.panel.area.foot_rows = "Consensus", 0
        self.panel.area.set_scheme(read_scheme(resources_dir() / "color_schemes" / SCHEME))
        self.status = text_label(name="alignmentStatusLine", level="muted", plain=True)
        self.open_button = push_button(
            "alignmentOpen", "Open…", "Read an alignment of RNA or DNA", self.ask, icon="open"
        )
        self.save_button = push_button(
            "alignmentSave",
            "Save pairs…",
            "Write the pairs as a table, or all arcs as SVG",
            self.panel.ask,
            icon="save",
        )
        self.figure_button = push_button(
            "alignmentFigure", "Save a figure…", "Write the arcs as they appear: SVG, PDF or PNG", self.ask_figure
        )
        self.close_button = push_button("alignmentClose", "Close", does=self.close)
        for button in (self.save_button, self.figure_button):
            button.setEnabled(False)
        buttons = in_row(self.open_button, self.save_button, self.figure_button, 1, self.close_button)
        in_column((self.panel, 1), self.status, buttons, margins=1.5, parent=self)
        self.panel.message.connect(self.status.setText)
        self.panel.arcs.pointed.connect(self.status.setText)
        self.panel.area.pointed.connect(self.status.setText)

    def ask(self) -> None:
        """Ask for a file, and show its pairs."""
        name, _ = QFileDialog.getOpenFileName(self, "Open an alignment", last_folder(), FILES)
        if name:
            self.read(Path(name))

    def read(self, path: Path) -> None:
        """Read an alignment and find its pairs, by a worker."""
        note_input(path, "alignment")
        self.setWindowTitle(f"Covariation of {path.name}")
        self.panel.clear()
        self.panel.say("Looking for pairs of columns that vary together…")
        for button in (self.save_button, self.figure_button):
            button.setEnabled(False)

        def work(control: TaskControl) -> tuple[Covariation, Stack, RowsOfFile, str]:
            alignment, remarks = read_bases(path)
            found = covariation(alignment, CovariationSettings(), checking(control))
            return (found, *stack_of(alignment), " ".join(remarks))

        self._tasks.start(KEY, work, self._take, self._failed)

    def _take(self, made: tuple[Covariation, Stack, RowsOfFile, str]) -> None:
        found, stack, rows, remarks = made
        self.panel.show_pairs(found, stack, rows)
        self.status.setText(remarks)
        for button in (self.save_button, self.figure_button):
            button.setEnabled(True)

    def _failed(self, error: Exception) -> None:
        self.panel.say(str(error))

    def ask_figure(self) -> None:
        """Ask for a file, and write the arcs as they appear."""
        picture = self.panel.picture()
        if picture is None:
            return
        if path := ask_save_path(self, "Save a figure", picture.file_name, KINDS, self._failed):
            self.save_figure(path)

    def save_figure(self, path: Path) -> None:
        """Write the arcs as they appear; the ending decides the format."""
        picture = self.panel.picture()
        assert picture is not None
        try:
            content = picture.content(path.suffix)
        except InvalidParameter as error:
            self.status.setText(str(error))
            return
        self._tasks.submit(
            f"{KEY}-figure",
            lambda: save_bytes(path, lambda file: file.write(content)),
            lambda _none: self.status.setText(f"Figure written to {path}."),
            lambda error: self.status.setText(str(error)),
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        self._tasks.drop(KEY)
        self.panel.list.forget()
        super().closeEvent(event)
