"""Keeps what the user does to runs of the history, in the order in which it was done."""

from __future__ import annotations

import threading
from typing import Any

from swgui.history import History


class LayoutKeeper:
    """Holds the newest layout of each run until a worker has written it."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._waiting: dict[str, dict[str, Any]] = {}
        self._writing = threading.Lock()

    def put(self, run_id: str, layout: dict[str, Any]) -> None:
        """Take a layout in place of an older one of the run."""
        self._waiting[run_id] = layout

    def write(self) -> None:
        """Write what waits; one worker at a time, so that an older layout never comes last.

        Raises
        ------
        SwguiError, OSError
            If one cannot be written; it is not tried again.
        """
        with self._writing:
            while self._waiting:
                self._history.keep_layout(*self._waiting.popitem())
