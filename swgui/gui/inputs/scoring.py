"""Matrix, gap costs, presets and limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.core.scoring import ScoringScheme
from swgui.gui.inputs.presets import preset, presets_for
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.kit.theme import arrange, grid, keep_size, set_role
from swgui.gui.words import wording
from swgui.io.matrices import load_matrix, matrix_names
from swgui.io.statistics import load_statistics, tabulated_gaps
from swgui.settings import PairSettings, SchemeSettings, SearchSettings

RULES = (
    ("blast", "BLAST: open + k × extend", "A gap of k residues costs open + k × extend"),
    ("first", "First residue = open", "A gap of k residues costs open + (k − 1) × extend, as in CUDASW++ and water"),
)
STRANDS = (("both", "Both strands"), ("plus", "Plus strand"), ("minus", "Minus strand"))
FIELDS_NARROW = 3
GAPS_NAMED = 14


@dataclass(frozen=True, slots=True)
class Scoring:
    """A scheme, where its E-values come from, and gap costs for which there are some."""

    scheme: ScoringScheme
    statistics: str
    tabulated: tuple[tuple[int, int], ...]


def make_scoring(kind: str, matrix: str, gap_open: int, gap_extend: int, rule: str) -> Scoring:
    """Make the scheme of the settings.

    Raises
    ------
    SwguiError
        If matrix or gap costs cannot be used.
    """
    loaded = load_matrix(matrix, ALPHABETS[kind])
    note_input(matrix, "matrix")
    if rule == "blast":
        scheme = ScoringScheme.from_blast(loaded, gap_open, gap_extend)
    else:
        scheme = ScoringScheme(loaded, gap_open, gap_extend)
    statistics = load_statistics(scheme)
    return Scoring(scheme, statistics.describe() if statistics else "", tabulated_gaps(loaded))


def _choices(alphabet: Alphabet) -> tuple[str, ...]:
    names = matrix_names(alphabet)
    return tuple(sorted(names, key=lambda name: not name.startswith("+")))  # match/mismatch pairs first


class PairDialog(QDialog):
    """Asks for match and mismatch."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Match and mismatch")
        self.match, self.mismatch = QSpinBox(), QSpinBox()
        self.match.setRange(1, 1000)
        self.match.setValue(2)
        self.match.setPrefix("+")
        self.mismatch.setRange(-1000, -1)
        self.mismatch.setValue(-3)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        arrange(form, 2, 1)
        form.addRow("&Match", self.match)
        form.addRow("M&ismatch", self.mismatch)
        form.addRow(buttons)

    @property
    def name(self) -> str:
        """The pair as matrices are named, for example ``+2/-3``."""
        return f"+{self.match.value()}/{self.mismatch.value()}"


