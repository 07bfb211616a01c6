"""Stopping a command that runs: Ctrl+C, a request to end (SIGTERM) and a terminal that goes away (SIGHUP) are alike."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from swgui.core.control import RECEIVED, handling

BY_SIGNAL: Final = 128  # what shells add to the number of the signal that ended a program


@contextmanager
def interruptible() -> Iterator[None]:
    """Let every signal that asks for an end raise `KeyboardInterrupt`, so that unfinished files are removed."""
    RECEIVED.clear()
    with handling(signal.default_int_handler):
        yield


def signalled(status: int) -> int:
    """Return the exit status of a command that came to an end with `status`.

    That of the first signal, as shells count it, if one asked for the end and not all was done.
    """
    return BY_SIGNAL + RECEIVED[0] if status and RECEIVED else status


def interrupted() -> int:
    """Return the exit status of a command that was broken off: 130 for Ctrl+C."""
    return BY_SIGNAL + (RECEIVED[0] if RECEIVED else signal.SIGINT)
