"""Measurements of a run: state of the devices, duration, and the trace that is saved with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.core.translation.programs import shifting
from swgui.gui.live.estimate import Estimates
from swgui.gui.live.run_trace import RunTrace
from swgui.gui.live.watch import DeviceWatch
from swgui.gui.runs.queue import SearchController
from swgui.gui.words.engine_choices import EngineChoice
from swgui.jobs.search.request import SearchRequest

if TYPE_CHECKING:
    from swgui.gui.runs.panel import RunPanel

RUN = "run"
SPEED = "speed"
KEPT_FROM = 1.0  # seconds; shorter runs have no useful trace


class RunMeasures(QObject):
    """Watches devices during a run, and learns from how long it took.

    Parameters
    ----------
    panel : callable
        Returns the `RunPanel`, which is made for the first run; it shows readings, and keeps the trace of the run.
    estimates : Estimates
        Learn from complete runs that were never paused.
    """

    def __init__(
        self,
        controller: SearchController,
        panel: Callable[[], RunPanel],
        watch: DeviceWatch,
        estimates: Estimates,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller, self._panel, self._watch, self._estimates = controller, panel, watch, estimates
        self._choice: EngineChoice | None = None
        self._began = 0.0
        self._paused = False
        controller.begun.connect(self._begun)
        controller.phase_changed.connect(self._phase_changed)
        controller.pause_changed.connect(self._pause_changed)
        watch.looked.connect(lambda look: panel().show_look(look))

    def note(self, choice: EngineChoice) -> None:
        """Note engine and devices of the next run."""
        self._choice = choice

    def take(self, result: SearchResult) -> dict[str, Any]:
        """Take in a run that has just ended; returns the measurements to save with it."""
        request, taken = self._controller.request, time.monotonic() - self._began
        whole = result.state == "complete" and not self._paused and not shifting(result.translation)
        if self._choice is not None and request is not None and whole and isinstance(request.database, EncodedDatabase):
            # Reading a file takes time that is not the device's.
            self._estimates.learn(self._choice, _lengths(request), result.searched.residues, taken)
        self._choice = None
        facts = self._panel().trace.facts() if result.seconds >= KEPT_FROM else {}
        return {SPEED: facts} if facts else {}

    def show_kept(self, result: SearchResult, layout: Mapping[str, Any]) -> dict[str, Any]:
        """Show the speed of an opened run, if it was saved; returns the measurements to save again."""
        trace = RunTrace.from_facts(layout.get(SPEED))
        if trace is None:
            return {}
        self._panel().show_kept(trace, f"Speed of the run of {result.finished_at[:16].replace('T', ' ')}")
        return {SPEED: layout[SPEED]}

    def _begun(self, _request: SearchRequest) -> None:
        self._began = time.monotonic()
        self._paused = False

    def _phase_changed(self, phase: str) -> None:
        self._watch.want(RUN, phase in ("running", "stopping"))

    def _pause_changed(self, on: bool) -> None:
        self._paused = self._paused or on


def _lengths(request: SearchRequest) -> list[int]:
    return [length for length in request.lengths for _ in request.search.strands]
