"""The button that searches again with the hits of the query that is shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal

from swgui.core import words
from swgui.core.profiles.recipe import PRESETS, IterationSettings
from swgui.gui.kit.menus import make_menu, menu_command
from swgui.gui.results.rounds.deeper import DeeperDialog
from swgui.jobs.iterate.again import next_round, suggested, why_not
from swgui.settings import ResultsSettings

if TYPE_CHECKING:
    from swgui.gui.results.page import ResultsPage

ROUNDS: Final = IterationSettings().rounds
TIP: Final = "Find more distant relatives: search with what the best hits, or those you tick, have in common"
DEEPER: Final = "&Look deeper…"
DEEPER_TIP: Final = "Compare profiles, search through the hits, Forward scores; what each costs is said first"
MORE_TIP: Final = "Several rounds at once, other presets, ticks, and looking deeper"
NOBODY: Final = "No hit is good enough by itself: tick those that you know to be relatives"


class SearchAgain(QObject):
    """The next round by one click, the menu beside it, and what of them is wanted.

    Parameters
    ----------
    page : ResultsPage
        Ticked hits of the query that it shows are searched with; where none is, those with a small E-value.

    Signals
    -------
    wanted(int, object, object)
        Number of the query, its ticked hits (frozenset of int), and `IterationSettings`.
    """

    wanted = Signal(int, object, object)

    def __init__(self, page: ResultsPage) -> None:
        super().__init__(page)
        self._page, self._button = page, page.header.again_button
        self._settings = ResultsSettings()
        self.menu = make_menu("searchAgainMenu", self._button)
        self.menu.aboutToShow.connect(self.fill)
        self._more = page.header.again_more
        self._more.setMenu(self.menu)
        self._button.clicked.connect(self.next_round)
        page.query_shown.connect(self.refresh)
        page.rounds.next_wanted.connect(self.next_round)
        page.query_shown.connect(lambda query: page.rounds.show_query(page.result, query))

    def use_settings(self, settings: ResultsSettings) -> None:
        """Keep the preset that is chosen there."""
        self._settings = settings

    def refresh(self) -> None:
        """Say whether the result that is shown can be searched again with."""
        result = self._page.result
        reason = why_not(result) if result is not None else ""
        for button in (self._button, self._more, self._page.rounds.next_button):
            button.setEnabled(not reason)
        self._button.setToolTip(reason or TIP)
        self._more.setToolTip(reason or MORE_TIP)

    def next_round(self) -> None:
        """Ask for one more round, with the ticked hits or whom the preset suggests; open the menu if nobody is."""
        self.fill()
        if self.menu.actions() and self.menu.actions()[0].isEnabled():
            self.menu.actions()[0].trigger()
        else:
            self._more.showMenu()

    def fill(self) -> None:
        """Put the commands for the query that is shown into the menu."""
        self.menu.clear()
        result, query = self._page.result, self._page.query_index
        if result is None or query < 0:
            return
        preset = self._settings.preset
        offered = suggested(result, query, preset)
        ticked = self._ticked(query)
        limit = IterationSettings(preset=preset).inclusion(len(result.database))
        hits = words.count(len(ticked or offered), "hit")
        with_whom = f"{hits} ticked" if ticked else f"{hits} with E ≤ {limit:g}"
        number = next_round(result, query)
        self._offer("next", f"&Next round, with {with_whom}", TIP, query, ticked, IterationSettings(number, preset))
        for name, facts in PRESETS.items():
            tip = f"Until no new subject is found; {facts.help}"
            self._offer(name, f"Up to {ROUNDS} rounds, &{name}", tip, query, ticked, IterationSettings(ROUNDS, name))
        self.menu.addSeparator()
        text = f"&Tick the {words.count(len(offered), 'suggested hit')}" if offered else "No hit is suggested"
        tip = "Then tick others, or untick those that do not belong: exactly these are searched with"
        action = menu_command(self.menu, "again-tick", text, tip, lambda: self._tick(query, offered))
        action.setEnabled(bool(offered - ticked))
        self.menu.addSeparator()
        settings = IterationSettings(ROUNDS, preset)
        look = partial(self.look_deeper, query, ticked, settings)
        deeper = menu_command(self.menu, "again-deeper", DEEPER, DEEPER_TIP, look)
        rounds = result.queries[query].rounds is not None
        deeper.setEnabled(rounds or bool(offered | ticked))

    def look_deeper(self, query: int, ticked: frozenset[int], settings: IterationSettings) -> DeeperDialog:
        """Ask what else is to be looked for, and return the dialog."""
        result = self._page.result
        assert result is not None
        dialog = DeeperDialog(result, query, settings, self._page.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.wanted.connect(partial(self._want, query, ticked))
        dialog.open()
        return dialog

    def _ticked(self, query: int) -> frozenset[int]:
        return frozenset(self._page.marks.marks.subjects("ticked", query))

    def _tick(self, query: int, subjects: frozenset[int]) -> None:
        self._page.marks.set("ticked", query, subjects, on=True)

    def _offer(
        self, name: str, text: str, tip: str, query: int, ticked: frozenset[int], settings: IterationSettings
    ) -> None:
        """Add a command that searches again, unless there is nobody to search with."""
        result = self._page.result
        somebody = result is not None and bool(ticked or suggested(result, query, settings.preset))
        want = partial(self._want, query, ticked, settings)
        action = menu_command(self.menu, f"again-{name}", text, tip if somebody else NOBODY, want)
        action.setEnabled(somebody)

    def _want(self, query: int, ticked: frozenset[int], settings: IterationSettings) -> None:
        self._settings.preset = settings.preset
        self.wanted.emit(query, ticked, settings)
