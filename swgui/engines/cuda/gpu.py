"""One CUDA device, opened: its limits, streams, compiled kernels and memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import modules
from swgui.engines.cuda.locked import LockedMemory
from swgui.engines.cuda.streaming.tables import Tables, tables_for
from swgui.engines.cuda.streaming.variants import KernelVariant

# Message by number of the runtime's and the driver's error (equal numbers have equal meanings).
_EXPLANATIONS: Final = {
    46: ("is busy or reserved by another program", "Close the other program, or choose another device."),
    101: ("is not there any more", "Look whether the GPU is still listed by nvidia-smi."),
    209: ("cannot run these kernels", "Update the driver and CuPy, or run on the CPU."),
    214: ("reported a memory error (ECC)", "Restart the computer; if it happens again, the GPU may be defective."),
    222: ("needs a newer driver for these kernels", "Update the NVIDIA driver, or run on the CPU."),
    700: ("read or wrote memory it must not", "Report this with the query and the database; run on the CPU meanwhile."),
    702: ("took longer than the system allows", "GPUs that drive a screen have a time limit: use smaller chunks."),
    719: ("stopped while computing", "Look whether the GPU is still listed by nvidia-smi, or run on the CPU."),
}
FIRST_DPX: Final = 90  # compute capability times ten
SHORT_SECONDS: Final = 0.15  # a cancelled search ends at least this soon
WAIT_SECONDS: Final = 0.0003  # between two looks whether the device is done or the search is cancelled


def explain(device: str, error: BaseException) -> EngineFault:
    """Turn an error of CUDA into a sentence about the device it happened on."""
    status: Any = getattr(error, "status", None)
    happened, hint = _EXPLANATIONS.get(
        status, ("failed", "Look whether the GPU is still listed by nvidia-smi, or run on the CPU.")
    )
    return EngineFault(f"{device} {happened} ({error}).", hint=hint)


class Gpu:
    """A device that kernels are launched on; used by one thread at a time, inside ``with gpu:``.

    Parameters
    ----------
    dpx : bool
        Whether fused 16-bit instructions may be used, if the device has them.
    pinned : bool
        Whether host memory of transfers is page-locked.
    """

    def __init__(self, cupy: Any, info: DeviceInfo, *, dpx: bool = True, pinned: bool = True) -> None:
        self.cupy = cupy
        self.info = info
        self.pinned = pinned
        self.device = cupy.cuda.Device(int(info.id))
        properties = cupy.cuda.runtime.getDeviceProperties(int(info.id))
        self.multiprocessors: int = properties["multiProcessorCount"]
        self.shared_limit: int = properties["sharedMemPerBlockOptin"]
        self.tables: Tables = tables_for(info)[0]  # that choose tiles
        self.dpx = dpx and 10 * properties["major"] + properties["minor"] >= FIRST_DPX
        with self.device:
            self.copy_stream = cupy.cuda.Stream(non_blocking=True)
            self.control_stream = cupy.cuda.Stream(non_blocking=True)
            self.cancel_flag = cupy.zeros(1, dtype=np.int32)
            self._raised = self.host_array(1, np.int32)
            self.device.synchronize()
        self._raised[0] = 1
        self.blocking_sync = False  # whether a thread that waits for an event sleeps (`cudaEventBlockingSync`)
        self.kernels: dict[tuple[str, tuple[str, ...], int], Any] = {}  # that the device holds

    @property
    def label(self) -> str:
        """Name and number, for messages and results."""
        return f"{self.info.name} #{self.info.id}"

    def __enter__(self) -> Gpu:
        self.device.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.device.__exit__(*exception)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Make it the current device, and explain CUDA's errors.

        Raises
        ------
        OutOfDeviceMemory, EngineFault
            In place of CuPy's errors.
        """
        cuda = self.cupy.cuda
        with self:
            try:
                yield
            except cuda.memory.OutOfMemoryError as error:
                raise OutOfDeviceMemory(self.label, 0, self.free_memory()) from error
            except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError) as error:
                raise explain(self.label, error) from error

    def kernel(self, file: str, name: str, defines: tuple[str, ...], shared_bytes: int = 0) -> Any:
        """Return a compiled kernel; `KernelCompileError` if it cannot be compiled."""
        key = (name, defines, shared_bytes)
        if key not in self.kernels:
            self.kernels[key] = modules.load(self.cupy, file, name, defines, shared_bytes)
        return self.kernels[key]

    def variant(self, variant: KernelVariant) -> Any:
        """Return the compiled streaming kernel of a variant."""
        return self.kernel("streaming.cu", "streaming", variant.defines(), variant.shared_bytes)

    def holds(self, variant: KernelVariant) -> bool:
        """Whether the streaming kernel of a variant has been brought to the device."""
        return ("streaming", variant.defines(), variant.shared_bytes) in self.kernels

    def is_built(self, variant: KernelVariant) -> bool:
        """Return True if the streaming kernel of a variant is compiled; call it inside ``with gpu:``."""
        return self.holds(variant) or modules.is_built(self.cupy, "streaming.cu", variant.defines())

    def blocks_at_once(self, kernel: Any, threads: int, shared_bytes: int) -> int:
        """Return the number of blocks of a compiled kernel that run on a multiprocessor at the same time."""
        driver = self.cupy.cuda.driver
        return int(driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, shared_bytes))

    def free_memory(self) -> int:
        """Bytes that can still be had: free on the device, or held by CuPy's pool but unused."""
        free, _ = self.cupy.cuda.runtime.memGetInfo()
        return int(free) + int(self.cupy.get_default_memory_pool().free_bytes())

    def release(self) -> None:
        """Give back the unused memory in CuPy's pools."""
        with self:
            self.cupy.get_default_memory_pool().free_all_blocks()
            self.cupy.get_default_pinned_memory_pool().free_all_blocks()

    def empty(self, size: int, dtype: Any) -> Any:
        """Allocate a device array of one dimension; `OutOfDeviceMemory` if it does not fit."""
        try:
            return self.cupy.empty(size, dtype=dtype)
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            needed = size * np.dtype(dtype).itemsize
            raise OutOfDeviceMemory(self.label, needed, self.free_memory()) from error

    def host_array(self, size: int, dtype: Any) -> NDArray[Any]:
        """Allocate a host array that transfers are made from and to, page-locked if that is wanted."""
        count = max(size, 1)
        if not self.pinned:
            return np.zeros(count, dtype=dtype)[:size]
        memory = self.cupy.cuda.alloc_pinned_memory(count * np.dtype(dtype).itemsize)
        return np.frombuffer(memory, dtype=dtype, count=count)[:size]

    def locked_memory(self, size: int) -> LockedMemory:
        """Return whole pages of host memory, page-locked if that is wanted; any thread may ask."""
        memory = LockedMemory(-1, size)
        if self.pinned:
            with self.device:
                memory.lock(self.cupy)
        return memory

    def spare_host_words(self, count: int) -> NDArray[np.uint32] | None:
        """Allocate page-locked host memory that helps but is not necessary; None if the system has none left."""
        if not self.pinned:
            return None
        try:
            return self.host_array(count, np.uint32)
        except (self.cupy.cuda.runtime.CUDARuntimeError, MemoryError):
            return None

    def constant(self, host: NDArray[Any]) -> Any:
        """Return a host array as a device array that every stream may read.

        A copy from ordinary memory returns before it has arrived, and our streams do not wait for it by themselves.
        """
        array = self.empty(len(host), host.dtype)
        array.set(host)
        self.cupy.cuda.Stream.null.synchronize()
        return array

    def upload(self, target: Any, source: NDArray[Any], stream: Any) -> None:
        """Copy a host array to the beginning of a device array; the host array must live until it is done."""
        self.cupy.cuda.runtime.memcpyAsync(target.data.ptr, source.ctypes.data, source.nbytes, 1, stream.ptr)

    def download(self, target: NDArray[Any], source: Any, stream: Any, begin: int = 0) -> None:
        """Copy a device array, from one of its entries on, to a host array of the same type."""
        place = source.data.ptr + begin * target.itemsize
        self.cupy.cuda.runtime.memcpyAsync(target.ctypes.data, place, target.nbytes, 2, stream.ptr)

    def peek(self, array: Any) -> NDArray[Any]:
        """Return a copy on the host of the present content of a small device array, while kernels run."""
        seen = self.host_array(len(array), array.dtype)
        self.download(seen, array, self.control_stream)
        self.control_stream.synchronize()
        return seen.copy()

    def clear(self, array: Any, stream: Any, entries: slice | None = None) -> None:
        """Set all entries of a device array to 0, or some that follow each other."""
        place, size = array.data.ptr, array.nbytes
        if entries is not None:
            each = array.itemsize
            place, size = place + entries.start * each, (entries.stop - entries.start) * each
        self.cupy.cuda.runtime.memsetAsync(place, 0, size, stream.ptr)

    def wait(self, event: Any, cancel: threading.Event, expected: float) -> bool:
        """Wait for an event; False if the user cancelled the search meanwhile, which stops the kernels.

        Parameters
        ----------
        expected : float
            Expected seconds. A wait that ends before anyone could cancel it does not look for a stop.
        """
        if expected < SHORT_SECONDS and not cancel.is_set():
            event.synchronize()
        while not event.done:
            if cancel.wait(WAIT_SECONDS):
                self.stop()
                return False
        return True

    def stop(self) -> None:
        """Make running kernels give up, and wait until they have."""
        self.halt()
        self.settle()

    def halt(self) -> None:
        """Make running kernels, and those that are still to run, give up."""
        self.upload(self.cancel_flag, self._raised, self.control_stream)
        self.control_stream.synchronize()

    def settle(self) -> None:
        """Wait until all kernels have ended; those launched from now on do not give up any more."""
        self.device.synchronize()
        self.clear(self.cancel_flag, self.control_stream)
        self.control_stream.synchronize()
