"""What the wavefront method asks of a device: arrays, launches, and a look at work that is under way.

The method itself knows nothing of CuPy, so that it runs as a whole on the CPU in tests.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import OutOfDeviceMemory
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.errors import explain

LOOK_SECONDS: Final = 0.1  # between two reports of progress
WAIT_SECONDS: Final = 0.002  # between two looks whether the device is done or the work is cancelled
NULL: Final = np.uint64(0)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One compiled kernel and how it is launched.

    Parameters
    ----------
    file, name : str
        In the kernels folder; entry point.
    defines : tuple of str
        ``-D`` options.
    threads : int
        Per block.
    shared : int
        Dynamic shared memory of a block in bytes.
    """

    file: str
    name: str
    defines: tuple[str, ...]
    threads: int = 32
    shared: int = 0


class Device(Protocol):
    """Arrays are of one dimension; slices of them are arrays too. Everything happens in the order it is asked for."""

    @property
    def label(self) -> str:
        """Name and number."""

    @property
    def multiprocessors(self) -> int:
        """How many there are."""

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

    def at_work(self) -> AbstractContextManager[None]:
        """Make it the current device, and explain its errors."""

    def free_memory(self) -> int:
        """Bytes that can still be had."""

    def empty(self, count: int, dtype: Any) -> Any:
        """Allocate; `OutOfDeviceMemory` if it does not fit."""

    def upload(self, host: NDArray[Any]) -> Any:
        """Return a copy on the device."""

    def download(self, array: Any) -> NDArray[Any]:
        """Return a copy on the host, once everything before is done."""

    def launch(self, kernel: Kernel, grid: int, *arguments: Any) -> None:
        """Enqueue a kernel."""

    def watch(self, counters: Any, cancel: threading.Event) -> Iterator[NDArray[Any]]:
        """Wait until all is done; meanwhile give copies of `counters` now and then.

        Ends early, with the kernels stopped, once `cancel` is set.
        """


class CudaDevice:
    """A card with one stream.

    Parameters
    ----------
    cupy : module
    info : DeviceInfo
    dpx : bool
        Whether fused 16-bit instructions may be used, if the card has them.
    """

    def __init__(self, cupy: Any, info: DeviceInfo, *, dpx: bool = True) -> None:
        self._cupy = cupy
        self._card = Card(cupy, info, dpx=dpx)
        self.info = info
        self.peak = 0
        properties = cupy.cuda.runtime.getDeviceProperties(int(info.id))
        self.shared_limit: int = properties["sharedMemPerMultiprocessor"]
        with self._card:
            self._stream = cupy.cuda.Stream(non_blocking=True)

    @property
    def label(self) -> str:
        """Name and number."""
        return self._card.label

    @property
    def multiprocessors(self) -> int:
        """How many the card has."""
        return self._card.multiprocessors

    @property
    def dpx(self) -> bool:
        """Whether fused 16-bit instructions are used."""
        return self._card.dpx

    @property
    def cancel_flag(self) -> Any:
        """What kernels look at."""
        return self._card.cancel_flag

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Make the card and its stream current, and explain what CUDA complains of."""
        cuda = self._cupy.cuda
        with self._card, self._stream:
            try:
                yield
            except cuda.memory.OutOfMemoryError as error:
                raise OutOfDeviceMemory(self.label, 0, self.free_memory()) from error
            except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError) as error:
                raise explain(self.label, error) from error

    def free_memory(self) -> int:
        """Bytes that can still be had."""
        return self._card.free_memory()

    def empty(self, count: int, dtype: Any) -> Any:
        """Allocate."""
        array = self._card.empty(max(count, 1), dtype)
        self.peak = max(self.peak, int(self._cupy.get_default_memory_pool().used_bytes()))
        return array

    def upload(self, host: NDArray[Any]) -> Any:
        """Return a copy on the card."""
        array = self.empty(len(host), host.dtype)
        if len(host):
            array.set(np.ascontiguousarray(host), stream=self._stream)
        return array

    def download(self, array: Any) -> NDArray[Any]:
        """Return a copy on the host."""
        host: NDArray[Any] = array.get(stream=self._stream, blocking=True)
        return host

    def launch(self, kernel: Kernel, grid: int, *arguments: Any) -> None:
        """Enqueue a kernel."""
        compiled = self._card.kernel(kernel.file, kernel.name, kernel.defines, kernel.shared)
        compiled((grid,), (kernel.threads,), arguments, shared_mem=kernel.shared)

    def blocks_at_once(self, kernel: Kernel) -> int:
        """Blocks of a kernel that run on a multiprocessor at the same time."""
        compiled = self._card.kernel(kernel.file, kernel.name, kernel.defines, kernel.shared)
        count = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            compiled.kernel.ptr, kernel.threads, kernel.shared
        )
        return int(count)

    def watch(self, counters: Any, cancel: threading.Event) -> Iterator[NDArray[Any]]:
        """Wait until all is done; copies of `counters` now and then."""
        done = self._cupy.cuda.Event(disable_timing=True)
        done.record(self._stream)
        seen = self._card.host_array(len(counters), counters.dtype)
        looked = time.monotonic()
        while not done.done:
            if cancel.wait(WAIT_SECONDS):
                self._card.stop()
                return
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                self._card.download(seen, counters, self._card.control_stream)
                self._card.control_stream.synchronize()
                yield seen.copy()

    def close(self) -> None:
        """Give back what the pool holds."""
        with self._card:
            self._cupy.get_default_memory_pool().free_all_blocks()
