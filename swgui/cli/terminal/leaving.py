"""The end of a command: the process ends when all is done, without taking the program apart first.

Python destroys every object of a process that ends, and a GPU's driver all that it holds there; the system does both in
a fraction of the time.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def leave(status: int) -> NoReturn:
    """End the process with a status, once other threads and whoever asked to be called at the end are done."""
    with suppress(KeyboardInterrupt):  # whoever asks again does not wait for threads
        threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter does first, too
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # whoever read it has gone, or there is none
            stream.flush()
    os._exit(status)
