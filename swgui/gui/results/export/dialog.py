"""The export dialog: format, which hits, which columns, and the first lines of the file as they will be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.gui.hits.filler import Describe
from swgui.gui.kit import motion, theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.widgets import (
    check_box,
    combo_box,
    described,
    progress_bar,
    push_button,
    spin_box,
    text_label,
    text_view,
)
from swgui.gui.results.export.job import ExportJob, HitChoice
from swgui.io.export import FORMATS, HIT_COLUMNS, ExportFormat, ExportOptions

PREVIEW_KEY = "export-preview"


class ExportDialog(QDialog):
    """Asks what to write and writes it, by a worker.

    Parameters
    ----------
    tasks : Tasks
    result : SearchResult
    choices : sequence of HitChoice
        What can be written; empty ones are offered greyed out.
    shown_columns : sequence of str
        Columns of the hit table, from left to right.
    describe : Describe

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
        super().__init__(parent)
        self.setObjectName("exportDialog")
        self.setWindowTitle("Export hits")
        self._tasks = tasks
        self._result = result
        self._describe = describe
        self._choices = {choice.key: choice for choice in choices}
        self._shown_columns = tuple(key for key in shown_columns if key in HIT_COLUMNS)
        self._saving = Task(self)
        self._saving.progressed.connect(self._show_progress)
        self._build(choices)
        self._changed()

    # -- building ----------------------------------------------------------------------------------

    def _build(self, choices: Sequence[HitChoice]) -> None:
        formats = [(form.title, name, form.sentence) for name, form in FORMATS.items()]
        self.format_box = combo_box("exportFormat", items=formats, changed=self._changed, accessible="Format")
        self.format_note = text_label("", "exportFormatNote", level="muted")
        self.parts_side = self._parts()
        self.columns_side = self._columns_to_choose()
        self.preview = text_view("exportPreview", "First lines of the file")
        self.note_text = text_label("", "exportNoteText", wrap=True)
        self.note = described(QFrame(), "exportNote")
        theme.set_role(self.note, role="note", tone="danger")
        in_row(self.note_text, margins=(1, 0.5, 1, 0.5), parent=self.note)
        self.note.hide()
        in_column(
            _section("Format"),
            self.format_box,
            self.format_note,
            self.parts_side,
            in_row((self._hits_to_choose(choices), 1), (self.columns_side, 1), spacing=3),
            _section("First lines"),
            (self.preview, 1),
            self.note,
            self._foot(),
            margins=2,
            parent=self,
        )
        self.resize(theme.grid(92), theme.grid(80))

    def _parts(self) -> QWidget:
        """Return the row for formats that write aligned parts of the subjects."""
        tip = "Residues to write on either side of the aligned parts, where the subjects have them"
        self.flank = spin_box("exportFlank", (0, 100_000), 0, tip, self._changed, suffix=" residues")
        self.gaps = check_box("exportGaps", "Keep gap signs", does=self._changed)
        side = QWidget()
        in_row(text_label("&Flanks", buddy=self.flank), self.flank, self.gaps, 1, parent=side)
        return side

    def _hits_to_choose(self, choices: Sequence[HitChoice]) -> QVBoxLayout:
        """Return the radio buttons of what can be written; checked is what is shown, or the first with hits."""
        self.what = QButtonGroup(self)
        self._what_buttons: dict[str, QRadioButton] = {}
        for choice in choices:
            button = described(QRadioButton(f"{choice.title}  ({len(choice):,})"), f"exportWhat-{choice.key}")
            button.setEnabled(bool(len(choice)))
            self.what.addButton(button)
            self._what_buttons[choice.key] = button
        preferred = [choice.key for choice in choices if len(choice)]
        if preferred:
            self.what_button("shown" if "shown" in preferred else preferred[0]).setChecked(True)
        self.what.buttonToggled.connect(lambda _button, on: self._changed() if on else None)
        return in_column(_section("Which hits"), *self._what_buttons.values(), 1, spacing=0.25)

    def _columns_to_choose(self) -> QWidget:
        """Return the side for formats with columns or comments."""
        sets = (("Standard columns", "standard"), ("As in the table", "shown"), ("Choose…", "choose"))
        self.columns_box = combo_box("exportColumns", items=sets, changed=self._changed, accessible="Columns")
        self.columns_list = described(QListWidget(), "exportColumnList", accessible="Columns to write")
        for column in HIT_COLUMNS.values():
            item = QListWidgetItem(f"{column.heading}  ({column.key})")
            item.setData(Qt.ItemDataRole.UserRole, column.key)
            item.setToolTip(column.description)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            chosen = column.key in self._shown_columns
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
            self.columns_list.addItem(item)
        self.columns_list.itemChanged.connect(self._changed)
        told = "Begin with # lines that tell how the hits were found"
        self.comments = check_box("exportComments", told, does=self._changed)
        side = QWidget()
        in_column(
            _section("Columns"), self.columns_box, (self.columns_list, 1), self.comments, 0, spacing=0.5, parent=side
        )
        return side

    def _foot(self) -> QWidget:
        """Return the row of progress and buttons."""
        self.bar = progress_bar("exportProgress", "Hits written", hidden=True)
        self.bar_text = text_label("", "exportProgressText", level="muted")
        self.save_button = push_button("exportSave", "Save as…", does=self._ask_path, role="primary", default=True)
        self.cancel_button = push_button("exportCancel", "Cancel", does=self._cancel)
        buttons = QDialogButtonBox()
        for button in (self.save_button, self.cancel_button):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        foot = QWidget()
        in_row((self.bar, 1), self.bar_text, 0, buttons, parent=foot)
        return foot

    def what_button(self, key: str) -> QRadioButton:
        """Return the button of a choice of hits."""
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
        )
        if not len(choice) or options.columns == ():
            return None
        return ExportJob(self._result, choice, self.form, options, self._describe)

    @property
    def form(self) -> ExportFormat:
        """The format chosen."""
        return FORMATS[self.format_box.currentData()]

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

    def _changed(self) -> None:
        takes = self.form.takes
        self.format_note.setText(self.form.sentence)
        self.columns_side.setVisible(bool(takes & {"columns", "comments"}))
        self.columns_box.setVisible("columns" in takes)
        self.columns_list.setVisible("columns" in takes and self.columns_box.currentData() == "choose")
        self.comments.setVisible("comments" in takes)
        self.parts_side.setVisible(bool(takes & {"flank", "gaps"}))
        job = self.job()
        self.save_button.setEnabled(job is not None and not self._saving.busy)
        if job is None:
            self._tasks.drop(PREVIEW_KEY)
            self.preview.setPlainText("Nothing to write: choose hits and at least one column.")
            return
        self._tasks.submit(PREVIEW_KEY, job.preview, self._show_preview, self._preview_failed)

    def _show_preview(self, text: str) -> None:
        self.preview.setPlainText(in_columns(text))
        self.note.hide()

    def _preview_failed(self, error: Exception) -> None:
        self.preview.clear()
        self._say(str(error))

    def _say(self, text: str) -> None:
        self.note_text.setText(text)
        self.note.show()

    # -- saving ------------------------------------------------------------------------------------

    def _ask_path(self) -> None:
        kinds = f"{self.form.title} (*{self.form.suffix});;All files (*)"
        if path := ask_save_path(self, "Export hits", f"hits{self.form.suffix}", kinds, self._failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the file; `saved` follows, or a note says why not."""
        job = self.job()
        if job is None or self._saving.busy:
            return
        self.note.hide()
        motion.show_share(self.bar, 0)
        self.bar.show()
        self.save_button.setEnabled(False)
        self.cancel_button.setText("Stop")
        self._saving.start(
            lambda control: job.save(path, control.tell, control),
            lambda written: self._done(written, job),
            self._failed,
        )

    def _show_progress(self, share: int, text: str) -> None:
        motion.show_share(self.bar, share)
        self.bar_text.setText(text)

    def _ended(self) -> None:
        self.bar.hide()
        self.bar_text.clear()
        self.cancel_button.setText("Cancel")
        self.save_button.setEnabled(self.job() is not None)

    def _done(self, path: Path, job: ExportJob) -> None:
        self._ended()
        self.saved.emit(str(path), len(job.choice))
        self.accept()

    def _failed(self, error: Exception) -> None:
        self._ended()
        self._say("Stopped; no file was written." if isinstance(error, Stopped) else str(error))

    def _cancel(self) -> None:
        if self._saving.busy:
            self._saving.stop()
        else:
            self.reject()

    def done(self, result: int) -> None:
        """Close; an export that still runs is stopped and leaves no file."""
        self._saving.shutdown()
        self._tasks.drop(PREVIEW_KEY)
        super().done(result)


def in_columns(text: str) -> str:
    """Lay tab-separated lines out in columns, for reading; other lines stay as they are."""
    lines = [line.split("\t") for line in text.split("\n")]
    tables = [cells for cells in lines if len(cells) > 1]
    if not tables:
        return text
    widths = [max(len(cells[at]) for cells in tables if at < len(cells)) for at in range(max(map(len, tables)))]
    return "\n".join(
        "  ".join(cell.ljust(widths[at]) for at, cell in enumerate(cells)).rstrip() if len(cells) > 1 else cells[0]
        for cells in lines
    )


def _section(text: str) -> QLabel:
    return text_label(text, level="section")
