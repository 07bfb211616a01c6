"""Resources that a long run may use up: memory, threads, open files, temporary files."""

from __future__ import annotations

import ctypes
import os
import statistics
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
WARM_SHARE = 1 / 3  # of the run; until then libraries load, caches fill and the allocator settles
FLAT = 0.02  # of the memory after warming up: what the slope may add until the end


@dataclass
class Meter:
    """Samples of this process, and what they say about leaks.

    Parameters
    ----------
    folder : Path
        Where the run keeps its files; they are counted, too.
    log : Path, optional
        Every sample is added to it as a line, so that a long run can be followed.
    """

    folder: Path
    log: Path | None = None
    began: float = field(default_factory=time.monotonic)
    samples: list[tuple[float, int, int, int, int, int]] = field(default_factory=list)

    def sample(self, rounds: int) -> None:
        """Note seconds, rounds, bytes in memory, threads, open files and files in the folder.

        Free memory in the C library's heap is given back first: it comes and goes in steps of megabytes, which are no
        leak. ``MALLOC_ARENA_MAX=1`` before the start leaves one heap, so that free pieces in several do not count.
        """
        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
        opened = len(os.listdir("/proc/self/fd"))
        files = sum(len(names) for _, _, names in os.walk(self.folder))
        seconds = time.monotonic() - self.began
        self.samples.append((seconds, rounds, resident, threading.active_count(), opened, files))
        if self.log:
            with open(self.log, "a", encoding="ascii") as file:
                file.write("\t".join(f"{value:.2f}" for value in self.samples[-1]) + "\n")

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.began

    def growth(self) -> float:
        """Bytes gained for each round after warming up: the slope of the robust line of Theil and Sen."""
        warm = self._warm()
        points = warm[:: max(1, len(warm) // 200)]
        slopes = [
            (later[2] - earlier[2]) / (later[1] - earlier[1])
            for at, earlier in enumerate(points)
            for later in points[at + 1 :]
            if later[1] > earlier[1]
        ]
        return statistics.median(slopes) if slopes else 0.0

    def gained(self) -> int:
        """Bytes between the medians of the first and the last third after warming up."""
        memory = [sample[2] for sample in self._warm()]
        third = max(1, len(memory) // 3)
        return int(statistics.median(memory[-third:]) - statistics.median(memory[:third]))

    def most(self, column: int) -> tuple[int, int]:
        """Return the highest count right after warming up, and the highest at the end."""
        counts = [int(sample[column]) for sample in self._warm()]
        third = max(1, len(counts) // 3)
        return max(counts[:third]), max(counts[-third:])

    def faults(self) -> list[str]:
        """Return the figures that are not flat, in words.

        Memory is flat if its slope after warming up adds at most 2 % until the end; threads and open files are flat if
        the last third has no more of them than the first.
        """
        warm = self._warm()
        memory = statistics.median(sample[2] for sample in warm)
        added = self.growth() * (warm[-1][1] - warm[0][1])
        found = [f"memory {added / memory:+.1%} after warming up"] if added > FLAT * memory else []
        for name, column in (("threads", 3), ("open files", 4)):
            before, after = self.most(column)
            found += [f"{name} from {before} to {after}"] if after > before else []
        return found

    def report(self) -> str:
        """Return the figures in lines."""
        threads, opened, files = (self.most(column) for column in (3, 4, 5))
        first, last = self.samples[0], self.samples[-1]
        return "\n".join(
            [
                f"{last[1]} rounds in {last[0]:.0f} s",
                f"memory: {first[2] / 2**20:.1f} MiB at the start, {last[2] / 2**20:.1f} MiB at the end; "
                f"after warming up {self.gained() / 2**20:+.2f} MiB, {self.growth():+.1f} bytes for each round",
                f"threads: {threads[0]} after warming up, {threads[1]} at the end",
                f"open files: {opened[0]} after warming up, {opened[1]} at the end",
                f"files kept: {files[0]} after warming up, {files[1]} at the end",
            ]
        )

    def _warm(self) -> list[tuple[float, int, int, int, int, int]]:
        return self.samples[int(len(self.samples) * WARM_SHARE) :]
