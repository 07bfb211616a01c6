"""Shares of the time of a run: one trace for callers that ask for it, no cost for all others.

The rooms mark their work with `part`; a caller that wants the times makes a trace with `tracing`. Nested parts count
once, by the innermost. A part that waits for a thread of an engine does not count the time of that thread.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter
from typing import Final, TypeVar

T = TypeVar("T")

PARTS: Final = ("import", "open", "compile", "upload", "scan", "rank", "align", "format", "write")
OTHER: Final = "other"  # outside all of them
_UNTIMED: Final = nullcontext()
_active: PhaseTimer | None = None


class _End:
    """Stands behind the last value of an iteration."""


_END: Final = _End()


class _Open:
    """A part in progress, of one thread."""

    __slots__ = ("_name", "_thread", "_timer", "began", "within")

    def __init__(self, timer: PhaseTimer, name: str) -> None:
        self._timer, self._name, self._thread = timer, name, threading.get_ident()
        self.within = 0.0  # seconds that parts inside it took

    def __enter__(self) -> None:
        self.began = perf_counter()
        self._timer.open(self, self._thread)

    def __exit__(self, *exception: object) -> None:
        self._timer.close(self, self._thread, self._name)


class PhaseTimer:
    """Seconds of the parts of a run.

    Parameters
    ----------
    before : float
        Seconds that the start of the program took.
    """

    def __init__(self, before: float = 0.0) -> None:
        self._began = perf_counter() - before
        self._seconds = dict.fromkeys(PARTS, 0.0)
        self._seconds["import"] += before
        self._lock = threading.Lock()
        self._open: dict[int, list[_Open]] = {}  # by thread, the innermost last
        self._owner = threading.get_ident()

    def part(self, name: str) -> AbstractContextManager[None]:
        """Count the time inside for a part; one of `PARTS`."""
        return _Open(self, name)

    def open(self, this: _Open, thread: int) -> None:
        """Begin a part."""
        with self._lock:
            self._open.setdefault(thread, []).append(this)

    def close(self, this: _Open, thread: int, name: str) -> None:
        """End a part."""
        took = perf_counter() - this.began
        with self._lock:
            self._open[thread].remove(this)
            self._seconds[name] += max(0.0, took - this.within)
            waiting = self._open[thread] or self._open.get(self._owner)
            if waiting:
                waiting[-1].within += took

    def seconds(self) -> dict[str, float]:
        """Return the seconds of every part so far, those of `OTHER` last; their sum is the time of the run."""
        with self._lock:
            seconds = dict(self._seconds)
        return seconds | {OTHER: max(0.0, perf_counter() - self._began - sum(seconds.values()))}

    def text(self) -> str:
        """Return all parts that took any time, as one line."""
        seconds = self.seconds()
        parts = [f"{name} {value:.3f}" for name, value in seconds.items() if value >= 0.0005]
        return f"time in seconds: {', '.join(parts)}; {sum(seconds.values()):.3f} in all."


def read_parts(text: str) -> dict[str, float]:
    """Return the seconds that `PhaseTimer.text` says, by part; nothing if it is not in the text."""
    said = re.search(r"time in seconds: ([a-z]+ [0-9.]+(?:, [a-z]+ [0-9.]+)*);", text)
    words = (part.split() for part in said[1].split(", ")) if said else ()
    return {name: float(seconds) for name, seconds in words}


@contextmanager
def tracing(before: float = 0.0) -> Iterator[PhaseTimer]:
    """Make a trace of this program's work in the block; `before` as for `PhaseTimer`."""
    global _active
    outer, made = _active, PhaseTimer(before)
    _active = made
    try:
        yield made
    finally:
        if _active is made:  # one that began later continues
            _active = outer


def part(name: str) -> AbstractContextManager[None]:
    """Count the time inside for a part, one of `PARTS`, if a trace is active."""
    return _UNTIMED if _active is None else _active.part(name)


def parted(name: str, values: Iterable[T]) -> Iterator[T]:
    """Yield values, and count the time that it takes to make them."""
    made = iter(values)
    while True:
        with part(name):
            value = next(made, _END)
        if isinstance(value, _End):
            return
        yield value
