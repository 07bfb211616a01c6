"""Scoring and limits of a search."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QDoubleValidator, QIntValidator
from PySide6.QtWidgets import QLineEdit, QWidget

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.recipe import PRESETS, ROUNDS
from swgui.gui.inputs.scheme import SchemePanel, Scoring
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import check_box, combo_box, line_edit, push_button, spin_box, text_label
from swgui.settings import SchemeSettings

GAPS_NAMED = 14
COMPOSITIONS = (("by shuffles", "full"), ("by lambda alone", "lambda"), ("not at all", "none"))
MAX_HSPS = 100


class ScoringPanel(SchemePanel):
    """Edits the scoring scheme of the kind of sequence at hand, and what is listed of a search."""

    @property
    def problem(self) -> str:
        """Why the settings cannot be used, as one sentence; empty if they can."""
        if not self._error and not self._evalue.hasAcceptableInput():
            return "The E-value limit must be a number above 0, for example 10 or 1e-5."
        if not all(field.hasAcceptableInput() or not field.text() for field in self._minimums.values()):
            return "Limits are numbers from 0 on, those of identity and coverage percents up to 100."
        return super().problem

    def _build(self) -> None:
        tip = "At most this many hits are listed for each query; every sequence is scored"
        self._top = spin_box("topHits", (1, 1_000_000), 500, tip, self._edited, grouped=True)
        tip = "Hits with a higher E-value are not listed; 10 shows also what chance brings"
        self._evalue = line_edit("maxEvalue", tip, right=True, edited=self._edited)
        validator = QDoubleValidator(1e-300, 1e12, 300, self)
        validator.setLocale(validator.locale().c())
        self._evalue.setValidator(validator)
        self._mask = check_box(
            "maskQuery",
            "Mask stretches of low complexity in the query",
            "Replaces stretches of few different residues by X (SEG) or N (DUST), so that they match nothing. "
            "This changes scores; an exact search does not do it by itself",
            self._edited,
        )
        self._composition = combo_box(
            "composition",
            "Two sequences rich in the same residues score high by chance. The aligned regions tell by how much, and "
            "shuffled copies whether that is all; the larger E-value counts. Scores and alignments stay as they are",
            self._edited,
            items=COMPOSITIONS,
        )
        self._size = line_edit(
            "effectiveResidues",
            "Residues of the database that E-values refer to: "
            "set it to compare searches in databases of different size",
            hint="its own size",
            right=True,
            edited=self._edited,
            width=16,
        )
        self._size.setValidator(QIntValidator(0, 2**31 - 1, self))
        tip = (
            "At most this many alignments are listed of each subject, of those within the E-value limit that share no "
            "aligned pair of residues: repeats, domains, copies in a genome; 1 for the best alone"
        )
        self._max_hsps = spin_box("maxHsps", (1, 1_000_000), MAX_HSPS, tip, self._edited, grouped=True)
        self._minimums = {
            name: self._minimum(name, hint, tip)
            for name, hint, tip in (
                ("min_score", "any", "Hits with a lower raw score are not listed"),
                ("min_identity", "any", "Hits with less identity, in percent of the columns, are not listed"),
                ("min_coverage", "any", "Hits that cover less of the whole query, in percent, are not listed"),
            )
        }
        self._translated = False
        self._build_rounds()
        tip = (
            "Rounds, correction for composition, masking of low complexity, database size for E-values, "
            "alignments of a subject, limits of score, identity and coverage"
        )
        self._more = push_button("moreSettings", "More settings", tip, role="quiet")
        self._more.setCheckable(True)
        self._more.toggled.connect(self._show_more)
        self._statistics = text_label(name="evalueSource", wrap=True, plain=True, level="muted")
        super()._build()

    def set_translated(self, translated: bool) -> None:
        """Say whether anything is translated: then there are no rounds."""
        if translated != self._translated:
            self._translated = translated
            self._show_rounds()

    def _show_rounds(self) -> None:
        for cell in self._of_proteins:
            cell.setVisible(self.kind == PROTEIN.name and not self._translated)

    def _build_rounds(self) -> None:
        tip = (
            "Searches again with what the hits have in common, until no new subject is found or this many searches are "
            "done: finds more distant relatives; 1 searches with the query alone"
        )
        self._rounds = spin_box("rounds", (1, ROUNDS[1]), 1, tip, self._edited)
        tip = "Whose hits are searched again with; " + "; ".join(f"{name}: {PRESETS[name].help}" for name in PRESETS)
        presets = [(name.capitalize(), name) for name in PRESETS]
        self._inclusion = combo_box("roundsPreset", tip, self._edited, items=presets)

    def _columns(self) -> Sequence[tuple[str, QWidget, int]]:
        *scheme, strand = super()._columns()
        return (*scheme, ("E-value up to", self._evalue, 1), ("Hits per query", self._top, 1), strand)

    def _place(self) -> None:
        self._extra = QWidget()
        self._of_proteins: list[QWidget] = []
        cells = (
            ("E-values corrected for composition", self._composition, ""),
            ("E-values for a database of", self._size, "residues"),
            ("", self._mask, ""),
            ("Alignments per subject", self._max_hsps, ""),
            ("Score at least", self._minimums["min_score"], ""),
            ("Identity at least", self._minimums["min_identity"], "%"),
            ("Query covered at least", self._minimums["min_coverage"], "%"),
            ("Rounds", self._rounds, ""),
            ("Include in rounds", self._inclusion, ""),
        )
        flow = FlowRow()  # goes on in the next line of a narrow window
        for before, field, behind in cells:
            cell = QWidget()
            front = [text_label(before, buddy=field)] if before else []
            in_row(*front, field, *([text_label(behind)] if behind else []), margins=(0, 0, 1.5, 0), parent=cell)
            flow.add(cell)
            if field in (self._rounds, self._inclusion):
                self._of_proteins.append(cell)
        in_column(flow, spacing=0, parent=self._extra)
        self._extra.hide()
        head = self._head("Settings")
        head.addWidget(self._more)
        parts = (head, self._make_fields(), self._costs, self._statistics, self._extra)
        in_column(*parts, margins=(2, 1.5, 2, 1.5), parent=self)

    def _minimum(self, name: str, hint: str, tip: str) -> QLineEdit:
        """Return the field of a lower limit; empty is none."""
        field = line_edit(name, tip, hint=hint, right=True, edited=self._edited, width=9)
        percent = QDoubleValidator(0, 100, 2, self)
        percent.setLocale(percent.locale().c())
        percent.setNotation(QDoubleValidator.Notation.StandardNotation)
        field.setValidator(QIntValidator(0, 10**9, self) if name == "min_score" else percent)
        return field

    def _show_more(self, shown: bool) -> None:
        self._extra.setVisible(shown)
        self._more.setText("Fewer settings" if shown else "More settings")

    def _show_values(self, values: SchemeSettings) -> None:
        self._evalue.setText(f"{values.max_evalue:g}")
        self._top.setValue(values.top)
        self._mask.setChecked(values.mask)
        self._composition.setCurrentIndex(self._composition.findData(values.composition))
        self._size.setText(str(values.effective_residues or ""))
        for name, field in self._minimums.items():
            field.setText(f"{getattr(values, name):g}" if getattr(values, name) else "")
        self._max_hsps.setValue(values.max_hsps)
        self._rounds.setValue(values.rounds)
        self._inclusion.setCurrentIndex(self._inclusion.findData(values.inclusion))
        self._inclusion.setEnabled(values.rounds > 1)
        self._show_rounds()
        changed = values.mask or values.effective_residues or values.composition != COMPOSITIONS[0][1]
        changed = changed or values.max_hsps != MAX_HSPS or values.rounds > 1
        if changed or any(getattr(values, name) for name in self._minimums):
            self._more.setChecked(True)  # what decides the outcome must be seen

    def _take_values(self, values: SchemeSettings) -> None:
        values.top = self._top.value()
        values.mask = self._mask.isChecked()
        values.composition = self._composition.currentData()
        values.max_hsps = self._max_hsps.value()
        values.rounds, values.inclusion = self._rounds.value(), self._inclusion.currentData()
        self._inclusion.setEnabled(values.rounds > 1)
        values.effective_residues = int(self._size.text() or 0)
        for name, field in self._minimums.items():
            acceptable = field.hasAcceptableInput() or not field.text()
            set_role(field, invalid=not acceptable)
            if acceptable:
                setattr(values, name, (int if name == "min_score" else float)(field.text() or 0))
        acceptable = self._evalue.hasAcceptableInput()
        set_role(self._evalue, invalid=not acceptable)
        if acceptable:
            values.max_evalue = float(self._evalue.text())

    def _made(self, scoring: Scoring) -> None:
        if scoring.statistics:
            self._statistics.setText(f"E-values: {scoring.statistics}")
        else:
            known = ", ".join(f"{o}/{e}" for o, e in scoring.tabulated[:GAPS_NAMED])
            advice = f" Published for this matrix: {known}." if known else ""
            self._statistics.setText(
                f"No published constants for these costs: E is estimated from the scores of the search itself.{advice}"
            )
        set_role(self._statistics, tone="" if scoring.statistics else "warning")
        super()._made(scoring)

    def _refused(self, error: Exception) -> None:
        self._statistics.clear()
        super()._refused(error)
