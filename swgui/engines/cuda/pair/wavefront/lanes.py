"""Work that goes on beside other work: generators in lanes of one device or several, moved on in turn by one thread.

A generator yields the mark that it waits for, so that whoever waits costs no more than a look at it; or None.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from swgui.engines.cuda.pair.wavefront.device import Device

Work = Generator[Any, None, Any]


@dataclass(eq=False)
class _Job:
    work: Work
    then: Callable[[Any], None]
    kind: str
    lane: int
    mark: Any = None


class Lanes:
    """Runs generators that yield while their device is at work.

    Parameters
    ----------
    devices : sequence of Device
    kinds : dict of str to int
        How many generators of each kind go on beside each other on a device.
    first : int
        Number of the first lane.
    """

    def __init__(self, devices: Sequence[Device], kinds: dict[str, int], first: int = 1) -> None:
        self._devices = devices
        self._free: dict[str, list[list[int]]] = {kind: [] for kind in kinds}
        for kind, count in kinds.items():
            self._free[kind] = [list(range(first, first + count)) for _ in devices]
            first += count
        self._waiting: dict[str, deque[tuple[Callable[[int], Work], Callable[[Any], None]]]]
        self._waiting = {kind: deque() for kind in kinds}
        self._jobs: list[list[_Job]] = [[] for _ in devices]
        self._at_work = dict.fromkeys(kinds, 0)
        self._ready = []  # marks of what was uploaded for all lanes
        for device in devices:
            with device.at_work():
                self._ready.append(device.mark())

    def begin(self, kind: str, make: Callable[[int], Work], then: Callable[[Any], None]) -> None:
        """Begin a generator as soon as there is a lane for it.

        Parameters
        ----------
        make : callable
            Given the number of a device, returns the generator.
        then : callable
            Is given what the generator returns.
        """
        self._waiting[kind].append((make, then))

    def busy(self, kind: str) -> int:
        """How many of a kind are at work or wait."""
        return self._at_work[kind] + len(self._waiting[kind])

    def turn(self) -> bool:
        """Let each generator go on that waits for no mark; returns whether one did anything."""
        moved = self._fill()
        for number, (device, jobs) in enumerate(zip(self._devices, self._jobs, strict=True)):
            for job in list(jobs):
                if job.mark is not None and not device.reached(job.mark):
                    continue
                try:
                    with device.at_work(job.lane):
                        job.mark = next(job.work)
                    moved = moved or job.mark is not None
                except StopIteration as end:
                    moved = True
                    jobs.remove(job)
                    self._at_work[job.kind] -= 1
                    self._free[job.kind][number].append(job.lane)
                    job.then(end.value)
        return moved

    def close(self) -> None:
        """End what is still at work; all devices are told before one is waited for."""
        at_work = [device for device, jobs in zip(self._devices, self._jobs, strict=True) if jobs]
        for device in at_work:
            device.halt()
        for device in at_work:
            device.settle()
        for jobs in self._jobs:
            for job in jobs:
                job.work.close()
            jobs.clear()
        self._at_work = dict.fromkeys(self._at_work, 0)
        for queue in self._waiting.values():
            queue.clear()

    def _fill(self) -> bool:
        """Give free lanes to what waits; of several devices to the one that has most to spare."""
        begun = False
        for kind, queue in self._waiting.items():
            free = self._free[kind]
            while queue and any(free):
                number = max(range(len(free)), key=lambda one: len(free[one]))
                make, then = queue.popleft()
                lane = free[number].pop()
                with self._devices[number].at_work(lane):
                    self._devices[number].wait_for(self._ready[number])
                self._at_work[kind] += 1
                self._jobs[number].append(_Job(make(number), then, kind, lane))
                begun = True
        return begun
