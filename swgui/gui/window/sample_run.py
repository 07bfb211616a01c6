"""A run of the shipped sample from start to end: a check of the window, and its picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from swgui.gui.inputs.opened import sample_database

if TYPE_CHECKING:
    pass
from swgui.gui.window.main_window import MainWindow

LOOK_MS = 50  # between two checks of the window's progress
QUIET_LOOKS = 6  # checks in a row without any work left
PATIENCE_MS = 120_000
PICTURE_SIZE = (1280, 860)  # independent of the size of the screen


class SampleRun(QObject):
    """Presses Search once the sample is in place; with a file, saves a picture when the result is shown whole."""

    def __init__(self, window: MainWindow, picture: Path | None) -> None:
        super().__init__(window)
        self.status = 0
        self._window = window
        self._picture = picture
        self._started = False
        self._waited = 0
        self._quiet = 0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        """Fill the Search page with the sample, in place of the last inputs, and continue from there."""
        if self._picture is not None:
            self._window.resize(*PICTURE_SIZE)
        self._window.begin()
        self._window.search_page.database.open(sample_database())
        self._window.search_page.load_sample_query()
        self._timer.start()

    def _look(self) -> None:
        self._waited += LOOK_MS
        window = self._window
        if not self._started:
            if window.search_page.ready:
                self._started = True
                window.run_search()
        elif window.controller.phase == "idle" and (window.results_page.result is None or self._picture is None):
            self._end("" if window.results_page.result is not None else "The sample search has no result.")
            return
        elif self._picture is not None and window.results_page.alignment.hit is not None:
            # The figures of the hits in sight come from workers, one batch after another.
            self._quiet = self._quiet + 1 if window.tasks.idle else 0
            if self._quiet == QUIET_LOOKS:
                self._end(self._save(self._picture))
                return
        if self._waited > PATIENCE_MS:
            self._end(f"The sample search did not end. {window.search_page.problem}")

    def _save(self, picture: Path) -> str:
        picture.parent.mkdir(parents=True, exist_ok=True)
        return "" if self._window.grab().save(str(picture)) else f"The picture could not be saved as {picture}."

    def _end(self, problem: str) -> None:
        self._timer.stop()
        if problem:
            self.status = 1
            print(f"swgui: {problem}", file=sys.stderr)
        if self._picture is not None:
            self._window.close()
