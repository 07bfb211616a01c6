"""The choice of the computer for runs that bring their sequences: this one, or another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from swgui.core.engines import EngineOptions
from swgui.engines.registry import AUTO
from swgui.gui.inputs.engine import ANOTHER
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.widgets import combo_box, fill_combo, text_label
from swgui.io.remote.computers import known_computers

HERE: Final = "This computer"
TIP: Final = "Where sequences are compared: here, or on another computer, which gets them by ssh or https"
_ASK: Final = "another…"  # value of the entry that asks; no address has such a sign


class ComputerBox(QWidget):
    """A list of this computer, those that the user knows, and an entry that asks for another one.

    Parameters
    ----------
    name : str
        Object name of the list.
    choose_engine : callable
        Returns engine and options for runs of this computer.
    """

    def __init__(
        self, name: str, choose_engine: Callable[[], tuple[str, EngineOptions]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._choose_engine, self.address = choose_engine, ""  # the address is empty for this computer
        self._list = combo_box(name, TIP, self._chosen, accessible="Run on", characters=16)
        in_row(text_label("Run on", buddy=self._list), self._list, parent=self)
        self._fill()

    def choice(self) -> tuple[str, EngineOptions]:
        """Return engine and options of a run: those of this computer, or the address of the other one."""
        return (AUTO, EngineOptions(on=self.address)) if self.address else self._choose_engine()

    def use(self, address: str) -> None:
        """Have runs carried out on another computer; on this one if the address is empty."""
        self.address = address
        self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        self._fill()  # another page may have met a computer since
        super().showEvent(event)

    def _fill(self) -> None:
        known = dict.fromkeys([*(one.address for one in known_computers()), *filter(None, [self.address])])
        items = [(HERE, ""), *((address, address) for address in known), (ANOTHER, _ASK)]
        self._list.clear()
        fill_combo(self._list, items, self.address)

    def _chosen(self) -> None:
        address = str(self._list.currentData())
        if address == _ASK:
            self._fill()  # the computer stays until another one was chosen
            self.ask()
        else:
            self.address = address

    def ask(self) -> None:
        """Ask for another computer."""
        from swgui.gui.inputs.another_computer import AnotherComputer  # imported here: few runs are elsewhere

        dialog = AnotherComputer(self.window(), bring=True)
        dialog.computer_chosen.connect(self.use)
        dialog.open()
