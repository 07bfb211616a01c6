"""`striped-score`, `striped-align`, `chunked-align-1` and `chunked-align-2`: one long pair, strip by strip.

After J. Li, S. Ranka and S. Sahni, "Pairwise Sequence Alignment for Very Long Sequences on GPUs" (2012). All four
compute every cell once in strips over all multiprocessors, in one launch. The three alignments also keep the strips'
border columns with the *start states* of the optimal paths to each border cell, look up from the best cell which
strips (or chunks) the path runs through, and compute just those again, all at once, for the path inside them.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.methods.base import AUTO
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
)
from swgui.core.scoring import ScoringScheme
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import device
from swgui.engines.cuda.gpu import SHORT_SECONDS, Gpu
from swgui.engines.pair.base import nothing_aligned, rescored
from swgui.papers.memory import CountedMemory
from swgui.papers.striped.run import Launch, StripRun, best_of
from swgui.papers.striped.shape import (
    LARGEST,
    STATE_WORDS,
    Sides,
    States,
    StripShape,
    formula_of,
    memory_of,
    rows_at_once,
)

LOOK_SECONDS: Final = 0.0005  # between two looks whether the kernel is done
TELL_SECONDS: Final = 0.15  # between two reports of progress
WIDTHS: Final = (64, 128, 256, 512, 1024, 2048, 4096)
CLOCK: Final = 1.9e9  # per second, of a GPU that works
PARTS: Final = 4  # of a multiprocessor, each issuing for its own warps
# Clocks of one step of a warp, as measured on an H200: (alone: fixed, per column), (each warp of several that share a
# part: fixed, per column). With start states there is more to do per column.
STEP: Final = {
    States.NONE: ((200.0, 88.0), (36.0, 72.0)),
    States.STRIP: ((250.0, 105.0), (0.0, 101.0)),
    States.CHUNK: ((270.0, 110.0), (10.0, 104.0)),
}
MAX_WARPS: Final = 16  # that compute on one multiprocessor, with the registers that these kernels take
BATCH: Final = 32  # T unless it is set
CHUNK: Final = 512  # h unless it is set
STATIC_SHARED: Final = 64  # bytes of shared memory that kernels need in addition


class GpuMachine(CountedMemory):
    """Runs kernels on a GPU, one after the other; used inside `Gpu.at_work`."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self.stream = gpu.copy_stream
        self._mark: Any = None

    def zeros(self, purpose: str, size: int, dtype: Any) -> Any:
        """Allocate a device array of zeros, counted under a purpose."""
        array = self.counted(purpose, self.gpu.empty(size, dtype))
        if array.nbytes:
            self.gpu.clear(array, self.stream)
        return array

    def put(self, purpose: str, host: NDArray[Any]) -> Any:
        return self.counted(purpose, self.gpu.constant(np.ascontiguousarray(host)))

    def get(self, array: Any) -> NDArray[Any]:
        """Copy a device array to the host, after everything that was launched."""
        host = np.zeros(array.size, array.dtype)
        self.stream.synchronize()
        if host.nbytes:
            self.gpu.download(host, array, self.stream)
            self.stream.synchronize()
        return host

    def peek(self, array: Any) -> NDArray[Any]:
        return self.gpu.peek(array)

    @property
    def cancel(self) -> Any:
        return self.gpu.cancel_flag

    def launch(
        self, file: str, kernel: str, defines: tuple[str, ...], blocks: int, shape: Launch, args: list[Any]
    ) -> None:
        """Start a kernel with at most so many blocks, fewer if the GPU cannot hold as many at once."""
        function = self.gpu.kernel(file, kernel, defines, shape.shared_bytes)
        grid = min(blocks, self.resident(function, shape))
        with self.stream:
            function((grid,), (shape.threads,), tuple(args), shared_mem=shape.shared_bytes)

    def resident(self, function: Any, shape: Launch) -> int:
        """Blocks of a kernel that the GPU holds at once."""
        blocks = self.gpu.blocks_at_once(function, shape.threads, shape.shared_bytes)
        return max(1, blocks) * self.gpu.multiprocessors

    def watch(self, cancel: threading.Event, expected: float, seconds: list[float]) -> Iterator[bool]:
        """Wait for the launches since `mark`; yields now and then, and False at the end if the user cancelled.

        Closing the iterator early stops the kernels, too.

        Parameters
        ----------
        expected : float
            Expected seconds. A wait that ends before anyone could cancel it does not look for a stop.
        seconds : list of float
            The time it took is appended.
        """
        with self.gpu.at_work():
            event = self.gpu.cupy.cuda.Event()
            event.record(self.stream)
            if expected < SHORT_SECONDS and not cancel.is_set():
                event.synchronize()
        told = time.perf_counter()
        over = False
        try:
            while not over:
                with self.gpu.at_work():
                    over = bool(event.done)
                if over:
                    break
                if cancel.wait(LOOK_SECONDS):
                    yield False
                    return
                if time.perf_counter() - told > TELL_SECONDS:
                    told = time.perf_counter()
                    yield True
        finally:
            if not over:
                with self.gpu.at_work():
                    self.gpu.stop()
        with self.gpu.at_work():
            self.stream.synchronize()  # description of an error, if there was one
            seconds.append(self.gpu.cupy.cuda.get_elapsed_time(self._mark, event) / 1000)

    def mark(self) -> None:
        """Begin the time that `watch` measures."""
        self._mark = self.gpu.cupy.cuda.Event()
        self._mark.record(self.stream)

    def elapsed(self) -> float:
        """Seconds since `mark`, after everything that was launched."""
        event = self.gpu.cupy.cuda.Event()
        event.record(self.stream)
        event.synchronize()
        return float(self.gpu.cupy.cuda.get_elapsed_time(self._mark, event)) / 1000


