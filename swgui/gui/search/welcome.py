"""What the Search page says on the first start."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from swgui.gui.kit.theme import arrange, set_role

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
        title = QLabel("Exact Smith-Waterman search: every sequence is scored, nothing is skipped.")
        title.setWordWrap(True)
        set_role(title, level="heading")
        self._text = QLabel(SAMPLE)
        self._text.setObjectName("welcomeText")
        self._text.setWordWrap(True)
        close = QPushButton("Close")
        close.setObjectName("welcomeClose")
        close.setToolTip("Do not show this again")
        set_role(close, role="quiet")
        close.clicked.connect(self.closed)
        tour = QPushButton("Guided tour")
        tour.setObjectName("welcomeTour")
        tour.setToolTip("Six balloons that show what is where; Escape leaves")
        set_role(tour, role="quiet")
        tour.clicked.connect(self.tour_wanted)
        words = QVBoxLayout()
        arrange(words, 0, 0.5)
        words.addWidget(title)
        words.addWidget(self._text)
        layout = QHBoxLayout(self)
        arrange(layout, (2, 1, 1, 1), 1)
        layout.addLayout(words, 1)
        layout.addWidget(tour, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)

    def show_sample(self, on: bool) -> None:
        """Say how to go on with the sample, or with sequences of one's own."""
        self._text.setText(SAMPLE if on else OWN)
