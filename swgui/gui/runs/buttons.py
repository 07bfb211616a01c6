"""The buttons above the table of runs, and the same as a menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton

from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.widgets import push_button
from swgui.gui.runs.actions import ACTIONS, Chosen

WAIT_TO_VERIFY = "Wait until the search has ended"


class RunButtons(FlowRow):
    """A button for each of `ACTIONS`.

    Signals
    -------
    pressed(str)
        The name of an action.
    """

    pressed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.by_name: dict[str, QPushButton] = {}
        for made in ACTIONS:
            press = partial(self.pressed.emit, made.name)
            button = push_button(f"runs-{made.name}", made.text, made.tip, press, icon=made.icon, role="quiet")
            self.add(button)
            self.by_name[made.name] = button

    def show_chosen(self, chosen: Chosen, *, paused: bool) -> None:
        """Enable what can be done with the chosen runs.

        Parameters
        ----------
        paused : bool
            Whether those of them that are active are paused, or will be soon.
        """
        for action in ACTIONS:
            self.by_name[action.name].setEnabled(action.possible(chosen))
        self.by_name["pause"].setText("Resume run" if paused else "Pause")
        tip = next(action.tip for action in ACTIONS if action.name == "verify")
        waits = chosen.opens and chosen.verified and chosen.searching
        self.by_name["verify"].setToolTip(WAIT_TO_VERIFY if waits else tip)

    def show_menu(self, at: QPoint) -> None:
        """Offer what is possible as a menu.

        Parameters
        ----------
        at : QPoint
            On the screen.
        """
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for known in ACTIONS:
            if self.by_name[known.name].isEnabled():
                action = menu.addAction(known.text)
                action.setToolTip(known.tip)
                action.triggered.connect(partial(self.pressed.emit, known.name))
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(at)
