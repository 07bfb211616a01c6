"""The program's own method for one long pair: `wavefront`.

The matrix is computed along packed anti-diagonals (``kernels/pair_wavefront.cu``), with borders kept every so many
rows; the alignment is found from these (`wavefront_trace`). Everything is exact: any length that the
device's memory holds a few rows of, any scheme, with pairs of residues barred that were aligned before.

Of several best alignments the one is found that ends first in the subject, then first in the query; where it starts
and how it runs is fixed too, see `wavefront_trace`, but need not be what `swgui.engines.traceback` finds. A run
that goes on from a checkpoint has fewer borders to follow, and may find another one of the best.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.errors import EngineUnavailable, InvalidParameter, ScoreMismatch
from swgui.core.pair import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProgress,
    PairScored,
    PairStep,
    PairTask,
)
from swgui.core.pair_methods import PAIR_METHODS
from swgui.core.pair_view import score_and_count
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import DeviceInfo, EngineOptions
from swgui.engines.cuda import device as cuda_device
from swgui.engines.cuda.pair.wavefront_cells import MOST, Cells, Scheme, Task, choose_cells, fit_cells, plan_cells
from swgui.engines.cuda.pair.wavefront_device import CudaDevice, Device
from swgui.engines.cuda.pair.wavefront_direct import BATCH_BYTES
from swgui.engines.cuda.pair.wavefront_pass import (
    BEST,
    BORDER_BYTES,
    DONE,
    PADDING,
    PRUNED,
    Border,
    Pass,
    Problem,
    Rectangle,
)
from swgui.engines.cuda.pair.wavefront_trace import MOST_SAVED, Forward, Saved, Stopped, Trace

METHOD: Final = "wavefront"
SAVED_SHARE: Final = 0.3  # of the free memory that kept borders may take
SAVED_BYTES: Final = 4 << 30  # and at most so many bytes
SAVED_ROWS: Final = 1024  # rows between two kept borders, at least
PRUNE_ROWS: Final = 100_000  # shorter pairs are done before pruning pays
ROUND_SECONDS: Final = 8.0  # between two checkpoints
SPEED: Final = 2.0e10  # cells per second and multiprocessor (H200)
STEP_SECONDS: Final = 6e-7  # a step of a band with little beside it
STAGES: Final = ("Scoring", "Aligning")


def create_pair_engine(method: str, options: EngineOptions) -> WavefrontEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    found = cuda_device.probe()
    if not found.available:
        raise EngineUnavailable(method, found.reason, hint=found.hint)
    PAIR_METHODS[method].check(options.settings)
    info = cuda_device.choose(found.devices, options.devices)[0]
    return WavefrontEngine(CudaDevice(cuda_device.import_cupy(), info), (info,), options.settings)


@dataclass(frozen=True, slots=True)
class Choice:
    """Everything that is decided before a pair is computed."""

    cells: Cells
    save_every: int
    prune: bool
    round_bands: int
    columns: int
    rows: int

    @property
    def bands(self) -> int:
        """Of the forward pass."""
        return -(-self.rows // self.cells.band)

    @property
    def saved_rows(self) -> int:
        """Borders that are kept."""
        return self.bands // self.save_every if self.save_every else 0


class WavefrontEngine:
    """Aligns long pairs on one device.

    Parameters
    ----------
    device : Device
    devices : tuple of DeviceInfo
    settings : Mapping[str, str]
        Of `PAIR_METHODS`.
    """

    method = METHOD

    def __init__(self, device: Device, devices: tuple[DeviceInfo, ...], settings: Mapping[str, str]) -> None:
        self.devices = devices
        self._device = device
        self._settings = dict(settings)

    def plan(self, query_length: int, subject_length: int, scheme: ScoringScheme, task: PairTask) -> PairPlan:
        """Say beforehand what it will cost."""
        facts = Scheme.in_general(scheme)
        _check_range(query_length, subject_length, facts)
        with self._device.at_work():
            choice = self._choose(facts, query_length, subject_length, task)
        cells, shape = choice.cells, choice.cells.shape
        cells_all = query_length * subject_length
        memory = {
            "Sequences": 6 * query_length + 5 * subject_length,
            "Borders": 2 * BORDER_BYTES * (subject_length + PADDING),
            "Best scores": 16 * (query_length // shape.rows + 1) if task.mode is PairMode.LOCAL else 0,
            "Kept rows": choice.saved_rows * BORDER_BYTES * (subject_length + PADDING),
        }
        again = 0
        if not task.score_only:
            memory["Alignment"] = min(BATCH_BYTES + MOST_SAVED, 3 * cells_all + (1 << 16))
            strip = choice.save_every * cells.band if choice.saved_rows else query_length
            again = 4 * strip * min(query_length, subject_length) + 4 * min(query_length, strip) * subject_length
            again = min(again, 4 * cells_all)
        steps = subject_length / shape.columns + query_length / shape.rows
        seconds = (cells_all + again) / (SPEED * self._device.multiprocessors) + steps * STEP_SECONDS
        remarks = []
        if cells.bits == 32:
            remarks.append("The scores of this scheme need 32 bits per cell, which takes about twice as long.")
        if self._settings.get("prune") == "on" and task.mode is not PairMode.LOCAL:
            remarks.append("Only local alignments are pruned: nothing is left out here.")
        return PairPlan(
            METHOD,
            tuple(info.id for info in self.devices),
            cells_all,
            cells_all + again,
            memory,
            {
                "bits": str(cells.bits),
                "rows": str(shape.rows),
                "columns": str(shape.columns),
                "prune": "on" if choice.prune else "off",
            },
            seconds,
            tuple(remarks),
        )

    def run(
        self,
        query: EncodedQuery,
        subject: NDArray[np.uint8],
        scheme: ScoringScheme,
        task: PairTask,
        cancel: threading.Event,
        found: Sequence[Alignment] = (),
        resume: PairCheckpoint | None = None,
    ) -> Iterator[PairStep]:
        """Find the best alignment; see `swgui.engines.pair.base.PairEngine`."""
        facts = Scheme.of(query, scheme)
        _check_range(len(query), len(subject), facts)
        if not len(query) or not len(subject):
            yield from _empty(len(query), len(subject), scheme, task)
            return
        steps = self._steps(query, subject, scheme, task, cancel, found, resume, facts)
        try:
            while True:
                with self._device.at_work():
                    step = next(steps, None)
                if step is None:
                    return
                yield step
        except Stopped:
            return
        finally:
            with self._device.at_work():
                steps.close()

    def close(self) -> None:
        """Release the device's memory."""
        if isinstance(self._device, CudaDevice):
            self._device.close()

    def _choose(self, facts: Scheme, rows: int, columns: int, task: PairTask) -> Choice:
        cells = choose_cells(facts, rows, self._device)
        wanted = {name: value for name, value in self._settings.items() if value != "auto"}
        if {"rows", "columns", "bits"} & set(wanted):
            rows_each = int(wanted.get("rows", cells.shape.rows))
            columns_each = int(wanted.get("columns", cells.shape.columns))
            shape = replace(cells.shape, rows=rows_each, columns=columns_each)
            cells = plan_cells(facts, shape, dpx=self._device.dpx, wide=wanted.get("bits") == "32")
            cells = fit_cells(cells, self._device)
            if wanted.get("bits") == "16" and cells.bits != 16:
                raise InvalidParameter(
                    "bits",
                    "16",
                    f"The scores of this scheme do not fit 16 bits with {rows_each} rows per thread.",
                    hint="Choose fewer rows, or leave the bits to the program.",
                )
        save_every = 0
        bands = -(-rows // cells.band)
        if not task.score_only and bands > 1:
            room = min(SAVED_BYTES, int(SAVED_SHARE * self._device.free_memory()))
            most = max(1, room // (BORDER_BYTES * (columns + PADDING)))
            save_every = max(-(-SAVED_ROWS // cells.band), -(-bands // most))
        prune = task.mode is PairMode.LOCAL and min(rows, columns) >= PRUNE_ROWS
        if "prune" in wanted:
            prune = task.mode is PairMode.LOCAL and wanted["prune"] == "on"
        at_once = self._device.multiprocessors * cells.shape.blocks
        round_seconds = max(1e-9, at_once * cells.band * columns / (SPEED * self._device.multiprocessors))
        round_bands = at_once * max(1, round(ROUND_SECONDS / round_seconds))
        return Choice(cells, save_every, prune, round_bands, columns, rows)

    def _steps(
        self,
        query: EncodedQuery,
        subject: NDArray[np.uint8],
        scheme: ScoringScheme,
        task: PairTask,
        cancel: threading.Event,
        found: Sequence[Alignment],
        resume: PairCheckpoint | None,
        facts: Scheme,
    ) -> Generator[PairStep, None, None]:
        problem = Problem(self._device, query, subject, scheme, found)
        choice = self._choose(facts, len(query), len(subject), task)
        scoring = _Scoring(problem, choice, task)
        yield from scoring.run(cancel, resume)
        end = scoring.end()
        yield PairScored(end)
        if task.score_only:
            return
        if not end.score and task.mode is not PairMode.GLOBAL:
            yield PairAligned(Alignment.from_runs(0, 0, [], 0), self._device.peak)
            return
        trace = Trace(problem, task.mode, choice.cells, cancel)
        reported = time.monotonic()
        for done in trace.run(end, scoring.forward()):
            if time.monotonic() - reported > 0.1:
                reported = time.monotonic()
                counted = scoring.done + done
                yield PairProgress(
                    STAGES[1], counted, max(counted, scoring.total) + scoring.pruned, scoring.pruned, end
                )
        assert trace.alignment is not None, "the trace has ended"
        actual, _ = score_and_count(trace.alignment, query, subject, scheme)
        if actual != end.score:
            raise ScoreMismatch(query.id, end.score, actual)
        yield PairAligned(trace.alignment, self._device.peak)


class _Scoring:
    """The forward pass over the whole matrix, in rounds of bands."""

    def __init__(self, problem: Problem, choice: Choice, task: PairTask) -> None:
        self.mode = task.mode
        self._choice = choice
        facts = problem.facts
        local = task.mode is PairMode.LOCAL
        edge = Border(facts.first - facts.further, facts.further) if task.mode is PairMode.GLOBAL else Border()
        self._pass = Pass(
            problem,
            Rectangle(0, problem.rows, 0, problem.columns),
            choice.cells,
            Task(local, int(local), choice.prune, problem.barred is not None),
            left=edge,
            above=edge,
            save_every=choice.save_every,
            exact=not local,
            right=task.mode is PairMode.SEMIGLOBAL,
        )
        self.total = problem.rows * problem.columns
        self.done = self.pruned = 0
        self._kept: dict[int, NDArray[np.int32]] = {}  # borders by band, from checkpoints
        self._first_band = 0

    def run(self, cancel: threading.Event, resume: PairCheckpoint | None) -> Iterator[PairStep]:
        sweep = self._pass
        if resume is not None:
            self._restore(resume)
        for first in range(self._first_band, sweep.bands, self._choice.round_bands):
            last = min(first + self._choice.round_bands, sweep.bands)
            sweep.launch(first, last)
            if last == sweep.bands:
                sweep.launch_tail()
            for counters in sweep.wait(cancel):
                yield self._progress(counters)
            if cancel.is_set():
                raise Stopped
            counters = sweep.read_counters()
            if last < sweep.bands:
                yield self._checkpoint(last, counters)
            yield self._progress(counters)
        if not sweep.bands:
            sweep.launch_tail()
            for counters in sweep.wait(cancel):
                yield self._progress(counters)
            if cancel.is_set():
                raise Stopped
        self.done = self.total - self.pruned

    def end(self) -> PairEnd:
        """Score and end of the best alignment."""
        sweep, rows, columns = self._pass, self._pass.rectangle.rows, self._pass.rectangle.columns
        if self.mode is PairMode.LOCAL:
            score, column, row = sweep.first_best()
            return PairEnd(score, row + 1, column + 1) if score else PairEnd(0, 0, 0)
        if self.mode is PairMode.GLOBAL:
            return PairEnd(sweep.corner(), rows, columns)
        device, first = sweep.problem.device, sweep.cells.scheme.first
        below = device.download(sweep.below())[: 2 * columns : 2].view(np.int32).astype(np.int64) // 2 + first
        right = sweep.right_scores()
        score = max(int(below.max()), int(right.max()))
        if score <= 0:
            return PairEnd(0, 0, 0)
        column = int(np.argmax(below == score)) if (below == score).any() else columns - 1
        row = rows - 1 if column < columns - 1 else int(np.argmax(right == score))
        return PairEnd(score, row + 1, column + 1)

    def forward(self) -> Forward:
        """Return what the trace needs."""
        sweep, band = self._pass, self._choice.cells.band
        every = self._choice.save_every
        upload = sweep.problem.device.upload
        saved = [Saved(number * band, partial(upload, kept.ravel())) for number, kept in self._kept.items()]
        saved += [
            Saved((number + 1) * every * band, partial(sweep.saved_border, number))
            for number in range(sweep.saved_rows)
            if (number + 1) * every > self._first_band
        ]
        free = self.mode is not PairMode.GLOBAL
        return Forward(0, 0, sweep.left, free, tuple(sorted(saved, key=lambda one: one.row)))

    def _progress(self, counters: NDArray[np.uint64]) -> PairProgress:
        self.pruned = min(int(counters[PRUNED]), self.total)
        self.done = min(max(self.done, int(counters[DONE])), self.total - self.pruned)
        best = PairEnd(int(counters[BEST]), 0, 0) if self.mode is PairMode.LOCAL and counters[BEST] else None
        return PairProgress(STAGES[0], self.done, self.total, self.pruned, best)

    def _checkpoint(self, band: int, counters: NDArray[np.uint64]) -> PairCheckpoint:
        sweep = self._pass
        self._kept[band] = sweep.border_below(band)
        arrays: dict[str, NDArray[Any]] = {f"border {number}": kept for number, kept in self._kept.items()}
        arrays["counters"] = counters
        arrays["band"] = np.array([band, self._choice.cells.band, self._choice.cells.bits], dtype=np.int64)
        if self.mode is PairMode.LOCAL:
            arrays["records"] = sweep.problem.device.download(sweep.records)
        if self.mode is PairMode.SEMIGLOBAL:
            arrays["last column"] = sweep.problem.device.download(sweep.last_column)
        return PairCheckpoint(STAGES[0], self.done, arrays)

    def _restore(self, resume: PairCheckpoint) -> None:
        sweep, device = self._pass, self._pass.problem.device
        band, height, bits = (int(one) for one in resume.arrays["band"])
        if (height, bits) != (self._choice.cells.band, self._choice.cells.bits):
            return  # made with other settings: begin anew
        self._first_band = band
        for name, array in resume.arrays.items():
            if name.startswith("border "):
                self._kept[int(name.split()[1])] = np.asarray(array, dtype=np.int32)
        sweep.restore(self._kept[band], band)
        sweep.counters = device.upload(np.asarray(resume.arrays["counters"], dtype=np.uint64))
        if self.mode is PairMode.LOCAL:
            sweep.records = device.upload(np.asarray(resume.arrays["records"], dtype=np.int32))
        if self.mode is PairMode.SEMIGLOBAL:
            sweep.last_column = device.upload(np.asarray(resume.arrays["last column"], dtype=np.int32))


def _check_range(rows: int, columns: int, facts: Scheme) -> None:
    """Refuse pairs whose values might not fit the 31 bits of a border."""
    highest = min(rows, columns) * max(facts.highest, 0)
    lowest = 4 * facts.first + facts.further * (rows + columns)
    if max(highest, lowest) + 8 * facts.first >= MOST or rows >= MOST or columns >= MOST:
        raise InvalidParameter(
            "length",
            (rows, columns),
            f"Scores of {rows:,} x {columns:,} residues may not fit 31 bits with this scheme.",
            hint="Use a matrix and gap costs with smaller values; their ratios decide the alignment.",
        )


def _empty(rows: int, columns: int, scheme: ScoringScheme, task: PairTask) -> Iterator[PairStep]:
    """Say what is found where one side has no residues."""
    if task.mode is not PairMode.GLOBAL:
        rows = columns = 0
    score = -scheme.gap_cost(rows + columns)
    yield PairScored(PairEnd(score, rows, columns))
    if not task.score_only:
        yield PairAligned(Alignment.from_runs(0, 0, [(1, rows), (2, columns)], score))
