"""Residues of packed databases that stay on a device from one search to the next."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from swgui.engines.cuda.streaming.tuning import TUNING


def rounded(size: int, itemsize: int = 1) -> int:
    """Return a number of elements that is some more, which fewer sizes of buffers have."""
    wanted = size * itemsize
    step = TUNING.buffer_step if wanted > TUNING.buffer_step else 1 << max(wanted - 1, 0).bit_length()
    return -(-wanted // step) * step // itemsize


@dataclass(frozen=True, slots=True, eq=False)
class DeviceResidues:
    """Packed residues of a piece on a device."""

    words: Any  # bytes of residues, then of runs
    runs: int  # stretches of letters that two bits leave out
    begin: int  # of these in `words`
    ready: Any  # the event after which all is there


class KeptResidues:
    """Residues of pieces of one database on a device, for several threads, as many as there is room for.

    They are kept as kernels read them as long as all others still fit as they are packed, then packed as well.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, Any] = {}
        self._left = 0  # bytes
        self._residues = 0  # of all that is kept

    def holds(self, key: str) -> bool:
        """Whether a piece is here."""
        return key in self._held

    def get(self, key: str) -> Any:
        """Return the residues of a piece; None if they are not here."""
        return self._held.get(key)

    def has_room(self, key: str, residues: int, of_all: int, sizes: tuple[int, int], room: int) -> bool:
        """Whether a piece may be kept laid out; of other databases than its own nothing is kept any more.

        Parameters
        ----------
        residues, of_all : int
            Those of the piece, and of its database.
        sizes : (int, int)
            Bytes of the piece laid out, and packed.
        room : int
            Bytes that there are, where nothing is kept so far.
        """
        with self._lock:
            if not self._held or next(iter(self._held)).split()[0] != key.split()[0]:
                self._held.clear()
                self._left, self._residues = room, 0
            rest = max(of_all - self._residues - residues, 0) * sizes[1] // max(residues, 1)
            return TUNING.pieces_at_once * sizes[0] + rest <= self._left

    def keep(self, key: str, residues: Any, size: int, count: int) -> None:
        """Keep so many residues of a piece if there is room for their bytes."""
        with self._lock:
            if size <= self._left and key not in self._held:
                self._left -= size
                self._residues += count
                self._held[key] = residues

    def clear(self) -> None:
        """Give all of it back."""
        with self._lock:
            self._held.clear()
