"""Scans of a database on one GPU, by the program's kernel or a published one: buffers, launches, short memory.

Several scans are under way at once, so that the next begins while the last blocks of threads of one still work.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase
from swgui.core.errors import OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkPlan
from swgui.core.scoring import EncodedQuery
from swgui.engines.cuda.gpu import Gpu

COUNTERS: Final = 64  # launches that can be under way in one slot

Plan = TypeVar("Plan")
Owner = TypeVar("Owner", bound="ScanOwner")
TakeChunk = Callable[[], ChunkPlan | None]


class Slot:
    """Buffers and a stream for one scan at a time; several slots keep a GPU busy."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.stream = gpu.cupy.cuda.Stream(non_blocking=True)
        self._side: Any = None
        self._counters = gpu.empty(COUNTERS, np.int32)
        self._next_counter = COUNTERS
        self._device: dict[str, Any] = {}
        self._host: dict[str, NDArray[Any]] = {}

    @property
    def side(self) -> Any:
        """A second stream, for work in parallel to the first."""
        if self._side is None:
            self._side = self.gpu.cupy.cuda.Stream(non_blocking=True)
        return self._side

    def device(self, name: str, size: int, dtype: Any) -> Any:
        """Return a device buffer of at least `size` elements, kept from one scan to the next."""
        held = self._device.get(name)
        if held is None or len(held) < size:
            self._device.pop(name, None)
            del held
            held = self._device[name] = self.gpu.empty(size, dtype)
        return held

    def device_bytes(self, name: str) -> int:
        """Return the size of a device buffer; 0 if there is none yet."""
        held = self._device.get(name)
        return held.nbytes if held is not None else 0

    def host(self, name: str, size: int, dtype: Any) -> NDArray[Any]:
        """Return a host buffer of `size` elements."""
        held = self._host.get(name)
        if held is None or len(held) < size:
            held = self._host[name] = self.gpu.host_array(size, dtype)
        return held[:size]

    def send(self, name: str, table: NDArray[Any]) -> Any:
        """Enqueue the transfer of an array by way of the buffers of its name; returns the device buffer."""
        staged = self.host(name, table.size, table.dtype)
        staged[:] = table.ravel()
        target = self.device(name, table.size, table.dtype)
        self.gpu.upload(target, staged, self.stream)
        return target

    def mark(self, stream: Any = None) -> Any:
        """Return an event that is done when everything enqueued so far is, on the first stream unless given."""
        event = self.gpu.cupy.cuda.Event(block=self.gpu.blocking_sync, disable_timing=True)
        event.record(stream or self.stream)
        return event

    def zeros(self, count: int, stream: Any = None) -> list[np.uint64]:
        """Return counters for launches that follow on a stream, by default the first; each is zero when it gets there.

        Returns their addresses on the device. Those of one call are cleared together: one that was handed out before
        all were cleared, and counted after that, would not be zero the next time.
        """
        if self._next_counter + count > COUNTERS:
            self.gpu.clear(self._counters, stream or self.stream)
            self._next_counter = 0
        first = self._next_counter
        self._next_counter += count
        begin, each = self._counters.data.ptr, self._counters.itemsize
        return [np.uint64(begin + number * each) for number in range(first, first + count)]


class Scan(ABC):
    """One or more queries against the subjects [start, stop) in storage order, from launch to exact scores.

    Parameters
    ----------
    indices : tuple of int
        Positions in the list of queries.

    Attributes
    ----------
    scores : device array, dtype=int32
        Scores of all queries, one after the other, from a first subject on that is `start` or some less.
    rescored : list of int
        Subjects of each query that were scored twice, once `finish` has returned.
    """

    scores: Any
    redo: Any

    def __init__(self, slot: Slot, indices: tuple[int, ...], start: int, stop: int) -> None:
        self.slot = slot
        self.indices = indices
        self.start = start
        self.stop = stop
        self.rescored = [0] * len(indices)
        self.began = slot.gpu.cupy.cuda.Event()
        self.ended = slot.gpu.cupy.cuda.Event()
        self.done: Any = None

    @property
    @abstractmethod
    def first(self) -> int:
        """Subject that `scores` begins with."""

    @property
    @abstractmethod
    def stride(self) -> int:
        """Scores of one query."""

    @property
    @abstractmethod
    def seconds_at_most(self) -> float:
        """A generous guess of how long the kernels take."""

    @abstractmethod
    def launch(self) -> None:
        """Enqueue everything up to the scores; some of 16 bits may have overflowed."""

    @abstractmethod
    def download_counts(self) -> None:
        """Enqueue the transfer of how many subjects of each query overflowed."""

    @abstractmethod
    def redo_overflowed(self) -> bool:
        """Rescore overflows, if the launch has not; returns True if scores changed."""

    def begin(self) -> None:
        """Enqueue everything up to scores on the host."""
        self.launch()
        self.slot.gpu.download(self._on_host, self.scores, self.slot.stream)
        self.download_counts()
        self.done = self.slot.mark()

    def finish(self) -> NDArray[np.int32]:
        """Return the exact scores, shape (queries, stop - start); `done` must be."""
        if self.redo_overflowed():
            self.slot.gpu.download(self._on_host, self.scores, self.slot.stream)
            self.slot.stream.synchronize()
        first = self.start - self.first
        rows = self._on_host.reshape(len(self.indices), self.stride)
        return rows[:, first : first + self.stop - self.start].copy()

    def milliseconds_since(self, previous_end: Any) -> float:
        """Return the time of the kernels, once they are done, without the overlap with an earlier scan.

        Parameters
        ----------
        previous_end : cupy.cuda.Event or None
            When the scan before this one ended on the same device.
        """
        elapsed = self.slot.gpu.cupy.cuda.get_elapsed_time
        own = float(elapsed(self.began, self.ended))
        if previous_end is None:
            return own
        return max(0.0, min(own, float(elapsed(previous_end, self.ended))))

    @property
    def _on_host(self) -> NDArray[np.int32]:
        return self.slot.host("scores", len(self.indices) * self.stride, np.int32)


