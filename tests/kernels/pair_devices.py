"""Several made-up devices whose work is done later, in an unforeseen order.

Everything that is enqueued waits in its lane, as on a GPU. The first entry of a lane is done at any time, unless it
waits for a mark; lanes are preferred or forgotten for a while at random. So a mark that was forgotten shows as a wrong
result, and one that is never reached as a standstill. Kernels of one device whose bands wait for each other run in
the order of their launch.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swgui.engines.base import DeviceInfo
from swgui.engines.cuda.pair.wavefront.device import SENDING, Kernel
from swgui.engines.cuda.pair.wavefront.engine import WavefrontEngine
from tests.kernels.pair_on_cpu import CpuDevice

WAVEFRONT = "pair_wavefront"
STEPS_PER_LOOK = 5
SAME_ORDER = 40  # steps at most before other lanes are preferred


@dataclass
class Mark:
    reached: bool = False


@dataclass
class Item:
    """One thing to do: a call, or a mark that is waited for."""

    call: Callable[[], None] | None = None
    wait: Mark | None = None
    turn: int = -1  # number of a wavefront kernel among those of its device


@dataclass
class World:
    """All lanes of all devices."""

    random: np.random.Generator
    lanes: dict[tuple[int, int], deque[Item]] = field(default_factory=dict)
    launched: dict[int, int] = field(default_factory=dict)
    finished: dict[int, int] = field(default_factory=dict)
    switches: int = 0  # from one device to another
    last: int = -1
    ranks: dict[tuple[int, int], float] = field(default_factory=dict)
    until: int = 0  # steps before ranks change

    def ready(self) -> list[tuple[int, int]]:
        return [key for key, lane in self.lanes.items() if lane and self._can(key[0], lane[0])]

    def _can(self, device: int, item: Item) -> bool:
        if item.wait is not None:
            return item.wait.reached
        return item.turn < 0 or item.turn == self.finished.get(device, 0)

    def step(self) -> bool:
        ready = self.ready()
        if not ready:
            assert not any(self.lanes.values()), "everything waits, and nothing is being done"
            return False
        self.until -= 1
        if self.until < 0:
            self.until = int(self.random.integers(1, SAME_ORDER))
            self.ranks.clear()
        key = max(ready, key=lambda one: self.ranks.setdefault(one, float(self.random.random())))
        item = self.lanes[key].popleft()
        if item.call is not None:
            item.call()
        if item.turn >= 0:
            self.finished[key[0]] = item.turn + 1
            self.switches += self.last not in (key[0], -1)
            self.last = key[0]
        return True

    def run_until(self, over: Callable[[], bool]) -> None:
        while not over():
            self.step()


class QueuedDevice(CpuDevice):
    """A device in such a world."""

    def __init__(self, world: World, number: int, multiprocessors: int = 1, **options: bool) -> None:
        super().__init__(**options)
        self.world, self.number, self.multiprocessors = world, number, multiprocessors
        self.label = f"CPU #{number}"
        self._lane = [0]

    @contextmanager
    def at_work(self, lane: int = 0) -> Iterator[None]:
        self._lane.append(lane)
        try:
            yield
        finally:
            self._lane.pop()

    def _later(self, item: Item, lane: int | None = None) -> None:
        key = self.number, self._lane[-1] if lane is None else lane
        self.world.lanes.setdefault(key, deque()).append(item)

    def upload(self, host: np.ndarray) -> np.ndarray:
        array, kept = self.empty(len(host), host.dtype)[: len(host)], host.copy()
        self._later(Item(lambda: array.__setitem__(slice(None), kept)))
        return array

    def fill(self, array: np.ndarray, value: int) -> None:
        self._later(Item(lambda: array.fill(value)))

    def download(self, array: np.ndarray) -> np.ndarray:
        lane = self.number, self._lane[-1]
        self.world.run_until(lambda: not self.world.lanes.get(lane))
        return array.copy()

    def fetch(self, array: np.ndarray) -> tuple[np.ndarray, Mark]:
        host = np.full(len(array), 0x55, dtype=array.dtype)
        self._later(Item(lambda: host.__setitem__(slice(None), array)))
        return host, self.mark()

    def launch(self, kernel: Kernel, grid: int, *arguments: Any) -> None:
        turn = -1
        if kernel.name == WAVEFRONT:
            turn = self.world.launched.get(self.number, 0)
            self.world.launched[self.number] = turn + 1
        self._later(Item(lambda: CpuDevice.launch(self, kernel, grid, *arguments), turn=turn))

    def watch(self, counters: np.ndarray, cancel: threading.Event) -> Iterator[np.ndarray]:
        while not self.reached(None):
            if cancel.is_set():
                self.halt()
                self.settle()
                return
            yield counters.copy()

    def mark(self) -> Mark:
        mark = Mark()
        self._later(Item(lambda: setattr(mark, "reached", True)))
        return mark

    def wait_for(self, mark: Mark) -> None:
        self._later(Item(wait=mark))

    def reached(self, mark: Mark | None) -> bool:
        for _ in range(STEPS_PER_LOOK):
            if not self.world.step():
                break
        return mark.reached if mark is not None else not any(self.world.lanes.values())

    def send(self, source: np.ndarray, other: CpuDevice, target: np.ndarray, after: Sequence[Mark]) -> Mark:
        assert len(source) == len(target)
        with self.at_work(SENDING):
            for mark in after:
                self.wait_for(mark)
            self._later(Item(lambda: target.__setitem__(slice(None), source)))
            return self.mark()

    def settle(self) -> None:
        mine = [key for key in self.world.lanes if key[0] == self.number]
        self.world.run_until(lambda: not any(self.world.lanes[key] for key in mine))
        super().settle()


def several_engines(
    count: int, settings: Mapping[str, str] | None = None, *, seed: int = 1, multiprocessors: Sequence[int] = ()
) -> tuple[WavefrontEngine, World]:
    """The wavefront engine on several such devices."""
    world = World(np.random.default_rng(seed))
    widths = multiprocessors or (1,) * count
    devices = [QueuedDevice(world, number, width) for number, width in enumerate(widths)]
    infos = tuple(DeviceInfo(str(number), f"CPU {number}") for number in range(count))
    return WavefrontEngine(devices, infos, settings or {}), world
