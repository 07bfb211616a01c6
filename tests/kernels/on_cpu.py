"""Kernels compiled for the CPU and called with NumPy arrays, launched as `swgui.engines.cuda.streaming.launch` does."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from swgui import paths
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps
from swgui.engines.cuda.arithmetic import Arithmetic, Costs, Twins, plan_arithmetic
from swgui.engines.cuda.streaming.layout import PADDING_BLOCKS, DatabaseLayout
from swgui.engines.cuda.streaming.twins import kernel_table
from swgui.engines.cuda.streaming.variants import KernelVariant, Tile, passes

HERE = Path(__file__).resolve().parent
COMPILER = shutil.which("g++")
GRID = 2


@cache
def build_folder() -> Path:
    """Folder of what is compiled from the sources as they are, shared by all processes of this user."""
    version = subprocess.run([str(COMPILER), "--version"], check=True, capture_output=True).stdout
    digest = hashlib.sha256(str(HERE).encode() + version)
    for folder in (paths.kernels_dir(), HERE.parent):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in (".cu", ".cuh", ".cpp", ".h")):
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"swgui-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    assert folder.stat().st_uid == os.getuid()
    folder /= digest.hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    return folder


def compiled(name: str, *arguments: str) -> Path:
    """Return a file of the folder, which the compiler makes of these arguments unless it is there."""
    target = build_folder() / name
    with open(f"{target}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another thread that wants it waits, and finds it
        if not target.exists():
            unfinished = target.with_suffix(".part")
            command = [COMPILER, "-Og", "-std=c++17", "-fPIC", "-w", *arguments, "-o", str(unfinished)]
            subprocess.run(command, check=True, capture_output=True, text=True)
            unfinished.replace(target)
    return target


@cache
def headers() -> list[str]:
    """Return the option for the headers of the system, which take longer than a kernel, compiled beforehand."""
    lines = (HERE / "cuda_on_cpu.h").read_text("utf-8").splitlines(keepends=True)
    header = build_folder() / "system.h"
    own = header.with_suffix(f".{os.getpid()}")
    own.write_text("".join(line for line in lines if line.startswith("#include <")), "utf-8")
    own.replace(header)
    compiled("system.h.gch", "-x", "c++-header", str(header))
    return ["-include", str(header)]


@cache
def runtime(sanitize: bool, *flags: str) -> Path:
    """Compile what no kernel changes; every kernel is linked to it."""
    name = "runtime-sanitized.so" if sanitize else "runtime.so"
    return compiled(name, "-shared", *flags, str(HERE / "cuda_on_cpu.cpp"))


@cache
def library(source: str, defines: tuple[str, ...], sanitize: bool = False) -> ctypes.CDLL:
    """Compile a file, by its path from this folder, into a shared library and load it."""
    flags = ["-fsanitize=address", "-fno-omit-frame-pointer", "-g1"] if sanitize else headers()
    key = hashlib.sha256(repr((source, defines, sanitize)).encode()).hexdigest()[:16]
    folders = [f"-I{paths.kernels_dir()}", f"-I{HERE}"]
    linked = str(runtime(sanitize, *flags))
    return ctypes.CDLL(str(compiled(f"{key}.so", "-shared", *flags, *defines, *folders, str(HERE / source), linked)))


def pointer(array: np.ndarray | None) -> ctypes.c_void_p:
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


def shrunk(tile: Tile) -> Tile:
    """The same tile with as few threads as one warp or one group of lanes needs, twice."""
    return replace(tile, threads=64)


class CpuDatabase:
    """Subjects laid out by ``pack.cu``; with `beside`, symbols of a second track and how many there are."""

    def __init__(
        self,
        subjects: Sequence[np.ndarray],
        letters: int,
        sanitize: bool = False,
        beside: tuple[Sequence[np.ndarray], int] | None = None,
    ) -> None:
        self.order = sorted(range(len(subjects)), key=lambda i: -len(subjects[i]))
        offsets = np.concatenate([[0], np.cumsum([len(subjects[i]) for i in self.order])]).astype(np.int64)
        self.layout = DatabaseLayout.of(offsets)
        self.blocks = self.layout.blocks(0, self.layout.twins)
        tracks = [(subjects, letters), *([beside] if beside else [])]
        row = np.repeat(np.array([count * 0x01010101 for _, count in tracks], dtype=np.uint32), 2)
        self.words = np.tile(row, self.blocks + PADDING_BLOCKS)
        for track, (given, count) in enumerate(tracks):
            codes = np.concatenate([*(given[i] for i in self.order), np.zeros(0, np.uint8)]).astype(np.uint8)
            defines = f"-DSW_LETTERS={count}", f"-DSW_BLOCK_WORDS={2 * len(tracks)}", "-DRANK_BINS=8192"
            tools = library("tools_on_cpu.cpp", defines, sanitize)
            tools.run_pack(
                -(-self.blocks // 256),
                pointer(codes),
                pointer(offsets),
                pointer(self.layout.block_of),
                0,
                self.layout.twins,
                len(subjects),
                pointer(self.words[2 * track :]),
            )


class CpuScan:
    """Scores of one or two queries against all subjects, in the order the subjects were given."""

    def __init__(
        self,
        database: CpuDatabase,
        profiles: Sequence[np.ndarray],
        arithmetic: Arithmetic,
        tile: Tile,
        sanitize: bool = False,
        gaps: Sequence[PositionGaps] = (),
    ) -> None:
        self.database = database
        self.gaps = [np.stack(one.columns) for one in gaps] or [None] * len(profiles)
        self.profiles = [np.ascontiguousarray(profile.T, dtype=np.int16) for profile in profiles]
        self.sanitize = sanitize
        self.stride = 2 * database.layout.twins
        self.raw = np.full((len(profiles), self.stride), -77, dtype=np.int32)
        self.redo = np.zeros((len(profiles), self.stride + 1), dtype=np.int32)
        self.cancel = np.zeros(1, dtype=np.int32)
        self.arithmetic = arithmetic
        self.tile = tile

    def run(self, redo: np.ndarray | None = None, query: int = 0) -> CpuScan:
        layout = self.database.layout
        length = max(profile.shape[1] for profile in self.profiles)
        halves = 1 if self.arithmetic.twins is Twins.SUBJECTS else 2
        border = np.full((1 + halves * self.database.blocks) * 8, 0x55555555, dtype=np.uint32)
        two = self.arithmetic.twins is Twins.QUERIES
        for first_row, variant in passes(self.tile, self.arithmetic, length):
            built = library("streaming_on_cpu.cpp", variant.defines(), self.sanitize)
            built.shared_bytes.restype = ctypes.c_size_t
            assert built.shared_bytes() == variant.shared_bytes
            units = layout.units(0, layout.twins, GRID * variant.groups)
            counter = np.zeros(1, dtype=np.int32)
            first = self.profiles[query]
            second = self.profiles[1] if two else None
            built.run_streaming(
                GRID,
                ctypes.c_size_t(variant.shared_bytes),
                pointer(self.database.words),
                pointer(layout.block_of),
                pointer(units),
                len(units) - 1,
                pointer(redo),
                0,
                self.database.blocks,
                pointer(first),
                first.shape[1],
                pointer(second),
                second.shape[1] if two else 0,
                pointer(self.gaps[query]),
                pointer(self.gaps[1] if two else None),
                first_row,
                pointer(counter),
                pointer(self.raw[query:]),
                ctypes.c_longlong(self.stride),
                pointer(self.redo),
                pointer(border),
                pointer(self.cancel),
                None,
            )
        return self

    def redo_in_32_bits(self, wide: Arithmetic, tile: Tile) -> None:
        """The work of `Scan.redo_in_32_bits` on a device."""
        narrow = self.arithmetic, self.tile
        self.arithmetic, self.tile = wide, tile
        for query, entries in enumerate(self.redo.copy()):
            if entries[0]:
                self.run(np.ascontiguousarray(entries[: 1 + entries[0]]), query)
        self.arithmetic, self.tile = narrow

    @property
    def scores(self) -> np.ndarray:
        """Shape (queries, subjects)."""
        count = len(self.database.order)
        given = np.empty((len(self.raw), count), dtype=np.int64)
        given[:, self.database.order] = self.raw[:, :count]
        return given


def scores_of_several(
    database: CpuDatabase, profiles: Sequence[np.ndarray], arithmetic: Arithmetic, tile: Tile, sanitize: bool = False
) -> np.ndarray:
    """Scores of twins of queries that share a launch, shape (queries, subjects)."""
    given = [np.ascontiguousarray(profile.T, dtype=np.int16) for profile in profiles]
    variant = KernelVariant(arithmetic, tile, several=True)
    built = library("streaming_on_cpu.cpp", variant.defines(), sanitize)
    layout, stride, blocks = database.layout, 2 * database.layout.twins, GRID
    raw = np.full((len(given), stride), -77, dtype=np.int32)
    redo = np.zeros((len(given), stride + 1), dtype=np.int32)
    units = layout.units(0, layout.twins, blocks * variant.groups)
    kept = [np.concatenate([profile.ravel() for profile in given]), np.zeros(len(given) // 2, dtype=np.int32)]
    letters, lengths = len(given[0]), [profile.shape[1] for profile in given]
    kept += [np.zeros(1, dtype=np.int32), kernel_table(letters, lengths, blocks)]
    built.run_streaming(
        blocks * (len(given) // 2),
        ctypes.c_size_t(variant.shared_bytes),
        pointer(database.words),
        pointer(layout.block_of),
        pointer(units),
        len(units) - 1,
        None,
        0,
        database.blocks,
        pointer(kept[0]),
        *(0, None, 0, None, None, 0),
        pointer(kept[1]),
        pointer(raw),
        ctypes.c_longlong(stride),
        pointer(redo),
        None,
        pointer(kept[2]),
        pointer(kept[3]),
    )
    assert not redo[:, 0].any()
    scores = np.empty((len(given), len(database.order)), dtype=np.int64)
    scores[:, database.order] = raw[:, : len(database.order)]
    return scores


def arithmetic_for(
    twins: Twins,
    profiles: Sequence[np.ndarray],
    gap_first: int,
    gap_extend: int,
    *,
    dpx: bool = True,
    period: int = 4,
) -> Arithmetic:
    lowest = min(int(profile.min()) for profile in profiles)
    highest = max(int(profile.max()) for profile in profiles)
    costs = Costs(profiles[0].shape[1], gap_first, gap_extend, lowest, highest)
    arithmetic = plan_arithmetic(twins, costs, dpx=dpx, period=period)
    assert arithmetic.twins is twins
    return arithmetic


class CpuGpu:
    """The calls of the host's code to a GPU, with arrays of NumPy; the test of a kernel describes its launch."""

    def __init__(self):
        self.cupy = SimpleNamespace(cuda=SimpleNamespace(Stream=self._stream))
        self.launches = []

    def _stream(self, **_):
        stream = contextlib.nullcontext()
        stream.synchronize = lambda: None
        stream.done = True
        return stream

    at_work = staticmethod(contextlib.nullcontext)

    def empty(self, size, dtype):
        return np.full(size, 77, dtype=dtype)

    def constant(self, host):
        return host.copy()

    def upload(self, target, source, stream):
        target[: len(source)] = source

    def download(self, target, source, stream):
        target.ravel()[:] = source[: target.size]
