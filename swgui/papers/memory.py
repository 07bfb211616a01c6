"""Device memory of one pair, counted by what it is for."""

from __future__ import annotations

from typing import Any

from swgui.engines.cuda.card import Card


class CountedMemory:
    """What was allocated on a card for one pair.

    Attributes
    ----------
    used : dict of str to int
        Bytes by purpose.
    """

    def __init__(self, card: Card) -> None:
        self.card = card
        self.used: dict[str, int] = {}

    @property
    def used_bytes(self) -> int:
        return sum(self.used.values())

    def counted(self, purpose: str, array: Any) -> Any:
        """Count a device array under a purpose, and return it."""
        self.used[purpose] = self.used.get(purpose, 0) + array.nbytes
        return array