class ScanOwner(Protocol):
    """Interface of a batch to the GPU it runs on."""

    gpu: Gpu

    def shrink(self, error: OutOfDeviceMemory) -> None:
        """Use less memory from now on; raise `error` if that is not possible."""


class ResidueRange(Protocol):
    """Some residues of a database on a device."""

    def holds(self, first: int, last: int) -> bool:
        """Whether they are those of this range, and maybe more."""


Residues = TypeVar("Residues", bound=ResidueRange)


class ScanBatch(ABC, Generic[Owner, Plan, Residues]):
    """All queries of a search against the chunks one GPU takes.

    Parameters
    ----------
    plans : sequence
        How the queries are scored, in this order for each chunk.
    """

    def __init__(
        self,
        owner: Owner,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[Plan],
    ) -> None:
        self._owner, self._gpu = owner, owner.gpu
        self._take = take
        self._queries = queries
        self._database = database
        self.plans = plans
        self._jobs: deque[tuple[int, int, Plan]] = deque()
        self._free = deque(self._slots())
        self._running: deque[Scan] = deque()
        self._residues: Residues | None = None
        self._previous_end: Any = None

    @abstractmethod
    def _slots(self) -> list[Slot]:
        """Return the buffers for scans."""

    @abstractmethod
    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Cut subjects into ranges that are small enough for the device."""

    @abstractmethod
    def _scan(self, slot: Slot, start: int, stop: int, plan: Plan) -> Scan:
        """Make a scan of residues that are `_brought`."""

    def _brought(self, bring: Callable[[int, int], Residues], first: int, last: int) -> Residues:
        """Return residues on the device; they are brought there unless those of the scan before are the same."""
        if self._residues is None or not self._residues.holds(first, last):
            self._residues = None
            self._residues = bring(first, last)
        return self._residues

    def _ready(self, plan: Plan, cancel: threading.Event) -> bool:
        """Have the kernels of a plan; False if `cancel` was set meanwhile."""
        return True

    def step(self, cancel: threading.Event) -> list[ChunkScores]:
        """Start as many scans as possible, wait for the oldest one and return its scores; nothing at the end."""
        while self._free and (self._jobs or self._take_more()):
            if cancel.is_set() or not self._start(cancel):
                break
        if not self._running:
            return []
        if not self._gpu.wait(self._running[0].done, cancel, self._running[0].seconds_at_most):
            self._running.clear()
            return []
        scan = self._running.popleft()
        results = self._collect(scan)
        self._free.append(scan.slot)
        return results

    def abandon(self) -> None:
        """Stop running work; its scores are lost."""
        if self._running:
            self._gpu.stop()
            self._running.clear()

    def _take_more(self) -> bool:
        chunk = self._take() if self.plans else None
        if chunk is None:
            return False
        self._jobs.extend((chunk.start, chunk.stop, plan) for plan in self.plans)
        return True

    def _start(self, cancel: threading.Event) -> bool:
        """Launch the next scan; False if memory is short until another has ended, or if `cancel` was set meanwhile."""
        try:
            start, stop, plan = self._next_job()
            if not self._ready(plan, cancel):
                return False
            scan = self._scan(self._free[0], start, stop, plan)
            scan.begin()
        except OutOfDeviceMemory as error:
            self._residues = None
            if self._running:
                return False
            self._owner.shrink(error)
            self._free = deque(self._slots())
            return True
        self._running.append(scan)
        self._jobs.popleft()
        self._free.popleft()
        return True

    def _next_job(self) -> tuple[int, int, Plan]:
        """Make the next job small enough for the device; returns it and leaves it in the queue."""
        start, stop, _ = self._jobs[0]
        parts = self._parts(start, stop)
        if len(parts) > 1:
            whole = [plan for *chunk, plan in self._jobs if chunk == [start, stop]]
            rest = [job for job in self._jobs if job[:2] != (start, stop)]
            # Part by part, so that each is on the device once for all queries.
            self._jobs = deque([(first, last, plan) for first, last in parts for plan in whole] + rest)
        return self._jobs[0]

    def _collect(self, scan: Scan) -> list[ChunkScores]:
        scores = scan.finish()
        offsets = self._database.offsets
        residues = int(offsets[scan.stop] - offsets[scan.start])
        seconds = scan.milliseconds_since(self._previous_end) / 1000
        self._previous_end = scan.ended
        lengths = [len(self._queries[index]) for index in scan.indices]
        each, label = seconds / sum(lengths), self._gpu.label
        db_index = np.asarray(self._database.order[scan.start : scan.stop], dtype=np.int64)
        return [
            ChunkScores(
                query_index=index,
                db_index=db_index,
                scores=scores[row],
                stored=(scan.start, scan.stop),
                cells=length * residues,
                rescored=scan.rescored[row],
                device=label,
                seconds=each * length,
            )
            for row, (index, length) in enumerate(zip(scan.indices, lengths, strict=True))
        ]
