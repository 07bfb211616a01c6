"""Whose turn it is on the devices of this computer, among processes: one run at a time, the oldest first.

A run that is paused gives its turn to the next one, and waits for it again when it continues.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from swgui import paths
from swgui.core.control import RunControl
from swgui.io.locking import lock

LOOK_SECONDS: Final = 0.1


class TurnControl(RunControl):
    """Stops and pauses a run, which has its turn on the devices only while it computes.

    Parameters
    ----------
    waits : callable, optional
        Called while others have the turn.
    comes : callable, optional
        Called once the run has its turn.
    mine : callable, optional
        Whether no run that began to wait earlier still waits.
    """

    def __init__(
        self,
        waits: Callable[[], object] = lambda: None,
        comes: Callable[[], object] = lambda: None,
        mine: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__()
        self._waits, self._comes, self._mine = waits, comes, mine
        self._taking = threading.Lock()  # a run may pause in several threads
        self._file: IO[bytes] | None = None  # locked while the run has its turn

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn, and give it back at the end of the block, or of the program; without it after Stop."""
        self._take()
        try:
            yield
        finally:
            self._give()

    def wait_while_paused(self) -> float:
        """Give the turn to others until the pause ends, and wait for it again; return the seconds that took."""
        if not self.paused:
            return 0.0
        began = time.perf_counter()
        self._give()
        super().wait_while_paused()
        self._take()
        return time.perf_counter() - began

    def _give(self) -> None:
        with self._taking:
            file, self._file = self._file, None
            if file is not None:
                file.close()

    def _take(self) -> None:
        with self._taking:
            if self._file is not None or (file := _opened()) is None:
                return
            while not self.is_set():
                if self._mine() and lock(file):
                    self._file = file
                    self._comes()
                    return
                self._waits()
                self.wait(LOOK_SECONDS)
            file.close()


def _opened() -> IO[bytes] | None:
    """Return the open file of the turn; None where there can be none: nothing waits then."""
    place = paths.data_dir() / "remote" / "turn"
    try:
        paths.make_folder(place.parent)
        return os.fdopen(os.open(place, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
    except OSError:
        return None


def held(path: Path) -> bool:
    """Whether a program holds the lock of a file."""
    try:
        with open(path, "r+b") as file:
            return not lock(file)
    except OSError:
        return False
