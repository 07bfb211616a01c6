"""Collection of cyclic garbage in the window's thread, and in no other.

Python collects in whichever thread happens to allocate, and widgets are often parts of cycles. PySide destroys them
in the thread that collects, which Qt does not allow: a search that reads a file could take a closed dialog apart
while the window draws, and the program would end without a message. pyqtgraph has a collector for this too; its rules
leave garbage for a minute and more, which 20 searches a second turn into tens of megabytes.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500
SHARE = 1 / 200  # maximum share of the time for collections of all objects, which block the window longest


class Collector(QObject):
    """Collects in the thread it was made in, by a timer of its event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._next_whole = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.check)
        self._timer.start(INTERVAL_MS)

    def check(self) -> None:
        """Collect if more than a few objects were made since the last time; old ones less often."""
        if gc.get_count()[0] <= gc.get_threshold()[0]:
            return
        began = time.perf_counter()
        if began < self._next_whole:
            gc.collect(1)
            return
        gc.collect()
        ended = time.perf_counter()
        self._next_whole = ended + (ended - began) / SHARE

    def stop(self) -> None:
        self._timer.stop()


@contextmanager
def collected_here() -> Iterator[Collector]:
    """Let only the calling thread collect; afterwards all is as it was before."""
    automatic = gc.isenabled()
    gc.disable()
    collector = Collector()
    try:
        yield collector
    finally:
        collector.stop()
        gc.unfreeze()
        if automatic:
            gc.collect()  # or the next thread that allocates collects the rest
            gc.enable()


def keep_what_is() -> None:
    """Exclude the existing objects, such as modules, from collections: a whole collection then takes much less time."""
    gc.freeze()
