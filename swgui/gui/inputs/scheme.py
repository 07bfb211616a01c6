"""Matrix, gap costs and presets: settings that searches and long pairs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QTableView,
    QWidget,
)

from swgui.commands.presets import Preset, Schemes, delete_preset, keep_preset, preset, presets_for, settings_of
from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.search import STRANDS, Strand
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_form, in_row
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tables.row_table import Index, PlainHead, Role, RowTable, row_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import arrange, colours, grid, keep_size, set_role
from swgui.gui.kit.widgets import combo_box, fill_combo, line_edit, spin_box, text_label
from swgui.gui.words import wording
from swgui.io.matrices import load_matrix, matrix_names
from swgui.io.statistics import load_statistics, tabulated_gaps
from swgui.settings import SchemeSettings

PER_ROW_NARROW = 3
CELL, LINE = 3.75, 2.4  # grid units
RULES = (
    ("BLAST", "blast", "A gap of length k costs open + k × extend"),
    ("EMBOSS, CUDASW++", "first", "A gap of length k costs open + (k − 1) × extend"),
)
STRAND_TITLES = (("Both strands", "both"), ("Plus strand", "plus"), ("Minus strand", "minus"))


class FieldGrid(QGridLayout):
    """A layout of titled fields, in one row at first.

    Parameters
    ----------
    fields : sequence of (str, QWidget, int)
        Title, field, and how much its column stretches.
    """

    def __init__(self, fields: Sequence[tuple[str, QWidget, int]]) -> None:
        super().__init__()
        arrange(self, 0, (2, 0.5))
        self._fields = [(text_label(text, level="small", buddy=field), field, share) for text, field, share in fields]
        self.set_narrow(False)

    def set_narrow(self, narrow: bool) -> None:
        """Put the fields in rows of three, or in one row."""
        per_row = PER_ROW_NARROW if narrow else len(self._fields)
        for place, (label, field, share) in enumerate(self._fields):
            row, column = divmod(place, per_row)
            self.addWidget(label, 2 * row, column)
            self.addWidget(field, 2 * row + 1, column)
            if row == 0:
                self.setColumnStretch(column, share)
        for column in range(per_row, len(self._fields)):
            self.setColumnStretch(column, 0)

    def show_field(self, wanted: QWidget, on: bool) -> None:
        for label, field, _ in self._fields:
            if field is wanted:
                label.setVisible(on)
                field.setVisible(on)


class MatrixModel(RowTable):
    """The scores of all pairs of symbols; positive scores are tinted, a symbol with itself is bold."""

    def __init__(self, matrix: SubstitutionMatrix) -> None:
        super().__init__()
        self.matrix = matrix
        self.symbols = matrix.alphabet.letters
        self.heads = tuple(PlainHead(symbol, side=Qt.AlignmentFlag.AlignHCenter) for symbol in self.symbols)

    def row_count(self) -> int:
        return len(self.symbols)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return self.symbols[section] if role == Role.DisplayRole else None
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = index.row(), index.column()
        score = int(self.matrix.scores[row, column])
        match role:
            case Role.DisplayRole:
                return _signed(score)
            case Role.ToolTipRole:
                return f"{self.symbols[row]} with {self.symbols[column]}: {score}"
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignCenter
            case Role.BackgroundRole if score > 0:
                return QColor(colours(QGuiApplication.palette()).accent_soft)
            case Role.ForegroundRole if score <= 0:
                return QColor(colours(QGuiApplication.palette()).muted)
            case Role.FontRole if row == column:
                font = QGuiApplication.font()
                font.setBold(True)
                return font
        return None

    def text(self) -> str:
        """Return the matrix in NCBI's format, which the program reads again."""
        lines = ["   " + " ".join(f"{symbol:>3}" for symbol in self.symbols)]
        for symbol, scores in zip(self.symbols, self.matrix.scores.tolist(), strict=True):
            lines.append(f"{symbol:<3}" + " ".join(f"{score:>3}" for score in scores))
        return "\n".join(lines) + "\n"


