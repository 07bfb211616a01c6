"""One long piece of work at a time that tells how far it is and can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QProgressBar

from swgui.gui.kit.tasks.jobs import ShortJobs

T = TypeVar("T")
Tell = Callable[[int, int, str], None]  # done, total (0: not known), what to say
INTERVAL_MS = 100  # between two looks at how far it is
STEPS = 1_000  # Qt's integers have 32 bits, files may have more bytes


class Work(QObject):
    """Runs a function on a thread of its own; there is never more than one.

    Work that was stopped stays here until its function has returned, so that nothing starts beside it.

    Signals
    -------
    changed()
        Work began, is being stopped, or ended.
    progressed(int, str)
        Thousandths done, -1 if not known, and what to say.
    """

    changed = Signal()
    progressed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = ShortJobs(self, threads=1)
        self._cancel: threading.Event | None = None
        self._told: tuple[int, str] | None = None  # written by the function's thread, taken by the window's
        self._passed_on: tuple[int, str] | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(INTERVAL_MS)
        self._clock.timeout.connect(self._pass_on)
        self.title = ""

    @property
    def busy(self) -> bool:
        """Whether a function runs."""
        return self._cancel is not None

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._cancel is not None and self._cancel.is_set()

    def start(
        self,
        title: str,
        function: Callable[[Tell, threading.Event], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> bool:
        """Run `function`, then `done` or `failed` on the window's thread; False if something runs already."""
        if self.busy:
            return False
        cancel = threading.Event()

        def tell(at: int, total: int, text: str = "") -> None:
            self._told = (round(STEPS * at / total) if total else -1, text)

        self._cancel, self.title, self._told = cancel, title, None
        self._clock.start()
        self._jobs.submit(
            "work", lambda: function(tell, cancel), lambda made: self._end(done, made), lambda e: self._end(failed, e)
        )
        self.changed.emit()
        return True

    def stop(self) -> None:
        """Ask the function to stop; its `failed` is called when it has."""
        if self._cancel is not None and not self._cancel.is_set():
            self._cancel.set()
            self.changed.emit()

    def shutdown(self) -> None:
        """Stop what runs and wait for it; nothing is called afterwards."""
        if self._cancel is not None:
            self._cancel.set()
        self._clock.stop()
        self._jobs.shutdown()

    def _end(self, callback: Callable[[T], None], value: T) -> None:
        self._clock.stop()
        self._cancel = None
        self.changed.emit()
        callback(value)

    def _pass_on(self) -> None:
        told = self._told
        if told is not None and told is not self._passed_on:
            self._passed_on = told
            self.progressed.emit(*told)


def show_share(bar: QProgressBar, share: int) -> None:
    """Set a bar to thousandths done; to and fro if they are not known."""
    bar.setRange(0, STEPS if share >= 0 else 0)
    if share >= 0:
        bar.setValue(share)
