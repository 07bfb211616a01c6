"""The event that every job tells: a step began, or went on."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

PAUSED = "Paused"  # name of the stage in which a run is paused


class Stage(msgspec.Struct, frozen=True):
    """A step began: ``name`` is what the user reads, ``done`` and ``total`` count its units (0: unknown)."""

    name: str
    done: int = 0
    total: int = 0


def run_to_end(steps: Generator[Any, None, T]) -> T:
    """Run a job whose events nobody asks for, and return what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
