"""A `Device` whose kernels are compiled for the CPU: the wavefront method as a whole, without a GPU."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from swgui import paths
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda.pair.wavefront.device import Kernel
from swgui.engines.cuda.pair.wavefront.engine import WavefrontEngine
from tests.kernels.on_cpu import library

BLOCKS = 6  # at work at once
SOURCE = "pair_wavefront_on_cpu.cpp"
WAVEFRONT = "pair_wavefront"
_TEXT = (paths.kernels_dir() / f"{WAVEFRONT}.cu").read_text(encoding="utf-8")
_HEAD = re.search(rf"\b{WAVEFRONT}\((.*?)\)", _TEXT, re.DOTALL)[1]
PARAMETERS = [re.split(r"\W+", one.strip())[-1] for one in _HEAD.split(",")]  # names, in order
NUMBERS = {np.int32: ctypes.c_int32, np.int64: ctypes.c_int64, np.uint64: ctypes.c_uint64}


class CpuDevice:
    """Arrays are NumPy arrays; kernels run one block after the other."""

    label = "CPU"
    multiprocessors = 1
    shared_limit = 1 << 20
    peak = 0

    def __init__(self, *, dpx: bool = True, sanitize: bool = False) -> None:
        self.dpx = dpx
        self.sanitize = sanitize
        self.cancel_flag = np.zeros(1, dtype=np.int32)
        self.launched: list[Kernel] = []
        self.later: list[tuple[Kernel, int, Sequence[Any]]] | None = None

    def at_work(self, lane: int = 0) -> AbstractContextManager[None]:
        return nullcontext()

    def free_memory(self) -> int:
        return 1 << 28

    def empty(self, count: int, dtype: Any) -> np.ndarray:
        return np.frombuffer(b"\xd5" * (max(count, 1) * np.dtype(dtype).itemsize), dtype=dtype).copy()

    def upload(self, host: np.ndarray) -> np.ndarray:
        return host.copy()

    def fill(self, array: np.ndarray, value: int) -> None:
        array.fill(value)

    def download(self, array: np.ndarray) -> np.ndarray:
        return array.copy()

    def fetch(self, array: np.ndarray) -> tuple[np.ndarray, Any]:
        return array.copy(), self.mark()

    def peek(self, array: np.ndarray) -> np.ndarray:
        return array.copy()

    def blocks_at_once(self, kernel: Kernel) -> int:
        return 16

    def launch(self, kernel: Kernel, grid: int, *arguments: Any) -> None:
        self.launched.append(kernel)
        if kernel.name == WAVEFRONT and self.later is not None:
            self.later.append((kernel, grid, arguments))
            return
        self._call(kernel, grid, arguments)

    def _call(self, kernel: Kernel, grid: int, arguments: Sequence[Any]) -> None:
        built = library(SOURCE, kernel.defines, self.sanitize)
        given = [
            ctypes.c_void_p(one.ctypes.data) if isinstance(one, np.ndarray) else NUMBERS[type(one)](one)
            for one in arguments
        ]
        getattr(built, f"run_{kernel.name}")(min(grid, BLOCKS), ctypes.c_size_t(kernel.shared), *given)

    def together(self, work: Callable[[], None]) -> None:
        """Let all launches of bands that some work makes run at the same time."""
        self.later = []
        work()
        (kernel, grid, arguments), *others = self.later
        self.later = None
        built = library(SOURCE, kernel.defines, self.sanitize)
        last, counter = (
            next(k for k, one in enumerate(PARAMETERS) if one == name) for name in ("last_band", "counter")
        )
        for _, _, theirs in others:
            built.add_pair_wavefront(int(theirs[last]), ctypes.c_void_p(theirs[counter].ctypes.data))
        self._call(kernel, grid, arguments)

    def watch(self, counters: np.ndarray, cancel: threading.Event) -> Iterator[np.ndarray]:
        if not cancel.is_set():
            yield counters.copy()

    def mark(self) -> Any:
        return None

    def wait_for(self, mark: Any) -> None:
        pass

    def reached(self, mark: Any) -> bool:
        return True

    def send(self, source: np.ndarray, other: CpuDevice, target: np.ndarray, after: Sequence[Any]) -> Any:
        target[:] = source

    def halt(self) -> None:
        self.cancel_flag[0] = 1

    def settle(self) -> None:
        self.cancel_flag[0] = 0


def cpu_engine(settings: Mapping[str, str] | None = None, **options: bool) -> WavefrontEngine:
    """The wavefront engine on the CPU."""
    return WavefrontEngine([CpuDevice(**options)], (DeviceInfo("0", "CPU"),), settings or {})
