"""Stop and pause of something that runs."""

from __future__ import annotations

import threading
import time

POLL_SECONDS = 0.05


class RunControl(threading.Event):
    """Set to stop, as any event; besides, it can hold a run up between two chunks.

    Holding up frees nothing: buffers and databases stay where they are, so that the run goes on at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held = threading.Event()

    @property
    def held(self) -> bool:
        """Whether the run is to rest."""
        return self._held.is_set() and not self.is_set()

    def hold(self) -> None:
        """Let the run rest before its next chunk."""
        self._held.set()

    def go_on(self) -> None:
        """Let the run go on."""
        self._held.clear()

    def rest(self) -> float:
        """Wait while the run is held up and not stopped; return the seconds that took."""
        began = time.perf_counter()
        while self.held:
            self.wait(POLL_SECONDS)
        return time.perf_counter() - began
