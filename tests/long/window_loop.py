"""The window, without a screen, searching all night: what it shows must be right, and nothing may stay behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QDeadlineTimer, QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from swgui import app as program
from swgui.core.hits.results import SearchResult
from swgui.gui.kit import garbage
from swgui.gui.window.main_window import MainWindow
from swgui.jobs.search.request import SearchRequest
from tests.long.loops import SAMPLE_EVERY, requests
from tests.long.meter import Meter

PAGES = ("search", "results", "runs", "databases", "device")
PATIENCE_MS = 30_000


def run_window(seconds: float, folder: Path, *, engine: str = "cpu", log: Path | None = None) -> Meter:
    """Search in the window, look at the result and turn pages, until the time is up."""
    application = program.application()
    with garbage.collected_here():
        return _run_window(application, seconds, folder, engine, log)


def _run_window(application: QApplication, seconds: float, folder: Path, engine: str, log: Path | None) -> Meter:
    window = program.make_window(application)
    window.show()
    window.begin()
    searcher = Searcher(window)
    meter = Meter(folder, log)
    widgets: list[int] = []
    try:
        for number, request in enumerate(requests(engine), start=1):
            result = searcher.search(request)
            check_what_is_shown(window, result)
            if number % 7 == 0:
                for page in PAGES:
                    window.show_page(page)
                    application.processEvents()
            if number % SAMPLE_EVERY == 0:
                QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
                meter.sample(number)
                widgets.append(len(QApplication.allWidgets()))
            if meter.seconds > seconds:
                break
        meter.sample(number)
    finally:
        program.dispose(application, window)
    warm = widgets[len(widgets) // 3 :]
    if warm and max(warm[-3:]) > max(warm[: max(3, len(warm) // 3)]):
        raise AssertionError(f"widgets were left behind: {warm[0]} at first, {warm[-1]} at the end")
    return meter


class Searcher:
    """Runs searches through the controller of a window, one at a time."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._loop = QEventLoop()
        self._results: list[SearchResult] = []
        self._patience = QTimer()
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._loop.quit)
        window.controller.result_ready.connect(self._results.append)
        window.controller.result_ready.connect(self._loop.quit)
        window.controller.failed.connect(self._loop.quit)

    def search(self, request: SearchRequest) -> SearchResult:
        """Search, and wait until the result and the figures of its hits are on the page."""
        self._window.controller.start(request)
        self._patience.start()
        self._loop.exec()
        self._patience.stop()
        assert self._results, "a search ended without a result"
        deadline = QDeadlineTimer(PATIENCE_MS)
        while not self._window.tasks.idle and not deadline.hasExpired():
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        return self._results.pop()


def check_what_is_shown(window: MainWindow, result: SearchResult) -> None:
    """Compare page and plot with the result."""
    assert window.results_page.result is result
    state = window.controller.state
    assert state.fraction is None or state.fraction == 1.0
    seconds, gcups = state.wall.points()
    assert np.all(np.isfinite(gcups))
    assert np.all(gcups >= 0)
    assert np.all(np.diff(seconds) >= 0)
