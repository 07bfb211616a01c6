"""Interface of the wavefront method to a device: arrays, launches, and views of running work.

The method itself does not know CuPy, so that it runs as a whole on the CPU in tests.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.engines.base import DeviceInfo
from swgui.engines.cuda.gpu import Gpu

LOOK_SECONDS: Final = 0.1  # between two reports of progress
WAIT_SECONDS: Final = 0.002  # between two looks whether the device is done or the work is cancelled
NULL: Final = np.uint64(0)
SENDING, RECEIVING = -1, -2  # lanes for copies between devices
TRIED: Final = 1 << 16  # integers that are copied to see whether a way between two GPUs can be trusted
WITHIN: Final = 3  # cudaMemcpyDeviceToDevice
ALREADY_ENABLED: Final = 704  # cudaErrorPeerAccessAlreadyEnabled


@dataclass(frozen=True, slots=True)
class Kernel:
    """One compiled kernel and how it is launched."""

    # file, name: in the kernels folder; entry point
    file: str
    name: str
    defines: tuple[str, ...]  # ``-D`` options
    threads: int = 32  # per block
    shared: int = 0  # dynamic shared memory of a block in bytes


class Device(Protocol):
    """Arrays are of one dimension; slices of them are arrays too.

    Calls take effect in order, unless several lanes are used: lanes run at the same time, and one waits for another
    only by a mark.
    """

    @property
    def label(self) -> str:
        """Name and number."""

    @property
    def multiprocessors(self) -> int:
        """Number of multiprocessors."""

    @property
    def shared_limit(self) -> int:
        """Bytes of shared memory of a multiprocessor."""

    @property
    def dpx(self) -> bool:
        """Whether fused 16-bit instructions may be used."""

    @property
    def peak(self) -> int:
        """The most bytes that were in use so far."""

    @property
    def cancel_flag(self) -> Any:
        """Kernels give up when this is not 0."""

    def at_work(self, lane: int = 0) -> AbstractContextManager[None]:
        """Make it the current device, with one of its lanes, and explain its errors."""

    def free_memory(self) -> int:
        """Bytes that can still be had."""

    def empty(self, count: int, dtype: Any) -> Any:
        """Allocate; `OutOfDeviceMemory` if it does not fit."""

    def upload(self, host: NDArray[Any]) -> Any:
        """Return a copy on the device."""

    def fill(self, array: Any, value: int) -> None:
        """Enqueue that every element becomes a value."""

    def download(self, array: Any) -> NDArray[Any]:
        """Return a copy on the host, once everything before in this lane is done."""

    def fetch(self, array: Any) -> tuple[NDArray[Any], Any]:
        """Enqueue a copy to the host; returns where it will be, and the mark of its arrival."""

    def peek(self, array: Any) -> NDArray[Any]:
        """Return a copy on the host of the present content; waits for nothing."""

    def launch(self, kernel: Kernel, grid: int, *arguments: Any) -> None:
        """Enqueue a kernel."""

    def blocks_at_once(self, kernel: Kernel) -> int:
        """Blocks of a kernel that run on a multiprocessor at the same time."""

    def watch(self, counters: Any, cancel: threading.Event) -> Iterator[NDArray[Any]]:
        """Wait until all is done; meanwhile give copies of `counters` now and then.

        Ends early, with the kernels stopped, once `cancel` is set.
        """

    def mark(self) -> Any:
        """Return a mark that is reached once everything enqueued in this lane is done."""

    def wait_for(self, mark: Any) -> None:
        """Let this lane wait for a mark, of whatever device."""

    def reached(self, mark: Any) -> bool:
        """Whether a mark of this device is reached."""

    def send(self, source: Any, other: Device, target: Any, after: Sequence[Any]) -> Any:
        """Enqueue a copy to an array of the same size of a device, after some marks; returns the mark of its arrival.

        Copies from one device arrive in the order of the calls.
        """

    def halt(self) -> None:
        """Make all kernels give up, running or enqueued."""

    def settle(self) -> None:
        """Wait until all launches have ended; later ones do not give up any more."""


class CudaDevice:
    """A GPU with a stream, and more of them for work in several lanes.

    Parameters
    ----------
    dpx : bool
        Whether fused 16-bit instructions may be used, if the GPU has them.
    """

    def __init__(self, cupy: Any, info: DeviceInfo, *, dpx: bool = True) -> None:
        self._cupy = cupy
        self._gpu = Gpu(cupy, info, dpx=dpx)
        self.info = info
        self.peak = 0
        properties = cupy.cuda.runtime.getDeviceProperties(int(info.id))
        self.shared_limit: int = properties["sharedMemPerMultiprocessor"]
        with self._gpu:
            self._stream = cupy.cuda.Stream(non_blocking=True)
        self._lanes: dict[int, Any] = {0: self._stream}
        self._ways: dict[str, bool] = {}  # whether copies to another GPU go straight
        self._on_their_way: list[tuple[Any, NDArray[Any]]] = []  # through the host

    @property
    def label(self) -> str:
        return self._gpu.label

    @property
    def multiprocessors(self) -> int:
        return self._gpu.multiprocessors

    @property
    def dpx(self) -> bool:
        return self._gpu.dpx

    @property
    def cancel_flag(self) -> Any:
        return self._gpu.cancel_flag

    @contextmanager
    def at_work(self, lane: int = 0) -> Iterator[None]:
        with self._gpu.at_work(), self._lane(lane):
            yield

    def _lane(self, number: int) -> Any:
        if number not in self._lanes:
            self._lanes[number] = self._cupy.cuda.Stream(non_blocking=True)
        return self._lanes[number]

    def free_memory(self) -> int:
        return self._gpu.free_memory()

    def empty(self, count: int, dtype: Any) -> Any:
        array = self._gpu.empty(max(count, 1), dtype)
        self.peak = max(self.peak, int(self._cupy.get_default_memory_pool().used_bytes()))
        return array

    def upload(self, host: NDArray[Any]) -> Any:
        array = self.empty(len(host), host.dtype)
        if len(host):
            array.set(np.ascontiguousarray(host), stream=self._cupy.cuda.get_current_stream())
        return array

    def fill(self, array: Any, value: int) -> None:
        array.fill(value)

    def download(self, array: Any) -> NDArray[Any]:
        host: NDArray[Any] = array.get(stream=self._cupy.cuda.get_current_stream(), blocking=True)
        return host

    def fetch(self, array: Any) -> tuple[NDArray[Any], Any]:
        """Enqueue a copy to page-locked memory of the host."""
        host = self._gpu.host_array(len(array), array.dtype)
        self._gpu.download(host, array, self._cupy.cuda.get_current_stream())
        return host, self.mark()

    def peek(self, array: Any) -> NDArray[Any]:
        return self._gpu.peek(array)

    def launch(self, kernel: Kernel, grid: int, *arguments: Any) -> None:
        compiled = self._gpu.kernel(kernel.file, kernel.name, kernel.defines, kernel.shared)
        compiled((grid,), (kernel.threads,), arguments, shared_mem=kernel.shared)

    def blocks_at_once(self, kernel: Kernel) -> int:
        compiled = self._gpu.kernel(kernel.file, kernel.name, kernel.defines, kernel.shared)
        return self._gpu.blocks_at_once(compiled, kernel.threads, kernel.shared)

    def watch(self, counters: Any, cancel: threading.Event) -> Iterator[NDArray[Any]]:
        done = self._cupy.cuda.Event(disable_timing=True)
        done.record(self._stream)
        looked = time.monotonic()
        pause = WAIT_SECONDS / 32  # short work is not to wait for a long pause to end
        while not done.done:
            if cancel.wait(pause):
                self._gpu.stop()
                return
            pause = min(2 * pause, WAIT_SECONDS)
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                yield self._gpu.peek(counters)

    def mark(self) -> Any:
        event = self._cupy.cuda.Event(disable_timing=True)
        event.record()
        return event

    def wait_for(self, mark: Any) -> None:
        self._cupy.cuda.get_current_stream().wait_event(mark)

    def reached(self, mark: Any) -> bool:
        return bool(mark.done)

    def send(self, source: Any, other: Device, target: Any, after: Sequence[Any]) -> Any:
        """Enqueue a copy to a GPU, straight where there is a way, else through page-locked memory of the host."""
        assert isinstance(other, CudaDevice), "GPUs send to GPUs"
        runtime = self._cupy.cuda.runtime
        straight = self.has_way_to(other)
        with self.at_work(SENDING):
            for mark in after:
                self.wait_for(mark)
            if straight:
                there, here, stream = int(other.info.id), int(self.info.id), self._lane(SENDING).ptr
                if there == here:
                    runtime.memcpyAsync(target.data.ptr, source.data.ptr, source.nbytes, WITHIN, stream)
                else:
                    runtime.memcpyPeerAsync(target.data.ptr, there, source.data.ptr, here, source.nbytes, stream)
                return self.mark()
            between = self._gpu.host_array(len(source), source.dtype)
            self._gpu.download(between, source, self._lane(SENDING))
            left = self.mark()
        with other.at_work(RECEIVING):
            other.wait_for(left)
            other._gpu.upload(target, between, other._lane(RECEIVING))
            arrived = other.mark()
        self._on_their_way = [one for one in self._on_their_way if not one[0].done]
        self._on_their_way.append((arrived, between))
        return arrived

    def has_way_to(self, other: CudaDevice) -> bool:
        """Return True if copies may go straight to another GPU: it reports so, and a test copy arrives intact.

        Some virtual machines promise a way on which data are lost.
        """
        key = other.info.id
        if key == self.info.id:
            return True
        if key not in self._ways:
            self._ways[key] = self._may_reach(other) and other._may_reach(self)
            self._ways[key] = self._ways[key] and self._arrives_at(other)  # which finds this way open
        return self._ways[key]

    def _may_reach(self, other: CudaDevice) -> bool:
        runtime, numbers = self._cupy.cuda.runtime, (int(self.info.id), int(other.info.id))
        if not runtime.deviceCanAccessPeer(*numbers):
            return False
        try:
            with self._gpu:
                runtime.deviceEnablePeerAccess(numbers[1])
        except runtime.CUDARuntimeError as error:
            return bool(error.status == ALREADY_ENABLED)
        return True

    def _arrives_at(self, other: CudaDevice) -> bool:
        pattern = np.arange(TRIED, dtype=np.uint32) * np.uint32(2_654_435_761)
        with self.at_work():
            source = self.upload(pattern)
            ready = self.mark()
        with other.at_work():
            target = other.upload(np.zeros(TRIED, dtype=np.uint32))
            cleared = other.mark()
        arrived = self.send(source, other, target, (ready, cleared))
        with other.at_work():
            other.wait_for(arrived)
            return bool(np.array_equal(other.download(target), pattern))

    def halt(self) -> None:
        with self._gpu:
            self._gpu.halt()

    def settle(self) -> None:
        with self._gpu:
            self._gpu.settle()
        self._on_their_way.clear()

    def close(self) -> None:
        self._gpu.release()
