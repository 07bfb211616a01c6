"""Further alignments of the pair that is shown: the next best ones, and how many are as good."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from swgui.core.hits.results import Hit
from swgui.gui.kit.menus import make_menu, menu_command
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, fill_combo, tool_button
from swgui.gui.viewer.pair.text_form import ends
from swgui.gui.viewer.shown import ShownHit
from swgui.jobs.search.alternatives import equally_good, next_hit

NEXT_KEY, COUNT_KEY = "results-next", "results-count"


class FurtherAlignments(QObject):
    """A menu that looks for them, and a box to choose one.

    Parameters
    ----------
    tasks : Tasks
    parent : QWidget
        Of the menu.

    Signals
    -------
    chosen(object)
        The `ShownHit` to show: the same pair, another alignment.
    listed()
        The box has other entries.
    said(str)
        What was found, for the line below the view.

    Attributes
    ----------
    found : list of ShownHit
        Alignments of the pair, the best one first; empty if none is shown.
    choice : QComboBox
    more_button : QToolButton
    """

    chosen = Signal(object)
    listed = Signal()
    said = Signal(str)

    def __init__(self, tasks: Tasks, parent: QWidget) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self.found: list[ShownHit] = []
        menu = make_menu("moreAlignments", parent)
        self.next_action = menu_command(
            menu,
            "nextAlignment",
            "Next best alignment of this pair",
            "The best alignment that shares no aligned pair with those found (Waterman-Eggert)",
            self.find_next,
        )
        self.count_action = menu_command(
            menu,
            "countAlignments",
            "Count equally good alignments",
            "How many different alignments have this best score",
            self.count_equally_good,
        )
        self.more_button = tool_button("moreAlignmentsButton", "More", "Other alignments of the same query and subject")
        self.more_button.setMenu(menu)
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.choice = combo_box(
            "alignmentChoice",
            "Alignments of this pair that share no aligned residues, best first",
            lambda at: self.chosen.emit(self.found[at]),
            accessible="Alignments of this pair",
        )

    def begin(self, shown: ShownHit) -> None:
        """Begin with the best alignment of another pair."""
        self.clear()
        self.found = [shown]

    def clear(self) -> None:
        """Forget the pair."""
        self._stop()
        self.found = []
        self.choice.clear()
        self.listed.emit()

    @property
    def several(self) -> bool:
        """Whether there is a choice."""
        return len(self.found) > 1

    def find_next(self) -> None:
        """Look for the next best alignment of the pair, by a worker, and show it."""
        if not self.found:
            return
        self._stop()
        best, previous = self.found[0], [each.alignment for each in self.found]
        self.said.emit("Looking for another alignment of this pair…")
        self._tasks.start(
            NEXT_KEY,
            lambda control: next_hit(best.result, best.query_index, best.hit, previous, control),
            self._take_next,
            lambda error: self.said.emit(str(error)),
        )

    def _take_next(self, hit: Hit | None) -> None:
        if hit is None:
            self.said.emit("No other alignment of this pair has a score above 0.")
            return
        shown = ShownHit.of(self.found[0].result, hit)
        self.found.append(shown)
        self._offer(len(self.found) - 1)
        self.chosen.emit(shown)

    def take(self, others: list[ShownHit]) -> bool:
        """Take over what was found elsewhere; the best alignment stays the one shown. False if others are known."""
        if len(self.found) != 1:
            return False
        self.found += others
        self._offer(0)
        return True

    def _offer(self, current: int) -> None:
        items = [(f"{at}: score {each.hit.score:,}", at, ends(each.hit)) for at, each in enumerate(self.found, start=1)]
        fill_combo(self.choice, items, current + 1)
        self.listed.emit()

    def count_equally_good(self) -> None:
        """Count the alignments that have the best score of the pair, by a worker, and say it."""
        if not self.found:
            return
        best = self.found[0]
        self.said.emit("Counting…")
        self._tasks.submit(
            COUNT_KEY,
            lambda: equally_good(best.result, best.hit),
            lambda number: self.said.emit(_how_many(number)),
            lambda error: self.said.emit(str(error)),
        )

    def _stop(self) -> None:
        self._tasks.drop(NEXT_KEY)
        self._tasks.drop(COUNT_KEY)


def _how_many(number: int | None) -> str:
    if number is None:
        return "Too many alignments have this score to count them."
    if number == 1:
        return "This is the only alignment with this score."
    return f"{number:,} different alignments have this score; one of them is shown."
