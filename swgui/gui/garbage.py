"""Collection of cyclic garbage in the window's thread, and in no other.

Python collects in whichever thread happens to allocate, and widgets are often parts of cycles. PySide destroys them
in the thread that collects, which Qt does not allow: a search that reads a file could take a closed dialog apart
while the window draws, and the program would end without a word.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pyqtgraph.util.garbage_collector import GarbageCollector

SECONDS = 0.5  # between two looks at how much there is to collect


@contextmanager
def collected_here() -> Iterator[GarbageCollector]:
    """Let only the calling thread collect, by a timer of its event loop; afterwards all is as it was before."""
    automatic = gc.isenabled()
    collector = GarbageCollector(SECONDS)
    try:
        yield collector
    finally:
        collector.timer.stop()
        gc.unfreeze()
        if automatic:
            gc.collect()  # or the next thread that allocates takes apart what is left
            gc.enable()


def keep_what_is() -> None:
    """Look no more at the objects that exist, such as modules: a whole collection then takes a fraction of its time."""
    gc.freeze()
