"""What this program takes of the CPU and the main memory: for the speed dock where there is no GPU."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from swgui.engines.monitor import Reading

_STATM: Final = Path("/proc/self/statm")
_CPUINFO: Final = Path("/proc/cpuinfo")


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

    def read(self) -> Reading:
        """Return how busy the cores were since the last reading, and what memory this process holds."""
        now, spent = time.perf_counter(), _cpu_seconds()
        before, spent_before = self._last
        self._last = now, spent
        passed = now - before
        busy = min(1.0, (spent - spent_before) / (passed * self._cores)) if passed > 0 else -1.0
        return Reading(
            busy=busy, memory_used=_resident_bytes(), memory=self._memory if self._memory else -1, clock=_clock()
        )


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system


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
