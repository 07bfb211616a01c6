"""The export dialog: format, which hits, which columns, and the first lines of the file as they will be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.hits.results import SearchResult
from swgui.gui.hits.filler import Describe
from swgui.gui.inputs.saving_dialog import SavingDialog, section
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    described,
    spin_box,
    text_label,
)
from swgui.gui.results.export.job import ExportJob, HitChoice
from swgui.io.export import FORMATS, HIT_COLUMNS, ExportFormat, ExportOptions

PREFERRED = ("ticked", "shown")  # what is ticked is what is written, unless the user says otherwise


class ExportDialog(SavingDialog[ExportFormat, ExportJob]):
    """Asks what to write and writes it, by a worker.

    Parameters
    ----------
    choices : sequence of HitChoice
        What can be written; empty ones are offered greyed out.
    shown_columns : sequence of str
        Columns of the hit table, from left to right.

    Signals
    -------
    saved(str, int)
        Path and number of hits written.
    """

    saved = Signal(str, int)

    def __init__(
        self,
        tasks: Tasks,
        result: SearchResult,
        choices: Sequence[HitChoice],
        shown_columns: Sequence[str],
        describe: Describe,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(tasks, "export", "Export hits", FORMATS, "hits", parent)
        self._result = result
        self._describe = describe
        self._choices = {choice.key: choice for choice in choices}
        self._shown_columns = tuple(key for key in shown_columns if key in HIT_COLUMNS)
        self.parts_side = self._parts()
        self.columns_side = self._columns_to_choose()
        hits = self._hits_to_choose(choices)
        self.arrange(self.parts_side, in_row((hits, 1), (self.columns_side, 1), spacing=3), size=(92, 80))
        self.changed()

    def _parts(self) -> QWidget:
        tip = "Residues to write on either side of the aligned parts, where the subjects have them"
        self.flank = spin_box("exportFlank", (0, 100_000), 0, tip, self.changed, suffix=" residues")
        self.gaps = check_box("exportGaps", "Keep gap signs", does=self.changed)
        side = QWidget()
        in_row(text_label("&Flanks", buddy=self.flank), self.flank, self.gaps, 1, parent=side)
        return side

    def _hits_to_choose(self, choices: Sequence[HitChoice]) -> QVBoxLayout:
        """Return the radio buttons of what can be written; checked is what is ticked, else what is shown."""
        self.what = QButtonGroup(self)
        self._what_buttons: dict[str, QRadioButton] = {}
        for choice in choices:
            button = described(QRadioButton(f"{choice.title}  ({len(choice):,})"), f"exportWhat-{choice.key}")
            button.setEnabled(bool(len(choice)))
            self.what.addButton(button)
            self._what_buttons[choice.key] = button
        filled = [choice.key for choice in choices if len(choice)]
        if preferred := [key for key in PREFERRED if key in filled] or filled:
            self.what_button(preferred[0]).setChecked(True)
        self.what.buttonToggled.connect(lambda _button, on: self.changed() if on else None)
        return in_column(section("Which hits"), *self._what_buttons.values(), 1, spacing=0.25)

    def _columns_to_choose(self) -> QWidget:
        sets = (("Standard columns", "standard"), ("As in the table", "shown"), ("Choose…", "choose"))
        self.columns_box = combo_box("exportColumns", items=sets, changed=self.changed, accessible="Columns")
        self.columns_list = described(QListWidget(), "exportColumnList", accessible="Columns to write")
        for column in HIT_COLUMNS.values():
            item = QListWidgetItem(f"{column.heading}  ({column.key})")
            item.setData(Qt.ItemDataRole.UserRole, column.key)
            item.setToolTip(column.description)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            chosen = column.key in self._shown_columns
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
            self.columns_list.addItem(item)
        self.columns_list.itemChanged.connect(self.changed)
        told = "Begin with # lines that tell how the hits were found"
        self.comments = check_box("exportComments", told, does=self.changed)
        told = "Name them for programs: stitle, not Description"
        self.machine_names = check_box("exportMachineNames", told, does=self.changed)
        side = QWidget()
        boxes = (self.columns_box, (self.columns_list, 1), self.machine_names, self.comments)
        in_column(section("Columns"), *boxes, 0, spacing=0.5, parent=side)
        return side

    def what_button(self, key: str) -> QRadioButton:
        return self._what_buttons[key]

    # -- what is chosen ----------------------------------------------------------------------------

    def job(self) -> ExportJob | None:
        """Return the export as it is set, None if there is nothing to write."""
        button = self.what.checkedButton()
        if button is None:
            return None
        choice = self._choices[button.objectName().removeprefix("exportWhat-")]
        takes = self.form.takes
        options = ExportOptions(
            columns=self._columns() if "columns" in takes else None,
            comments="comments" in takes and self.comments.isChecked(),
            flank=self.flank.value() if "flank" in takes else 0,
            gaps="gaps" in takes and self.gaps.isChecked(),
            headings="headings" in takes and not self.machine_names.isChecked(),
        )
        if not len(choice) or options.columns == ():
            return None
        return ExportJob(self._result, choice, self.form, options, self._describe)

    def _columns(self) -> tuple[str, ...] | None:
        match self.columns_box.currentData():
            case "shown":
                return self._shown_columns
            case "choose":
                items = (self.columns_list.item(row) for row in range(self.columns_list.count()))
                return tuple(
                    item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() == Qt.CheckState.Checked
                )
        return None

    def nothing(self) -> str:
        """Say what is missing."""
        return "Nothing to write: choose hits and at least one column."

    def tell_saved(self, path: Path, job: ExportJob) -> None:
        """Emit path and number of hits."""
        self.saved.emit(str(path), len(job.choice))

    def changed(self) -> None:
        """Show what the format takes, and the first lines of the file."""
        takes = self.form.takes
        self.columns_side.setVisible(bool(takes & {"columns", "comments"}))
        self.columns_box.setVisible("columns" in takes)
        self.columns_list.setVisible("columns" in takes and self.columns_box.currentData() == "choose")
        self.comments.setVisible("comments" in takes)
        self.machine_names.setVisible("headings" in takes)
        self.parts_side.setVisible(bool(takes & {"flank", "gaps"}))
        super().changed()
