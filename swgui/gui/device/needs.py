"""A calculator: my device, my database, how long and how much memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QSpinBox, QWidget

from swgui.core.words import duration, file_size
from swgui.gui.kit.layouts import in_column, in_form, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import combo_box, decimal_box, fill_combo, shrinkable, spin_box, text_label
from swgui.gui.words.wording import cells
from swgui.jobs.needs import SIZES, TYPICAL, Size, devices, needs, of_these_cores
from swgui.jobs.search.estimate import Calibration

ABOUT: Final = (
    "Exact search fills query length × database residues cells. Devices of this computer are those whose speed was "
    "measured here; the others are typical. Sizes of databases are rounded."
)
OWN: Final = "Another database"
MILLION: Final = 1_000_000
_FIRST: Final = SIZES[1]  # Swiss-Prot
_MAX: Final = 2_000_000  # millions of residues, and thousands of sequences


class NeedsPanel(QFrame):
    """Shows time, memory and disk space of a search that the user describes by its sizes alone."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("needsPanel")
        set_role(self, role="card")
        self._tasks = tasks
        device = combo_box("needs-device", "Device of the search", changed=self._show, accessible="Device")
        self.device = shrinkable(device, 20)
        items = [*((size.title, size) for size in SIZES), (OWN, None)]
        tip = "Fills in the sizes below"
        self.database = combo_box(
            "needs-database", tip, self._choose, items=items, chosen=_FIRST, accessible="Database"
        )
        tip = "Residues of the database, in millions"
        self.residues = decimal_box("needs-residues", (0.1, _MAX), 200, tip, self._show, suffix=" million")
        self.sequences = self._number("sequences", "Sequences of the database, in thousands", 570, " thousand", _MAX)
        self.length = self._number("length", "Residues of each query", 350, " residues", 10 * MILLION)
        self.queries = self._number("queries", "Number of queries; two strands count twice", 1, "", MILLION)
        self.time, self.memory, self.gpu, self.file = (
            text_label(name=f"needs-{name}", selectable=True, accessible=title)
            for name, title in (("time", "Time"), ("memory", "Memory"), ("gpu", "Memory of a GPU"), ("file", "File"))
        )
        form = in_form(
            ("&Device", self.device),
            ("Data&base", self.database),
            ("&Residues", self.residues),
            ("Se&quences", self.sequences),
            ("Query &length", self.length),
            ("&Number of queries", self.queries),
            ("Time of the scan", self.time),
            ("Memory", self.memory),
            ("Memory of a GPU", self.gpu),
            ("Database file", self.file),
        )
        about = text_label(ABOUT, level="muted", wrap=True)
        in_column(about, in_row(form, 1), 1, margins=(2, 1.5, 2, 1.5), parent=self)
        self._show_devices((of_these_cores(), *TYPICAL))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tasks.submit("needs-devices", devices, self._show_devices)

    def _number(self, name: str, tip: str, value: int, suffix: str, greatest: int) -> QSpinBox:
        box = spin_box(f"needs-{name}", (1, greatest), value, tip, self._show, suffix=suffix, grouped=True)
        box.setAccessibleName(tip)
        return box

    def _show_devices(self, known: Sequence[Calibration]) -> None:
        chosen = self.device.currentData()
        fill_combo(self.device, [(_name(device), device) for device in known], chosen if chosen in known else known[0])
        self._show()

    def _choose(self) -> None:
        """Fill in the numbers of the database that was chosen."""
        size = self.database.currentData()
        if isinstance(size, Size):
            with QSignalBlocker(self.residues), QSignalBlocker(self.sequences):
                self.residues.setValue(size.residues / MILLION)
                self.sequences.setValue(round(size.sequences / 1000))
        self._show()

    def _show(self) -> None:
        device = self.device.currentData()
        residues, sequences = round(self.residues.value() * MILLION), self.sequences.value() * 1000
        size = self.database.currentData()
        if isinstance(size, Size):
            if (residues, sequences) == (size.residues, round(size.sequences, -3)):
                sequences = size.sequences  # the box has thousands
            else:
                self.database.setCurrentIndex(self.database.findText(OWN))
        figures = needs(device, self.length.value(), self.queries.value(), residues, sequences)
        self.time.setText(f"about {duration(figures.seconds, measured=True)} for {cells(figures.cells)}")
        self.memory.setText(f"{file_size(figures.memory)}; the database is mapped, not loaded")
        self.gpu.setText(f"{file_size(figures.device)} to hold the database; with less it is streamed")
        self.file.setText(file_size(figures.file))


def _name(device: Calibration) -> str:
    place = "Typical: " if device in TYPICAL else f"This computer: {device.engine}, "
    return f"{place}{', '.join(device.devices)}"
