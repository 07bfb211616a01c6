"""The event that every job tells: a step began, or went on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

PAUSED = "Paused"  # name of the stage in which a run is paused


class Stage(msgspec.Struct, frozen=True):
    """A step began: ``name`` is what the user reads, ``done`` and ``total`` count its units (0: unknown)."""

    name: str
    done: int = 0
    total: int = 0


def run_to_end(steps: Generator[Any, None, T], hear: Callable[[Any], object] = lambda event: None) -> T:
    """Run a job, let its events be heard, and return what it returns."""
    while True:
        try:
            hear(next(steps))
        except StopIteration as end:
            result: T = end.value
            return result
