"""The end of a command: signals that ask for it, exit statuses, and the end of the process."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

from swgui.core.signals import RECEIVED, handling

BROKEN_PIPE: Final = 141  # exit status of a program that SIGPIPE ended, as shells count it
BY_SIGNAL: Final = 128  # number that shells add to that of the signal that ended a program


def leave(status: int) -> NoReturn:
    """End the process with a status, once other threads and functions for the end are done.

    Python would destroy every object, and a GPU's driver all that it holds; the system does it in much less time.
    """
    with suppress(KeyboardInterrupt):  # a second request does not wait for threads
        threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter does first, too
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the reader has gone, or there is none
            stream.flush()
    os._exit(status)


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
