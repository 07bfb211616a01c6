"""The export dialog: format, which hits, which columns, and the first lines of the file as they will be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.gui.hits.filler import Describe
from swgui.gui.kit import theme
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.results.export.job import ExportJob, ExportProgress, HitChoice
from swgui.gui.words import formatting
from swgui.io.export import FORMATS, HIT_COLUMNS, ExportFormat, ExportOptions

PREVIEW_KEY, SAVE_KEY = "export-preview", "export-save"


class ExportDialog(QDialog):
    """Asks what to write and writes it, by a worker.

    Parameters
    ----------
    short_jobs : ShortJobs
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
        short_jobs: ShortJobs,
        result: SearchResult,
        choices: Sequence[HitChoice],
        shown_columns: Sequence[str],
        describe: Describe,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("exportDialog")
        self.setWindowTitle("Export hits")
        self._jobs = short_jobs
        self._result = result
        self._describe = describe
        self._choices = {choice.key: choice for choice in choices}
        self._shown_columns = tuple(key for key in shown_columns if key in HIT_COLUMNS)
        self._progress: ExportProgress | None = None
        self._build(choices)
        self._poll = QTimer(self)
        self._poll.setInterval(100)
        self._poll.timeout.connect(self._show_progress)
        self._changed()

    # -- building ----------------------------------------------------------------------------------

    def _build(self, choices: Sequence[HitChoice]) -> None:
        self.format_box = QComboBox()
        self.format_box.setObjectName("exportFormat")
        self.format_box.setAccessibleName("Format")
        for name, form in FORMATS.items():
            self.format_box.addItem(form.title, name)
            self.format_box.setItemData(self.format_box.count() - 1, form.sentence, Qt.ItemDataRole.ToolTipRole)
        self.format_box.currentIndexChanged.connect(self._changed)
        self.format_note = QLabel()
        self.format_note.setObjectName("exportFormatNote")
        theme.set_role(self.format_note, level="muted")

        self.what = QButtonGroup(self)
        what_column = QVBoxLayout()
        theme.arrange(what_column, spacing=0.25)
        what_column.addWidget(_section("Which hits"))
        for choice in choices:
            button = QRadioButton(f"{choice.title}  ({len(choice):,})")
            button.setObjectName(f"exportWhat-{choice.key}")
            button.setEnabled(bool(len(choice)))
            self.what.addButton(button)
            what_column.addWidget(button)
        preferred = [c for c in choices if len(c)]
        if preferred:
            default = next((c for c in preferred if c.key == "shown"), preferred[0])
            self.what_button(default.key).setChecked(True)
        self.what.buttonToggled.connect(lambda _button, on: self._changed() if on else None)
        what_column.addStretch(1)

        self.columns_box = QComboBox()
        self.columns_box.setObjectName("exportColumns")
        self.columns_box.setAccessibleName("Columns")
        for title, key in (("Standard columns", "standard"), ("As in the table", "shown"), ("Choose…", "choose")):
            self.columns_box.addItem(title, key)
        self.columns_box.currentIndexChanged.connect(self._changed)
        self.columns_list = QListWidget()
        self.columns_list.setObjectName("exportColumnList")
        self.columns_list.setAccessibleName("Columns to write")
        for column in HIT_COLUMNS.values():
            item = QListWidgetItem(f"{column.heading}  ({column.key})")
            item.setData(Qt.ItemDataRole.UserRole, column.key)
            item.setToolTip(column.description)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            chosen = column.key in self._shown_columns
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
            self.columns_list.addItem(item)
        self.columns_list.itemChanged.connect(self._changed)
        self.comments = QCheckBox("Begin with # lines that tell how the hits were found")
        self.comments.setObjectName("exportComments")
        self.comments.toggled.connect(self._changed)
        self.flank = QSpinBox()
        self.flank.setObjectName("exportFlank")
        self.flank.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.flank.setRange(0, 100_000)
        self.flank.setSuffix(" residues")
        self.flank.setToolTip("Residues to write on either side of the aligned parts, where the subjects have them")
        self.flank.valueChanged.connect(self._changed)
        self.gaps = QCheckBox("Keep gap signs")
        self.gaps.setObjectName("exportGaps")
        self.gaps.toggled.connect(self._changed)
        flank_label = QLabel("&Flanks")
        flank_label.setBuddy(self.flank)
        self.parts_side = QWidget()
        parts = QHBoxLayout(self.parts_side)
        theme.arrange(parts, 0, 1)
        for widget in (flank_label, self.flank, self.gaps):
            parts.addWidget(widget)
        parts.addStretch(1)
        self.columns_side = QWidget()
        columns_column = QVBoxLayout(self.columns_side)
        theme.arrange(columns_column, 0, 0.5)
        columns_column.addWidget(_section("Columns"))
        columns_column.addWidget(self.columns_box)
        columns_column.addWidget(self.columns_list, 1)
        columns_column.addWidget(self.comments)
        columns_column.addStretch(0)

        self.preview = QPlainTextEdit()
        self.preview.setObjectName("exportPreview")
        self.preview.setAccessibleName("First lines of the file")
        self.preview.setReadOnly(True)
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setFont(theme.fixed_font())
        self.note = QFrame()
        self.note.setObjectName("exportNote")
        theme.set_role(self.note, role="note", tone="danger")
        self.note_text = QLabel()
        self.note_text.setObjectName("exportNoteText")
        self.note_text.setWordWrap(True)
        note = QHBoxLayout(self.note)
        theme.arrange(note, (1, 0.5, 1, 0.5))
        note.addWidget(self.note_text)
        self.note.hide()
        self.bar = QProgressBar()
        self.bar.setObjectName("exportProgress")
        self.bar.setAccessibleName("Hits written")
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.bar_text = QLabel()
        self.bar_text.setObjectName("exportProgressText")
        theme.set_role(self.bar_text, level="muted")
        self.buttons = QDialogButtonBox()
        self.save_button = QPushButton("Save as…")
        self.save_button.setObjectName("exportSave")
        theme.set_role(self.save_button, role="primary")
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(self._ask_path)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setObjectName("exportCancel")
        self.cancel_button.clicked.connect(self._cancel)
        self.buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.buttons.addButton(self.cancel_button, QDialogButtonBox.ButtonRole.ActionRole)

        sides = QHBoxLayout()
        theme.arrange(sides, spacing=3)
        sides.addLayout(what_column, 1)
        sides.addWidget(self.columns_side, 1)
        foot = QHBoxLayout()
        theme.arrange(foot, spacing=1)
        foot.addWidget(self.bar, 1)
        foot.addWidget(self.bar_text)
        foot.addStretch(0)
        foot.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 2, 1)
        layout.addWidget(_section("Format"))
        layout.addWidget(self.format_box)
        layout.addWidget(self.format_note)
        layout.addWidget(self.parts_side)
        layout.addLayout(sides)
        layout.addWidget(_section("First lines"))
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.note)
        layout.addLayout(foot)
        self.resize(theme.grid(92), theme.grid(80))

    def what_button(self, key: str) -> QRadioButton:
        """Return the button of a choice of hits."""
        return next(button for button in self.what.buttons() if button.objectName() == f"exportWhat-{key}")

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
        self.save_button.setEnabled(job is not None and self._progress is None)
        if job is None:
            self._jobs.drop(PREVIEW_KEY)
            self.preview.setPlainText("Nothing to write: choose hits and at least one column.")
            return
        self._jobs.submit(PREVIEW_KEY, job.preview, self._show_preview, self._preview_failed)

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
        if job is None or self._progress is not None:
            return
        progress = self._progress = ExportProgress()
        self.note.hide()
        self.bar.setRange(0, len(job.choice))
        self.bar.setValue(0)
        self.bar.show()
        self.save_button.setEnabled(False)
        self.cancel_button.setText("Stop")
        self._poll.start()
        self._jobs.submit(
            SAVE_KEY, lambda: job.save(path, progress), lambda written: self._done(written, job), self._failed
        )

    def _show_progress(self) -> None:
        if self._progress is not None:
            self.bar.setValue(self._progress.done)
            self.bar_text.setText(f"{self._progress.done:,} of {formatting.plural(self.bar.maximum(), 'hit')}")

    def _ended(self) -> None:
        self._progress = None
        self._poll.stop()
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
        if self._progress is not None:
            self._progress.cancel()
        else:
            self.reject()

    def done(self, result: int) -> None:
        """Close; an export that still runs is stopped and leaves no file."""
        if self._progress is not None:
            self._progress.cancel()
            self._jobs.drop(SAVE_KEY)
        self._poll.stop()
        self._jobs.drop(PREVIEW_KEY)
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
    label = QLabel(text)
    theme.set_role(label, level="section")
    return label
