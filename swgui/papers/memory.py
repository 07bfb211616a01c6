"""Device memory of one pair, counted by purpose."""

from __future__ import annotations

from typing import Any

from swgui.engines.cuda.gpu import Gpu


class CountedMemory:
    """Allocations on a GPU for one pair."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.used: dict[str, int] = {}

    @property
    def used_bytes(self) -> int:
        return sum(self.used.values())

    def counted(self, purpose: str, array: Any) -> Any:
        """Count a device array under a purpose, and return it."""
        self.used[purpose] = self.used.get(purpose, 0) + array.nbytes
        return array
