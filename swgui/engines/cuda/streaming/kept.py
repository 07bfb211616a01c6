"""Packed residues that stay on a device from one search to the next, and page-locked room for those on their way."""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.gpu import Gpu

STEP: Final = 1 << 24  # bytes that sizes of large buffers are multiples of: so that they are of use for others


def rounded(size: int, itemsize: int = 1) -> int:
    """Return a number of elements that is some more, which fewer sizes of buffers have."""
    wanted = size * itemsize
    step = STEP if wanted > STEP else 1 << max(wanted - 1, 0).bit_length()
    return -(-wanted // step) * step // itemsize


class KeptResidues:
    """Packed residues of pieces of one database on a device, for several threads, as many as there is room for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, tuple[Any, Any]] = {}
        self._left = 0

    def holds(self, key: str) -> bool:
        """Whether a piece is here."""
        return key in self._held

    def get(self, key: str) -> tuple[Any, Any] | None:
        """Return the residues of a piece, and the event after which they are there; None if they are not here."""
        return self._held.get(key)

    def keep(self, key: str, residues: Any, ready: Any, room: int) -> None:
        """Keep those of a piece if there is room; of other databases than its own nothing is kept any more.

        Parameters
        ----------
        room : int
            Bytes that all pieces may take, where nothing is kept so far.
        """
        with self._lock:
            if not self._held or next(iter(self._held)).split()[0] != key.split()[0]:
                self._held.clear()
                self._left = room
            if residues.nbytes <= self._left:
                self._left -= residues.nbytes
                self._held[key] = residues, ready

    def clear(self) -> None:
        """Give all of it back."""
        with self._lock:
            self._held.clear()


class LockedRoom:
    """Page-locked memory that arrays are sent through, one after the other."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._array: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._free: Any = None

    def room(self, size: int) -> NDArray[np.uint8]:
        """Return room for so many bytes; waits until what was sent before has arrived."""
        if self._free is not None:
            self._free.synchronize()
        if len(self._array) < size:
            self._array = self._gpu.host_array(rounded(size), np.uint8)
        return self._array[:size]

    def sent(self, event: Any) -> None:
        """Say when what was put there has arrived."""
        self._free = event
