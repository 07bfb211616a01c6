"""The kernels of the published methods on the CPU, and a GPU that launches them there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from swgui.core.methods.search import SEARCH_METHODS
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda.arithmetic import UNFRAMED, Arithmetic, Twins
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.streaming.tables import H200
from swgui.papers.search.layout import GroupLayout, arrange_profile
from swgui.papers.search.methods import MethodVariant
from tests.kernels import on_cpu
from tests.kernels.on_cpu import library, pointer

GRID = 2
SOURCE = "../papers/kernels/methods_on_cpu.cpp"


def arithmetic_for(
    subjects: int, profile: np.ndarray, gap_first: int, gap_extend: int, *, dpx: bool = True
) -> Arithmetic:
    twins = Twins.SUBJECTS if subjects == 2 else Twins.NONE
    return on_cpu.arithmetic_for(twins, [profile], gap_first, gap_extend, dpx=dpx, period=UNFRAMED)


def variant_of(kernel: str, arithmetic: Arithmetic, threads: int, **tile: int) -> MethodVariant:
    return MethodVariant(kernel, arithmetic, threads, 1, tuple(sorted(tile.items())))


def built(kernel: str, defines: tuple[str, ...], sanitize: bool = False) -> ctypes.CDLL:
    file = "intra.cu" if kernel == "intra" else f"papers/{kernel}.cu"
    return library(SOURCE, (*defines, f'-DSW_FILE="{file}"', f"-DSW_KERNEL={kernel}"), sanitize)


def interleaver(letters: int, sanitize: bool = False) -> ctypes.CDLL:
    return library(SOURCE, (f"-DSW_LETTERS={letters}",), sanitize)


class CpuGroups:
    """Subjects laid out by ``interleave.cu``, in two parts."""

    def __init__(self, subjects: Sequence[np.ndarray], letters: int, sanitize: bool = False) -> None:
        self.order = sorted(range(len(subjects)), key=lambda i: -len(subjects[i]))
        stored = [subjects[i] for i in self.order]
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in stored])]).astype(np.int64)
        self.codes = np.concatenate([*stored, np.zeros(1, np.uint8)]).astype(np.uint8)
        self.layout = GroupLayout.of(offsets)
        self.words = np.full(32 * self.layout.rows(0, self.layout.groups) + 1, 0x77777777, dtype=np.uint32)
        halfway = self.layout.groups // 2
        for first, last in ((0, halfway), (halfway, self.layout.groups)):
            begin, end = 32 * first, min(32 * last, len(stored))
            if begin >= end:
                continue
            interleaver(letters, sanitize).run_interleave(
                -(-32 * self.layout.rows(first, last) // 256),
                pointer(self.codes[offsets[begin] :]),
                pointer(np.ascontiguousarray(offsets[begin : end + 1])),
                pointer(self.layout.group_start),
                0,
                begin,
                end,
                pointer(self.words),
            )


class CpuRun:
    """Scores of one query against all subjects, in storage order."""

    def __init__(self, groups: CpuGroups, profile: np.ndarray, variant: MethodVariant, sanitize: bool = False) -> None:
        self.groups = groups
        self.profile = profile.astype(np.int16)
        self.variant = variant
        self.sanitize = sanitize
        count = groups.layout.subjects
        self.scores = np.full(count + 1, -77, dtype=np.int32)
        self.redo = np.zeros(count + 1, dtype=np.int32)
        self.cancel = np.zeros(1, dtype=np.int32)

    def run(self, listed: np.ndarray | None = None) -> CpuRun:
        layout, variant = self.groups.layout, self.variant
        columns = layout.columns(0)
        border = np.full(2 * GRID * variant.border_words(columns) + 2, 0x55555555, dtype=np.uint32)
        arranged = arrange_profile(self.profile, variant)
        built(variant.kernel, variant.defines(), self.sanitize).run_method(
            GRID,
            ctypes.c_size_t(variant.shared_bytes(len(self.profile))),
            pointer(self.groups.words),
            pointer(layout.group_start),
            pointer(layout.words_of),
            0,
            0,
            layout.subjects,
            pointer(listed),
            pointer(arranged),
            variant.rows(len(self.profile)) // 4,
            pointer(border),
            columns,
            pointer(np.zeros(1, dtype=np.int32)),
            pointer(self.scores),
            pointer(self.redo),
            pointer(self.cancel),
        )
        return self

    @property
    def given(self) -> list[int]:
        """Scores in the order the subjects were given."""
        scores = np.empty(self.groups.layout.subjects, dtype=np.int64)
        scores[self.groups.order] = self.scores[: len(scores)]
        return scores.tolist()


class CpuArray(np.ndarray):
    """An array that knows its address as device arrays do."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)


