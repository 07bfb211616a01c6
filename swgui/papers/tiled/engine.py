"""`tiled`: one pair in tiles along anti-diagonals, with kernels launched in three ways.

After the paper on tiling with dynamic and concurrent kernels: the score matrix is cut into tiles of t x t cells whose
borders live in host memory, page-locked or pageable. Tiles on one anti-diagonal are independent and go to concurrent
streams; the anti-diagonals of blocks inside a tile are launched one by one from the host, or all at once as a captured
graph, or by a kernel on the device. For the alignment the tiles that the path runs through are computed again with
directions, from the last one back; the paper leaves that to the CPU.
"""

from __future__ import annotations

import importlib.util
import math
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.methods.base import AUTO
from swgui.core.methods.occupancy import card_limits
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
)
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import device
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.modules import STANDARD, with_defines
from swgui.engines.pair.base import nothing_aligned, rescored
from swgui.papers.memory import CountedMemory
from swgui.papers.occupancy.equations import tile_limits
from swgui.papers.striped.engine import check_one_device, check_problem, score_too_large

# Tiles of the score matrix of one pair: their size, number and memory.  After the paper on tiling with dynamic and
# concurrent kernels: its equations 7 to 9 (`swgui.papers.occupancy.equations.tile_limits`) give the size that a tile
# needs so that its diagonal keeps all cores busy, and the largest that fits the memory.

BLOCK: Final = 128  # rows and columns of a block of cells
LONGEST: Final = 65_536  # residues of either sequence
LARGEST: Final = 1 << 29  # scores stay below
STREAMS: Final = 8  # tiles under way at once
NEVER: Final = -(1 << 29)  # as in tile_params.cuh
POSITION_BITS: Final = 17
LIBRARIES: Final = ("libcudadevrt.a", "cudadevrt.lib")
FOLDERS: Final = ("lib64", "lib", "lib/x64")
FILE: Final = "papers/pair_tiled.cu"
METHOD: Final = "tiled"
DIRECTIONS_PER_BYTE: Final = 2  # cells of a tile whose directions are kept


