"""The task, the fields of its rule, and the rule as a sentence that changes with them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QComboBox, QFrame, QLabel, QLineEdit, QSpinBox, QWidget

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.errors import InvalidParameter
from swgui.core.rules.base import Parameter, Rule
from swgui.core.rules.matching import Ambiguity
from swgui.gui.inputs.error_field import ErrorField
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import check_box, combo_box, line_edit, spin_box, text_label, tool_button
from swgui.gui.rules.fields import (
    AMBIGUITY_TITLES,
    NO_LIMIT,
    PAMS_WRITTEN,
    STRANDS,
    as_text,
    default_of,
    matches_said,
    read_percent,
)
from swgui.gui.words import wording
from swgui.jobs.rules.known import rules


class FieldControl(ErrorField):
    """A field of a rule below its label, with a line for its errors."""

    def __init__(self, rule: type[Rule], field: Parameter) -> None:
        name, value = f"rule-{rule.name}-{field.name}", default_of(rule, field.name)
        super().__init__(name)
        self.field = field
        label = field.label.replace("&", "")
        self.control: QSpinBox | QLineEdit | QComboBox | QCheckBox
        match field.kind:
            case "count":
                low, high = (NO_LIMIT if field.optional else field.limits[0]), field.limits[1]
                self.control = spin_box(
                    name, (low, high), NO_LIMIT if value is None else value, field.tip, self.changed,
                    special="any number" if field.optional else "", width=14, accessible=label,
                )  # fmt: skip
            case "percent":
                self.control = line_edit(
                    name, field.tip, self.changed, text=f"{as_text(value)} %", right=True, width=14, accessible=label
                )
            case "text":
                self.control = line_edit(name, field.tip, self.changed, text=value, width=14, accessible=label)
            case "choice":
                self.control = combo_box(
                    name, field.tip, items=field.choices, chosen=value, changed=self.changed, accessible=label
                )
            case "flag":
                self.control = check_box(name, field.label, field.tip, self.changed, on=value)
        title = self.hold(self.control, "" if field.kind == "flag" else field.label)
        if field.picture:
            self.control.setToolTip(f"<p>{field.tip}</p><pre>{field.picture}</pre>")
            title.setToolTip(self.control.toolTip())
        if field.kind != "flag":
            title.setBuddy(self.control)

    def value(self) -> Any:
        """Return the value of the control, as the rule takes it; raises `InvalidParameter` for an invalid one."""
        control = self.control
        if isinstance(control, QSpinBox):
            return None if self.field.optional and control.value() == NO_LIMIT else control.value()
        if isinstance(control, QComboBox):
            return control.currentData()
        if isinstance(control, QCheckBox):
            return control.isChecked()
        return read_percent(control.text()) if self.field.kind == "percent" else control.text().strip().upper()

    def show_value(self, value: Any) -> None:
        """Show a value of the rule."""
        control = self.control
        if isinstance(control, QSpinBox):
            control.setValue(NO_LIMIT if value is None else value)
        elif isinstance(control, QComboBox):
            control.setCurrentIndex(control.findData(value))
        elif isinstance(control, QCheckBox):
            control.setChecked(value)
        else:
            control.setText(f"{as_text(value)} %" if self.field.kind == "percent" else str(value))


class RuleForm(QFrame):
    """Asks for a task and the fields of its rule; `rule` is None while a field is wrong."""

    changed = Signal()
    task_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ruleForm")
        set_role(self, role="card")
        self.rule: Rule | None = None
        self.problem = ""
        self._alphabet: Alphabet | None = None
        self._build()
        self.choose(next(iter(rules())))

    @property
    def task(self) -> str:
        """Name of the chosen rule."""
        return next(name for name, button in self.tasks.items() if button.isChecked())

    @property
    def ambiguity(self) -> Ambiguity:
        value: Ambiguity = self.ambiguity_box.currentData()
        return value

    @property
    def equate_il(self) -> bool:
        return not self.equate_box.isHidden() and self.equate_box.isChecked()

    @property
    def strands(self) -> str:
        return "both" if self.strands_part.isHidden() else str(self.strands_box.currentData())

    @property
    def with_pam(self) -> str:
        return "auto" if self.pam_part.isHidden() else str(self.pam_box.currentData())

    @property
    def circular(self) -> bool:
        return not self.circular_box.isHidden() and self.circular_box.isChecked()

    def choose(self, name: str) -> None:
        self.tasks[name].setChecked(True)
        self._purpose.setText(rules()[name].purpose)
        for rule, controls in self.controls.items():
            for control in controls.values():
                control.setVisible(rule == name)
        self._fields.updateGeometry()
        self.task_changed.emit()
        self.refresh()

    def take(self, rule: Rule, *, ambiguity: str, with_pam: str, equate_il: bool) -> None:
        """Show a rule with its fields, and how queries are read."""
        self.equate_box.setChecked(equate_il)
        self.choose(rule.name)
        for name, control in self.controls[rule.name].items():
            control.show_value(getattr(rule, name))
        for box, value in ((self.ambiguity_box, ambiguity), (self.pam_box, with_pam)):
            box.setCurrentIndex(box.findData(value))
        self.refresh()

    def use_alphabet(self, alphabet: Alphabet | None) -> None:
        """Adapt the sentence to the residues of these queries; None while there are none."""
        if alphabet is not self._alphabet:
            self._alphabet = alphabet
            self.refresh()

    def refresh(self) -> None:
        """Make the rule again, or show the error at its field."""
        task = rules()[self.task]
        controls = self.controls[task.name]
        self.rule, self.problem, wrong = None, "", ""
        try:
            self.rule = task(**{name: control.value() for name, control in controls.items()})
        except InvalidParameter as error:
            wrong, self.problem = error.name, wording.explain(error)
        for name, control in controls.items():
            control.show_error(self.problem if name == wrong else "")
        alphabet = NUCLEOTIDE if task.nucleotides else self._alphabet or PROTEIN
        self.strands_part.setVisible(alphabet is NUCLEOTIDE and not task.paired)
        self.pam_part.setVisible(task.takes("with_pam"))
        self.circular_box.setVisible(alphabet is NUCLEOTIDE)
        self.equate_box.setVisible(alphabet is PROTEIN)
        self.sentence.setText(self.rule.sentence() if self.rule is not None else self.problem)
        set_role(self.sentence, tone="" if self.rule is not None else "danger")
        own, equal = task.paired and self.rule is not None, self.equate_il
        self.ambiguous.setText(matches_said(self.ambiguity, alphabet, pattern=own, equate_il=equal))
        self.changed.emit()

    def _build(self) -> None:
        self.tasks = {}
        group = QButtonGroup(self)
        row = FlowRow()
        for name, rule in rules().items():
            button = tool_button(f"ruleTask-{name}", rule.title, rule.purpose)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(lambda _on=False, name=name: self.choose(name))
            group.addButton(button)
            self.tasks[name] = button
            row.add(button)
        self._purpose: QLabel = text_label(name="rulePurpose", level="muted", wrap=True)
        self._fields = FlowRow()
        self.controls: dict[str, dict[str, FieldControl]] = {}
        for name, rule in rules().items():
            asked = [parameter for parameter in rule.parameters if parameter.label]
            self.controls[name] = {parameter.name: FieldControl(rule, parameter) for parameter in asked}
            for control in self.controls[name].values():
                control.changed.connect(self.refresh)
                self._fields.add(control)
        self.ambiguity_box = combo_box(
            "ruleAmbiguous", "What B, Z, X, N and other ambiguous residues match", items=AMBIGUITY_TITLES,
            changed=self.refresh, accessible="Ambiguous residues", characters=24,
        )  # fmt: skip
        self.strands_box = combo_box(
            "ruleStrands", "Whether reverse complements of the queries are searched, too", items=STRANDS,
            changed=self.refresh, accessible="Strands",
        )  # fmt: skip
        self.pam_box = combo_box(
            "ruleWithPam", "Whether the guides are written with their PAM, which is left off", items=PAMS_WRITTEN,
            changed=self.refresh, accessible="PAM in the queries", characters=24,
        )  # fmt: skip
        ambiguity, self.strands_part, self.pam_part = QWidget(), QWidget(), QWidget()
        for part, title, box in (
            (ambiguity, "&Ambiguous residues", self.ambiguity_box),
            (self.strands_part, "Strands", self.strands_box),
            (self.pam_part, "PAM in the &queries", self.pam_box),
        ):
            in_column(
                text_label(title, level="small", buddy=box), box, margins=(0, 0, 1.5, 0.5), spacing=0.5, parent=part
            )
            self._fields.add(part)
        tip = (
            "Look across the origin of every record; GenBank and EMBL entries say themselves whether they are circular"
        )
        self.circular_box = check_box("ruleCircular", "All records are circular", tip, self.refresh)
        self._fields.add(self.circular_box)
        tip = "Isoleucine and leucine are the same residue, as mass spectrometry cannot tell them apart"
        self.equate_box = check_box("ruleEquateIL", "I and L are the same", tip, self.refresh)
        self._fields.add(self.equate_box)
        self.sentence: QLabel = text_label(name="ruleSentence", level="heading", wrap=True, plain=True)
        self.ambiguous: QLabel = text_label(name="ruleAmbiguousMeaning", level="muted", wrap=True, plain=True)
        head = in_row(
            (in_column(text_label("Find", level="heading"), 1, margins=(0, 0.75, 0, 0)), 0), (row, 1), spacing=2
        )
        words = in_column(self.sentence, self.ambiguous, spacing=0.25)
        in_column(head, self._purpose, self._fields, words, margins=(2, 1.5, 2, 1.5), spacing=1.5, parent=self)