@dataclass(frozen=True, slots=True)
class StripChoice:
    """A strip width, its expected time in seconds, and a note for the user."""

    strip: int
    seconds: float
    remarks: tuple[str, ...]


def expected_seconds(shape: StripShape, rows: int, columns: int, multiprocessors: int) -> float:
    """Estimate phase 1.

    The paper's section IV: a strip can begin once its left neighbour's first T rows have come through; from then on all
    strips that the GPU holds run together.
    """
    strips = shape.strips(columns)
    per = max(1, MAX_WARPS // shape.warps)
    held = max(1, min(strips, per * multiprocessors))
    (fixed, column), (busy_fixed, busy_column) = STEP[shape.states]
    # Blocks of other than four computing warps do not spread evenly over the parts of a multiprocessor.
    parts = PARTS if shape.warps % PARTS == 0 else PARTS / 2
    together = math.ceil(held / multiprocessors) * shape.warps / parts
    step = max(fixed + column * shape.columns, together * (busy_fixed + busy_column * shape.columns))
    late = (shape.warps * shape.delay(shape.states) + 2) * shape.batch  # rows that a strip is behind the one before it
    going = max(rows * strips / held, late * strips) + min(rows, late * held)
    return going / rows_at_once(shape.states) * step / CLOCK


def choose_strip(
    method: str,
    shape_of: Callable[[int], StripShape],
    problem: Callable[[StripShape], str],
    rows: int,
    columns: int,
    multiprocessors: int,
) -> tuple[StripShape, StripChoice]:
    """Choose the width that is expected to be fastest, of those that fit.

    Parameters
    ----------
    shape_of, problem : callable
        The shape of a width, and why it cannot be (empty if it can).

    Raises
    ------
    InvalidParameter
        If no width fits, with the method that can align the pair.
    """
    shapes = [shape_of(width) for width in WIDTHS]
    problems = [problem(shape) for shape in shapes]
    fitting = [shape for shape, trouble in zip(shapes, problems, strict=True) if not trouble]
    if not fitting:
        raise InvalidParameter(
            "method",
            method,
            f"The method '{method}' cannot do {rows:,} x {columns:,} residues: a strip width of {shapes[-1].strip} "
            f"{problems[-1]}.",
            hint="Choose the method wavefront or cpu.",
        )
    best = min(fitting, key=lambda shape: expected_seconds(shape, rows, columns, multiprocessors))
    widest = (
        [f"Strips narrower than {fitting[0].strip} would {problems[0].replace('takes', 'take', 1)}."]
        if problems[0]
        else []
    )
    return best, StripChoice(best.strip, expected_seconds(best, rows, columns, multiprocessors), tuple(widest))


@dataclass(frozen=True, slots=True)
class StripMethod:
    """Facts that set one of the four methods apart."""

    states: States
    chunked: bool = False


METHODS: Final[Mapping[str, StripMethod]] = MappingProxyType(
    {
        "striped-score": StripMethod(States.NONE),
        "striped-align": StripMethod(States.STRIP),
        "chunked-align-1": StripMethod(States.STRIP, chunked=True),
        "chunked-align-2": StripMethod(States.CHUNK, chunked=True),
    }
)


def create_pair_engine(method: str, options: EngineOptions) -> StripedEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    probed = device.probe()
    if not probed.available:
        raise EngineUnavailable(method, probed.reason, hint=probed.hint)
    PAIR_METHODS[method].check(options.settings)
    chosen = check_one_device(method, device.choose(probed.devices, options.devices))
    return StripedEngine(method, Gpu(device.import_cupy(), chosen), options.settings)


def check_one_device(method: str, chosen: Sequence[DeviceInfo]) -> DeviceInfo:
    """Refuse several devices."""
    if len(chosen) > 1:
        raise InvalidParameter(
            "device",
            ",".join(info.id for info in chosen),
            f"The method '{method}' runs on one device.",
            hint="Name one, or choose the method wavefront.",
        )
    return chosen[0]


def score_too_large(method: str, limit: int) -> EngineFault:
    """Make the error for a pair whose score could exceed the largest that a method can report."""
    return EngineFault(
        f"A score of this pair may be above {limit:,} and could not be reported by '{method}'.",
        hint="Use a matrix with smaller values, or choose the method cpu.",
    )


def check_problem(method: str, problem: PairProblem) -> None:
    """Refuse problems that the published methods do not cover."""
    if problem.mode is not PairMode.LOCAL:
        raise InvalidParameter(
            "mode",
            problem.mode.value,
            f"The method '{method}' finds local alignments only.",
            hint="Choose the method wavefront or cpu.",
        )
    if problem.excluded:
        raise InvalidParameter(
            "limit",
            len(problem.excluded) + 1,
            f"The method '{method}' finds the best alignment only, not the next ones.",
            hint="Choose the method wavefront or cpu.",
        )


class StripedEngine:
    """One of the four methods on one GPU.

    Parameters
    ----------
    settings : Mapping[str, str]
        ``strip``, ``chunk`` and ``threshold``, each a number or ``auto``; missing keys are ``auto``.
    """

    def __init__(self, method: str, gpu: Gpu, settings: Mapping[str, str]) -> None:
        self.method = method
        self.devices: tuple[DeviceInfo, ...] = (gpu.info,)
        self.phases: dict[str, float] = {}  # seconds of each phase of the last run, as the paper reports them
        self._gpu = gpu
        self._kind = METHODS[method]
        self._settings = dict(settings)

    def plan(self, problem: PairProblem) -> PairPlan:
        self._check(problem)
        sides = Sides.of(problem)
        shape, chosen = self._shape(sides, problem.scheme)
        return self._plan(shape, chosen, len(sides.rows), len(sides.columns), len(problem.scheme.alphabet))

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment; there are no checkpoints, so `resume` is not looked at."""
        self._check(problem)
        sides = Sides.of(problem)
        rows, columns = len(sides.rows), len(sides.columns)
        if min(rows, columns) * sides.highest + 4 * problem.scheme.gap_first >= LARGEST:
            raise score_too_large(self.method, LARGEST)
        if not rows or not columns or not sides.highest:
            yield from nothing_aligned(problem)
            return
        shape, _ = self._shape(sides, problem.scheme)
        machine = GpuMachine(self._gpu)
        self.phases = {}
        with self._gpu.at_work():
            run = StripRun(machine, shape, sides)
        expected = expected_seconds(shape, rows, columns, self._gpu.multiprocessors)
        yield from self._align(machine, run, expected, problem, cancel)

    def close(self) -> None:
        self._gpu.release()

    def _align(
        self,
        machine: GpuMachine,
        run: StripRun,
        expected: float,
        problem: PairProblem,
        cancel: threading.Event,
    ) -> Iterator[PairStep]:
        cells = problem.cells
        seconds: list[float] = []
        with self._gpu.at_work():
            machine.mark()
            run.start_scoring()
        for goes_on in machine.watch(cancel, expected, seconds):
            if not goes_on:
                return
            yield self._progress(machine, run, cells)
        with self._gpu.at_work():
            end = run.end()
        self.phases["phase 1"] = seconds[-1]
        yield PairProgress("Scoring", cells, cells, best=end)
        yield PairScored(end)
        if problem.score_only:
            return
        if not end.score:
            yield PairAligned(Alignment.from_runs(0, 0, (), 0), machine.used_bytes)
            return
        with self._gpu.at_work():
            machine.mark()
            pieces = run.find_pieces()
            self.phases["phase 2"] = machine.elapsed()
            again = run.start_path(pieces)
        for goes_on in machine.watch(cancel, expected, seconds):
            if not goes_on:
                return
            yield PairProgress("Aligning", cells, cells + again, best=end)
        with self._gpu.at_work():
            alignment = run.alignment(pieces)
        self.phases["phase 3"] = seconds[-1] - self.phases["phase 2"]
        answer = rescored(problem, alignment, end.score, machine.used_bytes)
        yield PairProgress("Aligning", cells + again, cells + again, best=end)
        yield answer

    def _progress(self, machine: GpuMachine, run: StripRun, cells: int) -> PairProgress:
        with self._gpu.at_work():
            rows = int(machine.peek(run.done)[0])
            best = best_of(machine.peek(run.best_cells).reshape(-1, 4), column_first=run.shape.column_first)
        ends = (best[1] + 1, best[2] + 1)
        end = PairEnd(best[0], *(reversed(ends) if run.sides.swapped else ends)) if best[0] else None
        return PairProgress("Scoring", min(rows * run.shape.strip, cells), cells, best=end)

    def _check(self, problem: PairProblem) -> None:
        check_problem(self.method, problem)
        if not problem.score_only and self._kind.states is States.NONE:
            raise InvalidParameter(
                "score-only",
                "no",
                f"The method '{self.method}' finds the score and where the alignment ends, not the alignment.",
                hint="Ask for the score only, or choose striped-align, chunked-align-1, chunked-align-2 or wavefront.",
            )

    def _setting(self, name: str) -> int | None:
        value = self._settings.get(name, AUTO)
        return None if value == AUTO else int(value)

    def _shape(self, sides: Sides, scheme: ScoringScheme) -> tuple[StripShape, StripChoice]:
        rows, columns, letters = len(sides.rows), len(sides.columns), len(scheme.alphabet)
        score_bytes = sides.score_bytes(scheme.gap_first)
        with self._gpu:
            free = self._gpu.free_memory()

        def shape_of(strip: int) -> StripShape:
            chunk = (self._setting("chunk") or CHUNK) if self._kind.chunked else 0
            return StripShape(
                strip=strip,
                chunk=chunk,
                batch=self._setting("threshold") or BATCH,
                states=self._kind.states,
                letters=letters,
                score_bytes=score_bytes,
                gap_first=scheme.gap_first,
                gap_extend=scheme.gap_extend,
                column_first=not sides.swapped,
                dpx=self._gpu.dpx,
            )

        def problem(shape: StripShape) -> str:
            needed = shape.shared_bytes(shape.states)
            limit = self._gpu.shared_limit
            if needed + STATIC_SHARED > limit:
                return f"takes {needed // 1024} KiB of shared memory, {self._gpu.label} has {limit // 1024}"
            if shape.states is States.STRIP and (rows + 2) * (shape.strip + 2) >= STATE_WORDS:
                return f"has more start states than fit 32 bits at {rows:,} rows"
            memory = sum(memory_of(shape, rows, columns, letters).values())
            if memory > free:
                return (
                    f"takes {memory / 2**20:,.0f} MiB of device memory, {self._gpu.label} has {free / 2**20:,.0f} free"
                )
            return ""

        asked = self._setting("strip")
        if asked is not None:
            shape = shape_of(asked)
            if trouble := problem(shape):
                raise InvalidParameter(
                    "strip",
                    asked,
                    f"A strip width of {asked} {trouble}.",
                    hint="Leave the strip width to the program, or choose the method wavefront or cpu.",
                )
            return shape, StripChoice(asked, expected_seconds(shape, rows, columns, self._gpu.multiprocessors), ())
        return choose_strip(self.method, shape_of, problem, rows, columns, self._gpu.multiprocessors)

    def _plan(self, shape: StripShape, chosen: StripChoice, rows: int, columns: int, kinds: int) -> PairPlan:
        cells = rows * columns
        aligned = self._kind.states is not States.NONE
        again = (
            0
            if not aligned
            else cells + rows * shape.strip
            if not shape.chunk
            else (rows + shape.most_pieces(rows, columns) * shape.chunk) * shape.strip
        )
        settings = {"strip": str(shape.strip), "threshold": str(shape.batch)}
        if shape.chunk:
            settings["chunk"] = str(shape.chunk)
        memory = memory_of(shape, rows, columns, kinds)
        remarks = [*chosen.remarks, "There are no checkpoints: after a restart this method begins again."]
        if aligned:
            remarks.append(
                f"Directions take at most {memory['directions'] / 2**20:,.1f} MiB; the paper's formula gives "
                f"{formula_of(shape, rows, columns) / 2**20:,.1f} MiB."
            )
        return PairPlan(
            method=self.method,
            devices=(self._gpu.label,),
            cells=cells,
            cells_at_most=cells + again,
            memory=memory,
            settings=settings,
            seconds=chosen.seconds,
            remarks=tuple(remarks),
        )
