"""Stop and pause of something that runs."""

from __future__ import annotations

import threading
import time

POLL_SECONDS = 0.05


class RunControl(threading.Event):
    """Set to stop, as any event; besides, it can pause a run between two chunks.

    A pause frees nothing: buffers and databases stay where they are, so that the run resumes at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._paused = threading.Event()

    @property
    def paused(self) -> bool:
        """Whether the run is to pause; never after it was told to stop."""
        return self._paused.is_set() and not self.is_set()

    def pause(self) -> None:
        """Let the run pause before its next chunk."""
        self._paused.set()

    def resume(self) -> None:
        """End the pause."""
        self._paused.clear()

    def wait_while_paused(self) -> float:
        """Wait until the pause ends or the run is stopped; return the seconds that took."""
        began = time.perf_counter()
        while self.paused:
            self.wait(POLL_SECONDS)
        return time.perf_counter() - began
