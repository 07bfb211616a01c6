"""The alignments of the pair that is shown: one after the other, weaker ones on request, and how many are as good."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from swgui.core.hits.results import Hit, SearchResult
from swgui.gui.kit.menus import make_menu, menu_command
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, fill_combo, tool_button
from swgui.gui.viewer.pair.text_form import ends
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.words import formatting
from swgui.jobs.search.alternatives import equally_good, next_hit

END = "This is the last alignment within the limits of the search. More looks for weaker ones."
WEAKER_KEY, COUNT_KEY = "results-weaker", "results-count"


class PairAlignments(QObject):
    """Buttons that step through the alignments, a box to choose one, and a menu that looks for weaker ones.

    Parameters
    ----------
    parent : QWidget
        Of the menu.
    """

    chosen = Signal(int)  # number of the alignment to show, from 0
    listed = Signal()  # others are known, or another one is current
    said = Signal(str)  # what was found, for the line below the view

    def __init__(self, tasks: Tasks, parent: QWidget) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._hit: Hit | None = None
        self.found: list[ShownHit] = []  # alignments of the pair, best first; empty if none is shown
        self.current = 0
        self.previous_button = self._step_button("previousAlignment", "arrow-left", "Previous alignment (Alt+Left)", -1)
        self.next_button = self._step_button("nextAlignment", "arrow-right", "Next alignment (Alt+Right)", 1)
        self.choice = combo_box(
            "alignmentChoice",
            "Alignments of this pair that share no aligned residues, best first",
            self.chosen.emit,
            accessible="Alignments of this pair",
        )
        self._make_more(parent)
        self.stop_button = tool_button("stopWeaker", "Stop", "Stop looking for another alignment", self._give_up)
        self.stop_button.hide()
        # In the order in which they stand.
        self.widgets = (self.previous_button, self.choice, self.next_button, self.more_button, self.stop_button)

    def _step_button(self, name: str, icon: str, tip: str, by: int) -> QToolButton:
        return tool_button(name, "", tip, lambda: self.step(by), icon=icon, accessible=tip.partition(" (")[0])

    def _make_more(self, parent: QWidget) -> None:
        menu = make_menu("moreAlignments", parent)
        self.weaker_action = menu_command(
            menu,
            "weakerAlignment",
            "Look for a weaker alignment",
            "The best one on this strand that shares no aligned pair with those listed, whatever its E-value",
            self.find_weaker,
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

    # -- what is shown -----------------------------------------------------------------------------

    def begin(self, result: SearchResult, hit: Hit, part: int) -> ShownHit:
        """Take over a hit with all its alignments, unless it is there already, and return the one to show.

        Parameters
        ----------
        part : int
            Number of the alignment, from 0.
        """
        if hit is not self._hit:
            self.clear()
            self._hit, self.found = hit, [ShownHit.of(result, row) for row in hit.rows()]
            self._offer()
        return self.select(part)

    def select(self, part: int) -> ShownHit:
        self.current = min(part, len(self.found) - 1)
        self.choice.setCurrentIndex(self.current)
        self.previous_button.setEnabled(self.current > 0)
        self.next_button.setEnabled(self.current + 1 < len(self.found))
        self.listed.emit()
        return self.found[self.current]

    def clear(self) -> None:
        self._stop()
        self._hit, self.found, self.current = None, [], 0
        self.choice.clear()
        self.listed.emit()

    def show_in(self, shown: bool) -> None:
        """Show the tools, or hide them in views that show more than one pair; those to step only where it leads on."""
        for widget in (self.previous_button, self.choice, self.next_button):
            widget.setVisible(shown and len(self.found) > 1)
        self.more_button.setVisible(shown)

    def place(self) -> str:
        """Say which alignment is shown: ``alignment 2 of 7``; empty if there is but one."""
        return f"alignment {self.current + 1:,} of {len(self.found):,}" if len(self.found) > 1 else ""

    def step(self, by: int) -> None:
        if 0 <= self.current + by < len(self.found):
            self.chosen.emit(self.current + by)
        elif self.found:
            self.said.emit(END if by > 0 else "This is the best alignment of this pair.")

    def _offer(self) -> None:
        several = len({one.hit.strand for one in self.found}) > 1
        items = [
            (
                f"{at:,} of {len(self.found):,}: score {each.hit.score:,}{_read(each.hit.strand) if several else ''}",
                at,
                ends(each.hit),
            )
            for at, each in enumerate(self.found, start=1)
        ]
        fill_combo(self.choice, items, self.current + 1)

    # -- looking for others ------------------------------------------------------------------------

    def find_weaker(self) -> None:
        """Look for the next best alignment on the strand shown, by a worker, and show it."""
        if not self.found:
            return
        self._stop()
        shown = self.found[self.current]
        previous = [each.alignment for each in self.found if each.hit.strand == shown.hit.strand]
        self.said.emit("Looking for another alignment of this pair…")
        self.stop_button.show()
        self._tasks.start(
            WEAKER_KEY,
            lambda control: next_hit(shown.result, shown.query_index, shown.hit, previous, control),
            self._take_weaker,
            self._say_failure,
        )

    def _take_weaker(self, hit: Hit | None) -> None:
        self.stop_button.hide()
        if hit is None:
            self.said.emit("No other alignment of this pair has a score above 0.")
            return
        self.found.append(ShownHit.of(self.found[0].result, hit))
        self._offer()
        self.chosen.emit(len(self.found) - 1)

    def _say_failure(self, error: Exception) -> None:
        self.stop_button.hide()
        self.said.emit(str(error))

    def _give_up(self) -> None:
        self._stop()
        self.said.emit("Stopped; no other alignment was found by then.")

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
        self.stop_button.hide()
        self._tasks.drop(WEAKER_KEY)
        self._tasks.drop(COUNT_KEY)


def _how_many(number: int | None) -> str:
    if number is None:
        return "Too many alignments have this score to count them."
    if number == 1:
        return "This is the only alignment with this score."
    return f"{number:,} different alignments have this score; one of them is shown."


def _read(strand: int) -> str:
    """Return how one of several alignments was read, behind its score."""
    return f", {formatting.strand(strand).removesuffix(' strand') or 'plus'}"
