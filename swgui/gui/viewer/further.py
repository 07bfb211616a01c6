"""Further alignments of the pair that is shown: the next best ones, and how many are as good."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton, QWidget

from swgui.core.hits.results import Hit, SearchResult
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.io.export.rows import span
from swgui.jobs.search.alternatives import equally_good, next_hit

NEXT_KEY, COUNT_KEY = "results-next", "results-count"


class FurtherAlignments(QObject):
    """A menu that looks for them, and a box to choose one.

    Parameters
    ----------
    jobs : ShortJobs
    parent : QWidget
        Of the menu.

    Signals
    -------
    chosen(object)
        The `Hit` to show: the same pair, another alignment.
    listed()
        The box has other entries.
    said(str)
        What was found, for the line below the view.

    Attributes
    ----------
    found : list of Hit
        Alignments of the pair, the best one first; empty if none is shown.
    choice : QComboBox
    more_button : QToolButton
    """

    chosen = Signal(object)
    listed = Signal()
    said = Signal(str)

    def __init__(self, jobs: ShortJobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._result: SearchResult | None = None
        self._looking: threading.Event | None = None
        self.found: list[Hit] = []
        menu = QMenu(parent)
        menu.setObjectName("moreAlignments")
        menu.setToolTipsVisible(True)
        self.next_action = menu.addAction("Next best alignment of this pair")
        self.next_action.setObjectName("nextAlignment")
        self.next_action.setToolTip("The best alignment that shares no aligned pair with those found (Waterman-Eggert)")
        self.next_action.triggered.connect(self.find_next)
        self.count_action = menu.addAction("Count equally good alignments")
        self.count_action.setObjectName("countAlignments")
        self.count_action.setToolTip("How many different alignments have this best score")
        self.count_action.triggered.connect(self.count_equally_good)
        self.more_button = QToolButton()
        self.more_button.setObjectName("moreAlignmentsButton")
        self.more_button.setText("More")
        self.more_button.setToolTip("Other alignments of the same query and subject")
        self.more_button.setMenu(menu)
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.choice = QComboBox()
        self.choice.setObjectName("alignmentChoice")
        self.choice.setAccessibleName("Alignments of this pair")
        self.choice.setToolTip("Alignments of this pair that share no aligned residues, best first")
        self.choice.activated.connect(lambda at: self.chosen.emit(self.found[at]))

    def begin(self, result: SearchResult | None, hit: Hit | None) -> None:
        """Begin with the best alignment of another pair; None for no pair."""
        self._stop()
        self._result = result
        self.found = [hit] if hit is not None else []
        self.choice.clear()
        self.listed.emit()

    @property
    def several(self) -> bool:
        """Whether there is a choice."""
        return len(self.found) > 1

    @property
    def query_index(self) -> int:
        """Position of the query that the pair belongs to."""
        record = self.found[0].query_record
        return next((at for at, q in enumerate(self._result.queries) if q.query is record), 0)

    def find_next(self) -> None:
        """Look for the next best alignment of the pair, by a worker, and show it."""
        if not self.found:
            return
        self._stop()
        result, first, found = self._result, self.found[0], list(self.found)
        cancel = self._looking = threading.Event()
        query_index = self.query_index
        self.said.emit("Looking for another alignment of this pair…")
        self._jobs.submit(
            NEXT_KEY,
            lambda: next_hit(result, query_index, first, [hit.alignment for hit in found], cancel),
            self._take_next,
            lambda error: self.said.emit(str(error)),
        )

    def _take_next(self, hit: Hit | None) -> None:
        if hit is None:
            self.said.emit("No other alignment of this pair has a score above 0.")
            return
        self.found.append(hit)
        self._offer(len(self.found) - 1)
        self.chosen.emit(hit)

    def take(self, others: list[Hit]) -> bool:
        """Take over what was found elsewhere; the best alignment stays the one shown. False if others are known."""
        if len(self.found) != 1:
            return False
        self.found += others
        self._offer(0)
        return True

    def _offer(self, current: int) -> None:
        self.choice.clear()
        for at, one in enumerate(self.found, start=1):
            place = span(one)
            self.choice.addItem(f"{at}: score {one.score:,}")
            tip = f"Query {place.query_start:,} to {place.query_end:,}, subject {place.subject_start:,} to "
            self.choice.setItemData(at - 1, f"{tip}{place.subject_end:,}", Qt.ItemDataRole.ToolTipRole)
        self.choice.setCurrentIndex(current)
        self.listed.emit()

    def count_equally_good(self) -> None:
        """Count the alignments that have the best score of the pair, by a worker, and say it."""
        if not self.found:
            return
        result, first = self._result, self.found[0]
        self.said.emit("Counting…")
        self._jobs.submit(
            COUNT_KEY,
            lambda: equally_good(result, first),
            lambda number: self.said.emit(_how_many(number)),
            lambda error: self.said.emit(str(error)),
        )

    def _stop(self) -> None:
        if self._looking is not None:
            self._looking.set()
            self._looking = None
        self._jobs.drop(NEXT_KEY)
        self._jobs.drop(COUNT_KEY)


def _how_many(number: int | None) -> str:
    if number is None:
        return "Too many alignments have this score to count them."
    if number == 1:
        return "This is the only alignment with this score."
    return f"{number:,} different alignments have this score; one of them is shown."
