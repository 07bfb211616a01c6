"""The form of the questions: which one, its files and limits, and the sentence that says what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QFrame, QWidget

from swgui.commands.copying import groups_of
from swgui.commands.option import options_of
from swgui.core.errors import InvalidParameter
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_grid
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import push_button, text_label, tool_button
from swgui.gui.network.sets.fields import FileField, OptionField
from swgui.gui.network.sets.questions import QUESTIONS, Question, question_of
from swgui.gui.words import wording
from swgui.jobs.kind import kinds
from swgui.settings import Settings


class SetsForm(QFrame):
    """Asks for a question, its files and its limits."""

    changed = Signal()
    start_wanted = Signal()
    sample_wanted = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("setsForm")
        set_role(self, role="card")
        self._recent = settings.recent
        self.problem = ""  # reason why there is no question yet, as a sentence; empty if there is one
        self.files: dict[str, tuple[FileField, ...]] = {}
        self.fields: dict[str, tuple[OptionField, ...]] = {}
        self._build()
        self.choose(QUESTIONS[0].kind)

    @property
    def question(self) -> Question:
        """The chosen question."""
        return question_of(next(kind for kind, button in self.buttons.items() if button.isChecked()))

    def choose(self, kind: str) -> None:
        """Show the form of a question."""
        self.buttons[kind].setChecked(True)
        self._purpose.setText(self.question.purpose)
        for name, part in self._parts.items():
            part.setVisible(name == kind)
        self.refresh()

    def values(self) -> dict[str, object]:
        """Return the values of files and limits, by `Option.key`.

        Raises
        ------
        InvalidParameter
            If a field has none.
        """
        kind = self.question.kind
        given: dict[str, object] = {field.given.key: field.path or None for field in self.files[kind]}
        return given | {field.option.key: field.value() for field in self.fields[kind]}

    def take(self, paths: Sequence[Path]) -> None:
        """Put files in the empty fields, in order; if none is empty, in the first ones."""
        fields = self.files[self.question.kind]
        empty = [field for field in fields if not field.path]
        for field, path in zip(empty if len(empty) >= len(paths) else fields, paths, strict=False):
            field.use(path)

    def use(self, **paths: Path | str) -> None:
        """Put files in the fields of their keys."""
        for field in self.files[self.question.kind]:
            field.use(paths.get(field.given.key, ""))

    def refresh(self) -> None:
        """Look at what was given, and say what is missing."""
        kind = self.question.kind
        wrong = [field.problem for field in self.files[kind] if field.problem]
        for field in self.fields[kind]:
            try:
                field.value()
                field.show_error("")
            except InvalidParameter as fault:
                field.show_error(wording.explain(fault))
                wrong.append(wording.explain(fault))
        wrong = wrong or [self.question.check({field.given.key: field.path for field in self.files[kind]})]
        self.problem = wrong[0]
        self._missing.setText(self.problem)
        self._missing.setVisible(bool(self.problem))
        self.changed.emit()

    def show_running(self, running: bool) -> None:
        """Let a new question begin only while none is being answered."""
        self.start_button.setEnabled(not self.problem and not running)
        self.sample_button.setEnabled(not running)

    def _ask(self, field: FileField) -> None:
        given = field.given
        name, _ = QFileDialog.getOpenFileName(self, given.tip, self._recent.folder, given.files)
        if name:
            self._recent.folder = str(Path(name).parent)
            field.use(name)

    def _build(self) -> None:
        self.buttons = {}
        group, row = QButtonGroup(self), FlowRow()
        for question in QUESTIONS:
            button = tool_button(f"setsAsk-{question.kind}", question.title, question.purpose)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(lambda _on=False, kind=question.kind: self.choose(kind))
            group.addButton(button)
            self.buttons[question.kind] = button
            row.add(button)
        self._purpose = text_label(name="setsPurpose", level="muted", wrap=True)
        self._missing = text_label(name="setsMissing", level="muted", wrap=True, plain=True)
        self.buttons[QUESTIONS[0].kind].setChecked(True)
        self._parts = {question.kind: self._build_part(question) for question in QUESTIONS}
        self.start_button = push_button(
            "setsStart", "Compare", "Compare the sequences (Ctrl+Return)", self.start_wanted,
            role="primary",
        )  # fmt: skip
        self.sample_button = push_button(
            "setsSample", "Fill in the sample", "Take sequences that come along", self.sample_wanted, icon="sample"
        )
        in_column(
            row,
            self._purpose,
            *self._parts.values(),
            self._missing,
            FlowRow.of(self.start_button, self.sample_button),
            1,
            margins=(2, 1.5, 2, 1.5),
            spacing=1.5,
            parent=self,
        )

    def _build_part(self, question: Question) -> QWidget:
        """Build the files and the limits of a question."""
        part, limits = QWidget(), FlowRow()
        options = {option.key: option for option in options_of(groups_of(kinds()[question.kind]))}
        files = [FileField(question.kind, given, self._ask, self.refresh) for given in question.files]
        fields = [OptionField(question.kind, options[key], label) for key, label in question.fields.items()]
        for field in fields:
            field.changed.connect(self.refresh)
            limits.add(field)
        self.files[question.kind], self.fields[question.kind] = tuple(files), tuple(fields)
        rows = in_grid(*((file.label, file.line, file.button) for file in files), stretch=(0, 1))
        in_column(rows, limits, spacing=1.5, parent=part)
        return part
