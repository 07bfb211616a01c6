"""How busy the CPU is, and what this program takes of it and of the main memory: for the speed dock."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from swgui.engines.monitor import Reading

_STATM: Final = Path("/proc/self/statm")
_CPUINFO: Final = Path("/proc/cpuinfo")
_STAT: Final = Path("/proc/stat")
_IDLE: Final = (3, 4)  # idle and waiting for disks, among the numbers of the first line of _STAT
_TIMES: Final = 8  # those behind are counted among these
_SHARED_FROM: Final = 0.25  # of the CPU; what other programs take from here on slows a search
_OTHERS: Final = "other programs keep the CPU busy"


class HostMonitor:
    """Watches this process.

    Parameters
    ----------
    cores : int
        That it may use.
    memory : int
        Bytes of the computer; 0 if unknown.
    """

    def __init__(self, cores: int, memory: int) -> None:
        self._cores = max(1, cores)
        self._memory = memory
        self._last = (time.perf_counter(), _cpu_seconds())
        self._ticks = _ticks()

    def read(self) -> Reading:
        """Return how busy the cores were since the last reading, and what memory this process holds.

        Where the system does not tell what all programs take, `busy` is the share of this one.
        """
        now, spent = time.perf_counter(), _cpu_seconds()
        before, spent_before = self._last
        self._last = now, spent
        passed = now - before
        own = min(1.0, (spent - spent_before) / (passed * self._cores)) if passed > 0 else -1.0
        busy = self._of_machine()
        return Reading(
            busy=max(busy, own) if busy >= 0 else own,
            memory_used=_resident_bytes(),
            memory=self._memory if self._memory else -1,
            clock=_clock(),
            slowed=(_OTHERS,) if 0 <= own < busy - _SHARED_FROM else (),
            own=own,
        )

    def _of_machine(self) -> float:
        """Return how busy all cores were since the last reading; -1 where the system does not tell."""
        before, now = self._ticks, _ticks()
        self._ticks = now
        if not before or not now or sum(now) <= sum(before):
            return -1.0
        idle = sum(now[at] - before[at] for at in _IDLE)
        return min(1.0, max(0.0, 1 - idle / (sum(now) - sum(before))))


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system


def _ticks() -> tuple[int, ...]:
    """Return what all cores did since the computer was started, in ticks by kind; empty if the system is silent."""
    try:
        numbers = _STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1 : 1 + _TIMES]
        found = tuple(map(int, numbers))
    except (OSError, ValueError):
        return ()
    return found if len(found) > max(_IDLE) else ()


def _resident_bytes() -> int:
    """Return the memory this process holds; -1 where the system does not tell."""
    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return -1


def _clock() -> float:
    """Return the mean MHz of all cores; -1 where the system does not tell."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
        clocks = [float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")]
    except (OSError, ValueError):
        return -1.0
    return sum(clocks) / len(clocks) if clocks else -1.0
