"""How busy the CPU is, and what this program takes of it and of the main memory: for the speed dock."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from swgui.engines.monitor import Reading

_SHARED_FROM: Final = 0.25  # of the CPU; what other programs take from here on slows a search
_OTHERS: Final = "other programs keep the CPU busy"


class HostMonitor:
    """Watches this process.

    Parameters
    ----------
    cores : int
        That it may use.
    memory : int
        Bytes of the computer; 0 if unknown: then the system is asked.
    """

    def __init__(self, cores: int, memory: int) -> None:
        import psutil  # here: the first picture of the window has no use for it

        self._cores = max(1, cores)
        self._memory = memory or psutil.virtual_memory().total
        self._process = psutil.Process()
        self._last = (time.perf_counter(), self._cpu_seconds())
        self._ticks = _ticks()

    def read(self) -> Reading:
        """Return how busy the cores were since the last reading, and what memory this process holds."""
        now, spent = time.perf_counter(), self._cpu_seconds()
        before, spent_before = self._last
        self._last = now, spent
        passed = now - before
        own = min(1.0, (spent - spent_before) / (passed * self._cores)) if passed > 0 else -1.0
        busy = self._of_machine()
        return Reading(
            busy=max(busy, own) if busy >= 0 else own,
            memory_used=self._process.memory_info().rss,
            memory=self._memory,
            clock=_clock(),
            slowed=(_OTHERS,) if 0 <= own < busy - _SHARED_FROM else (),
            own=own,
        )

    def _cpu_seconds(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)

    def _of_machine(self) -> float:
        """Return how busy all cores were since the last reading; -1 if that was a moment ago."""
        (idle_before, all_before), (idle, total) = self._ticks, _ticks()
        self._ticks = idle, total
        if total <= all_before:
            return -1.0
        return min(1.0, max(0.0, 1 - (idle - idle_before) / (total - all_before)))


def _ticks() -> tuple[float, float]:
    """Return for how many seconds all cores were idle since the computer was started, and all seconds."""
    import psutil

    times = psutil.cpu_times()
    counted_twice = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # in user and nice, too
    return times.idle + getattr(times, "iowait", 0.0), sum(times) - counted_twice


def _clock() -> float:
    """Return the mean MHz of all cores; -1 where the system does not tell."""
    import psutil

    with suppress(OSError, RuntimeError, NotImplementedError, AttributeError):
        if (clock := psutil.cpu_freq()) is not None:
            return float(clock.current)
    return -1.0
