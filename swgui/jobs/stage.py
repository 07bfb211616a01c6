"""The event that every job tells: a step began, or went on."""

from __future__ import annotations

from dataclasses import dataclass

PAUSED = "Paused"  # name of the stage in which a run is paused


@dataclass(frozen=True, slots=True)
class Stage:
    """A step began: ``name`` is what the user reads, ``done`` and ``total`` count its units (0: unknown)."""

    name: str
    done: int = 0
    total: int = 0
