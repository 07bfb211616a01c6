"""Stopping a command that runs: Ctrl+C, a request to end (SIGTERM) and a terminal that goes away (SIGHUP) are alike."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from swgui.core.control import handling


@contextmanager
def interruptible() -> Iterator[None]:
    """Let every signal that asks for an end raise `KeyboardInterrupt`, so that unfinished files are removed."""
    with handling(signal.default_int_handler):
        yield


@contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Turn the first signal that asks for an end into a stop that keeps what was scored; the second ends all."""
    cancel = threading.Event()

    def stop(signum: int, frame: FrameType | None) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    with handling(stop):
        yield cancel
