"""The events of a run: one set for every kind of run.

A run is a generator of events. It tells its steps (`Stage`), how long it will take (`Foretold`), how far it is
(`Progress`) and parts of what it finds (`Found`); its last event is `Finished`, also after Stop, with all that was
found by then. A kind of run that tells more derives its events from these, so that listeners which know only these can
follow every run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar, overload

import msgspec

T = TypeVar("T")

PAUSED: Final = "Paused"  # name of the stage in which a run is paused
SCORING: Final = "Scoring"
SHORT_CELLS: Final = 10**10  # fewer take no time that is worth an estimate
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Stage(msgspec.Struct, frozen=True):
    """A step began or is under way: ``name`` is for the user, ``done`` and ``total`` count its units (0: unknown)."""

    name: str
    done: int = 0
    total: int = 0


class Progress(msgspec.Struct, frozen=True):
    """The main work of a run proceeds.

    Parameters
    ----------
    done, total : int
        Units of work; ``total`` is 0 where it is unknown.
    seconds : float
        Wall time since this work began, pauses left out.
    device_done, device_seconds : Mapping of str to int or float
        Units done, and time computed, by each device so far; empty where it is not measured.
    stage : str
        What the user reads.
    unit : str
        What is counted: ``cells`` (of the matrices), ``residues``, ``settings``.
    """

    done: int
    total: int
    seconds: float
    device_done: Mapping[str, int] = _NOTHING
    device_seconds: Mapping[str, float] = _NOTHING
    stage: str = SCORING
    unit: str = "cells"

    @property
    def fraction(self) -> float | None:
        """Share of the work that is done, 0 to 1; None where the total is unknown."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """Time left by the mean speed so far; None at the beginning."""
        if not self.total or self.done <= 0 or self.seconds <= 0:
            return None
        return (self.total - self.done) * self.seconds / self.done


class Foretold(msgspec.Struct, frozen=True):
    """The run takes long: ``sentence`` says how long, before its work begins (`swgui.jobs.forecast`)."""

    sentence: str


class Found(msgspec.Struct, frozen=True, eq=False):
    """Part of the outcome is known; each kind of run has its own."""


class Finished(msgspec.Struct, frozen=True, eq=False):
    """The run ended, completely, by Stop or by a fault; ``outcome`` has what was found and says which it was."""

    outcome: Any


Event = Stage | Foretold | Progress | Found | Finished


def finishing(steps: Generator[Any, None, Any]) -> Iterator[Any]:
    """Yield the events of steps, then `Finished` with what they return; without it if that is None."""
    if (outcome := (yield from steps)) is not None:
        yield Finished(outcome)


@overload
def run_to_end(steps: Generator[Any, None, T], hear: Callable[[Any], object] = ...) -> T: ...


@overload
def run_to_end(steps: Iterator[Any], hear: Callable[[Any], object] = ...) -> Any: ...


def run_to_end(steps: Iterator[Any], hear: Callable[[Any], object] = lambda event: None) -> Any:
    """Run a generator of events to its end and pass each event to ``hear``.

    Returns
    -------
    object
        The generator's value; the outcome of its `Finished` if it has none; None if it ended without either.
    """
    outcome = None
    while True:
        try:
            event = next(steps)
        except StopIteration as end:
            return outcome if end.value is None else end.value
        if isinstance(event, Finished):
            outcome = event.outcome
        hear(event)