@dataclass(frozen=True, slots=True)
class TileShape:
    """Cuts of the matrix, with all constants that the kernels are compiled for."""

    tile: int  # the paper's t, a multiple of `BLOCK`
    letters: int
    gap_first: int
    gap_extend: int

    @property
    def affine(self) -> bool:
        """Whether a gap's first residue costs more than the others, so that E and F are needed."""
        return self.gap_first != self.gap_extend

    @property
    def border_words(self) -> int:
        """32-bit words of a value on a border: H, and with affine gaps E or F."""
        return 2 if self.affine else 1

    @property
    def blocks(self) -> int:
        """Blocks along a side of a tile."""
        return self.tile // BLOCK

    @property
    def diagonals(self) -> int:
        """Anti-diagonals of blocks: launches per tile."""
        return 2 * self.blocks - 1

    def grid(self, diagonal: int) -> int:
        """Blocks on an anti-diagonal."""
        return min(diagonal + 1, self.diagonals - diagonal)

    def defines(self, *, directions: bool = False) -> tuple[str, ...]:
        return (
            f"-DTILE_BLOCK={BLOCK}",
            f"-DTILE_AFFINE={int(self.affine)}",
            f"-DTILE_LETTERS={self.letters}",
            f"-DTILE_FIRST={self.gap_first}",
            f"-DTILE_FURTHER={self.gap_extend}",
            f"-DTILE_DIRECTIONS={int(directions)}",
        )

    def tiles(self, length: int) -> int:
        return -(-length // self.tile)

    def at_once(self, rows: int, columns: int) -> int:
        """Tiles that can be under way at once: those of the longest anti-diagonal, as far as there are streams."""
        return max(1, min(self.tiles(rows), self.tiles(columns), STREAMS))


def memory_of(shape: TileShape, rows: int, columns: int, kinds: int, *, aligned: bool) -> dict[str, int]:
    """Return the device memory of a run by purpose, in bytes; the buffers are those of `kernels/papers/pair_tiled.cu`.

    Parameters
    ----------
    kinds : int
        Rows of the table of scores: query letters, or query positions.
    """
    borders = 2 * shape.tile * 4 * shape.border_words + 4 * (2 * shape.blocks + 2) + 16
    memory = {
        "sequences": rows + columns + 2 * kinds * shape.letters,
        "tile borders": shape.at_once(rows, columns) * borders + 8,
    }
    if aligned:
        memory["directions"] = shape.tile * shape.tile // 2
        memory["path"] = 2 * shape.tile + 20
    return memory


def host_bytes(shape: TileShape, rows: int, columns: int) -> int:
    """Bytes of host memory that the borders of all tiles take."""
    lines = (shape.tiles(rows) + 1) * columns + (shape.tiles(columns) + 1) * rows
    return 4 * shape.border_words * lines


@dataclass(frozen=True, slots=True, eq=False)
class TileWork:
    """One tile, with the parts of the borders that go in and come out."""

    place: NDArray[np.int32]  # shape (4,): first row, first column, rows, columns
    # top, left: values above and left of it
    top: NDArray[np.int32]
    left: NDArray[np.int32]
    # H up-left of the blocks of the first row and column, and 0: the number of launches so far, shape (2 x blocks +
    # 2,).
    corners: NDArray[np.int32]
    # bottom, right: where those of its last row and column go
    bottom: NDArray[np.int32]
    right: NDArray[np.int32]


class TileMachine(Protocol):
    """Machine that computes tiles: a GPU, or in tests the CPU."""

    def border(self, lines: int, length: int, words: int) -> NDArray[np.int32]:
        """Allocate a host array of such a shape."""

    def fill(self, work: TileWork) -> None:
        """Begin to compute a tile; other tiles may run at the same time until `finish`."""

    def finish(self) -> None:
        """Wait for all tiles."""

    def best(self) -> int:
        """Return the best cell so far as the kernels pack it."""

    def trace(self, work: TileWork, cursor: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Compute a tile with directions and walk through it; `cursor` is as in ``walk_tile``."""


@dataclass(slots=True, eq=False)
class TileRun:
    """The borders of all tiles of one pair."""

    machine: TileMachine
    shape: TileShape
    rows: int
    columns: int
    _across: NDArray[np.int32] = field(init=False, repr=False)  # above each row of tiles, and below the last
    _down: NDArray[np.int32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = self.shape
        self._across = self.machine.border(shape.tiles(self.rows) + 1, self.columns, shape.border_words)
        self._down = self.machine.border(shape.tiles(self.columns) + 1, self.rows, shape.border_words)
        for border in (self._across, self._down):
            border[0, :, 0] = 0
            border[0, :, 1:] = NEVER

    @property
    def diagonals(self) -> int:
        return self.shape.tiles(self.rows) + self.shape.tiles(self.columns) - 1

    def fill(self, diagonal: int) -> Iterator[int]:
        """Compute the tiles of an anti-diagonal; yields the cells of each when it has been begun."""
        across, down = self.shape.tiles(self.columns), self.shape.tiles(self.rows)
        for i in range(max(0, diagonal - across + 1), min(diagonal, down - 1) + 1):
            work = self.work(i, diagonal - i)
            self.machine.fill(work)
            yield int(work.place[2]) * int(work.place[3])
        self.machine.finish()

    def work(self, i: int, j: int) -> TileWork:
        """Return the tile in row `i` and column `j` of tiles."""
        size = self.shape.tile
        row, column = i * size, j * size
        last_row, last_column = min(row + size, self.rows), min(column + size, self.columns)
        top, left = self._across[i, column:last_column], self._down[j, row:last_row]
        middle = self.shape.blocks
        corners = np.zeros(2 * middle + 2, dtype=np.int32)
        corners[middle] = self._across[i, column - 1, 0] if i and j else 0
        # The corner of a block on the tile's first row (column) is the last value above (left of) the block before it.
        above, beside = top[BLOCK - 1 :: BLOCK, 0], left[BLOCK - 1 :: BLOCK, 0]
        corners[middle - len(above) : middle] = above[::-1]
        corners[middle + 1 : middle + 1 + len(beside)] = beside
        return TileWork(
            place=np.array([row, column, last_row - row, last_column - column], dtype=np.int32),
            top=top,
            left=left,
            corners=corners,
            bottom=self._across[i + 1, column:last_column],
            right=self._down[j + 1, row:last_row],
        )

    def end(self) -> PairEnd:
        """Return the best cell of the tiles that are finished."""
        packed = self.machine.best()
        if not packed:
            return PairEnd(0, 0, 0)
        last = (1 << POSITION_BITS) - 1
        row, column = last - (packed & last), last - (packed >> POSITION_BITS & last)
        return PairEnd(packed >> 2 * POSITION_BITS, row + 1, column + 1)

    def path(self, end: PairEnd) -> Iterator[int | Alignment]:
        """Walk from the best cell back through its tiles, each computed again; yields their cells, then the alignment.

        Raises
        ------
        EngineFault
            If the walk does not end where a path can begin.
        """
        size = self.shape.tile
        row, column, matrix = end.query_end, end.subject_end, 0
        parts = []
        begins = False
        while row and column and not begins:
            i, j = (row - 1) // size, (column - 1) // size
            work = self.work(i, j)
            cursor = np.array([row - i * size, column - j * size, matrix, 0, 0], dtype=np.int32)
            parts.append(self.machine.trace(work, cursor))
            before = row, column
            row, column, matrix = i * size + int(cursor[0]), j * size + int(cursor[1]), int(cursor[2])
            begins = bool(cursor[4])
            if (row, column) == before and not begins:
                break
            yield int(work.place[2]) * int(work.place[3])
        if not begins and ((row and column) or matrix):
            raise EngineFault(
                "The path through the tiles does not reach where it begins: a fault in the program.",
                hint="Align with another method, and report this with both sequences.",
            )
        path = np.concatenate([*parts, np.zeros(0, np.uint8)])[::-1]
        edges = np.flatnonzero(np.diff(path, prepend=255, append=255))
        runs = zip(path[edges[:-1]].tolist(), np.diff(edges).tolist(), strict=True)
        yield Alignment.from_runs(row, column, runs, end.score)


def check_launches(shape: TileShape, counted: int) -> None:
    """Refuse a tile of which not every anti-diagonal was computed.

    Raises
    ------
    EngineFault
    """
    if counted != shape.diagonals:
        raise EngineFault(
            f"Of {shape.diagonals} launches for a tile {counted} took place.",
            hint="Choose other launches (streams or graph), or another method.",
        )


def launches(shape: TileShape, pointers: tuple[Any, ...]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Return blocks and arguments of every launch of one tile, in order."""
    for diagonal in range(shape.diagonals):
        yield shape.grid(diagonal), (*pointers, np.int32(shape.blocks), np.int32(diagonal))


def device_runtime(cupy: Any) -> Path | None:
    """Return the path of the library for launches from the device: in the CUDA toolkit, or in NVIDIA's wheels."""
    return next((path for path in _candidates(cupy) if path.is_file()), None)


def _candidates(cupy: Any) -> Iterator[Path]:
    home = cupy.cuda.get_cuda_path()
    for folder in FOLDERS if home else ():
        for name in LIBRARIES:
            yield Path(home) / folder / name
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        for name in LIBRARIES:
            yield from sorted(Path(root).glob(f"**/{name}"))


def load_dynamic(cupy: Any, file: str, kernel: str, defines: tuple[str, ...]) -> Any:
    """Compile and link a kernel that launches others, for the current device.

    Raises
    ------
    InvalidParameter
        If it cannot be done here, with the reason and the other ways of launching.
    """
    library = device_runtime(cupy)
    if library is None:
        raise _refusal("the library cudadevrt is not installed.")
    try:
        linker = cupy.cuda.function.LinkState()
        linker.add_ptr_data(_ptx(cupy, with_defines(file, defines), file), f"{file}.ptx")
        linker.add_ptr_file(str(library))
        module = cupy.cuda.function.Module()
        module.load(linker.complete())
        return module.get_function(kernel)
    except (cupy.cuda.nvrtc.NVRTCError, cupy.cuda.driver.CUDADriverError, RuntimeError) as error:
        text = str(error).strip().splitlines()
        raise _refusal(f"CUDA cannot link such kernels ({text[0] if text else type(error).__name__}).") from error


def _ptx(cupy: Any, text: str, name: str) -> bytes:
    nvrtc = cupy.cuda.nvrtc
    program = nvrtc.createProgram(text, name, (), ())
    try:
        options = (f"-arch=compute_{cupy.cuda.Device().compute_capability}", STANDARD, "-rdc=true")
        nvrtc.compileProgram(program, options)
        ptx = nvrtc.getPTX(program)
    finally:
        nvrtc.destroyProgram(program)
    return ptx if isinstance(ptx, bytes) else str(ptx).encode()


def _refusal(reason: str) -> InvalidParameter:
    return InvalidParameter(
        "launch",
        "dynamic",
        f"Kernels cannot be launched from the device here: {reason}",
        hint="Choose the launches 'streams' or 'graph', or install the CUDA toolkit with its library cudadevrt.",
    )


@dataclass(slots=True, eq=False)
class TileSlot:
    """A stream and the buffers of the tile it works on."""

    stream: Any
    place: Any = field(repr=False)
    top: Any = field(repr=False)
    left: Any = field(repr=False)
    corners: Any = field(repr=False)
    counted: NDArray[np.int32] = field(repr=False)  # launches of the tile that is done
    graph: Any = field(default=None, repr=False)
    work: TileWork | None = field(default=None, repr=False)  # keeps the source of the copy alive


class GpuTiles(CountedMemory):
    """Computes tiles on a GPU.

    Parameters
    ----------
    gpu : Gpu
        Its host memory is page-locked or not, as the method's setting says.
    way : {"streams", "dynamic", "graph"}
    slots : int
        Tiles under way at once.
    query, subject : ndarray, dtype=uint8
    table : ndarray, shape=(kinds, letters), dtype=int16
    by_position : bool
        Whether the rows of `table` are those of the query's positions, not of its letters.
    """

    def __init__(
        self,
        gpu: Gpu,
        shape: TileShape,
        way: str,
        slots: int,
        query: NDArray[np.uint8],
        subject: NDArray[np.uint8],
        table: NDArray[np.int16],
        *,
        by_position: bool,
    ) -> None:
        super().__init__(gpu)
        self.shape = shape
        self.way = way
        with self.gpu.at_work():
            self._kernel = self._load(shape.defines(), "launch_tile" if way == "dynamic" else "fill_diagonal")
            self._given = (
                self.counted("sequences", gpu.constant(np.ascontiguousarray(query))),
                self.counted("sequences", gpu.constant(np.ascontiguousarray(subject))),
                self.counted("sequences", gpu.constant(np.ascontiguousarray(table).ravel())),
                np.int32(by_position),
            )
            self._best = self.counted("tile borders", gpu.empty(1, np.uint64))
            gpu.clear(self._best, gpu.copy_stream)
            gpu.copy_stream.synchronize()
            self._slots = [self._slot() for _ in range(slots)]
            self._nothing = gpu.empty(0, np.uint32)
        self._next = 0

    def border(self, lines: int, length: int, words: int) -> NDArray[np.int32]:
        with self.gpu.at_work():
            return self.gpu.host_array(lines * length * words, np.int32).reshape(lines, length, words)

    def fill(self, work: TileWork) -> None:
        """Begin to compute a tile on the next stream."""
        slot = self._slots[self._next]
        self._next = (self._next + 1) % len(self._slots)
        with self.gpu.at_work():
            self._settle(slot)
            self._enter(slot, work)
            self._launch(slot)
            self._leave(slot, work)

    def finish(self) -> None:
        with self.gpu.at_work():
            for slot in self._slots:
                self._settle(slot)

    def best(self) -> int:
        """Return the best cell so far as the kernels pack it."""
        with self.gpu.at_work():
            return int(self.gpu.peek(self._best)[0])

    def trace(self, work: TileWork, cursor: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Compute a tile with directions and walk through it."""
        shape, gpu = self.shape, self.gpu
        defines = shape.defines(directions=True)
        if "directions" not in self.used:
            with self.gpu.at_work():
                self._directions = self.counted("directions", gpu.empty(shape.tile * shape.tile // 8, np.uint32))
                self._ops = self.counted("path", gpu.empty(2 * shape.tile, np.uint8))
                self._cursor = self.counted("path", gpu.empty(5, np.int32))
        with self.gpu.at_work():
            slot = self._slots[0]
            self._enter(slot, work)
            pointers = (slot.place, *self._given, slot.top, slot.left, slot.corners, self._best, self._directions)
            fill, walk = self._load(defines, "fill_diagonal"), self._load(defines, "walk_tile")
            gpu.upload(self._cursor, cursor, slot.stream)
            with slot.stream:
                for grid, arguments in launches(shape, pointers):
                    fill((grid,), (BLOCK,), arguments)
                walk((1,), (32,), (self._directions, np.int32(shape.blocks), self._cursor, self._ops))
            gpu.download(cursor, self._cursor, slot.stream)
            gpu.download(slot.counted, slot.corners[-1:], slot.stream)
            self._settle(slot)
            ops = np.zeros(int(cursor[3]), np.uint8)
            if len(ops):
                gpu.download(ops, self._ops, slot.stream)
                slot.stream.synchronize()
        return ops

    def _slot(self) -> TileSlot:
        gpu, shape = self.gpu, self.shape
        words = shape.tile * shape.border_words
        return TileSlot(
            gpu.cupy.cuda.Stream(non_blocking=True),
            self.counted("tile borders", gpu.empty(4, np.int32)),
            self.counted("tile borders", gpu.empty(words, np.int32)),
            self.counted("tile borders", gpu.empty(words, np.int32)),
            self.counted("tile borders", gpu.empty(2 * shape.blocks + 2, np.int32)),
            gpu.host_array(1, np.int32),
        )

    def _enter(self, slot: TileSlot, work: TileWork) -> None:
        slot.work = work
        for target, source in (
            (slot.place, work.place),
            (slot.top, work.top),
            (slot.left, work.left),
            (slot.corners, work.corners),
        ):
            self.gpu.upload(target, source, slot.stream)

    def _leave(self, slot: TileSlot, work: TileWork) -> None:
        self.gpu.download(work.bottom, slot.top, slot.stream)
        self.gpu.download(work.right, slot.left, slot.stream)
        self.gpu.download(slot.counted, slot.corners[-1:], slot.stream)

    def _settle(self, slot: TileSlot) -> None:
        if slot.work is not None:
            slot.stream.synchronize()
            slot.work = None
            check_launches(self.shape, int(slot.counted[0]))

    def _pointers(self, slot: TileSlot) -> tuple[Any, ...]:
        return (slot.place, *self._given, slot.top, slot.left, slot.corners, self._best, self._nothing)

    def _launch(self, slot: TileSlot) -> None:
        shape, pointers = self.shape, self._pointers(slot)
        if self.way == "dynamic":
            with slot.stream:
                self._kernel((1,), (32,), (*pointers, np.int32(shape.blocks)))
            return
        if self.way == "graph":
            if slot.graph is None:
                slot.graph = self._captured(slot, pointers)
            slot.graph.launch(slot.stream)
            return
        with slot.stream:
            for grid, arguments in launches(shape, pointers):
                self._kernel((grid,), (BLOCK,), arguments)

    def _captured(self, slot: TileSlot, pointers: tuple[Any, ...]) -> Any:
        """Capture the launches of a tile; where it lies is read from the device, so the graph serves every tile."""
        slot.stream.synchronize()
        stream = self.gpu.cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            for grid, arguments in launches(self.shape, pointers):
                self._kernel((grid,), (BLOCK,), arguments)
            return stream.end_capture()

    def _load(self, defines: tuple[str, ...], name: str) -> Any:
        if name == "launch_tile":
            return load_dynamic(self.gpu.cupy, FILE, name, (*defines, "-DTILE_DYNAMIC"))
        return self.gpu.kernel(FILE, name, defines)


def create_pair_engine(method: str, options: EngineOptions) -> TiledEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    probed = device.probe()
    if not probed.available:
        raise EngineUnavailable(method, probed.reason, hint=probed.hint)
    PAIR_METHODS[method].check(options.settings)
    chosen = check_one_device(method, device.choose(probed.devices, options.devices))
    pinned = options.settings.get("host_memory", AUTO) != "pageable"
    return TiledEngine(Gpu(device.import_cupy(), chosen, pinned=pinned), options.settings)


class TiledEngine:
    """Tiles on one GPU.

    Parameters
    ----------
    gpu : Gpu
        With page-locked host memory or without.
    settings : Mapping[str, str]
        ``tile``, ``launch`` and ``host_memory``; missing keys are ``auto``.
    """

    method = METHOD

    def __init__(self, gpu: Gpu, settings: Mapping[str, str]) -> None:
        self.devices: tuple[DeviceInfo, ...] = (gpu.info,)
        self.phases: dict[str, float] = {}  # seconds of the last run
        self._gpu = gpu
        self._settings = dict(settings)
        launch = settings.get("launch", AUTO)
        self._way = "graph" if launch == AUTO else launch

    def plan(self, problem: PairProblem) -> PairPlan:
        check_problem(METHOD, problem)
        shape, remarks = self._shape(problem)
        rows, columns, cells = problem.rows, problem.columns, problem.cells
        tiles = shape.tiles(rows) + shape.tiles(columns)
        again = 0 if problem.score_only else min(tiles * shape.tile * shape.tile, cells)
        host = host_bytes(shape, rows, columns)
        return PairPlan(
            method=METHOD,
            devices=(self._gpu.label,),
            cells=cells,
            cells_at_most=cells + again,
            memory=memory_of(shape, rows, columns, len(problem.scheme.alphabet), aligned=not problem.score_only),
            settings={
                "tile": str(shape.tile),
                "launch": self._way,
                "host_memory": "pinned" if self._gpu.pinned else "pageable",
            },
            remarks=(*remarks, f"The borders of the tiles take {host / 2**20:,.1f} MiB of host memory."),
        )

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment; there are no checkpoints, so `resume` is not looked at."""
        check_problem(METHOD, problem)
        shape, _ = self._shape(problem)
        query, subject, scheme = problem.query, problem.subject, problem.scheme
        table = query.profile if query.profile is not None else scheme.matrix.scores
        highest = int(table.max(initial=0))
        if min(len(query), len(subject)) * highest + 4 * scheme.gap_first >= LARGEST:
            raise score_too_large(METHOD, LARGEST)
        if not len(query) or not len(subject):
            yield from nothing_aligned(problem)
            return
        machine = GpuTiles(
            self._gpu,
            shape,
            self._way,
            shape.at_once(len(query), len(subject)),
            query.codes,
            subject,
            table,
            by_position=query.profile is not None,
        )
        run = TileRun(machine, shape, len(query), len(subject))
        began = time.perf_counter()
        cells, done = problem.cells, 0
        try:
            for diagonal in range(run.diagonals):
                for filled in run.fill(diagonal):
                    done += filled
                    if cancel.is_set():
                        return
                yield PairProgress("Scoring", done, cells, best=self._best(run))
        finally:
            machine.finish()
        self.phases = {"fill": time.perf_counter() - began}
        end = run.end()
        yield PairScored(end)
        if problem.score_only:
            return
        if not end.score:
            yield PairAligned(Alignment.from_runs(0, 0, (), 0), machine.used_bytes)
            return
        began = time.perf_counter()
        for step in run.path(end):
            if cancel.is_set():
                return
            if isinstance(step, Alignment):
                self.phases["path"] = time.perf_counter() - began
                yield rescored(problem, step, end.score, machine.used_bytes)
            else:
                done += step
                yield PairProgress("Aligning", done, max(cells, done), best=end)

    def close(self) -> None:
        self._gpu.release()

    def _best(self, run: TileRun) -> PairEnd | None:
        end = run.end()
        return end if end.score else None

    def _shape(self, problem: PairProblem) -> tuple[TileShape, list[str]]:
        longer, scheme = max(problem.rows, problem.columns), problem.scheme
        if longer > LONGEST:
            raise InvalidParameter(
                "length",
                longer,
                f"The method '{METHOD}' is for sequences of at most {LONGEST:,} residues; one has {longer:,}.",
                hint="Choose the method wavefront, striped-score, chunked-align-1 or cpu.",
            )
        with self._gpu:
            free = self._gpu.free_memory()
        cores = card_limits(self.devices[0].facts["compute capability"]).cores * self._gpu.multiprocessors
        limits = tile_limits(cores, DIRECTIONS_PER_BYTE * free, 1)
        longest = BLOCK * max(1, math.ceil(longer / BLOCK))
        remarks = [
            f"On {self._gpu.label} a tile's diagonal keeps all {cores:,} cores busy from t = {limits.smallest:,} on, "
            f"and a tile fits the memory up to t = {limits.largest:,}."
        ]
        asked = self._settings.get("tile", AUTO)
        if asked == AUTO:
            wanted = BLOCK * math.ceil(limits.smallest / BLOCK)
        else:
            wanted = int(asked)
            if wanted > limits.largest:
                raise InvalidParameter(
                    "tile",
                    wanted,
                    f"A tile of {wanted:,} x {wanted:,} cells does not fit the memory of {self._gpu.label}.",
                    hint=f"It holds tiles of up to {limits.largest // BLOCK * BLOCK:,}.",
                )
        tile = min(wanted, limits.largest // BLOCK * BLOCK, longest)
        if tile < wanted:
            remarks.append(f"The tile is {tile:,}, since that holds the whole matrix.")
        return TileShape(tile, len(scheme.alphabet), scheme.gap_first, scheme.gap_extend), remarks
