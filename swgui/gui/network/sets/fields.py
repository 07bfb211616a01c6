"""Fields of a question: its files, and options of its command, each with a line for its error."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton

from swgui.commands.network import DEFAULT_EVALUE, PARTS
from swgui.commands.option import Option
from swgui.commands.percent import share
from swgui.core.errors import InvalidParameter
from swgui.gui.inputs.error_field import ErrorField
from swgui.gui.kit.widgets import check_box, combo_box, line_edit, push_button, text_label
from swgui.gui.network.sets.questions import GivenFile
from swgui.gui.words.context import CONTEXT_CHOICES

_UNSET: Final = {"evalue": f"{DEFAULT_EVALUE:g}", "names": ",".join(PARTS)}  # hints of empty fields
_WIDTH: Final = 13  # grid units
_OFFERED: Final[dict[str, Sequence[tuple[str, str]]]] = {"context": CONTEXT_CHOICES}  # of options that take files, too


def _typed(option: Option) -> str:
    """Return the default of an option as a user types it."""
    value = option.default
    if isinstance(value, list):
        return ",".join(f"{item:g}" for item in value)
    if option.read is share and isinstance(value, float):
        return f"{100 * value:g} %"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


class OptionField(ErrorField):
    """Asks for the value of an option, below its label."""

    def __init__(self, question: str, option: Option, label: str) -> None:
        name, tip = f"sets-{question}-{option.key}", f"{option.help[:1].upper()}{option.help[1:]}."
        super().__init__(name)
        self.option, self._label = option, label
        self.control: QLineEdit | QComboBox | QCheckBox
        if option.flag is not None:
            self.control = check_box(name, label, tip, self.changed, on=bool(option.default))
        elif option.choices or option.key in _OFFERED:
            items = _OFFERED.get(option.key) or [(choice.capitalize(), choice) for choice in option.choices]
            self.control = combo_box(
                name, tip, items=items, chosen=option.default, changed=self.changed, accessible=label
            )
        else:
            self.control = line_edit(
                name, tip, self.changed, text=_typed(option), hint=_UNSET.get(option.key, ""), width=_WIDTH,
                accessible=label,
            )  # fmt: skip
        self.hold(self.control, "" if option.flag is not None else label)

    def value(self) -> object:
        """Return the value, as the command reads it.

        Raises
        ------
        InvalidParameter
            If it is none.
        """
        control = self.control
        if isinstance(control, QCheckBox):
            return control.isChecked()
        if isinstance(control, QComboBox):
            return control.currentData()
        text = control.text().strip()
        if not text:
            return self.option.default
        try:
            return self.option.read(text)
        except argparse.ArgumentTypeError as fault:
            said = str(fault)
        except ValueError:
            said = f"'{text}' is no number"
        raise InvalidParameter(self.option.key, text, f"{self._label}: {said}.")


class FileField:
    """The label, the line and the button of a file, for a row of a grid.

    Parameters
    ----------
    ask : callable
        Asks for the file of this field.
    changed : callable
        Called when another file is named.
    """

    def __init__(
        self,
        question: str,
        given: GivenFile,
        ask: Callable[[FileField], object],
        changed: Callable[[], object],
    ) -> None:
        name = f"sets-{question}-{given.key}"
        self.given = given
        self.line = line_edit(name, given.tip, changed, hint="no file", accessible=given.label)
        self.label = text_label(given.label, buddy=self.line)
        self.button: QPushButton = push_button(f"{name}-file", "Choose…", given.tip, lambda: ask(self), icon="open")

    @property
    def path(self) -> str:
        """The file; empty if there is none."""
        return self.line.text().strip()

    @property
    def problem(self) -> str:
        """Reason, as a sentence, why it makes no question; empty if it does."""
        if not self.path:
            return "" if self.given.optional else f"Choose a file: {self.given.label}."
        return "" if Path(self.path).is_file() else f"There is no file '{self.path}'."

    def use(self, path: Path | str) -> None:
        """Take a file."""
        self.line.setText(str(path))
