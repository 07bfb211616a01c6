"""Stopping a command that runs: Ctrl+C, a request to end (SIGTERM) and a terminal that goes away (SIGHUP) are alike."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from swgui.core.control import handling


@contextmanager
def interruptible() -> Iterator[None]:
    """Let every signal that asks for an end raise `KeyboardInterrupt`, so that unfinished files are removed."""
    with handling(signal.default_int_handler):
        yield