class ScoringPanel(QFrame):
    """Edits the scoring settings of the kind of sequence at hand.

    Signals
    -------
    changed()
        A setting, the scheme or its state changed.
    """

    changed = Signal()

    def __init__(
        self, settings: SearchSettings | PairSettings, short_jobs: ShortJobs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("scoringPanel")
        set_role(self, role="card")
        self._settings = settings
        self._jobs = short_jobs
        self._kind = "protein"
        self._scoring: Scoring | None = None
        self._error = ""
        self._filling = False
        self._names: dict[str, tuple[str, ...]] = {}
        self._build()
        self._fill()
        for alphabet in ALPHABETS.values():
            self._jobs.submit(f"matrices-{alphabet.name}", partial(_choices, alphabet), partial(self._named, alphabet))

    @property
    def kind(self) -> str:
        """Kind of sequence whose settings are shown."""
        return self._kind

    @property
    def values(self) -> SchemeSettings:
        """The settings that are shown."""
        return self._settings.nucleotide if self._kind == "nucleotide" else self._settings.protein

    @property
    def scheme(self) -> ScoringScheme | None:
        """The scheme of the settings, None while it is made or if it cannot be."""
        return self._scoring.scheme if self._scoring else None

    @property
    def problem(self) -> str:
        """Why the settings cannot be used, as one sentence; empty if they can."""
        if self._error:
            return self._error
        if not self._evalue.hasAcceptableInput():
            return "The E-value limit must be a number above 0, for example 10 or 1e-5."
        return "" if self._scoring is not None else "Reading the matrix…"

    def set_kind(self, kind: str) -> None:
        """Show the settings of another kind of sequence."""
        if kind != self._kind:
            self._kind = kind
            self._fill()

    def set_narrow(self, narrow: bool) -> None:
        """Put the fields in two rows instead of one."""
        per_row = FIELDS_NARROW if narrow else len(self._fields)
        for place, (label, widget, stretch) in enumerate(self._fields):
            row, column = divmod(place, per_row)
            self.fields.addWidget(label, 2 * row, column)
            self.fields.addWidget(widget, 2 * row + 1, column)
            if row == 0:
                self.fields.setColumnStretch(column, stretch)
        for column in range(per_row, len(self._fields)):
            self.fields.setColumnStretch(column, 0)

    def use_preset(self, identifier: str) -> None:
        """Take the settings of a preset of the kind that is shown."""
        preset(identifier, self._kind).apply(self.values)
        self._fill()

    # Inside

    def _build(self) -> None:
        self._preset, self._matrix, self._rule, self._strand = (QComboBox() for _ in range(4))
        self._open, self._extend, self._top = (QSpinBox() for _ in range(3))
        self._evalue = QLineEdit()
        for spin, name, tip in (
            (self._open, "gapOpen", "Cost of opening a gap, a positive number"),
            (self._extend, "gapExtend", "Cost of each residue of a gap, a positive number"),
            (self._top, "topHits", "At most this many hits are listed for each query; every sequence is scored"),
        ):
            spin.setObjectName(name)
            spin.setToolTip(tip)
            spin.setGroupSeparatorShown(True)
            spin.setAlignment(Qt.AlignmentFlag.AlignRight)
            spin.setRange(*((1, 1_000_000) if spin is self._top else (0, 10_000)))
            spin.valueChanged.connect(self._edited)
        validator = QDoubleValidator(1e-300, 1e12, 300, self)
        validator.setLocale(validator.locale().c())
        self._evalue.setObjectName("maxEvalue")
        self._evalue.setValidator(validator)
        self._evalue.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._evalue.setToolTip("Hits with a higher E-value are not listed; 10 shows also what chance brings")
        self._evalue.textEdited.connect(self._edited)
        self._preset.setObjectName("preset")
        self._preset.setToolTip("Settings that belong together")
        self._preset.activated.connect(self._preset_chosen)
        self._matrix.setObjectName("matrix")
        self._matrix.setToolTip("What each pair of residues scores")
        self._matrix.activated.connect(self._matrix_chosen)
        self._rule.setObjectName("gapRule")
        for data, text, tip in RULES:
            self._rule.addItem(text, data)
            self._rule.setItemData(self._rule.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self._rule.setToolTip("How gap costs are counted; programs differ")
        self._rule.activated.connect(self._edited)
        self._strand.setObjectName("strand")
        self._strand.setToolTip("Which strands of the query are searched with")
        for data, text in STRANDS:
            self._strand.addItem(text, data)
        self._strand.activated.connect(self._edited)
        self._mask = QCheckBox("Mask stretches of low complexity in the query")
        self._mask.setObjectName("maskQuery")
        self._mask.setToolTip(
            "Replaces stretches of few different residues by X (SEG) or N (DUST), so that they match nothing. "
            "This changes scores; an exact search does not do it by itself"
        )
        self._mask.toggled.connect(self._edited)
        self._size = QLineEdit()
        self._size.setObjectName("effectiveResidues")
        self._size.setPlaceholderText("its own size")
        self._size.setValidator(QIntValidator(0, 2**31 - 1, self))
        self._size.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._size.setToolTip(
            "Residues of the database that E-values refer to: set it to compare searches in databases of different size"
        )
        self._size.textEdited.connect(self._edited)
        self._more = QPushButton("More settings")
        self._more.setObjectName("moreSettings")
        self._more.setToolTip("Strands, masking of low complexity, database size for E-values")
        self._more.setCheckable(True)
        set_role(self._more, role="quiet")
        self._more.toggled.connect(self._show_more)
        self._costs, self._statistics, self._note = QLabel(), QLabel(), QLabel()
        for label, name in ((self._costs, "gapCosts"), (self._statistics, "evalueSource"), (self._note, "presetNote")):
            label.setObjectName(name)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            set_role(label, level="muted")
        self._place()

    def _place(self) -> None:
        title = QLabel("Settings")
        set_role(title, level="heading")
        keep_size(title, width=12)
        head = QHBoxLayout()
        arrange(head, 0, 1)
        head.addWidget(title)
        head.addWidget(self._preset)
        head.addWidget(self._note, 1)
        head.addWidget(self._more)
        size = QLabel("E-values for a database of")
        size.setBuddy(self._size)
        keep_size(self._size, width=16)
        residues = QLabel("residues")
        self._extra = QWidget()
        extra = QHBoxLayout(self._extra)
        arrange(extra, 0, 1)
        for widget in (self._mask, size, self._size, residues):
            extra.addWidget(widget)
        extra.insertSpacing(1, grid(2))
        extra.addStretch(1)
        self.fields = QGridLayout()
        arrange(self.fields, 0, (2, 0.5))
        columns: tuple[tuple[str, QWidget, int], ...] = (
            ("Matrix", self._matrix, 3),
            ("Gap open", self._open, 1),
            ("Gap extend", self._extend, 1),
            ("Gap rule", self._rule, 3),
            ("E-value up to", self._evalue, 1),
            ("Hits per query", self._top, 1),
            ("Strand", self._strand, 2),
        )
        self._fields: list[tuple[QLabel, QWidget, int]] = []
        for text, widget, stretch in columns:
            label = QLabel(text)
            label.setBuddy(widget)
            set_role(label, level="small")
            self._fields.append((label, widget, stretch))
        self._strand_label = self._fields[-1][0]
        self.set_narrow(False)
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addLayout(head)
        layout.addLayout(self.fields)
        layout.addWidget(self._costs)
        layout.addWidget(self._statistics)
        layout.addWidget(self._extra)
        self._extra.hide()

    def _show_more(self, shown: bool) -> None:
        self._extra.setVisible(shown)
        self._more.setText("Fewer settings" if shown else "More settings")

    def _fill(self) -> None:
        """Show the settings of the kind."""
        values = self.values
        self._filling = True
        self._preset.clear()
        for offered in presets_for(self._kind):
            self._preset.addItem(offered.title, offered.id)
            self._preset.setItemData(self._preset.count() - 1, offered.note, Qt.ItemDataRole.ToolTipRole)
        self._fill_matrices()
        self._open.setValue(values.gap_open)
        self._extend.setValue(values.gap_extend)
        self._rule.setCurrentIndex(self._rule.findData(values.rule))
        self._evalue.setText(f"{values.max_evalue:g}")
        self._top.setValue(values.top)
        self._mask.setChecked(values.mask)
        self._size.setText(str(values.effective_residues or ""))
        if values.mask or values.effective_residues:
            self._more.setChecked(True)  # what decides the outcome must be seen
        strands = bool(ALPHABETS[self._kind].complements)
        self._strand.setVisible(strands)
        self._strand_label.setVisible(strands)
        self._strand.setCurrentIndex(self._strand.findData(values.strand if strands else "plus"))
        self._filling = False
        self._refresh()

    def _fill_matrices(self) -> None:
        current = self.values.matrix
        names = self._names.get(self._kind, ())
        self._matrix.clear()
        for name in names if current in names else (current, *names):
            self._matrix.addItem(Path(name).name if "/" in name and Path(name).exists() else name, name)
        self._matrix.insertSeparator(self._matrix.count())
        if ALPHABETS[self._kind].complements:
            self._matrix.addItem("Match and mismatch…", self._ask_pair)
        self._matrix.addItem("Matrix file…", self._ask_file)
        self._matrix.setCurrentIndex(self._matrix.findData(current))

    def _named(self, alphabet: Alphabet, names: tuple[str, ...]) -> None:
        self._names[alphabet.name] = names
        if alphabet.name == self._kind:
            self._fill_matrices()

    def _preset_chosen(self) -> None:
        self.use_preset(self._preset.currentData())

    def _matrix_chosen(self) -> None:
        data = self._matrix.currentData()
        if isinstance(data, str):
            self._set_matrix(data)
        elif isinstance(data, Callable):
            data()
            self._matrix.setCurrentIndex(self._matrix.findData(self.values.matrix))

    def _ask_pair(self) -> None:
        dialog = PairDialog(self.window())
        if dialog.exec():
            self._set_matrix(dialog.name)
        dialog.deleteLater()

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Matrix file in NCBI format", "", "All files (*)")
        if name:
            self._set_matrix(name)

    def _set_matrix(self, name: str) -> None:
        self.values.matrix = name
        if self._matrix.findData(name) < 0:
            self._fill_matrices()
        self._refresh()

    def _edited(self) -> None:
        if self._filling:
            return
        values = self.values
        values.gap_open, values.gap_extend = self._open.value(), self._extend.value()
        values.rule = self._rule.currentData()
        values.top = self._top.value()
        values.mask = self._mask.isChecked()
        values.effective_residues = int(self._size.text() or 0)
        if ALPHABETS[self._kind].complements:
            values.strand = self._strand.currentData()
        acceptable = self._evalue.hasAcceptableInput()
        set_role(self._evalue, invalid=not acceptable)
        if acceptable:
            values.max_evalue = float(self._evalue.text())
        self._refresh()

    def _refresh(self) -> None:
        """Make the scheme anew and say what it is."""
        values = self.values
        chosen = preset(values.preset, self._kind)
        same = chosen.matches(values)
        self._preset.setCurrentIndex(self._preset.findData(chosen.id))
        self._preset.setItemText(self._preset.currentIndex(), chosen.title + ("" if same else " (changed)"))
        font = self._preset.font()
        font.setItalic(not same)
        self._preset.setFont(font)
        self._note.setText(chosen.note if same else f"Changed from {chosen.title}.")
        self._scoring = None
        self._error = ""
        work = partial(make_scoring, self._kind, values.matrix, values.gap_open, values.gap_extend, values.rule)
        self._jobs.submit("scoring", work, self._made, self._refused)
        self.changed.emit()

    def _made(self, scoring: Scoring) -> None:
        self._scoring = scoring
        scheme = scoring.scheme
        set_role(self._costs, tone="")
        self._costs.setText(f"{wording.gap_costs(scheme)} In other words: {wording.both_rules(scheme)}.")
        if scoring.statistics:
            self._statistics.setText(f"E-values: {scoring.statistics}")
        else:
            known = ", ".join(f"{o}/{e}" for o, e in scoring.tabulated[:GAPS_NAMED])
            advice = f" Published for this matrix: {known}." if known else ""
            self._statistics.setText(
                f"No published constants for these costs: E is estimated from the scores of the search itself.{advice}"
            )
        set_role(self._statistics, tone="" if scoring.statistics else "warning")
        self.changed.emit()

    def _refused(self, error: Exception) -> None:
        self._error = wording.explain(error)
        self._costs.setText(self._error)
        set_role(self._costs, tone="danger")
        self._statistics.clear()
        self.changed.emit()
