"""The kernels of the striped and chunked methods on the CPU, behind the door that a GPU has."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from swgui.papers.striped.run import PHASE_1, Launch
from tests.kernels.on_cpu import library

_ENTRY = {"strips": "run_strips", "walk": "run_walk", "pieces": "run_pieces"}


def _argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data if value.size else None)
    if isinstance(value, np.int64):
        return ctypes.c_longlong(int(value))
    return ctypes.c_uint(int(value) & 0xFFFFFFFF)


class CpuMachine:
    """Runs kernels when they are launched, with two blocks unless fewer are wanted."""

    def __init__(self, blocks: int = 2, sanitize: bool = False) -> None:
        self.blocks = blocks
        self.sanitize = sanitize
        self.cancel = np.zeros(1, np.int32)
        self.used: dict[str, int] = {}

    def zeros(self, purpose: str, size: int, dtype: Any) -> np.ndarray:
        memory = np.zeros(size, dtype)
        self.used[purpose] = self.used.get(purpose, 0) + memory.nbytes
        return memory

    def put(self, purpose: str, host: np.ndarray) -> np.ndarray:
        self.used[purpose] = self.used.get(purpose, 0) + host.nbytes
        return host.copy()

    def get(self, array: np.ndarray) -> np.ndarray:
        return array

    def launch(
        self, file: str, kernel: str, defines: tuple[str, ...], blocks: int, shape: Launch, args: list[Any]
    ) -> None:
        extra = () if file == PHASE_1 else ("-DSTRIP_PIECES",)
        built = library("../papers/kernels/strips_on_cpu.cpp", (*defines, *extra), self.sanitize)
        grid = min(blocks, self.blocks)
        if kernel == "walk":
            built.run_walk(*map(_argument, args))
            return
        built.shared_bytes.restype = ctypes.c_size_t
        assert built.shared_bytes() == shape.shared_bytes
        getattr(built, _ENTRY[kernel])(grid, ctypes.c_size_t(shape.shared_bytes), *map(_argument, args))
