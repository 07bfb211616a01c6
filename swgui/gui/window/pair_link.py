"""The Pair and Network pages in the window: the use of the GPU, messages, drops, hits that become pairs or networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from swgui.core.engines import Kind
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.search import Strand, about_pair
from swgui.engines.registry import AUTO, facts
from swgui.gui.inputs.drop import DATABASE_SUFFIX, RESULT_SUFFIXES, Dropped, Target
from swgui.gui.runs.queue import RunQueue
from swgui.gui.search.page import SearchPage
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.window.messages.status import Attention
from swgui.gui.words import wording
from swgui.runs.records import started_by_id

if TYPE_CHECKING:
    from swgui.core.database import EncodedDatabase
    from swgui.core.pair.problem import PairPlan
    from swgui.core.pair.result import PairResult
    from swgui.core.scoring import ScoringScheme
    from swgui.gui.network.page import NetworkPage
    from swgui.gui.pair.control import PairController, PairRunState
    from swgui.gui.pair.input import SequencePanel
    from swgui.gui.pair.page import PairPage
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.runs.page import RunsPage
    from swgui.gui.runs.table import RunRow
    from swgui.jobs.network.request import NetworkRequest
    from swgui.jobs.pair.request import PairRequest
    from swgui.runs.plain import Kept, Resumed


class PairLink(QObject):
    """Connects the Pair page with the rest of the window."""

    def __init__(
        self,
        window: Frame,
        attention: Attention,
        search: SearchPage,
        queue: RunQueue,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window, self._attention = window, attention
        self._search, self._queue, self._notifications = search, queue, notifications
        self._controller = queue.controller
        queue.pair_turn.connect(self._begin)
        self._label = QLabel()
        self._label.setObjectName("statusPair")
        self._label.setToolTip("The alignment of a pair in progress")
        window.statusBar().insertPermanentWidget(0, self._label)
        self._label.hide()
        window.pages.once_made("pair", self._page_made)
        window.pages.once_made("results", self._results_made)
        window.pages.once_made("network", self._network_page_made)
        window.pages.once_made("runs", self._runs_made)

    @property
    def _page(self) -> PairPage:
        return cast("PairPage", self._window.pages["pair"])

    def _page_made(self, page: PairPage) -> None:
        controller, notifications = self._controller, self._notifications
        page.said.connect(notifications.post)
        page.failed.connect(notifications.error)
        page.finished.connect(self._finished)
        page.control.phase_changed.connect(self._phase_changed)
        page.control.state_changed.connect(self._state_changed)
        controller.phase_changed.connect(lambda phase: page.set_searching(phase != "idle" and self._search_on_gpu()))
        page.set_searching(controller.phase != "idle" and self._search_on_gpu())
        page.control.phase_changed.connect(lambda phase: self._queue.set_aligning(phase != "idle"))
        page.queue_wanted.connect(self._take_pairs)
        page.resume_wanted.connect(lambda run_id: self._runs.resume_pair(run_id))
        if self._search.engine.statuses:
            page.show_engines(self._search.engine.statuses)
        self._search.engine.probed.connect(page.show_engines)

    def _network_page_made(self, network: NetworkPage) -> None:
        network.pair_wanted.connect(self.align)
        network.made.connect(self._network_made)
        network.kept.connect(lambda: self._runs.refresh())

    def _network_made(self, name: str, seconds: float) -> None:
        if self._window.page != "network":
            self._notifications.post("success", f"The network is done: {name}.", "It is on the Network page.")
        self._attention.call("The network is done.", name, seconds)

    def _results_made(self, results: ResultsPage) -> None:
        results.pair_wanted.connect(self.take_hit)
        results.network_wanted.connect(self.make_network)

    @property
    def _runs(self) -> RunsPage:
        return cast("RunsPage", self._window.pages["runs"])

    def _runs_made(self, runs: RunsPage) -> None:
        runs.pair_opened.connect(self.show_result)
        runs.network_opened.connect(self._show_network)
        runs.pair_stop_wanted.connect(lambda: self._page.stop())
        runs.pair_pause_wanted.connect(lambda on: self._page.control.pause(on))
        self._list_pair()

    def _show_network(self, run: Kept | Resumed | NetworkRequest) -> None:
        cast("NetworkPage", self._window.pages["network"]).take_run(run)
        self._window.show_page("network")

    def show_result(self, result: PairResult) -> None:
        self._page.open_kept(result)
        self._window.show_page("pair")

    def targets(self, others: tuple[Target, ...]) -> tuple[Target, ...]:
        """Return what can be done with something that is dropped: on the Pair page it belongs there."""
        elsewhere = [drop if drop.anywhere else replace(drop, accepts=self._unless_here(drop)) for drop in others]
        own = (
            Target("Query of the pair", "Align this sequence with the subject", self._takes_one, self._drop_query),
            Target("Subject of the pair", "Align the query with this sequence", self._takes_one, self._drop_subject),
            Target("Query and subject", "Align these two files with each other", self._takes_two, self._drop_both),
        )
        return (*elsewhere, *own)

    def take_hit(self, query: SequenceRecord, subject: SequenceRecord, kind: str) -> None:
        self._page.setup.set_pair(query, subject, kind)
        self._window.show_page("pair")

    def make_network(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        cast("NetworkPage", self._window.pages["network"]).use_sequences(give, name)
        self._window.show_page("network")

    def align(self, query: SequenceRecord, subject: SequenceRecord, scheme: ScoringScheme, strand: Strand) -> None:
        self._page.align_these(query, subject, scheme, strand)
        self._window.show_page("pair")

    # -- inside ------------------------------------------------------------------------------------

    def _search_on_gpu(self) -> bool:
        request, state = self._controller.request, self._controller.state
        if state.started is not None:
            return _may_use_gpus(state.started.engine)
        return request is not None and _may_use_gpus(request.search.engine)

    def _phase_changed(self, phase: str) -> None:
        self._label.setVisible(phase != "idle")
        self._label.setText({"waiting": "Pair waits", "stopping": "Pair is stopping"}.get(phase, "Pair"))
        self._list_pair()
        if phase == "idle" and "runs" in self._window.pages.widgets:
            self._runs.refresh()

    def _state_changed(self, state: PairRunState) -> None:
        share = f" {wording.percent(state.fraction)}" if state.fraction is not None else ""
        self._label.setText(f"Pair: {state.title.lower()}{share}")
        self._list_pair()

    def _begin(self, request: PairRequest, plan: PairPlan | None) -> None:
        self._page.align_again(request, plan, self._queue.pair_refused)

    def _take_pairs(self, requests: Sequence[PairRequest]) -> None:
        for request in requests:
            self._queue.add(request)
        subject = "The pair is" if len(requests) == 1 else f"{len(requests):,} pairs are"
        self._window.statusBar().showMessage(f"{subject} in the queue, on the Runs page.", 8000)

    def _list_pair(self) -> None:
        pages = self._window.pages.widgets
        if "runs" not in pages or "pair" not in pages:
            return
        control = self._page.control
        if control.phase == "idle" or control.request is None:
            self._runs.show_pair(None)
            return
        self._runs.show_pair(_row_of(control, control.request), control.request.run_id)

    def _finished(self) -> None:
        result = self._page.result
        if result is None:
            return
        from swgui.gui.pair.wording import short

        name = f"{short(result.query.id)} and {short(result.subject.id)}"
        score = f"score {result.score:,}" if result.score is not None else "no score"
        if self._window.page != "pair":
            self._notifications.post("success", f"The pair {name} is done: {score}.", "It is on the Pair page.")
        self._attention.call("The pair is aligned.", f"{name}: {score}.", result.total_seconds)

    def _unless_here(self, target: Target) -> Callable[[Dropped], bool]:
        return lambda dropped: self._window.page != "pair" and target.accepts(dropped)

    def _takes_one(self, dropped: Dropped) -> bool:
        suffixes = (DATABASE_SUFFIX, *RESULT_SUFFIXES)
        is_sequence = bool(dropped.text) or (len(dropped.files) == 1 and dropped.files[0].suffix not in suffixes)
        return self._window.page == "pair" and is_sequence

    def _takes_two(self, dropped: Dropped) -> bool:
        return self._window.page == "pair" and len(dropped.files) == 2

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


def _row_of(control: PairController, request: PairRequest) -> RunRow:
    from swgui.gui.runs.table import RunRow
    from swgui.runs.pairs import pair_name

    state = control.state
    phase = "preparing" if control.phase == "running" and state.event is None else control.phase
    return RunRow(
        key=("pair", 0),
        state="paused" if control.paused and phase == "running" else phase,
        name=request.name or pair_name(request.query, request.subject),
        queries=1,
        database="",
        fraction=state.fraction or 0.0,
        started=started_by_id(request.run_id) or control.began,
        seconds=state.event.seconds if state.event is not None else 0.0,
        gcups=state.gcups,
        reason="",
        kind="pair",
        about=about_pair(request.mode, request.scheme),
    )


def _may_use_gpus(engine: str) -> bool:
    return engine == AUTO or facts(engine).kind is Kind.GPU
