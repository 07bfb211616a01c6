"""Whose turn it is on the devices of this computer, among processes: one run at a time, the oldest first."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from swgui import paths
from swgui.io.locking import lock

LOOK_SECONDS: Final = 0.1


@contextmanager
def turn(wait: Callable[[], object], mine: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Wait for the turn, and give it back at the end of the block, or of the program.

    Parameters
    ----------
    wait : callable
        Called while others have it; raises to give up.
    mine : callable
        Whether none that began to wait earlier still waits.
    """
    file = _opened()
    try:
        while file is not None and not (mine() and lock(file)):
            wait()
            time.sleep(LOOK_SECONDS)
        yield
    finally:
        if file is not None:
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
