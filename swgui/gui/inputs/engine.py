"""The part of the Search page that chooses engine and device."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QWidget

from swgui.core.devices import DeviceChoice
from swgui.core.plain import replace
from swgui.engines.base import EngineStatus
from swgui.engines.registry import AUTO, facts, probe_engines
from swgui.gui.inputs.device_options import engine_options
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import keep_size
from swgui.gui.kit.widgets import combo_box, push_button, text_label
from swgui.gui.words.engine_choices import (
    UNKNOWN,
    EngineChoice,
    away_choice,
    engine_choices,
    gpu_note,
    several_devices,
)
from swgui.io.tuning import InUse
from swgui.settings import Settings

AWAY_NOTE = "It has the database, and takes its fastest device."
ANOTHER = "Another computer…"
ANOTHER_TIP = "Search a database of another computer, there, by ssh or https"
log = logging.getLogger(__name__)


def tunable(engine: str) -> bool:
    """Whether settings decide the speed of an engine (``auto`` too): a line next to it shows them then."""
    return engine == AUTO or facts(engine).tunable


class EngineBox(QWidget):
    """The list of engines and devices, and why there is no GPU if there is none."""

    changed = Signal()  # another choice, or the engines are known now
    away_wanted = Signal()  # another computer is to be chosen
    probed = Signal(object)  # state of the engines, a tuple of `EngineStatus`

    def __init__(self, settings: Settings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings.search
        self._devices = settings.devices
        self.statuses: tuple[EngineStatus, ...] = ()  # state of the engines; empty until it was read
        self._in_use: tuple[InUse, ...] = ()
        self._tasks = tasks
        self._choices: Sequence[EngineChoice] = UNKNOWN
        self._found: tuple[EngineChoice, ...] = UNKNOWN
        self._row = 0  # of the choice among `_choices`
        self._elsewhere: tuple[EngineChoice, ...] = ()
        self._away: EngineChoice | None = None  # the computer that has the database
        tip = "Where the search runs; every choice gives the same scores"
        self._list = combo_box("engine", tip, self._chosen)
        keep_size(self._list, width=24)
        label = text_label("Run on", level="heading", buddy=self._list)
        keep_size(label, width=12)
        self._note = text_label("Looking for devices…", "engineNote", wrap=True, plain=True, level="muted")
        tip = "Look once more for GPUs, for example after a driver was installed"
        self._again = push_button("engineAgain", "Check again", tip, self.probe_again, role="quiet")
        self._again.hide()
        in_column(in_row(label, (self._list, 1)), in_row((self._note, 1), self._again), spacing=0.5, parent=self)
        self._fill()

    @property
    def choice(self) -> EngineChoice:
        """The chosen engine, with the user's settings."""
        return self.choice_for((), 0)

    def choice_for(self, lengths: Iterable[int], symbols: int) -> EngineChoice:
        """Return the chosen engine, with the settings for queries of these lengths."""
        if self._away is not None:
            return self._away
        return self.here(lengths, symbols)

    def here(self, lengths: Iterable[int] = (), symbols: int = 0) -> EngineChoice:
        """Return the engine of this computer that was chosen last, also where the database is on another one."""
        chosen = self._choices[self._row]
        if chosen.options.settings:  # it brings its own
            return chosen
        options = engine_options(
            self._devices,
            self.statuses,
            chosen.run_on,
            lengths=lengths,
            symbols=symbols,
            in_use=self._in_use,
        )
        return replace(chosen, options=options)

    def use_tuned(self, in_use: tuple[InUse, ...]) -> None:
        self._in_use = in_use
        self.changed.emit()

    def probe(self, *, refresh: bool = False) -> None:
        """Find engines and devices in the background."""
        self._note.setText("Looking for devices…")
        self._again.setEnabled(False)
        self._tasks.submit("probe", partial(probe_engines, refresh=refresh), self.show_engines, self._not_probed)

    def probe_again(self) -> None:
        """Find engines and devices again, without earlier results."""
        self.probe(refresh=True)

    def show_engines(self, statuses: tuple[EngineStatus, ...]) -> None:
        self.statuses = statuses
        self._found = engine_choices(statuses)
        self._fill()
        self._show_note()
        self._again.setEnabled(True)
        self.probed.emit(statuses)
        self.changed.emit()

    def _show_note(self) -> None:
        note = AWAY_NOTE if self._away is not None else gpu_note(self.statuses)
        self._note.setText(note)
        self._note.setToolTip(note)
        self._again.setVisible(bool(note) and self._away is None)

    def _not_probed(self, error: Exception) -> None:
        log.error("The engines could not be listed", exc_info=error)
        self._note.setText(f"The devices could not be listed: {error}")
        self._again.setVisible(True)
        self._again.setEnabled(True)

    def offer(self, choice: EngineChoice | None) -> None:
        self._elsewhere = () if choice is None else (choice,)
        self._fill()
        self.changed.emit()

    def run_away(self, address: str) -> None:
        """Show that searches run on another computer, which has the database; here if the address is empty."""
        before = self._away
        self._away = None if not address else away_choice(address)
        if self._away != before:
            self._fill()
            self._show_note()
            self.changed.emit()

    def choose(self, run_on: DeviceChoice) -> None:
        self._settings.run_on = run_on
        self._fill()
        self.changed.emit()

    def _fill(self) -> None:
        self._choices = (*self._found, *self._elsewhere)
        wanted = self._settings.run_on
        if not any(choice.run_on == wanted for choice in self._choices):
            ticked = several_devices(wanted, self.statuses)
            self._choices = (*self._choices, ticked) if ticked else self._choices
        self._list.clear()
        model = self._list.model()
        for row, choice in enumerate(self._choices):
            self._list.addItem(choice.text)
            self._list.setItemData(row, choice.reason, Qt.ItemDataRole.ToolTipRole)
            if choice.reason and isinstance(model, QStandardItemModel):
                model.item(row).setEnabled(False)
        usable = [choice.run_on if not choice.reason else None for choice in self._choices]
        self._row = usable.index(wanted) if wanted in usable else 0
        if self._away is not None:
            self._list.addItem(self._away.text)
        self._list.addItem(ANOTHER)
        self._list.setItemData(self._list.count() - 1, ANOTHER_TIP, Qt.ItemDataRole.ToolTipRole)
        if self._away is not None:
            for row in range(len(self._choices)):
                self._list.setItemData(row, f"The database is on {self._away.options.on}", Qt.ItemDataRole.ToolTipRole)
                if isinstance(model, QStandardItemModel):
                    model.item(row).setEnabled(False)
        self._list.setCurrentIndex(self._row if self._away is None else len(self._choices))

    def _chosen(self) -> None:
        row = self._list.currentIndex()
        if row < len(self._choices):
            self._row = row
            self._settings.run_on = self.choice.run_on
            self.changed.emit()
        elif row == self._list.count() - 1:
            self._list.setCurrentIndex(self._row if self._away is None else len(self._choices))
            self.away_wanted.emit()
