"""Runs pairs for the Pair page: one at a time, in the background, after a search that uses the same GPU."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairPlan
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.pair.state import PairRunState
from swgui.jobs.pair.events import PairEvent, PairFinished
from swgui.jobs.pair.request import AlignPair, PairRequest
from swgui.jobs.pair.run import align_pair

log = logging.getLogger(__name__)


class PairController(JobController):
    """Starts a pair, gathers its events and hands over its result; it may be ``waiting`` for a search to end.

    Parameters
    ----------
    align : AlignPair
        What a job runs, `swgui.jobs.pair.run.align_pair`.

    Attributes
    ----------
    request : PairRequest or None
        What is, or was last, aligned.
    began : str
        When; local time, ISO 8601, empty while it waits.

    Signals
    -------
    result_ready(object)
        The `PairResult`, whole or partial.
    """

    result_ready = Signal(object)

    def __init__(self, parent: QObject | None = None, *, align: AlignPair = align_pair) -> None:
        super().__init__(PairRunState(), parent)
        self._align = align
        self._waiting: tuple[PairRequest, PairPlan] | None = None
        self.request: PairRequest | None = None
        self.began = ""
        self._blocked = False

    def start(self, request: PairRequest, plan: PairPlan) -> None:
        """Align a pair; one that needs the GPU waits for a search that uses it.

        Parameters
        ----------
        plan : PairPlan
            What it will cost.
        """
        if self._phase != "idle":
            return
        self.request, self.began = request, ""
        if on_gpu(plan) and self._blocked:
            self._waiting = (request, plan)
            self._enter("waiting")
        else:
            self._begin(request, plan)

    def stop(self) -> None:
        """End the work soon; what is known by then comes as a partial result."""
        if self._phase == "waiting":
            self._waiting = None
            self._enter("idle")
        else:
            super().stop()

    def set_blocked(self, blocked: bool) -> None:
        """Note whether a search uses the GPU."""
        self._blocked = blocked
        if not blocked and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._begin(*waiting)

    def shutdown(self) -> None:
        """Stop whatever runs, or waits, for good."""
        self._waiting = None
        super().shutdown()

    def _begin(self, request: PairRequest, plan: PairPlan) -> None:
        align = self._align
        self._launch(lambda cancel: _encoded(align(request, cancel, plan)), PairRunState())
        self.began = datetime.now().astimezone().isoformat(timespec="seconds")
        log.info("Pair %s x %s started, %s", request.query.id, request.subject.id, request.scheme.describe())
        self._under_way()
        self._changed = True
        self._tell()

    def _ended(self) -> None:
        if self.state.result is not None:
            self.result_ready.emit(self.state.result)


def on_gpu(plan: PairPlan | None) -> bool:
    """Whether a pair that is planned so needs a GPU."""
    return plan is not None and plan.method != CPU_METHOD


def _encoded(events: Iterator[PairEvent]) -> Iterator[PairEvent]:
    """Encode the sequences of the result before the window shows them."""
    for event in events:
        if isinstance(event, PairFinished):
            event.result.encode()
        yield event