class MatrixDialog(Dialog):
    """Shows a matrix, and copies it."""

    def __init__(self, matrix: SubstitutionMatrix, parent: QWidget | None = None) -> None:
        super().__init__("matrixDialog", f"Matrix {matrix.name}", parent)
        self.model = MatrixModel(matrix)
        self.model.setParent(self)
        self.view = row_table(QTableView(), "matrixTable", f"Scores of {matrix.name}", self.model)
        self.view.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        self.view.verticalHeader().show()
        for header in (self.view.horizontalHeader(), self.view.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(grid(2))
        self.view.horizontalHeader().setStretchLastSection(False)
        self.view.horizontalHeader().setDefaultSectionSize(grid(CELL))
        self.view.verticalHeader().setDefaultSectionSize(grid(LINE))
        scores = matrix.scores
        ordered = (scores != scores.T).any()
        about = "rows are of the query, columns of the subject" if ordered else "the order of a pair does not matter"
        told = f"Scores from {_signed(scores.min())} to {_signed(scores.max())}; {about}."
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("matrixCopy")
        copy.setToolTip("Copy the matrix as text in NCBI's format")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.model.text()))
        buttons.rejected.connect(self.reject)
        in_column(text_label(told, level="muted"), (self.view, 1), buttons, margins=2, parent=self)
        size = len(self.model.symbols) + 2
        self.fit(min(size * CELL + 2, 120), min(size * LINE + 11, 84))


def _signed(score: int) -> str:
    return str(score).replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True, slots=True)
class Scoring:
    """A scheme, the source of its E-values, and gap costs with known statistics."""

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
    if not matrix:
        message = f"The alphabet '{kind}' comes without scores."
        raise InvalidParameter("matrix", matrix, message, hint="Choose a file under Matrix, and gap costs that fit it.")
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


