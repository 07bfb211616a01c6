"""Memory of the host with locked pages, which devices copy from by themselves."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np


class LockedMemory(mmap.mmap):
    """Memory of the host from which devices copy without a core, and into which files are read past the cache.

    Memory that CUDA allocates cannot be used: some systems refuse to read files into it.
    """

    _release: Callable[[], None] | None = None

    def lock(self, cupy: Any) -> None:
        """Lock its pages for all devices; where the system refuses, it stays ordinary memory.

        Large pages that are there already are locked five times as fast, and several threads fetch them side by side.
        """
        runtime, pages = cupy.cuda.runtime, np.frombuffer(self, np.uint8)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a system without large pages
                self.madvise(mmap.MADV_HUGEPAGE)
        pages[:: mmap.PAGESIZE] = 0
        address = pages.ctypes.data
        with suppress(runtime.CUDARuntimeError):
            runtime.hostRegister(address, len(self), 1)
            self._release = partial(runtime.hostUnregister, address)

    def __del__(self) -> None:
        if self._release is not None:
            with suppress(Exception):  # the driver may be gone when Python ends
                self._release()
