"""Which devices compute: one record, made from text where text comes in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

CPU: Final = "cpu"  # its id beside those of GPUs


def device_ids(text: str) -> tuple[str, ...]:
    """Return the ids of devices in a text such as ``0,1,cpu``; empty text gives none."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def device_text(ids: Iterable[str]) -> str:
    """Return ids as settings files and the command line write them: separated by commas."""
    return ",".join(ids)


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """An engine, and which of its devices it uses.

    Parameters
    ----------
    engine : str
        Name in the registry of engines; ``auto`` for the fastest one that can be used.
    ids : tuple of str
        Ids of its devices, the CPU as ``cpu``; empty for the engine's own choice.
    """

    engine: str = "auto"
    ids: tuple[str, ...] = ()

    @property
    def automatic(self) -> bool:
        """Whether the program chooses the engine."""
        return self.engine == "auto"