class MatchDialog(Dialog):
    """Asks for match and mismatch."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("matchDialog", "Match and mismatch", parent)
        self.match = spin_box("matchScore", (1, 1000), 2)
        self.match.setPrefix("+")
        self.mismatch = spin_box("mismatchScore", (-1000, -1), -3)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        in_form(("&Match", self.match), ("M&ismatch", self.mismatch), buttons, margins=2, parent=self)

    @property
    def name(self) -> str:
        """The pair as matrices are named, for example ``+2/-3``."""
        return f"+{self.match.value()}/{self.mismatch.value()}"


class PresetDialog(Dialog):
    """Asks for the name of a preset.

    Parameters
    ----------
    name : str
        Proposed name.
    keep : callable
        Keeps the settings under a name; the dialog shows its errors and lets the user type another name.
    """

    kept = Signal(str)  # the id of the preset

    def __init__(self, name: str, keep: Callable[[str], Preset], parent: QWidget | None = None) -> None:
        super().__init__("presetDialog", "Save as preset", parent)
        self._keep = keep
        self.name = line_edit("presetName", "Name of the preset, here and in commands", width=36)
        self.name.setText(name)
        self.problem = text_label("", "presetProblem", wrap=True, plain=True, tone="danger")
        self.problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        note = text_label("All settings of this panel are kept. A preset of yours of the same name is replaced.",
                          wrap=True, level="muted")  # fmt: skip
        in_form(("&Name", self.name), note, self.problem, buttons, margins=2, parent=self)

    def accept(self) -> None:
        """Keep the settings, or show the reason of a failure."""
        try:
            kept = self._keep(self.name.text())
        except (SwguiError, OSError) as error:
            self.problem.setText(wording.explain(error))
            self.problem.show()
            return
        super().accept()
        self.kept.emit(kept.id)


class SchemePanel(QFrame):
    """Edits the scoring scheme for the kind of sequence; pages add fields of their own.

    Parameters
    ----------
    tasks : Tasks
        Where the scheme is made; of this panel alone.
    prefix : str
        Begins the names of all objects.
    """

    changed = Signal()  # a setting, the scheme or its state changed

    def __init__(self, settings: Schemes, tasks: Tasks, prefix: str = "") -> None:
        super().__init__()
        self._prefix = prefix
        self.setObjectName(self._named("scoringPanel"))
        set_role(self, role="card")
        self._settings = settings
        self._tasks = tasks
        self.kind = "protein"
        self._scoring: Scoring | None = None
        self._folder = Path()  # of matrix files
        self._error = ""
        self._filling = True
        self._matrices: dict[str, tuple[str, ...]] = {}
        self._build()
        self.fill()
        for alphabet in ALPHABETS.values():
            self._tasks.submit(
                f"matrices-{alphabet.name}", partial(_choices, alphabet), partial(self._take_matrices, alphabet)
            )

    @property
    def values(self) -> SchemeSettings:
        """The settings that are shown, those of the kind; edits change them at once."""
        return settings_of(self._settings, self.kind)

    @property
    def scheme(self) -> ScoringScheme | None:
        return self._scoring.scheme if self._scoring else None

    @property
    def problem(self) -> str:
        """Why the settings cannot be used, as one sentence; empty if they can."""
        return self._error or ("" if self._scoring is not None else "Reading the matrix…")

    def set_kind(self, kind: str) -> None:
        if kind != self.kind:
            self.kind = kind
            self.fill()

    def set_narrow(self, narrow: bool) -> None:
        """Put the fields in several rows instead of one."""
        self._fields.set_narrow(narrow)

    def use_preset(self, identifier: str) -> None:
        preset(identifier, self.kind).apply(self.values)
        self.fill()

    @property
    def strand(self) -> Strand:
        """Chosen strands of the query; plus for kinds with a single strand."""
        asked = self.values.search.get("strand", "plus") if ALPHABETS[self.kind].complements else "plus"
        return cast("Strand", asked if asked in STRANDS else "plus")

    # Parts that pages add

    def _columns(self) -> Sequence[tuple[str, QWidget, int]]:
        return (
            ("Matrix", self._matrix, 3),
            ("Gap open", self._open, 1),
            ("Gap extend", self._extend, 1),
            ("Gap rule", self._rule, 3),
            ("Strand", self._strand, 2),
        )

    def _place(self) -> None:
        raise NotImplementedError

    def _show_values(self) -> None:
        """Show the parts that the page has added."""

    # Inside

    def _named(self, name: str) -> str:
        return f"{self._prefix}{name[0].upper()}{name[1:]}" if self._prefix else name

    def _build(self) -> None:
        self._preset = combo_box(
            self._named("preset"), "Settings that belong together", self._preset_chosen, accessible="Preset"
        )
        self._matrix = combo_box(self._named("matrix"), "Score of each aligned pair", self._matrix_chosen)
        self._open, self._extend = (
            spin_box(self._named(name), (0, 10_000), 0, tip, self._edited, grouped=True)
            for name, tip in (
                ("gapOpen", "Cost of opening a gap"),
                ("gapExtend", "Cost of each position in a gap"),
            )
        )
        tip = "A gap of length k costs open + k × extend in BLAST, open + (k − 1) × extend in EMBOSS and CUDASW++"
        self._rule = combo_box(self._named("gapRule"), tip, self._edited, items=RULES)
        tip = "Strands of the query to search with"
        self._strand = combo_box(self._named("strand"), tip, self._edited, items=STRAND_TITLES)
        self._costs, self._note = (
            text_label(name=self._named(name), wrap=True, plain=True, level="muted")
            for name in ("gapCosts", "presetNote")
        )
        self._place()

    def _head(self, title: str) -> QHBoxLayout:
        label = text_label(title, level="heading")
        keep_size(label, width=12)
        return in_row(label, self._preset, (self._note, 1))

    def _make_fields(self) -> FieldGrid:
        self._fields = FieldGrid(self._columns())
        return self._fields

    def _show_field(self, field: QWidget, on: bool) -> None:
        self._fields.show_field(field, on)

    def fill(self) -> None:
        values = self.values
        self._filling = True
        self._fill_presets()
        self._fill_matrices()
        self._open.setValue(values.gap_open)
        self._extend.setValue(values.gap_extend)
        self._rule.setCurrentIndex(self._rule.findData(values.rule))
        strands = bool(ALPHABETS[self.kind].complements)
        self._show_field(self._strand, strands)
        self._strand.setCurrentIndex(self._strand.findData(self.strand))
        self._show_values()
        self._filling = False
        self.refresh()

    def _fill_presets(self) -> None:
        offered = presets_for(self.kind)
        fill_combo(self._preset, [(preset.title, preset.id, preset.note) for preset in offered])
        if (own := sum(preset.own for preset in offered)) > 0:
            self._preset.insertSeparator(self._preset.count() - own)
        self._preset.insertSeparator(self._preset.count())
        self._preset.addItem("Save as preset…", self._ask_name)
        if preset(self.values.preset, self.kind).own:
            self._preset.addItem("Delete this preset", self._delete_preset)

    def _fill_matrices(self) -> None:
        current = self.values.matrix
        names = self._matrices.get(self.kind, ())
        self._matrix.clear()
        for name in names if current in names else (current, *names):
            self._matrix.addItem(Path(name).name if "/" in name and Path(name).exists() else name, name)
        self._matrix.insertSeparator(self._matrix.count())
        if ALPHABETS[self.kind].complements:
            self._matrix.addItem("Match and mismatch…", self._ask_match)
        self._matrix.addItem("Matrix file…", self._ask_file)
        self._matrix.addItem("Show as a table…", self._show_matrix)
        self._matrix.setCurrentIndex(self._matrix.findData(current))

    def _take_matrices(self, alphabet: Alphabet, names: tuple[str, ...]) -> None:
        self._matrices[alphabet.name] = names
        if alphabet.name == self.kind:
            self._fill_matrices()

    def _preset_chosen(self) -> None:
        data = self._preset.currentData()
        if callable(data):
            self.refresh()  # shows the preset that is in use
            data()
        else:
            self.use_preset(data)

    def _ask_name(self) -> None:
        chosen = preset(self.values.preset, self.kind)
        keep = partial(keep_preset, kind=self.kind, settings=self.values)
        dialog = PresetDialog(chosen.title if chosen.own else "", keep, self.window())
        dialog.kept.connect(self.use_preset)
        dialog.open()

    def _delete_preset(self) -> None:
        try:
            delete_preset(self.values.preset, self.kind)
        except (SwguiError, OSError) as error:
            self._refused(error)
            return
        self.fill()

    def _matrix_chosen(self) -> None:
        data = self._matrix.currentData()
        if isinstance(data, str):
            self.set_matrix(data)
        elif callable(data):
            data()
            self._matrix.setCurrentIndex(self._matrix.findData(self.values.matrix))

    def _show_matrix(self) -> None:
        if self.scheme is not None:
            dialog = MatrixDialog(self.scheme.matrix, self.window())
            dialog.open()

    def _ask_match(self) -> None:
        dialog = MatchDialog(self.window())
        dialog.accepted.connect(lambda: self.set_matrix(dialog.name))
        dialog.open()

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Matrix file in NCBI format", str(self._folder), "All files (*)")
        if name:
            self._folder = Path(name).parent
            self.set_matrix(name)

    def set_matrix(self, name: str) -> None:
        self.values.matrix = name
        if self._matrix.findData(name) < 0:
            self._fill_matrices()
        self.refresh()

    def _edited(self, *_given: object) -> None:
        if self._filling:
            return
        values = self.values
        values.gap_open, values.gap_extend = self._open.value(), self._extend.value()
        values.rule = self._rule.currentData()
        if ALPHABETS[self.kind].complements:
            others = {name: value for name, value in values.search.items() if name != "strand"}
            strand = self._strand.currentData()
            values.search = others if strand == "plus" else {**others, "strand": strand}
        self._show_values()
        self.refresh()

    @property
    def preset_title(self) -> str:
        chosen = preset(self.values.preset, self.kind)
        return chosen.title + ("" if chosen.matches(self.values) else " (changed)")

    def _show_preset(self) -> None:
        values = self.values
        chosen = preset(values.preset, self.kind)
        same = chosen.matches(values)
        self._preset.setCurrentIndex(self._preset.findData(chosen.id))
        self._preset.setItemText(self._preset.currentIndex(), self.preset_title)
        font = self._preset.font()
        font.setItalic(not same)
        self._preset.setFont(font)
        self._note.setText(chosen.note if same else "")

    def refresh(self) -> None:
        values = self.values
        self._show_preset()
        self._scoring = None
        self._error = ""
        work = partial(make_scoring, self.kind, values.matrix, values.gap_open, values.gap_extend, values.rule)
        self._tasks.submit("scoring", work, self._made, self._refused)
        self.changed.emit()

    def _made(self, scoring: Scoring) -> None:
        self._scoring = scoring
        set_role(self._costs, tone="")
        self._costs.setText(f"{wording.gap_costs(scoring.scheme)} {wording.both_rules(scoring.scheme)}")
        self.changed.emit()

    def _refused(self, error: Exception) -> None:
        self._error = wording.explain(error)
        self._costs.setText(self._error)
        set_role(self._costs, tone="danger")
        self.changed.emit()
