"""The Pair page in the window: messages, drops, hits that become pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.search import Strand
from swgui.gui.inputs.drop import Dropped, Target, is_own
from swgui.gui.pair import entry as pair
from swgui.gui.search.page import SearchPage
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.window.messages.status import Attention
from swgui.gui.words import wording

if TYPE_CHECKING:
    from swgui.core.scoring import ScoringScheme
    from swgui.gui.pair.control import PairRunState
    from swgui.gui.pair.input import SequencePanel
    from swgui.gui.pair.page import PairPage
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.runs.page import RunsPage


PAIR = pair.PAGE.name


class PairLink(QObject):
    """Connects the Pair page with the rest of the window."""

    def __init__(
        self,
        window: Frame,
        attention: Attention,
        search: SearchPage,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window, self._attention = window, attention
        self._search, self._notifications = search, notifications
        self._label = QLabel()
        self._label.setObjectName("statusPair")
        self._label.setToolTip("The alignment of a pair in progress")
        window.statusBar().insertPermanentWidget(0, self._label)
        self._label.hide()
        window.pages.once_made(PAIR, self._page_made)
        window.pages.once_made("results", self._results_made)

    @property
    def _page(self) -> PairPage:
        return cast("PairPage", self._window.pages[PAIR])

    def _page_made(self, page: PairPage) -> None:
        notifications = self._notifications
        page.said.connect(notifications.post)
        page.failed.connect(notifications.error)
        page.finished.connect(self._finished)
        page.control.phase_changed.connect(self._phase_changed)
        page.control.state_changed.connect(self._state_changed)
        page.resume_wanted.connect(lambda run_id: self._runs.resume_run(run_id))
        if self._search.engine.statuses:
            page.show_engines(self._search.engine.statuses)
        self._search.engine.probed.connect(page.show_engines)

    def _results_made(self, results: ResultsPage) -> None:
        results.pair_wanted.connect(self.take_hit)

    @property
    def _runs(self) -> RunsPage:
        return cast("RunsPage", self._window.pages["runs"])

    def targets(self, others: tuple[Target, ...]) -> tuple[Target, ...]:
        """Return the actions on a dropped file or text; the Pair page takes its own."""
        elsewhere = [drop if drop.anywhere else replace(drop, accepts=self._unless_here(drop)) for drop in others]
        own = (
            Target("Query of the pair", "Align this sequence with the subject", self._takes_one, self._drop_query),
            Target("Subject of the pair", "Align the query with this sequence", self._takes_one, self._drop_subject),
            Target("Query and subject", "Align these two files with each other", self._takes_two, self._drop_both),
        )
        return (*elsewhere, *own)

    def take_hit(self, query: SequenceRecord, subject: SequenceRecord, kind: str) -> None:
        self._page.setup.set_pair(query, subject, kind)
        self._window.show_page(PAIR)

    def align(self, query: SequenceRecord, subject: SequenceRecord, scheme: ScoringScheme, strand: Strand) -> None:
        self._page.align_these(query, subject, scheme, strand)
        self._window.show_page(PAIR)

    # -- inside ------------------------------------------------------------------------------------

    def _phase_changed(self, phase: str) -> None:
        self._label.setVisible(phase != "idle")
        self._label.setText({"waiting": "Pair waits", "stopping": "Pair is stopping"}.get(phase, "Pair"))

    def _state_changed(self, state: PairRunState) -> None:
        share = f" {wording.percent(state.fraction)}" if state.fraction is not None else ""
        self._label.setText(f"Pair: {state.title.lower()}{share}")

    def _finished(self) -> None:
        result = self._page.result
        if result is None:
            return
        from swgui.gui.pair.wording import short

        name = f"{short(result.query.id)} and {short(result.subject.id)}"
        score = f"score {result.score:,}" if result.score is not None else "no score"
        if self._window.page != PAIR:
            self._notifications.post("success", f"The pair {name} is done: {score}.", "It is on the Pair page.")
        self._attention.call("The pair is aligned.", f"{name}: {score}.", result.total_seconds)

    def _unless_here(self, target: Target) -> Callable[[Dropped], bool]:
        return lambda dropped: self._window.page != PAIR and target.accepts(dropped)

    def _takes_one(self, dropped: Dropped) -> bool:
        is_sequence = bool(dropped.text) or (len(dropped.files) == 1 and not is_own(dropped.files[0]))
        return self._window.page == PAIR and is_sequence

    def _takes_two(self, dropped: Dropped) -> bool:
        return self._window.page == PAIR and len(dropped.files) == 2

    def _drop_query(self, dropped: Dropped) -> None:
        self._drop(dropped, self._page.setup.query)

    def _drop_subject(self, dropped: Dropped) -> None:
        self._drop(dropped, self._page.setup.subject)

    def _drop(self, dropped: Dropped, panel: SequencePanel) -> None:
        self._page.show_part("setup")
        if dropped.files:
            panel.open_file(dropped.files[0])
        else:
            panel.set_text(dropped.text)

    def _drop_both(self, dropped: Dropped) -> None:
        self._page.setup.use_files(dropped.files)
