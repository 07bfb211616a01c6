"""What the Search page says on the first start."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import (
    push_button,
    text_label,
)

SAMPLE = (
    "The sample is in place: press Search (Ctrl+Return) to find the relatives of haemoglobin and four other proteins. "
    "For your own search, paste or drop a query, choose a database, and press Search."
)
OWN = "Paste or drop a query, choose a database, and press Search (Ctrl+Return)."


class Welcome(QFrame):
    """What the first start shows: that a search is ready to run, and how to search one's own sequences.

    Signals
    -------
    closed()
        The user has read it.
    tour_wanted()
        The guided tour should begin.
    """

    closed = Signal()
    tour_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        set_role(self, role="note", tone="info")
        claim = "Exact Smith-Waterman search: every sequence is scored, nothing is skipped."
        self._text = text_label(SAMPLE, "welcomeText", wrap=True)
        words = in_column(text_label(claim, wrap=True, level="heading"), self._text, spacing=0.5)
        tip = "Six balloons that show what is where; Escape leaves"
        tour = push_button("welcomeTour", "Guided tour", tip, self.tour_wanted, role="quiet")
        close = push_button("welcomeClose", "Close", "Do not show this again", self.closed, role="quiet")
        in_row((words, 1), in_column(tour, 1), in_column(close, 1), margins=(2, 1, 1, 1), parent=self)

    def show_sample(self, on: bool) -> None:
        """Say how to go on with the sample, or with sequences of one's own."""
        self._text.setText(SAMPLE if on else OWN)
