"""Compiling the kernels of common searches behind the window, while nothing else runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from swgui.core.database import EncodedDatabase
from swgui.core.scoring import ScoringScheme
from swgui.engines import registry
from swgui.gui.kit.tasks.task import Task

Likely = tuple[ScoringScheme, EncodedDatabase]
log = logging.getLogger(__name__)
WHY = (
    "Kernels are compiled for the length of a query, the scoring and the GPU, once. "
    "Searches need not wait for this; it stops while one runs."
)


class Preparing(QObject):
    """Prepares the engine that "automatic" stands for, and says so in a label.

    Parameters
    ----------
    likely : callable
        Gives the scoring scheme and the database of the Search page, or None while either is not known.
    """

    def __init__(self, label: QLabel, likely: Callable[[], Likely | None], parent: QObject) -> None:
        super().__init__(parent)
        self._label, self._likely = label, likely
        self._done: set[str] = set()
        self._current: str | None = None
        label.setToolTip(WHY)
        self._task = Task(self)
        self._task.part.connect(self._show)
        self._task.failed.connect(self._fail)
        self._task.finished.connect(self._finish)

    def start(self) -> None:
        """Go on where it was stopped; nothing if all is done."""
        likely = self._likely()
        if likely is None or self._task.busy:
            return
        scheme, database = likely
        key = f"{scheme.matrix.name} {scheme.gap_first} {scheme.gap_extend} {database.checksum}"
        if key not in self._done:
            self._current = key
            self._task.follow(partial(registry.prepare, "auto", scheme, database))

    @property
    def running(self) -> bool:
        return self._task.busy

    def stop(self) -> None:
        self._task.stop()

    def shutdown(self) -> None:
        self._task.shutdown()

    def _show(self, event: tuple[int, int]) -> None:
        done, total = event
        self._label.setText(f"Preparing the GPU program: {done} of {total}" if done < total else "")

    def _fail(self, error: Exception) -> None:
        # A search that needs the same kernel will say it to the user.
        log.warning("The GPU program could not be prepared: %s", error)
        self._done.add(self._current or "")

    def _finish(self, stopped: bool) -> None:
        self._label.setText("")
        if not stopped and self._current is not None:
            self._done.add(self._current)