class CpuEvent:
    """Everything is done at once."""

    done = True

    def __init__(self, **_: Any) -> None: ...

    def record(self, stream: Any = None) -> None: ...

    def synchronize(self) -> None: ...


class CpuStream:
    """Launches run at once."""

    ptr = 0

    def __init__(self, **_: Any) -> None: ...

    def __enter__(self) -> CpuStream:
        return self

    def __exit__(self, *exception: object) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def synchronize(self) -> None: ...


class CpuOutOfMemory(MemoryError):
    """Never raised: memory of the CPU does not end so."""


class CpuGpu:
    """Stands in for `swgui.engines.cuda.gpu.Gpu`: the published methods run on the CPU, at once.

    Parameters
    ----------
    shared_limit : int
        Bytes of shared memory a block may have.
    free : int
        Bytes of memory it says are free.
    """

    label = "CPU #0"
    info = DeviceInfo("0", "CPU")
    multiprocessors = 2
    pinned = False
    blocking_sync = False
    tables = H200

    def __init__(self, shared_limit: int = 99 * 1024, free: int = 1 << 30, *, dpx: bool = True) -> None:
        self.shared_limit = shared_limit
        self.free = free
        self.dpx = dpx
        pool = SimpleNamespace(free_all_blocks=lambda: None)
        cuda = SimpleNamespace(
            Event=CpuEvent,
            Stream=CpuStream,
            get_elapsed_time=lambda first, second: 1.0,
            memory=SimpleNamespace(OutOfMemoryError=CpuOutOfMemory),
            runtime=SimpleNamespace(
                CUDARuntimeError=OSError, getDeviceProperties=lambda i: {"maxThreadsPerMultiProcessor": 1024}
            ),
            driver=SimpleNamespace(CUDADriverError=OSError),
        )
        self.cupy = SimpleNamespace(
            cuda=cuda, get_default_memory_pool=lambda: pool, get_default_pinned_memory_pool=lambda: pool
        )
        self.copy_stream = CpuStream()
        self.cancel_flag = self.empty(1, np.int32)
        self.launched: list[tuple[str, int]] = []

    at_work, release = Gpu.at_work, Gpu.release

    def __enter__(self) -> CpuGpu:
        return self

    def __exit__(self, *exception: object) -> None: ...

    def free_memory(self) -> int:
        return self.free

    def empty(self, size: int, dtype: Any) -> np.ndarray:
        return np.zeros(size, dtype=dtype).view(CpuArray)

    def host_array(self, size: int, dtype: Any) -> np.ndarray:
        return np.zeros(size, dtype=dtype)

    def constant(self, host: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(host).view(CpuArray)

    def upload(self, target: np.ndarray, source: np.ndarray, stream: Any) -> None:
        target[: len(source)] = source

    def download(self, target: np.ndarray, source: np.ndarray, stream: Any) -> None:
        target[:] = source[: len(target)]

    def clear(self, array: np.ndarray, stream: Any) -> None:
        array[:] = 0

    def wait(self, event: Any, cancel: Any, expected: float) -> bool:
        return not cancel.is_set()

    def stop(self) -> None: ...

    def kernel(self, file: str, name: str, defines: tuple[str, ...], shared_bytes: int = 0) -> Callable[..., None]:
        def launch(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...], shared_mem: int = 0) -> None:
            assert shared_mem <= shared_bytes <= self.shared_limit
            values = [_value(argument) for argument in arguments]
            self.launched.append((name, grid[0]))
            if name == "interleave":
                interleaver(int(defines[0].rpartition("=")[2])).run_interleave(grid[0], *values)
            else:
                assert f"-DSW_THREADS={block[0]}" in defines
                built(name, defines).run_method(grid[0], ctypes.c_size_t(shared_mem), *values)

        assert name in (*SEARCH_METHODS, "interleave")
        assert file == ("intra.cu" if name == "intra" else f"papers/{name}.cu")
        return launch


def _value(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return pointer(argument)
    return ctypes.c_void_p(int(argument)) if isinstance(argument, np.uint64) else int(argument)
